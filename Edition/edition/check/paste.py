"""What is pasted into the box is explained: stacks of each tool, printed loops and code, in both languages. The texts are in Edition/edition/pastes; the first page offers two of them."""

from ..pages.front import PASTES
from .browser import Browser

# The beginnings of the steps' sentences are those of steps.tsv; a headline may say more than is listed here.
STEP = {"3": ("observers of BeforeSources", "通知 Observer：即将处理 Source"), "4": ("the signalled Source0s", "依次执行标记为待处理的 Source0"), "6": ("observers of BeforeWaiting", "通知 Observer：即将休眠"),
        "7": ("the thread sleeps", "线程休眠"), "9.1": ("the timers that are due fire", "触发到期的 Timer"), "9.2": ("the main dispatch queue is served", "执行主队列的任务"),
        "9.3": ("the Source1 whose port", "执行端口就绪的 Source1")}
ASLEEP = ("It waits for the ports of the mode", "它等的是这个 mode 的各个端口")
INNER, OUTER = ("The inner run", "内层的运行"), ("The outer run", "外层的运行")
NO_RUN, NOTHING_SERVED = ("in no run of a loop", "不在 RunLoop 的运行里"), ("Until then the loop serves nothing", "这期间 RunLoop 什么也处理不了")

# Of each stack: the headlines, one a run or a thread, with what they must have (a pair: in English and in Chinese); the frames, the innermost first
# (the first and the last, and how many); and the frames that only the program itself can explain.
STACKS = {
    "gdb.txt": ([["9.1", "beat", "kCFRunLoopDefaultMode"]], ("beat", "main", 7), {"beat"}),
    "lldb.txt": ([["9.1", "__NSFireTimer"]], ("closure #1 in LedgerViewController.startClock", "start", 14), {"closure #1 in LedgerViewController.startClock"}),
    "xcode.txt": ([["4", "UC::DriverCore::continueProcessing()"]], ("GalleryController.imageTapped(_:)", "main", 23), {"GalleryController.imageTapped(_:)"}),
    "crash.txt": ([["9.2", "Reader.PageLoader.reload()"], ["7", ASLEEP, "kCFRunLoopDefaultMode"], [NO_RUN, ("work: it is idle", "任务：它空闲")]],
                  ("closure #1 (Swift.Array<Reader.Page>) -> () in Reader.PageLoader.reload() -> ()", "thread_start", 27), {"closure #1 (Swift.Array<Reader.Page>) -> () in Reader.PageLoader.reload() -> ()"}),
    "report.ips": ([[("step 3, 4 or 9", "步骤 3、4 或 9"), "Kettle.refill(_:completion:)", ("waits for a semaphore", "在等信号量"), NOTHING_SERVED], ["7", ASLEEP]],
                   ("semaphore_wait_trap", "_NSEventThread", 21), {"Kettle.refill(_:completion:)"}),
    "sample.txt": ([["7", ASLEEP], [NO_RUN]], ("mach_msg2_trap", "start", 15), set()),
    "sample-older.txt": ([["7", ASLEEP]], ("mach_msg_trap", "start", 7), set()),
    "spindump.txt": ([["6", "_afterCACommitHandler", ("waits for a mutex", "在等互斥锁"), NOTHING_SERVED]], ("__psynch_mutexwait", "start", 12), {"-[OrchardView recount]"}),
    "nested.txt": ([[INNER, "7", ASLEEP, "NSModalPanelRunLoopMode"], [OUTER, "4"]], ("__CFRunLoopServiceMachPort", "start", 16), {"-[AlmanacController askForYear:]"}),
    "outermost-first.txt": ([["9.3", "__CFMachPortPerform"]], ("__IOHIDEventSystemClientQueueCallback", "start", 10), set()),
    "symbols-nslog.txt": ([["9.1", "__NSFireDelayedPerform"]], ("-[TideController rise]", "_pthread_start", 11), {"-[TideController rise]"}),
    "symbols-quoted.txt": ([["9.1", "__NSFireTimer"]], ("-[TideController rise]", "CFRunLoopRunSpecific", 7), {"-[TideController rise]"}),
    "symbols-swift.txt": ([["4", "__NSThreadPerformPerform"]], ("$s7Harbour14TideControllerC4riseyyF", "CFRunLoopRunSpecific", 7), {"$s7Harbour14TideControllerC4riseyyF"}),
    "symbols-dump.txt": ([[("blocks", "block"), "$s7Harbour14TideControllerC4riseyyF"]], ("$s7Harbour14TideControllerC4riseyyF", "__CFRunLoopRun", 4), {"$s7Harbour14TideControllerC4riseyyF"}),
    "pool-and-ports.txt": ([[("between steps 6 and 7", "步骤 6 和 7 之间")], ["9.1", "__NSFireTimer"]], ("mach_port_insert_member", "CFRunLoopRunSpecific", 12), {"-[LampController turn]"}),
    "arrows.txt": ([["9.3", "__CFMachPortPerform"]], ("__CFMachPortPerform", "start", 10), set()),
    "waits.txt": ([[("waits for", "线程在等"), "-[AtlasController open]", NOTHING_SERVED]], ("__ulock_wait", "CFRunLoopRunSpecific", 9), {"-[AtlasController open]"}),
    "watchdog.txt": ([[("took too long", "用了太久")], ["4", "-[OrchardView recount]", NOTHING_SERVED]], ("__ulock_wait", "start", 13), {"-[OrchardView recount]"}),
    "observers.txt": ([[("step 10", "步骤 10"), "CA::Transaction::observer_callback"]], ("CA::Transaction::observer_callback(__CFRunLoopObserver*, unsigned long, void*)", "GSEventRunModal", 5), set()),
}
# What a text of a paste has, in English and in Chinese, and what it must not have.
SAID = [
    ("pool-and-ports.txt", ("pushes an autorelease pool", "压入一个自动释放池"), ("empties", "清空")),
    ("print-empty.txt", ("A run returns at once with Finished", "运行会立刻返回 Finished"), ("not whole", "不完整")),
    ("print-cut.txt", ("the print is not whole", "打印结果不完整"), ("Finished", "Finished")),
    ("print-addresses.txt", ("[Lantern flicker] does not fire now: it is in kCFRunLoopDefaultMode, and the loop runs in UITrackingRunLoopMode",
                             "[Lantern flicker] 现在不触发：它在 kCFRunLoopDefaultMode 里，而 RunLoop 正在 UITrackingRunLoopMode 里运行"), ("does not run in", "没有在运行")),
    ("print-ours.txt", ("The loop is not running", "没有在运行"), ("does not fire now", "现在不触发")),
    ("print-cut.txt", ("The print is cut", "打印结果被截断了"), ("does not fire now", "现在不触发")),
    ("sample-older.txt", ("32 % of the samples (714)", "32% 的采样（714 次）"), ("more than one", "不止一个")),
    ("sample-older.txt", ("14     ???", "14     ???"), ("undefined", "undefined")),
    ("sample.txt", ("441", "441"), ("undefined", "undefined")),
    ("listing-stays.txt", ("It is a permanent thread", "这是常驻线程"), ("stall monitor", "卡顿监控")),
    ("listing-swift.txt", ("It is a stall monitor", "这是卡顿监控"), ("permanent thread", "常驻线程")),
    ("gdb.txt", ("code of the program, or of a library", "你的程序的，或者某个库的"), ("not its own code", "不是它自己的代码")),
]
# Of each printed loop: what the summary has, the heads of the columns, and the rows: kind, callout, and a mark for each mode.
PRINTS = {
    "print-bare.txt": (["kCFRunLoopDefaultMode", "UITrackingRunLoopMode"], 2, [
        ("Source0", "_UIApplicationHandleEventQueue", "●-"), ("Source1", "17923", "●-"), ("Source1", "PurpleEventCallback", "●-"), ("Observer", "_wrapRunLoopWithAutoreleasePoolHandler", "●-"),
        ("Observer", "_wrapRunLoopWithAutoreleasePoolHandler", "●-"),
        ("Timer", "tick", "●-"), ("Source0", "FBSSerialQueueRunLoopSourceHandler", "-●"), ("Observer", "_ZN2CA11Transaction17observer_callbackEP19__CFRunLoopObservermPv", "-●")]),
    "print-addresses.txt": (["UITrackingRunLoopMode", "kCFRunLoopDefaultMode"], 2, [
        ("Source1", "__IOHIDEventSystemClientQueueCallback", "●●"), ("Source0", "PurpleEventSignalCallback", "●●"),
        ("Observer", "_wrapRunLoopWithAutoreleasePoolHandler", "-●"), ("Observer", "_wrapRunLoopWithAutoreleasePoolHandler", "-●"),
        ("Observer", "CA::Transaction::observer_callback(__CFRunLoopObserver*, unsigned long, void*)", "-●"), ("Timer", "[Lantern flicker]", "-●")]),
    "print-ours.txt": (["kCFRunLoopDefaultMode"], 1, [("Source1", "ring", "●")]),
    "print-timer.txt": ([], 0, [("Timer", "tick", "")]),
}
# What the explanation of an item has: the file, the row, in English and in Chinese; and what it must not have.
EXPLAINED = [
    ("print-bare.txt", 3, ("It pushes the autorelease pool.", "压入自动释放池。"), ("pops", "弹出")),
    ("print-bare.txt", 4, ("it pops the pool and pushes a new one", "弹出旧的自动释放池，再压入新的"), ("Pushes or pops", "压入或弹出")),
    ("print-bare.txt", 5, ("The interval is 100 years: it never repeats", "间隔 100 年，等于从不重复"), ("Every 3.15", "间隔 3.15")),
]
# Of each piece of code: the item of an article whose names it has, if it is one, and names that must be links.
LISTINGS = {
    "listing-stays.txt": ("0.15", ["addPort:forMode:", "runMode:beforeDate:", "performSelector:onThread:withObject:waitUntilDone:", "NSDefaultRunLoopMode"]),
    "listing-glued.txt": ("1.23", ["CFRunLoopObserverCreateWithHandler", "kCFRunLoopBeforeWaiting"]),
    "listing-swift.txt": ("4.12", ["CFRunLoopAddObserver", "CFRunLoopRemoveObserver"]),
    "listing-swift-while.txt": ("0.32", ["runMode:beforeDate:", "addTimer:forMode:"]),
    "listing-switch.txt": ("0.36", ["performSelector:onThread:withObject:waitUntilDone:", "changeSubThreadRunLoopMode:"]),
    "listing-own.txt": (None, ["CFRunLoopSourceSignal", "CFRunLoopWakeUp", "performSelector:withObject:afterDelay:"]),
}
READ = """
const [text, done] = arguments;
edition.script('paste.js').then(() => edition.paste.read(text)).then(html => {
    if (html === null) return done(null);
    const place = document.createElement('div');
    place.innerHTML = html;
    const all = (selector, read = node => node.textContent) => [...place.querySelectorAll(selector)].map(read);
    done({ text: place.textContent, summaries: all('.summary'),
        frames: all('.frames li', item => [item.querySelector('.number').nextElementSibling.textContent, item.className, item.querySelector('p')?.textContent ?? '']),
        heads: all('.items thead th'), rows: all('.items tbody tr:not(.group)', row => [...row.children].map(cell => cell.textContent)),
        items: all('a.item', link => [link.textContent.split(' ')[0], link.getAttribute('href')]),
        names: all('.listing a', link => edition.unslug(link.getAttribute('href').split('#')[1])), links: all('a', link => link.getAttribute('href')) });
}, error => done({ error: String(error) }));
"""


