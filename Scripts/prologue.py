"""Scripts/prologue.py: what the Python scripts here share, as prologue.sh is for the shell scripts."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
#: The exit status of a check that cannot run, because something is not installed.
CANNOT_CHECK = 77


def answer_help(text):
    """If --help is among the arguments, prints the text and ends the program."""
    if "-h" in sys.argv[1:] or "--help" in sys.argv[1:]:
        print(text.strip())
        sys.exit()
