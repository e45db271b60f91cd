"""The breaks: one line of the loop each, Facts/breaks.tsv, and the copies of the sources that have all of them behind one integer.

A row has the file, lines that stand in it exactly once (`\\n` is the end of one), the expression in them that is broken, and the expression that
breaks it; without one, the statement does nothing. The steps are those that then go wrong; 0 is what the program itself calls, such as
CFRunLoopWakeUp. (Scripts/reading-edition check play looks for each of them in the runs.) The program shows it: `7` is an example of programs.md,
`book 2` the first program of a chapter, `book 2#3` the third. In a copy stands, instead of the first expression,

    (__CFBroken == 3 ? (the second) : (the first))

so `__CFBroken`, which whoever includes the copy defines, chooses one break, and 0 none. The sources know nothing of it. What no longer fits is refused:
it must fit before anything can be built from the copies.

A break shows in the log of its program, and the broken loop comes to an end. That is why some mutants of Scripts/mutate-loop are not here: what is
printed, released or on the stack is in no log, and a loop that never sleeps, never reads its ports or serves another thread spins.

    python3 -m facts.breaks --check       whether each break fits
    python3 -m facts.breaks --list        the numbers: place, line, broken line, what is broken in English and Chinese, the program for RunLoopLab play
    python3 -m facts.breaks FOLDER        copies of the sources in a folder
"""

import shutil
import sys
from functools import lru_cache
from pathlib import Path

from . import ROOT, Failure, tables

TABLE = "Facts/breaks.tsv"
COPIED = ["Sources/CRunLoop", "Programs/CRunLoopPrograms", "Programs/CRunLoopModel"]


class Break:
    def __init__(self, row):
        self.number, self.file, self.old, self.new = int(row["number"]), row["file"], row["old"], row["new"]
        self.lines, self.words, self.program = row["lines"].replace("\\n", "\n"), tables.pair(row, "words"), row["program"]
        self.steps = [int(step) for step in row["steps"].split()]

    def place(self, text):
        """Where the expression begins in the text of the file."""
        found = text.count(self.lines), self.lines.count(self.old)
        if found != (1, 1):
            what, where, count = (self.lines, self.file, found[0]) if found[0] != 1 else (self.old, f"its lines in {TABLE}", found[1])
            raise Failure(f"{TABLE}: break {self.number} ({self.words['en']}) no longer fits: this must stand in {where} exactly once, and stands there "
                          f"{count} times:\n{what}\nWrite the lines as they are now, or take the break out.")
        return text.index(self.lines) + self.lines.index(self.old)

    def line(self, text):
        """The number of the line with the expression, the line, and the line when it is broken."""
        place = self.place(text)
        number = text.count("\n", 0, place) + 1
        line = text.splitlines()[number - 1]
        broken = line.replace(self.old, self.new, 1) if self.new else ""  # with its semicolon
        return number, line, broken

    def insertions(self, text):
        """(offset, text) for a copy."""
        place = self.place(text)
        new, old = (f"({self.new})", "(") if self.new else ("(void)0", "(void)(")
        return [(place, f"(__CFBroken == {self.number} ? {new} : {old}"), (place + len(self.old), "))")]


@lru_cache(None)
def breaks():
    """The breaks, in the order of their numbers."""
    found = [Break(row) for row in tables.rows("breaks")]
    if [each.number for each in found] != list(range(1, len(found) + 1)):
        raise Failure(f"{TABLE}: its numbers are not 1, 2, 3 …")
    return found


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


def check():
    """Refuses a break that does not fit."""
    for each in breaks():
        each.place(text_of(each.file))


def fitting():
    """For a loop that its reader has changed: the breaks that still fit, and the others."""
    fit, rest = [], []
    for each in breaks():
        try:
            each.place(text_of(each.file))
            fit.append(each)
        except Failure:
            rest.append(each)
    return fit, rest


def of_change(path, changed):
    """The break that makes the same of a file as a change."""
    for each in breaks():
        if each.file == path:
            text = text_of(path)
            number, _, line = each.line(text)
            lines = text.splitlines()
            lines[number - 1] = line
            if [one.strip() for one in lines] == [one.strip() for one in changed.splitlines()]:
                return each
    raise Failure(f"{TABLE} has no row for this change of {path}")


def broken(path, text):
    """The text of a file with its breaks."""
    pieces, at = [], 0
    for offset, inserted in sorted(place for each in breaks() if each.file == path for place in each.insertions(text)):
        pieces += [text[at:offset], inserted]
        at = offset
    return "".join([*pieces, text[at:]])


def copy(folder):
    """Writes the sources with their breaks to a folder."""
    check()
    for part in COPIED:
        shutil.copytree(ROOT / part, Path(folder) / part, dirs_exist_ok=True)
    for path in {each.file for each in breaks()}:
        (Path(folder) / path).write_text(broken(path, text_of(path)), encoding="utf-8")


def main(arguments):
    try:
        if arguments == ["--check"]:
            check()
            print(f"{len(breaks())} breaks fit the sources")
        elif arguments == ["--list"]:
            from . import book

            def program(name):
                chapter, _, at = name.removeprefix("book ").partition("#")
                return f"{book.chapters('en')[int(chapter) - 1].path}#{at or 1}" if name.startswith("book ") else name

            for each in breaks():
                number, line, broken = each.line(text_of(each.file))
                print(each.number, f"{each.file}:{number}", line.strip(), broken.strip(), each.words["en"], each.words["zh"], program(each.program), sep="\t")
        elif len(arguments) == 1 and not arguments[0].startswith("-"):
            copy(arguments[0])
        else:
            sys.exit(__doc__)
    except Failure as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(sys.argv[1:])
