"""The outline of each article, item by item: articles/0.html to articles/4.html. Of the articles' text there are only the headings."""

from facts import ROOT

from .. import annotations, document, lab

NAVIGATION = [("articles/index.html", "navigation.articles")]
TEXT = {
    "navigation.articles": ("Articles", "文章"),
    "articles.title": ("The articles", "文章"),
    "articles.lead": ("Every listing, demo, output, stack, figure and question of the articles has a page: what the article says there, whether it is true, and our program beside it.",
                      "文章的每段代码、演示、输出、调用栈、图和问题都有一页：文章说了什么，对不对，旁边是我们的程序。"),
    "article.title": ("Article {number}: {title}", "文章 {number}：{title}"),
    "article.lead": ("{items} items of the article, in its order, and {programs} programs. Have the article open beside this page.",
                     "文章的 {items} 项内容，按文章的顺序，共 {programs} 个程序。请把文章放在旁边对照。"),
    "article.reading": ("Or read along, passage by passage", "或者一节一节地伴读"),
    "article.cannot": ("not here", "这里没有"),
    "article.corrections": ("Corrections of this article", "对这篇文章的更正"),
    "article.items": ("{count} items", "{count} 项"),
}


def build(site):
    data = lab.data()
    corrections = annotations.corrections(site)
    for article in data["articles"]:
        number = str(article["number"])
        own = [correction for correction in corrections if any(of == number for of, _ in correction.quotations)]
        programs = {item["place"] for item in article["items"] if item["kind"] == "program"}
        reading = min((ROOT / "Documentation/Readings").glob(f"{number}-*.md")).relative_to(ROOT)  # the one in English comes first
        site.page(f"articles/{number}.html", site.text("article.title", number=number, title=article["title"]), "article.html", items=article["items"], count=len(programs), corrections=own,
                  reading=document.address(reading.as_posix()))
    rows = [(f"articles/{article['number']}.html", site.text("article.title", number=article["number"], title=article["title"]), "", site.text("article.items", count=len(article["items"])))
            for article in data["articles"]]
    site.page("articles/index.html", site.text("articles.title"), "list.html", lead=site.text("articles.lead"), groups=[("", rows)])
