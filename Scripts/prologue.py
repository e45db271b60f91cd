"""Scripts/prologue.py: what the Python scripts here share, as prologue.sh is for the shell scripts. Import it first: it finds the modules of Facts."""

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Facts"))

from facts import ROOT, answer_help

#: The exit status of a check that cannot run, because something is not installed.
CANNOT_CHECK = 77
