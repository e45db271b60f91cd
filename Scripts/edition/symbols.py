"""Where the sources define a name: universal-ctags for C, and the form of the line for Swift, which ctags does not know."""

import json
import re
import shutil
import subprocess
from collections import defaultdict
from dataclasses import dataclass

from .failure import Failure

C_FOLDERS = ["Sources/", "Tests/CTests/", "Tests/Conformance/", "Examples/"]
GENERATED = re.compile(r"LinkerNames|CFSwiftNames")
BLOCKS = re.compile(r"^[A-Za-z_][^\n;{}=()]*?\b(?P<name>\w+)\([^;{}]*?\(\^[^;{}]*\)\s*(?P<end>[;{])$", re.M)
TEST = re.compile(r"^(?:TEST|SCENARIO)\((\w+)")
STRING = re.compile(r"^CONST_STRING_DECL\((\w+)")
SWIFT = re.compile(r"^(?P<indent> *)(?:@\w+(?:\([^)]*\))? +)*(?:(?:public|package|internal|private|fileprivate|open|final|static|class|override|mutating|nonisolated|"
                   r"convenience|required|indirect|lazy|weak|unowned|unsafe)(?:\([^)]*\))? +)*"
                   r"(?P<kind>class|struct|enum|protocol|actor|extension|typealias|func|var|let|case|init|subscript|macro)\b(?: +`?(?P<name>\w+))?")


@dataclass(frozen=True)
class Symbol:
    name: str
    path: str
    line: int
    end: int  # of a body; otherwise the line itself
    kind: str  # function, prototype, struct, union, enum, enumerator, typedef, macro, member, variable; class, protocol … of Swift; test
    scope: str  # the type that a member belongs to

    @property
    def is_function(self):
        return self.kind in ("function", "func", "init", "test")


class Symbols:
    """All definitions of the project's sources."""

    def __init__(self, root, files):
        self.root, self.files = root, files
        self._read, self._files = {}, defaultdict(list)
        for path in files:
            if path.startswith(("Sources/", "Tests/", "Debugging/", "Scripts/")):
                self._files[path.rsplit("/", 1)[-1]].append(path)
        self.by_name = defaultdict(list)
        self.by_file = defaultdict(list)
        for symbol in [*self._c(), *self._swift()]:
            self.by_name[symbol.name].append(symbol)
            self.by_file[symbol.path].append(symbol)
        for symbols in self.by_name.values():
            symbols.sort(key=_preference)

    def lines(self, path):
        """The lines of a file."""
        if path not in self._read:
            self._read[path] = (self.root / path).read_text(encoding="utf-8").splitlines()
        return self._read[path]

    def file(self, name):
        """The path of the source file that has this name, if exactly one has."""
        found = self._files.get(name, [])
        return found[0] if len(found) == 1 else None

    def at(self, name, path, line):
        """The definition at a line; one that the index does not have is made up from the line."""
        return next((symbol for symbol in self.by_name.get(name, []) if (symbol.path, symbol.line) == (path, line)), None) or Symbol(name, path, line, line, "other", "")

    def of_file(self, path):
        return self.by_file.get(path, [])

    def functions(self, path):
        """The functions of a file, in the order of their lines."""
        return sorted((symbol for symbol in self.of_file(path) if symbol.is_function), key=lambda symbol: symbol.line)

    def find(self, name, near=None):
        """Where a name is defined; a definition in the file `near` comes first. None if it is defined nowhere."""
        found = self.by_name.get(name, [])
        return next((symbol for symbol in found if symbol.path == near and symbol.kind != "prototype"), found[0] if found else None)

    def _c(self):
        files = [path for path in self.files if path.endswith((".c", ".h")) and path.startswith(tuple(C_FOLDERS)) and not GENERATED.search(path)]
        ctags = next((found for found in map(shutil.which, ["ctags-universal", "ctags"]) if found), None)
        if not ctags or "Universal Ctags" not in subprocess.run([ctags, "--version"], capture_output=True, text=True).stdout:
            raise Failure("needs universal-ctags, which finds the definitions in the C sources: apt-get install universal-ctags")
        output = subprocess.run([ctags, "--output-format=json", "--languages=C,C++", "--langmap=C:+.h", "--kinds-C=+pxz-lL", "--fields=+neKS", "-D", "_Atomic(x)=x", "-I",
                                 "CF_EXPORT,CF_INLINE,CF_NOESCAPE", "-L", "-", "-f", "-"],
                                cwd=self.root, input="\n".join(files), capture_output=True, text=True)
        if output.returncode:
            raise Failure(f"ctags: {output.stderr.strip()}")
        for line in output.stdout.splitlines():
            tag = json.loads(line)
            if tag.get("_type") == "tag" and tag["kind"] not in ("parameter", "local") and not tag["name"].startswith("__anon"):
                yield Symbol(tag["name"], tag["path"], tag["line"], tag.get("end", tag["line"]), tag["kind"], tag.get("scope", ""))
        for path in files:
            yield from self._with_blocks(path)
            if path.startswith("Sources/CRunLoop/"):
                for index, line in enumerate(self.lines(path)):
                    if match := STRING.match(line):
                        yield Symbol(match[1], path, index + 1, index + 1, "variable", "")
            if path.startswith("Tests/"):
                lines = self.lines(path)
                for index, line in enumerate(lines):
                    if match := TEST.match(line):
                        yield Symbol(match[1], path, index + 1, _end(lines, index, ""), "test", "")

    def _with_blocks(self, path):
        """The functions with a parameter that is a block, which ctags does not find."""
        lines = self.lines(path)
        text = "\n".join(lines)
        for match in BLOCKS.finditer(text):
            line = text.count("\n", 0, match.start("name")) + 1
            if match["end"] == ";":
                yield Symbol(match["name"], path, line, line, "prototype", "")
            else:
                yield Symbol(match["name"], path, line, _end(lines, text.count("\n", 0, match.end()), ""), "function", "")

    def _swift(self):
        for path in self.files:
            if not path.endswith(".swift"):
                continue
            lines = self.lines(path)
            for index, line in enumerate(lines):
                match = SWIFT.match(line)
                if not match or match["kind"] == "extension" or (match["kind"] in ("var", "let", "case") and len(match["indent"]) > 4):
                    continue
                name = match["name"] or match["kind"]
                if match["kind"] in ("init", "subscript"):
                    name = match["kind"]
                yield Symbol(name, path, index + 1, _end(lines, index, match["indent"]), match["kind"], "")


def _end(lines, index, indent):
    """The line of the brace that closes what begins at a line: the next one with the same indentation."""
    if not lines[index].rstrip().endswith("{"):
        return index + 1
    for later in range(index + 1, len(lines)):
        if lines[later].startswith(f"{indent}}}"):
            return later + 1
    return index + 1


def _preference(symbol):
    folder = next((number for number, folder in enumerate(["Sources/CRunLoop/", "Sources/SwiftRunLoop/", "Sources/CRunLoopModel/", "Sources/RunLoopLab/"])
                   if symbol.path.startswith(folder)), 9)
    return (folder, symbol.kind in ("prototype", "externvar"), symbol.path, symbol.line)
