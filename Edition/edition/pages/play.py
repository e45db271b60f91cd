"""play.html: programs for run loops, performed in the page by the library's own code, line by line.

The module is Edition/Browser/Page.c; Scripts/build-wasm makes it, and a table of the places of its statements. Both are in play.js of the site, so the
page works from file://. Without the tools that the module needs, the page says so. The examples are those of Documentation/Reference/programs.md."""

import base64
import functools
import json
import subprocess
import sys

from facts import ROOT, Failure, book, tables

from .. import background, document, lab, play

NAVIGATION = [(play.PAGE, "navigation.play")]
FIRST = 7  # the example that the page opens with
MODULE, TABLE, KEY = ".build/wasm/Page.wasm", ".build/wasm/Page.json", ROOT / ".build/wasm/Page.key"
MADE_OF = ["Sources/CRunLoop", "Sources/Support", "Edition/Browser", "Scripts/build-wasm", "Tests/Platforms/Blocks.c", MODULE, TABLE]
LIMIT = 1_500_000  # bytes of the page with all that it loads

TEXT = {
    "navigation.play": ("Play", "试一试"),
    "play.title": ("Play: a run loop in this page", "试一试：页面里的 RunLoop"),
    "play.lead": ("Write a program. The library's own code performs it here, line by line, on a clock that jumps. Go forward and back.",
                  "写一段程序，本库的代码就在这个页面里逐行执行它；时钟会直接跳到下一个事件。可以前进，也可以后退。"),
    "play.language": ("The language", "语法说明"),
    "play.absent": ("This page performs programs for run loops, but this edition was built without the module that does it, because a tool that makes the module is not installed. The build names the tool.",
                    "这个页面可以执行 RunLoop 程序，但这份阅读版没有执行程序的模块，因为缺少构建它的工具。构建时会打印缺少哪个工具。"),
    "play.absent.how": ("Install the tools, and build the edition again:", "安装工具后重新构建阅读版："),
    "play.noscript": ("The page needs JavaScript.", "这个页面需要 JavaScript。"),
    "play.example": ("Example", "例子"),
    "play.own": ("your own", "你自己的程序"),
    "play.seed": ("Order of the threads", "线程次序"),
    "play.seed.title": ("0: a thread runs until it waits. Any other number is another order, always the same one.", "0：线程一直运行到等待为止。其他数字是另一种次序，同一数字总是同一次序。"),
    "play.program": ("Program", "程序"),
    "play.predict": ("Predict first", "先猜再看"),
    "play.predict.title": ("Before something is called, the page asks what comes next", "每次回调之前，页面先问接下来会发生什么"),
    "play.link": ("Copy the link", "复制链接"),
    "play.log": ("Log", "记录"),
    "play.printed": ("The loop, printed", "打印出来的 RunLoop"),
    "play.time": ("Time", "时间"),
    "play.statements": ("Statements", "语句"),
    "play.player": ("Player", "播放器"),
    "play.controls": ("Move in the run", "在运行中移动"),
    "play.line": ("line", "行"), "play.step": ("step", "步骤"), "play.callout": ("callout", "回调"), "play.pass": ("pass", "轮"), "play.thread": ("thread", "线程"),
    "play.sleep": ("sleep", "休眠"), "play.break": ("breakpoint", "断点"), "play.log.move": ("log", "记录"),
    "play.back.line": ("Back one line", "后退一行"), "play.forth.line": ("Forward one line", "前进一行"),
    "play.back.step": ("To the step before", "回到前一步骤"), "play.forth.step": ("To the next step", "到下一步骤"),
    "play.back.callout": ("To the callout before", "回到前一次回调"), "play.forth.callout": ("To the next callout", "到下一次回调"),
    "play.back.thread": ("To where the thread changed before", "回到前一次切换线程"), "play.forth.thread": ("To where the thread changes", "到下一次切换线程"),
    "play.back.pass": ("To the pass before", "回到前一轮"), "play.forth.pass": ("To the next pass", "到下一轮"),
    "play.back.sleep": ("To the sleep before", "回到前一次休眠"), "play.forth.sleep": ("To the next sleep", "到下一次休眠"),
    "play.back.break": ("To the breakpoint before", "回到前一个断点"), "play.forth.break": ("To the next breakpoint", "到下一个断点"),
    "play.back.log": ("To the line of the log before", "回到前一行记录"), "play.forth.log": ("To the next line of the log", "到下一行记录"),
    "play.play": ("Play", "播放"), "play.space": ("space", "空格"), "play.speed": ("Speed", "速度"),
    "play.steps": ("Steps of the pass", "这一轮的步骤"),
    "play.code": ("Code", "代码"),
    "play.picture": ("The loop, its modes and their items", "RunLoop、mode 和 mode item"),
    "play.changed": ("Changed by the line before", "上一行改变了"),
    "play.locks": ("Locks held", "持有的锁"),
    "play.stack": ("Stack", "调用栈"),
    "play.callout.to": ("Calls out to {what}.", "回调（callout）：{what}。"),
    "play.keys": ("Keys: ← → line, with ⇧ over a call; s step, c callout, z sleep, l log, p pass, t change of thread, b breakpoint, each with ⇧ back; x sets a breakpoint on this line, X on this step; space plays, − and + change the speed; Home and End.",
                  "按键：← → 逐行，加 ⇧ 越过调用；s 步骤，c 回调，z 休眠，l 记录，p 轮，t 切换线程，b 断点，加 ⇧ 后退；x 在当前行设断点，X 在当前步骤设断点；空格播放，− 和 + 调整速度；Home、End 到两端。"),
    "play.item": ("Item {item} of the articles", "文章的 {item}"),
    "play.chapter": ("The book: {number}. {title}", "《RunLoop 之书》第 {number} 章 {title}"),
    "js.play.where": ("{0} s · statement {1} of {2}", "{0} 秒 · 第 {1} / {2} 条语句"),
    "js.play.pass": ("pass {0}", "第 {0} 轮"),
    "js.play.endless": ("This program is longer than {0} statements, so the page has stopped it at {1} s.", "这段程序超过 {0} 条语句，页面在 {1} 秒处停止了它。"),
    "js.play.deep": ("The program nests runs or callbacks too deeply, so the page has stopped it.", "运行或回调嵌套得太深，页面停止了这段程序。"),
    "js.play.trapped": ("The library has stopped the program: the last line of the log says why.", "本库中止了这段程序：原因见记录的最后一行。"),
    "js.play.deadlock": ("All threads wait, and nothing can end it: the end of the log says who waits for what.", "所有线程都在等待，无法继续：记录末尾说明了谁在等什么。"),
    "js.play.nothing": ("Nothing happens: no line of the loop is reached.", "什么也没有发生：没有执行到 RunLoop 的代码。"),
    "js.play.line": ("Line {0} of the program.", "程序的第 {0} 行。"),
    "js.play.line.of": ("{0}: line {1} of the program.", "{0}：程序的第 {1} 行。"),
    "js.play.other.before": ("{0} is before step {1}:", "{0}在第 {1} 步之前："),
    "js.play.other.in": ("{0} is in step {1}:", "{0}在第 {1} 步："),
    "js.play.ended": ("The program has ended: {0}", "程序已结束：{0}"),
    "js.play.no-break": ("No breakpoint: click a line's number, or press x.", "没有断点：点击行号，或者按 x。"),
    "js.play.no-further": ("No further {0}.", "后面没有{0}了。"), "js.play.no-earlier": ("No earlier {0}.", "前面没有{0}。"),
    "js.play.kind.step": ("step", "步骤"), "js.play.kind.callout": ("callout", "回调"), "js.play.kind.pass": ("pass", "新的一轮"), "js.play.kind.thread": ("change of thread", "线程切换"),
    "js.play.kind.sleep": ("sleep", "休眠"), "js.play.kind.break": ("breakpoint", "断点"), "js.play.kind.log": ("line of the log", "记录"),
    "js.play.program": ("the program, line {0}", "程序第 {0} 行"),
    "js.play.callback": ("your callback", "你的回调"),
    "js.play.mac": ("{0} is what a Mac shows; here it is __CFPortSetWait", "Mac 上显示 {0}；这里是 __CFPortSetWait"),
    "js.play.held.main": ("{0}, held by the main thread", "{0}，由主线程持有"),
    "js.play.held": ("{0}, held by {1}", "{0}，由 {1} 持有"),
    "js.play.loop": ("loop of {0}", "{0} 的 RunLoop"),
    "js.play.due": ("at {0} s", "{0} 秒"),
    "js.play.more": ("… and {0} lines more", "……另有 {0} 行"),
    "js.play.asks": ("What comes next in the log?", "记录里接下来是哪一行？"),
    "js.play.end": ("nothing more", "没有了"),
    "js.play.right": ("Right. {0} of {1} right so far.", "对。目前猜对 {0}/{1} 次。"),
    "js.play.wrong": ("No, it is {0}. {1} of {2} right so far.", "不对，应是：{0}。目前猜对 {1}/{2} 次。"),
    "js.play.copied": ("Copied", "已复制"),
    "js.play.outside": ("others", "其他线程"),
    "js.play.yours": ("This is your code of the loop. It differs from the edition's at {0}.", "这里执行的是你改过的 RunLoop，与阅读版不同的地方：{0}。"),
    "js.play.sleeps": ("{0} sleeps until {1} s.", "{0}休眠到 {1} 秒。"),
    "js.play.sleeper": ("The main thread", "主线程"),
    "js.play.another": ("Another thread", "另一个线程"),  # which the program does not name
    "js.play.thread": ("Thread {0}", "线程 {0} "),
    "js.play.step": ("Step {0}", "第 {0} 步"),
    "js.play.no-step": ("Outside the steps", "步骤之外"),
    "js.play.no-run-yet": ("The program's own calls, before or after the run", "程序自己的调用，在运行之前或之后"),
    "js.play.main": ("main thread", "主线程"),
    "js.play.changes": ("nothing", "没有变化"),
    "js.play.no-lock": ("none", "没有"),
    "js.play.stop": ("Stop", "停止"),
    "js.play.play": ("Play", "播放"),
    "js.play.picture.asleep": ("asleep", "休眠"),
    "js.play.picture.awake": ("awake", "醒着"),
    "js.play.picture.idle": ("not running", "没有运行"),
    "js.play.picture.message": ("wake-up port: a message", "唤醒端口有消息"),
    "js.play.picture.stopped": ("stop requested", "已请求停止"),
    "js.play.picture.blocks": ("blocks: {0}", "block：{0}"),
    "js.play.picture.queue": ("main queue: work", "主队列有任务"),
    "js.play.picture.runs": ("the current mode", "当前 mode"),
    "js.play.picture.firing": ("fires", "正在触发"),
    "js.play.picture.signaled": ("signalled", "已标记"),
    "js.play.picture.due": ("due", "已到期"),
    "js.play.picture.invalid": ("invalid", "已失效"),
    "play.records": ("The run's record", "运行的记录"),
    "js.play.no-run": ("no run", "未运行"),
}

