"""What a page has to call: one Site for each language.

Inside pages an internal address is written `site:PATH#FRAGMENT`, where PATH counts from the language's folder; `href`, `source`,
`card` and `link` make such addresses. When a page is written, they become relative addresses, so that the edition works from file://.
At the end `check` looks for the page and the anchor of each of them, and for all else that a page names.
"""

import html
import json
import os.path
import re
import sys
from collections import Counter
from functools import lru_cache

import jinja2
from markupsafe import Markup

from . import play, text
from facts import Failure

LANGUAGES = {"en": "English", "zh": "中文"}
ADDRESS = re.compile(r'\b(href|src|data-href|srcset|poster)="([^"]*)"')
OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.I)
HEADING = re.compile(r'<h([23])\b[^>]*?\bid="([^"]+)"[^>]*>(.*?)</h\1>|<section[^>]*\bid="([^"]+)"[^>]*>\s*<h([23])\b[^>]*>(.*?)</h\5>', re.S)
ANCHOR = re.compile(r'\bid="([^"]+)"')
TEXT = re.compile(r"<(pre|script|style|title|textarea)\b.*?</\1>|<[^>]*>|(?P<name>[A-Za-z_]\w{31,})", re.S)  # a long name, outside of tags and of code
HERE = os.path.dirname(__file__)


class Site:
    """The site in one language."""

    def __init__(self, language, out, symbols):
        self.language, self.top, self.out = language, out, out / language
        self.symbols = symbols
        self.text = text.Text(language)
        self.navigation = []  # (address, key of its text)
        self.plays = False  # whether play.html can perform programs here
        self.pages = {}  # path: the set of its anchors
        self.origins = {}  # address: the file and line that asked for it first
        self.files = {}  # path: content, of what will be written
        self.headings = []  # (turn, title, path, its headings), for the search
        self.turn = 0  # the place of the module that writes pages now, in the order of the search
        self.common = {}  # path from the top: keys and values, of the data that both languages share
        self.code = {}  # path of a source file: the script that has its code, code/3
        self.links = {}  # address: the first page that has it
        self.misses = []  # links to files that are not there, as 'file:line: what'
        self.templates = jinja2.Environment(loader=jinja2.FileSystemLoader(f"{HERE}/templates"), undefined=jinja2.StrictUndefined,
                                            autoescape=True, trim_blocks=True, lstrip_blocks=True)
        self.templates.filters["sentence"] = self._sentence
        self.templates.globals |= {"site": self, "t": self.text, "both": self.both, "href": self.href, "source": self.source,
                                   "card": self.card, "link": self.link}
        self.templates.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "ensure_ascii": False}


    # Text

    def both(self, english, chinese):
        """The text of this language."""
        return english if self.language == "en" else chinese

    def _sentence(self, text):
        """A text with a capital letter, unless it begins with a Swift name. In Chinese, words such as block keep their letters."""
        return text if self.language == "zh" or re.match(r"\w+\(", text) else text[:1].upper() + text[1:]

    # Addresses

    def href(self, address, origin=None):
        """The address of a page of this site: "claims.html#T3". `origin` is the file and line to mend if it leads nowhere, by default the caller's."""
        if address not in self.origins:
            self.origins[address] = origin or _caller()
        return f"site:{address}"

    def source(self, path, line=None, origin=None):
        """The address of a line of a source file."""
        return self.href(f"src/{path}.html" + (f"#L{line}" if line else ""), origin)

    def card(self, name, origin=None):
        """The address of a name's card."""
        return self.href(f"name.html#{slug(name)}", origin)

    def link(self, address, content, kind=None, origin=None):
        """A link to a page of this site, or, if the address begins with site:, to what `source` or `card` gave. `content` is escaped unless it is Markup."""
        target = address if address.startswith("site:") else self.href(address, origin)
        return Markup('<a href="{}"{}>{}</a>').format(target, Markup(' class="{}"').format(kind) if kind else "", content)

    def item(self, name):
        """The address of the page of an item of the articles: 0.15."""
        return self.href(f"items/{name}.html")

    # Output

    def page(self, path, title, template, anchors=(), **context):
        """Writes a page. `anchors` are fragments that a script of the page answers and no element has."""
        if path in self.pages:
            raise Failure(f"two pages have the address {path} ({_caller()})")
        depth = path.count("/")
        content = self.templates.get_template(template).render(
            title=title, path=path, base="../" * depth, static="../" * (depth + 1) + "static/",
            other="zh" if self.language == "en" else "en", languages=LANGUAGES, **context)
        ids = [html.unescape(id) for id in ANCHOR.findall(content)]
        self.pages[path] = set(ids) | set(anchors)
        self.misses += [f"{path}: two elements have the id {id}" for id, count in Counter(ids).items() if count > 1]
        if path not in ("index.html", "name.html", "names.html"):
            self.headings.append((self.turn, title, path, [] if path.startswith("src/") else HEADING.findall(content)))
        self._write(path, ADDRESS.sub(lambda match: self._relative(match, path), breakable(content)))

    def data(self, name, key, value):
        """Writes data/NAME.js, which sets edition.data[KEY]. A page loads it with a script element: fetch does not work from file://.
        Internal addresses in the value stay `site:…`; scripts pass its HTML through edition.html()."""
        content = script(name, {key: value})
        for match in ADDRESS.finditer(content.replace('\\"', '"')):
            self._relative(match, f"data/{name}.js")
        self.pages[f"data/{name}.js"] = set()
        self._write(f"data/{name}.js", content)

    def shared(self, name, values):
        """Writes NAME.js for both languages, which sets edition.data[KEY] for each key. A page loads it as edition.load("../../NAME")."""
        self.common[f"{name}.js"] = values

    def finish(self):
        """Writes what belongs to all pages."""
        self.data("words", "words", self._words())
        self.data("text", "text", {key.removeprefix("js."): value for key, value in self.text.all() if key.startswith("js.")})

    def scripted(self, address, page):
        """Notes an address that a script of a page makes, so that it is checked."""
        self._asked(address, page)

    def _words(self):
        """What the search knows of the pages: their titles and headings."""
        pages, headings = [], []
        for _, title, path, found in sorted(self.headings, key=lambda page: page[0]):
            pages.append([path, title])
            headings.append([title, len(pages) - 1, ""])
            for _, own, content, around, _, inner in found:
                if words := " ".join(html.unescape(re.sub(r"<[^>]*>", "", content or inner)).removesuffix("#").split()).removesuffix(" #"):
                    headings.append([words, len(pages) - 1, html.unescape(own or around)])
        return {"pages": pages, "headings": headings}

    def start_page(self, sites):
        """The page that picks a language, and lists the pages of both for readers without scripts."""
        return self.templates.get_template("start.html").render(
            languages=LANGUAGES, pages={site.language: [(address, site.text(key)) for address, key in self.navigation] for site in sites})

    def _write(self, path, content):
        self.files[path] = content

    def _relative(self, match, page):
        """An attribute with the address as the page has it. A link may lead out of the site; what a page loads is in it."""
        attribute, address = match[1], html.unescape(match[2])
        if address.startswith("site:"):
            address = address.removeprefix("site:")
            self._asked(address, page)
            path, _, fragment = address.partition("#")
            short = "" if path == page and fragment else _way(path, os.path.dirname(page))
            return f'{attribute}="{html.escape(short + ("#" + fragment if fragment else ""))}"'
        if not OUTSIDE.match(address):
            self._asked(page + address if address.startswith("#") else os.path.normpath(os.path.join(os.path.dirname(page), address)), page)
        elif not address.startswith("data:") and not (attribute == "href" and address.startswith(("https:", "mailto:"))):
            self.misses.append(f"{page}: asks for {address}, which is outside of the site")
        return match[0]

    def _asked(self, address, page):
        self.links.setdefault(address, page)


