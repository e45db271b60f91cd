"""What the search box knows of a stack's frames and of a printed loop's words. Frames and steps have their sentences in Facts."""

from . import tables

# The words of a printed loop, `word = value`: the name of the card, English, Chinese.
KEYS = {
    "wakeup port": ("_wakeUpPort", "the port that CFRunLoopWakeUp sends to: a mach port on a Mac, an eventfd here", "CFRunLoopWakeUp 发消息的端口：Mac 上是 mach port，这里是 eventfd"),
    "stopped": ("stopped", "whether a CFRunLoopStop waits to be taken by the innermost run", "是否有 CFRunLoopStop 等着最内层的运行来处理"),
    "ignoreWakeUps": ("ignoreWakeUps", "true while the thread is awake and looks for changes anyway, so a wake-up sends nothing",
                      "线程醒着、反正会检查时为 true，这时唤醒不发消息"),
    "current mode": ("_currentMode", "the mode of the innermost run; (none) outside of a run", "最内层运行的 mode；不在运行时为 (none)"),
    "port set": ("_portSet", "what the thread sleeps on: a mach port set on a Mac, an epoll descriptor here", "线程休眠时等待的东西：Mac 上是 mach port set，这里是 epoll 描述符"),
    "timer port": ("_timerPort", "the port that says that a timer is due: mk_timer on a Mac; here a deadline that the port set keeps", "Timer 到期时就绪的端口：Mac 上是 mk_timer；这里是 port set 记着的到期时间"),
    "queue": ("_queue", "macOS: the queue of the dispatch timer that watches the timers of this mode", "macOS：监视此 mode 各 Timer 的 dispatch 定时器所在的队列"),
    "source": ("_timerSource", "macOS: the dispatch timer of this mode", "macOS：此 mode 的 dispatch 定时器"),
    "timer fired": ("_timerFired", "macOS: whether that dispatch timer has fired", "macOS：那个 dispatch 定时器是否已触发"),
    "soft deadline in": ("_timerSoftDeadline", "when the next timer is due, without tolerance", "下一个 Timer 到期的时间，不含宽容度"),
    "hard deadline in": ("_timerHardDeadline", "when it must have fired, with its tolerance", "含宽容度，最迟的触发时间"),
    "signalled": ("__CFRunLoopSourceIsSignaled", "whether CFRunLoopSourceSignal was called since it was last performed", "上次执行之后是否调用过 CFRunLoopSourceSignal"),
    "valid": ("", "No after it was invalidated; an invalid item is never called again", "失效后为 No；失效的 item 不再被调用"),
    "order": ("_order", "items with a lower order are served first", "order 小的先服务"),
    "port": ("", "what is ready when the source has something: a mach port on a Mac, a descriptor here", "有事件时就绪的端口：Mac 上是 mach port，这里是描述符"),
    "activities": ("CFRunLoopActivity", "the moments at which the observer is notified", "通知这个 Observer 的时机"),
    "repeats": ("CFRunLoopObserverDoesRepeat", "No: invalidated after the first time", "No 表示通知一次后失效"),
    "firing": ("__CFRunLoopTimerIsFiring", "whether its callback is running", "回调是否正在执行"),
    "interval": ("CFRunLoopTimerGetInterval", "seconds between two dates; 0 for a timer that fires once", "两次之间的秒数；0 表示只触发一次"),
    "tolerance": ("CFRunLoopTimerGetTolerance", "how many seconds later it may fire, so that wake-ups fall together", "允许晚多少秒触发，以便合并唤醒"),
    "next fire date": ("CFRunLoopTimerGetNextFireDate", "in seconds since 2001; in parentheses the seconds that are left", "自 2001 年起的秒数；括号里是剩余的秒数"),
    "callout": ("", "the function that the loop calls", "RunLoop 调用的函数"),
    "version": ("", "0: signalled by hand; 1: with a port", "0：由程序标记；1：带端口"),
}

