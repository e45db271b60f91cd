"""The strings of the interface, each in English and Chinese. Those that begin with `js.` also reach the scripts, as edition.text.

A module of pages/ adds its own with a dictionary TEXT. A key that is missing, or has only one language, fails the build.
"""

import re

from markupsafe import Markup

from facts import Failure, tables

USE = re.compile(r"""\bt\('([\w.-]+)'[,)]""")  # in templates
LITERAL = re.compile(r'"([a-zA-Z]+\.(?!js")[\w.]+)"')  # in scripts; not a script's name

TABLE = {
    "edition": ("The reading edition", "RunLoop 阅读版"),
    "skip": ("Skip to the content", "跳到正文"),
    "menu": ("Pages", "页面"), "menu.open": ("☰ Pages", "☰ 页面"),
    "language": ("中文", "English"),
    "theme": ("Light or dark", "浅色或深色"),
    "navigation.source": ("Source", "源码"),
    "foot": ("Generated from the sources, annotations and tests of this repository.", "由本仓库的源码、注解和测试生成。"),

    "find.label": ("Ask a question, or paste a name, a stack, a printed loop or code", "提一个问题，或者粘贴名字、调用栈、打印出的 RunLoop、代码"),
    "find.short": ("Search   /", "搜索   /"),
    "find.keys": ("↑ ↓ choose · Enter opens our line · Esc clears · / comes back to the box", "↑ ↓ 选择 · Enter 打开对应的代码行 · Esc 清空 · / 回到搜索框"),
    "find.results": ("What was found", "找到的结果"),
    "js.find.unknown": ("Nothing here speaks of ‘{word}’. ", "这里没有关于“{word}”的内容。"),
    "js.find.found": ("Found: {count}", "找到 {count} 个"),
    "js.find.partly": ("Found: {count}. The first answers a part of the question at most.", "找到 {count} 个，第一个最多回答了问题的一部分"),
    "js.find.close": ("No name is spelled like this. Close spellings: {count}", "没有这样拼写的名字。相近的写法：{count} 个"),
    "js.find.none": ("Nothing here has a name like this.", "这里没有类似的名字。"),

    "source.title": ("Source", "源码"),
    "source.lead": ("Every file, with notes beside the code. Start with {first}: the ten steps.", "全部文件，代码旁有注解。从 {first} 开始：那里有十个步骤。"),
    "source.lines": ("{count} lines", "{count} 行"),
    "source.notes": ("Notes", "注解"),
    "js.source.hint": ("Rest the pointer on a name: its card appears here, and stays while you read it. Keys: n and N go from name to name, then the arrows; c goes to the card and back; p pins the card, Esc lets it go; h hides what is ours alone, o shows what the original does, / goes to the search.",
                    "把指针停在名字上，这里会显示它的卡片，移过来读时卡片不会变。按 n、N 跳到下一个、上一个名字，再用方向键移动；按 c 在代码和卡片之间切换；按 p 固定卡片，Esc 取消；按 h 隐藏原版没有的部分，按 o 显示原版做了什么，按 / 去搜索。"),
    "source.hide": ("Hide what the original does not have", "隐藏原版没有的部分"),
    "source.hide.title": ("Functions, fields and lines that are ours alone: traces, checks, helpers (h)", "这里自有的函数、字段和行：跟踪、检查、辅助函数（h）"),
    "source.rail": ("Places in this file", "本文件内的位置"),
    "source.close": ("Close the notes", "关闭注解"),
    "source.pin": ("Pin", "固定"),
    "source.pin.title": ("Keep this card (p); Esc lets it go", "固定这张卡片（p），按 Esc 取消"),
    "source.back": ("The card before", "上一张卡片"),
    "source.noscript": ("A script loads the code. Without scripts, read the file in the repository.", "代码由脚本载入。不用脚本时，请直接读仓库里的文件。"),
    "source.card": ("Card", "卡片"),
    "source.original.title": ("What the original does, statement by statement, and our lines for it (o)", "原版依次做了什么，对应这里的哪几行（o）"),
    "source.original": ("The original, statement by statement", "原版，逐条陈述"),
    "source.line": ("Line {line}", "第 {line} 行"),
    "source.code": ("Code of {path}", "{path} 的代码"),

    "card.articles": ("in articles", "见文章"),
    "card.here": ("Here", "这里"),
    "card.instead": ("In its place", "对应"),
    "card.original": ("In the original: {kind}", "在原版中：{kind}"),
    "card.version.CF-855": ("CF-855", "CF-855"),
    "card.version.CF-1153": ("CF-1153", "CF-1153"),
    "card.version.current": ("current", "现行版"),
    "card.version.Linux build": ("Linux build", "Linux 构建"),
    "card.yes": ("has it", "有"),
    "card.no": ("does not have it", "没有"),
    **{f"card.{word}": (word, row["in Chinese"]) for word, row in tables.verdicts("name").items()},
    **{f"card.verdict.{word}": tuple(tables.pair(row, "sentence").values()) for word, row in tables.verdicts("name").items()},
    "card.declared": ("How it is declared, and more", "声明，以及更多"),
    "card.used": ("Used at", "在哪里用到"),
    "card.claims": ("Claims and differences", "相关论断与差异"),
    "card.tests": ("Tests that fail if this is not true", "不成立时会失败的测试"),
    "card.more": ("{count} more", "另有 {count} 项"),
    "card.experiments": ("Experiments", "实验"),
    "card.items": ("In the articles", "在文章里"),
    "card.programs": ("Used by programs of the articles", "文章的程序里"),
    "card.corrections": ("Corrections", "更正"),
}


def add(strings, file):
    """Adds the strings of a module."""
    for key in strings.keys() & TABLE.keys():
        raise Failure(f"{file}: another table has the text '{key}', too")
    TABLE.update(strings)


def check(folder):
    """Looks for texts that a template or a script uses and no table has, and for texts of the table without a translation."""
    misses = [f"{folder}: the text '{key}' needs a string in English and one in Chinese" for key, pair in TABLE.items() if len(pair) != 2 or not all(pair)]
    kinds = {key.split(".")[1] for key in TABLE if key.startswith("js.")}
    for file in sorted([*folder.glob("templates/*.html"), *folder.glob("static/*.js")]):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            found = USE.findall(line) if file.suffix == ".html" else [f"js.{key}" for key in LITERAL.findall(line) if key.split(".")[0] in kinds]
            misses += [f"{file}:{number}: the text '{key}' is in no table" for key in found if key not in TABLE]
    if misses:
        raise Failure("texts are missing:\n  " + "\n  ".join(misses))


class Text:
    """The strings in one language: text("source.lines", count=3)."""

    def __init__(self, language):
        self.index = ("en", "zh").index(language)

    def __call__(self, key, **values):
        if key not in TABLE:
            raise Failure(f"the text '{key}' is missing: add it to Edition/edition/text.py or to TEXT of the page's module")
        text = TABLE[key][self.index]
        if any(isinstance(value, Markup) for value in values.values()):
            text = Markup(text)
        return text.format(**values) if values else text

    def all(self):
        return [(key, pair[self.index]) for key, pair in TABLE.items()]
