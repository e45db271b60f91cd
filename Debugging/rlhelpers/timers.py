"""rl-timers."""

from .debugger import Problem
from .loops import NEVER, Clock, Timer
from .words import say

MOST_SHOWN = 50


def timers(loop):
    """The lines of rl-timers: each mode's timers in the order in which they fire."""
    clock = Clock(loop)
    lines = []
    for mode in loop.modes():
        try:
            lines += timers_of_mode(mode, clock)
        except Problem as problem:
            lines.append(say("mode %s: %s") % (mode.name, problem))
    if clock.note:
        lines.append(clock.note)
    return lines


def timers_of_mode(mode, clock):
    count = mode.timer_count()
    if not count:
        return [say("mode %s: no timers") % mode.name]
    port = say("the port is not armed") if mode.timer_deadline == NEVER else say("the port is due %s") % clock.in_words(mode.timer_deadline)
    lines = [say("mode %s: %d timer%s; %s") % (mode.name, count, "" if count == 1 else "s", port)]
    for number, address in enumerate(mode.addresses("_timers", MOST_SHOWN), 1):
        try:
            timer = Timer(mode.objects, address)
            lines.append(say("  %d. %s  due %s%s  %s  %s%s") % (
                number, timer, timer.due_in_words(clock), window(timer), rhythm(timer), timer.function("_callout"),
                say("  (in its callback)") if timer.is_firing else ""))
        except Problem as problem:
            lines.append("  %d. (%s)" % (number, problem))
    if count > MOST_SHOWN:
        lines.append(say("  and %d more") % (count - MOST_SHOWN))
    return lines


def window(timer):
    return say(", or up to %g s later") % (timer.tolerance / 1e9) if timer.tolerance else ""


def rhythm(timer):
    interval = timer.get("_interval")
    return say("every %g s") % interval if interval > 0 else say("once")
