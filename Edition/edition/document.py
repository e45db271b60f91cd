"""Markdown as pages: the documents of the repository, and parts of them for other pages.

`Document.of(site, path)` reads a document in the site's language (PATH.zh.md if there is one). Links to documents, sources and pictures of
the repository become links of the site; names in code and the ids of claims and differences become links, too.
"""

import html
import os.path
import re
import shutil
from dataclasses import dataclass
from functools import lru_cache
from types import SimpleNamespace
from urllib.parse import unquote

from facts import ROOT, annotations, book, breaks, tables

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markupsafe import Markup
from pygments import lexers
from pygments.token import Comment, Generic, Keyword, Name, Number, String

from . import lab, play, source
from facts import Failure

ID = re.compile(rf"(?<![A-Za-z0-9_\-./#])({tables.ID})(?![A-Za-z0-9_\-]|\.\d)")
CODE_NAME = re.compile(r"[A-Za-z_]\w+")
PLAIN = {"RunLoop", "NSRunLoop", "CoreFoundation", "macOS", "iPhone"}  # words of prose, not names
SIGNATURE = r"(?:[A-Za-z]\w*\.)*[A-Za-z]\w*\((?:\w+:)+\)"  # RunLoop.run(until:)
FILE_NAME = re.compile(r"\w+\.(?:swift|c|h|md|txt|py)")
GENERATED = re.compile(r"^<!--.*-->\s*$", re.S)
#: Stars between a full stop and a letter, or before a space, are text: `**结束。**没有` needs a space behind them.
STARS = re.compile(r"\*\*|[。，：；]\*|\*(?=[。，：；])")
OUTSIDE = re.compile(r"^[a-z]+:")
HIDDEN = re.compile(r"(?:^|(?<=/))\.(?=[^./])")  # what publishes a folder of static pages leaves such files and folders out
TRANSLATIONS = "Documentation/Reference/api.zh/"  # which the cards show
#: The documents of the ids and corrections that pages of their own have.
HOMES = [annotations.document(name, "en") for name in (annotations.ANNOTATIONS, annotations.CORRECTIONS, annotations.DIFFERENCES)]
#: The parser of doc comments, in which * and _ are parts of code.
COMMENTS = MarkdownIt("commonmark").disable("emphasis")
LANGUAGE = {"swift": "swift", "c": "c", "bash": "bash", "sh": "bash", "shell": "bash", "python": "python", "cmake": "cmake", "diff": "diff", "console": "text", "text": "text"}


def original(path):
    """The English document that a document belongs to: README.zh.md → README.md."""
    return path.removesuffix(".zh.md") + ".md" if path.endswith(".zh.md") else path


def address(path):
    """The page of a document."""
    folder, _, name = original(path).rpartition("/")
    if folder == book.FOLDER:
        return f"book/{'index' if name == 'README.md' else name.removesuffix('.md')}.html"
    return f"doc/{original(path).removesuffix('.md')}.html"


@lru_cache(None)
def documents(symbols):
    """The English paths of all documents that have a page. Those in hidden folders, such as .github, are forms for a code host."""
    return [path for path in symbols.files if path.endswith(".md") and not path.endswith(".zh.md") and not HIDDEN.search(path) and not path.startswith(TRANSLATIONS)]


@dataclass
class Section:
    """A heading and what stands below it, up to the next heading of any level."""
    level: int
    heading: list  # inline tokens
    text: str
    slug: str
    body: list  # block tokens
    line: int


