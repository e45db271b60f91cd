"""The ten steps, and what the functions in a stack do in them."""

import re

STEPS = {
    "1": "observers of Entry are notified",
    "2": "a pass begins: observers of BeforeTimers are notified",
    "3": "observers of BeforeSources are notified, then queued blocks are performed",
    "4": "the Source0s that were signalled are performed",
    "5": "the main dispatch queue's port is checked without waiting",
    "6": "observers of BeforeWaiting are notified",
    "7": "the thread sleeps until a port is ready or the time limit has passed",
    "8": "observers of AfterWaiting are notified",
    "9": "what woke the thread is handled, then queued blocks; then the run decides whether to go on",
    "9.1": "the timers that are due fire",
    "9.2": "the main dispatch queue is served",
    "9.3": "a Source1 is performed",
    "10": "observers of Exit are notified",
}

STEP_OF_ACTIVITY = {1: "1", 2: "2", 4: "3", 32: "6", 64: "8", 128: "10"}

#: The six callouts: the word for rl-next, the step (None: it depends), and what it calls.
CALLOUTS = {
    "__CFRUNLOOP_IS_CALLING_OUT_TO_AN_OBSERVER_CALLBACK_FUNCTION__": ("observer", None, "an observer's callback"),
    "__CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__": ("block", None, "a block"),
    "__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__": ("source0", "4", "a Source0's perform"),
    "__CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__": ("timer", "9.1", "a timer's callback"),
    "__CFRUNLOOP_IS_SERVICING_THE_MAIN_DISPATCH_QUEUE__": ("main-queue", "9.2", "work on the main dispatch queue"),
    "__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE1_PERFORM_FUNCTION__": ("source1", "9.3", "a Source1's perform"),
}

#: Other functions of the loop that appear in stacks: the step (None: it depends), and what the function does.
FUNCTIONS = {
    "CFRunLoopRun": (None, "Runs the default mode repeatedly, until it is stopped or the mode is empty."),
    "CFRunLoopRunInMode": (None, "One run in a mode, with a time limit."),
    "CFRunLoopRunSpecific": (None, "One run, from Entry (1) to Exit (10)."),
    "CFRunLoopServe": (None, "One pass, for the event loop that hosts this one."),
    "__CFRunLoopRun": (None, "The passes of a run, steps 2 to 9."),
    "__CFRunLoopDoObservers": (None, "Notifies the observers of one activity, in their order."),
    "__CFRunLoopDoBlocks": (None, "Performs the blocks that are queued for this mode."),
    "__CFRunLoopDoSources0": ("4", "Performs the Source0s that were signalled, in their order."),
    "__CFRunLoopDoSource0": ("4", "Clears the signal of one Source0, then performs it."),
    "__CFRunLoopServiceMachPort": ("7", "Waits for the ports of the mode's set; on a Mac in mach_msg."),
    "__CFPortSetWait": ("7", "Waits until a port is ready, and waits again if a signal handler interrupts it."),
    "__CFPortSetEpollWait": ("7", "Asks the kernel for a port that is ready."),
    "__CFRunLoopDoTimers": ("9.1", "Fires the timers that are due, one after the other."),
    "__CFRunLoopDoTimer": ("9.1", "Fires one timer, then sets its next date or invalidates it."),
    "_dispatch_main_queue_callback_4CF": ("9.2", "libdispatch performs what is queued on the main queue."),
    "__CFRunLoopDoSource1": ("9.3", "Performs the Source1 whose port is ready."),
    "_runLoopTimerWithBlockContext": ("9.1", "Calls the block that the timer was created with."),
    "_runLoopObserverWithBlockContext": (None, "Calls the block that the observer was created with."),
    "__NSFireTimer": ("9.1", "Calls the action of Swift's Timer."),
    "__NSFireDelayedPerform": ("9.1", "A perform(afterDelay:) whose time has come."),
    "__NSThreadPerformPerform": ("4", "A perform(on: thread), which arrives as a Source0."),
    "_wrapRunLoopWithAutoreleasePoolHandler": (None, "Pushes or pops the autorelease pool of a pass."),
}

MARKER = re.compile(r"^\s*// (\d+(?:\.\d)?)\.? [A-Z]")


def step_markers(lines):
    """(line, step) for each comment in CFRunLoop.c that carries the number of a step, such as `// 7. It sleeps`."""
    return [(number, match.group(1)) for number, match in ((n, MARKER.match(line)) for n, line in enumerate(lines, 1)) if match
            and match.group(1) in STEPS]


def step_of_line(markers, line):
    """The step whose comment is the last one above a line."""
    found = None
    for number, step in markers:
        if number <= line:
            found = step
    return found


def sort_key(step):
    return [int(part) for part in step.split(".")]
