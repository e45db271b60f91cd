"""Runs one of the gdb scripts beside this file in lldb, and prints the stacks as gdb does, so that Scripts/check-stacks compares them in the
same way:

    SCRIPT=Tests/Debugger/want-todo.gdb lldb -b -o "command script import Tests/Debugger/stacks_in_lldb.py" -- .build/debug/RunLoopLab article 0.15

Of a script it reads the commands that say where to stop (`tbreak FUNCTION`, `stop_in FILE METHOD`) and whose stack to print (`backtrace`,
`thread apply N backtrace`)."""

import os
import re

import lldb

FOLDER = os.path.dirname(os.path.abspath(__file__))


def line_of(name, method):
    """The file and the line of the first method with that name, as stop_in.py finds it for gdb."""
    for folder, _, names in (found for top in ("Sources", "Lab") for found in os.walk(os.path.join(FOLDER, "../..", top))):
        if name in names:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                return next(number for number, text in enumerate(file, 1) if re.search(r"\bfunc %s\(" % re.escape(method), text))
    raise LookupError("there is no %s" % name)


def set_breakpoints(target, script):
    """Returns which thread's stack each breakpoint is about: its number in lldb, or None for the thread that stops."""
    threads = {}
    for command, words, then in re.findall(r"^(tbreak|stop_in) (.*)$((?:\n(?!tbreak|stop_in).*)*)", script, re.MULTILINE):
        of_any = re.search(r"^ +thread apply (\d+) backtrace$", then, re.MULTILINE)
        if command == "tbreak":
            breakpoint = target.BreakpointCreateByName(words)
        else:
            name, method = words.split()
            breakpoint = target.BreakpointCreateByLocation(name, line_of(name, method))
        threads[breakpoint.GetID()] = int(of_any.group(1)) if of_any else None
    return threads


def print_stack(thread):
    """As gdb does: an inlined frame has the address of the one outside it, and what calls the program's main function is left out."""
    print()
    for frame in thread:
        symbol = frame.GetSymbol()
        name = frame.GetFunctionName() if frame.IsInlined() else symbol.GetMangledName() or symbol.GetName()
        if name == "_start" or name.startswith("__libc_start"):
            break
        print("#%d  0x%x in %s (" % (frame.GetFrameID(), frame.GetPC(), name))


def run(debugger):
    debugger.SetAsync(False)
    target = debugger.GetSelectedTarget()
    with open(os.environ["SCRIPT"], encoding="utf-8") as file:
        threads = set_breakpoints(target, file.read())
    process = target.Launch(target.GetLaunchInfo(), lldb.SBError())
    while process.GetState() == lldb.eStateStopped:
        for stopped in process:
            if stopped.GetStopReason() != lldb.eStopReasonBreakpoint:
                continue
            identifier = stopped.GetStopReasonDataAtIndex(0)
            number = threads.pop(identifier, None)
            print_stack(process.GetThreadByIndexID(number) if number else stopped)
            target.BreakpointDelete(identifier)
        process.Continue()


def __lldb_init_module(debugger, _):
    run(debugger)
