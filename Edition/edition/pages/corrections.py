"""Where an article is wrong or loose: corrections.html. Each has the article's words, a badge, and what shows it."""

from .. import annotations, lab

NAVIGATION = [("corrections.html", "navigation.corrections")]
TEXT = {
    "navigation.corrections": ("Corrections", "更正"),
    "corrections.title": ("Corrections", "更正"),
    "corrections.lead": ("{count} places where an article is wrong, or simple enough to mislead. The quotation is from the article; what is so has a test or a program that shows it.",
                         "文章里 {count} 处有误、或简单得容易误导的地方。引文出自文章；实际情况都有测试或程序为证。"),
    "corrections.article": ("Article {number}", "文章 {number}"),
    "corrections.claims": ("Claims about the same thing:", "说同一件事的论断："),
    "corrections.items": ("In the articles:", "在文章里："),
    "corrections.versions": ("versions: {versions}", "版本：{versions}"),
}
KINDS = ["wrong", "simplified", "app", "version", "question", "other"]


def build(site):
    corrections = annotations.corrections(site)
    choices = []
    for kind in KINDS:
        of_kind = [correction for correction in corrections if correction.kind == kind]
        if of_kind:
            choices.append((kind, of_kind[0].badge, len(of_kind)))
    items = {}
    for article in lab.data()["articles"]:
        for item in article["items"]:
            for number in item["corrections"]:
                items.setdefault(str(number), []).append(item["id"])
    articles = sorted({article for correction in corrections for article, _ in correction.quotations})
    site.page("corrections.html", site.text("corrections.title"), "corrections.html", corrections=corrections, choices=choices, articles=articles, items=items)
