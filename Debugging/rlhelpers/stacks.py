"""Stacks: what each frame of the run loop does, and which step it is in."""

import os
import re

from .debugger import Problem
from .loops import function_in_words, loop_of
from .names import readable
from .objects import hexadecimal
from .steps import CALLOUTS, STEP_OF_ACTIVITY, STEPS, called_out_to, is_of_the_loop, sentence_of, step_markers, step_of, step_of_line
from .words import say

#: The C library's names of the functions in which an event loop waits. Its own frames for a system call may be above them.
WAIT = re.compile(r"_*(?:GI_+|libc_)?(p?poll|p?select|epoll_p?wait2?)(?:64)?(?:_time64)?")
MOST_FRAMES_OF_A_WAIT = 6
MOST_FRAMES = 2000  # nested runs make deep stacks; a broken stack makes endless ones


class Stack:
    """The frames of one thread, innermost first."""

    def __init__(self, objects, thread):
        self.objects, self.debugger, self.thread = objects, objects.debugger, thread
        frames = self.debugger.frames(thread, MOST_FRAMES)
        self.frames = [frame._replace(function=name) for frame, name in zip(frames, readable([frame.function for frame in frames]))]
        self.markers = None

    def find(self, function, start=0):
        """The index of the innermost frame of a function from `start` on; None if there is none."""
        for index in range(start, len(self.frames)):
            if self.frames[index].function == function:
                return index
        return None

    def local(self, index, name):
        return self.debugger.local(self.frames[index], name)

    # Steps

    def step(self, index):
        """The step that the frame is in; None if it is unknown, or if the frame is in no step."""
        function = self.frames[index].function
        if step_of(function):
            return step_of(function)
        if "_OBSERVER_" in (function or "") or function == "__CFRunLoopDoObservers":
            activity = self.local(index, "activity")
            if activity in STEP_OF_ACTIVITY:
                return STEP_OF_ACTIVITY[activity]
        if function == "CFRunLoopRunSpecific" and index > 0 and self.frames[index - 1].function == "__CFRunLoopRun":
            return None
        if function in ("__CFRunLoopRun", "CFRunLoopRunSpecific"):
            return self.step_of_run(index)
        if self.is_ours(index):
            outer = index + 1
            return self.step(outer) if outer < len(self.frames) and self.is_ours(outer) else None
        return None

    def step_of_run(self, index):
        """The step that __CFRunLoopRun is in, by the function that it has called, or by its line."""
        if index > 0:
            inner = self.frames[index - 1].function
            if step_of(inner):
                return step_of(inner)
            if inner == "__CFRunLoopDoObservers":
                activity = self.local(index - 1, "activity")
                if activity in STEP_OF_ACTIVITY:
                    return STEP_OF_ACTIVITY[activity]
        step = step_of_line(self.source_markers(self.frames[index].file), self.frames[index].line or 0)
        if step and step.startswith("9.") and index > 0 and self.frames[index - 1].function == "__CFRunLoopDoBlocks":
            return "9"
        if self.frames[index].function == "CFRunLoopRunSpecific" and step not in ("1", "10"):
            return None
        return step

    def source_markers(self, file):
        if self.markers is None:
            self.markers = step_markers(source_lines(file))
        return self.markers

    def is_ours(self, index):
        return is_of_the_loop(self.frames[index].function)

    # Runs

    def runs(self):
        """The index of each run's outermost frame in this stack, the innermost run first."""
        return [i for i, frame in enumerate(self.frames) if frame.function == "CFRunLoopRunSpecific"]

    def where(self):
        """Where the thread is in its innermost run, in words; None if it is in no run."""
        runs = self.runs()
        if not runs:
            return None
        for index in range(runs[0] + 1):
            if self.is_ours(index):
                break
        step = None
        for at in range(index, runs[0] + 1):
            step = step or self.step(at)
        place = say("step %s", "步骤 %s") % step if step else say("in a run", "在一次运行中")
        function = self.frames[index].function
        if function in CALLOUTS:
            return say("%s, in %s", "%s，正在回调%s") % (place, called_out_to(function) + self.callback_in_words(index))
        if step == "7" and self.find("__CFRunLoopServiceMachPort") is not None:
            return say("asleep (step 7)", "休眠（步骤 7）")
        return place

    def wait_of_host(self):
        """The function in which a thread outside all runs waits, such as poll; None if it does something else."""
        for frame in self.frames[:MOST_FRAMES_OF_A_WAIT]:
            match = WAIT.fullmatch(frame.function or "")
            if match:
                return match.group(1)
        return None

    def callback_in_words(self, index):
        """The callback that a callout's frame has called, or is about to call if it is the innermost frame."""
        if index > 0:
            return say(", %s", "，%s") % self.frames[index - 1].function
        for name in ("func", "perform"):
            address = self.local(index, name)
            if address:
                return say(", %s", "，%s") % function_in_words(self.objects, address)
        return ""


