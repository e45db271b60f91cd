"""The book: Documentation/Book as pages that follow each other, book/index.html and a page for each chapter. book.js makes the answers of its
predictions into buttons, plays its programs in place, and judges its exercises."""

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
    "js.book.score": ("{right} of {all} predictions right at the first choice", "猜了 {all} 次，{right} 次一开始就猜对"),
    "js.book.line": ("Click the line that is wrong.", "点一下错的那一行。"),
    "js.book.not-it": ("No, this line is as it should be.", "不是，这一行没有错。"),
    "js.book.it": ("Yes, this line is wrong. It should be: {0}", "对，错的就是这一行。应该是：{0}"),
    "js.book.yours": ("Your program", "你的程序"),
    "js.book.judge": ("Judge my program", "看看我的程序"),
    "js.book.cured": ("Cured: your log has all these lines.", "治好了：你的日志里这几行都有。"),
    "js.book.lacks": ("Not yet: your log lacks this line, or has it too early: {0}", "还没有：你的日志里缺这一行，或者出现得太早：{0}"),
    "js.book.mistake": ("The program has a mistake: {0}", "程序有错：{0}"),
}


def build(site):
    first = document.Document.of(site, f"{book.FOLDER}/README.md")
    way = [first] + [document.Document.of(site, chapter.path) for chapter in book.chapters("en")]
    for at, chapter in enumerate(way):
        *body, last = [chapter.section(section) for section in chapter.sections]
        site.page(chapter.page, chapter.title, "book.html", body=Markup("".join(body)) + (items(site, last) if at else last), first=first, at=at,
                  before=way[at - 1] if at else None, after=way[at + 1] if at + 1 < len(way) else None, path_in_repository=chapter.path)


def items(site, section):
    """The section with the items of the articles as links, each with its heading."""
    heading, _, text = section.partition("\n")
    found = [item for run in book.ITEMS.finditer(text) for item in book.items_of(run)]
    rows = "".join(f"<li>{site.link(site.item(item), item)} {site.cards.item(item)[1]}</li>\n" for item in found)
    return Markup(f'{heading}\n<ul class="items">\n{rows}</ul>\n')
