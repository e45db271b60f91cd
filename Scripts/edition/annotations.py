"""The rows of ANNOTATIONS that have pages: claims, corrections, differences and stacks.

They are found by their form, not by their place: a claim or a difference is a row of a table that begins with an id, and what a list says
of that id (`- **R1**: …`) belongs to it. A correction is a section `Correction 7` and its row in the list of corrections, or a row that
begins with a number. A stack is a table whose rows begin with #0.
"""

import copy
import re
from dataclasses import dataclass, field

from markupsafe import Markup

from .document import Document, plain
from facts import Failure

DOCUMENT = "ANNOTATIONS.md"
ID = re.compile(r"^([RSLITOXA]\d{1,2}|D\d{1,2})$")
CLAIM = re.compile(r"^[RSLITOXA]\d")
CORRECTION = re.compile(r"^(?:Correction|更正) (\d+)$")
TESTS = re.compile(r"(?:^|\s*)(?P<word>Tests|测试)[:：]\s*")
CORRECTIONS = "3.2"  # the number of the section with their list
VERSION_WORDS = {"CF-855": ["CF-855"], "CF-1153": ["CF-1153"], "current": ["current", "现行版"], "Linux build": ["Linux build", "Linux 构建"]}
ALL_WORDS = ["all", "全部版本"]
SAYS, SO = re.compile(r"\*(?:The articles? says?|文章的说法)[:：]\*"), re.compile(r"\*(?:What is so|实际如何)[:：]\*\s*")
BADGES = {"wrong": "wrong", "错误": "wrong", "simplified": "simplified", "简化": "simplified", "true of an app, not of the loop": "app", "对 App 成立，对 RunLoop 不成立": "app",
          "depends on the version": "version", "取决于版本": "version", "open question": "question", "open": "question", "未决问题": "question"}


@dataclass
class Row:
    """A claim or a difference."""
    id: str
    section: str
    cells: list  # (head, HTML), without the id
    versions: list  # of VERSION_WORDS
    details: Markup = Markup("")  # what the list below the table says


@dataclass
class Correction:
    number: str
    quotations: list  # (article, text)
    says: Markup = Markup("")
    badge: Markup = Markup("")
    kind: str = ""
    versions: Markup = Markup("")
    so: Markup = Markup("")
    shown: Markup = Markup("")


@dataclass
class Stack:
    title: Markup
    text: str
    before: Markup  # what the title's paragraph says after the title
    rows: list = field(default_factory=list)  # (frame, here, Mac), HTML
    after: Markup = Markup("")


def ids(site):
    """The address of each claim, difference and correction by its id, or by its anchor in the document."""
    key = site.language, site.root
    if key not in _ids:
        text = (site.root / DOCUMENT).read_text(encoding="utf-8")
        found = {}
        for match in re.finditer(r'^\| (?:<a id="\w+"></a>)?([RSLITOXA]\d{1,2}|D\d{1,2}) \|', text, re.M):
            found[match[1]] = ("claims" if CLAIM.match(match[1]) else "differences") + f".html#{match[1]}"
        for match in re.finditer(r"^#+ Correction (\d+)$", text, re.M):
            found[f"correction-{match[1]}"] = found[f"更正-{match[1]}"] = f"corrections.html#{match[1]}"
        _ids[key] = found
    return _ids[key]


_ids = {}


def rows(site):
    """All claims and differences, in their order."""
    document = Document.of(site, DOCUMENT)
    found, by_id = [], {}
    for section in document.sections:
        for heads, cells in _tables(section.body):
            id = _id(cells[0])
            if not id:
                continue
            row = Row(id, section.text, [(plain(head.children), document.inline(cell.children)) for head, cell in zip(heads[1:], cells[1:])],
                      _versions(document, cells[1:]))
            found.append(row)
            by_id[id] = row
        for id, inline in _details(section.body):
            if id in by_id:
                by_id[id].details, tests = _without_tests(document, inline)
                by_id[id].cells += tests
    if not found:
        raise Failure(f"{document.path} has no row that begins with the id of a claim, such as R1")
    return found


def corrections(site):
    document = Document.of(site, DOCUMENT)
    found = {}
    for section in document.sections:
        if match := CORRECTION.match(section.text):
            found.setdefault(match[1], Correction(match[1], []))
            _read_section(document, section, found[match[1]])
        for heads, cells in _tables(section.body) if section.text.startswith(CORRECTIONS) else []:
            number = _text(cells[0])
            if number.isdigit() and len(cells) >= 4:
                correction = found.setdefault(number, Correction(number, []))
                _read_row(document, heads, cells, correction)
    if not found:
        raise Failure(f"{document.path} has no corrections: neither a section 'Correction 1' nor a row that begins with 1")
    return sorted(found.values(), key=lambda correction: int(correction.number))


def stacks(site):
    document = Document.of(site, DOCUMENT)
    found, intro = [], []
    for section in document.sections:
        starts = [index for index, token in enumerate(section.body) if _is_title(section.body, index)]
        if not any(_text(cells[0]) == "#0" for _, cells in _tables(section.body)):
            continue
        for start, end in zip([0, *starts], [*starts, len(section.body)]):
            body = section.body[start:end]
            if start == 0 and (not starts or starts[0] != 0):
                intro = body
                continue
            found.append(_stack(document, body))
    return document.render(intro) if intro else Markup(""), found


