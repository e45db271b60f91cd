#!/usr/bin/env python3
"""Edition/Browser/instrument.py all|fitting PAGE.c FOLDER TABLE CLANG FLAG…: copies of the loop's sources that report each statement.

Asks clang for the syntax tree of PAGE.c, and writes the sources that it includes to FOLDER. Before each statement of the files below, the copy calls
__CFPageAt with the statement's number; each function begins with a __CFPageFrame, which leaves the list of frames when the function ends. Lines
stay where they are. The copies also have the breaks of Facts/breaks.tsv, behind the integer that PAGE.c defines (Facts/facts/breaks.py):
all of them, and the first that does not fit is an error; or those that fit a loop that its reader has changed. TABLE gets, as JSON, the files, the
functions, the place of each statement, and the number, the file, the line and the broken line of each break. The sources themselves are left alone.
"""

import json
import subprocess
import sys
from bisect import bisect_right
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Facts"))
from facts import Failure, breaks  # noqa: E402
LOOP = "Sources/CRunLoop"
FILES = ["CFRunLoop.c", "CFRunLoopCallouts.c", "CFRunLoopObserver.c", "CFRunLoopBlocks.c", "CFRunLoopSource.c", "CFRunLoopTimer.c", "CFRunLoopMode.c",
         "CFRunLoopItem.c", "CFRunLoopPerRunData.c", "CFRunLoopCommonModes.c", "CFRunLoopObject.c", "CFRunLoopRegistry.c", "CFRunLoopMainThread.c"]
COPIED = [LOOP, "Programs/CRunLoopPrograms", "Programs/CRunLoopModel"]
#: What holds statements: the indices of those among its parts. A part that is no compound statement needs braces.
BODIES = {"IfStmt": slice(1, None), "ForStmt": slice(-1, None), "WhileStmt": slice(-1, None), "DoStmt": slice(0, 1)}
#: Statements that have a condition before their bodies: only that is marked as the current line.
HEADS = {"IfStmt": slice(0, 1), "WhileStmt": slice(0, 1), "SwitchStmt": slice(0, 1), "ForStmt": slice(0, -1), "DoStmt": slice(0, 0)}


class Source:
    """A file, and what will be inserted into it."""

    def __init__(self, path):
        self.path, self.text = path, (ROOT / path).read_bytes()
        self.inserts = []  # (offset, order, text)
        self.starts = [0] + [offset + 1 for offset, byte in enumerate(self.text) if byte == 10]

    def insert(self, offset, text, order):
        self.inserts.append((offset, order, text))

    def instrumented(self):
        pieces, at = [], 0
        for offset, _, text in sorted(self.inserts):
            pieces += [self.text[at:offset], text.encode()]
            at = offset
        return b"".join([*pieces, self.text[at:]])

    def insert_break(self, broken):
        text = self.text.decode()
        for order, (offset, inserted) in zip((3, -1), broken.insertions(text)):  # behind the call before the statement, and before its semicolon
            self.insert(len(text[:offset].encode()), inserted, order)
        number, _, line = broken.line(text)
        return number, line.strip()

    def line(self, offset):
        return bisect_right(self.starts, offset)

    def end(self, location):
        """Where a token ends; or the call of a macro, whose location is only its name."""
        place = location.get("expansionLoc", location)
        at = place["offset"] + place["tokLen"]
        if place is location or self.text[at:at + 1] != b"(":
            return at
        depth, quote = 0, None
        while True:
            byte = self.text[at:at + 1]
            if quote:
                at += byte == b"\\"
                quote = None if byte == quote else quote
            elif byte in (b'"', b"'"):
                quote = byte
            else:
                depth += (byte == b"(") - (byte == b")")
            at += 1
            if depth == 0 and not quote:
                return at


