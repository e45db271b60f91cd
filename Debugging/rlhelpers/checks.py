"""rl-check: the invariants of a loop's structures. Tests/CTests/Checker.c checks the same of a program while it runs.

Each function yields one sentence for each thing that is wrong. Walks through the registry and the lists have a limit, so a broken
structure costs a sentence and not the session.
"""

from .debugger import Problem
from .loops import CFRL, FLAG_SLEEPING, FLAG_VALID, NEVER, NO_PORT, STOP, WAKE, Observer, Source, Timer, all_loops, signed_port
from .memory import hexadecimal
from .tree import thread_in_words
from .why import without_wake_up
from .words import say


def check(loop):
    """The lines of rl-check."""
    parts = [registry, runs, modes_of_loop, common_items, items_of_modes, blocks, places]
    wrong = []
    for part in parts:
        wrong += sentences(part(loop))
    lines = [say("WRONG: %s") % sentence for sentence in dict.fromkeys(wrong)]
    unwoken = [] if wrong else [say("Note: %s") % sentence for sentence in without_wake_up(loop)]
    lines += locks(loop) + unwoken
    if unwoken:
        lines.append(say("CFRunLoop %s, %s: its structures are consistent.") % (loop, thread_in_words(loop)))
    elif not wrong:
        lines.append(say("CFRunLoop %s, %s: no problem found.") % (loop, thread_in_words(loop)))
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
        for what, thing in [(say("the run loop"), loop)] + [(say("the mode %s") % mode.name, mode) for mode in loop.modes()]:
            holder = owner(loop.objects, thing.address, thing.struct)
            if holder:
                lines.append(say("Note: %s is locked by %s, and may be in the middle of a change.") % (what, holder_in_words(loop, holder)))
    except Problem:
        pass  # the part that needs it has reported it
    return lines


def holder_in_words(loop, holder):
    for thread in loop.objects.debugger.threads():
        if thread.kernel_id == holder:
            return say("thread %d") % thread.number
    return say("the thread %d of the system") % holder


# The registry and the runs

def registry(loop):
    loops = all_loops(loop.objects)
    if loop.address not in [other.address for other in loops]:
        yield say("the loop is not in the registry: its thread has ended")
    if not any(other.is_main for other in loops):
        yield say("there are loops, but none for the main thread (R4)")
    threads = [other.get("_pthread") for other in loops]
    if len(set(threads)) != len(threads):
        yield say("two loops have the same thread (R2)")


def runs(loop):
    records = loop.runs()
    if not records:
        yield say("there is no record of a run")
    for depth, record in enumerate(records):
        words = say("the record %s of a run") % hexadecimal(record)
        if loop.run_field(record, "a") != CFRL or loop.run_field(record, "b") != CFRL:
            yield say("%s does not begin with 'CFRL'") % words
        if loop.run_field(record, "stopped") not in (0, STOP):
            yield say("%s has %s in `stopped`") % (words, hexadecimal(loop.run_field(record, "stopped")))
        ignores = loop.run_field(record, "ignoreWakeUps")
        if ignores not in (0, WAKE):
            yield say("%s has %s in `ignoreWakeUps`") % (words, hexadecimal(ignores))
        if depth == len(records) - 1 and bool(ignores) == bool(loop.get("_hostedModes")):
            yield say("outside all runs, wake-ups are ignored, and the loop has a host") if ignores else \
                say("outside all runs, wake-ups are not ignored")
    if (len(records) > 1) != bool(loop.get("_currentMode")):
        yield (say("there are %d runs, and a current mode") if loop.get("_currentMode") else say("there are %d runs, and no current mode")) % (len(records) - 1)


# Modes

def modes_of_loop(loop):
    modes = loop.modes()
    addresses, names, common = [mode.address for mode in modes], [mode.name for mode in modes], loop.common_modes()
    current = loop.get("_currentMode")
    if current and current not in addresses:
        yield say("`_currentMode`, %s, is no mode of the loop") % hexadecimal(current)
    if loop.flag(FLAG_SLEEPING) and not current:
        yield say("the sleeping flag is on, and `_currentMode` is NULL")
    if "kCFRunLoopDefaultMode" not in names:
        yield say("there is no default mode (S4)")
    if len(set(names)) != len(names):
        yield say("two modes have the same name")
    for mode in modes:
        if mode.name == "kCFRunLoopCommonModes" and (mode.get("_sources0") or mode.get("_observers") or mode.get("_timers")):
            yield say("the mode with the name of the common modes has had an item (S9)")
        if bool(mode.get("_isCommon")) != (mode.name in common):
            yield (say("the mode %s says that it is common, and its name is not among the common modes") if mode.get("_isCommon") else
                   say("the mode %s does not say that it is common, and its name is among the common modes")) % mode.name


