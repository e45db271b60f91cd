"""The source pages: highlighted code whose identifiers are links, and the data for the notes beside it."""

import html
import re
from collections import Counter
from functools import lru_cache

from pygments import lexers
from pygments.token import Comment, Keyword, Literal, Name, Number, Operator, Punctuation, String, Token

from .site import slug

FOLDERS = ("Sources/", "Tests/", "Examples/", "Debugging/", "Scripts/edition/record/programs/")
ENDINGS = (".c", ".h", ".swift", ".py", ".gdb")
LEXERS = {"c": "c", "h": "c", "swift": "swift", "py": "python", "gdb": "text"}
GROUPS = ["Sources/CRunLoop", "Sources/SwiftRunLoop", "Sources/CRunLoopModel", "Sources/CArticles", "Sources/RunLoopLab", "Tests/CTests", "Tests/SwiftTests", "Tests/Conformance"]
STEPS = "Sources/CRunLoop/CFRunLoop.c"
STEP = re.compile(r"^\s*// (\d+(?:\.\d)?)\.? [A-Z]")
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
ID = re.compile(r"(?<![A-Za-z0-9_])[RSLITOXAD]\d{1,2}(?![A-Za-z0-9_])")
# In capitals, these record what the loop does, or check a lock; the original has none of them.
PROBE = re.compile(r"^\s*(?:if \([^;]*\) )?(?:CFRUNLOOP_|CFRL_|CF_ASSERT_)[A-Z0-9_]+\b")
COMMON_WORDS = {"mode", "name", "order", "run", "main", "date", "count", "block", "value", "signal", "loop", "data", "flags", "context", "index", "line", "end",
                "bits", "class", "type", "function", "port", "source", "timer", "observer", "info", "init", "add", "fire"}


def is_source(path):
    return path.startswith(FOLDERS) and path.endswith(ENDINGS)


def build(site):
    """All source pages, and the list of them."""
    files = [path for path in site.symbols.files if is_source(path)]
    for path in files:
        lines = highlighted(site.symbols, path)
        site.page(f"src/{path}.html", path, "source.html", file=path, lines=lines, functions=outline(site, path), steps=steps(site, path) if path == STEPS else [],
                  kind="source")
    groups = {}
    for path in files:
        group = next((group for group in GROUPS if path.startswith(group + "/")), "/".join(path.split("/")[:2]))
        groups.setdefault(group, []).append((path, len(_lines(site.symbols.root, path))))
    order = {group: number for number, group in enumerate(GROUPS)}
    site.page("src/index.html", site.text("source.title"), "sources.html", first=STEPS, groups=sorted(groups.items(), key=lambda pair: (order.get(pair[0], 99), pair[0])))


def outline(site, path):
    """The functions of a file for the notes and the rail: name, first line, last line, whether it has a card."""
    return [{"name": symbol.name, "line": symbol.line, "end": symbol.end} for symbol in site.symbols.functions(path)]


def steps(site, path):
    """The numbered steps of the run: number, line, first sentence."""
    found = []
    for index, line in enumerate(_lines(site.symbols.root, path)):
        if match := STEP.match(line):
            sentence = re.sub(r"^\s*// [\d.]+ ", "", line)
            found.append({"number": match[1], "line": index + 1, "text": sentence.split(". ")[0].rstrip(".")})
    return sorted(found, key=lambda step: [int(part) for part in step["number"].split(".")])


@lru_cache(maxsize=None)
def _lines(root, path):
    return (root / path).read_text(encoding="utf-8").splitlines()


_highlighted = {}


def highlighted(symbols, path):
    """The lines of a file as HTML, the same for both languages."""
    if path not in _highlighted:
        _highlighted[path] = _highlight(symbols, path)
    return _highlighted[path]


def _highlight(symbols, path):
    code = (symbols.root / path).read_text(encoding="utf-8")
    lexer = lexers.get_lexer_by_name(LEXERS[path.rsplit(".", 1)[1]], stripnl=False, ensurenl=False)
    lines, current, before = [], [], ""
    defined = {(symbol.line, symbol.name) for symbol in symbols.of_file(path)}
    for kind, value in lexer.get_tokens(code):
        for number, part in enumerate(value.split("\n")):
            if number:
                lines.append("".join(current))
                current = []
            if part:
                current.append(_token(symbols, path, len(lines) + 1, kind, part, before, defined))
                before = part.strip()[-2:] or before
    if current:
        lines.append("".join(current))
    anchors = _anchors(symbols, path)
    return [(index + 1, anchors.get(index + 1, ""), line, _class(symbols, path, index + 1)) for index, line in enumerate(lines)]


def _anchors(symbols, path):
    if path != STEPS:
        return {}
    found = {}
    for index, line in enumerate(_lines(symbols.root, path)):
        if match := STEP.match(line):
            found[index + 1] = f'<a id="step-{match[1]}" class="step"></a>'
    return found


def _class(symbols, path, line):
    return " o" if PROBE.match(_lines(symbols.root, path)[line - 1]) else ""


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
        if len(word) > 3 and (("_" in word) or re.search("[a-z][A-Z]", word) or re.match("[A-Z]{2}[a-z]|CF[A-Z]", word)) and (found := symbols.find(word, path)):
            return _anchor(word, found)
        return word
    return WORD.sub(replaced, html.escape(value, quote=False))


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
