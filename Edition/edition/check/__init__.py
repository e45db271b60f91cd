"""Scripts/reading-edition check: checks the built site, and takes screenshots.

size.py reads the files; the others drive headless Chromium with Selenium (browser.py): reader.py does what a reader does, search.py types names, paste.py pastes stacks,
printed loops and code, play.py performs programs in play.html (also in Firefox: firefox.py), book.py answers the questions,
published.py puts the site below a path of a server, keyboard.py leaves the mouse alone, access.py runs axe, shots.py takes the pictures. Each returns its misses, a line each, with what to mend.
"""

import argparse
import concurrent.futures
import functools
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from facts import Failure

ROOT = Path(__file__).resolve().parents[3]
SITE = ROOT / ".build/edition/site"
SHOTS = ROOT / ".build/edition/shots"
REQUIREMENTS = Path(__file__).with_name("requirements.txt")
DESCRIPTION = """\
Checks the built site. size: it has at most 3,000 files and 40 MB.
paste: the stacks, printed loops and code of Edition/edition/pastes are explained.
search: every name of the articles (Facts/names.tsv) finds its card by typing, and ten random ones each within a second from a cold page.
reader: the card beside the code stays while the pointer goes to it, the code has 100 columns, every page has the search, the first page leads to
the steps, the language's switch keeps the place, an item of an article has its program beside it. play: the programs of play.html, there and back, also in Firefox; it says so if that is not installed. book: the chapters follow each other, their programs play in them, and their questions check answers. published: below a path of a server, the page at the top leads to the
reader's language, and a link to an item, a card or a program at its moment works from every kind of page. keyboard: every page's controls and all that play.html has are reached and used with keys alone. access: axe finds nothing on each kind of page, light and dark, English and Chinese.
shots: screenshots, 1440 and 390 pixels wide, in .build/edition/shots. In all pages: no script error, and no request leaves the machine."""
PARTS = ["play", "access", "keyboard", "reader", "published", "search", "paste", "book", "shots", "size"]  # the longest first


def main(arguments):
    parser = argparse.ArgumentParser(prog="Scripts/reading-edition check", description=DESCRIPTION)
    parser.add_argument("--seed", type=int, default=int(time.time()) % 100000, help="choose the same ten random names again")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"only these: {', '.join(PARTS)}")
    options = parser.parse_args(arguments)
    chosen = options.parts or PARTS
    if unknown := [part for part in chosen if part not in PARTS]:
        parser.error(f"there is no part {unknown[0]}, only {', '.join(PARTS)}")
    start, misses = time.monotonic(), []
    prepare()
    from . import access, book, keyboard, paste, play, published, reader, search, shots, size
    work = {"search": lambda: search.check(SITE, options.seed), "shots": lambda: shots.take(SITE, SHOTS)}
    work |= {module.__name__.rpartition(".")[2]: functools.partial(module.check, SITE) for module in (play, access, keyboard, reader, published, paste, book, size)}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:  # two at a time, as a small machine has processors
        running = {pool.submit(timed, work[part]): part for part in PARTS if part in chosen}
        for done in concurrent.futures.as_completed(running):
            misses += report(running[done], *done.result())
    if misses:
        print(f"\n{len(misses)} misses", file=sys.stderr)
        return 1
    print(f"the edition is checked in {time.monotonic() - start:.0f} s")
    return 0


def timed(work):
    start = time.monotonic()
    said, misses = work()
    return said, misses, time.monotonic() - start


def report(part, said, misses, seconds):
    print(f"{part}: {said} ({seconds:.0f} s)" + (f": {len(misses)} misses" if misses else ""), flush=True)
    for miss in misses:
        print(f"  {miss}", file=sys.stderr, flush=True)
    return misses


def prepare():
    """Installs the packages, once, and looks for the browser."""
    for program, package in [("chromium", "chromium"), ("chromedriver", "chromium-driver")]:
        if not shutil.which(program):
            raise Failure(f"check needs {program}: apt-get install {package}")
    marker = Path(sys.prefix) / "check-installed.txt"
    if not marker.exists() or marker.read_bytes() != REQUIREMENTS.read_bytes():
        print(f"reading-edition: installing the packages of {REQUIREMENTS.relative_to(ROOT)}", file=sys.stderr)
        done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "-r", REQUIREMENTS])
        if done.returncode:
            raise Failure(f"cannot install the packages of {REQUIREMENTS.relative_to(ROOT)}; this needs the network once")
        shutil.copy(REQUIREMENTS, marker)
    os.environ.setdefault("SE_OFFLINE", "true")
