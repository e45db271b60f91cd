"""“The original” is several programs, so a statement about it has to say of which versions it is true.

The rule for documents: if a row of a table, a paragraph, or an item of a list says “the original” or “on a Mac”, then it, or the text above it in its section, names a version:
CF-855, CF-1153, current, Linux build, or all. The comments of the library define “the original” as all three versions, and name one only where the versions differ.

`PYTHONPATH=Facts python3 -m facts.versions` checks that."""

import re
import sys

from . import ROOT, documents, tables
from .languages import Miss, originals

SPEAKS = re.compile(r"\b[Tt]he original(?!'s \||s\b)|\b[Oo]n a Mac\b(?! \|)|\b[Nn]ewer Macs\b|\b[Aa] Mac's (?:loop|version|kernel|print)\b|toolchain's (?:loop|port)\b")
NAMES = re.compile(r"CF-\d+|Linux build|\((?:all|current)\b|\b(?:all|all three|any|[Nn]o) versions?\b|\b[Cc]urrent(?:'s| source| alone| only| has| also| first| refuses| holds| makes|:|;|,|\))"
                   r"|\bin current\b|\*\*all\b|\*\*current\b")
BEGINS = re.compile(r"\*\*(?:all|current|Linux build|CF-\d|全部版本|现行版|Linux 构建)")
DEFINITIONS = "1. How to find a name"  # the section of ANNOTATIONS that defines “the original” and its versions
DEFINITION = re.compile(r"[“\"]The original[”\"] is Apple's CFRunLoop, of which there are three published versions")
REPEATS = re.compile(r"\(all(?: versions)?\)|all versions of the original")
DIFFERENCES = "Documentation/Reference/differences.md", "Documentation/Reference/differences.zh.md"


def miss(path, line, text):
    return Miss(path, line, f"which versions? “{text.strip()[:120]}”")


def statements():
    """The parts of the documents in English that speak of the original, each with the text above it in its section. mac-apis.md is about what is documented of Foundation, not about
    the sources of the run loop."""
    for path in originals():
        if path in ("CONTRIBUTING.md", "Documentation/Guides/mac-apis.md"): continue
        for section in documents.read(path).sections:
            above = [section.heading]
            for part in section.parts:
                if part.kind != "code" and SPEAKS.search(part.text) and section.heading != DEFINITIONS: yield path, part, "\n".join(above)
                if part.kind == "paragraph": above.append(part.text)


def unnamed():
    found = list(statements())
    if len(found) < 50: yield Miss("ANNOTATIONS.md", 1, f"only {len(found)} statements about the original have been found")
    yield from (miss(path, part.line, part.text) for path, part, above in found if not NAMES.search(part.text) and not NAMES.search(above))
    texts = [(f"Facts/{table}.tsv", text) for table, column in (("map", "what"), ("notes", "note")) for text in (row[column] for row in tables.rows(table)) if text]
    if len(texts) < 80: yield Miss("Facts/notes.tsv", 1, f"only {len(texts)} remarks have been found")
    yield from (miss(path, 1, text) for path, text in texts if SPEAKS.search(text) and not NAMES.search(text))


def differences():
    """A difference is one from certain versions: the cell that describes the original begins with them."""
    for path in DIFFERENCES:
        rows = [row for row in documents.read(path).rows() if not row.is_item and re.fullmatch(r"D\d+", row.cells[0]) and re.match(r"[12]\.\s", row.headings[-1])]
        if len(rows) < 25: yield Miss(path, 1, f"only {len(rows)} differences have been found")
        yield from (miss(path, row.line, f"{row.cells[0]} {row.cells[1]}") for row in rows if not BEGINS.match(row.cells[1]))


def comments():
    """The two headers where a reader begins, of a program and of the library, define “the original”. The other comments rely on that, so one that is true of all versions does not say
    so again."""
    definitions, count = [], 0
    for path in sorted((ROOT / "Sources/CRunLoop").rglob("*.[ch]")):
        text, name = path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()
        prose = re.sub(r"\n\s*//[/!]?<?\s*", " ", text)
        definitions += [path.name] * len(DEFINITION.findall(prose))
        count += len(re.findall(r"[Tt]he original\b", prose))
        yield from (miss(name, number, line) for number, line in enumerate(text.split("\n"), 1) if REPEATS.search(line))
    if sorted(definitions) != ["CFRunLoop.h", "CFRunLoop_Internal.h"]: yield Miss("Sources/CRunLoop", 1, f"“the original” is defined in {definitions}")
    if count < 50: yield Miss("Sources/CRunLoop", 1, f"only {count} comments on the original have been found")


def main():
    misses = [*unnamed(), *differences(), *comments()]
    print("".join(f"{miss}\n" for miss in misses), f"{len(list(statements()))} statements about the original name their versions", sep="")
    return 1 if misses else 0


if __name__ == "__main__":
    sys.exit(main())
