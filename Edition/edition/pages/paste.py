"""What the search box says of a pasted stack, a printed loop or code: the tables for static/stack.js, print.js and listing.js."""

import re

from facts import Failure, frames, index, prints, shapes, tables

from .. import lab, source

TEXT = {
    "js.stack.title": ("This stack, frame by frame", "逐帧解释这个调用栈"),
    "js.stack.titleFrame": ("This frame of a stack", "这一帧"),
    "js.stack.step": ("step {number}", "步骤 {number}"),
    "js.stack.at": ("{step}: {words}.", "{step}：{words}。"),
    "js.stack.point": (".", "。"),
    "js.stack.run": ("The run is at", "这次运行处于"),
    "js.stack.inner": ("The inner run is at", "内层的运行处于"),
    "js.stack.middle": ("A run between them is at", "中间的运行处于"),
    "js.stack.outer": ("The outer run is at", "外层的运行处于"),
    "js.stack.unknown": ("a step that these frames do not tell", "某个步骤（这些帧看不出是哪一步）"),
    "js.stack.asleep": ("The thread is idle, which is no stall. It waits for the ports of the mode: a Source1's, the timer port, on the main thread the main queue's, and the one that CFRunLoopWakeUp sends to.",
                        "线程空闲，不是卡顿。它等的是这个 mode 的各个端口：Source1 的、Timer 的、主线程上还有主队列的，以及 CFRunLoopWakeUp 发消息的那一个。"),
    "js.stack.in": ("It has called out to {what}.", "正在调用 {what}。"),
    "js.stack.inTo": ("It has called out to {what}: {callback}.", "正在调用 {what}：{callback}。"),
    "js.stack.mode": ("Mode: {mode}.", "mode：{mode}。"),
    "js.stack.waits": ("The thread waits for {what}. Until then the loop serves nothing.", "线程在等{what}，这期间 RunLoop 什么也处理不了。"),
    "js.stack.waitsAlone": ("The thread waits for {what}.", "线程在等{what}。"),
    "js.stack.none": ("These frames are in no run of a loop.", "这些帧不在 RunLoop 的运行里。"),
    "js.stack.sampled": ("Of the call graph, this is the branch with the most samples, from the innermost function outwards. The numbers count samples.", "这是调用图里采样次数最多的一支，从最内层的函数往外；数字是采样次数。"),
    "js.stack.share": ("{percent} % of the samples ({count}):", "{percent}% 的采样（{count} 次）："),
    "js.stack.tree": ("The whole call graph: {count} lines", "完整的调用图：{count} 行"),
    "js.stack.callout": ("The callout: from here the loop calls {what}.", "回调（callout）：RunLoop 从这里调用 {what}。"),
    "js.stack.blockOf": ("A block of this function, or what it calls. {sentence}", "这个函数里的 block。{sentence}"),
    "js.stack.yours": ("The loop has called it: code of the program, or of a library.", "RunLoop 调用的代码：你的程序的，或者某个库的。"),
    "js.stack.caller": ("Leads to the run: not the loop's own code.", "由它走到这次运行，不是 RunLoop 自己的代码。"),
    "js.stack.other": ("Not the loop's code.", "不是 RunLoop 的代码。"),
    "js.stack.observerInPass": ("step 2, 3, 6 or 8, where observers are notified; the frames do not tell which", "步骤 2、3、6 或 8，正在通知 Observer；这些帧看不出是哪一个"),
    "js.stack.observerOutside": ("step 1 or 10: without __CFRunLoopRun below it, the observer is notified of Entry or Exit", "步骤 1 或 10：下面没有 __CFRunLoopRun，所以是 Entry 或 Exit 的 Observer"),
    "js.stack.portJoins": ("the point between steps 6 and 7, where the main queue's port joins the ports that the thread will wait for", "步骤 6 和 7 之间：主队列的端口正在加入线程要等待的端口集"),
    "js.stack.portLeaves": ("the point between steps 7 and 8, where the main queue's port leaves the ports that the thread has waited for", "步骤 7 和 8 之间：线程醒了，主队列的端口正在移出端口集"),
    "js.stack.block": ("step 3, 4 or 9, where blocks are performed; the frames do not tell which", "步骤 3、4 或 9，正在执行 block；这些帧看不出是哪一步"),
    "js.diagnosis.play": ("Play this loop", "播放这个 RunLoop"),
    "js.print.title": ("This loop: its modes and their items", "这个 RunLoop：各个 mode 和其中的 item"),
    "js.print.titleItem": ("This item, field by field", "逐个字段解释这个 item"),
    "js.print.modes": ("Modes: {count}.", "共 {count} 个 mode。"),
    "js.print.commonModes": ("Common modes: {modes}.", "common modes：{modes}。"),
    "js.print.table": ("Items and modes", "item 与 mode"),
    "js.print.item": ("Item", "item"),
    "js.print.order": ("Order", "order"),
    "js.print.what": ("What it calls, and when", "调用什么，什么时候"),
    "js.print.common": ("Common items: {count}. Each common mode has them.", "common items：{count} 个，每个 common mode 里都有。"),
    "js.print.own": ("Other items: {count}", "其他 item：{count} 个"),
    "js.print.items": ("Items: {count}", "item：{count} 个"),
    "js.print.empty": ("It has no items. A run returns at once with Finished, unless a block is queued, or the main loop runs in a common mode.", "一个 item 也没有。运行会立刻返回 Finished；除非有 block 在排队，或者是主线程的 RunLoop 在 common mode 里运行。"),
    "js.print.cut": ("No item is in what was pasted, and the print is not whole: it may have some.", "粘贴的内容里没有 item，但打印结果不完整：它可能有。"),
    "js.print.port": ("port {port}", "端口 {port}"),
    "js.listing.more": ("More", "详细说明"),
    "js.listing.title": ("This code, with its names", "这段代码里的名字"),
    "js.listing.item": ("These are the names of an article's listing: {item}", "这些名字来自文章里的代码：{item}"),
    "js.listing.nearest": ("The nearest listing of an article: {item}", "与文章的这段代码最接近：{item}"),
    "js.listing.also": ("The same names, or nearly: {items}", "名字相同或相近：{items}"),
    "js.listing.names": ("Names with a card: {count}", "有卡片的名字：{count} 个"),
} | {f"js.{key}": words for key, words in prints.WORDS.items()}