#: (the field, or its end after the object's name; the new value, or * for any; the sentence). {o} is the object, {v} the value.
CHANGES = [
    ("loop.ignoreWakeUps", "WAKE", ("From now on the thread is certain to look for changes before it sleeps, so wake-ups are left out.",
                                    "从现在起，线程休眠前一定会检查变化，所以唤醒可以省略。")),
    ("loop.ignoreWakeUps", "0", ("From now on each wake-up is sent, because the thread may go to sleep.", "从现在起，每次唤醒都会发送，因为线程可能要休眠。")),
    ("loop._wakeUpPort", "a message", ("The wake-up port has a message. It stays there, so the next sleep ends at once.", "唤醒端口有了消息。消息会留在那里，所以下次休眠立即结束。")),
    ("loop._wakeUpPort", "empty", ("The message of the wake-up port is received.", "唤醒端口的消息被接收。")),
    ("loop._wakeUpSent", "true", ("The set knows that a message waits.", "端口集知道有消息在等待。")),
    ("loop.sleeping", "true", ("CFRunLoopIsWaiting is true now.", "CFRunLoopIsWaiting 现在返回 true。")),
    ("loop.sleeping", "false", ("CFRunLoopIsWaiting is false now.", "CFRunLoopIsWaiting 现在返回 false。")),
    ("loop.stopped", "STOP", ("The innermost run is marked as stopped. It ends when its pass ends.", "最内层的运行被标记为停止，这一轮结束时它就结束。")),
    ("loop.stopped", "0", ("The mark of the stop is cleared.", "停止标记被清除。")),
    ("loop._currentMode", "NULL", ("No run is active any more.", "已没有活动的运行。")),
    ("loop._currentMode", "*", ("The current mode is {v}.", "当前 mode 是 {v}。")),
    ("loop._blocks", "1", ("A block waits.", "有一个 block 在等待。")),
    ("loop._blocks", "0", ("No block waits.", "没有 block 在等待。")),
    ("loop._hasNested", "true", ("A nested run has ended: this run looks for work once more before it sleeps.", "嵌套的运行已结束：这次运行在休眠前会再检查一次。")),
    ("main queue.work", "0", ("The main queue's port is empty.", "主队列的端口空了。")),
    ("main queue.work", "*", ("The main queue has work: its port is ready.", "主队列有任务：端口就绪。")),
    ("run", "0", ("The run is over.", "运行结束。")),
    ("run", "1", ("One run is active.", "有一层运行。")),
    ("run", "2", ("A run is nested in the first one.", "第一层运行里又嵌套了一层。")),
    (".signaled", "true", ("{o} is signalled.", "{o} 被标记为待处理。")),
    (".signaled", "false", ("The signal of {o} is cleared.", "{o} 的标记被清除。")),
    (".firing", "true", ("{o} is marked as firing.", "{o} 标记为正在回调。")),
    (".firing", "false", ("{o} fires no more.", "{o} 的回调结束。")),
    (".valid", "false", ("{o} is invalid from now on.", "{o} 从此失效。")),
    (".due", "true", ("{o} is due. It fires when the loop serves the timers of a mode that it is in.", "{o} 到期。RunLoop 处理它所在 mode 的 Timer 时，它就会触发。")),
    ("._fireTSR", "*", ("{o} is due at {v}.", "{o} 在 {v} 到期。")),
    (".port", "a message", ("The port of {o} has a message.", "{o} 的端口有消息。")),
    (".port", "nothing to read", ("The port of {o} is empty.", "{o} 的端口空了。")),
    ("._timerSoftDeadline", "never", ("", "")),
    ("._timerSoftDeadline", "*", ("The first timer of {o} is due at {v}.", "{o} 的第一个 Timer 在 {v} 到期。")),
    ("._portSet.timerDeadline", "never", ("The timer port is not armed any more.", "定时端口不再设定。")),
    ("._portSet.timerDeadline", "*", ("The timer port goes off at {v}.", "定时端口在 {v} 就绪。")),
    ("._timers", "*", ("Timers of {o}: {v}.", "{o} 的 Timer：{v}。")),
    ("lock", "", ("The lock of {o} is released.", "{o} 的锁被释放。")),
    ("lock", "*", ("The {v} takes the lock of {o}.", "{v}取得 {o} 的锁。")),
]


