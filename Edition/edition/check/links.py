"""Every link and anchor of the site resolves, in the files alone; and no page asks for anything from elsewhere."""

import functools
import html
import json
import os
import re
from urllib.parse import unquote

from .. import play
from ..site import slug

LINK = re.compile(r'\b(href|src|data-href|srcset|poster)="([^"]*)"')
ANCHOR = re.compile(r'\bid="([^"]+)"')
STYLE_LINK = re.compile(r'url\(\s*["\']?(?!data:)([^)"\']+)|@import')
OUTSIDE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)", re.I)


def check(site):
    pages = {str(path.relative_to(site)): path for path in site.rglob("*.html")}
    anchors, links, misses = {}, [], []
    for name, path in pages.items():
        text = path.read_text(encoding="utf-8")
        anchors[name] = set(map(html.unescape, ANCHOR.findall(text)))
        seen = set()
        for match in LINK.finditer(text):
            if match[2] not in seen:
                seen.add(match[2])
                links.append((name, text, match.start(), match[1], html.unescape(match[2])))
        if len(anchors[name]) != len(ANCHOR.findall(text)):
            misses.append(f"{name}: two elements have the same id: {', '.join(sorted(doubles(ANCHOR.findall(text))))[:200]}")
    answered = functools.lru_cache(None)(lambda language: scripted(site, language))
    count = 0
    for name, text, position, attribute, address in links:
        count += 1
        if attribute == "href" and OUTSIDE.match(address):
            if not address.startswith(("https://", "mailto:", "data:")):
                misses.append(f"{where(name, text, position)}: a link to {address}")
            elif text.rfind("<link", 0, position) > text.rfind(">", 0, position) and not address.startswith("data:"):
                misses.append(f"{where(name, text, position)}: the page asks for {address}, which is outside of the site")
            continue
        if OUTSIDE.match(address):
            if not address.startswith("data:"):
                misses.append(f"{where(name, text, position)}: the page asks for {address}, which is outside of the site")
            continue
        miss = resolve(site, pages, anchors, answered, name, address)
        if miss:
            misses.append(f"{where(name, text, position)}: {miss}")
    for path in site.rglob("*.css"):
        for match in STYLE_LINK.finditer(path.read_text(encoding="utf-8")):
            if not match[1] or OUTSIDE.match(match[1]) or not (path.parent / match[1]).is_file():
                misses.append(f"{path.relative_to(site)}: {match[0]}: only files of the site, or data: addresses")
    return f"{count} links in {len(pages)} pages", misses


def resolve(site, pages, anchors, answered, name, address):
    path, _, fragment = address.partition("#")
    raw, fragment = fragment, unquote(fragment)
    target = os.path.normpath(os.path.join(os.path.dirname(name), unquote(path))) if path else name
    if target not in pages:
        return None if (site / target).is_file() and not fragment else f"there is no page {target} (a link to {address})"
    if fragment and fragment not in anchors[target]:
        language, _, page = target.partition("/")
        if page == play.PAGE and play.answers(raw):
            return None
        if page == "index.html":
            fragment = slug(fragment)
        if fragment not in answered(language).get(page, ()):
            return f"the page {target} has no anchor #{fragment}"
    return None


def scripted(site, language):
    """The fragments that scripts answer: names in the search (as their files spell them), and lines of code."""
    names = {slug(entry[0]) for entry in value(site / language / "data/names.js")["entries"]}
    return {"index.html": names, "name.html": names} | lines(site)


@functools.lru_cache(None)
def lines(site):
    """The lines and steps of the source pages, whose code a script of both languages has."""
    found = {}
    for path, code in codes(site).items():
        found[f"src/{path}.html"] = {f"L{number + 1}" for number in range(code["lines"].count("\n") + 1)} | set(ANCHOR.findall(code["lines"]))
    return found


@functools.lru_cache(None)
def codes(site):
    """The code of each file."""
    return {key.removeprefix("code:"): code for path in (site / "code").glob("*.js") for key, code in values(path).items()}


def values(path):
    """What a data script sets."""
    return json.loads(re.match(r"Object\.assign\(edition\.data,(.*)\);edition\.arrived", path.read_text(encoding="utf-8"), re.S)[1])


def value(path):
    """The one value that a data script sets."""
    [found] = values(path).values()
    return found


def doubles(values):
    return {value for value in set(values) if values.count(value) > 1}


def where(name, text, position):
    return f"{name}:{text.count(chr(10), 0, position) + 1}"
