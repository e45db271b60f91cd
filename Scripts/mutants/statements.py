"""What can be broken in a C file of the library: its statements and conditions, and one or more ways to break each.

The files have clang-format's form, so a small reader is enough. It looks for the bodies of functions, reads their statements, and goes into blocks and
block literals. Left out are declarations without a value, text, preprocessor lines, probes and trace events, assertions, and whatever ends the process
with a message.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from . import ROOT

#: Comments, and what stands between quotation marks.
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.M)
#: Probes, assertions, messages. A function whose name is in capitals ends the process with a message, unless it is a callout.
LEFT_OUT = re.compile(r"(?:_Static_assert|CFRUNLOOP_|CFRL_|CF_ASSERT|ASSERT_|__CFAssert|CHECK_FOR_FORK|__CFWarn|__CFHalt|__CFPortCallFailed|__(?!CFRUNLOOP_IS_)[A-Z_]+__\(|__asm__|\(void\)\w+$)")
DECLARATION = re.compile(
    r"(?:(?:static|const|extern|volatile|struct|union|enum|unsigned|signed|typedef)\b|(?:_Atomic|__typeof__)\s*\(|void\b"
    r"|[A-Za-z_]\w*(?:\s+const)?(?:\s+\**|\s*\*+\s*)[A-Za-z_]\w*\s*(?:[=,\[]|$))")
BLOCK_LITERAL = re.compile(r"\^\s*(?:\w+\s*\**\s*)?(?:\((?:[^()]|\([^()]*\))*\))?\s*$")
KEYWORD = re.compile(r"(if|else|while|for|do|switch|case|default|return|break|continue|goto)\b")
LABEL = re.compile(r"\w+\s*:(?!:)")

#: The lesser or the greater of two.
LESSER = re.compile(r"\(?([\w>.-]+) [<>] ([\w>.-]+) \? (?:\1 : \2|\2 : \1)\b")

SWAPPED = {"==": ["!="], "!=": ["=="], "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "&&": ["||"], "||": ["&&"],
           "true": ["false"], "false": ["true"]}
TOKEN = re.compile(r"(?<= )(?:==|!=|<=|>=|<|>|&&|\|\|)(?=\s)|\b(?:true|false)\b|(?<![\w.\[])\d+(?:\.\d+)?(?=[uUlL]*(?![\w.\]]))")


@dataclass(frozen=True)
class Mutant:
    """A change of one place of a file."""

    path: str
    line: int
    function: str
    start: int
    end: int
    text: str  # instead of what stands from start to end
    before: str  # the whole statement or condition, on one line
    after: str

    def __str__(self):
        return f"{self.path}:{self.line} {self.function}: {self.before}  →  {self.after}"

    def applied(self, text):
        return text[:self.start] + self.text + text[self.end:]


def on_one_line(text):
    return " ".join(NO_CODE.sub(lambda match: "" if match[0].startswith("/") else match[0], text).split())


def other_values(token):
    """What stands for a token of TOKEN in its mutants."""
    if token in SWAPPED: return SWAPPED[token]
    if "." in token: return ["1.0" if float(token) == 0 else "0.0"]
    return {"0": ["1"], "1": ["0", "2"]}.get(token, [str(int(token) + 1)])


class File:
    """`places` are the statements and conditions that can be broken, each a list of its mutants."""

    def __init__(self, path):
        self.path = path
        self.text = (ROOT / path).read_text(encoding="utf-8")
        blank = lambda match: re.sub(r"[^\n]", " ", match[0])
        self.code = PREPROCESSOR.sub(blank, NO_CODE.sub(blank, self.text))
        self.places = []
        self.read()

    # The reader. `code` is the text with blanks for what is no code, so that places are the same in both.

    def closing(self, place):
        """The place of the bracket that closes the one at `place`."""
        depth = 0
        for i in range(place, len(self.code)):
            depth += (self.code[i] in "([{") - (self.code[i] in ")]}")
            if not depth: return i
        raise ValueError(f"{self.path}: a bracket is not closed")

    def skip(self, place):
        while place < len(self.code) and self.code[place].isspace(): place += 1
        return place

    def read(self):
        place = 0
        while (place := self.code.find("{", place)) >= 0:
            end = self.closing(place)
            head = re.split(r"[;}]", self.code[:place])[-1]
            name = re.search(r"(\w+)\s*\((?:[^()]|\([^()]*\))*\)\s*$", head)
            if name and "noreturn" not in head and "=" not in head:
                self.function = name[1]
                self.statements(place + 1, end)
            place = end + 1

    def statements(self, place, end):
        while (place := self.skip(place)) < end: place = self.statement(place)

    def statement(self, place):
        """Reads the statement at `place`, and returns where it ends."""
        place = self.skip(place)
        if self.code[place] == "{":
            self.statements(place + 1, end := self.closing(place))
            return end + 1
        keyword = KEYWORD.match(self.code, place)
        word = keyword[1] if keyword else ""
        if word in ("else", "do"): place = self.statement(keyword.end())
        if word == "do":
            condition = self.code.index("(", place)
            self.condition(condition)
            return self.closing(condition) + 2
        if word == "else": return place
        if word in ("if", "while", "switch", "for"):
            condition = self.code.index("(", place)
            if word == "for": self.parts_of_for(condition)
            else: self.condition(condition, may_be_negated=word != "switch")
            place = self.statement(self.closing(condition) + 1)
            following = self.skip(place)
            return self.statement(following) if re.match(r"else\b", self.code[following:]) else place
        if word in ("case", "default"): return self.code.index(":", place) + 1
        if not word and (label := LABEL.match(self.code, place)): return label.end()
        return self.simple_statement(place)

    def simple_statement(self, place):
        inner, end = [], place
        while self.code[end] != ";":
            if self.code[end] == "{":
                if BLOCK_LITERAL.search(self.code[place:end]): inner.append((end, self.closing(end)))
                end = self.closing(end)
            elif self.code[end] in "([" and "{" not in self.code[end:self.closing(end)]: end = self.closing(end)
            end += 1
        code = self.code[place:end].strip()
        if code and not LEFT_OUT.match(code):
            is_declared = not re.match(r"(?:return|goto)\b", code) and DECLARATION.match(code)
            self.add(place, end, inner, [] if is_declared else [(place, end, "", "(nothing)")])
        for start, close in inner: self.statements(start + 1, close)
        return end + 1

    def condition(self, bracket, may_be_negated=True):
        start, end = bracket + 1, self.closing(bracket)
        self.add(start, end, [], [(start, end, f"!({self.text[start:end]})", None)] if may_be_negated else [])

    def parts_of_for(self, bracket):
        first, second = (match.start() for match in re.finditer(";", self.code[bracket:self.closing(bracket)]))
        start, middle, end = bracket + 1, bracket + first + 1, bracket + second + 1
        self.add(start, middle - 1, [], [])
        if self.code[middle:end - 1].strip(): self.add(middle + 1, end - 1, [], [(middle + 1, end - 1, f"!({self.text[middle + 1:end - 1]})", None)])
        self.add(end, self.closing(bracket), [], [])

    def add(self, start, end, inner, changes):
        """Adds a place: with these changes, and a change of each of its tokens that is in none of the inner blocks."""
        changes = list(changes)
        for token in TOKEN.finditer(self.code, start, end):
            if any(block <= token.start() <= close for block, close in inner): continue
            if self.code[:token.start()].endswith("kCFAllocatorSystemDefault, "): continue  # the size of a collection, a hint
            values = other_values(token[0])
            if LESSER.match(self.code, self.code.rfind(" ", 0, token.start() - 1) + 1): values = values[1:]  # of two equal numbers it does not matter which
            changes += [(*token.span(), text, None) for text in values]
        if not changes: return
        before, line = on_one_line(self.text[start:end]), self.text.count("\n", 0, start) + 1
        self.places.append([
            Mutant(self.path, self.text.count("\n", 0, first) + 1 if after is None else line, self.function, first, last, text, before,
                   after or on_one_line(self.text[start:first] + text + self.text[last:end]))
            for first, last, text, after in changes])


def files():
    """The loop's own files and those of the kernel that it uses, without the symbols that only descriptions need."""
    folder = ROOT / "Sources/CRunLoop"
    found = sorted(folder.glob("CFRunLoop*.c")) + sorted(path for path in folder.glob("Kernel/*.c") if path.name != "CFSymbolTable.c")
    return [File(str(Path(path).relative_to(ROOT))) for path in found]