def _stack(document, body):
    inline = [token for token in body[1].children if token.type != "text" or token.content]
    close = next(index for index, token in enumerate(inline) if token.type == "strong_close")
    stack = Stack(document.inline(inline[1:close]), plain(inline[1:close]), document.inline(inline[close + 1:]))
    table = False
    rest = []
    for index, token in enumerate(body[3:]):
        if token.type == "table_open":
            table = True
        if not table:
            rest.append(token)
        if token.type == "table_close":
            table = False
    for heads, cells in _tables(body):
        frame, here, mac = (cells + [None, None])[:3]
        stack.rows.append((_text(frame), document.inline(here.children), document.inline(mac.children), _text(here).strip("`"), _text(mac)))
    stack.after = document.render(rest)
    return stack


# The form

def _tables(tokens):
    """(heads, cells) of each row of the tables, as inline tokens."""
    heads, cells, in_head = [], [], False
    for token in tokens:
        match token.type:
            case "thead_open":
                heads, in_head = [], True
            case "thead_close":
                in_head = False
            case "tr_open":
                cells = []
            case "inline":
                (heads if in_head else cells).append(token)
            case "tr_close":
                if not in_head and cells:
                    yield heads, cells


def _text(inline):
    return plain(inline.children).strip()


def _id(inline):
    text = _text(inline)
    return text if ID.match(text) else None


def _details(tokens):
    """(id, inline tokens) of each item of a list that begins with an id in bold."""
    for index, token in enumerate(tokens):
        if token.type != "inline" or index < 2 or tokens[index - 2].type != "list_item_open":
            continue
        children = token.children
        texts = [child for child in children if child.type != "text" or child.content]
        if len(texts) > 3 and texts[0].type == "strong_open" and texts[2].type == "strong_close" and ID.match(texts[1].content):
            after = children[children.index(texts[2]) + 1:]
            if after and after[0].type == "text":
                after[0].content = after[0].content.lstrip(":： ")
            yield texts[1].content, after


def _without_tests(document, inline):
    """The text of an item, and what follows its word `Tests:` as a cell."""
    for index, token in enumerate(inline):
        match = TESTS.search(token.content) if token.type == "text" else None
        if match:
            before, after = copy.copy(token), copy.copy(token)
            before.content, after.content = token.content[:match.start()], token.content[match.end():]
            return document.inline([*inline[:index], before]), [(match["word"], document.inline([after, *inline[index + 1:]]))]
    return document.inline(inline), []


def _versions(document, cells):
    """The versions that a row names: in bold at the beginning, or in the cell's first words."""
    text = "".join(f"{_bold(cell.children)}; " for cell in cells[:1])
    if any(re.search(rf"\b{word}\b" if word.isascii() else word, text) for word in ALL_WORDS):
        return list(VERSION_WORDS)
    return [version for version, words in VERSION_WORDS.items() if any(word in text for word in words)]


def _bold(children):
    depth, out = 0, []
    for token in children:
        depth += (token.type == "strong_open") - (token.type == "strong_close")
        if depth and token.type == "text":
            out.append(token.content + " ")
    return "".join(out)


def _read_row(document, heads, cells, correction):
    """A row of the table of corrections. With five columns it is the whole correction; with four, the quotations stand in the section."""
    if len(cells) >= 5:
        _, says, badge, so, shown = cells[:5]
        correction.so, correction.shown = document.inline(so.children), document.inline(shown.children)
        correction.quotations = [(article, text) for article, text in re.findall(r"(\d): 「([^」]*)」", says.content)]
        rest = re.sub(r"\d: 「[^」]*」\s*", "", says.content)
        correction.says = document.inline(document.parsed(rest))
        versions = badge.content.partition(";")[2] or badge.content.partition("；")[2]
        _read_badge(document, badge, correction)
        correction.versions = document.inline(document.parsed(versions.strip()))
    else:
        _, says, badge, versions = cells[:4]
        correction.says, correction.versions = document.inline(says.children), document.inline(versions.children)
        _read_badge(document, badge, correction)


def _read_badge(document, cell, correction):
    words = _bold(cell.children).strip() or _text(cell)
    correction.badge = Markup.escape(words)
    correction.kind = next((kind for word, kind in BADGES.items() if words.startswith(word)), "other")


def _read_section(document, section, correction):
    """A section `Correction 7`: the quotations, what is so, and what shows it."""
    rest, quote = [], 0
    for token in section.body:
        quote += (token.type == "blockquote_open") - (token.type == "blockquote_close")
        if token.type in ("blockquote_open", "blockquote_close"):
            continue
        if quote:
            if token.type == "inline":
                correction.quotations += re.findall(r"(\d): 「([^」]*)」", token.content)
        else:
            rest.append(token)
    last = next((index for index in range(len(rest) - 1, -1, -1) if rest[index].type == "paragraph_open"), None)
    if last is not None and re.match(r"(?:Shown by|依据|由|证明|见)", rest[last + 1].content):
        correction.shown = document.render(rest[last:])
        rest = rest[:last]
    so, skips = [], False
    for token in rest:
        if token.type == "paragraph_open":
            held = token
            continue
        if token.type == "inline" and not token.level > 1:
            skips = bool(SAYS.match(token.content))  # the list of corrections has it
            if match := SO.match(token.content):
                token = copy.copy(token)
                token.children = document.parsed(token.content[match.end():])
            so += [] if skips else [held, token]
        elif token.type != "paragraph_close" or not skips:
            so.append(token)
    correction.so = document.render(so)


def _is_title(tokens, index):
    """A paragraph that begins in bold and stands before a table or a listing: the title of a stack."""
    if tokens[index].type != "paragraph_open" or tokens[index].level:
        return False
    children = [child for child in tokens[index + 1].children if child.type != "text" or child.content]
    return len(children) > 2 and children[0].type == "strong_open"

