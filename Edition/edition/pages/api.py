"""The interface: api/swift/TYPE.html from the symbol graph of the toolchain, api/c/HEADER.html from the doc comments of the public headers.

DocC's own pages fetch their data, which no browser allows from file://, so the symbol graph is rendered here. The Chinese pages
have the comments of Documentation/Reference/api.zh.
"""

import html
import re

from markupsafe import Markup

from .. import api_zh, declarations, document
from facts import Failure

ORDER = 90
NAVIGATION = [("api/index.html", "navigation.api")]
TEXT = {
    "navigation.api": ("API", "接口"),
    "api.title": ("The interface", "接口"),
    "api.lead": ("Every public declaration with its comment: of the Swift layer, and of the C headers.",
                 "Swift 层和 C 头文件的每个公开声明和它的注释。这里的注释是中文，代码里的是英文。"),
    "api.swift": ("Swift", "Swift"),
    "api.c": ("C headers", "C 头文件"),
    "api.source": ("source", "源码"),
    "api.inherits": ("Conforms to or inherits from", "遵循或继承"),
    "api.members": ("{count} members", "{count} 个成员"),
    "api.declarations": ("{count} declarations", "{count} 个声明"),
    "api.functions": ("Functions", "函数"),
    "api.kind.swift.class": ("Classes", "类"),
    "api.kind.swift.struct": ("Structures", "结构体"),
    "api.kind.swift.enum": ("Enumerations", "枚举"),
    "api.kind.swift.protocol": ("Protocols", "协议"),
    "api.kind.members.case": ("Cases", "枚举值"),
    "api.kind.members.init": ("Initializers", "初始化方法"),
    "api.kind.members.type": ("Type properties and methods", "类型属性和方法"),
    "api.kind.members.property": ("Properties", "属性"),
    "api.kind.members.method": ("Methods", "方法"),
    "api.kind.members.other": ("Others", "其他"),
}
BUILD = ".build/debug"
#: The headings in the headers (MARK), in Chinese.
GROUPS = {
    "Callbacks": "回调",
    "Creating arrays": "创建数组",
    "Reading": "读取",
    "Changing": "修改",
    "What the compiler can do": "编译器支持什么",
    "Availability": "可用性",
    "Enumerations": "枚举",
    "Creating bags": "创建 bag",
    "Names": "名字",
    "Declarations": "声明",
    "Attributes": "属性",
    "Plain types": "基本类型",
    "Null": "空对象",
    "Allocators": "分配器",
    "Functions for every object": "所有对象通用的函数",
    "Creating": "创建",
    "Creating dictionaries": "创建字典",
    "Getting a run loop": "获取 RunLoop",
    "Modes": "mode",
    "Running": "运行",
    "Adding and removing items": "添加和移除 item",
    "Sources": "Source",
    "Observers": "Observer",
    "Timers": "Timer",
    "Events": "事件",
    "The present state of a loop": "RunLoop 的当前状态",
    "Creating sets": "创建集合",
    "Addresses and connections": "地址和连接",
    "The rest": "其他",
    "Encodings": "编码",
    "Constant strings": "常量字符串",
    "Creating strings": "创建字符串",
    "Reading strings": "读取字符串",
    "Extending strings": "追加到字符串",
    "Showing": "显示",
    "Descriptions": "描述",
}


def build(site):
    names = [path for path in site.symbols.files if declarations.is_public_header(path)]
    translations = {}
    if site.language == "zh":
        translations, _ = api_zh.load(site.root, api_zh.c_pages(site.root) | api_zh.swift_pages(site.root, BUILD))
    types, functions = _swift(site, translations)
    headers = sorted((_header(site, path, translations) for path in names),
                     key=lambda header: (header["name"] != "CFRunLoop.h", not header["name"].startswith("CFRunLoop"), header["name"]))
    site.page("api/index.html", site.text("api.title"), "api.html", types=types, functions=functions, headers=headers,
              groups=[(kind, [type for type in types if type["kind"] == kind]) for kind in declarations.TYPES])
    for type in types:
        site.page(f"api/swift/{type['address']}.html", type["name"], "api_type.html", type=type)
    for header in headers:
        site.page(f"api/c/{header['name']}.html", header["name"], "api_header.html", header=header)


# Swift

def _swift(site, translations):
    def entry(file, name, found):
        return found | _comment(site, translations.get((file, name), found["comment"])) | {
            "declaration": _declaration(found["fragments"]), "source": _source(site, found["comment"])}

    def page(type):
        file = api_zh.swift_file(type)
        return entry(file, type["name"], type) | {
            "groups": [(kind, [entry(file, member["anchor"], member) for member in members]) for kind, members in type["groups"]]}

    types, functions = declarations.swift(site.root, BUILD)
    return [page(type) for type in types], [entry(api_zh.FUNCTIONS, function["anchor"], function) for function in functions]


def _comment(site, comment):
    """A doc comment as HTML: all of it, and its first paragraph."""
    parsed = Comment(site, comment)
    return {"doc": parsed.render(), "first": parsed.first()}


def _source(site, comment):
    return site.source(comment.path, comment.line) if comment.path in site.symbols.files else None


CLASSES = {"keyword": "k", "attribute": "p", "identifier": "d", "numberLiteral": "m", "stringLiteral": "s"}


def _declaration(fragments):
    out = []
    for fragment in fragments:
        text = html.escape(fragment["spelling"], quote=False)
        out.append(f'<span class="{CLASSES[fragment["kind"]]}">{text}</span>' if fragment["kind"] in CLASSES else text)
    return Markup("".join(out))


class Comment(document.Document):
    """A doc comment as Markdown, in which names of the project are links."""

    def __init__(self, site, comment):
        from markdown_it import MarkdownIt
        self.site, self.path, self.other, self.is_translated, self.aliases, self.page = site, comment.path, comment.path, False, {}, ""
        self.place = comment.place
        self.parser = MarkdownIt("commonmark").enable("table")
        self.tokens = self.parser.parse(re.sub(r"``([^`]+)``", r"`\1`", comment.text))

    def render(self, tokens=None, headings=True):
        return Markup(self._blocks(self.tokens))

    def first(self):
        """Its first paragraph."""
        return self.inline(self.tokens[1].children) if self.tokens and self.tokens[0].type == "paragraph_open" else Markup("")

    def _ids(self, text):
        return document.link_words(self.site, html.escape(text, quote=False))

    def _place(self, text=None):
        return self.place


# C

def _header(site, path, translations):
    header = declarations.header(site.root, path)
    file = api_zh.c_file(header)

    def entry(found):
        translation = translations.get((file, found["anchor"]))
        code = _without_ids(found["code"])
        if translation:  # it says what the comments inside the braces say
            code = [line for line in code if not line.strip().startswith("///")]
        return found | _comment(site, translation or found["comment"]) | {
            "code": Markup(document.highlighted("\n".join(code), "c")), "source": _source(site, found["comment"])}

    return header | _comment(site, translations.get((file, header["name"]), header["comment"])) | {
        "groups": [(_group(site, path, title, line), [entry(found) for found in entries]) for title, line, entries in header["groups"]], "source": site.source(path)}


def _group(site, path, title, line):
    """The heading of a group of declarations."""
    if title and title not in GROUPS:
        raise Failure(f"{path}:{line}: the heading '{title}' has no Chinese form in GROUPS in Edition/edition/pages/api.py")
    return site.both(title, GROUPS.get(title, ""))


def _without_ids(code):
    return [re.sub(r"\s*// \[[^\]]*\]$", "", line) for line in code]
