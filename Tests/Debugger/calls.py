"""Stops a program in each step of a pass and in each callout, and calls functions there that look at the loop. Prints a line for each call:
Scripts/check-debugger-calls starts it and reads them.

A step holds the locks of the loop and of the mode; they are recursive, so the calls answer nevertheless.
"""

import os
import re
import sys

FOLDER = os.path.dirname(os.path.abspath(sys._getframe().f_code.co_filename))  # not __file__: gdb has none
PAGE = "Sources/CRunLoop/CFRunLoop.c"
MARK = "CALLED "
CALLOUTS = ["__CFRUNLOOP_IS_CALLING_OUT_TO_AN_OBSERVER_CALLBACK_FUNCTION__", "__CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__",
            "__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__", "__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE1_PERFORM_FUNCTION__",
            "__CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__", "__CFRUNLOOP_IS_SERVICING_THE_MAIN_DISPATCH_QUEUE__"]
LOOP, MODE = "(struct __CFRunLoop *)CFRunLoopGetMain()", "kCFRunLoopDefaultMode"
#: Each call, and whether its answer is right; None: it has none.
CALLS = {
    f"(void)CFShow({LOOP})": None,
    "(void)__CFRunLoopDump()": None,
    f"(long)CFArrayGetCount((struct __CFArray *)CFRunLoopCopyAllModes({LOOP}))": lambda count: count >= 1,
    f"(long)CFStringGetLength((struct __CFString *)CFRunLoopCopyCurrentMode({LOOP}))": lambda length: length == len("kCFRunLoopDefaultMode"),
    f"(int)(unsigned char)CFRunLoopContainsTimer({LOOP}, (struct __CFRunLoopTimer *)scenario_items[0], {MODE})": lambda is_there: is_there in (0, 1),
    **{f"(long)CFStringGetLength((struct __CFString *)CFCopyDescription(scenario_items[{item}]))": lambda length: length > 20 for item in range(4)},
    f"(long)CFStringGetLength((struct __CFString *)CFCopyDescription({LOOP}))": lambda length: length > 200,
}


def places():
    """The places to stop at: a name, and a function or a file and a line."""
    with open(os.path.join(FOLDER, "../..", PAGE), encoding="utf-8") as file:
        found = {"step " + match[1]: f"{os.path.basename(PAGE)}:{number}" for number, line in enumerate(file, 1)
                 if (match := re.search(r"CFRUNLOOP_STEP\(\w+, \w+, (\d+)\)", line))}
    return found | {name: name for name in CALLOUTS}


def report(place, call, answer):
    """`answer` is a number, or None for a call that has none, or a text that says why it failed."""
    is_right = CALLS[call]
    right = answer is None if is_right is None else isinstance(answer, int) and is_right(answer)
    print("\n%s%s\t%s\t%s\t%s" % (MARK, place, call, "ok" if right else "wrong", answer), flush=True)


def in_gdb():
    for setting in ("confirm off", "pagination off", "startup-with-shell off", "unwindonsignal on", "print thread-events off"):
        gdb.execute("set " + setting)
    gdb.execute("tbreak main")
    gdb.execute("run")
    stops = {}
    for place, where in places().items():
        stops[gdb.Breakpoint(where).number] = place
    hit = []
    gdb.events.stop.connect(lambda event: hit.extend(stop.number for stop in getattr(event, "breakpoints", [])))
    while True:
        hit.clear()
        gdb.execute("continue", to_string=True)
        if not hit:
            return
        for number in list(hit):
            place = stops.pop(number, None)
            gdb.execute("delete %d" % number)
            for call in CALLS if place else []:
                print("\nCALLS %s: %s" % (place, call), flush=True)
                try:
                    value = gdb.parse_and_eval(call)
                    report(place, call, None if CALLS[call] is None else int(value))
                except gdb.error as error:
                    report(place, call, str(error))
        if not stops:
            return


def run():
    """lldb calls this after it has stopped at main."""
    import lldb
    lldb.debugger.SetAsync(False)
    target = lldb.debugger.GetSelectedTarget()
    process, stops = target.GetProcess(), {}
    for place, where in places().items():
        name, _, line = where.partition(":")
        stop = target.BreakpointCreateByLocation(name, int(line)) if line else target.BreakpointCreateByName(name)
        stops[stop.GetID()] = place
    while process.GetState() == lldb.eStateStopped and stops:
        process.Continue()
        for thread in process:
            if thread.GetStopReason() != lldb.eStopReasonBreakpoint:
                continue
            for index in range(0, thread.GetStopReasonDataCount(), 2):
                number = thread.GetStopReasonDataAtIndex(index)
                place = stops.pop(number, None)
                target.BreakpointDelete(number)
                for call in CALLS if place else []:
                    value = thread.GetFrameAtIndex(0).EvaluateExpression(call)
                    if CALLS[call] is None:
                        failed = value.GetError().Fail() and value.GetError().GetError() != 0x1001  # it has no result
                        report(place, call, value.GetError().GetCString() if failed else None)
                    else:
                        report(place, call, value.GetError().GetCString() if value.GetError().Fail() else value.GetValueAsSigned())


if "gdb" in sys.modules:
    import gdb
    in_gdb()