def source_lines(file):
    """The lines of CFRunLoop.c, from the place that the debug information names, or from this repository."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Sources/CRunLoop/CFRunLoop.c")
    for path in (file, beside):
        try:
            if path and os.path.basename(path) == "CFRunLoop.c":
                with open(path, encoding="utf-8") as source:
                    return source.readlines()
        except OSError:
            continue
    return []


def code_line_of_step(lines, step):
    """The line that records a step or, as in step 9.1, the first line of code after its comment; raises Problem if there is none."""
    for number, found in step_markers(lines):
        if found != step:
            continue
        code = [line for line in range(number, len(lines)) if lines[line].strip() and not lines[line].strip().startswith("//")]
        return next((line for line in code if re.search(r"\bCFRUNLOOP_STEP\(\w+, \w+, %s\)" % step, lines[line])), code[0]) + 1
    raise Problem(say("The step %s is not marked in CFRunLoop.c; the steps are %s.",
                      "CFRunLoop.c 里没有标出步骤 %s；步骤有 %s。") % (step, " ".join(STEPS)))


def position(frame):
    if frame.line:
        return "%s:%d" % (os.path.basename(frame.file or "?"), frame.line)
    return ""


# rl-bt

#: The functions that handle a single item, and the parameter that contains it.
ITEM_OF = {"__CFRunLoopDoTimer": "rlt", "__CFRunLoopDoSource0": "rls", "__CFRunLoopDoSource1": "rls"}


def backtrace(objects, thread):
    """The lines of rl-bt."""
    stack = Stack(objects, thread)
    lines = []
    for index, frame in enumerate(stack.frames):
        lines.append("#%-3d %s%s" % (frame.level, frame.function or "??", at(frame)))
        if not stack.is_ours(index):
            continue
        step = stack.step(index)
        lines.append("       %s%s" % (say("step %s: ", "步骤 %s：") % step if step else "", sentence(stack, index)))
    if len(stack.frames) == MOST_FRAMES:
        lines.append(say("(there are more frames; only the innermost %d are shown)", "（还有更多的帧，只显示最里面的 %d 个）") % MOST_FRAMES)
    return lines


def at(frame):
    where = position(frame)
    return "  at " + where if where else ""


def sentence(stack, index):
    """What a frame of the run loop is there for."""
    function = stack.frames[index].function
    if function in CALLOUTS:
        return say("Calls out to %s%s.", "回调%s%s。") % (called_out_to(function), stack.callback_in_words(index))
    words = sentence_of(function)
    item = stack.local(index, ITEM_OF[function]) if function in ITEM_OF else None
    if item:
        words += say(" It is %s.", "它是 %s。") % hexadecimal(item)
    if function == "CFRunLoopRunSpecific":
        try:
            words += say(" Mode: %s.", "mode：%s。") % mode_of_run(stack, index)
        except Problem as problem:
            words += " (%s)" % problem
    return words


def mode_of_run(stack, index):
    """The mode of a run. If the compiler has optimised the parameter away, the innermost run's mode is the loop's current one."""
    name = stack.local(index, "modeName")
    if name:
        return stack.objects.name(name)
    loop = loop_of(stack.objects, stack.thread) if index == stack.runs()[0] else None
    return loop.current_mode.name if loop and loop.current_mode else say("optimised away", "被优化掉了")
