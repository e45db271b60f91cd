"""rl-history: the record that a loop keeps of its last passes, struct __CFRunLoopPass."""

from .debugger import Problem
from .loops import NO_PORT, Mode, seconds
from .objects import hexadecimal, require
from .words import say

STRUCT = "struct __CFRunLoopPass"
KEPT = "struct __CFRunLoopPasses"

NOT_YET, NOTHING, WAKE_UP, TIMER, MAIN_QUEUE, SOURCE1, LIMIT = range(7)  # what `_reason` may be
#: What woke the thread. Before step 9 that is not known yet, and a pass that did not sleep may have found nothing.
WOKEN_BY = [None, None, ("the wake-up port", "唤醒端口"), ("the timer port", "Timer 端口"), ("the main dispatch queue's port", "主队列的端口"),
            ("the port of a Source1", "Source1 的端口"), ("the run's time limit", "这次运行的超时时间")]
CALLOUTS = [("block", "block"), ("observer", "Observer"), ("Source0", "Source0"), ("Source1", "Source1"), ("timer", "Timer"),
            ("main queue", "主队列")]  # in the order of _callouts


class Pass:
    """One record."""

    def __init__(self, loop, address):
        self.loop, self.objects, self.address = loop, loop.objects, address
        self.steps = steps_of(self.get("_steps"))
        self.reason, self.port = self.get("_reason"), self.get("_port")
        require(self.reason < len(WOKEN_BY),
                say("the record %s of a pass gives %d as the reason", "某一轮的记录 %s 给出的原因是 %d") % (hexadecimal(address), self.reason))

    def get(self, field):
        return self.objects.field(self.address, STRUCT, field)

    @property
    def step(self):
        return self.steps[-1] if self.steps else None

    def mode(self):
        mode = self.get("_mode")
        return Mode(self.objects, mode).name if mode else say("no mode", "没有 mode")

    def callouts(self):
        """How many callbacks of each kind it called, in words."""
        field = self.objects.debugger.field(STRUCT, "_callouts")
        counts = [self.objects.number(self.address + field.offset + 2 * i, 2) for i in range(len(CALLOUTS))]
        return say(", ", "，").join("%s %d×" % (say(*name), count) for name, count in zip(CALLOUTS, counts) if count) or say("nothing", "无")

    def woken_by(self):
        words = say(*WOKEN_BY[self.reason])
        if self.port != NO_PORT and self.reason in (WAKE_UP, MAIN_QUEUE, SOURCE1):
            words += say(", descriptor %d", "，描述符 %d") % self.port
        return words

    def sleep(self):
        """How long the thread slept, and what woke it. A pass that did not sleep may have found something, too."""
        begin, end = self.get("_sleepTSR"), self.get("_wakeTSR")
        if begin and not end:
            return say("sleeps", "正在休眠")
        if self.reason == NOTHING:
            return say("did not sleep, and no port was ready", "没有休眠，也没有就绪的端口")
        slept = say("slept %s", "休眠 %s") % seconds(end - begin) if begin else say("did not sleep", "没有休眠")
        if self.reason == NOT_YET:
            return slept
        return (say("%s, woken by %s", "%s，唤醒它的是：%s") if begin else say("%s, found %s", "%s，就绪的是：%s")) % (slept, self.woken_by())

    def in_words(self):
        depth = self.get("_depth")
        nested = say(", in a run within %d other%s", "，嵌套在另外 %d 次运行里%.0s") % (depth - 1, "s" if depth > 2 else "") if depth > 1 else ""
        steps = " ".join(self.steps) or say("none", "无")
        return say("%s%s: steps %s; %s; called: %s", "%s%s：步骤 %s；%s；回调：%s") % (self.mode(), nested, steps, self.sleep(), self.callouts())


    @property
    def asleep_since(self):
        """When the thread fell asleep in this pass; None if it is awake. A pass that only looks at its ports does not sleep."""
        begin = self.get("_sleepTSR")
        return begin if begin and not self.get("_wakeTSR") else None


def left_out(reached):
    """The steps that lie between those that a pass has reached, and that it has left out."""
    numbers = [int(step.split(".")[0]) for step in reached if step != "10"]
    return [str(step) for step in range(min(numbers, default=0), max(numbers, default=0)) if step not in numbers]


def steps_of(digits):
    """0x2347 → 2 3 4 7"""
    return [str(int(digit, 16)) for digit in "%x" % digits] if digits else []


def this_pass(loop):
    """The pass that the innermost run is in."""
    return Pass(loop, loop.objects.address_of_field(loop.runs()[0], "struct __CFRecordedRun", "pass"))


def last_passes(loop):
    """(number, record) of the passes that are kept, oldest first."""
    count, debugger = completed(loop), loop.objects.debugger
    size, kept = debugger.size_of(STRUCT), debugger.field(KEPT, "_kept")
    first, room = loop.get("_passes") + kept.offset, kept.size // size
    return [(number, Pass(loop, first + number % room * size)) for number in range(max(0, count - room), count)]


def completed(loop):
    """How many passes of the loop are complete."""
    passes = loop.get("_passes")
    return loop.objects.field(passes, KEPT, "_count") if passes else 0


def history(loop):
    """The lines of rl-history."""
    passes = last_passes(loop)
    count = completed(loop)
    lines = [say("CFRunLoop %s: %d pass%s completed", "CFRunLoop %s：已完成 %d 轮%.0s") % (loop, count, "" if count == 1 else "es")]
    for number, one in passes:
        try:
            lines.append("  %d. %s" % (number + 1, one.in_words()))
        except Problem as problem:
            lines.append("  %d. (%s)" % (number + 1, problem))
    now = this_pass(loop)
    if now.steps:
        lines.append(say("  now: %s", "  现在：%s") % now.in_words())
    return lines
