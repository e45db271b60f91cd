"""What is known of each name: where it is here, its counterpart in the original, its rows in the tables, and the claims, tests, experiments, programs and items
that belong to it. The cards of the reading edition show all of it; index.py keeps the first of each."""

import re
import textwrap
from functools import lru_cache

from . import ROOT, annotations, claims, definitions, documents, items as table_of_items, tables

LITERAL = r'"""\n(?:(?!""")[\s\S])*"""|"(?:\\.|[^"\\])*"'  # of Swift
REFERENCE = "Documentation/Reference"
KINDS = [("local or parameter of the run", "运行函数的局部变量或参数"), ("function of others, used", "别处的函数，这里调用"), ("breakpoint function", "供断点用的函数"),
         ("static function", "static 函数"), ("function", "函数"), ("type", "类型"), ("macro", "宏"), ("constant", "常量"), ("global", "全局变量"), ("probe", "探针")]
KIND_REMARKS = {"(private)": "（私有）", "(exported)": "（导出）", ", test": "，测试用"}


@lru_cache(None)
def cards(language):
    """The cards of all names: of the tables, of their ids, of the original, of the articles, and of the articles' items."""
    maker = _Maker(language)
    names = {name for row in maker.rows for name in row.names or [row.id] if name}
    names |= {*maker.originals, *maker.articles, *tables.stand_ins(), *tables.internal_names(), *items(language)}
    return {name: maker.card(name) for name in sorted(names)}


def is_ours(record):
    """Whether only this project has a name."""
    return not record.get("original") and not record.get("articles") and any(map(tables.is_ours, definitions.library().get(record["name"], [])))


@lru_cache(None)
def items(language):
    """The items of the articles: (heading, the place here, what happens), by their ids."""
    return {id: table_of_items.cells(id, language) for id in table_of_items.rows()}


@lru_cache(None)
def experiments(language):
    """The experiments: (path, what it shows, claims, what to notice), by their names, in the order of their files."""
    abouts = ((path, about_of((ROOT / path).read_text(encoding="utf-8"))) for path in annotations.source_files(["Lab/Experiments"]))
    return {about[0]: (path, about[1][language], about[2], about[3][language]) for path, about in abouts if about}


def about_of(text):
    """What an experiment says of itself: (its name, what it shows in both languages, claims, what to notice). One language is enough on a branch."""
    about = re.search(r'About\(\s*name: "([\w.-]+)", claims: \[(.*?)\]', text, re.S)
    return about and (about[1], _text("title", text), re.findall(r"\w+", about[2]), _text("notice", text))


def _text(label, text):
    """The Text of an argument, in both languages."""
    match = re.search(rf"\b{label}: Text\(({LITERAL})(?:,\s*({LITERAL}))?\)", text)
    english, chinese = (_unquoted(literal) for literal in (match.groups() if match else ("", "")))
    return {"en": english, "zh": chinese or english}


def _unquoted(literal):
    """The text of a literal of Swift. A line that ends with a backslash goes on in the next one."""
    if (literal or "").startswith('"""'):
        return re.sub(r"\\\n", "", textwrap.dedent(literal[4:-3])).strip()
    return re.sub(r"\\(.)", r"\1", (literal or "")[1:-1])


@lru_cache(None)
def terms(language):
    """The glossary: (the words in both languages, the path of the page and the line, Apple's names, the meaning), by the English terms."""
    english = [row for row in reference("glossary", "en") if len(row.cells) == 4]
    rows = [row for row in reference("glossary", language) if len(row.cells) == 4]
    by_english = {row.cells[0 if language == "en" else 1]: row for row in rows}
    return {row.cells[0]: (row.cells[:2], by_english[row.cells[0]].document, by_english[row.cells[0]].line, *by_english[row.cells[0]].cells[2:]) for row in english}


def reference(page, language):
    return documents.read(f"{REFERENCE}/{page}.{'zh.' * (language == 'zh')}md").rows()


@lru_cache(None)
def uses():
    """Where each program of the articles uses a word first, by the words. What the table of the items says of a program stands for it where the program begins to speak of itself."""
    found = {}
    for path in dict.fromkeys(table_of_items.programs().values()):
        seen = set()
        for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").splitlines(), 1):
            if about := re.search(r'About\(article: "([\d.]+)"', line):
                line += " ".join(table_of_items.rows()[about[1]][column + end] for column in ("program", "says", "true") for end in ("", " in Chinese"))
            if not line.startswith("//"):
                for word in re.findall(r"[A-Za-z0-9_]+", line):
                    if word not in seen:
                        seen.add(word)
                        found.setdefault(word, []).append({"path": path, "line": number})
    return found


