"""What the front page says of a stack's frames and of a printed loop's words. The sentences of this project's own frames are the debugger's."""

import importlib.util

# Frames of a Mac or an iPhone, of libdispatch and of the C library: the step, English, Chinese.
OTHERS = {
    "mach_msg_trap": ("7", "The kernel: the thread waits for a message. Here it is epoll_wait.", "内核：线程在等消息。这里是 epoll_wait。"),
    "mach_msg2_trap": ("7", "The kernel, on newer Macs: the thread waits for a message.", "内核（较新的 Mac）：线程在等消息。"),
    "mach_msg": ("7", "Waits for a message on a port. Here __CFPortSetWait stands in its place.", "等端口上的消息。这里对应 __CFPortSetWait。"),
    "mach_msg2_internal": ("7", "Part of mach_msg on newer Macs.", "较新 Mac 上 mach_msg 的一部分。"),
    "mach_msg_overwrite": ("7", "Part of mach_msg on newer Macs.", "较新 Mac 上 mach_msg 的一部分。"),
    "epoll_wait": ("7", "The kernel: the thread waits until a descriptor is ready.", "内核：线程等到某个描述符就绪。"),
    "epoll_pwait2": ("7", "The kernel: the thread waits, with a limit in nanoseconds.", "内核：线程等待，时限以纳秒计。"),
    "syscall": ("", "A system call without a wrapper of its own; under __CFPortSetWait it is epoll_pwait2, the wait with a limit.",
                "没有专门封装的系统调用；在 __CFPortSetWait 里是 epoll_pwait2，即有时限的等待。"),
    "GSEventRunModal": ("", "iOS: runs the main loop on behalf of UIApplicationMain.", "iOS：替 UIApplicationMain 运行主线程的 RunLoop。"),
    "UIApplicationMain": ("", "iOS: creates the application, and runs the main loop until the process ends.", "iOS：创建应用，运行主线程的 RunLoop，直到进程结束。"),
    "_DPSNextEvent": ("", "macOS: AppKit waits for the next event by running the main loop.", "macOS：AppKit 运行主线程的 RunLoop 来等下一个事件。"),
    "RunCurrentEventLoopInMode": ("", "macOS: HIToolbox runs the main loop in a mode, for AppKit.", "macOS：HIToolbox 替 AppKit 在某个 mode 里运行主线程的 RunLoop。"),
    "_dispatch_main_queue_drain": ("9.2", "libdispatch performs what is queued on the main queue.", "libdispatch 执行主队列里排队的任务。"),
    "_dispatch_call_block_and_release": ("", "libdispatch calls a block that was queued with dispatch_async.", "libdispatch 调用 dispatch_async 排进来的 block。"),
    "_dispatch_client_callout": ("", "libdispatch calls out to a client's function.", "libdispatch 调用调用方的函数。"),
    "__CFMachPortPerform": ("9.3", "The perform of the Source1 that belongs to a CFMachPort.", "CFMachPort 的 Source1 的 perform。"),
    "CFRunLoopRunSpecificWithOptions": ("", "Newer Macs: what CFRunLoopRunSpecific calls, or the name that stands in its place.", "较新的 Mac：CFRunLoopRunSpecific 所调用的，或取代它的名字。"),
    "_UIApplicationHandleEventQueue": ("4", "iOS: takes touches from UIKit's queue. It is called by a Source0, which a Source1 has signalled.",
                                       "iOS：从 UIKit 的队列取触摸事件。由一个 Source0 调用，那个 Source0 由 Source1 标记。"),
    "__handleEventQueue": ("4", "iOS: takes touches from UIKit's queue. It is called by a Source0.", "iOS：从 UIKit 的队列取触摸事件，由 Source0 调用。"),
    "__dispatchPreprocessedEventFromEventQueue": ("4", "iOS: hands an event of the queue to the application.", "iOS：把队列里的一个事件交给应用。"),
    "_beforeCACommitHandler": ("6", "iOS: an observer that runs before Core Animation commits.", "iOS：Core Animation 提交之前的 Observer。"),
    "_afterCACommitHandler": ("6", "iOS: an observer that runs after Core Animation commits.", "iOS：Core Animation 提交之后的 Observer。"),
    "_ZN2CA11Transaction17observer_callbackEP19__CFRunLoopObservermPv": (
        "6", "Core Animation's observer of BeforeWaiting and Exit: commits the changes of layers.", "Core Animation 的 Observer（BeforeWaiting 与 Exit）：提交图层的改动。"),
    "CA::Transaction::observer_callback": ("6", "Core Animation's observer of BeforeWaiting and Exit: commits the changes of layers.",
                                           "Core Animation 的 Observer（BeforeWaiting 与 Exit）：提交图层的改动。"),
    "_UIGestureRecognizerUpdateObserver": ("6", "iOS: an observer of BeforeWaiting that calls gesture recognizers.", "iOS：BeforeWaiting 的 Observer，回调手势识别器。"),
    "PurpleEventSignalCallback": ("4", "iOS: the perform of a Source0 of GraphicsServices.", "iOS：GraphicsServices 的一个 Source0 的 perform。"),
    "PurpleEventCallback": ("9.3", "iOS: GraphicsServices' Source1, on which events of the system arrive.", "iOS：GraphicsServices 的 Source1，系统事件由此到达。"),
    "__IOHIDEventSystemClientQueueCallback": ("9.3", "iOS: the Source1 on which IOKit delivers touches; it signals UIKit's Source0.",
                                              "iOS：IOKit 送来触摸事件的 Source1；它把 UIKit 的 Source0 标记为待处理。"),
    "FBSSerialQueueRunLoopSourceHandler": ("4", "iOS: a Source0 on which FrontBoard delivers messages of the system.", "iOS：FrontBoard 的 Source0，送来系统的消息。"),
    "-[NSRunLoop runMode:beforeDate:]": ("", "NSRunLoop: one run; it calls CFRunLoopRunSpecific.", "NSRunLoop：运行一次；里面调用 CFRunLoopRunSpecific。"),
    "-[NSRunLoop run]": ("", "NSRunLoop: runs the default mode again and again; a stop does not end it.", "NSRunLoop：反复运行 default mode；Stop 结束不了它。"),
    "-[NSRunLoop runUntilDate:]": ("", "NSRunLoop: runs the default mode again and again until the date.", "NSRunLoop：反复运行 default mode，直到这个时间。"),
    "start": ("", "The program's entry, before main.", "程序入口，在 main 之前。"),
    "start_thread": ("", "The C library's entry of a thread.", "C 库里线程的入口。"),
    "thread_start": ("", "The entry of a thread.", "线程的入口。"),
    "_pthread_start": ("", "The entry of a thread.", "线程的入口。"),
    "__libc_start_main": ("", "The C library's entry, which calls main.", "C 库的入口，由它调用 main。"),
    "__libc_start_call_main": ("", "The C library's entry, which calls main.", "C 库的入口，由它调用 main。"),
    "main": ("", "The program's main function.", "程序的 main 函数。"),
}

