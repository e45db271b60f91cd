"""The cards: what is known of a name. facts.cards knows it; this adds the doc comments, and a card for each public declaration and each symbol of the library."""

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from markupsafe import Markup

from facts import api_zh, claims, declarations, definitions, explain, index, tables
from facts.cards import cards as records, is_ours
from facts.annotations import plain

from . import document, source
from .site import breakable

VERSIONS = ["CF-855", "CF-1153", "current", "Linux build"]
CODE = re.compile(r"`([^`]+)`")
ID = re.compile(tables.ID)
UNDERSCORE = re.compile(r"(`[^`]*`|\]\([^)]*\)|\]\[[^\]]*\])|_")  # those outside of code and of links belong to names, and set nothing in italics
ANNOTATIONS = "ANNOTATIONS.md"


@dataclass
class Card:
    name: str
    here: list = field(default_factory=list)  # symbols
    comments: list = field(default_factory=list)  # (declaration or None, its doc comment in Markdown)
    record: dict = field(default_factory=dict)  # as facts.cards makes it

    @property
    def verdicts(self):
        said = list(dict.fromkeys(row["verdict"] for row in self.get("rows") if row.get("verdict")))
        of_library = any(symbol.path.startswith(definitions.LIBRARY) for symbol in self.here)
        return said or ["ours"] * (of_library and is_ours({"name": self.name} | self.record))

    @property
    def about(self):
        return self.comments[0][1] if self.comments else ""

    def get(self, key):
        return self.record.get(key) or []


