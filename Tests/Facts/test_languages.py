"""What facts.languages finds. `PYTHONPATH=Facts python3 -m unittest discover Tests/Facts`"""

import unittest

from facts.documents import Document
from facts.languages import Term, Translation, literals, other_words, table_cells, words_of_the_lab

ENGLISH = """\
# One

[中文](X.zh.md)

A text with `code`,
and a [link](#two-halves) to D3.

    swift run it

## Two halves

| name | |
|---|---|
| `a`, `b` | same |
| `c` | R1, for 20 ms, in [CFPort.c] |

1. A number
   and more."""
CHINESE = """\
# 一

[English](X.md)

这里有 `code`，以及通往 D3 的[链接](#两半)。

    swift run it

## 两半

| 名字 | |
|---|---|
| `a`、`b` | same |
| `c` | R1，20 ms，在 [CFPort.c] |

1. 一个编号，还有别的。"""
LAST = "1. 一个编号，还有别的。"
WORDS = "\n\n## 用词\n\n| 用 | 不用 | 除非 |\n|---|---|---|\n| 休眠 | 睡眠 | |"
ZH, EN = 1, 0
#: The language in which another piece stands, and where something is missing then.
CASES = [
    (ZH, "一个编号", "一个号码", []),
    (ZH, "`code`", "code", ["zh 5"]),
    (ZH, "D3", "这里", ["zh 5", "zh 5"]),
    (ZH, "#两半", "#一半", ["zh 5", "en 5"]),
    (ZH, "swift run it", "swift run", ["zh 7"]),
    (ZH, "## 两半", "### 两半", ["zh 9"]),
    (ZH, "`a`、`b`", "`b`、`a`", ["zh 13"]),
    (ZH, "same", "相同", ["zh 13"]),
    (ZH, "20 ms", "30 ms", ["zh 14", "en 15"]),
    (ZH, "，在 [CFPort.c]", "", ["zh 14"]),
    (ZH, "| `c` |", "| `c` | |", ["zh 14"]),
    (ZH, "1. 一个", "2. 一个", ["zh 16"]),
    (ZH, "\n" + LAST, "", ["zh 14"]),
    (ZH, LAST, "1. A number and more.", ["zh 16"]),  # still in English
    (ZH, "| `a`、`b` | same |\n", "", ["zh 13"]),
    (EN, "| `a`, `b` | same |\n", "", ["en 14"]),
    (EN, "`code`", "code", ["en 5"]),
    (EN, "to D3", "to that", ["en 5", "en 5"]),
    (EN, "R1, ", "", ["en 15", "en 15"]),
    (EN, "\n1. A number\n   and more.", "", ["en 15"]),
    (ZH, LAST, LAST + WORDS, []),  # only Chinese says which Chinese words it has
    (ZH, LAST, LAST + WORDS.replace("不用", "不"), ["en 17"]),
]


class Languages(unittest.TestCase):
    def test_each_difference_is_told_at_its_line(self):
        for language, piece, other, expected in CASES:
            texts = [ENGLISH, CHINESE]
            self.assertIn(piece, texts[language])
            texts[language] = texts[language].replace(piece, other)
            pair = Translation(Document("X.md", texts[EN]), Document("X.zh.md", texts[ZH]))
            found = list(pair.misses())
            self.assertEqual([f"{'en' if miss.path == 'X.md' else 'zh'} {miss.line}" for miss in found], expected, f"“{other}” for “{piece}”: {found}")

    def test_another_name_for_the_same_thing_is_found(self):
        glossary = [Term("休眠", ("睡着", "睡眠"), ("睡眠质量",), ("x.zh.md",)), Term("端口", ("port",), ("mach port",))]
        for line, document, expected in [("线程睡着了，睡眠一秒", "y.zh.md", ["睡着", "睡眠"]), ("线程睡着了", "x.zh.md", []),
                                         ("`睡着`，「睡着」，睡眠质量，[休眠](#睡着)", "y.zh.md", []), ("它的port 就绪", "y.zh.md", ["port"]),
                                         ("support、import、port-source、_port、mach port", "y.zh.md", [])]:
            self.assertEqual([other for other, _ in other_words(line, document, glossary)], expected, line)

    def test_the_texts_that_programs_show_are_found(self):
        lab = 'heading: "模式",\nText("mode", "\\(x + ")") 模式") // "端口"\nNSLog("端口")\nx = #"模式 " "#\ny = f(/"/)\nText("""\n    两 "行"\n    """)'
        self.assertEqual(words_of_the_lab("A.swift", lab), [(2, "# 模式"), (6, '\n    两 "行"\n    ')])
        self.assertEqual(words_of_the_lab("AWords.swift", '"方法#": "加端口，方法#", "a": "甲"'), [(1, "加端口，方法#"), (1, "甲")])
        self.assertEqual(list(literals('x = "a"\n("port", "端口 {port}")')), [(2, "端口 #")])
        self.assertEqual(list(table_cells("# 甲\t乙\n丙\tport\t端口")), [(2, "端口")])


if __name__ == "__main__":
    unittest.main()