# The words of a printed loop, `word = value`: the name of the card, English, Chinese.
KEYS = {
    "wakeup port": ("_wakeUpPort", "the port that CFRunLoopWakeUp sends to: a mach port on a Mac, an eventfd here", "CFRunLoopWakeUp 发消息的端口：Mac 上是 mach port，这里是 eventfd"),
    "stopped": ("stopped", "whether a CFRunLoopStop waits to be taken by the innermost run", "是否有 CFRunLoopStop 等着最内层的运行来处理"),
    "ignoreWakeUps": ("ignoreWakeUps", "true while the thread is awake and looks for changes anyway, so a wake-up sends nothing",
                      "线程醒着、反正会检查时为 true，这时唤醒不发消息"),
    "current mode": ("_currentMode", "the mode of the innermost run; (none) outside of a run", "最内层运行的 mode；不在运行时为 (none)"),
    "common modes": ("_commonModes", "the names of the modes that share the common items", "共享 common item 的 mode 的名字"),
    "common mode items": ("_commonModeItems", "what was added to kCFRunLoopCommonModes; each of the common modes has these items, too",
                          "加进 kCFRunLoopCommonModes 的 item；每个 common mode 里也都有它们"),
    "modes": ("_modes", "the modes of this loop; a mode is made by its first item, and stays", "这个 RunLoop 的各个 mode；第一个 item 加入时创建，之后一直都在"),
    "name": ("_name", "the mode's name", "mode 的名字"),
    "locked": ("_lock", "whether the mode's lock was taken when it was printed", "打印时 mode 的锁是否被持有"),
    "port set": ("_portSet", "what the thread sleeps on: a mach port set on a Mac, an epoll descriptor here", "线程休眠时等待的东西：Mac 上是 mach port set，这里是 epoll 描述符"),
    "timer port": ("_timerPort", "the port that says that a timer is due: mk_timer on a Mac, a timerfd here", "Timer 到期时就绪的端口：Mac 上是 mk_timer，这里是 timerfd"),
    "queue": ("_queue", "macOS: the queue of the dispatch timer that watches the timers of this mode", "macOS：监视此 mode 各 Timer 的 dispatch 定时器所在的队列"),
    "source": ("_timerSource", "macOS: the dispatch timer of this mode", "macOS：此 mode 的 dispatch 定时器"),
    "timer fired": ("_timerFired", "macOS: whether that dispatch timer has fired", "macOS：那个 dispatch 定时器是否已触发"),
    "sources0": ("_sources0", "version 0 sources: performed in step 4 if they were signalled", "version 0 的 source：被标记后在步骤 4 执行"),
    "sources1": ("_sources1", "version 1 sources: performed in step 9.3 when their port is ready", "version 1 的 source：端口就绪后在步骤 9.3 执行"),
    "observers": ("_observers", "in the order in which they are notified", "按通知的顺序排列"),
    "timers": ("_timers", "in the order in which they fire", "按触发的先后排列"),
    "soft deadline in": ("_timerSoftDeadline", "when the next timer is due, without tolerance", "下一个 Timer 到期的时间，不含宽容度"),
    "hard deadline in": ("_timerHardDeadline", "when it must have fired, with its tolerance", "含宽容度，最迟的触发时间"),
    "signalled": ("__CFRunLoopSourceIsSignaled", "whether CFRunLoopSourceSignal was called since it was last performed", "上次执行之后是否调用过 CFRunLoopSourceSignal"),
    "valid": ("", "No after it was invalidated; an invalid item is never called again", "失效后为 No；失效的 item 不再被调用"),
    "order": ("_order", "items with a lower order are served first", "order 小的先服务"),
    "activities": ("CFRunLoopActivity", "the moments at which the observer is notified", "通知这个 Observer 的时机"),
    "repeats": ("CFRunLoopObserverDoesRepeat", "No: invalidated after the first time", "No 表示通知一次后失效"),
    "firing": ("__CFRunLoopTimerIsFiring", "whether its callback is running", "回调是否正在执行"),
    "interval": ("CFRunLoopTimerGetInterval", "seconds between two dates; 0 for a timer that fires once", "两次之间的秒数；0 表示只触发一次"),
    "tolerance": ("CFRunLoopTimerGetTolerance", "how many seconds later it may fire, so that wake-ups fall together", "允许晚多少秒触发，以便合并唤醒"),
    "next fire date": ("CFRunLoopTimerGetNextFireDate", "in seconds since 2001; in parentheses the seconds that are left", "自 2001 年起的秒数；括号里是剩余的秒数"),
    "callout": ("", "the function that the loop calls", "RunLoop 调用的函数"),
    "version": ("", "0: signalled by hand; 1: with a port", "0：由程序标记；1：带端口"),
    "count": ("", "the number of entries", "条目的个数"),
    "contents": ("", "the text", "文字内容"),
}

