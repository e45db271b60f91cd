"""A page for each name, name/NAME.html, and the data of the search: data/names.js with all names, data/cards-N.js with the cards."""

import re

from ..cards import ID

ORDER = 5
SIZE = 24  # cards in a file
TEXT = {
    "names.title": ("All names", "全部名字"),
    "names.names": ("Names", "名字"),
    "names.items": ("Items of the articles", "文章的小节"),
    "names.ids": ("Claims and differences", "论断与差异"),
    "names.tests": ("Tests", "测试"),
    "names.lead": ("{count} names: of the articles, of the original, and of this code.", "共 {count} 个名字：文章里的、原版的，以及这份代码的。"),
}


def build(site):
    cards = site.cards
    entries, chunk = [], {}
    for number, name in enumerate(cards.names):
        content = cards.html(name)
        site.page(f"name/{cards.slugs[name]}.html", name, "name.html", kind="name", name=name, content=content)
        chunk[name] = content
        if len(chunk) == SIZE or number == len(cards.names) - 1:
            site.data(f"cards-{number // SIZE}", f"cards-{number // SIZE}", chunk)
            chunk = {}
        card = cards.all[name]
        here = f"src/{card.here[0].path}.html#L{card.here[0].line}" if card.here else ""
        entries.append([name, cards.line(name), here, 1 if card.record.get("articles") else 2 if card.get("original") or card.get("rows") else 3])
    site.data("names", "names", {"size": SIZE, "entries": entries})
    groups = {group: [] for group in ["names", "items", "ids", "tests"]}
    for name in cards.names:
        groups[_group(cards.all[name])].append(name)
    site.page("names.html", site.text("names.title"), "names.html", count=len(cards.names), groups={group: sorted(names, key=_order) for group, names in groups.items()})


def _group(card):
    """What a name is, for the list of all names."""
    if re.fullmatch(r"\d\.\d+", card.name):
        return "items"
    if ID.fullmatch(card.name):
        return "ids"
    return "tests" if card.here and all(symbol.path.startswith("Tests/") for symbol in card.here) else "names"


def _order(name):
    """The order of a reader: without leading underscores and capitals, numbers by their value."""
    return [part.zfill(4) if part.isdigit() else part for part in re.split(r"(\d+)", name.lower().lstrip("_"))]
