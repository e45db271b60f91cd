"""The public declarations with their comments: of the Swift layer, from the symbol graph of the toolchain, and of the C headers, from their text.

Needs no packages, so that `edition.api_zh` runs without the edition's environment. pages/api.py makes pages of what is here.
"""

import json
import re
import subprocess
from dataclasses import dataclass
from functools import lru_cache

from facts import Failure, definitions

MODULES = ("SwiftRunLoop", "SwiftRunLoopAsync", "RunLoopDiagnostics")
TYPES = ["swift.class", "swift.struct", "swift.enum", "swift.protocol"]
MEMBERS = {"swift.enum.case": "case", "swift.init": "init", "swift.type.property": "type", "swift.type.method": "type", "swift.property": "property", "swift.method": "method",
           "swift.subscript": "method"}
ORDER_OF_MEMBERS = ["case", "init", "type", "property", "method", "other"]
HEADERS = "Sources/CRunLoop/include/CoreFoundation/"
NO_HEADERS = ("CFLinkerNames.h", "CFSwiftNames.h", "CoreFoundation.h", "CFTargetConditionals.h")


@dataclass
class Comment:
    """A doc comment: its Markdown, and where the declaration stands (a line of 0: nowhere in this project)."""
    text: str
    path: str
    line: int
    members: str = ""  # the comments inside the braces of an enumeration or a structure, which the translation contains as a list
    foreign: str = ""  # the name of a comment that a declaration has from another module, whose words change with the toolchain

    @property
    def place(self):
        return f"{self.path}:{self.line}" if self.line else self.path


# Swift

@lru_cache(maxsize=None)
def symbol_graph(root, build):
    """The public symbols of the Swift layer. `build` is the folder of the build, from the root: .build/debug."""
    graphs = [graph for module in MODULES for graph in _graphs(root, build, module)]
    return {part: [item for graph in graphs for item in graph[part]] for part in ("symbols", "relationships")}


def _graphs(root, build, module):
    """The symbols of a module, and those that it adds to the types of the others."""
    build = root / build
    out = root / ".build/edition/symbolgraph"
    out.mkdir(parents=True, exist_ok=True)
    includes = [part for folder in sorted((root / "Sources").glob("**/include")) for part in ("-I", str(folder))]
    maps = [part for file in sorted(build.glob("*.build/module.modulemap")) for part in ("-Xcc", f"-fmodule-map-file={file}")]
    command = ["swift-symbolgraph-extract", "-module-name", module, "-I", str(build / "Modules"), *includes, *maps, "-target", _target(), "-minimum-access-level", "public",
               "-skip-synthesized-members", "-output-dir", str(out)]
    result = subprocess.run(["swift", "symbolgraph-extract", *command[1:]] if not _has(command[0]) else command, cwd=root, capture_output=True, text=True)
    files = [out / f"{module}.symbols.json", *(out / f"{module}@{other}.symbols.json" for other in MODULES if other != module)]
    if result.returncode or not files[0].is_file():
        raise Failure(f"swift-symbolgraph-extract: {result.stderr.strip() or 'wrote nothing'}; build the layer first: swift build")
    return [json.loads(file.read_text(encoding="utf-8")) for file in files if file.is_file()]


def _has(program):
    return subprocess.run(["sh", "-c", f"command -v {program}"], capture_output=True).returncode == 0


@lru_cache(maxsize=None)
def _target():
    """The triple of this system, without its version."""
    info = json.loads(subprocess.run(["swift", "-print-target-info"], capture_output=True, text=True, check=True).stdout)
    return info["target"]["unversionedTriple"]


@lru_cache(maxsize=None)
def swift(root, build=".build/debug"):
    """The types, in the order of their names, and what stands outside of types."""
    graph = symbol_graph(root, build)
    symbols = {symbol["identifier"]["precise"]: symbol for symbol in graph["symbols"]}
    parents, inherits = {}, {}
    for relation in graph["relationships"]:
        if relation["kind"] in ("memberOf", "requirementOf", "optionalRequirementOf"):
            parents[relation["source"]] = relation["target"]
        elif relation["kind"] in ("conformsTo", "inheritsFrom"):
            name = symbols[relation["target"]]["names"]["title"] if relation["target"] in symbols else relation.get("targetFallback", "").removeprefix("Swift.")
            if name and not name.startswith(("Copyable", "Escapable", "_Concurrency.SendableMetatype", "SendableMetatype", "Sendable")):
                inherits.setdefault(relation["source"], set()).add(name.rpartition(".")[2])
    types, functions = {}, []
    for id, symbol in symbols.items():
        if symbol["kind"]["identifier"] in TYPES:
            types[id] = _entry(root, symbol) | {"kind": symbol["kind"]["identifier"], "address": ".".join(symbol["pathComponents"]), "groups": {},
                                                "inherits": sorted(inherits.get(id, []))}
    for id, symbol in symbols.items():
        kind = symbol["kind"]["identifier"]
        if kind in TYPES:
            continue
        owner = types.get(parents.get(id)) or next((type for type in types.values() if type["path"] == symbol["pathComponents"][:-1]), None)
        entry = _entry(root, symbol)
        if owner:
            owner["groups"].setdefault(MEMBERS.get(kind, "other"), []).append(entry)
        elif len(symbol["pathComponents"]) == 1:
            functions.append(entry)
    for type in types.values():
        type["groups"] = [(kind, sorted(type["groups"][kind], key=_position)) for kind in ORDER_OF_MEMBERS if kind in type["groups"]]
        type["count"] = sum(len(members) for _, members in type["groups"])
        _number(member for _, members in type["groups"] for member in members)
    functions.sort(key=_position)
    _number(functions)
    return sorted(types.values(), key=lambda type: type["name"]), functions


