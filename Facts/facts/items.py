"""The items of the articles: Facts/items.tsv, whose first lines explain the columns; and the rows of the page of the articles, which is made of it."""

import re
from functools import lru_cache

from . import ROOT, annotations, cards, definitions, documents, tables

IDS = re.compile(r"\b[0-4]\.\d+\b(?! ?(?:s\b|秒))")  # "0.2 s" is a time
ENOUGH = {"en": 100, "zh": 42}  # characters: what a row of the page says of what is true
UP = "../../"  # from the page


@lru_cache(None)
def rows():
    """By their ids."""
    return {row["item"]: row for row in tables.rows("items")}


def verdict(id):
    return "in part" if rows()[id]["statements"] else rows()[id]["verdict"]


@lru_cache(None)
def programs():
    """The paths of the programs of the articles, by the ids of their items."""
    found = {}
    for path in annotations.source_files(["Lab/Articles"]):
        found |= dict.fromkeys(re.findall(r'About\(article: "([\d.]+)"', (ROOT / path).read_text(encoding="utf-8")), path)
    return {id: found[id] for id in rows() if id in found}


def program(id):
    """The item whose program shows an item; the words of its place, if it has none."""
    place = rows()[id]["place"]
    return id if place == "program" else program(place) if place in rows() else place


def shown(id):
    """The items that the program of an item shows: its own first."""
    return [id, *(other for other in rows() if rows()[other]["place"] == id)]


def experiment(id):
    """The experiment that shows an item."""
    return rows()[id]["place"].partition("experiment ")[2]


def source(id):
    """The path of the program or experiment that shows an item, or nothing."""
    return cards.experiments("en")[name][0] if (name := experiment(id)) else programs().get(program(id), "")


def truth(id, language):
    """What is true; if the item does not say it, what its program's says."""
    if name := experiment(id):
        return tables.pair(rows()[id], "true")[language] or cards.experiments(language)[name][3]
    return tables.pair(rows()[id], "true")[language] or tables.pair(rows()[program(id)], "true")[language]


def statements(id, language):
    """What it says, sentence by sentence, each with its verdict: (the verdict, the words)."""
    english, chinese = (rows()[id][column].split(" ¦ ") for column in ("statements", "statements in Chinese"))
    return [(word, words if language == "en" else other) for (word, _, words), other in zip((each.partition(": ") for each in english), chinese) if words]


def named(id):
    """The other items that its own text names and other programs show."""
    ids = IDS.findall(rows()[id]["true"]) if rows()[id]["place"] != "program" else []
    return [other for other in rows() if other in ids and source(other) and program(other) != program(id)]


def cells(id, language):
    """The row of the page: the heading, what shows the item here, and what happens."""
    def say(english, chinese):
        return chinese if language == "zh" else english
    row, result, verdicts = rows()[id], "", tables.verdicts("item")
    if verdict(id):
        said = "".join(f"{say(word.capitalize(), verdicts[word]['in Chinese'])}{say(': ', '：')}{words}{say('. ', '。')}" for word, words in statements(id, language))
        parts = [verdicts[verdict(id)][say("sentence", "sentence in Chinese")], said.strip(), definitions.answer_of(truth(id, language), ENOUGH[language])]
        result = say(" ", "").join(filter(None, parts))
    if name := experiment(id):
        here = f"{say('experiment', '实验')} [{name}]({UP}{source(id)})"
    elif row["place"].startswith("document "):
        path = _translated(row["place"].partition(" ")[2], language)
        here = f"{say('see', '见')} [{path.partition('#')[0]}]({UP}{path})"
    elif row["place"] == "cannot be":
        here = say("cannot be: ", "做不到：") + _cell(truth(id, language))
    else:
        here = f"[{program(id)}]({UP}{source(id)}): {_cell(tables.pair(rows()[program(id)], 'program')[language])}"
    if named(id):
        here += say("; also ", "；另见 ") + say(", ", "、").join(f"[{other}]({UP}{source(other)})" for other in named(id))
    return _cell(row["heading"]), here, _cell(result)


def _cell(text):
    return text.replace("|", "\\|")


def _translated(place, language):
    """A document, or a heading in it, in a language: the heading at the same place."""
    path, mark, anchor = place.partition("#")
    other = annotations.document(path.removesuffix(".md"), language)
    if not (ROOT / other).exists():
        return place
    anchors, others = ([documents.anchor_of(section.heading) for section in documents.read(each).sections] for each in (path, other))
    return other + (mark and mark + others[anchors.index(anchor)])