def check(site):
    with Browser(site) as browser:
        for index, language in enumerate(("en", "zh")):
            browser.open(f"{language}/index.html")
            for name, wanted in STACKS.items():
                stack(browser, read(browser, language, name), *wanted, index)
            for line in (PASTES / "single-frames.txt").read_text().splitlines():
                found = browser.wait_for(READ, line)
                browser.expect(found and len(found["frames"]) == 1 and found["frames"][0][2], f"the frame {line.strip()} is not explained")
            for name, wanted in PRINTS.items():
                printed(browser, read(browser, language, name), *wanted)
            for name, row, wanted, unwanted in EXPLAINED:
                found = read(browser, language, name)
                text = found["rows"][row][2] if found and len(found.get("rows", [])) > row else ""
                browser.expect(wanted[index] in text and unwanted[index] not in text, f"row {row} says: {text}")
            for name, wanted, unwanted in SAID:
                text = (read(browser, language, name) or {}).get("text", "")
                browser.expect(wanted[index] in text and unwanted[index] not in text, f"{name}: {text}"[:300])
            for name, wanted in LISTINGS.items():
                listing(browser, read(browser, language, name), *wanted, site / language)
            found = read(browser, language, "no-paste.txt")
            browser.expect(found is None, f"code without a known name is taken for {str(found)[:60]}")
            for word in ("sleep", "main", "CFRunLoopWakeUp", "wake up", "唤醒"):
                browser.expect(browser.wait_for(READ, word) is None, f"the word {word} is a question for the index, not a paste")
        browser.collect()
        return f"{len(STACKS)} stacks, {len(PRINTS)} printed loops, {len(LISTINGS)} listings, single frames, in two languages", browser.misses


