"""rl-why: what woke the thread, and what that leads to; while it sleeps, what may wake it. What rl-next says when nothing will happen."""

import contextlib

from . import trace
from .debugger import Problem
from .history import LIMIT, MAIN_QUEUE, NOTHING, SOURCE1, TIMER, WAKE_UP, last_passes, left_out, this_pass
from .loops import NEVER, NO_PORT, Clock, Source, loop_of, seconds
from .memory import require
from .stacks import Stack
from .steps import STEPS, sentence_of_step, sort_key
from .tree import guarded, host_in_words
from .words import say

SOON = 10 * 10**9  # in nanoseconds: a thread that sleeps longer than this seems to do nothing


def why(objects, thread):
    """The lines of rl-why."""
    loop = loop_of(objects, thread)
    if loop is None:
        raise Problem(say("Thread %d has no run loop: it has not asked for one (R3).") % thread.number)
    stack, clock = Stack(objects, thread), Clock(loop)
    lines = in_a_run(loop, stack, clock) if stack.runs() else outside(loop, stack, clock)
    if clock.note:
        lines.append(clock.note)
    return lines


def in_a_run(loop, stack, clock):
    runs = stack.runs()
    run = stack.find("__CFRunLoopRun")
    mode = loop.current_mode
    require(mode is not None, say("the stack shows a run, but the loop has no current mode"))
    if run is None or run > runs[0]:
        step = stack.step(runs[0])
        end = say("begins") if step == "1" else say("ends")
        return [say("The run in %s %s: step %s, %s.") % (mode.name, end, step, sentence_of_step(step) if step in STEPS else say("outside of the passes"))]
    now = this_pass(loop)
    step = stack.step(run) or now.step
    lines = [say("Step %s of a run in %s: %s.") % (step, mode.name, sentence_here(step, now)) if step else say("In a run in %s.") % mode.name]
    lines += left_out_in_words(loop, stack, now.steps)
    if now.asleep_since:
        lines += asleep(loop, mode, stack, clock, now)
    elif step and sort_key(step) < [8]:
        lines.append(say("This pass has not slept yet: the thread gets here in every pass."))
        guarded(lines, 0, lambda: last_woken(loop, now))
    else:
        lines += what_woke(loop, mode, stack, run, step, now, clock)
    if not now.asleep_since or loop.has_wake_up:
        guarded(lines, 0, lambda: signalled(loop, mode))
    return lines


def sentence_here(step, now):
    """What a step is for. A pass that has not been in step 6 does not sleep in step 7."""
    return say("the ports are checked, and the thread does not sleep") if step == "7" and "6" not in now.steps else sentence_of_step(step)


def last_woken(loop, now):
    """About the pass before this one in the same run, if there is a record of it."""
    last = pass_before(loop, now)
    if last is None:
        return []
    return [say("The pass before it was woken by %s.") % last.woken_by() if last.get("_sleepTSR") else say("The pass before it did not sleep.")]


def pass_before(loop, now):
    return next((last for _, last in reversed(last_passes(loop)) if last.get("_depth") == now.get("_depth")), None)


# The steps that the pass has left out

def left_out_in_words(loop, stack, reached):
    """The steps that lie between those that the pass has reached, with the reasons, in one line; no line if there are none."""
    reasons = {}
    missing = left_out(reached)
    for step in missing:
        reasons.setdefault(reason_for_leaving_out(loop, stack, step, missing), []).append(step)
    words = [say("step%s %s (%s)") % ("s" if len(steps) > 1 else "", " ".join(steps), reason) for reason, steps in reasons.items()]
    return [say("Left out: %s.") % say(", ").join(words)] if words else []


def reason_for_leaving_out(loop, stack, step, missing):
    if step != "5":
        return say("the main dispatch queue has work") if "7" in missing else say("this pass does not sleep")
    if not loop.is_main:
        return say("only the main thread's loop serves the main dispatch queue")
    if not loop.current_mode.get("_isCommon"):
        return say("only a run in a common mode serves the main dispatch queue")
    if stack.find("__CFRUNLOOP_IS_SERVICING_THE_MAIN_DISPATCH_QUEUE__", stack.runs()[0]) is not None:
        return say("a block of the main dispatch queue contains this run")
    last = pass_before(loop, this_pass(loop))
    if last is not None and last.reason == MAIN_QUEUE:
        return say("the pass before has served the main dispatch queue")
    return say("the first pass of a run does not check the main dispatch queue")


# What rl-next says of the step that the thread has reached

def arrived(stack, step, position):
    """The last step in the record is the one before: the thread stops in front of the code that records the step."""
    if not step:
        return [say("step %s: %s  (%s)") % (step, "?", position)]
    loop = loop_of(stack.objects, stack.thread)
    now = this_pass(loop)
    lines = [say("step %s: %s  (%s)") % (step, sentence_here(step, now), position)]
    if sort_key(step) > [2] and step != "10":
        guarded(lines, 0, lambda: left_out_in_words(loop, stack, now.steps[-1:] + [step]))
    return lines


