"""The documents of the repository as pages: doc/…, and the list of them."""

from facts import book

from .. import document

NAVIGATION = [("doc/index.html", "navigation.documents")]
TEXT = {
    "navigation.documents": ("Documents", "文档"),
    "documents.title": ("Documents", "文档"),
    "documents.lead": ("The README, the tutorial, the guides and the explanations of this repository.", "本仓库的 README、教程、指南和说明。"),
    "documents.on this page": ("On this page", "本页内容"),
    "documents.english": ("This document exists only in English.", "这份文档只有英文。"),
    "documents.other": ("Beside the code", "代码旁边"),
    "documents.tutorial": ("Tutorial", "教程"),
    "documents.readings": ("Reading along", "伴读"),
    "documents.guides": ("Guides", "指南"),
    "documents.explanation": ("Explanation", "说明"),
    "documents.reference": ("Reference", "参考"),
    "documents.first": ("First", "先读"),
    "document.table": ("Table", "表格"),
    "document.code": ("Code", "代码"),
    "document.line": ("{file}, line {line}", "{file}，第 {line} 行"),
    "document.frame": ("The program plays here", "在这里播放程序"),
    "document.whole": ("Open it whole, and change the program", "打开整页，还可以修改程序"),
    "document.here": ("Play it here", "在这里播放"),
    "document.break": ("Break it here: both logs, and the first difference", "在这里改坏它：两份日志和第一处不同"),
    "document.play": ("Play this program, line by line", "逐行播放这个程序"),
}
GROUPS = [("documents.first", ""), ("documents.tutorial", "Documentation/Tutorial/"), ("documents.readings", "Documentation/Readings/"),
          ("documents.guides", "Documentation/Guides/"),
          ("documents.explanation", "Documentation/Explanation/"), ("documents.reference", "Documentation/Reference/")]


def build(site):
    groups = {}
    for path in sorted(document.documents(site.symbols), key=lambda path: (path != "README.md", path)):
        found = document.Document.of(site, path)
        if path.startswith(book.FOLDER):
            continue  # pages/book.py
        only_english = site.language == "zh" and not found.is_translated
        headings = [section for section in found.sections if section.level == 2]
        site.page(document.address(path), found.title or path, "document.html", body=found.whole(), headings=headings, path_in_repository=found.path,
                  only_english=only_english)
        key = next((key for key, folder in reversed(GROUPS) if (path.startswith(folder) if folder else "/" not in path)), "documents.other")
        groups.setdefault(key, []).append((document.address(path), found.title or path, "", found.path))
    order = [key for key, _ in GROUPS] + ["documents.other"]
    site.page("doc/index.html", site.text("documents.title"), "list.html", lead=site.text("documents.lead"), groups=[(site.text(key), groups[key]) for key in order if key in groups])