class Document:
    """A document in one language."""

    @classmethod
    @lru_cache(None)
    def of(cls, site, path):
        return cls(site, path)

    def __init__(self, site, path):
        self.site, path = site, original(path)
        chinese = path.removesuffix(".md") + ".zh.md"
        self.is_translated = (ROOT / chinese).is_file()
        self.path = chinese if site.language == "zh" and self.is_translated else path
        self.other = (path if self.path == chinese else chinese) if self.is_translated else self.path
        self.aliases = self.places = None
        self.program = self.moment = None  # of a chapter of the book: the last program, and the line of its log at which the next one begins
        self.page = address(path)
        try:
            text = (ROOT / self.path).read_text(encoding="utf-8")
        except OSError as error:
            raise Failure(f"cannot read {self.path}: {error.strerror}") from error
        self.parser = MarkdownIt("commonmark", {"html": True}).enable("table")
        self.environment = {}
        self.tokens = self.parser.parse(text, self.environment)
        self.sections = self._sections()

    @property
    def title(self):
        return self.sections[0].text if self.sections else os.path.basename(self.path)

    def whole(self):
        """The HTML of the document without its title and its link to the other language."""
        return Markup("").join(map(self.section, self.sections))

    def section(self, section):
        """The HTML of a section, with its heading unless that is the document's title."""
        if section.level < 2:
            self.program = None
            return self.render(section.body)
        id, text = html.escape(section.slug), html.escape(section.text)
        return Markup(f'<h{section.level} id="{id}">{self._alias(section)}{self.inline(section.heading)}<a class="here" href="#{id}" aria-label="{text}">#</a></h{section.level}>\n') + self.render(section.body)

    def render(self, tokens):
        """The HTML of block tokens."""
        return Markup(Renderer(self).render(tokens, self.parser.options, {}))

    def inline(self, children):
        """The HTML of inline tokens."""
        return Markup(Renderer(self).renderInline(children or [], self.parser.options, {}))

    def parsed(self, text):
        """The inline tokens of a text, with the links that the document defines."""
        return self.parser.parseInline(text, self.environment)[0].children

    # Parts

    def _sections(self):
        found, slugs = [], {}
        tokens = iter(self.tokens)
        for token in tokens:
            if token.type != "heading_open":
                if not found:
                    found.append(Section(0, [], "", "", [], 1))
                found[-1].body.append(token)
                continue
            inline = next(tokens)
            next(tokens)
            text = plain(inline.children)
            base = github_slug(text)
            count = slugs.get(base, 0)
            slugs[base] = count + 1
            found.append(Section(int(token.tag[1]), inline.children, text, base if not count else f"{base}-{count}", [], token.map[0] + 1))
        if found and not found[0].level:
            found = found[1:] if not found[0].body else found
        first = next((section for section in found if section.level), None)
        if first and first.body and first.body[0].type == "paragraph_open" and first.body[1].content in ("[中文](%s)" % os.path.basename(self.path.removesuffix(".md") + ".zh.md"),
                                                                                                       "[English](%s)" % os.path.basename(original(self.path))):
            first.body = first.body[3:]
        return found

    def _alias(self, section):
        """An anchor with the slug that the heading has in the other language, so that the switch of languages keeps the place."""
        if self.aliases is None:
            self.aliases = {}
            if self.is_translated and self.path != self.other:
                own, others = self.sections, _sections(self.other)
                if [section.level for section in own] == [section.level for section in others]:
                    taken = {section.slug for section in own}
                    self.aliases = {mine.slug: other.slug for mine, other in zip(own, others) if other.slug not in taken}
        other = self.aliases.get(section.slug)
        return f'<span id="{html.escape(other)}"></span>' if other else ""

    # HTML

    def ids(self, text):
        return link_ids(self.site, text, self.place())

    def code(self, token):
        word, path = (token.info.split() + ["", ""])[:2]
        listing = f'<pre class="listing" tabindex="0" role="group" aria-label="{html.escape(self.site.text("document.code"))}">{highlighted(token.content, LANGUAGE.get(word.lower()))}</pre>\n'
        if original(self.path).startswith(f"{book.FOLDER}/"):
            return self._in_chapter(listing, word, path, token.content)
        if word == "program":
            address = self.site.href(play.address(token.content, thread=path or None), self.place())
            return listing + (f'<p class="place">{self.site.link(address, self.site.text("document.play"))}</p>\n' if self.site.plays else "")
        return listing + (f'<p class="place">{self._line(word, path, token.content)}</p>\n' if path else "")

    def _line(self, word, path, text):
        """A link to lines of a source file, or of a change to it."""
        line = book.line_of(path, book.sides(text)[0] if word == "diff" else text)
        return self.site.link(self.site.source(path, line, self.place()), self.site.text("document.line", file=os.path.basename(path), line=line))

    def _in_chapter(self, listing, word, path, text):
        """A block of a chapter. Its first program plays in a frame above it; the others, and broken lines, do when the reader asks for it (book.js)."""
        kind = word if word == "program" else path if word == "text" else None
        listing = listing.replace('class="listing"', f'class="listing {kind}"') if kind else listing
        if word == "program":
            is_first, moment, self.program, self.moment = self.program is None, self.moment, text, None
            if not self.site.plays:
                return listing
            address = html.escape(self.site.href(play.address(text, line=moment), self.place()))
            if not is_first:
                return f'{listing}<p class="place"><a class="here-plays" href="{address}">{self.site.text("document.here")}</a></p>\n'
            frame = f'<iframe src="{address}" title="{html.escape(self.site.text("document.frame"))}" loading="lazy"></iframe>\n'
            return f'{frame}<p class="place"><a href="{address}">{self.site.text("document.whole")}</a></p>\n{listing}'
        if word not in ("c", "diff"):
            return listing
        place = self._line(word, path, text)
        if word == "diff" and self.site.plays:
            broken = breaks.of_change(path, book.broken(path, text)).number
            address = html.escape(self.site.href(play.address(self.program, broken=broken), self.place()))
            place += Markup(f' <a class="here-plays break" href="{address}">{self.site.text("document.break")}</a>')
        return f'{listing}<p class="place">{place}</p>\n'

    # Addresses

    def target(self, link, name=None):
        """Where a link of the document leads in this site. A link from a name to a source file leads to the line that defines it."""
        if OUTSIDE.match(link):
            return link
        path, _, fragment = unquote(link).partition("#")
        if not path:
            return self._moved(fragment) or self.site.href(f"{self.page}#{fragment}", self.place(link))
        file = os.path.normpath(os.path.join(os.path.dirname(self.path), path))
        if name and not fragment and (found := self.site.symbols.find(name, file)) and found.path == file:
            return self.site.source(file, found.line, self.place(link))
        return file_target(self.site, file, fragment, self.place(link))

    def _moved(self, fragment):
        """Anchors that pages of their own have: the ids of claims, differences and corrections."""
        known = known_ids() if original(self.path) in HOMES else {}
        return self.site.href(known[fragment], self.place(fragment)) if fragment in known else None

    def place(self, text=None):
        """The file, and the line of a link in it, for messages."""
        if self.places is None:
            self.places = {}
            for number, line in enumerate((ROOT / self.path).read_text(encoding="utf-8").splitlines(), 1):
                for word in re.findall(r'[^\s()\[\]<>"]+', line):
                    self.places.setdefault(unquote(word), number)
        number = self.places.get(unquote(text)) if text else None
        return f"{self.path}:{number}" if number else self.path