# Asleep

def asleep(loop, mode, stack, clock, now):
    lines = [say("It has slept for %s.") % seconds(clock.now - now.asleep_since)] if clock.now else []
    guarded(lines, 0, lambda: without_wake_up(loop))
    reasons = ready(loop, mode, clock)
    if reasons:
        return lines + [say("It is about to wake up, because")] + reasons
    return lines + [say("Nothing has woken it yet. It can be woken by")] + what_may_wake(loop, mode, clock) + ["  " + limit_in_words(stack, clock)]


def what_may_wake(loop, mode, clock):
    lines = [say("  descriptor %d, the wake-up port: CFRunLoopWakeUp or CFRunLoopStop is called") % loop.get("_wakeUpPort")]
    if mode.timer_deadline != NEVER:
        lines.append(timer_port_in_words(mode, clock))
    for port, source in mode.ports():
        lines.append(say("  descriptor %d, the port of a Source1: performs %s") % (port, source.function("_context.version1.perform")))
    if mode.port_set("mainQueuePort") != NO_PORT:
        lines.append(say("  the main dispatch queue's port: work is dispatched to it"))
    return lines


def ready(loop, mode, clock):
    """What is ready for the mode, as far as the program's memory and the kernel tell: of a Source1's port only if it is an eventfd."""
    messages, queue = loop.objects.debugger.messages, mode.port_set("mainQueuePort")
    lines = [say("  CFRunLoopWakeUp or CFRunLoopStop was called")] if loop.has_wake_up else []
    if clock.now is not None and mode.timer_deadline <= clock.now:
        lines.append(timer_port_in_words(mode, clock))
    for port, source in mode.ports():
        if messages(port):
            lines.append(say("  descriptor %d, the port of a Source1, is ready: performs %s") % (port, source.function("_context.version1.perform")))
    if queue != NO_PORT and messages(queue):
        lines.append(say("  work was dispatched to the main queue"))
    return lines


def timer_port_in_words(mode, clock):
    first = mode.timers(1)
    return say("  the timer port: due %s%s") % (
        clock.in_words(mode.timer_deadline), say(", for %s") % first[0].function("_callout") if first else "")


def limit(stack):
    """The deadline of the thread's wait; None if the compiler has optimised it away."""
    for function, name in (("__CFRunLoopServiceMachPort", "deadlineTSR"), ("__CFPortSetWait", "deadlineTSR"), ("__CFRunLoopRun", "termTSR")):
        index = stack.find(function)
        deadline = stack.local(index, name) if index is not None else None
        if deadline is not None:
            return deadline
    return None


def limit_in_words(stack, clock):
    deadline = limit(stack)
    if deadline is None:
        return say("the run's time limit, if it has one (the compiler has optimised it away)")
    if deadline == NEVER:
        return say("nothing else: the run has no time limit")
    return say("the run's time limit: due %s") % clock.in_words(deadline)


def without_wake_up(loop):
    """What waits in a loop that sleeps, or whose host sleeps, because no thread has called CFRunLoopWakeUp since."""
    if loop.current_mode is None:
        modes = [mode for mode in loop.hosted_modes() if not mode.port_set("hostEventIsSet")]
    else:
        modes = [loop.current_mode] if this_pass(loop).asleep_since else []
    if not modes or loop.has_wake_up:
        return []
    lines = []
    for mode in modes:
        lines += [unwoken(loop, source) for source in signalled_sources(mode)]
        lines += [say("Queued, but nobody has called CFRunLoopWakeUp since: the block %s waits until something else wakes the loop.") % function
                  for _, function in loop.queued_for(mode)]
    return list(dict.fromkeys(lines))


def unwoken(loop, source):
    """A signalled source that nobody has woken the loop for. Only a trace knows when it was signalled."""
    function, now, time = source.function("_context.version0.perform"), loop.objects.debugger.now(), trace.signalled_at(loop.objects, source)
    if now is not None and time is not None and time <= now:
        return say("Signalled %s ago, but nobody has called CFRunLoopWakeUp since: %s, of the Source0 %s, waits until something else wakes the loop.") % (
            seconds(now - time), function, source)
    return say("Signalled, but nobody has called CFRunLoopWakeUp since: %s, of the Source0 %s, waits until something else wakes the loop.") % (function, source)


# In no run

def outside(loop, stack, clock):
    if not loop.get("_hostedModes"):
        return [say("Thread %d is not in a run of its loop; nothing has woken it.") % stack.thread.number]
    lines = [say("Thread %d is in no run of its loop. The loop is %s.") % (stack.thread.number, host_in_words(stack))]
    guarded(lines, 0, lambda: without_wake_up(loop))
    for mode in loop.hosted_modes():
        guarded(lines, 0, lambda: hosted(loop, mode, stack, clock))
    return lines


