"""The chapters of the book, Documentation/Book, and the change of the first hour: what the edition and Scripts/check-book need of them.

A chapter is Markdown. These of its blocks have a meaning, which the word behind the backquotes names:

    ```program               a program for a run loop; the text block below it is its log. The first one is that which notices the broken line
    ```c PATH                lines of a source file, word for word; a line `…` stands for lines that are left out
    ```diff PATH             the line that the reader breaks; the text block below it is the log of the program on the broken loop

A question is a bold line, a numbered list of answers, and a <details> whose first bold number is the right one. The first asks for a prediction: it stands
between the program that the chapter begins with and its log, which is folded. The last section lists the
items of the articles: 0.36–0.38 is three of them.
"""

import re
from functools import lru_cache

from . import ROOT, Failure

FOLDER = "Documentation/Book"
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)
QUESTION = re.compile(r"^\*\*(?:\d\. |Predict: |先猜：).+\*\*\n\n((?:\d\. .+\n)+)\n<details><summary>.+</summary>\n\n\*\*(\d)\.\*\*.+\n\n</details>$", re.M)
ITEMS = re.compile(r"\b([0-4])\.(\d+)(?:–[0-4]\.(\d+))?\b")
GAP = "…"


class Chapter:
    def __init__(self, path):
        self.path, self.text = path, (ROOT / path).read_text(encoding="utf-8")
        self.blocks = BLOCK.findall(self.text)  # (word, path of a source file, text)
        self.programs = [(text, log) for text, _, log in self._with_logs("program")]  # with their logs
        (self.program, self.log), changes = self.programs[0], self._with_logs("diff")
        if len(changes) != 1:
            raise Failure(f"{path}: a chapter has one block of the kind diff")
        self.change, self.file, self.broken_log = changes[0]
        self.answers = [(len(re.findall(r"^\d\. ", choices, re.M)), int(right)) for choices, right in QUESTION.findall(self.text)]
        self.predicts = bool(re.search(r"```program\n[^`]*```\n\n\*\*(?:Predict: |先猜：)(?:(?!\n## )(?!```).)*\n<details class=\"log\"><summary>.+</summary>\n\n```text\n", self.text.partition("\n## ")[0], re.S))
        last = self.text[self.text.rindex("\n## "):]
        self.items = [f"{article}.{item}" for article, first, to in ITEMS.findall(last) for item in range(int(first), int(to or first) + 1)]

    def _with_logs(self, word):
        """The blocks of this word: each with its path, and the text below it."""
        found = [index for index, block in enumerate(self.blocks) if block[0] == word]
        if not found or any([block[0] for block in self.blocks[index + 1:index + 2]] != ["text"] for index in found):
            raise Failure(f"{self.path}: a chapter has a block of the kind {word}, and a block of the kind text below it")
        return [(self.blocks[index][2], self.blocks[index][1], self.blocks[index + 1][2]) for index in found]


class FirstHour:
    """The line that the tutorial breaks, and the program that shows it: the two lines of code of eight columns, a block of the kind program, and
    two of the kind text, its logs before and after."""

    def __init__(self, path):
        self.path, text = path, (ROOT / path).read_text(encoding="utf-8")
        lines = re.findall(r"^\n( {8}\S.*\n)\n", text, re.M)
        blocks = BLOCK.findall(text)
        at = next((index for index, block in enumerate(blocks) if block[0] == "program"), len(blocks))
        if len(lines) != 2 or [block[0] for block in blocks[at:]] != ["program", "text", "text"]:
            raise Failure(f"{path}: it has two lines of the source, and a block of the kind program with two of the kind text below it")
        self.file, self.change = "Sources/CRunLoop/CFRunLoop.c", f"-{lines[0]}+{lines[1]}"
        self.program, self.log, self.broken_log = (block[2] for block in blocks[at:])


def first_hour(language):
    return FirstHour("Documentation/Tutorial/first-hour" + (".zh.md" if language == "zh" else ".md"))


@lru_cache(None)
def chapters(language):
    """The chapters in a language, in their order."""
    paths = (path.relative_to(ROOT).as_posix() for path in (ROOT / FOLDER).glob("[1-9]-*.md"))
    return [Chapter(path) for path in sorted(paths) if path.endswith(".zh.md") == (language == "zh")]


def line_of(path, text):
    """The line at which a block's lines begin in a source file."""
    source, at, first = (ROOT / path).read_text(encoding="utf-8"), 0, None
    for part in re.split(rf"^ *{GAP}\n", text, flags=re.M):
        found = ("\n" + source).find("\n" + part, at)
        if found < 0:
            raise Failure(f"{path} does not have these lines:\n{part}")
        first, at = first or source.count("\n", 0, found) + 1, found + len(part)
    return first


def sides(change):
    """The lines of a block of the kind diff before and after the change."""
    lines = change.splitlines(keepends=True)
    return tuple("".join(line[1:] for line in lines if line[0] in " " + side) for side in "-+")


def broken(path, change):
    """A source file in which the reader has made the change."""
    source, (old, new) = (ROOT / path).read_text(encoding="utf-8"), sides(change)
    if ("\n" + source).count("\n" + old) != 1:
        raise Failure(f"{path} does not have these lines, or has them twice:\n{old}")
    return ("\n" + source).replace("\n" + old, "\n" + new)[1:]