class Renderer(RendererHTML):
    """The HTML of a document's Markdown: a method for each kind of token that is not set as usual."""

    def __init__(self, document):
        super().__init__()
        self.document, self.site, self.is_in_link = document, document.site, False

    def fence(self, tokens, index, options, environment):
        return self.document.code(tokens[index])

    code_block = fence

    def table_open(self, tokens, index, options, environment):
        return f'<div class="wide" tabindex="0" role="group" aria-label="{html.escape(self.site.text("document.table"))}"><table>'

    def table_close(self, tokens, index, options, environment):
        return "</table></div>\n"

    def text(self, tokens, index, options, environment):
        content = tokens[index].content
        if STARS.search(content):
            raise Failure(f"{self.document.place(content.split()[0])}: these stars set nothing in bold or italics: {content}")
        return html.escape(content, quote=False) if self.is_in_link else str(self.document.ids(content))

    def code_inline(self, tokens, index, options, environment):
        """A name in code: a link to where it is defined, or to the experiment of this name."""
        text = tokens[index].content
        content = f"<code>{html.escape(text, quote=False)}</code>"
        target = None if self.is_in_link else name_target(self.site, text, self.document.place())
        return f'<a class="name" href="{target}">{content}</a>' if target else content

    def softbreak(self, tokens, index, options, environment):
        """A line break between Chinese characters is no space."""
        return "" if index and tokens[index - 1].type == "text" and tokens[index - 1].content[-1:] > "\u2e7f" else "\n"

    def link_open(self, tokens, index, options, environment):
        name = tokens[index + 1].content.removesuffix("()") if [token.type for token in tokens[index + 1:index + 3]] == ["code_inline", "link_close"] else None
        target, self.is_in_link = self.document.target(tokens[index].attrs["href"], name), True
        return f'<a href="{html.escape(target)}"' + (' rel="noreferrer"' if OUTSIDE.match(target) and not target.startswith("site:") else "") + ">"

    def link_close(self, tokens, index, options, environment):
        self.is_in_link = False
        return "</a>"

    def image(self, tokens, index, options, environment):
        return f'<img src="{html.escape(self.document.target(tokens[index].attrs["src"]))}" alt="{html.escape(tokens[index].content)}" loading="lazy">'

    def html_inline(self, tokens, index, options, environment):
        """HTML in a document: anchors and pictures."""
        return re.sub(r'\b(src|href|srcset)="([^"]*)"', lambda match: f'{match[1]}="{html.escape(self.document.target(html.unescape(match[2])))}"', tokens[index].content)

    def html_block(self, tokens, index, options, environment):
        if moment := book.MOMENT.match(tokens[index].content):
            self.document.moment = int(moment[1])
        return "" if GENERATED.match(tokens[index].content) else self.html_inline(tokens, index, options, environment)