class Cards:
    """The cards in one language."""

    def __init__(self, site):
        self.site, self.symbols = site, site.symbols
        self.translations = api_zh.load()[0] if site.language == "zh" else {}
        self.declared, self.at = {}, {}  # the public declarations by the names of their cards, and those of Swift by their places
        for declaration in sorted(declarations.every(), key=lambda declaration: declaration.owner != "RunLoop"):  # of the same name, the loop's own first
            self.declared.setdefault(declaration.card, []).append(declaration)
            if declaration.is_swift:
                self.at[declaration.symbol.path, declaration.symbol.line] = declaration
        self.all = {name: Card(name, self._symbols(record), record=record) for name, record in records(site.language).items()}
        for symbol in self._own():
            self.all.setdefault(symbol.name, Card(symbol.name, [symbol]))
        for name, found in self.declared.items():
            self.all.setdefault(name, Card(name, [declaration.symbol for declaration in found]))
        for card in self.all.values():
            note = (card.record.get("articles") or {}).get("note", "")
            card.comments = [(declaration, definitions.not_said(text, note)) for declaration, text in self._comments(card)]
        self.names = sorted(self.all)

    def _comments(self, card):
        """The doc comments of the Swift declarations with a card's name, or of those where it is; otherwise what is said of a name of the library."""
        swift = [declaration for declaration in self.declared.get(card.name, []) if declaration.is_swift]
        swift = swift or [self.at[symbol.path, symbol.line] for symbol in card.here if (symbol.path, symbol.line) in self.at]
        return [(declaration, self.text(declaration)) for declaration in swift] or [(self._of_header(card.name), self._about(card))]

    def _of_header(self, name):
        return next((declaration for declaration in self.declared.get(name, []) if not declaration.is_swift), None)

    def with_type(self, text):
        """The name of the card of a Swift name that is written with its type: RunLoop.run(until:), Thread(block:). None if there is none."""
        for spelling in (text, text.replace("(", ".init(", 1)):
            head, bracket, labels = spelling.partition("(")
            name = head.rpartition(".")[2] + bracket + labels
            if any(declaration.is_swift and f".{declaration.path}".endswith(f".{spelling}") for declaration in self.declared.get(name, [])):
                return name
        return None

    def text(self, declaration):
        """The doc comment of a public declaration, in Chinese if there is a translation."""
        translation = self.translations.get((api_zh.file_of(declaration), declaration.anchor))
        return translation.text if translation else declaration.text

    def _about(self, card):
        """What the comment says; in Chinese, and of a name without a comment, what the tables or the index say, unless a note or the rows of the card say it."""
        said = next((text for text in map(self.comment, card.here) if text), "")
        if said and (self.site.language == "en" or _is_chinese(said)):
            return said
        if card.get("articles") or not said and card.get("rows"):
            return ""
        found = index.index().card(card.name) if card.here else {}
        return explain.in_language(found, "sentence", self.site.language) if found else said or tables.about(card.name, self.site.language)

    def _own(self):
        """Symbols that have a card although the annotations do not name them. A test has none: its name leads to its line."""
        for name, symbols in self.symbols.by_name.items():
            symbol = symbols[0]
            if symbol.path.startswith("Sources/CRunLoop/") and symbol.kind not in ("member", "variable", "prototype") and not name.startswith("CRL_") and tables.is_explained(name):
                yield symbol

    def _symbols(self, record):
        """The definitions that the record names: so a card leads to the line that the source page marks."""
        found = [symbol for symbol in self.symbols.by_name.get(record["name"], []) if symbol.path.startswith(("Sources/CRunLoop/", "Sources/SwiftRunLoop/", "Sources/SwiftRunLoopAsync/"))
                 and symbol.kind not in ("prototype", "externvar", "var", "let", "func", "case", "init")]
        return (found or [self.symbols.at(record["name"], place["path"], place["line"]) for place in record["here"]])[:3]

    def comment(self, symbol):
        """What the comment of a definition says: in Chinese, if there is a translation."""
        if symbol.path.startswith("Sources/CRunLoop/") and (declaration := self._of_header(symbol.name)):
            return self.text(declaration)
        chinese = self.site.language == "zh" and (tables.chinese_comments().get(symbol.name) or tables.about(symbol.name, "zh"))
        own = definitions.doc_comment(symbol.name, is_whole=True) if symbol.kind in ("function", "prototype") and symbol.path.startswith("Sources/CRunLoop/") else ""
        return chinese or own or re.sub(r"^loop(?=;|$)", "guarded by the loop's lock", definitions.comment_of(symbol, is_whole=True))

    def is_ours(self, symbol):
        """Whether a definition of the run loop is one that the original does not have."""
        return symbol.name in self.all and tables.is_ours(symbol)

    def uses(self, card):
        """Where the library uses a name that it defines: (path, the function around the lines or None, the lines)."""
        if not any(symbol.path.startswith(source.LIBRARY) for symbol in card.here):
            return []
        found = {}
        for path, line in source.uses(card.name):
            around = [symbol.name for symbol in self._functions(path) if symbol.line <= line <= symbol.end]
            found.setdefault((path, around[-1] if around else None), []).append(line)
        return [(path, around, lines) for (path, around), lines in found.items()]

    @lru_cache(maxsize=None)
    def _functions(self, path):
        return self.symbols.functions(path)

    # What a card leaves out

    def is_shown_elsewhere(self, cell):
        """Whether a cell is no more than a verdict, ids, file names, marks of versions, tests or experiments: other parts of the card show these."""
        rest = CODE.sub(lambda match: "" if match[1] in self._elsewhere else match[0], cell)
        return not re.sub(rf"\[[\w.]*\](?:\([^)]*\)|\[[^\]]*\])?|\b(?:same|adapted|absent|ours)\b(?:: [^|]*)?|{tables.ID}\b|[✓–,;、；. ]", "", rest)

    @cached_property
    def _elsewhere(self):
        return {entry["name"] for card in self.all.values() for key in ("tests", "experiments") for entry in card.get(key)}

    def corrections(self, card):
        """The numbers of the corrections that mention a name."""
        found = [re.fullmatch(r"(?:correction |更正 ?)?(\w+)", mention["subject"], re.I) for mention in card.get("mentions")
                 if re.search(r"Corrections|更正", mention["section"], re.I)]
        return list(dict.fromkeys(match[1] for match in found if match))

    def sections(self, card):
        """The rows of a card, those of the same section of the annotations together: its name, its verdict, and the cells that say something of their own."""
        found = {}
        for row in card.get("rows"):
            section = found.setdefault(row["section"], {"name": row["section"], "document": row["document"], "verdicts": [], "cells": []})
            if row.get("verdict") and row["verdict"] not in section["verdicts"]:
                section["verdicts"].append(row["verdict"])
            for cell in row["cells"]:
                text = cell["text"]
                if text and not self.is_shown_elsewhere(text):
                    section["cells"].append({"head": cell["head"] if len(row["cells"]) > 2 else "", "text": text, "document": row["document"]})
        return list(found.values())

    # HTML

    def shown(self, card):
        """The doc comments: what each belongs to, its code, the comment, and whether nobody has translated it."""
        for declaration, text in card.comments:
            language = "swift" if declaration and declaration.is_swift else "c"
            code = declaration.code if declaration else ""
            if self.site.language == "zh":  # the translation says what the comments inside the braces say
                code = "\n".join(line for line in code.split("\n") if not line.strip().startswith("///"))
            title = declaration.path if language == "swift" and declaration.path != card.name else ""
            path = declaration.symbol.path if declaration else card.here[0].path if card.here else ""
            yield title, Markup(document.highlighted(code, language).rstrip() if code else ""), document.Note(self.site, path, language).comment(text), self.site.language == "zh" and not _is_chinese(text)

    def opening(self, shown):
        """Of what `shown` gives: the first paragraph, and all that a reader unfolds: each with its code, without that paragraph."""
        if not shown:
            return "", []
        (title, code, comment, is_english), *others = shown
        first, mark, after = str(comment).partition("</p>")
        if not first.startswith("<p>"):
            first, mark, after = "", "", str(comment)
        rest = [(title, code, Markup(after.strip()), is_english), *others]
        return Markup(first + mark), rest if code or after.strip() or others else []

    def plain(self, text):
        """The text of a heading, which a summary has without links."""
        return re.sub(r"<[^>]*>", "", str(self.markup(text)))

    def markup(self, text, path=ANNOTATIONS):
        """The marks of the annotations as HTML; `path` is the document whose links the text may have."""
        return self._notes(path).inline_of(UNDERSCORE.sub(lambda match: match[1] or r"\_", text))

    @lru_cache(None)
    def _notes(self, path):
        return document.Note(self.site, path)

    def html(self, name):
        """The whole card."""
        return breakable(self.site.templates.get_template("card.html").render(card=self.all[name], cards=self, versions=VERSIONS, known=document.known_ids()))

    def claim(self, id):
        """A claim and its verdict, or what the loop does where it differs from the original."""
        if id.startswith("D"):
            return explain.in_language(index.index().card(id), "sentence", self.site.language).rstrip(".。")
        return claims.verdicts()[id].behind(plain(self.all[id].get("rows")[0]["cells"][1]["text"]), self.site.language)

    def item(self, name):
        """What an item of the articles shows, with the verdict, and its heading; nothing if the name is no item's."""
        heading = next((f"〈{item['heading']}〉" for item in self.all[name].get("items") if item["id"] == name), None)
        if not heading:
            return None
        sentence = index.index().card(name)["sentence in Chinese" if self.site.language == "zh" else "sentence"]
        return sentence.removeprefix(heading).strip(), heading

    def line(self, name):
        """One line about a name, for the list of results."""
        card = self.all[name]
        record = card.record
        if item := self.item(name):
            return " ".join(item)
        if ID.fullmatch(name) and card.get("rows"):
            return self.claim(name)[:140]
        instead, note = record.get("instead"), (record.get("articles") or {}).get("note")
        annotations = [cell["text"] for section in self.sections(card) for cell in section["cells"]]
        # Not every comment is in Chinese, but notes and annotations are.
        about = " ".join(card.about.split())
        texts = [note, *annotations, instead, about] if self.site.language == "zh" else [note, instead, about, *annotations]
        for text in [*texts, next((original["kind"] for original in card.get("original")), None)]:
            if text:
                return plain(definitions.first_sentence(text))[:140]
        return ""


def _is_chinese(text):
    return bool(re.search("[\u4e00-\u9fff]", text))
