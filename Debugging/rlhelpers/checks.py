"""rl-check: the invariants of a loop's structures. Tests/CTests/Checker.c checks the same of a program while it runs.

Each function yields one sentence for each thing that is wrong. Walks through the registry and the lists have a limit, so a broken
structure costs a sentence and not the session.
"""

from .debugger import Problem
from .loops import (CFRL, FLAG_SLEEPING, FLAG_VALID, NEVER, NO_PORT, POKE, POLL, STOP, WAKE, WOKE, Observer, Source, Timer, all_loops, signed_port)
from .memory import hexadecimal
from .tree import thread_in_words
from .words import say


def check(loop):
    """The lines of rl-check."""
    parts = [registry, runs, modes_of_loop, common_items, items_of_modes, deadlines, blocks, places]
    wrong = []
    for part in parts:
        wrong += sentences(part(loop))
    lines = [say("WRONG: %s") % sentence for sentence in wrong]
    lines += locks(loop)
    if not wrong:
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
    """The kernel's id of the thread that holds a lock; 0 if it is free. The highest bit says that another thread waits."""
    return objects.field(address, struct, "_lock._owner") & 0x7fffffff


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
        if ignores not in (0, WAKE, WOKE, POLL, POKE):
            yield say("%s has %s in `ignoreWakeUps`") % (words, hexadecimal(ignores))
        if depth == len(records) - 1 and bool(ignores) == bool(loop.get("_isHosted")):
            yield say("outside all runs, wake-ups are ignored, and the loop has a host") if ignores else \
                say("outside all runs, wake-ups are not ignored")
    if (len(records) > 1) != bool(loop.get("_currentMode")):
        yield (say("there are %d runs, and a current mode") if loop.get("_currentMode") else say("there are %d runs, and no current mode")) % (len(records) - 1)


# Modes

def modes_of_loop(loop):
    modes = loop.modes()
    addresses, names, common = [mode.address for mode in modes], [mode.name for mode in modes], loop.common_modes()
    for field in ("_currentMode", "_sleepingMode", "_lastMode"):
        mode = loop.get(field)
        if mode and mode not in addresses:
            yield say("`%s`, %s, is no mode of the loop") % (field, hexadecimal(mode))
    if loop.flag(FLAG_SLEEPING) != bool(loop.get("_sleepingMode")):
        yield say("the sleeping flag is on, and `_sleepingMode` is NULL") if loop.flag(FLAG_SLEEPING) else \
            say("the sleeping flag is off, and `_sleepingMode` is set")
    if "kCFRunLoopDefaultMode" not in names:
        yield say("there is no default mode (S4)")
    if len(set(names)) != len(names):
        yield say("two modes have the same name")
    for mode in modes:
        if mode.name == "kCFRunLoopCommonModes":
            yield say("the placeholder for the common modes has become a mode (S9)")
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
        for part in (sources_of_mode, ports_of_mode, observers_of_mode, timers_of_mode):
            for sentence in sentences(part(mode)):
                yield say("mode %s: %s") % (mode.name, sentence)


def sources_of_mode(mode):
    sources = mode.sources(0)
    addresses = {source.address for source in sources}
    for version, found in ((0, sources), (1, mode.sources(1))):
        for source in found:
            if source.version != version:
                yield say("the source %s is in _sources%d, but its version is %d") % (source, version, source.version)
            if not source.flag(FLAG_VALID):
                yield say("the source %s is invalid") % source
    if set(mode.objects.members(mode.get("_source0Addresses"))) != addresses:
        yield say("`_source0Addresses` does not have the sources of `_sources0`")
    for address in mode.objects.members(mode.get("_signaledSources0")):
        if address not in addresses:
            yield say("the signalled source %s is not in the mode") % hexadecimal(address)


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
    mask, last = 0, None
    for observer in mode.observers():
        order = observer.get("_order")
        if last is not None and order < last:
            yield say("the observer %s of order %d comes after one of order %d (O2)") % (observer, order, last)
        if not observer.flag(FLAG_VALID):
            yield say("the observer %s is invalid") % observer
        mask, last = mask | observer.get("_activities"), order
    if mask != mode.get("_observerMask"):
        yield say("the observers want %s together, `_observerMask` is %s") % (hexadecimal(mask), hexadecimal(mode.get("_observerMask")))


def timers_of_mode(mode):
    last = None
    for timer in mode.timers():
        date, turn = timer.get("_fireTSR"), timer.get("_turn")
        place = date, timer.get("_nextFireDate") if date == 0 else 0, turn  # 0: from before the monotonic clock began
        if last is not None and place <= last:
            yield say("the timer %s, due at %d (turn %d), comes after one due at %d (turn %d)") % (timer, date, turn, last[0], last[2])
        if not timer.flag(FLAG_VALID):
            yield say("the timer %s is invalid") % timer
        if mode.name not in timer.mode_names():
            yield say("the timer %s does not know that it is here") % timer
        last = place


def deadlines(loop):
    """If a mode's timers have not changed since its port was armed, the port is armed for one of them."""
    for mode in loop.modes():
        soft, hard = mode.get("_timerSoftDeadline"), mode.get("_timerHardDeadline")
        if mode.get("_timersChanged"):
            if loop.get("_sleepingMode") == mode.address:
                yield say("the loop sleeps in the mode %s, and its timers have changed") % mode.name
            continue
        dates = [timer.get("_fireTSR") for timer in mode.timers(64) if not timer.is_firing]
        if soft != NEVER and soft > hard:
            yield say("mode %s: the timer port is armed for %d, later than its hard deadline, %d") % (mode.name, soft, hard)
        if not any(timer.is_firing for timer in mode.timers(64)) and (soft not in dates if dates else soft != NEVER):
            yield say("mode %s: the timer port is armed for %d, and no timer is due then") % (mode.name, soft)


# Blocks

def blocks(loop):
    flags = {mode.name: mode.get("_mayHaveBlocks") for mode in loop.modes()}
    flags["kCFRunLoopCommonModes"] = loop.get("_commonModesMayHaveBlocks")
    for item in loop.block_items():
        for name in loop.modes_of_block(item):
            if name not in flags:
                yield say("the block at %s waits for %s, which is no mode of the loop") % (hexadecimal(item), name)
            elif not flags[name]:
                yield say("the block at %s waits for %s, and the flag for that mode denies it") % (hexadecimal(item), name)
    for what, head, tail in [(say("blocks"), "_blocks_head", "_blocks_tail"), (say("taken blocks"), "_takenBlocksHead", "_takenBlocksTail")]:
        items = loop.items_of_list(head)
        if loop.get(tail) != (items[-1] if items else 0):
            yield say("the list of %s does not end where the loop says") % what
    if loop.get("_takenBlocksHead") and not loop.get("_hasTakenBlocks"):
        yield say("blocks are taken, and the loop's flag denies it")


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
        source = Source(loop.objects, address)
        known = dict(loop.objects.table(source.get("_runLoops"))).get(loop.address, 0)
        if source.get("_onlyRunLoop") == loop.address:
            known += source.get("_onlyCount")
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
