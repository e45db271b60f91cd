"""The Markdown of the documents: their sections and what these consist of, their tables, their names in code and their links. annotations.py makes the rows of ANNOTATIONS of it."""

import posixpath
import re
from dataclasses import dataclass, field
from functools import lru_cache

from . import ROOT, named, tables

HEADING = re.compile(r"(#+) (.*)")
ITEM = re.compile(r"\s*(-|\d+\.) (.*)")
QUOTATION = re.compile(r"> (\d): 「([^」]*)」")
REFERENCE = re.compile(r"\[([^\]]+)\]: (\S+)$")
ANCHOR = re.compile(r'<a id="([^"]*)"></a>')
SPAN = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
SHORT_LINK = re.compile(r"\[([A-Za-z_]+\.(?:c|h|swift)|%s)\](?!\()" % tables.ID)  # [CFRunLoop.c], [R1]
OWNER = re.compile(r"`(\w+)`(?:, |，)")


@dataclass
class Part:
    """A paragraph, an item of a list, or a row of a table; or what is the same in every language: code, a quotation of an article, the rule below a table's head, a comment,
    and what a name in brackets stands for."""
    kind: str
    line: int
    lines: list
    marker: str = ""  # the beginning of an item: `-`, or its number
    is_generated: bool = False

    @property
    def text(self):
        """A paragraph and an item without their line breaks."""
        return "\n".join(self.lines) if self.kind == "code" else " ".join([self.lines[0], *map(str.strip, self.lines[1:])])


@dataclass
class Section:
    line: int
    level: int
    heading: str
    headings: list  # its own, after those of the sections that it is in
    parts: list = field(default_factory=list)


@dataclass
class Row:
    """A row of a table; or an item of a list that begins with names or an id in bold, whose cells are these and the text of its first line."""
    document: str
    line: int
    section: str
    heads: list
    cells: list
    is_item: bool = False
    headings: list = field(default_factory=list)
    introduction: str = ""  # the text above the table in its section; of an item, its whole text
    table: int = 0  # the line of the table's head; 0 of a row of map.tsv
    owner: str = ""  # the struct whose fields the table lists

    @property
    def id(self):
        return self.cells[0] if re.fullmatch(tables.ID, self.cells[0]) else None

    @property
    def names(self):
        """The names in code in its first cell, without the word `struct`."""
        return [name.removeprefix("struct ") for name in SPAN.findall(self.cells[0])]


def cells_of(line):
    return [ANCHOR.sub("", cell).strip() for cell in re.split(r"(?<!\\)\|", line.strip().removeprefix("|").removesuffix("|"))]


def paths():
    """All documents, in both languages."""
    return [path.relative_to(ROOT).as_posix() for pattern in ("*.md", "Debugging/*.md", "Documentation/**/*.md") for path in sorted(ROOT.glob(pattern))]


@lru_cache(None)
def read(path):
    return Document(path, (ROOT / path).read_text(encoding="utf-8"))