def build(site):
    words = frames.data(site.language)
    steps = sorted(source.steps(site), key=lambda step: step["line"])
    words["markers"] = [[step["number"], step["line"]] for step in steps]
    words["places"] = {step["number"]: address(site, site.href(f"src/{source.STEPS}.html#step-{step['number']}")) for step in steps}
    words["swift"] = swift(site)
    words["plays"] = site.plays
    words["shapes"] = [[shapes.patterns(row), row["none"], row["sentence" if site.language == "en" else "sentence in Chinese"], row["card"]] for row in tables.rows("shapes")]
    site.data("frames", "frames", words)
    site.data("listings", "listings", listings(site))


def swift(site):
    """The cards of the articles' names that Swift spells otherwise, by Swift's names: run(mode:before:) is runMode:beforeDate:. The index says what stands here for a name."""
    found = {}
    for name in tables.article_names():
        if match := re.search(r"Here: (?:\w+\.)?(\w+\((?:\w+:)+\))", index.index().card(name)["more"]):
            found[match[1]] = name
    return found


def listings(site):
    """(id, title, address, names) of each item with a listing or a printed output."""
    data = lab.data()
    programs = {item: program for program in data["programs"] for item in program["items"]}
    items = {item["id"]: item for article in data["articles"] for item in article["items"]}
    rows = [row for row in tables.rows("items") if row["names"]]
    return [[row["item"], items[row["item"]]["heading"] + (f" · {programs[row['item']]['title'][site.language]}" if row["item"] in programs else ""),
             address(site, site.item(row["item"])), row["names"]] for row in rows]


def address(site, target):
    """An address as a script joins it to that of the language's folder; it is checked as those of the pages are."""
    path = target.removeprefix("site:")
    site.scripted(path, "index.html")
    return path
