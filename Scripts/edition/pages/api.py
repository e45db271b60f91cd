"""The interface: api/swift/TYPE.html from the symbol graph of the toolchain, api/c/HEADER.html from the doc comments of the public headers.

DocC's own pages fetch their data, which no browser allows from file://, so the symbol graph is rendered here.
"""

import html
import json
import re
import subprocess
from functools import lru_cache

from markupsafe import Markup

from .. import document
from ..failure import Failure

ORDER = 90
NAVIGATION = [("api/index.html", "navigation.api")]
TEXT = {
    "navigation.api": ("API", "接口"),
    "api.title": ("The interface", "接口"),
    "api.lead": ("Every public declaration with its comment: of the Swift layer, and of the C headers. The comments are in English, as in the code.",
                 "每个公开声明和它的注释：Swift 层和 C 头文件。注释和代码里一样是英文。"),
    "api.swift": ("Swift", "Swift"),
    "api.c": ("C headers", "C 头文件"),
    "api.source": ("source", "源码"),
    "api.inherits": ("Conforms to or inherits from", "遵循或继承"),
    "api.members": ("{count} members", "{count} 个成员"),
    "api.declarations": ("{count} declarations", "{count} 个声明"),
    "api.functions": ("Functions", "函数"),
    "api.kind.swift.class": ("Classes", "类"),
    "api.kind.swift.struct": ("Structures", "结构体"),
    "api.kind.swift.enum": ("Enumerations", "枚举"),
    "api.kind.swift.protocol": ("Protocols", "协议"),
    "api.kind.members.case": ("Cases", "枚举值"),
    "api.kind.members.init": ("Initializers", "初始化方法"),
    "api.kind.members.type": ("Type properties and methods", "类型属性和方法"),
    "api.kind.members.property": ("Properties", "属性"),
    "api.kind.members.method": ("Methods", "方法"),
    "api.kind.members.other": ("Others", "其他"),
}
MODULE = "SwiftRunLoop"
TYPES = ["swift.class", "swift.struct", "swift.enum", "swift.protocol"]
MEMBERS = {"swift.enum.case": "case", "swift.init": "init", "swift.type.property": "type", "swift.type.method": "type", "swift.property": "property", "swift.method": "method",
           "swift.subscript": "method"}
ORDER_OF_MEMBERS = ["case", "init", "type", "property", "method", "other"]
HEADERS = "Sources/CRunLoop/include/CoreFoundation/"
NO_HEADERS = ("CFLinkerNames.h", "CFSwiftNames.h", "CoreFoundation.h", "CFTargetConditionals.h")


def build(site):
    types, functions = _swift(site)
    headers = _headers(site)
    site.page("api/index.html", site.text("api.title"), "api.html", types=types, functions=functions, headers=headers,
              groups=[(kind, [type for type in types if type["kind"] == kind]) for kind in TYPES])
    for type in types:
        site.page(f"api/swift/{type['address']}.html", type["name"], "api_type.html", type=type)
    for header in headers:
        site.page(f"api/c/{header['name']}.html", header["name"], "api_header.html", header=header)


# Swift

@lru_cache(maxsize=None)
def symbol_graph(root):
    """The public symbols of the Swift layer."""
    build = root / ".build/debug"
    out = root / ".build/edition/symbolgraph"
    out.mkdir(parents=True, exist_ok=True)
    includes = [part for folder in sorted((root / "Sources").glob("*/include")) for part in ("-I", str(folder))]
    maps = [part for file in sorted(build.glob("*.build/module.modulemap")) for part in ("-Xcc", f"-fmodule-map-file={file}")]
    command = ["swift-symbolgraph-extract", "-module-name", MODULE, "-I", str(build / "Modules"), *includes, *maps, "-target", _target(), "-minimum-access-level", "public",
               "-skip-synthesized-members", "-output-dir", str(out)]
    result = subprocess.run(["swift", "symbolgraph-extract", *command[1:]] if not _has(command[0]) else command, cwd=root, capture_output=True, text=True)
    file = out / f"{MODULE}.symbols.json"
    if result.returncode or not file.is_file():
        raise Failure(f"swift-symbolgraph-extract: {result.stderr.strip() or 'wrote nothing'}; build the layer first: swift build --product RunLoopLab")
    return json.loads(file.read_text(encoding="utf-8"))


def _has(program):
    return subprocess.run(["sh", "-c", f"command -v {program}"], capture_output=True).returncode == 0


@lru_cache(maxsize=None)
def _target():
    """The triple of this system, without its version."""
    info = json.loads(subprocess.run(["swift", "-print-target-info"], capture_output=True, text=True, check=True).stdout)
    return info["target"]["unversionedTriple"]


def _swift(site):
    graph = symbol_graph(site.root)
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
            types[id] = _entry(site, symbol) | {"kind": symbol["kind"]["identifier"], "address": ".".join(symbol["pathComponents"]), "groups": {},
                                                "inherits": sorted(inherits.get(id, []))}
    for id, symbol in symbols.items():
        kind = symbol["kind"]["identifier"]
        if kind in TYPES:
            continue
        owner = types.get(parents.get(id)) or next((type for type in types.values() if type["path"] == symbol["pathComponents"][:-1]), None)
        entry = _entry(site, symbol)
        if owner:
            owner["groups"].setdefault(MEMBERS.get(kind, "other"), []).append(entry)
        elif len(symbol["pathComponents"]) == 1:
            functions.append(entry)
    for type in types.values():
        type["groups"] = [(kind, sorted(type["groups"][kind], key=lambda entry: entry["name"])) for kind in ORDER_OF_MEMBERS if kind in type["groups"]]
        type["count"] = sum(len(members) for _, members in type["groups"])
        _number(member for _, members in type["groups"] for member in members)
    return sorted(types.values(), key=lambda type: type["name"]), functions