class Document:
    def __init__(self, path, text):
        self.path, self.text = path, text
        self.sections = list(self._sections(text.splitlines()))

    def _sections(self, lines):
        """The text above the first heading is in a section without a heading."""
        section, fence, is_generated, is_open = Section(1, 0, "", []), None, False, False
        for number, line in enumerate(lines, 1):
            if fence:
                fence.lines.append(line)
                fence = None if line.startswith("```") else fence
                continue
            if line.startswith("<!-- session "):  # Scripts/check-debugging reads it
                continue
            if line.startswith("<!--") and not line.startswith(("<!-- generated columns", "<!-- generated list", "<!-- the player begins")):  # of these, the languages are compared
                is_generated = not line.endswith(" end -->")
            if match := HEADING.match(line):
                if section.level or section.parts:
                    yield section
                level = len(match[1])
                section, is_open = Section(number, level, match[2], section.headings[:level - 1] + [match[2]]), False
                continue
            kind = self._kind(line, is_open)
            if kind == "text" and is_open:
                section.parts[-1].lines.append(line)
                continue
            is_open = kind in ("item", "text")
            if kind:
                match = ITEM.match(line)
                part = Part("paragraph" if kind == "text" else kind, number, [match[2] if kind == "item" else line], match[1] if kind == "item" else "", is_generated)
                section.parts.append(part)
                fence = part if line.startswith("```") else None
        yield section

    @staticmethod
    def _kind(line, is_open):
        """An indented line is code, unless it continues an item."""
        if not line.strip():
            return None
        if line.startswith("```") or line.startswith("    ") and not is_open:
            return "code"
        if line.startswith("|"):
            return "row" if set(line) - set("|-: ") else "rule"
        for kind, is_there in {"comment": line.startswith("<!--"), "quotation": QUOTATION.match(line), "reference": REFERENCE.match(line), "item": ITEM.match(line)}.items():
            if is_there:
                return kind
        return "text"

    def rows(self):
        """The rows of the tables without their heads, and the items that begin in bold."""
        for section in self.sections:
            name, heads, introduction, last = section.heading, None, [], 0
            for part in section.parts:
                if part.kind == "rule":
                    last = part.line
                elif part.kind == "row":
                    if part.line != last + 1:
                        heads, table = cells_of(part.lines[0]), part.line
                    else:
                        yield Row(self.path, part.line, name, heads, cells_of(part.lines[0]), False, section.headings, "\n".join(introduction), table, owner_of(introduction, section))
                    last = part.line
                elif part.kind in ("paragraph", "item"):
                    if part.marker == "-" and (item := re.match(r"\*\*([^*]+)\*\*", part.lines[0])):
                        yield Row(self.path, part.line, name, ["", ""], [item[1], named.PLACE.sub("", part.lines[0][item.end():]).lstrip(":： ")], True, section.headings, part.text)
                    if re.match(r"`\w+`[,，].*[:：]$", part.lines[-1]):  # a table's heading within a section: "`_per_run_data`, one record a run:"
                        name = part.lines[-1].rstrip(":：")
                    introduction.append(part.text)
        if re.match(r"ANNOTATIONS\.", self.path):
            yield from named.rows(self, lambda line, section, heads, cells, is_item, headings, text, owner: Row(self.path, line, section, heads, cells, is_item, headings, text, 0, owner))

    def prose(self):
        """Its lines that are no code and no references, with their numbers."""
        parts = [part for section in self.sections for part in section.parts]
        other = {part.line + offset for part in parts if part.kind in ("code", "reference") for offset in range(len(part.lines))}
        return [(number, line) for number, line in enumerate(self.text.splitlines(), 1) if number not in other]

    def links(self):
        """Its links, each with its line: where they lead, from the repository's root."""
        return [(number, self.target(match[1])) for number, line in self.prose() for match in LINK.finditer(line)]

    def short_links(self):
        """`CFRunLoop.c` of `[CFRunLoop.c]`, `R1` of `[R1]`, each with its line."""
        return [(number, match[1]) for number, line in self.prose() for match in SHORT_LINK.finditer(line)]

    def code(self):
        """The lines of its code, indented or fenced, each with its number."""
        return [(part.line + offset, line) for section in self.sections for part in section.parts if part.kind == "code" for offset, line in enumerate(part.lines)]

    @property
    def anchors(self):
        """What a link can lead to: the headings, and the ids in the text."""
        return [anchor_of(section.heading) for section in self.sections] + ANCHOR.findall(self.text)

    @property
    def references(self):
        """What a name in brackets stands for, at the end: `[CFRunLoop.c]: Sources/CRunLoop/CFRunLoop.c`."""
        return dict(REFERENCE.fullmatch(part.lines[0]).groups() for section in self.sections for part in section.parts if part.kind == "reference")

    def target(self, link):
        """The target of a link, from the repository's root."""
        return link if link.startswith(("#", "http")) else posixpath.normpath(posixpath.join(posixpath.dirname(self.path), link))


def owner_of(introduction, section):
    """The struct that begins the paragraph right above a table, or is the heading."""
    match = introduction and OWNER.match(introduction[-1]) or re.fullmatch(r"`struct (\w+)`", section.heading)
    return match[1] if match and match[1] in structs() else ""


@lru_cache(None)
def structs():
    """The original's."""
    return {entry.kind.split()[2] for entries in tables.originals().values() for entry in entries if entry.is_field}


def anchor_of(heading):
    """For links, as code hosts make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