class Note(Document):
    """Texts of a card, in which bare names are links, too: doc comments of a file in a language, or cells of a document."""

    def __init__(self, site, path, language=None):
        self.site, self.path, self.language = site, path, language
        if language:
            self.parser, self.environment = COMMENTS, {}
        else:
            home = Document.of(site, path)
            self.parser, self.environment, self.path, self.page = home.parser, home.environment, home.path, home.page

    def comment(self, text):
        return self.render(self.parser.parse(re.sub(r"``([^`]+)``", r"`\1`", text)))

    def inline_of(self, text):
        return self.inline(self.parsed(text))

    def ids(self, text):
        return link_words(self.site, html.escape(text, quote=False), in_code=not self.language)

    def code(self, token):
        return f'<pre class="listing" tabindex="0">{highlighted(token.content, self.language)}</pre>\n'

    def place(self, text=None):
        return self.path


@lru_cache(None)
def _sections(path):
    """The sections of a file, for their headings."""
    site = SimpleNamespace(language="zh" if path.endswith(".zh.md") else "en")
    return Document(site, path).sections


def file_target(site, file, fragment="", origin=None):
    """The address of a file or a folder of the repository: its page here, or a copy."""
    if file.endswith(".md") and original(file) in documents(site.symbols):
        if original(file) in HOMES and fragment in known_ids():
            return site.href(known_ids()[fragment], origin)
        if example := play.example(site, file, fragment):
            return site.href(play.address(example), origin)
        return site.href(address(file) + (f"#{fragment}" if fragment else ""), origin)
    if source.is_source(file) and file in site.symbols.files:
        return site.source(file, fragment.removeprefix("L") or None, origin)
    if file in site.symbols.files:
        return site.href(copy(site, file), origin)
    if any(path.startswith(file.rstrip("/") + "/") for path in site.symbols.files):
        group = next((group for group in source.GROUPS if f"{file}/".startswith(f"{group}/") or group.startswith(file)), None)
        parts = "/".join(file.split("/")[:2])
        return site.href("src/index.html" + (f"#{group or parts}" if any(source.is_source(path) and path.startswith(file) for path in site.symbols.files) else ""), origin)
    # The build goes on, so that it names every such link.
    site.misses.append(f"{origin}: there is no file {file}")
    return site.href("doc/index.html", origin)


def shown_path(site, path):
    """The name of a document in the site's language, if it is in that language."""
    chinese = path.removesuffix(".md") + ".zh.md"
    return chinese if site.language == "zh" and path.endswith(".md") and not path.endswith(".zh.md") and (ROOT / chinese).is_file() else path


def section_target(site, path, fragment, origin=None):
    """The address of a heading of a document; in Chinese, of the heading at the same place."""
    if fragment and path.endswith(".md"):
        english, own = _sections(path), Document.of(site, path).sections
        index = next((index for index, section in enumerate(english) if section.slug == fragment), None)
        if index is not None and len(english) == len(own):
            fragment = own[index].slug
        elif site.language == "zh":
            fragment = ""
    return file_target(site, path, fragment, origin)


def copy(site, file):
    """Copies a file of the repository into the site and returns its address. A text is shown as one."""
    name, ending = os.path.splitext(file)
    for version in {file, name.removesuffix(".zh") + ending, name.removesuffix(".zh") + ".zh" + ending}:  # in both languages, so that the addresses are the same
        target = _copied(version)
        if target not in site.pages and version in site.symbols.files:
            (site.out / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / version, site.out / target)
            site.pages[target] = set()
    return _copied(file)


def _copied(file):
    return f"files/{HIDDEN.sub('dot-', file)}" + ("" if file.endswith((".svg", ".png", ".jpg", ".txt")) else ".txt")


@lru_cache(None)
def known_ids():
    """The address of each claim, difference and correction."""
    found = {row["id"]: ("differences" if row["id"].startswith("D") else "claims") + f".html#{row['id']}" for row in tables.rows("claims")}
    for number in range(1, len(annotations.corrections("en")) + 1):
        found[f"correction-{number}"] = found[f"更正-{number}"] = f"corrections.html#{number}"
    return found


