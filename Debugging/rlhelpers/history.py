"""rl-history: the record that a loop keeps of its last passes, struct __CFRunLoopPass."""

from .debugger import Problem
from .loops import NO_PORT, Mode, seconds
from .memory import hexadecimal, require
from .words import say

STRUCT = "struct __CFRunLoopPass"
KEPT = "struct __CFRunLoopPasses"

#: What `_reason` says woke the thread, and which step serves it.
REASONS = {
    0: ("has not reached step 9", None),
    1: ("nothing (non-blocking pass)", None),
    2: ("the wake-up port", None),
    3: ("the timer port", "9.1"),
    4: ("the main dispatch queue's port", "9.2"),
    5: ("the port of a Source1", "9.3"),
    6: ("the run's time limit", None),
}
CALLOUTS = ("block", "observer", "Source0", "Source1", "timer", "main queue")  # in the order of _callouts


class Pass:
    """One record."""

    def __init__(self, loop, address):
        self.loop, self.objects, self.address = loop, loop.objects, address
        self.steps = steps_of(self.get("_steps"))
        self.reason, self.port = self.get("_reason"), self.get("_port")
        require(self.reason in REASONS, say("the record %s of a pass gives %d as the reason") % (hexadecimal(address), self.reason))

    def get(self, field):
        return self.objects.field(self.address, STRUCT, field)

    @property
    def step(self):
        return self.steps[-1] if self.steps else None

    def mode(self):
        mode = self.get("_mode")
        return Mode(self.objects, mode).name if mode else say("no mode")

    def callouts(self):
        """How many callbacks of each kind it called, in words."""
        field = self.objects.debugger.field(STRUCT, "_callouts")
        counts = [self.objects.number(self.address + field.offset + 2 * i, 2) for i in range(len(CALLOUTS))]
        return ", ".join("%s %d×" % (say(name), count) for name, count in zip(CALLOUTS, counts) if count) or say("nothing")

    def woken_by(self):
        words = say(REASONS[self.reason][0])
        if self.port != NO_PORT and self.reason in (2, 4, 5):
            words += say(", descriptor %d") % self.port
        sender = self.get("_sender")
        return words + (say(", sent by the thread %d of the system") % sender if sender else "")

    def sleep(self):
        """How long the thread slept, and what woke it. A pass that did not sleep may have found something, too."""
        begin, end = self.get("_sleepTSR"), self.get("_wakeTSR")
        if begin and not end:
            return say("sleeps")
        slept = say("slept %s") % seconds(end - begin) if begin else say("did not sleep")
        if not self.reason:
            return slept
        return (say("%s, woken by %s") if begin else say("%s, found %s")) % (slept, self.woken_by())

    def in_words(self):
        depth = self.get("_depth")
        nested = say(", in a run within %d other%s") % (depth - 1, "s" if depth > 2 else "") if depth > 1 else ""
        return say("%s%s: steps %s; %s; called: %s") % (self.mode(), nested, " ".join(self.steps) or say("none"), self.sleep(), self.callouts())


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
    lines = [say("CFRunLoop %s: %d pass%s completed") % (loop, count, "" if count == 1 else "es")]
    for number, one in passes:
        try:
            lines.append("  %d. %s" % (number + 1, one.in_words()))
        except Problem as problem:
            lines.append("  %d. (%s)" % (number + 1, problem))
    now = this_pass(loop)
    if now.steps:
        lines.append(say("  now: %s") % now.in_words())
    return lines