# Types in a printed loop: the card, English, Chinese.
TYPES = {
    "CFRunLoop": ("CFRunLoopRef", "A run loop.", "一个 RunLoop。"),
    "CFRunLoopMode": ("CFRunLoopModeRef", "A mode.", "一个 mode。"),
    "CFRunLoopSource": ("CFRunLoopSourceRef", "A source.", "一个 source。"),
    "CFRunLoopTimer": ("CFRunLoopTimerRef", "A timer.", "一个 Timer。"),
    "CFRunLoopObserver": ("CFRunLoopObserverRef", "An observer.", "一个 Observer。"),
    "CFMachPort": ("CFMachPortRef", "The mach port of a Source1.", "Source1 的 mach port。"),
    "CFMessagePort": ("CFMessagePortRef", "The message port of a Source1.", "Source1 的消息端口。"),
}

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

ACTIVITIES = {"1": "Entry", "2": "BeforeTimers", "4": "BeforeSources", "32": "BeforeWaiting", "64": "AfterWaiting", "128": "Exit"}


def data(root, language):
    """The tables in one language, for the scripts of the front page."""
    steps, chinese = _debugger(root, "steps"), _debugger(root, "zh").TABLE
    index = ("en", "zh").index(language)

    def say(text):
        return chinese[text] if language == "zh" else text

    frames = {name: [step or "", say(sentence), ""] for name, (step, sentence) in steps.FUNCTIONS.items()}
    for name, (word, step, what) in steps.CALLOUTS.items():
        frames[name] = [step or "", say(what), word]
    for name, (step, *sentences) in OTHERS.items():
        frames.setdefault(name, [step, sentences[index], ""])
    return {
        "frames": frames,
        "steps": {step: say(text) for step, text in steps.STEPS.items()},
        "keys": {key: [name, texts[index]] for key, (name, *texts) in KEYS.items()},
        "types": {key: [name, texts[index]] for key, (name, *texts) in TYPES.items()},
        "modes": {key: texts[index] for key, texts in MODES.items()},
        "activities": ACTIVITIES,
        "stepOfActivity": {str(key): step for key, step in steps.STEP_OF_ACTIVITY.items()},
    }


def _debugger(root, name):
    """A file of tables of the debugger commands: it needs nothing else, so it is read without the rest."""
    spec = importlib.util.spec_from_file_location(name, root / f"Debugging/rlhelpers/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
