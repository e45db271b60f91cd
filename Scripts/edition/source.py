"""The source pages: highlighted code whose identifiers are links, and the data for the notes beside it."""

import html
import re
from functools import lru_cache

from markupsafe import Markup
from pygments import lexers
from pygments.token import Comment, Keyword, Name, Number, String

from facts import tables

from . import statements as original

FOLDERS = ("Sources/", "Tests/", "Examples/", "Debugging/", "Scripts/edition/record/programs/")
ENDINGS = (".c", ".h", ".swift", ".py", ".gdb")
LEXERS = {"c": "c", "h": "c", "swift": "swift", "py": "python", "gdb": "text"}
GROUPS = ["Sources/CRunLoop", "Sources/SwiftRunLoop", "Sources/RunLoopDiagnostics", "Sources/CRunLoopModel", "Sources/CArticles", "Sources/RunLoopLab", "Tests/CTests", "Tests/SwiftTests", "Tests/Conformance"]
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
    return path.startswith(FOLDERS) and path.endswith(ENDINGS)


def highlight(symbols):
    """Highlights all files, which needs no cards."""
    for path in filter(is_source, symbols.files):
        highlighted(symbols, path)


def build(site):
    """All source pages, and the list of them."""
    files = [path for path in site.symbols.files if is_source(path)]
    for path in files:
        site.page(f"src/{path}.html", path, "source.html", kind="source", file=path, code=Markup(code(site, path)), functions=outline(site, path),
                  steps=steps(site) if path == STEPS else [], statements=statements(site, path))
    groups = {}
    for path in files:
        group = next((group for group in GROUPS if path.startswith(group + "/")), "/".join(path.split("/")[:2]))
        if group == "Sources/CRunLoop":
            group = path.rpartition("/")[0]
        groups.setdefault(group, []).append((path, len(site.symbols.lines(path))))
    order = {group: number for number, group in enumerate(GROUPS)}
    site.page("src/index.html", site.text("source.title"), "sources.html", first=STEPS, groups=sorted(groups.items(), key=lambda pair: (order.get("/".join(pair[0].split("/")[:2]), 99), pair[0])))


def outline(site, path):
    """The functions of a file for the rail."""
    return [{"name": symbol.name, "short": re.sub(r"^_*CFRunLoop(?=[A-Z]\w)", "…", symbol.name), "line": symbol.line} for symbol in site.symbols.functions(path) if not path.endswith(".swift") or symbol.kind == "func"]


def steps(site):
    """The numbered steps of the run: number, line, what happens."""
    lines = {number: line for line, number in tables.step_markers(site.symbols.lines(STEPS))}
    return [{"number": number, "line": lines[number], "text": step.capital(site.language)} for number, step in tables.steps().items()]


def statements(site, path):
    """The original's statements whose counterpart is in a file, for the column beside the code."""
    index, found, last = ("en", "zh").index(site.language), [], None
    for statement, beside in original.at(site.symbols, path):
        found.append({"here": beside.where, "line": beside.line, "end": beside.end, "verdict": statement.verdict, "number": statement.number,
                      "function": statement.function if statement.function != last else None, "anchor": statement.anchor,
                      "text": site.cards.markup(statement.statement[index]), "why": site.cards.markup(statement.why[index]),
                      "versions": [site.text(f"card.version.{version}") for version in statement.versions] if statement.versions != tuple(original.VERSIONS) else []})
        last = statement.function
    return found


_pages = {}


def code(site, path):
    """The code of a file as HTML, the same for both languages: a span for each function around a span for each line."""
    if path not in _pages:
        _pages[path] = _code(site, path)
    return _pages[path]


