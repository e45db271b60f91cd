"""Stops a program where stacks.txt has a stack of it, and prints each as the debugger's `backtrace` does: stacks.txt says how to start it.
Scripts/check-stacks compares what it prints."""

import os
import re
import sys

FOLDER = os.path.dirname(os.path.abspath(sys._getframe().f_code.co_filename))  # not __file__: gdb has none
TITLE = "--- "  # of a stack in what is printed


class Stack:
    def __init__(self, place):
        self.place, self.frames = place, []
        where, _, thread = place.partition(", thread ")
        #: The thread whose stack it is, as the debugger numbers it; 0 if it is the one that stops.
        self.thread = int(thread or 0)
        #: Where to stop: a function, or a file and a line, because debuggers know Swift's methods by their mangled names only.
        self.stop = line_of(*where.split()) if " " in where else where
        if self.stop == place:
            self.frames.append(place)


def stacks():
    """The stacks of each program, by the program with its arguments."""
    found, groups, frames = {}, {}, None
    with open(os.path.join(FOLDER, "stacks.txt"), encoding="utf-8") as file:
        lines = [line.rstrip() for line in file if line.strip() and not line.startswith("#")]
    for line in lines:
        if line.startswith(" "):
            frames.append(line.strip())
        elif line.startswith("("):
            frames = groups[line[:-1]] = []
        elif line.endswith(":"):
            program.append(Stack(line[:-1]))
            frames = program[-1].frames
        else:
            program = found[line] = []

    def whole(frames):
        return [each for frame in frames for each in (whole(groups[frame]) if frame.startswith("(") else [frame])]

    for stack in sum(found.values(), []):
        stack.frames = whole(stack.frames)
    return found


def line_of(name, method):
    """The file and the line of the first method with that name in a Swift file."""
    for folder, _, names in (found for top in ("Sources", "Lab") for found in os.walk(os.path.join(FOLDER, "../..", top))):
        if name in names:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                return name, next(number for number, text in enumerate(file, 1) if re.search(r"\bfunc %s\(" % re.escape(method), text))
    raise LookupError("there is no %s" % name)


def stacks_of(program, arguments):
    found, wanted = stacks(), " ".join([os.path.basename(program)] + arguments.split())
    if wanted not in found:
        sys.exit("stacks.py: stacks.txt has no stacks of %s; it has those of %s" % (wanted, ", ".join(found)))
    return found[wanted]


def in_gdb():
    for setting in ("confirm off", "pagination off", "width 0", "print address on", "print frame-arguments none", "startup-with-shell off"):
        gdb.execute("set " + setting)
    stops, hit = {}, []
    for stack in stacks_of(gdb.current_progspace().filename, gdb.execute("show args", to_string=True).split('"')[1]):
        stop = gdb.Breakpoint(stack.stop if isinstance(stack.stop, str) else "%s:%d" % stack.stop)
        stop.silent = True
        stops[stop.number] = stop, stack
    gdb.events.stop.connect(lambda event: hit.extend(stop.number for stop in getattr(event, "breakpoints", [])))
    gdb.execute("run")
    while hit:
        stop, stack = stops[hit.pop()]
        stop.delete()
        print("\n" + TITLE + stack.place, flush=True)
        gdb.execute("thread apply %d backtrace" % stack.thread if stack.thread else "backtrace")
        gdb.execute("continue")


def in_lldb(debugger):
    debugger.SetAsync(False)
    target, stops = debugger.GetSelectedTarget(), {}
    launch = target.GetLaunchInfo()
    arguments = " ".join(launch.GetArgumentAtIndex(index) for index in range(launch.GetNumArguments()))
    for stack in stacks_of(target.GetExecutable().GetFilename(), arguments):
        stop = target.BreakpointCreateByName(stack.stop) if isinstance(stack.stop, str) else target.BreakpointCreateByLocation(*stack.stop)
        stops[stop.GetID()] = stack
    process = target.Launch(launch, lldb.SBError())
    while process.GetState() == lldb.eStateStopped:
        for thread in process:
            if thread.GetStopReason() == lldb.eStopReasonBreakpoint:
                number = thread.GetStopReasonDataAtIndex(0)
                stack = stops[number]
                target.BreakpointDelete(number)
                print("\n" + TITLE + stack.place)
                print_as_gdb(process.GetThreadByIndexID(stack.thread) if stack.thread else thread)
        process.Continue()


def print_as_gdb(thread):
    """As gdb does: an inlined frame has the address of the one outside it, and what calls the program's main function is left out."""
    for frame in thread:
        symbol = frame.GetSymbol()
        name = frame.GetFunctionName() if frame.IsInlined() else symbol.GetMangledName() or symbol.GetName()
        if name == "_start" or name.startswith("__libc_start"):
            break
        print("#%d  0x%x in %s (" % (frame.GetFrameID(), frame.GetPC(), name))


if "gdb" in sys.modules:
    import gdb
    in_gdb()


def __lldb_init_module(debugger, _):
    global lldb
    import lldb
    in_lldb(debugger)
