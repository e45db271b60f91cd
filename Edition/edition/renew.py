"""Scripts/reading-edition play: makes the programs of play.html run the loop as it is in your folder now, and shows your lines there.

It is for a loop that you have changed to see what happens. So it looks at nothing but the code: statements about the original and chapters of
the book, which belong to the code without your change, stay as they were built, and so do the pages of the sources. The next whole build
writes everything again."""

import difflib
import html
import json
import re

from facts import ROOT, Failure

from . import build, play, source
from .pages import play as page
from .site import script
from .symbols import Symbols

SCRIPT = "play.js"


def run():
    """Renews the script with the module. Returns the page, and the places where its code differs from the edition's: file, number of the line."""
    if why := page.missing():
        raise Failure(why)
    shown = build.OUT / "en" / play.PAGE
    if not shown.is_file() or not (build.OUT / SCRIPT).is_file():
        raise Failure("there is no edition yet whose page could have your code: build it from the code without your change, with Scripts/reading-edition")
    page.compile("--warnings")
    table = page.compiled()
    code, places = changes(table["files"])
    build.KEY.unlink(missing_ok=True)  # the site is no longer what a build has made
    (build.OUT / SCRIPT).write_text(script(f"../../{SCRIPT.removesuffix('.js')}", {"play": table | {"code": code}}), encoding="utf-8")
    return shown, places


def changes(paths):
    """The code of the files that differ from the edition's, as the page shows it, and the places of the lines that differ."""
    scripts = read(build.OUT / "en/data/play-words.js")["play-words"]["code"]
    symbols, code, places = None, {}, []
    for path in paths:
        before = read(build.OUT / f"{scripts[path]}.js")[f"code:{path}"]["lines"]
        before = html.unescape(re.sub(r"<[^>]*>", "", before)).split("\n")
        now = (ROOT / path).read_text(encoding="utf-8").splitlines()
        lines = differing(before, now)
        if not lines:
            continue
        symbols = symbols or Symbols(build.tracked_files())
        code[path] = {"lines": "\n".join(source.highlighted(symbols, path)), "changed": lines, **source.targets(path)}
        places += [(path, line) for line in lines]
    return code, places


def differing(before, now):
    """The numbers of the lines that are not as they were; where lines are gone, the line that follows them."""
    lines = []
    for kind, _, _, first, end in difflib.SequenceMatcher(None, before, now, autojunk=False).get_opcodes():
        if kind != "equal":
            lines += range(first + 1, end + 1) or [min(first + 1, len(now))]
    return lines


def read(file):
    """The data of a script of the edition."""
    content = file.read_text(encoding="utf-8")
    return json.loads(content[content.index("{"):content.rindex(");edition.arrived(")])
