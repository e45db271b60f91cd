"""The public declarations with their doc comments: of the C headers and of the Swift layer. Their Chinese is in Documentation/Reference/api.zh (api_zh.py).

Needs no packages, so that `facts.api_zh` runs without the edition's environment. The cards show what is here.
"""

import itertools
import re
import textwrap
from dataclasses import dataclass, replace
from functools import lru_cache

from . import ROOT, definitions

HEADERS = "Sources/CRunLoop/include/CoreFoundation"
NO_HEADERS = ("CoreFoundation.h", "CFTargetConditionals.h")
LAYER = ["Sources/SwiftRunLoop", "Sources/SwiftRunLoopAsync", "Sources/RunLoopDiagnostics"]
#: What is no extension of a type of Foundation, and no other name for one.
FOUNDATION = "Sources/SwiftRunLoopFoundation/NotificationQueue.swift"
TYPES = ("class", "struct", "enum", "protocol", "actor")
EXTENSION = re.compile(r"extension ([\w.]+)")
OPERATOR = re.compile(r"\bfunc (\W+?) ?\(")


@dataclass(frozen=True)
class Declaration:
    """A public declaration with a doc comment; or a header, whose comment is at its top."""
    owner: str  # the type or the header that it belongs to; of a type, the type itself; of a function outside of types, the module
    name: str  # add(_:forMode:), RunLoop.Source, CFRunLoopRun
    symbol: definitions.Symbol
    text: str  # the comment, as Markdown
    code: str
    members: str = ""  # the comments inside the braces of an enumeration or a structure, which the translation contains as a list
    anchor: str = ""  # as its translation calls it: the name, with a number if it is not the first of this name

    @property
    def is_swift(self):
        return self.symbol.path.endswith(".swift")

    @property
    def path(self):
        """The name with the types around it: RunLoop.Source, RunLoop.run(until:)."""
        return self.name if self.name == self.owner else f"{self.owner}.{self.name}"

    @property
    def card(self):
        """The name of its card: a type's without those around it."""
        return self.name.rpartition(".")[2] if self.is_swift and self.name == self.owner else self.name

    @property
    def place(self):
        return f"{self.symbol.path}:{self.symbol.line}"


def every():
    return c() + swift()


@lru_cache(None)
def c():
    """Those of the headers, in the order of their lines."""
    paths = sorted(str(path.relative_to(ROOT)) for path in (ROOT / HEADERS).glob("*.h") if path.name not in NO_HEADERS)
    return _numbered(declaration for path in paths for declaration in _header(path))


def _header(path):
    header, lines = path.rpartition("/")[2], definitions.lines_of(path)
    about = "\n".join(_leading(lines)).removeprefix(f"{header}: ")
    if about:
        yield Declaration(header, header, definitions.Symbol(header, path, 1, 1, "header"), about[:1].upper() + about[1:], "")
    taken = set()
    for symbol in definitions.symbols_of(path):
        if symbol.kind == "enumerator" and not symbol.scope:  # the comment of an enumeration without a name is that of its first constant
            line = next(line for line in range(symbol.line, 0, -1) if lines[line - 1].endswith("{"))
            symbol = replace(symbol, line=line, end=lines.index("};", line))
        elif symbol.kind in ("member", "enumerator") or symbol.name.startswith("__COREFOUNDATION"):
            continue
        found, below = definitions.comment_lines(symbol, "///")
        if not found or below in taken:  # a line that declares a type and its name, or several names: the comment is that of the first
            continue
        taken.add(below)
        code = [re.sub(r"\s*// \[[^\]]*\]$", "", line) for line in lines[below:symbol.end]]  # without the ids of claims
        inside = [line.strip() for line in code if line.strip().startswith("///")]
        yield Declaration(header, symbol.name, symbol, "\n".join(found), "\n".join(code), "".join(f"\n{line}" for line in inside))


def _leading(lines):
    """The lines of the comment at the top of a file."""
    return [line[3:].removeprefix(" ") for line in itertools.takewhile(lambda line: line.startswith("///"), lines)]


@lru_cache(None)
def swift():
    """Those of the Swift layer, in the order of their files and lines."""
    paths = sorted(str(path.relative_to(ROOT)) for folder in LAYER for path in (ROOT / folder).rglob("*.swift") if path.name != "OnDarwin.swift")
    return _numbered(declaration for path in [*paths, FOUNDATION] for declaration in _swift(path))


def _swift(path):
    scopes = []  # around a line: its indentation, its name, and whether all that it holds is public
    for number, line in enumerate(definitions.lines_of(path), 1):
        match = definitions.SWIFT.match(line)
        if not match:
            continue
        indent, kind = len(match["indent"]), match["kind"]
        while scopes and scopes[-1][0] >= indent:
            scopes.pop()
        _, owner, holds_public = scopes[-1] if scopes else (0, "", False)
        is_public = bool(re.search(r"\b(public|open) ", line[:match.start("kind")])) or holds_public and scopes[-1][0] + 4 == indent and kind in ("case", "func", "var")
        if kind == "extension":
            scopes.append((indent, EXTENSION.search(line)[1], False))
            continue
        symbol = definitions.Symbol(match["name"] or kind, path, number, number, kind)
        name = _name(symbol, line)
        if kind in TYPES:
            owner = name = f"{owner}.{name}".lstrip(".")
            scopes.append((indent, name, is_public and kind in ("enum", "protocol")))
        if is_public and (comment := definitions.comment_lines(symbol, "///")[0]):
            yield Declaration(owner or path.split("/")[1], name, symbol, "\n".join(comment), _without_body(definitions.lines_of(path)[number - 1:]))


def _without_body(lines):
    """The declaration with which these lines begin."""
    last = next(index for index in range(len(lines)) if (text := "".join(lines[:index + 1])).count("(") == text.count(")"))
    return textwrap.dedent("\n".join([*lines[:last], re.sub(r" \{.*", "", lines[last])]))


def _name(symbol, line):
    if symbol.kind in ("func", "init"):
        return f"{operator[1]}(_:_:)" if (operator := OPERATOR.search(line)) else definitions.signature(symbol)
    return "subscript(_:)" if symbol.kind == "subscript" else symbol.name


def _numbered(declarations):
    seen, found = {}, []
    for declaration in declarations:
        count = seen[declaration.owner, declaration.name] = seen.get((declaration.owner, declaration.name), 0) + 1
        found.append(replace(declaration, anchor=declaration.name + (f"-{count}" if count > 1 else "")))
    return found
