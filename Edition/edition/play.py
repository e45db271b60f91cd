"""Links to play.html, which carry a program and the moment that the page shows first.

    site.href(play.address(program))              the program, at its beginning
    site.href(play.address(program, line=3))      when the third line of its log has just been written
    site.href(play.address(program, thread="B"))  when the thread B begins
    site.href(play.address(program, seed=7))      the order of the threads that this seed gives
    site.href(play.address(program, broken=3))    on the loop whose line 3 of Facts/breaks.tsv is broken

The text of the program is in the fragment, as forms encode it, so the link works from file:// and in every version of the edition. A moment that
the reader links to is the number of a statement (`at`), which holds as long as the loop's code stays the same.
"""

import functools
import re
from urllib.parse import parse_qs, urlencode

from facts import ROOT, Failure

PAGE = "play.html"
ALONE = "play-alone.html"  # the same in one file
PROGRAMS = {"en": "Documentation/Reference/programs.md", "zh": "Documentation/Reference/programs.zh.md"}
EXAMPLE = re.compile(r"^### (\d+)\. (.+)\n\n```program\n([^`]*)```\s*```text\n([^`]*)```", re.M)
ITEM = re.compile(r"[(（]([0-4]\.\d+)[)）]$")


@functools.cache
def examples(language):
    """The examples of the document: title, program, log, the item of an article that it shows."""
    text = (ROOT / PROGRAMS[language]).read_text(encoding="utf-8")
    found = [{"title": f"{number}. {title}", "text": program, "log": log, "item": ITEM.search(title)[1]} for number, title, program, log in EXAMPLE.findall(text)]
    if len(found) != len(re.findall(r"^### \d+\.", text, re.M)) or not found:
        raise Failure(f"{PROGRAMS[language]}: play.py finds {len(found)} examples with a program and a log")
    return found


def example(site, file, fragment):
    """The program of the example that a link leads to, if this edition can play it."""
    number = re.match(r"(\d+)-", fragment)
    return examples(site.language)[int(number[1]) - 1]["text"] if number and file in PROGRAMS.values() and site.plays else None


def address(program, *, line=None, thread=None, at=None, seed=None, broken=None):
    """The address of a program on the page. `line` counts the log from 1."""
    fields = {"program": program, "line": line, "thread": thread, "at": at, "seed": seed or None, "broken": broken or None}
    return f"{PAGE}#{urlencode({key: value for key, value in fields.items() if value is not None})}"


def answers(fragment):
    """Whether the page's script answers a fragment: it has a program, and all but the name of a thread are numbers."""
    fields = parse_qs(fragment)
    return "program" in fields and all(value[0].isdigit() for key, value in fields.items() if key not in ("program", "thread"))
