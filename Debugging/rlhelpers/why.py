"""rl-why: what woke the thread, and what that leads to; while it sleeps, what may wake it. What rl-next says when nothing will happen."""

import contextlib

from .debugger import Problem
from .history import LIMIT, MAIN_QUEUE, NOTHING, SOURCE1, TIMER, WAKE_UP, last_passes, left_out, this_pass
from .loops import NEVER, NO_PORT, Clock, Source, loop_of, seconds
from .objects import require
from .stacks import Stack
from .steps import STEPS, sentence_of_step, sort_key
from .tree import guarded, host_in_words
from .words import say

SOON = 10 * 10**9  # in nanoseconds: a thread that sleeps longer than this seems to do nothing


def why(objects, thread):
    """The lines of rl-why."""
    loop = loop_of(objects, thread)
    if loop is None:
        raise Problem(say("Thread %d has no run loop: it has not asked for one (R3).",
                          "线程 %d 没有 RunLoop：它没有获取过（R3）。") % thread.number)
    stack, clock = Stack(objects, thread), Clock(loop)
    lines = in_a_run(loop, stack, clock) if stack.runs() else outside(loop, stack, clock)
    if clock.note:
        lines.append(clock.note)
    return lines


def in_a_run(loop, stack, clock):
    runs = stack.runs()
    run = stack.find("__CFRunLoopRun")
    mode = loop.current_mode
    require(mode is not None, say("the stack shows a run, but the loop has no current mode", "调用栈里有一次运行，RunLoop 却没有 currentMode"))
    if run is None or run > runs[0]:
        step = stack.step(runs[0])
        end = say("begins", "正要开始") if step == "1" else say("ends", "正要结束")
        sentence = sentence_of_step(step) if step in STEPS else say("outside of the passes", "不在任何一轮里")
        return [say("The run in %s %s: step %s, %s.", "%s 里的运行%s：步骤 %s，%s。") % (mode.name, end, step, sentence)]
    now = this_pass(loop)
    step = stack.step(run) or now.step
    lines = [say("Step %s of a run in %s: %s.", "步骤 %s，运行在 %s 里：%s。") % (step, mode.name, sentence_here(step, now)) if step else
             say("In a run in %s.", "在 %s 里的一次运行中。") % mode.name]
    # A pass is over when the next one records its step 2, and the thread may have stopped just before that.
    is_over = step == "2" and now.step not in (None, "1", "2")
    lines += left_out_in_words(loop, stack, [] if is_over else now.steps)
    if now.asleep_since:
        lines += asleep(loop, mode, stack, clock, now)
    elif step and sort_key(step) < [8]:
        lines.append(say("This pass has not slept yet: the thread gets here in every pass.", "这一轮还没有休眠：每一轮都会走到这里。"))
        guarded(lines, 0, lambda: last_woken(now if is_over else pass_before(loop, now)))
    else:
        lines += what_woke(loop, mode, stack, run, step, now, clock)
    if not now.asleep_since or loop.has_wake_up:
        guarded(lines, 0, lambda: signalled(loop, mode))
    return lines


def sentence_here(step, now):
    """What a step is for. A pass that has not been in step 6 does not sleep in step 7, and not every sleep has a limit."""
    if step != "7":
        return sentence_of_step(step)
    if "6" not in now.steps:
        return say("the ports are checked, and the thread does not sleep", "检查各个端口，线程不休眠")
    return say("the thread sleeps until something wakes it", "线程休眠，直到被唤醒")


def last_woken(last):
    """About the pass before this one in the same run, if there is a record of it."""
    if last is None:
        return []
    return [say("The pass before it was woken by %s.", "唤醒上一轮的是：%s。") % last.woken_by() if last.get("_sleepTSR") else
            say("The pass before it did not sleep.", "上一轮没有休眠。")]


def pass_before(loop, now):
    return next((last for _, last in reversed(last_passes(loop)) if last.get("_depth") == now.get("_depth")), None)


# The steps that the pass has left out

def left_out_in_words(loop, stack, reached):
    """The steps that lie between those that the pass has reached, with the reasons, in one line; no line if there are none."""
    reasons = {}
    missing = left_out(reached)
    for step in missing:
        reasons.setdefault(reason_for_leaving_out(loop, stack, step, missing), []).append(step)
    words = [say("step%s %s (%s)",
                 "步骤%.0s %s（%s）") % ("s" if len(steps) > 1 else "", " ".join(steps), reason) for reason, steps in reasons.items()]
    return [say("Left out: %s.", "跳过：%s。") % say(", ", "，").join(words)] if words else []