def link_ids(site, text, origin=None):
    """A text as HTML in which the ids of claims and differences are links."""
    known = known_ids()
    out, end = [], 0
    for match in ID.finditer(text):
        if match[1] in known:
            out += [html.escape(text[end:match.start()], quote=False), f'<a class="id" href="{site.href(known[match[1]], origin)}">{match[1]}</a>']
            end = match.end()
    return Markup("".join(out) + html.escape(text[end:], quote=False))


def filters(site):
    """What templates use: `|ids` and `|words`."""
    site.templates.filters.setdefault("ids", lambda text: link_ids(site, text))
    site.templates.filters.setdefault("words", lambda text: link_words(site, html.escape(text, quote=False), in_code=True))


def link_words(site, text, in_code=False):
    """HTML in which names and ids become links; with `in_code`, names are also set as code."""
    def replaced(match):
        word, colon = match[0], ""
        if FILE_NAME.fullmatch(word):
            return word
        if word.endswith(")"):
            return linked(word)
        if word.endswith(":") and word.count(":") == 1 and (word[:-1] in site.cards.all or word not in site.cards.all):
            word, colon = word[:-1], ":"  # it ends a clause
        if ID.fullmatch(word) and word in known_ids():
            return f'<a class="id" href="{site.href(known_ids()[word])}">{word}</a>{colon}'
        if len(word) > 3 and _is_unmistakable(word) and word not in PLAIN:
            return linked(word) + colon
        return word + colon

    def linked(name):
        content = f"<code>{name}</code>" if in_code else name
        target = name_target(site, name)
        return f'<a class="name" href="{target}">{content}</a>' if target else content
    return Markup(re.sub(rf"(?<![\w&<.\-/])(?:{SIGNATURE}|[A-Za-z_](?:\w+\.(?:swift|c|h|md|txt|py)\b|\w+(?::(?:[A-Za-z_]\w*:)*)?))(?![^<]*>)", replaced, text))


def name_target(site, text, origin=None):
    """The address for a name in code: an experiment, a card, or the place of its definition. None if there is none."""
    if "(" in text and text in site.cards.all:  # a method in Swift: stop()
        return site.card(text, origin)
    if re.search(r"\w[.(]", text) and (name := site.cards.with_type(text)):
        return site.card(name, origin)
    command = text.removeprefix("swift run RunLoopLab ")
    if (item := re.fullmatch(r"article (\d\.\d+)(?: --\S+)?", command)) and item[1] in site.cards.all:
        return site.item(item[1])
    name = command.removesuffix("()").strip()
    if name in experiments(site):
        return site.href(f"experiments/{name}.html", origin)
    name = re.sub(r"^struct |\(.*$", "", name)
    if ":" in name and name in site.cards.all:
        return site.card(name, origin)
    if not CODE_NAME.fullmatch(name) or len(name) < 4:
        return None
    if name in site.cards.all and _is_unmistakable(name):
        return site.card(name, origin)
    found = site.symbols.find(name)
    if not found or (not _is_unmistakable(name) and found.kind not in ("test",)):
        return None
    return site.source(found.path, found.line, origin)


def _is_unmistakable(name):
    return "_" in name or bool(re.search("[a-z][A-Z]", name)) or bool(re.match("CF[A-Z]", name))


def experiments(site):
    """The names of the experiments."""
    return lab.experiment_names()


def plain(children):
    """The text of inline tokens."""
    return "".join(token.content if token.type in ("text", "code_inline") else " " if token.type == "softbreak" else plain(token.children or []) if token.type == "image" else ""
                   for token in children or [])


def github_slug(text):
    """The anchor that code hosts give to a heading."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


CLASSES = [(Comment.Preproc, "p"), (Comment, "c"), (String, "s"), (Number, "m"), (Keyword, "k"), (Name.Function, "d"), (Generic.Deleted, "del"), (Generic.Inserted, "add")]


def highlighted(code, language):
    """Code as HTML, in the classes of the source pages."""
    if not language or language == "text":
        return html.escape(code, quote=False)
    out = []
    for kind, value in lexers.get_lexer_by_name(language, stripnl=False).get_tokens(code):
        letter = next((letter for parent, letter in CLASSES if kind in parent), None)
        value = html.escape(value, quote=False)
        out.append(f'<span class="{letter}">{value}</span>' if letter else value)
    return "".join(out)