class _Maker:
    def __init__(self, language):
        self.language, self.rows, self.places = language, annotations.rows(language), annotations.places()
        self.spans = [{name for cell in row.cells for name in re.findall(r"`([^`]+)`", cell)} for row in self.rows]
        self.tests = list(annotations.tests())
        self.numbers = _numbers((name, number) for number, (name, *_) in enumerate(self.tests))
        self.cited = _numbers((row.id, number) for number, row in enumerate(self.rows))
        self.heads = [({id, *re.findall(r"[A-Za-z0-9_]{4,}", heading)}, id, heading) for id, (heading, *_) in items(language).items()]
        self.articles = tables.article_names()
        self.originals = {name: [self.original(entry) for entry in entries] for name, entries in tables.originals().items()}
        self.about = _numbers((name, number) for number, row in enumerate(self.rows) for name in {row.cells[0], *row.names})
        self.mentioning = _numbers((name, number) for number, names in enumerate(self.spans) for name in {name.removesuffix("()") for name in names} | names)

    def card(self, name):
        own = self.about.get(name, [])
        mentions = [number for number in self.mentioning.get(name, []) if number not in own]
        rows = [self.row(self.rows[number]) for number in own]
        ids = {id for row in rows for id in row["ids"]} | {self.rows[number].id for number in mentions} - {None, name}
        ids |= {id for symbol in definitions.library().get(name, []) for id in re.findall(rf"[\[(]({tables.ID})[\])]", definitions.comment_of(symbol))}
        # An id has a row, with the claim, and an item below it, with code and tests.
        cited = sorted(number for id in ids for number in self.cited.get(id, []))
        claims = {}
        for number in cited:
            claims.setdefault(self.rows[number].id, self.plain(number))
        shown = set().union(*(self.spans[number] for number in own + [number for number in mentions if self.rows[number].id] + cited))
        far = set().union(*(self.spans[number] for number in mentions)) - shown
        card = {
            "name": name, "here": self.places.get(name, []), "original": self.originals.get(name, []), "rows": rows,
            "claims": [{"id": id, "text": text} for id, text in claims.items() if id != name],
            "mentions": [self.place(self.rows[number]) for number in mentions if not self.rows[number].id],
            "tests": [self.test(number) for names in (shown, far) for number in sorted(number for name in names for number in self.numbers.get(name, []))],
            "experiments": [{"name": experiment, "shows": shows} for experiment, (_, shows, *_) in experiments(self.language).items() if experiment in shown],
            "programs": uses().get(name.partition(":")[0], []),
        }
        card["items"] = self.items(name, card["programs"])
        if name in self.articles:
            row = self.articles[name]
            card["articles"] = {"numbers": [int(number) for number in row["articles"].split()], "kind": row["class"], "note": tables.pair(row, "sentence")[self.language]}
        if name in tables.stand_ins():
            card["instead"] = tables.stand_ins()[name][self.language]
        return card

    def test(self, number):
        name, sentence, path, line = self.tests[number]
        return {"name": name, "sentence": sentence, "place": {"path": path, "line": line}}

    def plain(self, number):
        """The first of a row's other cells that says something; of a claim, the claim and its verdict."""
        row = self.rows[number]
        if row.id in claims.verdicts() and len(row.cells) > 2:
            return claims.verdicts()[row.id].behind(annotations.plain(row.cells[2]), self.language)
        return next((text for cell in row.cells[1:] if (text := annotations.plain(cell)) not in ("", "✓", "–")), "")

    def row(self, row):
        cells = [{"head": head, "text": cell} for head, cell in list(zip(row.heads, row.cells))[1:] if cell]
        first_words = [match[1] for cell in cells if (match := re.match(r"\**([A-Za-z]*)", cell["text"])) and match[1] in annotations.VERDICTS]
        ids = [word for cell in row.cells[1:] for word in re.findall(r"\w+", cell) if annotations.ID.match(word)]
        return self.place(row) | {"verdict": first_words[0] if first_words else None, "ids": ids, "cells": cells}

    @staticmethod
    def place(row):
        return {"document": row.document, "line": row.line, "section": row.section, "subject": row.cells[0]}

    def items(self, name, places):
        """The items of the articles whose heading has the name, or whose program does."""
        paths = {place["path"] for place in places}
        shown = {other for id, path in table_of_items.programs().items() if path in paths for other in table_of_items.shown(id)}
        return [{"id": id, "heading": heading} for names, id, heading in self.heads if id in shown or name in names]

    def original(self, entry):
        """What a name is in the original: its kind, and the versions that have it."""
        return {"kind": entry.kind if self.language == "en" else _in_chinese(entry.kind), "versions": list(entry.versions)} | ({"remark": entry.remark} if entry.remark else {})


def _numbers(pairs):
    """The numbers that belong to each name, in their order."""
    found = {}
    for name, number in pairs:
        found.setdefault(name, []).append(number)
    return found


def _in_chinese(kind):
    if kind.startswith("field of "):
        return kind.removeprefix("field of ") + " 的字段"
    for english, chinese in KINDS:
        if kind.startswith(english):
            rest = kind.removeprefix(english)
            for remark, words in KIND_REMARKS.items():
                rest = rest.replace(remark, words)
            return chinese + rest
    return kind
