"""The index, kept in .build/index.tsv: it is made on first use, and again when a file has changed that it is made from. If it cannot be kept, each program makes its own."""

import hashlib
import os

from . import ROOT

CACHE = ROOT / ".build/index.tsv"
FOLDERS, ENDINGS = ("Debugging", "Documentation", "Facts", "Lab", "Programs", "Scripts", "Sources", "Tests"), (".c", ".h", ".md", ".py", ".swift", ".tsv")


def text():
    """The lines of the index. The first line of the file is the state of the files that it is made from."""
    state = hashlib.sha1(repr(sorted(_files(str(ROOT)))).encode()).hexdigest()
    try:
        with open(CACHE, encoding="utf-8") as file:
            if file.readline() == f"{state}\n":
                return file.read()
    except OSError:
        pass
    from . import answers  # which takes a moment
    made = "\n".join(answers.Maker().lines())
    draft = CACHE.with_suffix(f".{os.getpid()}")  # another program may make it, too
    try:
        CACHE.parent.mkdir(exist_ok=True)
        draft.write_text(f"{state}\n{made}", encoding="utf-8")
        draft.replace(CACHE)
    except OSError:
        pass
    return made


def _files(folder, depth=0):
    """Each file with its size and the time of its last change."""
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            if entry.name[0] not in "._" and (depth or entry.name in FOLDERS):
                yield from _files(entry.path, depth + 1)
        elif entry.name.endswith(ENDINGS):
            yield entry.path, entry.stat().st_mtime_ns, entry.stat().st_size
