"""The documents in English and in Chinese: they have the same parts, name the same things and link to the same places; and a thing has one name in Chinese, in documents and in what
programs show. The glossary (Documentation/Reference/glossary.zh.md) has the names.

`PYTHONPATH=Facts python3 -m facts.languages [--strict]` checks that. A line that the other language does not have is an error with --strict, and otherwise named: one language is
enough on a branch. Tests/Facts tests the comparison itself."""

import posixpath
import re
import sys
from dataclasses import dataclass

from . import ROOT, documents, tables

GLOSSARY = "Documentation/Reference/glossary.zh.md"
TRANSLATED_COMMENTS = "Documentation/Reference/api.zh/"
STATE = re.compile(r"(?:\*\*)?(same|adapted|absent|ours)(?:\*\*|:.*)?")  # how a name here and the original's are related
FILE = re.compile(r"\[([A-Za-z_]+\.(?:c|h|swift))\]")
NO_PROSE = re.compile(r"`[^`]+`|\]\([^)\s]+\)")
NOT_OURS = re.compile(r"`[^`]*`|\]\([^)]*\)|「[^」]*」|〈[^〉]*〉")  # code, the targets of links, quotations
IDEOGRAPH = re.compile("[\u4e00-\u9fff]")


@dataclass(frozen=True)
class Miss:
    """A line that must change."""
    path: str
    line: int
    message: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.message}"


def originals():
    """The paths of the documents in English that have a translation beside them."""
    guides = [path for path in documents.paths() if path.startswith("Documentation/") and not path.endswith(".zh.md") and not path.startswith(TRANSLATED_COMMENTS)]
    return ["ANNOTATIONS.md", "CONTRIBUTING.md", "Debugging/README.md", "README.md", *guides]


def translated(path):
    return path.removesuffix(".md") + ".zh.md"


# MARK: - The same in both languages

def kind_of(part):
    """What stands in every language as it is, is verbatim: code, a quotation, the rule below a table's head, generated text, and what a name in brackets stands for."""
    return "verbatim" if part.is_generated or part.kind not in ("paragraph", "item", "row") else part.kind


def cells(part):
    return documents.cells_of(part.text) if part.kind == "row" else []


def is_about_chinese_words(section):
    """Its table says which Chinese word stands for a thing: English has nothing to translate there."""
    return any(cells(part)[:2] == ["用", "不用"] for part in section.parts)


def last_line(section):
    return section.parts[-1].line if section.parts else section.line


def words(text):
    """The words that could be names in C or Swift."""
    return [word for word in re.findall(r"[A-Za-z0-9_]+", text) if not word[0].isdigit()]


def facts(text, target):
    """What a text says in any language: its code, the targets of its links, its ids and its numbers."""
    prose = NO_PROSE.sub(" ", text)
    return [*(f"`{span}`" for span in documents.SPAN.findall(text)), *(f"[{file}]" for file in FILE.findall(text)),
            *(f"the link {target(link)}" for link in documents.LINK.findall(text)), *(word for word in words(prose) if re.fullmatch(r"[RSLITOXAD]\d+", word)),
            *(f"the number {number}" for number in re.findall(r"[0-9]+", prose))]


def without(some, others):
    """What only the first list has; a fact that stands twice has to stand twice in the other."""
    rest, left = list(others), []
    for fact in some:
        if fact in rest: rest.remove(fact)
        else: left.append(fact)
    return left


