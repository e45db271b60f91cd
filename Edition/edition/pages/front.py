"""The front page: one box for a name, a stack or a printed loop; below it the picture of a pass, whose steps lead to their lines, and how to begin."""

import re
from pathlib import Path

from markupsafe import Markup

from facts import ROOT, Failure

from .. import document, source

TEXT = {
    "front.title": ("The reading edition", "RunLoop 阅读版"),
    "front.lead": ("A run loop lets a thread sleep until there is something to do, has it done, and lets the thread sleep again. This is Apple's CFRunLoop, written again in C for Linux. Each name of the articles leads to its line here, its counterpart in Apple's versions, and the tests that check it.",
                   "RunLoop 让线程没事时休眠，有事时醒来做完，再接着休眠。这里是用 C 为 Linux 重写的 Apple CFRunLoop。文章里的每个名字，都能找到这里对应的那一行、Apple 各版本中的样子，以及保证它成立的测试。"),
    "front.open": ("Which article do you have open?", "你打开的是哪篇文章？"),
    "front.open.text": ("Each leads to a page that reads along with it: what a passage says, a program, its output, a verdict, the code.",
                        "每一篇都有一页伴读：文章在讲什么，运行一个程序，看真实的输出，下一句判断，再看代码。"),
    "front.open.others": ("深入理解RunLoop, or Apple's “Run Loops”", "《深入理解RunLoop》，或者苹果的 Run Loops 指南"),
    "front.open.questions": ("another one: questions and answers", "别的文章：问答"),
    "front.watch": ("none: watch a loop run", "还没有：先看 RunLoop 转起来"),
    "front.try": ("Try", "试试"),
    "front.stack": ("a stack from Xcode", "Xcode 的调用栈"),
    "front.print": ("a loop printed on an iPhone", "iPhone 上打印的 RunLoop"),
    "front.steps": ("One run of the loop, in ten steps", "RunLoop 运行一次的十个步骤"),
    "front.picture": ("2 to 9 are a pass. Click a step to see its lines.", "2 到 9 是一轮循环。点一个步骤，看它对应的代码行。"),
    "front.begin": ("The first ten minutes", "最初的十分钟"),
    "front.begin.1": ("One minute.", "一分钟。"),
    "front.begin.1.text": ("Follow the picture once from top to bottom. Then see the line where the thread sleeps:", "先把这张图从上到下看一遍，再看线程休眠的那一行："),
    "front.begin.1.link": ("step 7", "步骤 7"),
    "front.begin.2": ("Twenty seconds.", "二十秒。"),
    "front.begin.2.text": ("Watch the loop run, and see why a timer stops while you scroll:", "看 RunLoop 转起来，看看滚动时 Timer 为什么停了："),
    "front.begin.2.link": ("this code performs it here in the page", "在页面里直接运行这段程序"),
    "front.begin.3": ("Three minutes.", "三分钟。"),
    "front.begin.3.text": ("Read the function that does it. Beside it stands what Apple's versions do, statement by statement; rest the pointer on a name, and its card appears.",
                           "读实现它的函数。旁边逐条列出 Apple 各版本做了什么；把指针停在名字上，会出现它的卡片。"),
    "front.begin.4": ("One minute.", "一分钟。"),
    "front.begin.4.text": ("Paste a stack from your own application into the box, or try", "把你自己应用的调用栈粘贴到搜索框里，或者先试试"),
    "front.begin.5": ("Two minutes.", "两分钟。"),
    "front.begin.5.text": ("Run a real loop in a terminal, and type something into it:", "在终端里运行一个真正的 RunLoop，往里面输入点东西："),
    "front.begin.5.link": ("the first hour goes on from here", "接着读《第一个小时》"),
    "front.then": ("Then", "然后"),
    "front.then.book/index": ("Read the book: the loop in eight chapters", "读这本书：用八章讲 RunLoop"),
    "front.then.articles/index": ("Read an article: each of its items, checked", "读文章：逐条对照、验证"),
    "front.then.original": ("What the original does, statement by statement", "原版做了什么，逐条陈述"),
    "front.then.structs": ("The structs, and the lock of each field", "结构体，以及每个字段由哪个锁保护"),
    "front.then.experiments/index": ("The experiments, with what they print", "实验和它们的输出"),
    "front.then.doc/index": ("Tutorial, guides and explanations", "教程、指南和说明"),
    "front.then.names": ("All names", "全部名字"),
}
NAMES = ["CFRunLoopWakeUp", "__CFRunLoopDoSource0", "_commonModeItems", "kCFRunLoopCommonModes", "runMode:beforeDate:", "L7", "0.15"]
#: By the first words of each article, the page that reads along with it.
READINGS = [("NSRunLoop", "Readings/0-nsrunloop"), ("Runloop概述", "Readings/1-overview"), ("RunLoop入门篇", "Readings/2-introduction"),
            ("ios 程序启动与运转", "Readings/3-launch-and-run"), ("RunLoop是iOS开发中的核心机制", "Readings/4-core-mechanism"),
            ("front.open.others", "Readings/other-articles"), ("front.open.questions", "Guides/questions")]
PASTES = Path(__file__).parents[1] / "pastes"


def build(site):
    site.page("index.html", site.text("front.title"), "front.html", kind="front", anchors=site.cards.names, names=[name for name in NAMES if name in site.cards.all],
              stack=(PASTES / "xcode.txt").read_text(), loop=(PASTES / "print-addresses.txt").read_text(), run=source.STEPS, picture=picture(site), first_hour=document.address("Documentation/Tutorial/first-hour.md"),
              readings=[(site.text(title) if title in TEXT else title, document.address(f"Documentation/{page}.md")) for title, page in READINGS])


def picture(site):
    """The picture of a run, with a link at each step to its line."""
    path = f"Documentation/Figures/one-run{'.zh' if site.language == 'zh' else ''}.svg"
    text = re.sub(r"<style>.*?</style>\n?", "", (ROOT / path).read_text(encoding="utf-8"), flags=re.S).replace('role="img"', 'role="group"')
    # A step is a box, its number and its words, up to the next box or arrow.
    found = re.compile(r'<rect class="[obw]"[^>]*/>\n<text class="n[^"]*"[^>]*>(\d+)</text>\n(?:<text[^>]*>[^<]*</text>\n)+')
    numbers = found.findall(text)
    if sorted(map(int, numbers)) != list(range(1, 11)):
        raise Failure(f"{path}: pages/front.py looks for the boxes of the ten steps, and finds {', '.join(numbers) or 'none'}")
    return Markup(found.sub(lambda step: f'<a href="{site.href(f"src/{source.STEPS}.html#step-{step[1]}")}">{step[0]}</a>', text))