def reason_for_leaving_out(loop, stack, step, missing):
    if step != "5":
        return say("the main dispatch queue has work", "主队列有任务") if "7" in missing else say("this pass does not sleep", "这一轮不休眠")
    if not loop.is_main:
        return say("only the main thread's loop serves the main dispatch queue", "只有主线程的 RunLoop 处理主队列")
    if not loop.current_mode.get("_isCommon"):
        return say("only a run in a common mode serves the main dispatch queue", "只有 common mode 里的运行处理主队列")
    if stack.find("__CFRUNLOOP_IS_SERVICING_THE_MAIN_DISPATCH_QUEUE__", stack.runs()[0]) is not None:
        return say("a block of the main dispatch queue contains this run", "这次运行嵌套在主队列的任务里")
    last = pass_before(loop, this_pass(loop))
    if last is not None and last.reason == MAIN_QUEUE:
        return say("the pass before has served the main dispatch queue", "上一轮处理过主队列")
    return say("the first pass of a run does not check the main dispatch queue", "一次运行的第一轮不检查主队列")


# What rl-next says of the step that the thread has reached

def arrived(stack, step, position):
    """The last step in the record is the one before: the thread stops in front of the code that records the step."""
    if not step:
        return [say("step %s: %s  (%s)", "步骤 %s：%s  （%s）") % (step, "?", position)]
    loop = loop_of(stack.objects, stack.thread)
    now = this_pass(loop)
    lines = [say("step %s: %s  (%s)", "步骤 %s：%s  （%s）") % (step, sentence_here(step, now), position)]
    if sort_key(step) > [2] and step != "10":
        guarded(lines, 0, lambda: left_out_in_words(loop, stack, now.steps[-1:] + [step]))
    return lines


# Asleep

def asleep(loop, mode, stack, clock, now):
    lines = [say("It has slept for %s.", "它已经休眠 %s。") % seconds(clock.now - now.asleep_since)] if clock.now else []
    guarded(lines, 0, lambda: without_wake_up(loop))
    reasons = ready(loop, mode, clock)
    if reasons:
        return lines + [say("It is about to wake up, because", "它即将醒来，因为")] + reasons
    lines.append(say("Nothing has woken it yet. It can be woken by", "还没有被唤醒。能唤醒它的有："))
    return lines + what_may_wake(loop, mode, clock) + ["  " + limit_in_words(stack, clock)]


def what_may_wake(loop, mode, clock):
    lines = [say("  descriptor %d, the wake-up port: CFRunLoopWakeUp or CFRunLoopStop is called",
                 "  描述符 %d，唤醒端口：调用 CFRunLoopWakeUp 或 CFRunLoopStop") % loop.get("_wakeUpPort")]
    if mode.timer_deadline != NEVER:
        lines.append(timer_port_in_words(mode, clock))
    for port, source in mode.ports():
        lines.append(say("  descriptor %d, the port of a Source1: performs %s",
                         "  描述符 %d，Source1 的端口：回调 %s") % (port, source.function("_context.version1.perform")))
    if mode.port_set("mainQueuePort") != NO_PORT:
        lines.append(say("  the main dispatch queue's port: work is dispatched to it", "  主队列的端口：向主队列派发任务"))
    return lines


def ready(loop, mode, clock):
    """What is ready for the mode, as far as the program's memory and the kernel tell: of a Source1's port only if it is an eventfd."""
    messages, queue = loop.objects.debugger.messages, mode.port_set("mainQueuePort")
    lines = [say("  CFRunLoopWakeUp or CFRunLoopStop was called", "  有线程调用了 CFRunLoopWakeUp 或 CFRunLoopStop")] if loop.has_wake_up else []
    if clock.now is not None and mode.timer_deadline <= clock.now:
        lines.append(timer_port_in_words(mode, clock))
    for port, source in mode.ports():
        if messages(port):
            lines.append(say("  descriptor %d, the port of a Source1, is ready: performs %s",
                             "  描述符 %d 就绪，它是 Source1 的端口：回调 %s") % (port, source.function("_context.version1.perform")))
    if queue != NO_PORT and messages(queue):
        lines.append(say("  work was dispatched to the main queue", "  有任务派发到了主队列"))
    return lines


def timer_port_in_words(mode, clock):
    first = mode.timers(1)
    return say("  the timer port: due %s%s", "  Timer 端口，到期：%s%s") % (
        clock.in_words(mode.timer_deadline), say(", for %s", "，回调 %s") % first[0].function("_callout") if first else "")


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
        return say("the run's time limit, if it has one (the compiler has optimised it away)",
                   "这次运行的超时时间，如果有的话（被编译器优化掉了）")
    if deadline == NEVER:
        return say("nothing else: the run has no time limit", "此外没有：这次运行不会超时")
    return say("the run's time limit: due %s", "这次运行的超时时间：%s") % clock.in_words(deadline)


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
        lines += [say("Queued, but nobody has called CFRunLoopWakeUp since: the block %s waits until something else wakes the loop.",
                      "已加入 block，却没有调用 CFRunLoopWakeUp：%s 要等到 RunLoop 因为别的原因醒来，才会执行。") % function
                  for _, function in loop.queued_for(mode)]
    return list(dict.fromkeys(lines))