class Translation:
    """A document and its translation, and the differences between them. `every` has the pairs of all documents, by the path in English: a link from one document to another
    leads from one translation to the other."""

    def __init__(self, original, translation, every=None):
        self.original, self.translation = original, translation
        self.every = every if every is not None else {original.path: self}

    def misses(self):
        sections = [section for section in self.translation.sections if not is_about_chinese_words(section)]
        for section, other in zip(self.original.sections, sections):
            if section.level != other.level:
                yield self._there(other.line, f"this heading has level {other.level}, and level {section.level} at {self._place(section.line)}")
                return
            yield from self._texts(section.heading, other.heading, section.line, other.line)
            yield from self._sections(section, other)
        if more := self.original.sections[len(sections):]:
            yield self._there(last_line(sections[-1]) if sections else 1, f"the section at {self._place(more[0].line)} is missing")
        elif more := sections[len(self.original.sections):]:
            yield self._here(last_line(self.original.sections[-1]), f"the section at {self._translations_place(more[0].line)} is missing")

    def _sections(self, section, other):
        """Compares part by part. A missing part is reported once, and not again for each part that follows."""
        ours, theirs = section.parts, other.parts
        for part, its in zip(ours, theirs):
            found = list(self._parts(part, its))
            if found and len(theirs) < len(ours):
                yield self._there(its.line, f"the {kind_of(part)} at {self._place(part.line)} is missing before this")
                return
            if found and len(theirs) > len(ours):
                yield self._here(part.line, f"the {kind_of(its)} at {self._translations_place(its.line)} is missing before this")
                return
            yield from found
        if more := ours[len(theirs):]:
            yield self._there(last_line(other), f"the {kind_of(more[0])} at {self._place(more[0].line)} is missing after this")
        elif more := theirs[len(ours):]:
            yield self._here(last_line(section), f"the {kind_of(more[0])} at {self._translations_place(more[0].line)} is missing after this")

    def _parts(self, part, other):
        kind = kind_of(part)
        if kind != kind_of(other) or part.marker != other.marker:
            yield self._there(other.line, f"here is the {kind_of(other)} {other.marker}, and the {kind} {part.marker} at {self._place(part.line)}")
        elif kind == "verbatim":
            if not self._is_same(part.text, other.text):
                yield self._there(other.line, f"this is not what stands at {self._place(part.line)}")
        elif kind == "row":
            yield from self._cells(part, other)
        else:
            yield from self._texts(part.text, other.text, part.line, other.line)

    def _is_same(self, text, other):
        """The comments after commands may be translated: `swift run RunLoopLab wrong  # the faulty listings`. So may a program's output, after the same commands; other
        checks compare it with the real output."""
        def command(text): return re.sub(r"(?m) {2,}# .*$", "", text)
        def typed(text): return [line for line in text.split("\n") if line.startswith(("(gdb)", "(lldb)"))]
        if command(text) == command(other) or IDEOGRAPH.search(other) and typed(text) == typed(other): return True
        ours, theirs = documents.REFERENCE.fullmatch(text), documents.REFERENCE.fullmatch(other)
        return bool(ours and theirs) and ours[1] == theirs[1] and self._target(self.original.target(ours[2])) == self.translation.target(theirs[2])

    def _cells(self, row, other):
        ours, theirs = cells(row), cells(other)
        if len(ours) != len(theirs):
            yield self._there(other.line, f"{len(theirs)} cells, and {len(ours)} at {self._place(row.line)}")
            return
        for cell, its in zip(ours, theirs):
            found = list(self._texts(cell, its, row.line, other.line))
            yield from found
            if not found and documents.SPAN.findall(cell) != documents.SPAN.findall(its):
                yield self._there(other.line, f"the names in “{its}” stand in another order at {self._place(row.line)}")
            state, its_state = STATE.fullmatch(cell), STATE.fullmatch(its)
            if (state and state[1]) != (its_state and its_state[1]):
                yield self._there(other.line, f"“{its}” for “{cell}”, which is the same in every language")
            if (cell == "") != (its == ""):
                yield self._there(other.line, f"“{its}” for “{cell}”")

    def _texts(self, text, other, line, other_line):
        if text == other and sum(bool(re.fullmatch("[a-z]+", word)) for word in words(NO_PROSE.sub(" ", text))) > 2:
            yield self._there(other_line, f"“{text[:40]}…” is not translated")
            return
        ours = facts(text, lambda link: self._target(self.original.target(link)))
        theirs = facts(other, self.translation.target)
        for fact in without(ours, theirs): yield self._there(other_line, f"{fact} is missing, which stands at {self._place(line)}")
        for fact in without(theirs, ours): yield self._here(line, f"{fact} is missing, which stands at {self._translations_place(other_line)}")

    def _target(self, link):
        """Where the translation has to link to: the same heading, under its translated name."""
        file, _, anchor = link.partition("#")
        if file == self.translation.path: return self.original.path  # from one language to the other
        target = self.every.get(file) if file else self
        if not target:
            picture = file.removesuffix(".svg") + ".zh.svg"  # a picture that contains words
            return picture if file.endswith(".svg") and (ROOT / picture).exists() else link
        path, anchors, others = file and target.translation.path, target.original.anchors, target.translation.anchors
        index = anchors.index(anchor) if anchor in anchors else len(others)
        return f"{path}#{others[index]}" if index < len(others) else path

    def _there(self, line, message): return Miss(self.translation.path, line, message)
    def _here(self, line, message): return Miss(self.original.path, line, message)
    def _place(self, line): return f"{self.original.path}:{line}"
    def _translations_place(self, line): return f"{self.translation.path}:{line}"


