"""Where the sources define a name, and what the comment above a definition says. C is read by its braces and semicolons, Swift by the form of its lines."""

import re
from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass
from functools import lru_cache

from . import ROOT

LIBRARY = "Sources/CRunLoop"
GENERATED = ("CFLinkerNames.h", "CFSwiftNames.h")
NOISE = re.compile(r'//[^\n]*|/\*[\s\S]*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|__attribute__\s*\(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)\)')
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
DEFINE = re.compile(r"[ \t]*#\s*define\s+(\w+)")
TYPE = re.compile(r"\b(struct|union|enum|CF_ENUM|CF_OPTIONS)\b\s*(?:\(\s*\w+\s*,?\s*)?(\w*)\s*\)?\s*$")
TEST = re.compile(r"\s*(?:TEST|SCENARIO|CHILD)\(\s*(\w+)")
STRING = re.compile(r"\s*CONST_STRING_DECL\(\s*(\w+)")
POINTER = re.compile(r"^[^(]*\(\s*[*^]")
WORD = re.compile(r"[A-Za-z_]\w*")
NO_NAMES = {"__attribute__", "_Static_assert", "static_assert", "_Atomic", "CF_ENUM", "CF_OPTIONS", "TEST", "SCENARIO", "CHILD", "void"}
SWIFT = re.compile(r"^(?P<indent> *)(?:@\w+(?:\([^)]*\))? +)*(?:(?:public|package|internal|private|fileprivate|open|final|static|class|override|mutating|nonisolated|"
                   r"convenience|required|indirect|lazy|weak|unowned|unsafe)(?:\([^)]*\))? +)*"
                   r"(?P<kind>class|struct|enum|protocol|actor|extension|typealias|func|var|let|case|init|subscript|macro)\b(?: +`?(?P<name>\w+))?")


@dataclass(frozen=True)
class Symbol:
    name: str
    path: str
    line: int
    end: int  # of a body; otherwise the line itself
    kind: str  # function, prototype, struct, union, enum, enumerator, typedef, macro, member, variable, externvar; class, func … of Swift; test
    scope: str = ""  # the type that a member belongs to

    @property
    def is_function(self):
        return self.kind in ("function", "func", "init", "test")


@lru_cache(None)
def lines_of(path, root=ROOT):
    return (root / path).read_text(encoding="utf-8").splitlines()


@lru_cache(None)
def symbols_of(path, root=ROOT):
    """The definitions of a file, in their order."""
    if path.endswith(".swift"):
        return list(_swift(path, lines_of(path, root)))
    return _C(path, (root / path).read_text(encoding="utf-8")).symbols


@lru_cache(None)
def words_of(path):
    """The words of a file's code that may be names, of a Swift file also those of comments and strings: some names are spelled there only."""
    text = (ROOT / path).read_text(encoding="utf-8")
    return frozenset(WORD.findall(text if path.endswith(".swift") else NOISE.sub(" ", text)))


def labels_of(symbol):
    """The labels of the parameters of a function in Swift."""
    text, flat, depth = " ".join(lines_of(symbol.path)[symbol.line - 1:symbol.line + 11]).replace("->", ""), "", 0
    begin = re.search(rf"\b{symbol.kind}\b[?!]?(?: *`?{symbol.name}`?)?(?:<[^>]*>)?\(", text)
    for character in text[begin.end():] if begin else "":
        if character == ")" and not depth:
            break
        depth += (character in "([{<") - (character in ")]}>")
        flat += character if not depth else " "
    return re.findall(r"(?:^|,)\s*(?:@\w+\s*)*(\w+)(?: \w+)?:", flat)


def signature(symbol):
    """As documents write a Swift function: perform(_:on:)."""
    return f"{symbol.name}({''.join(label + ':' for label in labels_of(symbol))})"