def _position(entry):
    """Overloads stand in the order of the sources, so that their anchors are the same with every toolchain."""
    return entry["name"], entry["comment"].path, entry["comment"].line


def _number(entries):
    """Overloads with the same name get anchors of their own."""
    seen = {}
    for entry in entries:
        count = seen[entry["anchor"]] = seen.get(entry["anchor"], 0) + 1
        if count > 1:
            entry["anchor"] += f"-{count}"


def _entry(root, symbol):
    comment = symbol.get("docComment", {})
    place = symbol.get("location", {})
    path = place.get("uri", "").partition(f"{root}/")[2]
    line = place.get("position", {}).get("line", 0) + 1 if path else 0
    foreign = f'{comment["module"]}.{symbol["pathComponents"][-1]}' if comment.get("module", MODULES[0]) not in MODULES else ""
    return {"name": ".".join(symbol["pathComponents"]) if symbol["kind"]["identifier"] in TYPES else symbol["names"]["title"], "path": symbol["pathComponents"],
            "anchor": symbol["pathComponents"][-1], "fragments": symbol["declarationFragments"],
            "comment": Comment("\n".join(line["text"] for line in comment.get("lines", [])), path or MODULES[0], line, foreign=foreign)}


# C

@lru_cache(maxsize=None)
def header(root, path):
    """A header: its name, what it says of itself, and its declarations in groups."""
    lines = (root / path).read_text(encoding="utf-8").splitlines()
    about, index = [], 0
    while index < len(lines) and lines[index].startswith("///"):
        about.append(lines[index][3:].removeprefix(" "))
        index += 1
    name = path.rpartition("/")[2]
    if about:
        about[0] = about[0].removeprefix(f"{name}: ")
        about[0] = about[0][:1].upper() + about[0][1:]
    groups, comment, current = [("", 0, [])], [], None
    while index < len(lines):
        line = lines[index]
        index += 1
        if line.startswith("// MARK: - "):
            groups.append((line.removeprefix("// MARK: - "), index, []))
            comment = []
        elif line.startswith("///"):
            comment.append(line[3:].removeprefix(" "))
        elif not line.strip():
            current, comment = None, []
        elif re.match(r"#define __COREFOUNDATION_\w+__ 1$", line):
            comment = []
        elif line.startswith(("#if", "#el", "#endif", "#include", "//", "CF_EXTERN", "CF_IMPLICIT", "CF_ASSUME")):
            comment = [] if not line.startswith("#if") else comment
        else:
            start, code = index, [line]
            while index < len(lines) and not _is_whole(code):
                code.append(lines[index])
                index += 1
            if not _is_whole(code):
                raise Failure(f"{path}:{start}: Edition/edition/declarations.py cannot find the end of this declaration")
            if comment or not current:
                current = {"code": [], "names": [], "anchor": f"L{start}", "comment": Comment("\n".join(comment), path, start)}
                groups[-1][2].append(current)
            current["code"] += code
            current["comment"].members += "".join(f"\n{line.strip()}" for line in code if line.strip().startswith("///"))
            if found := _declared(path, start, index):
                current["names"].append(found)
                if len(current["names"]) == 1:
                    current["anchor"] = found
            comment = []
    groups = [group for group in groups if group[2]]
    _number(entry for _, _, entries in groups for entry in entries)
    return {"name": name, "path": path, "groups": groups, "comment": Comment("\n".join(about), path, 1), "count": sum(len(entries) for _, _, entries in groups)}


def is_public_header(path):
    return path.startswith(HEADERS) and path.endswith(".h") and not path.endswith(NO_HEADERS)


def _is_whole(code):
    """Whether a declaration or a macro ends here."""
    if code[0].startswith("#define"):
        return not code[-1].endswith("\\")
    text = re.sub(r"//.*", "", "\n".join(code))
    return text.count("{") == text.count("}") and text.rstrip().endswith((";", "}"))


def _declared(path, start, end):
    """What the lines of a declaration declare: a type rather than its members, and of one without a name the first member."""
    found = [symbol for symbol in definitions.symbols_of(path) if start <= symbol.line <= end]
    ranks = {"typedef": 0, "member": 2, "enumerator": 2}
    return min(found, key=lambda symbol: ranks.get(symbol.kind, 1)).name if found else None