def translations():
    every = {}
    for path in originals():
        every[path] = Translation(documents.read(path), documents.read(translated(path)), every)
    return list(every.values())


def links_between(pairs):
    """Each document begins with a link to the other language."""
    for pair in pairs:
        for document, other in (pair.original, pair.translation), (pair.translation, pair.original):
            first = document.sections[0].parts[0]
            match = re.fullmatch(r"\[[^\]]+\]\(([^)]+)\)", first.text)
            if not match or match[1] != posixpath.basename(other.path):
                yield Miss(document.path, first.line, f"the link to {other.path} is missing")


def dead_links(pairs):
    by_path = {document.path: document for pair in pairs for document in (pair.original, pair.translation)}
    for document in by_path.values():
        for line, name in document.short_links():
            if name not in document.references: yield Miss(document.path, line, f"[{name}] is not explained at the end")
        for line, link in [*document.links(), *((1, document.target(target)) for target in document.references.values())]:
            if link.startswith("http"): continue
            file, _, anchor = link.partition("#")
            target = by_path.get(file or document.path)
            if file and not (ROOT / file).exists(): yield Miss(document.path, line, f"there is no file {file}")
            elif anchor and target and anchor not in target.anchors: yield Miss(document.path, line, f"there is no heading in {target.path} for {link}")
        for anchor in sorted({anchor for anchor in document.anchors if document.anchors.count(anchor) > 1}):
            yield Miss(document.path, 1, f"{document.anchors.count(anchor)} headings are linked to by #{anchor}")


# MARK: - One name for one thing in Chinese

@dataclass(frozen=True)
class Term:
    """A row of the glossary's last table: a word, the words that are not used for the same thing, and where one of these is right all the same: within a phrase, or in a document,
    whose name is in code."""
    word: str
    others: tuple
    phrases: tuple = ()
    documents: tuple = ()


def terms():
    rows = [row for row in documents.read(GLOSSARY).rows() if row.heads[0] == "用"]
    return [Term(row.cells[0], tuple(row.cells[1].split("、")), tuple(phrase for phrase in row.cells[2].split("、") if phrase and phrase[0] != "`"),
                 tuple(documents.SPAN.findall(row.cells[2]))) for row in rows]


def has(word, text):
    """Whether a text has a word. A word in Latin letters stands alone: `support` has no `port`."""
    return word in text if not word.isascii() else bool(re.search(rf"(?<![A-Za-z0-9_-]){re.escape(word)}(?![A-Za-z0-9_-])", text))


def other_words(line, document, glossary):
    """The words in a line that the glossary has another word for, and that word."""
    prose = NOT_OURS.sub(" ", line)
    for term in glossary:
        if document in term.documents: continue
        rest = prose
        for phrase in term.phrases: rest = rest.replace(phrase, " ")
        yield from ((other, term.word) for other in term.others if has(other, rest))


def other_names_in_documents(glossary):
    comments = [path for path in documents.paths() if path.startswith(TRANSLATED_COMMENTS)]
    for path in [*map(translated, originals()), *comments]:
        document = documents.read(path)
        tables_of_words = [row for row in document.rows() if row.heads[0] == "用"]
        left_out = {line for line, _ in document.code()} | {line for row in tables_of_words for line in (row.table, row.line)}
        for number, line in enumerate(document.text.split("\n"), 1):
            if number in left_out: continue
            for other, word in other_words(line, posixpath.basename(path), glossary):
                yield Miss(path, number, f"“{other}”: the glossary has “{word}” for it")


def literals(text):
    """The string literals with Chinese in a file in Python or JavaScript, with "#" for each place of a value: `端口 {port}`."""
    for number, line in enumerate(text.split("\n"), 1):
        for literal in re.findall(r'"((?:\\.|[^"\\])*)"', line):
            if IDEOGRAPH.search(literal): yield number, re.sub(r"\{\w*\}", "#", literal)