def script(name, values):
    """A data script."""
    content = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return f"Object.assign(edition.data,{content});edition.arrived({json.dumps(name)});\n"


def breakable(content):
    """HTML whose long names may break after an underscore, because the names of tests are wider than a phone. A part that is still long may break
    before a capital letter. edition.pieces in edition.js does the same for text that a script shows."""
    return TEXT.sub(lambda match: _breakable(match["name"]) if match["name"] else match[0], content)


@lru_cache(maxsize=None)
def _breakable(name):
    parts = re.split(r"(?<=[^_]_)(?=[^_])|(?<=[^_]__)(?=[^_])", name)
    return "<wbr>".join(re.sub("(?<=[a-z0-9])(?=[A-Z])", "<wbr>", part) if len(part) > 31 else part for part in parts)


@lru_cache(maxsize=200_000)
def _way(path, folder):
    return os.path.relpath(path, folder or ".")


def slug(name):
    """A name as a part of an address: characters that file systems or addresses treat in their own way become their number between two ~."""
    return re.sub(r"[^A-Za-z0-9_.+\-]", lambda match: f"~{ord(match[0]):x}~", name)


def check(sites):
    """Finds links that lead nowhere, and pages that only one language has."""
    misses = list(dict.fromkeys(miss for site in sites for miss in site.misses))
    english, chinese = sites
    around = {f"../{path}" for path in english.common} | {f"../{site.language}/{path}" for site in sites for path in site.pages}
    for site in sites:
        for address, page in sorted(site.links.items()):
            path, _, fragment = address.partition("#")
            origin = site.origins.get(address, f"the page {site.language}/{page}")
            if path.startswith("../"):
                if path not in around and not (site.top / path.removeprefix("../")).is_file():
                    misses.append(f"{origin}: there is no file {path.removeprefix('../')}")
            elif path not in site.pages:
                misses.append(f"{origin}: there is no page {path} (linked from {site.language}/{page})")
            elif fragment and fragment not in site.pages[path] and not (path == play.PAGE and play.answers(fragment)):
                misses.append(f"{origin}: the page {path} has no anchor #{fragment} (linked from {site.language}/{page})")
    for path in sorted(set(english.pages) ^ set(chinese.pages)):
        misses.append(f"the page {path} exists only in {'English' if path in english.pages else 'Chinese'}")
    if misses:
        raise Failure("links that lead nowhere:\n  " + "\n  ".join(dict.fromkeys(misses)))


def _caller():
    """The file and line outside of this module that is running: in Python, or in a template."""
    frame = sys._getframe(1)
    while frame:
        name = frame.f_code.co_filename
        if name.startswith(f"{HERE}/templates/"):
            return f"{os.path.relpath(name)}:{_template_line(frame.f_globals.get('debug_info', ''), frame.f_lineno)}"
        if name.startswith(HERE) and name != __file__:
            return f"{os.path.relpath(name)}:{frame.f_lineno}"
        frame = frame.f_back
    return "unknown"


@lru_cache(None)
def _template_line(table, line):
    """The template's line for a line of the Python code that Jinja made of it: the last entry of the table that is not behind it."""
    pairs = [pair.split("=") for pair in table.split("&") if pair]
    return next((template for template, code in reversed(pairs) if int(code) <= line), 1)