@lru_cache(None)
def library():
    """The definitions of the library by their names: those of .c files first."""
    paths = [path.relative_to(ROOT).as_posix() for path in sorted((ROOT / LIBRARY).rglob("*.[ch]"), key=lambda path: (path.suffix, path.as_posix()))]
    found = defaultdict(list)
    for path in paths:
        for symbol in symbols_of(path) if not path.endswith(GENERATED) else []:
            found[symbol.name].append(symbol)
    return dict(found)


def comment_lines(symbol, marks="///?"):
    """The lines of the comment above a definition, without what they begin with, `marks`; and the index of the line below them."""
    lines, found = lines_of(symbol.path), []
    index = symbol.line - 2
    while lines[index + 1].startswith("}") and index > 0:  # the name behind a struct
        index = next((above - 1 for above in range(index, 0, -1) if lines[above].startswith("typedef")), 0)
    while index >= 0 and re.match(r"\s*(?:__attribute__|static|CF_EXPORT|@\w+|# *if)[^;{}]*$", lines[index]):
        index -= 1
    below = index + 1
    while index >= 0 and (match := re.match(rf"\s*{marks} ?(.*)", lines[index])):
        found.insert(0, match[1].rstrip())
        index -= 1
    if found and index >= 0 and _comment_column(lines[index]) == _comment_column(lines[index + 1]):  # they go on with the comment of the line above
        found = []
    return found, below


def comment_of(symbol, marks="///?", is_whole=False):
    """The first paragraph of the comment above a definition, or at its end of line; or all of the comment, as Markdown."""
    lines, found = lines_of(symbol.path), comment_lines(symbol, marks)[0]
    comment = "\n".join(found).strip("\n")
    paragraph = " ".join("\n".join(line.strip() for line in found).strip().split("\n\n")[0].split())
    if paragraph.startswith(("MARK", "swift-tools")) or re.match(r"^\w+\.(?:c|h|swift):", paragraph):
        comment = paragraph = ""
    if (not paragraph or symbol.kind == "member") and symbol.kind in ("member", "enumerator", "variable", "macro") and (match := re.search(r"//+<? ?(.+)$", lines[symbol.line - 1])):
        paragraph, column, index = match[1], _comment_column(lines[symbol.line - 1]), symbol.line
        while index < len(lines) and lines[index].lstrip().startswith("//") and _comment_column(lines[index]) == column:
            paragraph += " " + lines[index].lstrip(" /")
            index += 1
        comment = paragraph
    return comment if is_whole else paragraph


def _comment_column(line):
    """Where the comment of a line begins; a line without one has none."""
    return found if (found := line.find("//")) >= 0 else None


def lab_aliases():
    """The types that the articles' names stand for in the lab, by these names: NSTimer is Timer."""
    return dict(re.findall(r"^typealias (\w+) = (\w+)$", "\n".join(lines_of("Lab/UIKit/UIKit.swift")), re.M))


def not_said(text, note):
    """A text without its first sentence, if a note before it says the same: five of six English words, or two of three Chinese characters and all names, are in both."""
    first = first_sentence(text)
    words, noted = (re.findall(r"[a-z0-9_]+|[\u4e00-\u9fff]", each.lower()) for each in (first, note))
    is_chinese = re.search("[\u4e00-\u9fff]", first)
    missing = [word for word in words if word not in noted]
    is_said = len(missing) * (3 if is_chinese else 6) <= len(words) and not (is_chinese and any(map(str.isascii, missing)))
    return text[len(first):].strip() if is_said else text


def first_sentence(text):
    return re.split(r"(?<=[.。])\s|(?<=。)", text, maxsplit=1)[0]


def answer_of(text, enough):
    """The first sentences of a text: so many that they have enough characters, and that no bracket stays open."""
    for match in re.finditer(r"(?<=[.。])(?=\s)|(?<=。)", text):
        said = text[:match.end()]
        if len(said) >= enough and len(re.findall("[(（]", said)) == len(re.findall("[)）]", said)):
            return said
    return text


