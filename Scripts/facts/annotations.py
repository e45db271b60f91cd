"""ANNOTATIONS and the pages that belong to it, as rows; where names are defined, and the tests; and what the tests of the documents ask: `Scripts/annotations --data`."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from . import ROOT, definitions, tables

ANNOTATIONS, CLAIMS, CORRECTIONS, DIFFERENCES, STACKS = ["ANNOTATIONS"] + ["Documentation/Reference/" + name for name in ("claims", "corrections", "differences", "stacks")]
DOCUMENTS = [ANNOTATIONS, CLAIMS, CORRECTIONS, DIFFERENCES, STACKS, "Documentation/Explanation/one-pass", "Documentation/Reference/our-helpers"]
VERSIONS = {"CF-855": "CF-855", "CF-1153": "CF-1153", "current": "current", "Linux build": "Linux build", "现行版": "current", "Linux 构建": "Linux build"}
VERDICTS = ("same", "adapted", "absent", "ours")
ID = re.compile(tables.ID + "$")
PLACE = re.compile(r"^(?: in |，)((?:\[[\w.]+\](?:, |、)?)+)[:：]\s*")  # the files of a helper
FOLDERS = ["Sources/CRunLoop", "Sources/SwiftRunLoop", "Lab/Designs", "Lab/UIKit"]


@dataclass
class Row:
    """A row of a table; or an item of a list that begins with names or an id in bold, whose cells are these and the text."""
    document: str
    line: int
    section: str
    file: str  # that the paragraph above a table names for all rows that name none
    heads: list
    cells: list
    is_item: bool = False

    @cached_property
    def id(self):
        return self.cells[0] if ID.match(self.cells[0]) else None

    @cached_property
    def names(self):
        """The names in code in its first cell, without the word `struct`."""
        return [name.removeprefix("struct ") for name in re.findall(r"`([^`]+)`", self.cells[0])]


def document(name, language):
    """The path of one of the documents in a language."""
    return name + (".zh.md" if language == "zh" else ".md")


def documents(language):
    return [document(name, language) for name in DOCUMENTS]


def home(name):
    """The document whose table has the row of an id."""
    return DIFFERENCES if name.startswith("D") else ANNOTATIONS


@lru_cache(None)
def rows(language):
    return [row for path in documents(language) for row in rows_of(path)]


def rows_of(document):
    section, file, heads = "", None, None
    for number, line in enumerate((ROOT / document).read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#"):
            section, file, heads = line.lstrip("# "), None, None
        elif not line.startswith("|"):
            heads = None
            if item := re.match(r"- \*\*([^*]+)\*\*", line):
                place, text = PLACE.match(line[item.end():]), line[item.end():].lstrip(":： ")
                yield Row(document, number, section, place[1] if place else None, ["", ""], [item[1], PLACE.sub("", line[item.end():]) if place else text], True)
            if re.match(r"`\w+`[,，].*[:：]$", line):  # a table's heading within a section: "`_per_run_data`, one record a run:"
                section = line.rstrip(":：")
            named = re.match(r"All in \[(\w+\.[ch])\]|没有注明文件的，都在 \[(\w+\.[ch])\]", line)
            file = named[1] or named[2] if named else file
        elif heads is None:
            heads = cells_of(line)
        elif set(line) - set("|-: "):
            yield Row(document, number, section, file, heads, cells_of(line))


@dataclass
class Correction:
    """The section of a correction."""
    quotations: list  # (article, text)
    so: list  # paragraphs
    shown: str
    said: str  # by the articles, in our words


@lru_cache(None)
def corrections(language):
    """The sections `Correction 1`, `Correction 2` …: quotations, what is so, and what shows it; and what the table says that the articles say."""
    text = (ROOT / document(CORRECTIONS, language)).read_text(encoding="utf-8")
    found, said = [], dict(re.findall(r"^\| \[(\d+)\]\([^)]*\) \| (.*?) \|", text, re.M))
    for number, section in re.findall(r"^## (?:Correction|更正) (\d+)\n((?:(?!#).*\n)*)", text, re.M):
        *so, shown = [part.replace("\n", " ") for part in section.strip().split("\n\n") if not part.startswith(">")]
        found.append(Correction(re.findall(r"^> (\d): 「([^」]*)」", section, re.M), [re.sub(r"^\*(?:In fact:|实际上：)\*\s*", "", part) for part in so], shown, said[number]))
    return found


def cells_of(line):
    return [re.sub(r'<a id="[^"]*"></a>', "", cell).strip() for cell in re.split(r"(?<!\\)\|", line.strip().removeprefix("|").removesuffix("|"))]


def plain(text):
    """Markdown as it would be read aloud."""
    return re.sub(r"[`*]", "", re.sub(r"\[((?:[^\[\]]|\[\])*)\](?:\([^)]*\)|\[[^\]]*\])?", r"\1", text))


def data():
    """What the tests of the documents ask the sources."""
    c, swift = (source_files(folders, endings) for folders, endings in (([definitions.LIBRARY], (".c", ".h")), (["Sources", "Lab", "Bench"], (".swift",))))
    declared = [symbol for path in swift for symbol in definitions.symbols_of(path)]
    return {
        "symbols": [{"name": symbol.name, "kind": symbol.kind, "file": path.rpartition("/")[2], "scope": symbol.scope} for path in c for symbol in definitions.symbols_of(path)],
        "words": {path.rpartition("/")[2]: sorted(definitions.words_of(path)) for path in c},
        "swift": {"names": sorted({symbol.name for symbol in declared}), "signatures": sorted({definitions.signature(symbol) for symbol in declared if symbol.kind in ("func", "init")}),
                  "words": sorted(set().union(*(definitions.words_of(path) for path in swift)))},
        "tests": sorted(name for name, *_ in tests()),
        "originals": {name: [{"kind": entry.kind, "versions": entry.versions} for entry in entries] for name, entries in tables.originals().items()},
    }


def places():
    """Where the sources define a name: bodies before declarations, RunLoop… and CFRunLoop… before other files, and no more than three."""
    bodies, declarations = {}, {}
    for path in sorted(source_files(FOLDERS), key=lambda path: not re.search(r"/(?:CF)?RunLoop[^/]*$", path)):
        for symbol in definitions.symbols_of(path):
            (declarations if symbol.kind in ("prototype", "externvar") else bodies).setdefault(symbol.name, []).append({"path": path, "line": symbol.line})
    return {name: found[:3] for name, found in (declarations | bodies).items()}


def source_files(folders, endings=(".c", ".h", ".swift")):
    return [path for folder in folders for path in sorted(file.relative_to(ROOT).as_posix() for file in (ROOT / folder).rglob("*.*"))
            if path.endswith(endings) and not path.endswith(definitions.GENERATED)]


def tests():
    """(name, sentence, path, line) of each test. A C test has its sentence in quotes; a Swift test has it in its name."""
    for path in source_files(["Tests/CTests", "Tests/SwiftTests"]):
        lines = definitions.lines_of(path)
        for index, line in enumerate(lines):
            if match := re.match(r"\s*(?:TEST|SCENARIO)\(\s*(\w+)|\s*func (test\w+)\(", line):
                text = re.match(r'[^"]*((?:\s*"(?:\\.|[^"\\])*")+)', " ".join(lines[index:index + 4]))
                sentence = "".join(re.findall(r'"((?:\\.|[^"\\])*)"', text[1])) if match[1] and text else words_of(match[1] or match[2])
                yield match[1] or match[2], sentence, path, index + 1


def words_of(name):
    """testL7_AStopEndsTheRun is "A stop ends the run"."""
    parts = [part for part in (part.removeprefix("test") for part in name.split("_")) if part and not ID.match(part)]
    text = re.sub(r"(?<=[^A-Z ])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", " ".join(parts))
    return re.sub(r"(?<= )(?:[A-Z](?=[a-z])|A(?= ))", lambda match: match[0].lower(), text)
