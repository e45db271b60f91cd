"""rl-why: what woke the thread, and what that leads to."""

from .debugger import Problem
from .history import last_passes, this_pass
from .loops import NEVER, NO_PORT, Clock, Source, loop_of
from .memory import require
from .stacks import Stack
from .steps import STEPS, sentence_of_step, sort_key
from .tree import guarded
from .words import say


def why(objects, thread):
    """The lines of rl-why."""
    loop = loop_of(objects, thread)
    if loop is None:
        raise Problem(say("Thread %d has no run loop: it has not asked for one (R3).") % thread.number)
    stack = Stack(objects, thread)
    runs = stack.runs()
    if not runs:
        return [say("Thread %d is not in a run of its loop; nothing has woken it.") % thread.number]
    run = stack.find("__CFRunLoopRun")
    mode = loop.current_mode
    require(mode is not None, say("the stack shows a run, but the loop has no current mode"))
    if run is None or run > runs[0]:
        step = stack.step(runs[0])
        end = say("begins") if step == "1" else say("ends")
        return [say("The run in %s %s: step %s, %s.") % (mode.name, end, step, sentence_of_step(step) if step in STEPS else say("outside of the passes"))]
    now = this_pass(loop)
    step = stack.step(run) or now.step
    clock = Clock(loop)
    lines = [say("Step %s of a run in %s: %s.") % (step, mode.name, sentence_of_step(step)) if step else say("In a run in %s.") % mode.name]
    if step == "7" and loop.is_asleep:
        lines += what_may_wake(loop, mode, stack, clock)
    elif step and sort_key(step) < [8]:
        lines.append(say("This pass has not slept yet: the thread gets here in every pass."))
        guarded(lines, 0, lambda: last_woken(loop, now))
    else:
        lines += what_woke(loop, mode, stack, run, step, now, clock)
    guarded(lines, 0, lambda: signalled(loop, mode))
    if clock.note:
        lines.append(clock.note)
    return lines


def last_woken(loop, now):
    """About the pass before this one in the same run, if there is a record of it."""
    for _, last in reversed(last_passes(loop)):
        if last.get("_depth") == now.get("_depth"):
            slept = last.get("_sleepTSR")
            return [say("The pass before it was woken by %s.") % last.woken_by() if slept else say("The pass before it did not sleep.")]
    return []


# Asleep

def what_may_wake(loop, mode, stack, clock):
    lines = [say("Nothing has woken it yet. It can be woken by")]
    lines.append(say("  descriptor %d, the wake-up port: CFRunLoopWakeUp or CFRunLoopStop is called") % loop.get("_wakeUpPort"))
    if mode.timer_deadline != NEVER:
        first = mode.timers(1)
        lines.append(say("  the timer port: due %s%s") % (
            clock.in_words(mode.timer_deadline), say(", for %s") % first[0].function("_callout") if first else ""))
    for port, source in mode.ports():
        lines.append(say("  descriptor %d, the port of a Source1: performs %s") % (port, source.function("_context.version1.perform")))
    if mode.port_set("mainQueuePort") != NO_PORT:
        lines.append(say("  the main dispatch queue's port: work is dispatched to it"))
    lines.append("  " + limit(stack, clock))
    return lines


def limit(stack, clock):
    for function in ("__CFRunLoopServiceMachPort", "__CFPortSetWait"):
        index = stack.find(function)
        deadline = stack.local(index, "deadlineTSR") if index is not None else None
        if deadline == NEVER:
            return say("nothing else: the run has no time limit")
        if deadline is not None:
            return say("the run's time limit: due %s") % clock.in_words(deadline)
    return say("the run's time limit, if it has one (the compiler has optimised it away)")


# Awake

def what_woke(loop, mode, stack, run, step, now, clock):
    """Steps 8 and 9: from what is being served, then from the record of the pass; between the sleep and step 9, from the port."""
    if step == "9.1" or now.reason == 3:
        return by_timer(mode, clock, now.get("_wakeTSR"))
    if step == "9.2" or now.reason == 4:
        return by_main_queue()
    if step == "9.3" or now.reason == 5:
        return by_source1(mode, stack, now.port)
    if now.reason:
        return by_nothing(now.woken_by())
    port = stack.local(run, "livePort")
    if port is None:
        return [say("What woke it is unknown before step 9, because the compiler has optimised livePort away. Continue with: rl-next 9")]
    if port == NO_PORT:
        return by_nothing(say("no port: the run's time limit has passed, or this pass is non-blocking"))
    if port == loop.get("_wakeUpPort"):
        return by_nothing(say("the wake-up port, descriptor %d: CFRunLoopWakeUp or CFRunLoopStop was called") % port)
    if port == mode.get("_timerPort"):
        return by_timer(mode, clock, now.get("_wakeTSR"))
    if port in dict(mode.ports()):
        return by_source1(mode, stack, port)
    return by_main_queue()


def by_nothing(words):
    return [say("Woken by %s.") % words,
            say("Leads to: nothing to serve. Queued blocks are performed; sources that were signalled meanwhile follow in step 4 of the next pass.")]


def by_timer(mode, clock, woken):
    """In a core file of unknown time, the timers that were due when the thread woke up."""
    moment = woken if clock.now is None else clock.now
    lines = [say("Woken by the timer port."), say("Leads to: step 9.1, the timers that are due:")]
    due = [timer for timer in mode.timers(64) if timer.is_firing or not moment or timer.get("_fireTSR") <= moment]
    for timer in due:
        lines.append("  %s %s" % (timer, timer.in_words(clock)))
    return lines if due else lines + [say("  none is due any more")]


def by_main_queue():
    return [say("Woken by the main dispatch queue's port: work was dispatched to the main queue."),
            say("Leads to: step 9.2, which performs what is queued there.")]


def by_source1(mode, stack, port):
    index = stack.find("__CFRunLoopDoSource1")
    source = stack.local(index, "rls") if index is not None else None
    source = Source(stack.objects, source) if source else dict(mode.ports()).get(port)
    if source is None:
        return [say("Woken by descriptor %d, which no source of the mode has any more.") % port,
                say("Leads to: nothing; the port set is replaced.")]
    return [say("Woken by descriptor %d, the port of the Source1 %s.") % (source.get("_port"), source),
            say("Leads to: step 9.3, which performs %s.") % source.function("_context.version1.perform")]


# What step 4 will find

def signalled(loop, mode):
    """The Source0s of the mode that are signalled, in the order in which a pass performs them."""
    waiting = [source for source in mode.sources(0) if source.is_signalled]
    waiting.sort(key=lambda source: (source.get("_order"), source.get("_signalTurn")))
    return [say("Signalled, and performed in the next step 4: %s, of the Source0 %s.") % (
        source.function("_context.version0.perform"), source) for source in waiting]
