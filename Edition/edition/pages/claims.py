"""The claims of the articles: claims.html. Each has its verdict, its code, its tests and the programs that show it."""

from .. import annotations

NAVIGATION = [("claims.html", "navigation.claims")]
TEXT = {
    "navigation.claims": ("Claims", "论断"),
    "claims.title": ("What the articles claim", "文章的论断"),
    "claims.lead": ("{count} statements of the five articles about run loops. Each has its verdict, the corrections that touch it, the code that it is about, the tests of that code, and, if a program can show it, an experiment or a program of the articles.",
                    "五篇文章关于 RunLoop 的 {count} 条论断。每条都有判断、有关的更正、它说的代码、检验这些代码的测试，以及演示它的实验或文章的程序（能演示的话）。"),
    "filter.label": ("Filter", "筛选"),
    "filter.hint": ("a word, a name or an id", "词、名字或编号"),
    "filter.none": ("Nothing has these words.", "没有包含这些词的内容。"),
}


def build(site):
    write(site, "claims", [row for row in annotations.rows(site) if annotations.is_claim(row)])


def write(site, name, rows, sides=False, choices=()):
    """The page of claims or of differences: the rows by their sections. Differences have two sides, the original's and ours."""
    groups = {}
    for row in rows:
        groups.setdefault(row.section, []).append(row)
    site.page(f"{name}.html", site.text(f"{name}.title"), "rows.html", lead=site.text(f"{name}.lead", count=len(rows)), groups=groups, sides=sides, choices=choices)
