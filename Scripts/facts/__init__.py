"""What this project knows of itself, read in one place: tables.py (Documentation/Data), annotations.py (ANNOTATIONS and what belongs to it) and
definitions.py (the sources). The debugger commands, RunLoopLab explain, the reading edition and the checks ask here.

It needs Python and nothing else, because gdb and lldb load it into theirs.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Failure(Exception):
    """An error that the user can do something about. Its text says what."""
