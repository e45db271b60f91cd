"""The cards: name.html#NAME shows one, names.html lists them. And the data of the search: data/names.js with all names, data/words.js with the
headings of the pages, data/cards-N.js with the cards."""

import re

from ..cards import ID
from ..site import slug

ORDER = 5
SIZE = 120  # cards in a file
#: The Chinese words of the articles, and the names that they stand for.
TERMS = {
    "运行循环": "CFRunLoop", "事件循环": "CFRunLoop", "观察者": "CFRunLoopObserver", "监听者": "CFRunLoopObserver", "输入源": "CFRunLoopSource", "事件源": "CFRunLoopSource",
    "源": "CFRunLoopSource", "定时器": "CFRunLoopTimer", "定时源": "CFRunLoopTimer", "计时器": "CFRunLoopTimer", "模式": "CFRunLoopMode", "运行模式": "CFRunLoopMode",
    "公共模式": "kCFRunLoopCommonModes", "默认模式": "kCFRunLoopDefaultMode", "唤醒": "CFRunLoopWakeUp", "停止": "CFRunLoopStop", "休眠": "__CFRunLoopServiceMachPort",
    "睡眠": "__CFRunLoopServiceMachPort", "端口": "CFMachPort", "退出": "kCFRunLoopExit", "进入": "kCFRunLoopEntry", "主队列": "__CFRUNLOOP_IS_SERVICING_THE_MAIN_DISPATCH_QUEUE__",
    "主线程": "CFRunLoopGetMain", "常驻线程": "CFRunLoopGetCurrent", "容忍度": "CFRunLoopTimerSetTolerance",
}
TEXT = {
    "name.title": ("A name", "名字"),
    "name.noscript": ("The cards are loaded by a script.", "卡片由脚本载入。"),
    "names.title": ("All names", "全部名字"),
    "names.names": ("Names", "名字"),
    "names.items": ("Items of the articles", "文章的小节"),
    "names.ids": ("Claims and differences", "论断与差异"),
    "names.tests": ("Tests", "测试"),
    "names.lead": ("{count} names: of the articles, of the original, and of this code.", "共 {count} 个名字：文章里的、原版的，以及这份代码的。"),
}


def build(site):
    cards = site.cards
    site.terms = {words: name for words, name in TERMS.items() if name in cards.all}
    entries, chunk = [], {}
    for number, name in enumerate(cards.names):
        content = cards.html(name)
        chunk[name] = content
        if len(chunk) == SIZE or number == len(cards.names) - 1:
            site.data(f"cards-{number // SIZE}", f"cards-{number // SIZE}", chunk)
            chunk = {}
        card = cards.all[name]
        here = f"src/{card.here[0].path}.html#L{card.here[0].line}" if card.here else ""
        entries.append([name, cards.line(name), here, 1 if card.record.get("articles") else 2 if card.get("original") or card.get("rows") else 3])
    site.data("names", "names", {"size": SIZE, "entries": entries})
    site.page("name.html", site.text("name.title"), "name.html", kind="name", anchors=[slug(name) for name in cards.names])
    groups = {group: [] for group in ["names", "items", "ids", "tests"]}
    for name in cards.names:
        groups[_group(cards.all[name])].append(name)
    site.page("names.html", site.text("names.title"), "names.html", count=len(cards.names), groups={group: sorted(names, key=_order) for group, names in groups.items()})


def _group(card):
    """What a name is, for the list of all names."""
    if re.fullmatch(r"\d\.\d+", card.name):
        return "items"
    if ID.fullmatch(card.name):
        return "ids"
    return "tests" if card.here and all(symbol.path.startswith("Tests/") for symbol in card.here) else "names"


def _order(name):
    """The order of a reader: without leading underscores and capitals, numbers by their value."""
    return [part.zfill(4) if part.isdigit() else part for part in re.split(r"(\d+)", name.lower().lstrip("_"))]
