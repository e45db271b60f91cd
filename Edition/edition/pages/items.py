"""Each item of the articles on a page of its own: items/0.15.html. What the article says there, in our words, beside the program that follows its
listing; whether it is true; what the program prints, with times and wake-ups; the stack, the figure, the examples that play it, the tests."""

import re

from markupsafe import Markup

from facts import documents
from facts.annotations import plain

from .. import annotations, document, lab, play

TEXT = {
    "item.title": ("{id} 〈{heading}〉", "{id}〈{heading}〉"),
    "item.article": ("Article {number}: {title}", "文章 {number}：{title}"),
    "item.previous": ("The item before", "上一条"), "item.next": ("The next item", "下一条"),
    "item.says": ("The article says", "文章说"),
    "item.cannot": ("Not here", "这里没有"),
    "item.listing": ("Our program", "我们的程序"),
    "item.code": ("Lines {lines} of {path}", "{path} 第 {lines} 行"),
    "item.noscript": ("A script loads the code. Without scripts, read the file in the repository.", "代码由脚本载入。没有脚本时，请看仓库里的文件。"),
    "item.shared": ("Other items of this program:", "这个程序还包括："),
    "item.stack": ("The stack at {name}", "{name} 的调用栈"),
    "item.transcript": ("What it prints", "打印的内容"), "item.transcript.as-written": ("What it prints, as the article has it", "按文章的写法打印的内容"),
    "item.transcript.cured": ("What it prints, cured", "改正后打印的内容"),
    "item.elsewhere": ("What it prints, with times and wake-ups, is on the page of {item}.", "打印的内容、时间和唤醒，见 {item} 的页面。"),
    "item.times": ("Seconds stand before each line; the list below says who wakes whom.", "每行前面是秒数；下面的列表是谁唤醒谁。"),
    "item.experiment": ("The experiment {name}", "实验 {name}"),
    "item.document": ("Shown in", "见"),
    "item.figure": ("The figure", "图"),
    "item.player": ("In the page", "在页面里"), "item.play": ("Play it: {title}", "播放：{title}"),
    "item.related": ("Play a related example ({item}): {title}", "播放相关的例子（{item}）：{title}"),
    "item.here": ("Where it is", "在哪里"),
    "item.run": ("Run it", "运行"), "item.trace": ("All that its loops do", "RunLoop 做的一切"), "item.tests": ("Tests", "测试"),
    "item.reading": ("Read along: {heading}", "伴读：{heading}"),
    "item.judge": ("what is checked", "检查的内容"),
    "item.corrections": ("Corrections", "更正"), "item.corrected": ("{number} ({badge})", "{number}（{badge}）"), "item.comma": (", ", "、"),
}


def build(site):
    document.filters(site)
    data = lab.data()
    known = {item["id"] for article in data["articles"] for item in article["items"]}
    site.templates.filters["items"] = lambda html, own: _items(site, known - {own}, html)
    programs = {program["name"]: program for program in data["programs"]}
    experiments = {experiment["name"]: experiment for experiment in data["experiments"]}
    figures = {figure["id"]: figure for figure in data["figures"]}
    shown = lab.transcripts(lab.commands(data), site.language)
    drawn = lab.figures(list(figures), site.language)
    examples = list(enumerate(play.examples(site.language), 1)) if site.plays else []
    items = [(article, item) for article in data["articles"] for item in article["items"]]
    passages = _passages()
    badges = {int(correction.number): correction.badge for correction in annotations.corrections(site)}
    shared = {}
    for _, item in items:
        if item["kind"] == "program":
            shared.setdefault(item["place"], []).append(item["id"])
    for number, (article, item) in enumerate(items):
        language, program = site.language, programs.get(item.get("place")) if item["kind"] == "program" else None
        experiment = experiments[item["place"]] if item["kind"] == "experiment" else None
        transcripts = _transcripts(site, program, experiment, shown)
        is_home = not program or program["name"] == item["id"] or any(kind["en"] in ("output", "stack") for kind in item["kinds"])
        site.page(
            f"items/{item['id']}.html", site.text("item.title", id=item["id"], heading=item["heading"]), "item.html", item=item, article=article, program=program,
            experiment=experiment, reading=_reading(site, *passages[item["id"]]), says=_text(item, "says", language), truth=_text(item, "truth", language), verdict=_text(item, "verdictWords", language),
            kinds=[kind[language] for kind in item["kinds"]], previous=items[number - 1][1]["id"] if number else None,
            next=items[number + 1][1]["id"] if number + 1 < len(items) else None, items=[id for id in shared.get(item.get("place"), []) if id != item["id"]],
            transcripts=transcripts if is_home else [], stack=_stack(item.get("breakPoint"), transcripts), place=_place(site, item),
            figures=[(figures[id]["title"][language], id, _figure(site, id, drawn[id]), figures[id]["caption"][language]) for id in item["figures"]],
            played=_played(site, examples, item, next((home for _, home in items if program and home["id"] == program["name"]), item)), corrections=[(number, badges[number]) for number in item["corrections"]],
            target=document.file_target(site, program["source"], origin="Lab/Articles") if program else None,
            listing=document.file_target(site, program["listing"], origin="Lab/Articles") if program else None,
            sessions=[(path, document.file_target(site, path, origin="Tests/Debugger")) for path in program["sessions"]] if program else [])