def _number(entries):
    """Overloads with the same name get anchors of their own."""
    seen = {}
    for entry in entries:
        count = seen[entry["anchor"]] = seen.get(entry["anchor"], 0) + 1
        if count > 1:
            entry["anchor"] += f"-{count}"


def _entry(site, symbol):
    lines = [line["text"] for line in symbol.get("docComment", {}).get("lines", [])]
    place = symbol.get("location", {})
    path = place.get("uri", "").partition(f"{site.root}/")[2]
    line = place.get("position", {}).get("line", 0) + 1
    comment = Comment(site, "\n".join(lines), path or MODULE)
    return {"name": ".".join(symbol["pathComponents"]) if symbol["kind"]["identifier"] in TYPES else symbol["names"]["title"], "path": symbol["pathComponents"],
            "anchor": symbol["pathComponents"][-1], "declaration": _declaration(symbol["declarationFragments"]), "doc": comment.render(), "first": comment.first(),
            "source": site.source(path, line) if path in site.symbols.files else None}


CLASSES = {"keyword": "k", "attribute": "p", "identifier": "d", "numberLiteral": "m", "stringLiteral": "s"}


def _declaration(fragments):
    out = []
    for fragment in fragments:
        text = html.escape(fragment["spelling"], quote=False)
        out.append(f'<span class="{CLASSES[fragment["kind"]]}">{text}</span>' if fragment["kind"] in CLASSES else text)
    return Markup("".join(out))


class Comment(document.Document):
    """A doc comment as Markdown, in which names of the project are links."""

    def __init__(self, site, text, path):
        from markdown_it import MarkdownIt
        self.site, self.path, self.other, self.is_translated, self.aliases, self.page = site, path, path, False, {}, ""
        self.parser = MarkdownIt("commonmark").enable("table")
        self.tokens = self.parser.parse(re.sub(r"``([^`]+)``", r"`\1`", text))

    def render(self, tokens=None, headings=True):
        return Markup(self._blocks(self.tokens))

    def first(self):
        """Its first paragraph."""
        return self.inline(self.tokens[1].children) if self.tokens and self.tokens[0].type == "paragraph_open" else Markup("")

    def _ids(self, text):
        return document.link_words(self.site, html.escape(text, quote=False))

    def _place(self, text=None):
        return self.path


# C

def _headers(site):
    found = []
    for path in site.symbols.files:
        if path.startswith(HEADERS) and path.endswith(".h") and not path.endswith(NO_HEADERS):
            found.append(_header(site, path))
    return sorted(found, key=lambda header: (header["name"] != "CFRunLoop.h", not header["name"].startswith("CFRunLoop"), header["name"]))


def _header(site, path):
    lines = (site.root / path).read_text(encoding="utf-8").splitlines()
    about, index = [], 0
    while index < len(lines) and lines[index].startswith("///"):
        about.append(lines[index][3:].removeprefix(" "))
        index += 1
    name = path.rpartition("/")[2]
    if about:
        about[0] = about[0].removeprefix(f"{name}: ")
        about[0] = about[0][:1].upper() + about[0][1:]
    groups, comment, current = [("", [])], [], None
    while index < len(lines):
        line = lines[index]
        index += 1
        if line.startswith("// MARK: - "):
            groups.append((line.removeprefix("// MARK: - "), []))
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
                raise Failure(f"{path}:{start}: Scripts/edition/pages/api.py cannot find the end of this declaration")
            if comment or not current:
                declared = Comment(site, "\n".join(comment), path)
                current = {"code": [], "doc": declared.render(), "names": [], "source": site.source(path, start), "anchor": f"L{start}"}
                groups[-1][1].append(current)
            current["code"] += code
            if found := _declared(code):
                current["names"].append(found)
                if len(current["names"]) == 1:
                    current["anchor"] = found
            comment = []
    groups = [(title, entries) for title, entries in groups if entries]
    for _, entries in groups:
        for entry in entries:
            entry["code"] = Markup(document.highlighted("\n".join(_without_ids(entry["code"])), "c"))
    _number(entry for _, entries in groups for entry in entries)
    comment = Comment(site, "\n".join(about), path)
    return {"name": name, "path": path, "about": comment.render(), "first": comment.first(), "groups": groups, "source": site.source(path),
            "count": sum(len(entries) for _, entries in groups)}


def _is_whole(code):
    """Whether a declaration or a macro ends here."""
    if code[0].startswith("#define"):
        return not code[-1].endswith("\\")
    text = re.sub(r"//.*", "", "\n".join(code))
    return text.count("{") == text.count("}") and text.rstrip().endswith((";", "}"))


def _declared(code):
    text = re.sub(r"//.*", "", "\n".join(code))
    for pattern in (r"^#define (\w+)", r"CF_(?:ENUM|OPTIONS)\(\w+, (\w+)\)", r"^}\s*(\w+);", r"^struct (\w+) \{", r"\(\*(\w+)\)\(", r"\b(\w+)\s*\(", r"\b(\w+)(?:\[\])?\s*;\s*$"):
        if match := re.search(pattern, text, re.M):
            if match[1] not in ("__attribute__", "CF_ENUM", "CF_OPTIONS"):
                return match[1]
    return None


def _without_ids(code):
    return [re.sub(r"\s*// \[[^\]]*\]$", "", line) for line in code]