#: What the names of a stack's frames, and of the libraries at their left, tell: regular expressions for a whole name, in which \w is ASCII.
PATTERNS = {
    "run": r"_?CFRunLoopRunSpecific(?:WithOptions)?",
    "sleep": r"__CF(?:RunLoopServiceMachPorts?|PortSetWait)",
    # What __CFRunLoopRun calls for the main queue's port, before the wait and after it.
    "joins": r"mach_port_(?:insert|move)_member|__CFPortSetInsert",
    "leaves": r"mach_port_extract_member|__CFPortSetRemove",
    # The functions of the loop, and its callouts.
    "loop": r"(?:_{0,2}CF|_dispatch_main|__CFRUN).*",
    # Between the loop's callout and the reader's code.
    "between": r"_dispatch_.*|thunk .*|partial apply .*|\$s.*TR",
    # A name that C reserves for the system; a program's own blocks, C++ and Swift functions are not among them.
    "system": r"_(?!Z|T|\$|\w*_block_invoke)\w+",
    # Apple's libraries, and the names of Apple's classes and functions: what the loop calls there is not the reader's code.
    "library": r"lib[\w.+-]+\.(?:dylib|so[.\d]*)|dyld\w*|(?:Core(?:Foundation|Graphics|Text|Data|AutoLayout|Motion|Location|Audio)|Foundation|UIKit|UIKitCore|UIFoundation|AppKit|HIToolbox|"
               r"GraphicsServices|QuartzCore|CFNetwork|IOKit|Security|SwiftUI|SwiftUICore|Combine|WebKit|WebCore|JavaScriptCore|Metal|AVFoundation|\w+BoardServices)",
    "apples": r"[-+]\[_?(?:NS|UI|CA|WK|AV|CF|OS_)[A-Z_]\w*[ (].*|OS_\w+\..*|(?:xpc|dispatch|io|iokit|mach|objc|pthread|os)_\w+.*",
    # A block, or a closure: its name has that of the function it stands in.
    "inside": r".*(?:closure #|block in |_block_invoke).*",
}

#: From main to the wait: by it a list without numbers says which of its ends is which.
ORDER = [
    r"_?start|main|_?pthread_start|thread_start|start_thread|__NSThread__start__|-\[NSThread main\]", r"(?:UI|NS)ApplicationMain|-\[(?:UI|NS)Application _?run\]",
    r"GSEventRunModal|CFRunLoopRun(?:InMode)?|-\[NSRunLoop.*|_DPSNextEvent|RunCurrentEventLoopInMode", PATTERNS["run"], "__CFRunLoopRun",
    r"__CFRunLoop(?:Do|Service).*", r"(?:__CFRUNLOOP_IS|mach_msg|__CFPortSet).*"]

#: What a crash report says of an app that the watchdog has ended, and what that means for its stack.
WATCHDOG = ("0x8badf00d", "The system's watchdog has ended this app (0x8BADF00D): its main thread took too long to launch, to answer a system event, or to end. "
            "The stack shows the last moment, which need not be what took the time.",
            "系统的看门狗结束了这个 App（0x8BADF00D）：主线程启动、响应系统事件或者退出时用了太久。调用栈只是最后一刻的，不一定就是耗时的地方。")

MODES = {
    "kCFRunLoopDefaultMode": ("The mode of ordinary work.", "平时工作的 mode。"),
    "NSDefaultRunLoopMode": ("Foundation's name of kCFRunLoopDefaultMode.", "kCFRunLoopDefaultMode 在 Foundation 里的名字。"),
    "kCFRunLoopCommonModes": ("No mode: it stands for the set of common modes.", "不是 mode，代表 common modes 这个集合。"),
    "UITrackingRunLoopMode": ("iOS: the mode while a scroll view tracks a finger.", "iOS：滚动视图跟踪手指时的 mode。"),
    "NSEventTrackingRunLoopMode": ("macOS: the mode while AppKit tracks the mouse.", "macOS：AppKit 跟踪鼠标时的 mode。"),
    "NSModalPanelRunLoopMode": ("macOS: the mode of a modal panel.", "macOS：模态面板的 mode。"),
    "NSConnectionReplyMode": ("Foundation: the mode in which NSConnection waits for a reply.", "Foundation：NSConnection 等待回复时的 mode。"),
    "UIInitializationRunLoopMode": ("iOS: the mode of the launch, not used afterwards.", "iOS：启动时的 mode，之后不再使用。"),
    "GSEventReceiveRunLoopMode": ("iOS: private, in which events of the system are received.", "iOS：私有，接收系统事件。"),
}

MODE_OF = {"CFRunLoopRun": "kCFRunLoopDefaultMode"}  # the mode that a function of the public API runs the loop in


def data(language):
    """The tables in one language, for the scripts of the front page."""
    index = ("en", "zh").index(language)
    return {
        "frames": {name: [function.step or "", function.sentence(language), function.callout, MODE_OF.get(name, function.mode), function.waits_for(language)]
                   for name, function in all_functions().items()},
        "steps": steps(language),
        "patterns": PATTERNS,
        "order": ORDER,
        "watchdog": [WATCHDOG[0], WATCHDOG[1 + index]],
        "keys": {key: [name, texts[index]] for key, (name, *texts) in KEYS.items()},
        "modes": {key: texts[index] for key, texts in MODES.items()},
        "activities": {str(bit): name for bit, name in tables.ACTIVITIES.items()},
        "stepOfActivity": {str(key): step for key, step in tables.STEP_OF_ACTIVITY.items()},
    }


def all_functions():
    """The functions of the table, and those of the public API that run the loop."""
    return {name: tables.function(name) for name in [*tables.functions(), "CFRunLoopRun", "CFRunLoopRunInMode"]}


def steps(language):
    return {number: step.sentence[language] for number, step in tables.steps().items()}