class Instrumenter:

    def __init__(self):
        self.sources = {f"{LOOP}/{name}": Source(f"{LOOP}/{name}") for name in FILES}
        self.indices = {path: index for index, path in enumerate(self.sources)}
        self.functions, self.statements = [], []
        self.found = {}  # a file as the tree names it: its Source, or None
        self.file = None  # the file of the last location that names one: the tree leaves out what repeats it

    # The tree, in its order

    def locate(self, node):
        """Resolves the files of a node's locations, which the tree leaves out if the location before is in the same one."""
        for key in ("loc", "range"):
            for location in self.locations(node.get(key, {})):
                self.file = location.get("file", self.file)
                location["in"] = self.file

    def locations(self, value):
        if "begin" in value:
            yield from self.locations(value["begin"])
            yield from self.locations(value["end"])
        elif "spellingLoc" in value:
            yield value["spellingLoc"]
            yield value["expansionLoc"]
        elif value:
            yield value

    def walk(self, node):
        self.locate(node)
        for part in node.get("inner", []):
            if part:
                self.walk(part)

    # Statements

    def source(self, node):
        begin = node.get("range", {}).get("begin", {})
        place = begin.get("expansionLoc", begin)
        if not place.get("in"):
            return None
        if place["in"] not in self.found:
            path = (ROOT / place["in"]).resolve()
            self.found[place["in"]] = self.sources.get(str(path.relative_to(ROOT))) if path.is_relative_to(ROOT) else None
        return self.found[place["in"]]

    def visit(self, node, function=None, macro=False):
        kind, parts = node.get("kind"), [part for part in node.get("inner", []) if part]
        if kind == "FunctionDecl":
            function = None
            body = next((part for part in parts if part.get("kind") == "CompoundStmt"), None)
            source = body and self.source(body)
            if source and "expansionLoc" not in body["range"]["begin"]:
                function = len(self.functions)
                self.functions.append([self.indices[source.path], node["name"]])
                source.insert(body["range"]["begin"]["offset"] + 1, f" __CFPageFrame({function});", 0)
        if function is not None and not self.is_macro(node):
            if kind == "CompoundStmt":
                for part in parts:
                    self.mark(part, function)
            elif kind in BODIES:
                for part in parts[BODIES[kind]]:
                    if part.get("kind") != "CompoundStmt":
                        self.mark(part, function, braces=True)
        if not self.is_macro(node) or kind not in ("CompoundStmt", "DoStmt", "IfStmt"):
            for part in parts:
                self.visit(part, function)

    def is_macro(self, node):
        return "expansionLoc" in node.get("range", {}).get("begin", {})

    def acts(self, node):
        """Whether a debugger would stop there: a declaration without a value, or of a static variable, does nothing, and neither does a cast to void."""
        if node["kind"] == "DeclStmt":
            return any("init" in part and part.get("storageClass") != "static" for part in node.get("inner", []))
        return not (node["kind"] == "CStyleCastExpr" and node["castKind"] == "ToVoid" and node["inner"][0]["kind"] == "DeclRefExpr")

    def mark(self, node, function, braces=False):
        """A call before a statement."""
        kind = node["kind"]
        if kind in ("CaseStmt", "DefaultStmt", "LabelStmt"):
            inner = [part for part in node["inner"] if part][-1]
            return self.mark(inner, function)
        if kind in ("NullStmt", "CompoundStmt") or not self.acts(node):
            return None
        source = self.source(node)
        begin = node["range"]["begin"]
        offset = begin.get("expansionLoc", begin)["offset"]
        heads = [part for part in node["inner"][HEADS[kind]] if part] if kind in HEADS else [node]
        last = source.end(heads[-1]["range"]["end"]) - 1 if heads else offset
        number = len(self.statements)
        self.statements.append([self.functions[function][0], source.line(offset), source.line(last), function])
        call = f"__CFPageAt({number}); "
        if not braces:
            return source.insert(offset, call, 2)
        source.insert(offset, "{ " + call, 2)
        end = source.end(node["range"]["end"])
        while source.text[end:end + 1] in (b" ", b"\n", b"\t"):
            end += 1
        if source.text[end:end + 1] == b";":
            end += 1
        else:
            end = source.end(node["range"]["end"])
        source.insert(end, " }", 1)
        return None


def main():
    which, page, folder, table, clang, *flags = sys.argv[1:]
    done = subprocess.run([clang, *flags, "-w", "-fsyntax-only", "-Xclang", "-ast-dump=json", page], cwd=ROOT, capture_output=True)
    if done.returncode:
        sys.exit(done.stderr.decode())
    tree = json.loads(done.stdout)
    instrumenter = Instrumenter()
    instrumenter.walk(tree)
    instrumenter.visit(tree)
    chosen, rest = breaks.fitting()
    if which == "all" and rest:
        breaks.check()
    for broken in rest:
        print(f"without the break {broken.number}, whose line you have changed: {broken.words['en']}")
    places = [[broken.number, instrumenter.indices[broken.file], *instrumenter.sources[broken.file].insert_break(broken)] for broken in chosen]
    folder = Path(folder)
    for copied in COPIED:
        for path in (ROOT / copied).rglob("*.[ch]"):
            name = str(path.relative_to(ROOT))
            source = instrumenter.sources.get(name)
            copy = folder / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(source.instrumented() if source else path.read_bytes())
    missing = [path for path in instrumenter.sources if not any(statement[0] == instrumenter.indices[path] for statement in instrumenter.statements)]
    if missing:
        sys.exit(f"instrument.py: clang's tree has no statement of {', '.join(missing)}")
    Path(table).write_text(json.dumps({"files": list(instrumenter.sources), "functions": instrumenter.functions, "statements": instrumenter.statements,
                                       "breaks": places},
                                      separators=(",", ":")))
    print(f"{len(instrumenter.statements)} statements of {len(instrumenter.functions)} functions in {len(FILES)} files report themselves")


if __name__ == "__main__":
    try:
        main()
    except Failure as error:
        sys.exit(str(error))
