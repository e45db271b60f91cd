"""The rows of ANNOTATIONS and of the pages that belong to it; where names are defined; and the tests."""

import re
from dataclasses import dataclass
from functools import lru_cache

from . import ROOT, VERSIONS, definitions, documents, tables

ANNOTATIONS, CLAIMS, CORRECTIONS, DIFFERENCES, STACKS = ["ANNOTATIONS"] + ["Documentation/Reference/" + name for name in ("claims", "corrections", "differences", "stacks")]
DOCUMENTS = [ANNOTATIONS, CLAIMS, CORRECTIONS, DIFFERENCES, STACKS, "Documentation/Explanation/one-pass"]
VERDICTS = tuple(tables.verdicts("name"))
BADGES = {row["in Chinese"]: word for word, row in tables.verdicts("correction").items()}
ID = re.compile(tables.ID + "$")
TEST = re.compile(r"\s*(?:TEST|SCENARIO|CHILD)\(\s*(\w+)|\s*func (test\w+)\(")
FOLDERS = ["Sources/CRunLoop", "Sources/SwiftRunLoop", "Lab/Designs", "Lab/NSObject", "Lab/UIKit"]


def document(name, language):
    """The path of one of the documents in a language."""
    return name + (".zh.md" if language == "zh" else ".md")


def home(name):
    """The document whose table has the row of an id."""
    return DIFFERENCES if name.startswith("D") else ANNOTATIONS


@lru_cache(None)
def rows(language):
    return [row for name in DOCUMENTS for row in documents.read(document(name, language)).rows()]


@dataclass
class Correction:
    """The section of a correction."""
    number: int
    badge: str  # in English
    quotations: list  # (article, text)
    so: list  # paragraphs
    shown: str
    said: str  # by the articles, in our words

    @property
    def claims(self):
        """The claims that the text names by links."""
        return {id for text in self.so for id in re.findall(rf"\[({tables.ID})\]", text)} - {id for text in self.so for id in re.findall(r"\[(D\d+)\]", text)}


@lru_cache(None)
def corrections(language):
    """The sections `Correction 1`, `Correction 2` …: quotations, what is so, and what shows it; and what the table says that the articles say."""
    read, found = documents.read(document(CORRECTIONS, language)), []
    table = {row.cells[0].partition("]")[0].removeprefix("["): row.cells for row in read.rows() if len(row.cells) > 3}
    for section in read.sections:
        if match := re.fullmatch(r"(?:Correction|更正) (\d+)", section.heading):
            *so, shown = [part.text for part in section.parts if part.kind == "paragraph"]
            quotations = [documents.QUOTATION.match(part.text).groups() for part in section.parts if part.kind == "quotation"]
            said, badge = table[match[1]][1], plain(table[match[1]][2])
            found.append(Correction(int(match[1]), BADGES.get(badge, badge), quotations, [re.sub(r"^\*(?:In fact:|实际上：)\*\s*", "", part) for part in so], shown, said))
    return found


def plain(text):
    """Markdown as it would be read aloud."""
    return re.sub(r"[`*]", "", re.sub(r"\[((?:[^\[\]]|\[\])*)\](?:\([^)]*\)|\[[^\]]*\])?", r"\1", text))


@lru_cache(None)
def places():
    """Where the sources define a name: bodies before declarations, RunLoop… and CFRunLoop… before other files, and no more than three. An alias of the lab is where
    its type is."""
    bodies, declarations = {}, {}
    for path in sorted(source_files(FOLDERS), key=lambda path: not re.search(r"/(?:CF)?RunLoop[^/]*$", path)):
        for symbol in definitions.symbols_of(path):
            (declarations if symbol.kind in ("prototype", "externvar") else bodies).setdefault(symbol.name, []).append({"path": path, "line": symbol.line})
    found = declarations | bodies
    for name, type_name in definitions.lab_aliases().items():
        found[name] = found[type_name]
    return {name: places[:3] for name, places in found.items()}


def source_files(folders, endings=(".c", ".h", ".swift")):
    return [path for folder in folders for path in sorted(file.relative_to(ROOT).as_posix() for file in (ROOT / folder).rglob("*.*"))
            if path.endswith(endings) and not path.endswith(definitions.GENERATED)]


@lru_cache(None)
def tests():
    """(name, sentence, path, line) of each test. A C test has its sentence in quotes, a program in the line below its name; a Swift test has it in its
    name."""
    found = []
    for path in source_files(["Tests/CTests", "Tests/SwiftTests", "Tests/LabTests", "Tests/ToolTests"]):
        lines = definitions.lines_of(path)
        for index, line in enumerate(lines):
            if match := TEST.match(line):
                text = re.match(r'[^"]*((?:\s*"(?:\\.|[^"\\])*")+)', " ".join(lines[index:index + 4]))
                sentence = "".join(re.findall(r'"((?:\\.|[^"\\])*)"', text[1])) if match[1] and text else words_of(match[1] or match[2])
                found.append((match[1] or match[2], sentence, path, index + 1))
    for path in source_files(["Programs/Cases"], (".txt",)):
        lines = definitions.lines_of(path)
        found += [(line[3:], lines[index + 1][2:], path, index + 1) for index, line in enumerate(lines) if line.startswith("## ")]
    return found


def words_of(name):
    """testL7_AStopEndsTheRun is "A stop ends the run"."""
    parts = [part for part in (part.removeprefix("test") for part in name.split("_")) if part and not ID.match(part)]
    text = re.sub(r"(?<=[^A-Z ])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", " ".join(parts))
    return re.sub(r"(?<= )(?:[A-Z](?=[a-z])|A(?= ))", lambda match: match[0].lower(), text)
