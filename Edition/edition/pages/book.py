"""The book: Documentation/Book as pages that follow each other, book/index.html and a page for each chapter. book.js makes its questions into buttons
that check the answer."""

import re

from markupsafe import Markup

from facts import book

from .. import document

NAVIGATION = [("book/index.html", "navigation.book")]
TEXT = {
    "navigation.book": ("Book", "书"),
    "book.way": ("The chapters of the book", "书的各章"),
    "book.all": ("All chapters", "全部章节"),
    "js.book.right": ("Right.", "对。"),
    "js.book.wrong": ("No. Choose again, or open the answer.", "不对。再选一次，或者打开答案。"),
    "js.book.score": ("{right} of {all} questions answered at the first choice", "{all} 个问题中，{right} 个第一次就答对"),
}


def build(site):
    first = document.Document.of(site, f"{book.FOLDER}/README.md")
    way = [first] + [document.Document.of(site, chapter.path) for chapter in book.chapters("en")]
    for at, chapter in enumerate(way):
        *body, last = [chapter.section(section) for section in chapter.sections]
        site.page(chapter.page, chapter.title, "book.html", body=Markup("".join(body)) + (items(site, last) if at else last), first=first, at=at,
                  before=way[at - 1] if at else None, after=way[at + 1] if at + 1 < len(way) else None, path_in_repository=chapter.path)


def items(site, section):
    """The section with the items of the articles, each a link; of a range, both ends are."""
    return Markup(re.sub(r"(?<![\w.])[0-4]\.\d+(?!\w)", lambda match: str(site.link(site.item(match[0]), match[0])), section))