def unwoken(loop, source):
    """A signalled source that nobody has woken the loop for."""
    function, now, time = source.function("_context.version0.perform"), loop.objects.debugger.now(), source.get("_signaledTime")
    if now is not None and time <= now:
        return say("Signalled %s ago, but nobody has called CFRunLoopWakeUp since: %s, of the Source0 %s, waits until something else wakes the loop.",
                   "%s前已标记 Source0，之后没有调用 CFRunLoopWakeUp：%s（Source0 %s）要等到 RunLoop 因为别的原因醒来，才会执行。") % (
            seconds(now - time), function, source)
    return say("Signalled, but nobody has called CFRunLoopWakeUp since: %s, of the Source0 %s, waits until something else wakes the loop.",
               "已标记 Source0，却没有调用 CFRunLoopWakeUp：%s（Source0 %s）要等到 RunLoop 因为别的原因醒来，才会执行。") % (function, source)


# In no run

def outside(loop, stack, clock):
    if not loop.get("_hostedModes"):
        return [say("Thread %d is not in a run of its loop; nothing has woken it.",
                    "线程 %d 不在 RunLoop 的运行中，没有被唤醒。") % stack.thread.number]
    lines = [say("Thread %d is in no run of its loop. The loop is %s.",
                 "线程 %d 不在 RunLoop 的运行中。这个 RunLoop %s。") % (stack.thread.number, host_in_words(stack))]
    guarded(lines, 0, lambda: without_wake_up(loop))
    for mode in loop.hosted_modes():
        guarded(lines, 0, lambda: hosted(loop, mode, stack, clock))
    return lines


def hosted(loop, mode, stack, clock):
    """Why the descriptor that a mode's host waits for is readable, or what makes it so."""
    reasons = ready_for_host(loop, mode, clock)
    if not reasons:
        return [say("The host serves %s when descriptor %d is readable. What makes it readable:",
                    "宿主要处理 %s，得等描述符 %d 变为可读。能让它可读的有：") % (mode.name, mode.port_set("host"))] + \
            what_may_wake(loop, mode, clock)
    lines = [say("The host must serve %s: descriptor %d is readable, because",
                 "宿主该处理 %s 了：描述符 %d 可读，因为") % (mode.name, mode.port_set("host"))] + reasons
    if stack.wait_of_host():
        lines.append(say("If the thread sleeps on, its host does not wait for this descriptor.",
                         "如果线程继续休眠，就说明宿主没有等待这个描述符。"))
    return lines


def ready_for_host(loop, mode, clock):
    left = [say("  the last run has left a signalled source or a block",
                "  上一次运行留下了标记为待处理的 Source0，或者 block")] if mode.port_set("hostEventIsSet") else []
    return ready(loop, mode, clock) + left


# What rl-next says when nothing will happen