def common_items(loop):
    for item in loop.common_items():
        kind = loop.objects.class_of(item)
        if kind not in ("CFRunLoopSource", "CFRunLoopObserver", "CFRunLoopTimer"):
            yield say("the common item %s is a %s") % (hexadecimal(item), kind)
        elif not loop.objects.flag(item, FLAG_VALID):
            yield say("the common item %s is invalid") % hexadecimal(item)


# Items

def items_of_modes(loop):
    for mode in loop.modes():
        for part in (sources_of_mode, ports_of_mode, observers_of_mode, timers_of_mode, deadline_of_mode):
            for sentence in sentences(part(mode)):
                yield say("mode %s: %s") % (mode.name, sentence)


def sources_of_mode(mode):
    for version in (0, 1):
        for source in mode.sources(version):
            if source.version != version:
                yield say("the source %s is in _sources%d, but its version is %d") % (source, version, source.version)
            if not source.flag(FLAG_VALID):
                yield say("the source %s is invalid") % source


def ports_of_mode(mode):
    sources = {source.address: source for source in mode.sources(1)}
    keys = {}
    for key, address in mode.objects.table(mode.get("_portToV1SourceMap")):
        keys[signed_port(key)] = address
        if address not in sources:
            yield say("port %d leads to %s, which is no Source1 of the mode") % (signed_port(key), hexadecimal(address))
    for source in sources.values():
        port = source.get("_port")
        if port != NO_PORT and port not in keys:
            yield say("the source %s has the port %d, which leads nowhere") % (source, port)


def observers_of_mode(mode):
    wanted, mask, last = 0, mode.get("_observerMask"), None
    for observer in mode.observers():
        order = observer.get("_order")
        if last is not None and order < last:
            yield say("the observer %s of order %d comes after one of order %d (O2)") % (observer, order, last)
        if not observer.flag(FLAG_VALID):
            yield say("the observer %s is invalid") % observer
        wanted, last = wanted | observer.get("_activities"), order
    if wanted & ~mask:
        yield say("the observers want %s together, `_observerMask` is %s") % (hexadecimal(wanted), hexadecimal(mask))


def timers_of_mode(mode):
    last = None
    for timer in mode.timers():
        date = timer.get("_fireTSR")
        if last is not None and date < last:
            yield say("the timer %s, due at %d, comes after one due at %d") % (timer, date, last)
        if not timer.flag(FLAG_VALID):
            yield say("the timer %s is invalid") % timer
        if mode.name not in timer.mode_names():
            yield say("the timer %s does not know that it is here") % timer
        last = date


def deadline_of_mode(mode):
    """The port is armed between the mode's deadlines. A timer in its callback counts in all its modes except the one that it fires in."""
    timers, soft, hard = mode.timers(), mode.get("_timerSoftDeadline"), mode.get("_timerHardDeadline")
    waiting = [timer for timer in timers if not timer.is_firing]
    first = waiting[0].get("_fireTSR") if waiting else NEVER
    if soft != first and not (len(waiting) < len(timers) and soft == timers[0].get("_fireTSR")):
        yield say("the soft deadline is %d, and the first timer is due at %d") % (soft, first)
    if mode.timer_deadline != NEVER and not soft <= mode.timer_deadline <= hard:
        yield say("the timer port is armed for %d, not between its deadlines, %d and %d") % (mode.timer_deadline, soft, hard)


# Blocks

def blocks(loop):
    names = [mode.name for mode in loop.modes()]
    for item in loop.block_items():
        for name in loop.modes_of_block(item):
            if name not in names:
                yield say("the block at %s waits for %s, which is no mode of the loop") % (hexadecimal(item), name)
    queued = loop.items_from(loop.get("_blocks_head"))
    if loop.get("_blocks_tail") != (queued[-1] if queued else 0):
        yield say("the list of blocks does not end where the loop says")


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
        yield say("the %s %s is in %d places of the loop and knows of %d") % (kind, hexadecimal(address), count, known)
