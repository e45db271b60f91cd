"""The chapters of the book, Documentation/Book, and the change of the first hour: what the edition and Scripts/check-book need of them.

A chapter is Markdown. These of its blocks have a meaning, which the words behind the backquotes name:

    ```program               a program for a run loop; the next block of the kind text is its log. The chapter's first program is its pain
    ```c PATH                lines of a source file, word for word; a line `…` stands for lines that are left out
    ```diff PATH             the line that the reader breaks; the text below it is the log, on the broken loop, of the program above it
    ```text wrong            an exercise: the log of the program above it with one wrong line; the text below it is the log
    ```text goal             an exercise: lines that the log of the program above it does not have. The program below it is one that has them
    ```text stack            an exercise: a stack to explain

A comment `<!-- the player begins at line 3 of the log -->` stands before a program. A prediction is a bold line, a numbered list of answers, and a
<details> that begins with the number of the right one in bold; it may also have the log. A question is a bold line and a <details>. The last
section lists the items of the articles: 0.36–0.38 is three of them.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from . import ROOT, Failure

FOLDER = "Documentation/Book"
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)
PREDICTION = re.compile(r"^\*\*.+\*\*\n\n((?:\d\. .+\n)+)\n<details><summary>.+</summary>\n\n\*\*(\d)\.\*\* ", re.M)
QUESTION = re.compile(r"^\*\*.+\*\*\n\n<details><summary>", re.M)
MOMENT = re.compile(r"^<!-- the player begins at line (\d+) of the log -->\s*$")
ITEMS = re.compile(r"\b([0-4])\.(\d+)(?:–[0-4]\.(\d+))?\b")
GAP = "…"
EXERCISES = ("wrong", "goal", "stack")


@dataclass
class Change:
    """A line that the reader breaks."""
    path: str  # of the document
    file: str
    change: str
    program: str
    log: str
    broken_log: str


class Chapter:
    def __init__(self, path):
        self.path, self.text = path, (ROOT / path).read_text(encoding="utf-8")
        self.blocks = BLOCK.findall(self.text)  # (word, path of a source file or an exercise, text)
        self.programs = []  # with their logs
        self.changes, self.wrongs, self.goals = [], [], []
        for at, (word, kind, text) in enumerate(self.blocks):
            if word == "program":
                self.programs.append((text, self._log(at)))
            elif word == "diff":
                self.changes.append(Change(path, kind, text, *self._last(), self._log(at)))
            elif kind == "wrong":
                self.wrongs.append((*self._last(), text))
            elif kind == "goal":
                cure = next((index for index in range(at, len(self.blocks)) if self.blocks[index][0] == "program"), None)
                if cure is None:
                    raise Failure(f"{path}: below a block of the kind text goal stands a program that reaches it")
                self.goals.append((*self._last(), text, self.blocks[cure][2], self._log(cure)))
        self.program, self.log = self.programs[0]
        self.exercises = [kind for word, kind, _ in self.blocks if word == "text" and kind in EXERCISES]
        self.answers = [(len(re.findall(r"^\d\. ", choices, re.M)), int(right)) for choices, right in PREDICTION.findall(self.text)]
        self.questions = len(QUESTION.findall(self.text))
        last = self.text[self.text.rindex("\n## "):]
        self.items = [item for run in ITEMS.finditer(last) for item in items_of(run)]

    def _last(self):
        if not self.programs:
            raise Failure(f"{self.path}: no program stands above a block")
        return self.programs[-1]

    def _log(self, at):
        """The log of a block: the next text, before another program, lines of a source or a change."""
        for word, kind, text in self.blocks[at + 1:]:
            if word not in ("text",):
                break
            if not kind:
                return text
        raise Failure(f"{self.path}: below a block of the kind {self.blocks[at][0]} stands a text, its log")


def items_of(run):
    """The items of a match of ITEMS."""
    article, first, last = run.groups()
    return [f"{article}.{item}" for item in range(int(first), int(last or first) + 1)]


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
            raise Failure(f"{path} does not have these lines any more; show today's, in both languages:\n{part}")
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
