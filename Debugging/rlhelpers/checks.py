"""rl-check: the invariants of a loop's structures. Tests/CTests/Checker.c checks the same of a program while it runs.

Each function yields one sentence for each thing that is wrong. Walks through the registry and the lists have a limit, so a broken
structure costs a sentence and not the session.
"""

from .debugger import Problem
from .loops import CFRL, FLAG_SLEEPING, FLAG_VALID, NEVER, NO_PORT, STOP, WAKE, Observer, Source, Timer, all_loops, signed_port
from .objects import hexadecimal
from .tree import thread_in_words
from .why import without_wake_up
from .words import say


def check(loop):
    """The lines of rl-check."""
    parts = [registry, runs, modes_of_loop, common_items, items_of_modes, blocks, places]
    wrong = []
    for part in parts:
        wrong += sentences(part(loop))
    lines = [say("WRONG: %s", "错误：%s") % sentence for sentence in dict.fromkeys(wrong)]
    unwoken = [] if wrong else [say("Note: %s", "注意：%s") % sentence for sentence in without_wake_up(loop)]
    lines += locks(loop) + unwoken
    if unwoken:
        lines.append(say("CFRunLoop %s, %s: its structures are consistent.", "CFRunLoop %s，%s：数据结构一致。") % (loop, thread_in_words(loop)))
    elif not wrong:
        lines.append(say("CFRunLoop %s, %s: no problem found.", "CFRunLoop %s，%s：没有发现问题。") % (loop, thread_in_words(loop)))
    return lines


def sentences(part):
    """What a part finds. A structure that cannot be read is a finding, too."""
    found = []
    try:
        for sentence in part:
            found.append(sentence)
    except Problem as problem:
        found.append(str(problem))
    return found


# Locks

def owner(objects, address, struct):
    """The kernel's id of the thread that holds a lock, as glibc's mutex has it; 0 if it is free."""
    return objects.field(address, struct, "_lock.__data.__owner")


def locks(loop):
    """Which locks are held: a thread that holds one may be in the middle of a change."""
    lines = []
    try:
        for what, thing in [(say("the run loop",
                                 "这个 RunLoop"), loop)] + [(say("the mode %s", "mode %s") % mode.name, mode) for mode in loop.modes()]:
            holder = owner(loop.objects, thing.address, thing.struct)
            if holder:
                lines.append(say("Note: %s is locked by %s, and may be in the middle of a change.",
                                 "注意：%s 被%s 锁住，可能正在修改。") % (what, holder_in_words(loop, holder)))
    except Problem:
        pass  # the part that needs it has reported it
    return lines


def holder_in_words(loop, holder):
    for thread in loop.objects.debugger.threads():
        if thread.kernel_id == holder:
            return say("thread %d", "线程 %d") % thread.number
    return say("the thread %d of the system", "系统线程 %d") % holder


# The registry and the runs

def registry(loop):
    loops = all_loops(loop.objects)
    if loop.address not in [other.address for other in loops]:
        yield say("the loop is not in the registry: its thread has ended", "RunLoop 不在全局字典 里：它的线程已经结束")
    if not any(other.is_main for other in loops):
        yield say("there are loops, but none for the main thread (R4)", "有 RunLoop，但没有主线程的（R4）")
    threads = [other.get("_pthread") for other in loops]
    if len(set(threads)) != len(threads):
        yield say("two loops have the same thread (R2)", "两个 RunLoop 属于同一个线程（R2）")


def runs(loop):
    records = loop.runs()
    if not records:
        yield say("there is no record of a run", "没有任何一次运行的记录")
    for depth, record in enumerate(records):
        words = say("the record %s of a run", "运行记录 %s") % hexadecimal(record)
        if loop.run_field(record, "a") != CFRL or loop.run_field(record, "b") != CFRL:
            yield say("%s does not begin with 'CFRL'", "%s 不以 'CFRL' 开头") % words
        if loop.run_field(record, "stopped") not in (0, STOP):
            yield say("%s has %s in `stopped`", "%s 的 `stopped` 是 %s") % (words, hexadecimal(loop.run_field(record, "stopped")))
        ignores = loop.run_field(record, "ignoreWakeUps")
        if ignores not in (0, WAKE):
            yield say("%s has %s in `ignoreWakeUps`", "%s 的 `ignoreWakeUps` 是 %s") % (words, hexadecimal(ignores))
        if depth == len(records) - 1 and bool(ignores) == bool(loop.get("_hostedModes")):
            yield say("outside all runs, wake-ups are ignored, and the loop has a host", "不在任何运行中，唤醒却被忽略，而 RunLoop 有宿主") \
                if ignores else say("outside all runs, wake-ups are not ignored", "不在任何运行中，唤醒却没有被忽略")
    current, count = loop.get("_currentMode"), len(records) - 1
    if current and count <= 0:
        yield say("there are %d runs, and a current mode", "有 %d 次运行，却有 currentMode") % count
    if count > 0 and not current:
        yield say("there are %d runs, and no current mode", "有 %d 次运行，却没有 currentMode") % count