def _code(site, path):
    symbols, lines = site.symbols, highlighted(site.symbols, path)
    source = symbols.lines(path)
    first, last, ours = {}, {}, set()
    for symbol in symbols.of_file(path):
        start, end = _extent(symbol, source)
        if (symbol.is_function or symbol.kind in ("struct", "union", "enum", "class", "protocol")) and symbol.end > symbol.line and start not in first:
            first[start], last[end] = symbol.name, symbol.name
        if site.cards.is_ours(symbol):
            ours.update(range(start, end + 1))
            if end < len(source) and not source[end].strip():
                ours.add(end + 1)
    pieces, depth = [], 0
    for number, line in enumerate(lines, 1):
        if number in first:
            pieces.append("</span>" * depth + f'<span class="f" data-f="{first[number]}">')
            depth = 1
        kind = "l o" if number in ours or PROBE.match(source[number - 1]) else "l"
        step = tables.MARKER.match(source[number - 1]) if path == STEPS else None
        anchor = f'<a id="step-{step[1]}" class="step"></a>' if step else ""
        pieces.append(f'<span class="{kind}" id="L{number}">{anchor}<a class="n" href="#L{number}" tabindex="-1" aria-hidden="true">{number}</a>{line}\n</span>')
        if number in last and depth:
            pieces.append("</span>")
            depth = 0
    return "".join(pieces) + ("</span>" if depth else "")


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
    """The lines of a file as HTML, without numbers."""
    text = "\n".join(symbols.lines(path))
    lexer = lexers.get_lexer_by_name(LEXERS[path.rsplit(".", 1)[1]], stripnl=False, ensurenl=False)
    lines, current, before = [], [], ""
    defined = {(symbol.line, symbol.name) for symbol in symbols.of_file(path)}
    for kind, value in lexer.get_tokens(text):
        for number, part in enumerate(value.split("\n")):
            if number:
                lines.append("".join(current))
                current = []
            if part:
                current.append(_token(symbols, path, len(lines) + 1, kind, part, before, defined))
                before = part.strip()[-2:] or before
    return [*lines, "".join(current)]


def _token(symbols, path, line, kind, value, before, defined):
    if kind in Comment and kind not in Comment.Preproc and kind not in Comment.PreprocFile:
        return f'<i class="c">{_words(symbols, path, value)}</i>'
    if kind in String or kind in Comment.PreprocFile:
        return f'<span class="s">{html.escape(value)}</span>'
    if kind in Number:
        return f'<span class="m">{value}</span>'
    if kind in Comment.Preproc:
        return f'<span class="p">{_words(symbols, path, value)}</span>'
    if kind in Keyword and not WORD.fullmatch(value):
        return f'<span class="k">{html.escape(value)}</span>'
    if WORD.fullmatch(value) and (kind in Name or kind in Keyword):
        link = _identifier(symbols, path, line, value, before, defined)
        if link:
            return link
        return f'<b class="k">{value}</b>' if kind in Keyword else value
    return html.escape(value)


def _words(symbols, path, value):
    """A comment or a macro's text, with links from the names in it that are unmistakably names."""
    def replaced(match):
        word = match[0]
        if len(word) > 3 and (("_" in word) or re.search("[a-z][A-Z]", word) or re.match("[A-Z]{2}[a-z]|CF[A-Z]", word)) and (found := _meant(symbols, path, word)):
            return _anchor(word, found)
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
    return symbol.kind not in LOCAL and symbol.path.startswith(("Sources/CRunLoop/", "Sources/SwiftRunLoop/") if path.endswith(".swift") else "Sources/CRunLoop/")


def _module(path):
    return path.split("/")[:2]


def _identifier(symbols, path, line, name, before, defined):
    if (line, name) in defined:
        return f'<a class="d" data-n="{name}" href="site:src/{path}.html#L{line}">{name}</a>'
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
    if found.kind in ("variable", "var", "let") and found.path != path and found.path.startswith(("Tests/", "Examples/", "Sources/CRunLoopBench")):
        return None
    return _anchor(name, found)


def _anchor(name, symbol):
    return f'<a data-n="{name}" href="site:src/{symbol.path}.html#L{symbol.line}">{name}</a>'
