"""A page for each name, name/NAME.html, and the data of the search: data/names.js with all names, data/cards-N.js with the cards."""

ORDER = 5
SIZE = 24  # cards in a file
TEXT = {
    "names.title": ("All names", "全部名字"),
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
    site.page("names.html", site.text("names.title"), "names.html", names=cards.names)
