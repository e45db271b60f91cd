"""The front page: one box for a name, a stack or a printed loop; below it the ten steps."""

from .. import frames, source

ORDER = 0
TEXT = {
    "front.title": ("The reading edition", "RunLoop 阅读版"),
    "front.lead": ("Apple's CFRunLoop, written again in C for Linux. Each name of the articles leads to its line here, its counterpart in Apple's versions, and the tests that check it.",
                   "用 C 为 Linux 重写的 Apple CFRunLoop。文章里的每个名字，都能找到这里对应的那一行、Apple 各版本中的样子，以及保证它成立的测试。"),
    "front.label": ("Paste a name, or a stack, from your article", "粘贴文章里的名字或调用栈"),
    "front.keys": ("↑ ↓ choose · Enter opens our line · Esc clears · / comes back to the box", "↑ ↓ 选择 · Enter 打开对应的代码行 · Esc 清空 · / 回到搜索框"),
    "front.try": ("Try", "试试"),
    "front.stack": ("a stack from Xcode", "Xcode 的调用栈"),
    "front.print": ("a loop printed on an iPhone", "iPhone 上打印的 RunLoop"),
    "front.steps": ("The run, in ten steps", "一次运行的十个步骤"),
    "front.results": ("Names found", "找到的名字"),
    "js.search.found": ("Names: {count}", "{count} 个名字"),
    "js.search.close": ("No name is spelled like this. Close spellings: {count}", "没有这样拼写的名字。相近的写法：{count} 个"),
    "js.search.none": ("Nothing here has a name like this.", "这里没有类似的名字。"),
    "js.stack.title": ("This stack, frame by frame", "逐帧解释这个调用栈"),
    "js.stack.step": ("step {number}", "步骤 {number}"),
    "js.stack.at": ("{step}: {words}.", "{step}：{words}。"),
    "js.stack.point": (".", "。"),
    "js.stack.run": ("The run is at", "这次运行处于"),
    "js.stack.innermost": ("The innermost run is at", "最内层的运行处于"),
    "js.stack.outer": ("Run {number}, around it, is at", "外面第 {number} 层的运行处于"),
    "js.stack.unknown": ("a step that these frames do not tell", "某个步骤（这些帧看不出是哪一步）"),
    "js.stack.asleep": ("The thread is asleep.", "线程在休眠。"),
    "js.stack.in": ("It has called out to {what}.", "正在调用{what}。"),
    "js.stack.mode": ("Mode: {mode}.", "mode：{mode}。"),
    "js.stack.callout": ("The callout: from here the loop calls {what}.", "回调（callout）：RunLoop 从这里调用{what}。"),
    "js.stack.yours": ("Called by the loop: not its own code.", "由 RunLoop 调用，不是它自己的代码。"),
    "js.stack.observerInPass": ("step 2, 3, 6 or 8, where observers are notified; the frames do not tell which", "步骤 2、3、6 或 8，正在通知 Observer；这些帧看不出是哪一个"),
    "js.stack.observerOutside": ("step 1 or 10: without __CFRunLoopRun below it, the observer is notified of Entry or Exit", "步骤 1 或 10：下面没有 __CFRunLoopRun，所以是 Entry 或 Exit 的 Observer"),
    "js.stack.block": ("step 3, 4 or 9, where blocks are performed; the frames do not tell which", "步骤 3、4 或 9，正在执行 block；这些帧看不出是哪一步"),
    "js.print.title": ("This loop, line by line", "逐行解释这个 RunLoop"),
    "js.print.running": ("It is running in {mode}.", "它正在 {mode} 里运行。"),
    "js.print.idle": ("It was printed outside of a run.", "打印时它不在运行。"),
    "js.print.modes": ("Modes: {count}.", "共 {count} 个 mode。"),
    "js.print.source0": ("A Source0: it is performed in step 4, after CFRunLoopSourceSignal.", "Source0：在 CFRunLoopSourceSignal 之后，于步骤 4 执行。"),
    "js.print.source1": ("A Source1: it has a port, wakes the loop, and is performed in step 9.3.", "Source1：带端口，能唤醒 RunLoop，于步骤 9.3 执行。"),
    "js.print.mode": ("A mode's name, or another text.", "mode 的名字，或别的文字。"),
}
NAMES = ["CFRunLoopWakeUp", "__CFRunLoopDoSource0", "_commonModeItems", "kCFRunLoopCommonModes", "runMode:beforeDate:", "L7", "0.15"]
STACK = """\
#0  0x000000010a1b2c3d in -[ViewController touchesBegan:withEvent:] at ViewController.m:42
#1  0x00000001847f2f14 in -[UIApplication sendEvent:] ()
#2  0x00000001847cbd00 in __handleEventQueue ()
#3  0x000000018003c1a0 in __CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__ ()
#4  0x000000018003c0e8 in __CFRunLoopDoSource0 ()
#5  0x000000018003b8a8 in __CFRunLoopDoSources0 ()
#6  0x0000000180035e70 in __CFRunLoopRun ()
#7  0x00000001800356d4 in CFRunLoopRunSpecific ()
#8  0x000000018c57e3b0 in GSEventRunModal ()
#9  0x0000000184dcf0dc in UIApplicationMain ()
#10 0x000000010a1b2e00 in main at main.m:18"""
PRINT = """\
<CFRunLoop 0x600001700700 [0x1dd0c0b20]>{wakeup port = 0x1a03, stopped = false, ignoreWakeUps = false,
current mode = kCFRunLoopDefaultMode,
common modes = <CFBasicHash 0x600002c44e10 [0x1dd0c0b20]>{type = mutable set, count = 2,
entries =>
\t0 : <CFString 0x1dd0a1d60 [0x1dd0c0b20]>{contents = "UITrackingRunLoopMode"}
\t2 : <CFString 0x1dd0c5a88 [0x1dd0c0b20]>{contents = "kCFRunLoopDefaultMode"}
}
modes = <CFBasicHash 0x600002c44f00 [0x1dd0c0b20]>{type = mutable set, count = 1,
entries =>
\t2 : <CFRunLoopMode 0x600001204820 [0x1dd0c0b20]>{name = kCFRunLoopDefaultMode, port set = 0x2403, queue = 0x600000704f80, source = 0x600000705080 (not fired), timer port = 0x2503,
\tsources0 = <CFBasicHash 0x600002c45020 [0x1dd0c0b20]>{type = mutable set, count = 1,
\t0 : <CFRunLoopSource 0x600001b08240 [0x1dd0c0b20]>{signalled = No, valid = Yes, order = -1, context = <CFRunLoopSource context>{version = 0, info = 0x0, callout = PurpleEventSignalCallback (0x1867e1f0c)}}
\tobservers = (
\t"<CFRunLoopObserver 0x600001f04140 [0x1dd0c0b20]>{valid = Yes, activities = 0x1, repeats = Yes, order = -2147483647, callout = _wrapRunLoopWithAutoreleasePoolHandler (0x184b5c5a0)}"
\t"<CFRunLoopObserver 0x600001f040a0 [0x1dd0c0b20]>{valid = Yes, activities = 0xa0, repeats = Yes, order = 2147483647, callout = _wrapRunLoopWithAutoreleasePoolHandler (0x184b5c5a0)}"
),
\ttimers = (null),
\tcurrently 712345678 (123456789) / soft deadline in: 7.68614336e+11 sec (@ -1) / hard deadline in: 7.68614336e+11 sec (@ -1)
},"""


def build(site):
    tables = frames.data(site.language)
    tables["markers"] = sorted([[step["number"], step["line"]] for step in source.steps(site)], key=lambda marker: marker[1])
    site.data("frames", "frames", tables)
    site.page("index.html", site.text("front.title"), "front.html", kind="front", anchors=site.cards.names, names=[name for name in NAMES if name in site.cards.all],
              stack=STACK, loop=PRINT, steps=[step for step in source.steps(site) if "." not in step["number"]], run=source.STEPS)
