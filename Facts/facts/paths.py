"""The paths that texts name: documents, tables, comments, what programs print. A file that has moved is found here wherever it is named."""

import os
import re
from functools import lru_cache

from . import ROOT

#: What looks like the path of a file of ours: words with slashes and an ending, or below one of the folders at the top; and a document or a table by its name alone.
PATH = re.compile(r"(?<![\w./<~$@%*{}:-])(?:\.\./)*((?:\.(?=(?:ci|devcontainer|github)/))?(?:\w[\w+-]*/)+[\w+-]+(?:\.[\w-]+)*|[\w-]+\.(?:md|tsv))(?![\w*{(-])")
SOURCE = re.compile(r"\.(?:swift|c|h|py|md|tsv|gdb|sh)$")
TEXTS = re.compile(r"\.(?:md|tsv|swift|c|h|py|js|gdb|sh|yml)$|^Scripts/|^\.(?:ci|devcontainer)/")
#: Hidden folders with files of ours. PATH has them, too.
HIDDEN = (".ci", ".devcontainer", ".github")
#: Files of the system, one that stands for any document, and those of the program that a guide begins.
OTHERS = re.compile(r"sys/|X\.md$|(?:Sources/)?Program/")


@lru_cache(None)
def files():
    """The files of the project, without what is built."""
    found = []
    for folder, folders, names in os.walk(ROOT):
        folders[:] = sorted(name for name in folders if (not name.startswith(".") or name in HIDDEN) and name != "__pycache__")
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in sorted(names)]
    return found


def missing():
    """(file, line, path) for each path in a text that leads nowhere. A path may lack its first folders; one from the top may lack its ending."""
    parts = [path.split("/") for path in files()]
    tails = {"/".join(path[start:end]) for path in parts for start in range(len(path)) for end in range(start + 1, len(path) + 1) if start == 0 or end == len(path)}
    tops, stems = {path[0] for path in parts}, {re.match(r"[^.]*", "/".join(path))[0] for path in parts}
    for file in files():
        if TEXTS.search(file):
            for number, line in enumerate((ROOT / file).read_text(encoding="utf-8").splitlines(), 1):
                if "/" in line or ".md" in line or ".tsv" in line:
                    for path in PATH.findall(line):
                        is_ours = SOURCE.search(path) or path.partition("/")[0] in tops
                        if is_ours and path not in tails and path not in stems and not OTHERS.match(path):
                            yield file, number, path