def read(browser, language, name):
    """How the page reads a text; what it gets wrong is noted by the text's name."""
    browser.page = f"{language}: {name}"
    return browser.wait_for(READ, (PASTES / name).read_text())


def stack(browser, found, headlines, frames, own, language):
    if not browser.expect(found and found.get("frames"), f"it is not read as a stack: {found}"[:200]):
        return
    summaries = found["summaries"]
    browser.expect(len(summaries) == len(headlines), f"it has {len(summaries)} headlines, not {len(headlines)}")
    for summary, wanted in zip(summaries, headlines):
        for words in wanted:
            text = STEP[words][language] if words in STEP else words if isinstance(words, str) else words[language]
            browser.expect(text in summary, f"the headline does not have '{text}': {summary}")
    names = [name for name, _, _ in found["frames"]]
    browser.expect((names[0], names[-1], len(names)) == frames, f"it has {len(names)} frames, from {names[0]} to {names[-1]}")
    for name, _, words in found["frames"]:
        browser.expect(words, f"{name} has no sentence")
    yours = {name for name, kind, _ in found["frames"] if kind == "yours"}
    browser.expect(not any(link.endswith("name.html#main") for link in found["links"]), "the frame main leads to the card of RunLoop.main")
    browser.expect(yours == own, f"it takes {', '.join(sorted(yours)) or 'nothing'} for the program's own, not {', '.join(sorted(own)) or 'nothing'}")


