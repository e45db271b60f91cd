"""The source pages: highlighted code whose identifiers are links, and the data for the notes beside it."""

import contextlib
import hashlib
import html
import json
import re
from functools import lru_cache

import pygments
from pygments import lexers
from pygments.token import Comment, Keyword, Name, Number, String

from facts import ROOT, definitions, statements as original, tables


NAVIGATION = [("src/index.html", "navigation.source")]
FOLDERS = ("Sources/", "Programs/", "Lab/", "Bench/", "Tests/", "Examples/", "Debugging/")
ENDINGS = (".c", ".h", ".swift", ".py", "stacks.txt")
LEXERS = {"c": "c", "h": "c", "swift": "swift", "py": "python", "txt": "text"}
GROUPS = ["Sources/CRunLoop", "Sources/SwiftRunLoop", "Sources/SwiftRunLoopAsync", "Sources/RunLoopDiagnostics", "Programs/CRunLoopModel", "Lab/CArticles", "Lab", "Tests/CTests", "Tests/SwiftTests", "Tests/LabTests", "Tests/ToolTests", "Programs/Conformance"]
SHARE = 64_000  # characters of the code that files share a script with
STEPS = "Sources/CRunLoop/CFRunLoop.c"
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
ID = re.compile(rf"(?<![A-Za-z0-9_]){tables.ID}(?![A-Za-z0-9_])")
# In capitals, these record what the loop does, or check a lock; the original has none of them.
PROBE = re.compile(r"^\s*(?:if \([^;]*\) )?(?:CFRUNLOOP_|CFRL_|CF_ASSERT_)[A-Z0-9_]+\b")
TYPES = ("class", "struct", "enum", "union", "protocol", "actor", "typedef", "typealias")
LOCAL = ("member", "variable", "externvar", "var", "let", "case", "init")  # kinds of names that mean something in their module alone
COMMON_WORDS = {"mode", "name", "order", "run", "main", "date", "count", "block", "value", "signal", "loop", "data", "flags", "context", "index", "line", "end",
                "bits", "class", "type", "function", "port", "source", "timer", "observer", "info", "init", "add", "fire"}


def is_source(path):
    return path.startswith(FOLDERS) and path.endswith(ENDINGS) or path.startswith("Programs/Cases/")


def highlight(symbols):
    """Highlights all files, which needs no cards."""
    with _kept():
        for path in filter(is_source, symbols.files):
            highlighted(symbols, path)


_tokens = {}  # digest of a file: its tokens
_used = set()  # the digests of the files of this build


