"""The strings of the interface, each in English and Chinese. Those that begin with `js.` also reach the scripts, as edition.text.

A module of pages/ adds its own with a dictionary TEXT. A key that is missing, or has only one language, fails the build.
"""

from .failure import Failure

TABLE = {
    "edition": ("The run loop, read", "RunLoop 阅读版"),
    "skip": ("Skip to the content", "跳到正文"),
    "menu": ("Pages", "页面"),
    "language": ("中文", "English"),
    "theme": ("Light or dark", "浅色或深色"),
    "navigation.source": ("Source", "源码"),
    "foot": ("Generated from the sources, annotations and tests of this repository.", "由本仓库的源码、注解和测试生成。"),

    "source.title": ("Source", "源码"),
    "source.lead": ("Every file, with notes beside the code. Start with {first}: the ten steps.", "全部文件，代码旁有注解。从 {first} 开始：那里有十个步骤。"),
    "source.lines": ("{count} lines", "{count} 行"),
    "source.notes": ("Notes", "注解"),
    "source.code": ("Code of {path}", "{path} 的代码"),
}
_origin = dict.fromkeys(TABLE, __file__)


def add(strings, file):
    """Adds the strings of a module."""
    for key, pair in strings.items():
        if key in TABLE:
            raise Failure(f"{file}: the text '{key}' is already in {_origin[key]}")
        if len(pair) != 2 or not all(isinstance(value, str) and value for value in pair):
            raise Failure(f"{file}: the text '{key}' needs a string in English and one in Chinese")
        TABLE[key] = pair
        _origin[key] = file


class Text:
    """The strings in one language: text("source.lines", count=3)."""

    def __init__(self, language):
        self.index = ("en", "zh").index(language)

    def __call__(self, key, **values):
        if key not in TABLE:
            raise Failure(f"the text '{key}' is missing: add it to Scripts/edition/text.py or to TEXT of the page's module")
        return TABLE[key][self.index].format(**values) if values else TABLE[key][self.index]

    def all(self):
        return [(key, pair[self.index]) for key, pair in TABLE.items()]