# Modes

def modes_of_loop(loop):
    modes = loop.modes()
    addresses, names, common = [mode.address for mode in modes], [mode.name for mode in modes], loop.common_modes()
    current = loop.get("_currentMode")
    if current and current not in addresses:
        yield say("`_currentMode`, %s, is no mode of the loop", "`_currentMode`（%s）不是这个 RunLoop 的 mode") % hexadecimal(current)
    if loop.flag(FLAG_SLEEPING) and not current:
        yield say("the sleeping flag is on, and `_currentMode` is NULL", "休眠标志已设置，而 `_currentMode` 是 NULL")
    if "kCFRunLoopDefaultMode" not in names:
        yield say("there is no default mode (S4)", "没有默认 mode（S4）")
    if len(set(names)) != len(names):
        yield say("two modes have the same name", "两个 mode 同名")
    for mode in modes:
        if mode.name == "kCFRunLoopCommonModes" and (mode.get("_sources0") or mode.get("_observers") or mode.get("_timers")):
            yield say("the mode with the name of the common modes has had an item (S9)",
                      "以 commonModes 的占位名字命名的 mode 里有过 mode item（S9）")
        if bool(mode.get("_isCommon")) != (mode.name in common):
            yield (say("the mode %s says that it is common, and its name is not among the common modes",
                       "mode %s 说自己是 common mode，但 commonModes 里没有它的名字") if mode.get("_isCommon") else
                   say("the mode %s does not say that it is common, and its name is among the common modes",
                       "mode %s 没有说自己是 common mode，但 commonModes 里有它的名字")) % mode.name


def common_items(loop):
    for item in loop.common_items():
        kind = loop.objects.class_of(item)
        if kind not in ("CFRunLoopSource", "CFRunLoopObserver", "CFRunLoopTimer"):
            yield say("the common item %s is a %s", "commonModeItems 里的 %s 是 %s") % (hexadecimal(item), kind)
        elif not loop.objects.flag(item, FLAG_VALID):
            yield say("the common item %s is invalid", "commonModeItems 里的 %s 已失效") % hexadecimal(item)


# Items

def items_of_modes(loop):
    for mode in loop.modes():
        for part in (sources_of_mode, ports_of_mode, observers_of_mode, timers_of_mode, deadline_of_mode):
            for sentence in sentences(part(mode)):
                yield say("mode %s: %s", "mode %s：%s") % (mode.name, sentence)


def sources_of_mode(mode):
    for version in (0, 1):
        for source in mode.sources(version):
            if source.version != version:
                yield say("the source %s is in _sources%d, but its version is %d",
                          "Source %s 在 _sources%d 里，它的 version 却是 %d") % (source, version, source.version)
            if not source.flag(FLAG_VALID):
                yield say("the source %s is invalid", "Source %s 已失效") % source


def ports_of_mode(mode):
    sources = {source.address: source for source in mode.sources(1)}
    keys = {}
    for key, address in mode.objects.table(mode.get("_portToV1SourceMap")):
        keys[signed_port(key)] = address
        if address not in sources:
            yield say("port %d leads to %s, which is no Source1 of the mode",
                      "端口 %d 对应 %s，它不是这个 mode 的 Source1") % (signed_port(key), hexadecimal(address))
    for source in sources.values():
        port = source.get("_port")
        if port != NO_PORT and port not in keys:
            yield say("the source %s has the port %d, which leads nowhere",
                      "Source %s 的端口 %d 在这个 mode 里找不到对应的 Source") % (source, port)