def doc_comment(name, is_whole=False):
    """The first paragraph of the doc comment of a function or a constant of the library, or all of it: that of a header, unless it says no more than the step."""
    symbols = sorted((symbol for symbol in library().get(name, []) if symbol.kind in ("function", "prototype", "enumerator")), key=lambda symbol: not symbol.path.endswith(".h"))
    texts = [(symbol, comment_of(symbol, "///", is_whole)) for symbol in symbols]
    return next((text for symbol, text in texts if text and (symbol.kind == "enumerator" or not re.match(r"Steps? \d", text))), "")


def sentence_of(name):
    return first_sentence(doc_comment(name))


def remark_of(name):
    """The first sentence of the comment of a type, a constant or a macro of the library, be it above it or behind it."""
    return next((first_sentence(text) for symbol in library().get(name, []) if not symbol.is_function and (text := comment_of(symbol))), "")


def enumeration_of(name):
    """The enumeration of a constant of the library."""
    return next((symbol.scope for symbol in library().get(name, []) if symbol.kind == "enumerator"), "")


class _C:
    """The definitions of a file in C. `code` is its text with blanks in place of comments, strings and directives."""

    def __init__(self, path, text):
        def blank(match):
            return re.sub(r"[^\n]", " ", match[0])
        self.path, self.symbols = path, []
        self.starts = [0] + [match.end() for match in re.finditer("\n", text)]
        text = NOISE.sub(lambda match: '""'.ljust(len(match[0])) if match[0][0] == '"' else blank(match), text)
        for match in DIRECTIVE.finditer(text):
            if name := DEFINE.match(match[0]):
                self.add(name[1], match.start() + name.start(1), match.end(), "macro")
        self.code = DIRECTIVE.sub(blank, text)
        self.top(0, len(self.code))
        self.symbols.sort(key=lambda symbol: symbol.line)

    def add(self, name, at, end, kind, scope=""):
        self.symbols.append(Symbol(name, self.path, self.line(at), self.line(end), kind, scope))

    def line(self, position):
        return bisect_right(self.starts, position)

    def close(self, position):
        """The place after the bracket that closes the one at a position."""
        depth = 0
        for match in re.compile(r"[({\[]|[)}\]]").finditer(self.code, position):
            depth += 1 if match[0] in "({[" else -1
            if not depth:
                return match.end()
        return len(self.code)

    def top(self, start, end):
        """What is defined between two places outside of all functions."""
        while match := re.compile(r"[;{(}]").search(self.code, start, end):
            begin = position = start
            while match and match[0] == "(":
                position = self.close(match.start())
                string = STRING.match(self.code, begin)
                if string and position >= string.end():
                    self.add(string[1], string.start(1), position, "variable")
                    begin = position
                match = re.compile(r"[;{(}]").search(self.code, position, end)
            if not match:
                return
            head = self.code[begin:match.start()]
            start = match.end()
            if match[0] == ";":
                self.declaration(begin, match.start())
            elif match[0] == "{":
                start = self.body(head, begin, match.start(), end)

    def body(self, head, begin, brace, end):
        close = self.close(brace)
        if re.match(r'\s*(?:\w+\s+)*extern\s+""\s*$', head):
            self.top(brace + 1, close - 1)
            return close
        if match := TEST.match(head):
            self.add(match[1], begin + match.start(1), close, "test")
            return close
        if match := TYPE.search(head):
            kind, tag = match[1].replace("CF_ENUM", "enum").replace("CF_OPTIONS", "enum"), match[2]
            if tag:
                self.add(tag, begin + match.start(2), close, kind)
            rest = self.code.find(";", close)
            self.members(brace + 1, close - 1, kind, tag or self.first_word(close, rest))
            if not match[1].startswith("CF_"):
                self.declaration(close, rest, "typedef" if "typedef" in head else "variable")
            return rest + 1
        if "=" in head:
            rest = self.code.find(";", close)
            self.declaration(begin, rest)
            return rest + 1
        if match := self.function(head):
            self.add(match[0], begin + match[1], close - 1, "function")
        return close

    def first_word(self, start, end):
        match = WORD.search(self.code, start, end)
        return match[0] if match else ""

    @staticmethod
    def function(head):
        """The name before the first list of parameters, and where it stands."""
        for match in re.finditer(r"([A-Za-z_]\w*)\s*\(", head):
            if match[1] not in NO_NAMES:
                return match[1], match.start(1)
        return None

    def declaration(self, begin, end, kind=""):
        head = self.code[begin:end]
        plain = head.split("=")[0]
        if not kind:
            if re.match(r"\s*(?:CF_\w+\s+)*typedef\b", plain):
                kind = "typedef"
            elif POINTER.search(plain) is None and "(" in plain.replace("_Atomic(", ""):
                match = self.function(plain)
                if match and re.match(r"\s*\w", plain[:match[1]]):
                    self.add(match[0], begin + match[1], end, "prototype")
                return
            elif re.match(r"\s*(?:struct|union|enum)\s+\w+\s*$", plain) or not plain.strip():
                return
            else:
                kind = "externvar" if re.search(r"\bextern\b|\bCF_EXPORT\b", plain) else "variable"
        for name, at in self.declarators(head):
            self.add(name, begin + at, end if kind != "externvar" else begin + at, kind)

    @staticmethod
    def declarators(text):
        """The names that a declaration declares, each with its place."""
        flat, depth = [], 0  # the text outside of brackets, except (*name) and (^name)
        text = re.sub(r"\(\s*([*^])([^()]*?)(\w+)(\s*(?:\[\w*\])?\s*)\)", lambda match: " " + match[1] + match[2] + match[3] + " " * (len(match[0]) - 2 - len(match[2] + match[3])), text)
        for character in text:
            depth -= character in ")]}"
            flat.append(" " if depth or character in "()[]{}" else character)
            depth += character in "([{"
        start = 0
        for part in "".join(flat).split(","):
            words = [match for match in WORD.finditer(re.split(r"=|(?<!:):(?!:)", part)[0]) if match[0] not in ("const", "_Nullable", "_Nonnull", "volatile")]
            if words and (start or len(words) > 1 or "*" not in part):
                yield words[-1][0], start + words[-1].start()
            start += len(part) + 1

    def members(self, start, end, kind, scope):
        """The fields or the enumerators between braces."""
        if kind == "enum":
            at = start
            for part in re.split(r",(?![^(]*\))", self.code[start:end]):
                if match := WORD.search(part):
                    self.add(match[0], at + match.start(), at + match.start(), "enumerator", scope)
                at += len(part) + 1
            return
        while match := re.compile(r"[;{(]").search(self.code, start, end):
            begin = start
            while match and match[0] == "(":
                match = re.compile(r"[;{(]").search(self.code, self.close(match.start()), end)
            if not match:
                return
            if match[0] == "{":
                close = self.close(match.start())
                inner = TYPE.search(self.code[begin:match.start()])
                rest = self.code.find(";", close)
                if inner:
                    self.members(match.end(), close - 1, inner[1], inner[2] or scope)
                begin, start = close, rest + 1
            else:
                start = match.end()
            for name, at in self.declarators(self.code[begin:start - 1]):
                self.add(name, begin + at, begin + at, "member", scope)


def _swift(path, lines):
    for index, line in enumerate(lines):
        match = SWIFT.match(line)
        if not match or match["kind"] == "extension" or (match["kind"] in ("var", "let", "case") and len(match["indent"]) > 4):
            continue
        name = match["kind"] if match["kind"] in ("init", "subscript") else match["name"] or match["kind"]
        yield Symbol(name, path, index + 1, _end(lines, index, match["indent"]), match["kind"])


def _end(lines, index, indent):
    """The line of the brace that closes what begins at a line: the next one with the same indentation."""
    if not lines[index].rstrip().endswith("{"):
        return index + 1
    return next((later + 1 for later in range(index + 1, len(lines)) if lines[later].startswith(f"{indent}}}")), index + 1)
