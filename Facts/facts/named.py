"""The names of map.tsv and notes.tsv as rows of ANNOTATIONS, whose last section has a line for each name: annotations.py reads these rows with those of the documents, so that cards and the index
show the versions, the verdict and the step of a name. `Facts/annotations` writes that section."""

import re
from functools import lru_cache

from . import VERSIONS, definitions, tables

HEADS = {"en": ["name", *dict.fromkeys(VERSIONS.values()), "here", "verdict", "step", "see", "what it is"],
         "zh": ["名字", "CF-855", "CF-1153", "现行版", "Linux 构建", "这里", "判断", "步骤", "参见", "是什么"]}
STEPS = {"before": "第 {} 步之前", "after": "第 {} 步之后", "around": "包含第 {} 步", "": "第 {} 步"}
BEGIN, END = "<!-- generated names: Facts/annotations -->", "<!-- generated: end -->"
MOST_ITEMS = 4  # of the articles, that stand behind a name
#: Behind the names of an item of ANNOTATIONS: the files, and the items of the articles.
PLACE = re.compile(r"^ ?[(（](?:\[[\w.]+\](?:, |、)?)*(?:; |；)?(?:\d\.\d+(?:, |、)?)*[)）](?=[:：,，])")


@lru_cache(None)
def files():
    """The files of the library that define each name: a header only if no .c file does."""
    found = {}
    for name, symbols in definitions.library().items():
        paths = list(dict.fromkeys(symbol.path.rpartition("/")[2] for symbol in symbols if symbol.kind not in ("prototype", "externvar")))
        if paths:
            found[name] = [path for path in paths if path.endswith(".c")] or paths
    return found


def versions(name, owner):
    """The versions that have a name: as a field of the struct `owner`, or, without one, as anything but a field."""
    return {version for entry in tables.originals().get(name, []) if (entry.is_field_of(owner) if owner else not entry.is_field) for version in entry.versions}


def word_of(row):
    """The name alone, or nothing, if it is no name of the sources."""
    spans = re.findall(r"`(?:struct )?(\w+)`", row["name"])
    return spans[0] if spans else ""


def files_of(row):
    """The names of the files that define it."""
    if row["owner"] or row["verdict"] == "absent" or row["section"] == "2.9":
        return ["CFRunLoop_Internal.h"] * (row["verdict"] in ("same", "adapted"))
    return files().get(word_of(row)) or re.findall(r"\[([\w.]+)\]", row["here"])


def rows(document, make):
    """The rows that ANNOTATIONS has by the tables. `make` makes a row of (line, section, heads, cells, is an item, headings, text, owner)."""
    language = "zh" if document.path.endswith(".zh.md") else "en"
    headings = {section.heading.split()[0]: section.headings for section in document.sections if re.match(r"2\.\d+ ", section.heading)}
    lines = {line.split("  ")[0]: number for number, line in enumerate(document.text.splitlines(), 1)}
    places = {}
    for row in tables.rows("map"):
        name, above = row["name in Chinese"] if language == "zh" and row["name in Chinese"] else row["name"], headings[row["section"]] + [f"`struct {row['owner']}`"] * bool(row["owner"])
        places[row["name"]] = line = lines.get(entry(row), 1)
        there, here = versions(word_of(row), row["owner"]), ", ".join(f"[{name}]" for name in files_of(row)) or "–"
        cells = [name, *("✓" if version in there else "–" for version in dict.fromkeys(VERSIONS.values())), here, row["verdict"], steps_in(row["step"], language), " ".join(f"[{id}]" for id in row["see"].split()),
                 row["what" if language == "en" else "what in Chinese"]]
        yield make(line, above[-1], HEADS[language], cells, False, above, "", row["owner"])
    for row in tables.rows("notes"):
        above, names = headings[row["section"]], row["names"].replace(", ", "、" if language == "zh" else ", ")
        text = row["note" if language == "en" else "note in Chinese"]
        yield make(places[row["names"].split(", ")[0]], above[-1], ["", ""], [names, text], True, above, f"**{names}**: {text}", "")


def steps_in(steps, language):
    """The steps of a row, which may be "before 2, 7, 9", or "4 9"."""
    if language == "en" or not re.search(r"\d", steps):
        return steps if language == "en" else steps.replace("any thread", "任意线程")
    parts = re.findall(r"(?:(\w+) )?(\d[\d.–]*)", steps)
    if any(word.isalpha() for word, _ in parts):
        return "、".join(STEPS[word if word.isalpha() else ""].format(number) for word, number in parts)
    return STEPS[""].format("、".join(re.findall(r"\d[\d.–]*", steps)))


def entry(row):
    """How a name begins its line in the list."""
    name = row["name"].replace("`", "")
    return f"{row['owner']}.{name}" if row["owner"] else name


def listed(articles, items_of, places_of):
    """The lines of the list: each name, its file and the first items of the articles that have it. Of the articles' names, those of which one of the two is known."""
    found = {entry(row): (files_of(row), word_of(row) or row["name"]) for row in tables.rows("map")}
    words = {word for _, word in found.values()}
    found |= {name: (places_of(name), name) for name in articles if name not in words and (places_of(name) or items_of(name))}
    for name in sorted(found, key=lambda name: (name.replace("_", "").lower(), name)):
        places, word = found[name]
        items = items_of(word) if len(word) > 1 else []
        yield f"{name}  {', '.join(places) or '–'}  {' '.join(items[:MOST_ITEMS])}".rstrip()