@functools.cache
def missing():
    """Why there can be no module here; nothing if there can."""
    done = subprocess.run([ROOT / "Scripts/build-wasm", "--tools"], cwd=ROOT, capture_output=True, text=True)
    return done.stderr.strip().removeprefix("build-wasm: ") if done.returncode == 77 else ""


@functools.cache
def module():
    """The module in base64 and the table of its statements; nothing if it cannot be built here."""
    background.wait(module)
    if missing():
        print(f"reading-edition: without the programs of {play.PAGE}: {missing()}", file=sys.stderr)
        return None
    if not KEY.is_file() or KEY.read_text() != lab.digest(MADE_OF, "*.*"):
        compile()
        KEY.write_text(lab.digest(MADE_OF, "*.*"))
    return compiled()


def compile(*options):
    """Makes the module and the table with these options of Scripts/build-wasm."""
    done = subprocess.run([ROOT / "Scripts/build-wasm", *options], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise Failure(f"Scripts/build-wasm {' '.join(options)}: {done.stderr.strip() or done.stdout.strip()}")


def compiled():
    """The module and the table, as Scripts/build-wasm has made them."""
    table = json.loads((ROOT / TABLE).read_text(encoding="utf-8"))
    return table | {"module": base64.b64encode((ROOT / MODULE).read_bytes()).decode()}


def homes(site):
    """The pages that a program belongs to, its item of an article or its chapter of the book: program, address, words of the link."""
    for example in play.examples(site.language):
        yield example["text"], f"items/{example['item']}.html", site.text("play.item", item=example["item"])
    for chapter in book.chapters(site.language):
        page = document.Document.of(site, chapter.path)
        number, title = page.title.split(". ", 1)
        for program, _ in chapter.programs:
            yield program, page.page, site.text("play.chapter", number=number, title=title)


def build(site):
    table = module()
    if table:
        site.shared("play", {"play": table})
        site.data("play-examples", "play-examples", [[example["title"], example["text"]] for example in play.examples(site.language)])
        known = tables.functions()
        sentences = {name: tables.function(name) for _, name in table["functions"] if name in known}
        site.data("play-words", "play-words", {
            "homes": [[program, site.href(address), words] for program, address, words in homes(site)],
            "steps": {number: step.whole(site.language).replace("`", "") for number, step in tables.steps().items()},
            "code": {path: site.code[path] for path in table["files"] if path in site.code},
            "changes": [[field, value, words[site.text.index]] for field, value, words in CHANGES],
            "functions": {name: site.text("play.callout.to", what=function.sentence(site.language)) if function.callout else function.sentence(site.language)
                          for name, function in sentences.items()}})
    size = len(json.dumps(table)) if table else 0
    if size > LIMIT // 2:
        raise Failure(f"{play.PAGE}: its module and table have {size} bytes, more than half of what the page may load")
    site.page(play.PAGE, site.text("play.title"), "play.html", kind="play", has=bool(table), first=FIRST,
              examples=[example["title"] for example in play.examples(site.language)], language_page=document.address(play.PROGRAMS["en"]))