def hosted(loop, mode, stack, clock):
    """Why the descriptor that a mode's host waits for is readable, or what makes it so."""
    reasons = ready_for_host(loop, mode, clock)
    if not reasons:
        return [say("The host serves %s when descriptor %d is readable. What makes it readable:") % (mode.name, mode.port_set("host"))] + \
            what_may_wake(loop, mode, clock)
    lines = [say("The host must serve %s: descriptor %d is readable, because") % (mode.name, mode.port_set("host"))] + reasons
    if stack.wait_of_host():
        lines.append(say("If the thread sleeps on, its host does not wait for this descriptor."))
    return lines


def ready_for_host(loop, mode, clock):
    left = [say("  the last run has left a signalled source or a block")] if mode.port_set("hostEventIsSet") else []
    return ready(loop, mode, clock) + left


# What rl-next says when nothing will happen

def nothing_follows(objects, thread, wanted):
    """Why the thread will not reach the step or callout that the reader wants (any step, if that is ""), as far as that is known."""
    with contextlib.suppress(Problem):  # no debug information, or no loop yet
        loop = loop_of(objects, thread)
        if loop is None or objects.debugger.now() is None:
            return []
        if wanted in ("5", "9.2", "main-queue") and not loop.is_main:
            return [say("Thread %d never gets there: only the main thread's loop serves the main dispatch queue.") % thread.number]
        if not wanted:
            return sleeper(loop, Stack(objects, thread), Clock(loop))
    return []


def sleeper(loop, stack, clock):
    """What a thread waits for that sleeps, or is about to, and that nothing wakes soon; and how to let it go on."""
    if stack.runs():
        mode, begin, run = loop.current_mode, "8", stack.find("__CFRunLoopRun")
        pass_ = this_pass(loop)
        is_about_to = run == 0 and stack.step_of_run(0) == "7" and "6" in pass_.steps and not pass_.get("_wakeTSR")
        deadline = limit(stack)
        if not (pass_.asleep_since or is_about_to) or ready(loop, mode, clock) or \
                min(mode.timer_deadline, NEVER if deadline is None else deadline) < clock.now + SOON:
            return []
        lines = [say("Nothing will happen by itself: thread %d sleeps until it is woken by") % stack.thread.number]
        lines += what_may_wake(loop, mode, clock) + ["  " + limit_in_words(stack, clock)]
    else:
        modes, begin = loop.hosted_modes(), "1"
        if not modes or not stack.wait_of_host() or \
                any(ready_for_host(loop, mode, clock) or mode.timer_deadline < clock.now + SOON for mode in modes):
            return []
        lines = [say("Nothing will happen by itself: thread %d is in no run of its loop. The loop is %s.") % (
            stack.thread.number, host_in_words(stack))]
        for mode in modes:
            lines += hosted(loop, mode, stack, clock)
    return lines + without_wake_up(loop) + [
        say("rl-next %s continues the program until then.") % begin,
        say("To wake the loop now: call (void)CFRunLoopWakeUp((CFRunLoopRef)%s)") % loop]


# Awake

def what_woke(loop, mode, stack, run, step, now, clock):
    """Steps 8 and 9: from what is being served, then from the record of the pass; between the sleep and step 9, from the port."""
    if step == "9.1" or now.reason == TIMER:
        return by_timer(mode, clock, now.get("_wakeTSR"))
    if step == "9.2" or now.reason == MAIN_QUEUE:
        return by_main_queue()
    if step == "9.3" or now.reason == SOURCE1:
        return by_source1(mode, stack, now.port)
    if now.reason == NOTHING:
        return by_nothing(say("This pass did not sleep, and no port was ready."))
    if now.reason == LIMIT:
        return by_nothing(say("Woken because the run's time limit has passed."))
    if now.reason == WAKE_UP:
        return by_wake_up(now.port)
    port = stack.local(run, "livePort")
    if port is None:
        return [say("What woke it is unknown before step 9, because the compiler has optimised livePort away. Continue with: rl-next 9")]
    if port == NO_PORT:
        return by_nothing(say("No port is ready: the run's time limit has passed, or this pass does not sleep."))
    if port == loop.get("_wakeUpPort"):
        return by_wake_up(port)
    if port == mode.get("_timerPort"):
        return by_timer(mode, clock, now.get("_wakeTSR"))
    if port in dict(mode.ports()):
        return by_source1(mode, stack, port)
    return by_main_queue()


def by_wake_up(port):
    return by_nothing(say("Woken by the wake-up port, descriptor %d: CFRunLoopWakeUp or CFRunLoopStop was called.") % port)


def by_nothing(sentence):
    return [sentence,
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
    return [say("Signalled, and performed in the next step 4: %s, of the Source0 %s.") % (
        source.function("_context.version0.perform"), source) for source in signalled_sources(mode)]


def signalled_sources(mode):
    """The Source0s of the mode that are signalled, in the order in which a pass performs them."""
    waiting = [source for source in mode.sources(0) if source.is_signalled]
    return sorted(waiting, key=lambda source: (source.get("_order"), source.get("_signalTurn")))
