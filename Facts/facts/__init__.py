"""What this project knows of itself, read in one place: tables.py (the tables of Facts), documents.py (the Markdown of the
documents), annotations.py (ANNOTATIONS and what belongs to it) and definitions.py (the sources); cards.py and answers.py put it together for each name, and index.py looks up in that. The debugger commands, RunLoopLab explain, the reading edition and the checks ask here.

It needs Python and nothing else, because gdb and lldb load it into theirs.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

VERSIONS = {"CF-855": "CF-855", "CF-1153": "CF-1153", "current": "current", "Linux build": "Linux build", "现行版": "current", "Linux 构建": "Linux build"}  # of the original


class Failure(Exception):
    """An error that the user can do something about. Its text says what."""


def answer_help(text):
    """If --help is among the arguments, prints the text and ends the program."""
    if "-h" in sys.argv[1:] or "--help" in sys.argv[1:]:
        print(text.strip())
        sys.exit()


def place_of(words, language="en"):
    """`path#2#text`, as the index has it, as the path and the number of the second line that has the text."""
    path, count, text = [*words.split("#", 2), "0", ""][:3]
    path = path.replace(".md", ".zh.md") if language == "zh" else path
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines() if text and (ROOT / path).is_file() else []
    return path + "".join([f":{number}" for number, line in enumerate(lines, 1) if text in line][int(count) - 1:int(count)])
