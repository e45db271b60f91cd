"""Builds the whole site: both languages, all pages, then the check of every internal link."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from facts import ROOT, Failure

from . import background, cards, lab, source, text
from .pages import articles, book, claims, corrections, differences, documents, experiments, front, items, names, original, paste, play, stacks, structs
from .site import Site, check, script
from .symbols import Symbols

OUT = ROOT / ".build/edition/site"
KEY = OUT.with_name("site.key")
PAGES = [play, front, names, book, source, original, structs, stacks, claims, corrections, differences, paste, articles, items, experiments, documents]  # in the order of the head


def run():
    """Builds the site and returns its folder. If nothing has changed since the last build, it is left alone."""
    files = tracked_files()
    key = inputs(files)
    if KEY.is_file() and KEY.read_text() == f"{key} {built()}":
        return OUT
    for module in PAGES:
        text.add(getattr(module, "TEXT", {}), module.__file__)
    text.check(Path(__file__).parent)
    background.begin(play.module)
    lab.data()
    background.begin(lab.make)
    new = OUT.with_name("site.new")
    shutil.rmtree(new, ignore_errors=True)
    shutil.copytree(Path(__file__).parent / "static", new / "static")
    symbols = Symbols(files)
    source.highlight(symbols)
    sites = {language: Site(language, new, symbols) for language in ("en", "zh")}
    vars(sites["zh"]).update(background.beside(lambda: build(sites["en"]), lambda: build(sites["zh"])))
    check(list(sites.values()))
    files = {file.relative_to(new): file.read_bytes() for file in new.rglob("*") if file.is_file()}
    files |= {Path(site.language, path): content.encode() for site in sites.values() for path, content in site.files.items()}
    for path, values in sites["en"].common.items():
        files[Path(path)] = script(f"../../{path.removesuffix('.js')}", values).encode()
    files[Path("index.html")] = sites["en"].start_page(sites.values()).encode()
    write(files, OUT)
    shutil.rmtree(new)
    KEY.write_text(f"{key} {built()}")
    return OUT


def build(site):
    """Builds the pages of a language, and returns what the check and the writing need. The sources come first, because others lead to their scripts; the pages that show
    transcripts come last, because these take longest."""
    site.plays = not play.missing()
    site.cards = cards.Cards(site)
    site.navigation = [entry for module in PAGES for entry in getattr(module, "NAVIGATION", [])]
    for module in sorted(PAGES, key=lambda module: (module is not source, module in (items, experiments))):
        site.turn = PAGES.index(module)
        module.build(site)
    site.finish()
    play.alone(site)
    return {name: vars(site)[name] for name in ("pages", "origins", "links", "misses", "files")}


def inputs(files):
    """A digest of everything that the site is made of: the files of the repository, the packages that turn them into pages, and what a page cannot do here."""
    digest = hashlib.sha256(f"{sys.version} {play.missing()}".encode())
    for path in files:
        digest.update(f"{path}\0".encode())
        digest.update((ROOT / path).read_bytes())
    return digest.hexdigest()


def built():
    """The number of the site's files and their size, which shows whether somebody has changed it since."""
    sizes = [path.stat().st_size for path in OUT.rglob("*") if path.is_file()]
    return f"{len(sizes)} {sum(sizes)}"


def write(files, folder):
    """Makes a folder have these files and no others. A file that has its content already is left alone: most have, from the last build."""
    for old in [path for path in folder.rglob("*") if path.is_file() and path.relative_to(folder) not in files]:
        old.unlink()
    folders = set()
    for path, content in files.items():
        file = folder / path
        if file.parent not in folders:
            file.parent.mkdir(parents=True, exist_ok=True)
            folders.add(file.parent)
        if not file.is_file() or file.stat().st_size != len(content) or file.read_bytes() != content:
            file.write_bytes(content)


def tracked_files():
    """The files that git knows, and new ones that it does not ignore."""
    listing = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    if listing.returncode:
        raise Failure(f"git ls-files: {listing.stderr.strip()}")
    return [path for path in listing.stdout.splitlines() if (ROOT / path).is_file()]