def printed(browser, found, summary, modes, rows):
    if not browser.expect(found and "rows" in found, f"it is not read as a printed loop: {found}"[:200]):
        return
    for words in summary:
        browser.expect(words in " ".join(found["summaries"]), f"the summary does not have {words}")
    browser.expect(len(found["heads"]) == 3 + modes, f"it has the columns {found['heads']}, not {modes} modes")
    actual = [(cells[0], cells[2], "".join(cell or "-" for cell in cells[3:])) for cells in found["rows"]]
    browser.expect(len(actual) == len(rows), f"it has {len(actual)} items, not {len(rows)}: {', '.join(what.split(' ')[0] for _, what, _ in actual)}")
    for (kind, what, marks), (wanted, callout, where) in zip(actual, rows):
        browser.expect(kind == wanted and callout in what and marks == where, f"a row is {kind}, {what}, {marks}, not {wanted}, {callout}, {where}")


def listing(browser, found, item, names, site):
    if not browser.expect(found and "names" in found, f"it is not read as code: {found}"[:200]):
        return
    for name in names:
        browser.expect(name in found["names"], f"{name} is no link")
    first = found["items"][0][0] if found["items"] else None
    browser.expect(first == item, f"it has the names of {first}, not of {item}")
    for _, address in found["items"]:
        browser.expect((site / address).is_file(), f"the link {address} leads nowhere")