def observers_of_mode(mode):
    wanted, mask, last = 0, mode.get("_observerMask"), None
    for observer in mode.observers():
        order = observer.get("_order")
        if last is not None and order < last:
            yield say("the observer %s of order %d comes after one of order %d (O2)",
                      "Observer %s 的 order 是 %d，却排在 order 为 %d 的后面（O2）") % (observer, order, last)
        if not observer.flag(FLAG_VALID):
            yield say("the observer %s is invalid", "Observer %s 已失效") % observer
        wanted, last = wanted | observer.get("_activities"), order
    if wanted & ~mask:
        yield say("the observers want %s together, `_observerMask` is %s",
                  "各 Observer 合起来监听 %s，`_observerMask` 却是 %s") % (hexadecimal(wanted), hexadecimal(mask))


def timers_of_mode(mode):
    last = None
    for timer in mode.timers():
        date = timer.get("_fireTSR")
        if last is not None and date < last:
            yield say("the timer %s, due at %d, comes after one due at %d", "Timer %s 在 %d 到期，却排在 %d 到期的后面") % (timer, date, last)
        if not timer.flag(FLAG_VALID):
            yield say("the timer %s is invalid", "Timer %s 已失效") % timer
        if mode.name not in timer.mode_names():
            yield say("the timer %s does not know that it is here", "Timer %s 没有记下自己在这个 mode 里") % timer
        last = date


def deadline_of_mode(mode):
    """The port is armed between the mode's deadlines. A timer in its callback counts in all its modes except the one that it fires in."""
    timers, soft, hard = mode.timers(), mode.get("_timerSoftDeadline"), mode.get("_timerHardDeadline")
    waiting = [timer for timer in timers if not timer.is_firing]
    first = waiting[0].get("_fireTSR") if waiting else NEVER
    if soft != first and not (len(waiting) < len(timers) and soft == timers[0].get("_fireTSR")):
        yield say("the soft deadline is %d, and the first timer is due at %d", "soft deadline 是 %d，而第一个 Timer 在 %d 到期") % (soft, first)
    if mode.timer_deadline != NEVER and not soft <= mode.timer_deadline <= hard:
        yield say("the timer port is armed for %d, not between its deadlines, %d and %d",
                  "Timer 端口定在 %d，不在 soft deadline %d 和 hard deadline %d 之间") % (mode.timer_deadline, soft, hard)


# Blocks

def blocks(loop):
    names = [mode.name for mode in loop.modes()]
    for item in loop.block_items():
        for name in loop.modes_of_block(item):
            if name not in names:
                yield say("the block at %s waits for %s, which is no mode of the loop",
                          "%s 处的 block 等待 mode %s，这个 RunLoop 却没有这个 mode") % (hexadecimal(item), name)
    queued = loop.items_from(loop.get("_blocks_head"))
    if loop.get("_blocks_tail") != (queued[-1] if queued else 0):
        yield say("the list of blocks does not end where the loop says", "block 的链表结尾与 RunLoop 记录的不一致")


# What each item records about its modes

def places(loop):
    """An item records, as a count or by name, which modes it is in and whether it is a common item."""
    found = {}
    for items in [loop.common_items()] + [items_in(mode) for mode in loop.modes()]:
        for item in items:
            found[item] = found.get(item, 0) + 1
    for item, count in found.items():
        yield from sentences(knows_places(loop, item, count))


def items_in(mode):
    return [item.address for item in mode.sources(0) + mode.sources(1) + mode.observers() + mode.timers()]


def knows_places(loop, address, count):
    kind = loop.objects.class_of(address)
    if kind == "CFRunLoopSource":
        known = dict(loop.objects.table(Source(loop.objects, address).get("_runLoops"))).get(loop.address, 0)
    elif kind == "CFRunLoopObserver":
        observer = Observer(loop.objects, address)
        known = observer.get("_rlCount") if observer.get("_runLoop") == loop.address else 0
    elif kind == "CFRunLoopTimer":
        timer = Timer(loop.objects, address)
        known = len(timer.mode_names()) if timer.get("_runLoop") == loop.address else 0
    else:
        return
    if known != count:
        yield say("the %s %s is in %d places of the loop and knows of %d",
                  "%s %s 在 RunLoop 里有 %d 处，自己记着的却是 %d 处") % (kind, hexadecimal(address), count, known)
