"""The cards: name.html#NAME shows one, names.html lists them. And the data of the search: data/names.js with all names, data/words.js with the
headings of the pages, data/cards-N.js with the cards. What is the same in both languages is beside them: index.js, which search.js looks up in, and
uses.js, the places that use a name."""

import re

from facts import documents, explain, index, place_of, tables
from facts.cards import terms

from .. import document, source
from ..cards import ID
from ..site import slug

SIZE = 60  # cards in a file
TAB = "\t"
PARAGRAPH = re.compile(r"\.\d+$")  # of a section, one that is not the first
TEXT = {
    "name.title": ("A name", "名字"),
    "name.noscript": ("The cards are loaded by a script.", "卡片由脚本载入。"),
    "names.title": ("All names", "全部名字"),
    "names.names": ("Names", "名字"),
    "names.swift": ("The Swift layer", "Swift 层"),
    "names.items": ("Items of the articles", "文章的小节"),
    "names.ids": ("Claims and differences", "论断与差异"),
    "names.lead": ("{count} names: of the articles, of the original, and of this code.", "共 {count} 个名字：文章里的、原版的，以及这份代码的。"),
}


def build(site):
    cards = site.cards
    entries, chunk = [], {}
    for number, name in enumerate(cards.names):
        content = cards.html(name)
        chunk[name] = content
        if len(chunk) == SIZE or number == len(cards.names) - 1:
            site.data(f"cards-{number // SIZE}", f"cards-{number // SIZE}", chunk)
            chunk = {}
        card = cards.all[name]
        here = f"src/{card.here[0].path}.html#L{card.here[0].line}" if card.here else ""
        entries.append([name, cards.line(name), here, 1 if card.record.get("articles") else 2 if card.get("original") or card.get("rows") else 3])
    site.data("names", "names", {"size": SIZE, "entries": entries, "answers": list(answers(site))})
    site.shared("index", {"index": "\n".join(f"{key}\t{rest.partition(TAB)[0] if key[0] == '=' else rest}" for key, rest in index.index().lines.items())})
    site.shared("uses", {"uses": uses(site)})
    site.page("name.html", site.text("name.title"), "name.html", kind="name", anchors=[slug(name) for name in cards.names])
    groups = {group: [] for group in ["names", "swift", "items", "ids"]}
    for name in cards.names:
        groups[_group(cards.all[name])].append(name)
    site.page("names.html", site.text("names.title"), "names.html", count=len(cards.names), types=types(cards), known=cards.all,
              groups={group: sorted(names, key=_order) for group, names in groups.items()})


def types(cards):
    """The types of the Swift layer, each with the cards of its members, by the card of the type."""
    found = {}
    for declaration in (each for declared in cards.declared.values() for each in declared if each.is_swift):
        members = found.setdefault(declaration.owner, set())
        if declaration.name != declaration.owner:
            members.add(declaration.card)
    return {owner: sorted(found[owner], key=_order) for owner in sorted(found, key=_order)}


def uses(site):
    """Where the library uses the names: for each a list of [number of the file, the function around, its lines]."""
    files, found = {}, {}
    for name in site.cards.names:
        for path, around, lines in site.cards.uses(site.cards.all[name]):
            found.setdefault(name, []).append([files.setdefault(path, len(files)), around or "", *lines])
            for line in lines:
                site.scripted(f"src/{path}.html#L{line}", "uses.js")
    return {"files": list(files), "of": found}


def answers(site):
    """What the index answers that has no card here: the card, what it is called, its sentence, its address, what else it says; and of a term, the names that belong to it."""
    for name in (name for name in index.index().card_names if name not in site.cards.all):
        address = _address(name)
        site.scripted(address, "data/names.js")
        card, label = index.index().card(name), explain.titled(name, site.language)
        if name.startswith("term "):
            label = terms("en")[name.removeprefix("term ")][0][site.language == "zh"]
        own = [word for word in re.findall(r"\w+", card["more"]) if word in site.cards.all] if name.startswith("term ") else []
        yield [name, label, explain.in_language(card, "sentence", site.language), address, explain.in_language(card, "more", site.language), own]


def _address(name):
    """Where what a card says stands: a term in the glossary, an experiment, a correction, a step or a member of a type in the source, a section of a document; a
    frame of Apple's on the page of the stacks."""
    kind, _, rest = name.partition(" ")
    if kind == "term" and rest in terms("en"):
        return document.address("Documentation/Reference/glossary.md")
    if kind in ("experiment", "correction") and rest:
        return f"experiments/{rest}.html" if kind == "experiment" else f"corrections.html#{rest}"
    if name in tables.steps():
        return f"src/{source.STEPS}.html#step-{name}"
    path, _, text = index.index().card(name)["here"].partition("#")
    if path.endswith(".md"):
        page, heading = document.address(path), PARAGRAPH.sub("", name.partition("#")[2])
        return page if heading == documents.anchor_of(documents.read(path).sections[0].heading) else f"{page}#{heading}"
    return f"src/{path}.html" + (f"#L{place_of('#'.join((path, text))).rpartition(':')[2]}" if text else "") if path else document.address("Documentation/Reference/stacks.md")


def _group(card):
    """What a name is, for the list of all names."""
    if re.fullmatch(r"\d\.\d+", card.name):
        return "items"
    if not card.record and card.here[0].path.endswith(".swift"):
        return "swift"
    return "ids" if ID.fullmatch(card.name) else "names"


def _order(name):
    """The order of a reader: without leading underscores and capitals, numbers by their value."""
    return [part.zfill(4) if part.isdigit() else part for part in re.split(r"(\d+)", name.lower().lstrip("_"))]
