"""The ten steps, and what a function in a stack says of them."""

import re

STEPS = {
    "1": "observers of Entry are told",
    "2": "observers of BeforeTimers are told: a pass begins",
    "3": "observers of BeforeSources are told, then waiting blocks are performed",
    "4": "sources 0 that were signalled are performed",
    "5": "the main dispatch queue's port is looked at",
    "6": "observers of BeforeWaiting are told",
    "7": "the thread sleeps until a port is ready or the limit has come",
    "8": "observers of AfterWaiting are told",
    "9": "what woke the thread is served, then blocks; then the decision to go round or leave",
    "9.1": "the timers that are due fire",
    "9.2": "the main dispatch queue is served",
    "9.3": "a source 1 is performed",
    "10": "observers of Exit are told",
}

STEP_OF_ACTIVITY = {1: "1", 2: "2", 4: "3", 32: "6", 64: "8", 128: "10"}

#: The six callouts: the word that rl-next knows each by, the step (None: it depends), and what stands behind it.
CALLOUTS = {
    "__CFRUNLOOP_IS_CALLING_OUT_TO_AN_OBSERVER_CALLBACK_FUNCTION__": ("observer", None, "an observer's callback"),
    "__CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__": ("block", None, "a block"),
    "__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__": ("source0", "4", "a source 0's perform"),
    "__CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__": ("timer", "9.1", "a timer's callback"),
    "__CFRUNLOOP_IS_SERVICING_THE_MAIN_DISPATCH_QUEUE__": ("main-queue", "9.2", "work on the main dispatch queue"),
    "__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE1_PERFORM_FUNCTION__": ("source1", "9.3", "a source 1's perform"),
}

#: What other functions of the loop do when they stand in a stack: the step (None: it depends), and a sentence.
FUNCTIONS = {
    "CFRunLoopRun": (None, "Runs the default mode again and again, until it is stopped or has nothing left."),
    "CFRunLoopRunInMode": (None, "One run, in a mode, with a limit."),
    "CFRunLoopRunSpecific": (None, "One run, from Entry (1) to Exit (10)."),
    "CFRunLoopServe": (None, "One pass for another event loop that hosts this one."),
    "__CFRunLoopRun": (None, "One pass after the other, steps 2 to 9."),
    "__CFRunLoopDoObservers": (None, "Tells the observers of one activity, in their order."),
    "__CFRunLoopDoBlocks": (None, "Performs the blocks that wait for this mode."),
    "__CFRunLoopDoSources0": ("4", "Performs the sources 0 that were signalled, in their order."),
    "__CFRunLoopDoSource0": ("4", "Performs one source 0, its signal taken back before."),
    "__CFRunLoopServiceMachPort": ("7", "Waits for a port of the mode's set; mach_msg on a Mac."),
    "__CFPortSetWait": ("7", "Waits in the kernel, and again when a signal handler has interrupted the wait."),
    "__CFRunLoopDoTimers": ("9.1", "Fires the timers that are due, one after the other."),
    "__CFRunLoopDoTimer": ("9.1", "Fires one timer, then gives it its next date or invalidates it."),
    "_dispatch_main_queue_callback_4CF": ("9.2", "libdispatch's part: performs what waits in the main queue."),
    "__CFRunLoopDoSource1": ("9.3", "Performs the source 1 whose port is ready."),
    "_runLoopTimerWithBlockContext": ("9.1", "Calls the block that the timer was made with."),
    "_runLoopObserverWithBlockContext": (None, "Calls the block that the observer was made with."),
    "__NSFireTimer": ("9.1", "Calls what Swift's Timer was made with."),
    "__NSFireDelayedPerform": ("9.1", "A perform(afterDelay:), whose time has come."),
    "__NSThreadPerformPerform": ("4", "A perform(on: thread): it arrives as a source 0."),
    "_wrapRunLoopWithAutoreleasePoolHandler": (None, "Pushes or pops the autorelease pool of a pass."),
}

MARKER = re.compile(r"^\s*// (\d+(?:\.\d)?)\.? [A-Z]")


def step_markers(lines):
    """(line, step) for each comment in CFRunLoop.c that carries the number of a step, such as `// 7. It sleeps`."""
    return [(number, match.group(1)) for number, match in ((n, MARKER.match(line)) for n, line in enumerate(lines, 1)) if match
            and match.group(1) in STEPS]


def step_of_line(markers, line):
    """The step whose comment stands last above a line."""
    found = None
    for number, step in markers:
        if number <= line:
            found = step
    return found


def sort_key(step):
    return [int(part) for part in step.split(".")]