def _items(site, known, text):
    """HTML in which the ids of items are links. Of those with one decimal only what a reference leads to: 0.3 may be a number of seconds."""
    def replaced(match):
        return f'{match[1]}<a href="{site.href(f"items/{match[2]}.html")}">{match[2]}</a>' if match[2] in known else match[0]
    return Markup(re.sub(r"((?<![\w.])(?=\d\.\d\d)|(?:[Ss]ee|of|and|[见和、]) ?(?=\d\.\d\b))(\d\.\d{1,2})(?![\d%]|\.\d| ?(?:s\b|ms|µs|秒|seconds))(?![^<]*>)", replaced, text))


def _passages():
    """The passage of each item in the reading of its article: (path, which of the sections). Below its heading a passage names its items."""
    found = {}
    for path in documents.paths():
        if re.match(r"Documentation/Readings/\d-[^.]*\.md", path):
            for number, section in enumerate(documents.read(path).sections):
                line = section.parts[0].text if section.parts else ""
                found |= {id: (path, number) for id in re.findall(r"(?<![\w.])\d\.\d+(?=, |$)", line)} if line.startswith("〈") else {}
    return found


def _reading(site, path, number):
    """A link to the passage, in the site's language."""
    english, own = documents.read(path).sections[number].heading, documents.read(document.shown_path(site, path)).sections[number].heading
    return site.link(document.section_target(site, path, documents.anchor_of(english)), site.text("item.reading", heading=plain(own)))


def _text(item, key, language):
    return item[key][language] if item.get(key) else None


def _transcripts(site, program, experiment, shown):
    """(head, text)"""
    if experiment:
        return [(site.text("item.transcript"), lab.transcripts({experiment["name"]: experiment["source"]}, site.language)[experiment["name"]])]
    if not program:
        return []
    if program["isPair"]:
        return [(site.text(f"item.transcript.{form}"), shown[lab.command(program, form)]) for form in lab.FORMS]
    return [(site.text("item.transcript"), shown[lab.command(program)])]


def _stack(name, transcripts):
    """The frames at a break point, from a transcript: the lines below its head."""
    if not name:
        return None
    lines = transcripts[0][1].splitlines()
    head = next(index for index, line in enumerate(lines) if name in line and ("The stack at" in line or "调用栈" in line))
    end = next((index for index in range(head + 1, len(lines)) if not lines[index].startswith("  ")), len(lines))
    return [line.strip() for line in lines[head + 1:end]]


def _place(site, item):
    """The document that has an item."""
    if item["kind"] != "document":
        return None
    path, _, fragment = item["place"].partition("#")
    return site.link(document.section_target(site, path, fragment, "Lab/Articles"), document.shown_path(site, path).rpartition("/")[2])


def _figure(site, id, svg):
    """The address of a figure, which several items may have."""
    path = f"pictures/{id}.svg"
    site.files[path] = svg
    site.pages.setdefault(path, set())
    return site.href(path)


def _played(site, examples, item, home):
    """The examples of the language of programs that show an item, or the item of its program: their addresses, and the words of the links."""
    for of in (item, home):
        if found := [example for number, example in examples if number == of.get("example") or example["item"] == of["id"]]:
            break
    return [(play.address(example["text"]), site.text("item.play" if example["item"] == item["id"] else "item.related", item=example["item"],
                                                      title=play.ITEM.sub("", example["title"].partition(" ")[2]).rstrip())) for example in found]