def table_cells(text):
    """The cells with Chinese in a table. Its first column has names, and phrases that readers type."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.startswith("#"): yield from ((number, cell) for cell in line.split("\t")[1:] if IDEOGRAPH.search(cell))


def words_of_the_lab(name, text):
    """The Chinese of a file of the lab: what stands in a Text, and the words of a table by the English. Other literals with Chinese are the articles' headings, and what their programs
    print."""
    if name.endswith("Words.swift"):
        return [(number, literal) for number, line in enumerate(text.split("\n"), 1) for literal in re.findall(r'": "((?:\\.|[^"\\])*)"', line)]
    return [(number, literal) for number, literal in _texts_of(text) if IDEOGRAPH.search(literal)]


def _texts_of(source):
    """The string literals in the parentheses of Text(…), with "#" for each interpolation, and their lines."""
    found, calls, index = [], [], 0
    while index < len(source):
        if source.startswith("//", index): index = source.find("\n", index) % (len(source) + 1)
        elif source.startswith(('#"', "#/"), index):  # a raw string
            index = source.index(source[index + 1] + "#", index + 2) + 2
        elif source[index] == "/" and source[index + 1:index + 2] not in " *\n" and source[:index].rstrip(" ")[-1:] in tuple("(,=:[{"):  # a regular expression
            index += re.compile(r"/(?:\\.|[^/\\\n])*/?").match(source, index).end() - index
        elif source[index] == '"':
            literal, end = _literal(source, index)
            if "Text" in calls: found.append((source.count("\n", 0, index) + 1, literal))
            index = end
        else:
            if source[index] == "(": calls.append("Text" if source[:index].endswith("Text") else "")
            if source[index] == ")" and calls: calls.pop()
            index += 1
    return found


def _literal(source, index):
    mark, text = '"""' if source.startswith('"""', index) else '"', ""
    index += len(mark)
    while not source.startswith(mark, index):
        if source.startswith("\\(", index):
            index, depth, text = index + 2, 1, text + "#"
            while depth:
                if source[index] == '"':
                    _, index = _literal(source, index)
                    continue
                depth += (source[index] == "(") - (source[index] == ")")
                index += 1
            continue
        index += source[index] == "\\"
        text, index = text + source[index], index + 1
    return text, index + len(mark)


def other_names_in_programs(glossary):
    """In the tables, in the lab, in the debugger helpers and in the edition. What the checks of the edition type is what readers type."""
    shown = []
    of_articles = {row[column] for row in tables.rows("items") for column in ("heading", "names")}
    for name in "claims", "items", "names", "statements", "steps":
        cells = table_cells((ROOT / f"Facts/{name}.tsv").read_text(encoding="utf-8"))
        shown.append((f"Facts/{name}.tsv", [(number, cell) for number, cell in cells if cell not in of_articles], 12))
    read = {path: path.read_text(encoding="utf-8") for folder, pattern in (("Lab", "*.swift"), ("Debugging/rlhelpers", "*.py"), ("Edition/edition", "*.[pj][ys]"))
            for path in sorted((ROOT / folder).rglob(pattern)) if "check" not in path.parent.name}
    for path, text in read.items():
        shown.append((path.relative_to(ROOT).as_posix(), words_of_the_lab(path.name, text) if path.suffix == ".swift" else list(literals(text)), 0))
    for path, texts, least in shown:
        if len(texts) < least: yield Miss(path, 1, "its Chinese has not been read")
        for number, text in texts:
            for part in text.split("\n"):
                for other, word in other_words(part, posixpath.basename(path), glossary):
                    yield Miss(path, number, f"“{other}” in “{part}”: the glossary has “{word}” for it")
    if sum(len(texts) for _, texts, _ in shown) < 3000: yield Miss("Lab", 1, "the Chinese of the programs has not been read")


def main(arguments):
    pairs, glossary = translations(), terms()
    untranslated = [str(miss) for pair in pairs for miss in pair.misses()]
    wrong = [str(miss) for found in (links_between(pairs), dead_links(pairs), other_names_in_documents(glossary), other_names_in_programs(glossary)) for miss in found]
    is_strict = "--strict" in arguments
    print("".join(f"to translate: {miss}\n" for miss in untranslated if not is_strict) + "".join(f"{miss}\n" for miss in wrong + is_strict * untranslated), end="")
    print(f"{len(pairs)} documents in English and Chinese, {len(glossary)} words that have one name")
    return 1 if wrong or is_strict and untranslated else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
