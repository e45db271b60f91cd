"""What has pages of its own: claims, differences, corrections and stacks, as HTML. facts/annotations.py reads the documents."""

import re
from dataclasses import dataclass, field

from facts import annotations, claims
from markupsafe import Markup

from .document import Document

TESTS = re.compile(r"\s*(Tests|测试)[:：]\s*")
#: The verdict before the code of a claim: the row has it, too.
VERDICT = re.compile(r"^\*\*[^*]+\*\*(?:(?:[:：；、]|, |; )?(?:see |另见 )?\s?\[(?:correction|更正) \d+\]\([^)]*\))*[.。]\s?")
VERDICTS = {"true": "true", "half true": "half", "false": "false", claims.IN_VERSIONS: "version"}
ALL_WORDS = ["all", "全部版本"]
VERSIONS = list(dict.fromkeys(annotations.VERSIONS.values()))
CLASSES = {"wrong": "wrong", "simplified": "simplified", "true of an app, not of the loop": "app", "depends on the version": "version", "open question": "question"}  # of corrections


@dataclass
class Row:
    """A claim or a difference."""
    id: str
    section: str
    cells: list  # (head, HTML), without the id
    versions: list
    details: Markup = Markup("")  # what the list below the table says
    verdict: str = ""  # of a claim: true, half, false or version


@dataclass
class Correction:
    number: str
    says: Markup
    badge: str
    kind: str
    versions: Markup
    quotations: list  # (article, text)
    so: Markup
    shown: Markup
    claims: Markup  # about the same thing, each with its verdict; – if there is none


@dataclass
class Stack:
    title: Markup
    text: str
    before: Markup  # what the title's paragraph says after the title
    rows: list = field(default_factory=list)  # (frame, here, Mac), HTML
    after: Markup = Markup("")


def is_claim(row):
    return not row.id.startswith("D")


def rows_of(site, *names):
    """The rows of some documents, each with what makes its cells HTML."""
    found = [Document.of(site, annotations.document(name, "en")) for name in names]
    html = {document.path: lambda text, document=document: document.inline(document.parsed(text)) for document in found}
    return [(row, html[row.document]) for row in annotations.rows(site.language) if row.document in html]


def rows(site):
    """All claims and differences, in their order."""
    found = {}
    for row, html in rows_of(site, annotations.ANNOTATIONS, annotations.CLAIMS, annotations.DIFFERENCES):
        if row.id and not row.is_item:
            bold = " ".join(re.findall(r"\*\*(.+?)\*\*", row.cells[1]))
            versions = VERSIONS if any(re.search(rf"\b{word}\b" if word.isascii() else word, bold) for word in ALL_WORDS) else \
                [version for word, version in annotations.VERSIONS.items() if word in bold]
            cells = [(head, html(cell)) for head, cell in zip(row.heads[1:], row.cells[1:])]
            found[row.id] = Row(row.id, row.section, cells, versions, verdict=VERDICTS[claims.verdicts()[row.id].kind] if row.id in claims.verdicts() else "")
        elif row.id in found:
            text, *tests = TESTS.split(row.cells[1], maxsplit=1)
            found[row.id].details = html(VERDICT.sub("", text))
            found[row.id].cells += [(tests[0], html(tests[1]))] if tests else []
    return list(found.values())


def corrections(site):
    """The rows of the list, each with its section: the quotations, what is so, and what shows it."""
    listed = [(row, html) for row, html in rows_of(site, annotations.CORRECTIONS) if not row.is_item]
    found = []
    for (row, html), section in zip(listed, annotations.corrections(site.language), strict=True):
        badge = annotations.plain(row.cells[2])
        found.append(Correction(annotations.plain(row.cells[0]), html(row.cells[1]), badge, CLASSES[annotations.BADGES.get(badge, badge)], html(row.cells[3]), section.quotations,
                                Markup("").join(Markup("<p>{}</p>").format(html(text)) for text in section.so), Markup("<p>{}</p>").format(html(section.shown)), html(row.cells[4])))
    return found


def stacks(site):
    """What stands above the stacks; and each of them, which begins with a paragraph whose first words are bold."""
    document = Document.of(site, annotations.document(annotations.STACKS, "en"))
    body = next(section.body for section in document.sections if any(_is_title(section.body, index) for index in range(len(section.body))))
    starts = [index for index in range(len(body)) if _is_title(body, index)]
    return document.render(body[:starts[0]]), [_stack(document, body[start:end]) for start, end in zip(starts, [*starts[1:], len(body)])]


def _stack(document, body):
    title, before = re.fullmatch(r"\*\*(.+?)\*\*(.*)", body[1].content, re.S).groups()
    stack = Stack(document.inline(document.parsed(title)), annotations.plain(title), document.inline(document.parsed(before)))
    begin, end = ([index for index, token in enumerate(body) if token.type == kind] for kind in ("table_open", "table_close"))
    cells = [token for token in body[begin[0]:end[0]] if token.type == "inline"] if begin else []
    for index in range(3, len(cells), 3):
        frame, here, mac = cells[index:index + 3]
        stack.rows.append((annotations.plain(frame.content), document.inline(here.children), document.inline(mac.children), here.content.strip("`"), annotations.plain(mac.content)))
    stack.after = document.render(body[3:begin[0]] + body[end[0] + 1:] if begin else body[3:])
    return stack


def _is_title(tokens, index):
    return tokens[index].type == "paragraph_open" and not tokens[index].level and tokens[index + 1].content.startswith("**")