def nothing_follows(objects, thread, wanted):
    """Why the thread will not reach the step or callout that the reader wants (any step, if that is ""), as far as that is known."""
    with contextlib.suppress(Problem):  # no debug information, or no loop yet
        loop = loop_of(objects, thread)
        if loop is None or objects.debugger.now() is None:
            return []
        if wanted in ("5", "9.2", "main-queue") and not loop.is_main:
            return [say("Thread %d never gets there: only the main thread's loop serves the main dispatch queue.",
                        "线程 %d 永远不会到那里：只有主线程的 RunLoop 处理主队列。") % thread.number]
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
        lines = [say("Nothing will happen by itself: thread %d sleeps until it is woken by",
                     "线程 %d 不会自己继续：它要休眠到被唤醒为止。能唤醒它的有：") % stack.thread.number]
        lines += what_may_wake(loop, mode, clock) + ["  " + limit_in_words(stack, clock)]
    else:
        modes, begin = loop.hosted_modes(), "1"
        if not modes or not stack.wait_of_host() or \
                any(ready_for_host(loop, mode, clock) or mode.timer_deadline < clock.now + SOON for mode in modes):
            return []
        lines = [say("Nothing will happen by itself: thread %d is in no run of its loop. The loop is %s.",
                     "线程 %d 不会自己继续：它不在 RunLoop 的运行中，这个 RunLoop %s。") % (
            stack.thread.number, host_in_words(stack))]
        for mode in modes:
            lines += hosted(loop, mode, stack, clock)
    return lines + without_wake_up(loop) + [
        say("rl-next %s continues the program until then.", "rl-next %s 让程序继续执行，直到线程醒来。") % begin,
        say("To wake the loop now: call (void)CFRunLoopWakeUp((CFRunLoopRef)%s)",
            "现在就唤醒这个 RunLoop：call (void)CFRunLoopWakeUp((CFRunLoopRef)%s)") % loop]


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
        return by_nothing(say("This pass did not sleep, and no port was ready.", "这一轮没有休眠，也没有就绪的端口。"))
    if now.reason == LIMIT:
        return by_nothing(say("Woken because the run's time limit has passed.", "因为这次运行超时而醒来。"))
    if now.reason == WAKE_UP:
        return by_wake_up(now.port)
    port = stack.local(run, "livePort")
    if port is None:
        return [say("What woke it is unknown before step 9, because the compiler has optimised livePort away. Continue with: rl-next 9",
                    "到步骤 9 之前不知道是什么唤醒了它，因为 livePort 被编译器优化掉了。请继续：rl-next 9")]
    if port == NO_PORT:
        return by_nothing(say("No port is ready: the run's time limit has passed, or this pass does not sleep.",
                              "没有就绪的端口：这次运行超时了，或者这一轮不休眠。"))
    if port == loop.get("_wakeUpPort"):
        return by_wake_up(port)
    if port == mode.get("_timerPort"):
        return by_timer(mode, clock, now.get("_wakeTSR"))
    if port in dict(mode.ports()):
        return by_source1(mode, stack, port)
    return by_main_queue()


def by_wake_up(port):
    return by_nothing(say("Woken by the wake-up port, descriptor %d: CFRunLoopWakeUp or CFRunLoopStop was called.",
                          "唤醒它的是唤醒端口，描述符 %d：有线程调用了 CFRunLoopWakeUp 或 CFRunLoopStop。") % port)


def by_nothing(sentence):
    return [sentence,
            say("Leads to: nothing to serve. Queued blocks are performed; sources that were signalled meanwhile follow in step 4 of the next pass.",
                "接下来：没有要处理的端口。执行加入队列的 block；这期间标记的 Source0，在下一轮的步骤 4 执行。")]


def by_timer(mode, clock, woken):
    """In a core file of unknown time, the timers that were due when the thread woke up."""
    moment = woken if clock.now is None else clock.now
    lines = [say("Woken by the timer port.", "唤醒它的是 Timer 端口。"),
             say("Leads to: step 9.1, the timers that are due:", "接下来：步骤 9.1，到期的 Timer：")]
    due = [timer for timer in mode.timers(64) if timer.is_firing or not moment or timer.get("_fireTSR") <= moment]
    for timer in due:
        lines.append("  %s %s" % (timer, timer.in_words(clock)))
    return lines if due else lines + [say("  none is due any more", "  已经没有到期的了")]


def by_main_queue():
    return [say("Woken by the main dispatch queue's port: work was dispatched to the main queue.",
                "唤醒它的是主队列的端口：有任务派发到了主队列。"),
            say("Leads to: step 9.2, which performs what is queued there.", "接下来：步骤 9.2，执行主队列上的任务。")]


def by_source1(mode, stack, port):
    index = stack.find("__CFRunLoopDoSource1")
    source = stack.local(index, "rls") if index is not None else None
    source = Source(stack.objects, source) if source else dict(mode.ports()).get(port)
    if source is None:
        return [say("Woken by descriptor %d, which no source of the mode has any more.",
                    "唤醒它的是描述符 %d，这个 mode 里已经没有 Source 使用它。") % port,
                say("Leads to: nothing; the port set is replaced.", "接下来：没有要处理的，换一个新的端口集。")]
    return [say("Woken by descriptor %d, the port of the Source1 %s.",
                "唤醒它的是描述符 %d，Source1 %s 的端口。") % (source.get("_port"), source),
            say("Leads to: step 9.3, which performs %s.", "接下来：步骤 9.3，回调 %s。") % source.function("_context.version1.perform")]


# What step 4 will find

def signalled(loop, mode):
    return [say("Signalled, and performed in the next step 4: %s, of the Source0 %s.",
                "已标记为待处理，下一个步骤 4 会执行：%s（Source0 %s）。") % (
        source.function("_context.version0.perform"), source) for source in signalled_sources(mode)]


def signalled_sources(mode):
    """The Source0s of the mode that are signalled, in the order in which a pass performs them."""
    waiting = [source for source in mode.sources(0) if source.is_signalled]
    return sorted(waiting, key=lambda source: (source.get("_order"), source.get("_signaledTime")))