@contextlib.contextmanager
def _kept():
    """Keeps the tokens of all files for the next build, because the lexers need most of its time."""
    file = ROOT / ".build/edition/tokens.json"
    try:
        before = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        before = {}
    _tokens.update(before)
    _used.clear()
    yield
    if _used != before.keys():
        file.write_text(json.dumps({digest: _tokens[digest] for digest in sorted(_used)}, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def _lexed(path, text):
    """The tokens of a file: [letter of its kind, text]."""
    language = LEXERS[path.rsplit(".", 1)[1]]
    digest = hashlib.sha256(f"{pygments.__version__} {language} {text}".encode()).hexdigest()[:24]
    _used.add(digest)
    if digest not in _tokens:
        found = _tokens[digest] = []
        for kind, value in lexers.get_lexer_by_name(language, stripnl=False, ensurenl=False).get_tokens(text):
            letter = _letter(kind)
            if found and letter == found[-1][0] and (letter == "s" or not letter and not WORD.search(value)):
                found[-1][1] += value
            else:
                found.append([letter, value])
    return _tokens[digest]


@lru_cache(maxsize=None)
def _letter(kind):
    """The kinds of tokens that look different: comment, string, number, preprocessor, keyword, name."""
    if kind in Comment and kind not in Comment.Preproc and kind not in Comment.PreprocFile:
        return "c"
    if kind in String or kind in Comment.PreprocFile:
        return "s"
    return "m" if kind in Number else "p" if kind in Comment.Preproc else "k" if kind in Keyword else "n" if kind in Name else ""


def build(site):
    """All source pages, and the list of them."""
    files = [path for path in site.symbols.files if is_source(path)]
    share(site, files)
    for path in files:
        found = code(site, path)
        for target, line in found["names"].values():
            site.scripted(f"src/{found['paths'][target]}.html#L{line}", f"src/{path}.html")
        site.page(f"src/{path}.html", path, "source.html", kind="source", file=path, anchors=anchors(site, path), has_outline=bool(found["outline"]),
                  steps=steps(site) if path == STEPS else [], statements=statements(site, path))
    groups = {}
    for path in files:
        group = next((group for group in GROUPS if path.startswith(group + "/")), "/".join(path.split("/")[:2]))
        if group == "Sources/CRunLoop":
            group = path.rpartition("/")[0]
        groups.setdefault(group, []).append((path, len(definitions.lines_of(path))))
    order = {group: number for number, group in enumerate(GROUPS)}
    site.page("src/index.html", site.text("source.title"), "sources.html", first=STEPS, groups=sorted(groups.items(), key=lambda pair: (order.get("/".join(pair[0].split("/")[:2]), 99), pair[0])))


def share(site, files):
    """Puts the code of all files into scripts, code/0.js and so on. Small files that follow each other share one: on a disk, each script of its own takes
    whole blocks."""
    parts, size = [], 0
    for path in files:
        length = len(code(site, path)["lines"])
        if not parts or size + length > SHARE:
            parts.append({})
            size = 0
        parts[-1][f"code:{path}"] = code(site, path)
        size += length
        site.code[path] = f"code/{len(parts) - 1}"
    for number, part in enumerate(parts):
        site.shared(f"code/{number}", part)


def steps(site):
    """The numbered steps of the run: number, line, what happens."""
    lines = {number: line for line, number in tables.step_markers(definitions.lines_of(STEPS))}
    return [{"number": number, "line": lines[number], "text": step.capital(site.language)} for number, step in tables.steps().items()]


def statements(site, path):
    """The original's statements whose counterpart is in a file, for the column beside the code."""
    index, found, last = ("en", "zh").index(site.language), [], None
    for statement, beside in original.at(path):
        found.append({"here": beside.where, "line": beside.line, "end": beside.end, "verdict": statement.verdict, "number": statement.number,
                      "function": statement.function if statement.function != last else None, "anchor": statement.anchor,
                      "text": site.cards.markup(statement.statement[index]), "why": site.cards.markup(statement.why[index]),
                      "versions": [site.text(f"card.version.{version}") for version in statement.versions] if statement.versions != tuple(original.VERSIONS) else []})
        last = statement.function
    return found


_pages = {}
_targets = {}  # path: what the names in its code mean, name: PATH#L12
_uses = {}  # name: the places of the library whose code uses it, (path, line)
LIBRARY = ("Sources/CRunLoop/", "Sources/SwiftRunLoop/", "Sources/SwiftRunLoopAsync/", "Sources/RunLoopDiagnostics/")


def targets(path):
    """Where the names of a file's code lead: the paths, and for each name the number of its path and its line. reader.js makes links of them."""
    paths, names = {}, {}
    for name, address in _targets.get(path, {}).items():
        target, line = address.split("#L")
        names[name] = [paths.setdefault(target, len(paths)), int(line)]
    return {"paths": list(paths), "names": names}


def uses(name):
    """The places of the library that use a name: (path, line), in the order of the files."""
    return sorted(_uses.get(name, ()), key=lambda place: (not place[0].startswith("Sources/CRunLoop/CFRunLoop"), not place[0].startswith(LIBRARY[0]), place))


def code(site, path):
    """The code of a file, the same for both languages: its lines as HTML, which lines are ours alone, the lines of its functions, and where its names lead.
    edition.fill in edition.js makes elements of it."""
    if path not in _pages:
        _pages[path] = _code(site, path)
    return _pages[path]


def anchors(site, path):
    """The fragments that the code of a file answers."""
    return [f"L{number + 1}" for number in range(len(definitions.lines_of(path)))] + ([f"step-{step['number']}" for step in steps(site)] if path == STEPS else [])


def _code(site, path):
    symbols, lines = site.symbols, list(highlighted(site.symbols, path))
    source = definitions.lines_of(path)
    first, last, ours = {}, {}, set()
    for symbol in symbols.by_file[path]:
        start, end = _extent(symbol, source)
        if (symbol.is_function or symbol.kind in ("struct", "union", "enum", "class", "protocol")) and symbol.end > symbol.line and start not in first:
            first[start], last[end] = symbol.name, symbol.name
        if site.cards.is_ours(symbol):
            ours.update(range(start, end + 1))
            if end < len(source) and not source[end].strip():
                ours.add(end + 1)
    functions, open_at = [], None
    for number in range(1, len(lines) + 1):
        if number in first:
            if open_at:
                functions.append([open_at, number - 1, first[open_at]])
            open_at = number
        if number in last and open_at:
            functions.append([open_at, number, first[open_at]])
            open_at = None
        if path == STEPS and (step := tables.MARKER.match(source[number - 1])):
            lines[number - 1] = f'<a id="step-{step[1]}" class="step"></a>{lines[number - 1]}'
    return {"lines": "\n".join(lines), "ours": [number for number in range(1, len(lines) + 1) if number in ours or PROBE.match(source[number - 1])],
            "functions": functions, "outline": [[symbol.line, symbol.name] for symbol in symbols.functions(path) if not path.endswith(".swift") or symbol.kind == "func"],
            **targets(path)}


def _extent(symbol, source):
    """The first and the last line of a definition, with the comment above it, or behind it at a field."""
    start, end = symbol.line, symbol.end
    while start > 1 and re.match(r"\s*(?:///?|__attribute__|static\b[^;{]*$|@\w+)", source[start - 2]) and "// MARK" not in source[start - 2]:
        start -= 1
    if symbol.kind == "prototype":
        while ";" not in source[end - 1] and end < len(source):
            end += 1
    elif symbol.kind == "macro":
        while source[end - 1].endswith("\\") and end < len(source):
            end += 1
    elif symbol.kind == "member":
        start = symbol.line
        while end < len(source) and re.match(r"\s+//", source[end]):
            end += 1
    return start, end


@lru_cache(maxsize=None)
def highlighted(symbols, path):
    """The lines of a file, without numbers, as HTML with tags of a letter for the kinds of tokens; edition.lines makes elements of them."""
    text = "\n".join(definitions.lines_of(path))
    lines, current, before = [], [], ""
    defined = {(symbol.line, symbol.name) for symbol in symbols.by_file[path]}
    for kind, value in _lexed(path, text):
        for number, part in enumerate(value.split("\n")):
            if number:
                lines.append("".join(current))
                current = []
            if part:
                current.append(_token(symbols, path, len(lines) + 1, kind, part, before, defined))
                before = part.strip()[-2:] or before
    return [*lines, "".join(current)]


def _token(symbols, path, line, kind, value, before, defined):
    if kind == "c":
        return f"<c>{_words(symbols, path, value)}</c>"
    if kind == "s":
        return f"<s>{html.escape(value, quote=False)}</s>"
    if kind == "m":
        return f"<m>{value}</m>"
    if kind == "p":
        return f"<p>{_words(symbols, path, value)}</p>"
    if kind == "k" and not WORD.fullmatch(value):
        return f"<k>{html.escape(value, quote=False)}</k>"
    if kind in ("n", "k") and WORD.fullmatch(value):
        link = _identifier(symbols, path, line, value, before, defined)
        if link:
            return link
        return f"<k>{value}</k>" if kind == "k" else value
    return html.escape(value, quote=False)


def _words(symbols, path, value):
    """A comment or a macro's text, with links from the names in it that are unmistakably names."""
    def replaced(match):
        word = match[0]
        if len(word) > 3 and (("_" in word) or re.search("[a-z][A-Z]", word) or re.match("[A-Z]{2}[a-z]|CF[A-Z]", word)) and (found := _meant(symbols, path, word)):
            return _anchor(path, word, found)
        return word
    return WORD.sub(replaced, html.escape(value, quote=False))


def _meant(symbols, path, word):
    """What a word in a comment means: a definition of its own file or module, or one that every module knows. A variable or a field of another
    module has the same name by chance."""
    found = sorted(symbols.by_name.get(word, []), key=lambda symbol: symbol.path != path or symbol.kind == "prototype")
    return next((symbol for symbol in found if _is_known(symbol, path)), None)


def _is_known(symbol, path):
    if _module(symbol.path) == _module(path) or symbol.kind in ("test", *TYPES) or re.match("_|k?CF", symbol.name):
        return True
    if symbol.kind == "member" and re.match(r"Sources/CRunLoop/(?:.*/)?CFRunLoop\w*\.h", symbol.path):
        return True  # of a struct that the articles name
    return symbol.kind not in LOCAL and symbol.path.startswith(("Sources/CRunLoop/", "Sources/SwiftRunLoop/", "Sources/SwiftRunLoopAsync/") if path.endswith(".swift") else "Sources/CRunLoop/")


def _module(path):
    return path.split("/")[:2]


def _identifier(symbols, path, line, name, before, defined):
    if (line, name) in defined:
        _targets.setdefault(path, {}).setdefault(name, f"{path}#L{line}")
        return f"<d>{name}</d>"
    found = symbols.find(name, path)
    if not found:
        return None
    if found.kind == "member" and not name.startswith("_") and before not in ("->", ".") and not before.endswith("."):
        return None
    if len(name) < 3 or (found.path.endswith(".swift") and (name in COMMON_WORDS or not path.endswith(".swift"))) or (
            name in COMMON_WORDS and found.path != path):
        return None
    if path.endswith(".swift") and name[0].islower() and found.path != path and found.kind in ("var", "let", "case", "member", "init"):
        return None
    if found.kind in ("variable", "var", "let") and found.path != path and found.path.startswith(("Tests/", "Examples/", "Bench/")):
        return None
    if path.startswith(LIBRARY) and found.path.startswith(LIBRARY):
        _uses.setdefault(name, set()).add((path, line))
    return _anchor(path, name, found)


def _anchor(path, name, symbol):
    """A name that has a definition. Its address is in the page's table: on each of its places it would make the pages three times as large."""
    address = f"{symbol.path}#L{symbol.line}"
    if _targets.setdefault(path, {}).setdefault(name, address) == address:
        return f"<a>{name}</a>"
    return f'<a data-to="{address}">{name}</a>'
