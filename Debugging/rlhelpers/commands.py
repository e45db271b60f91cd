"""The commands: their names, their help, and what they print."""

from . import checks, explain, history, stacks, tree, why, words
from .debugger import Problem
from .loops import loop_named, selected_thread
from .objects import Objects
from .stacks import Stack, code_line_of_step, position, source_lines
from .steps import CALLOUTS, STEPS, called_out_to, word_of
from .words import say


class Command:
    def __init__(self, name, function, text):
        self.name, self.function, self.english = name, function, text
        #: The help of a command with an argument shows it on a separate line, such as "rl-tree [LOOP]".
        self.takes_argument = any(line.startswith(name + " ") for line in text.splitlines())

    @property
    def help(self):
        return say(self.english)


ALL = []


def command(name):
    """Marks a function as a command; its doc comment is the command's help."""
    def add(function):
        lines = [line.strip() for line in function.__doc__.strip().splitlines()]
        ALL.append(Command(name, function, "\n".join(lines)))
        return function
    return add


def text_of(chosen, debugger, argument):
    """What a command prints. If something goes wrong, that is a sentence about it."""
    try:
        if argument.strip() and not chosen.takes_argument:
            raise Problem(say("The command takes no argument."))
        return "\n".join(chosen.function(debugger, argument.strip()))
    except Problem as problem:
        return "%s: %s" % (chosen.name, problem)
    except RecursionError:
        return say("%s: what it read has a cycle") % chosen.name
    except Exception as error:  # a bug of the helpers: the reader gets no traceback
        return say("%s: found something unexpected (%s: %s)") % (chosen.name, type(error).__name__, error)


@command("rl-loops")
def rl_loops(debugger, argument):
    """All run loops: thread, mode, and what the thread is doing in it.
    A loop exists from when its thread first asks for it until the thread ends."""
    return tree.loops(Objects(debugger))


@command("rl-tree")
def rl_tree(debugger, argument):
    """A run loop as a tree: its modes, and their sources, observers, timers and blocks.
    rl-tree [LOOP]
    LOOP is an address, an expression, or the word main. Without it, the command shows the selected thread's loop."""
    return tree.tree(loop_named(Objects(debugger), argument))


@command("rl-why")
def rl_why(debugger, argument):
    """What woke the selected thread's loop, and what that leads to; while it sleeps, what may wake it."""
    return why.why(Objects(debugger), selected_thread(debugger))


@command("rl-bt")
def rl_bt(debugger, argument):
    """The selected thread's stack, with the step and a sentence at each frame of the run loop."""
    return stacks.backtrace(Objects(debugger), selected_thread(debugger))


@command("rl-history")
def rl_history(debugger, argument):
    """The last passes of a loop, oldest first: the steps, how long the thread slept, what woke it, what was called.
    The loop always keeps this record, in release builds too.
    rl-history [LOOP]"""
    return history.history(loop_named(Objects(debugger), argument))


@command("rl-check")
def rl_check(debugger, argument):
    """Checks that a loop's structures are consistent, and says what is wrong with them, and what waits because no thread has woken the loop.
    rl-check [LOOP]
    If a thread is stopped in the middle of a change, it holds a lock. The command reports the lock, too."""
    return checks.check(loop_named(Objects(debugger), argument))


@command("rl-explain")
def rl_explain(debugger, argument):
    """What answers a name, a call, a word or a question: its counterpart on a Mac, what differs, its step, its tests.
    rl-explain PHRASE"""
    return explain.explain(argument)


@command("rl-lang")
def rl_lang(debugger, argument):
    """The language of these commands. LC_ALL, LC_MESSAGES or LANG chooses it at first.
    rl-lang [en|zh]"""
    if argument:
        words.choose(argument)
    return [say("These commands answer in English.")]


@command("rl-next")
def rl_next(debugger, argument):
    """Continues until the selected thread reaches the next step or callout of its loop.
    rl-next [STEP|CALLOUT]
    STEP is 1 to 10, or 9.1, 9.2, 9.3; CALLOUT is observer, block, source0, source1, timer or main-queue.
    If the thread sleeps and nothing is due that wakes it, rl-next alone says so, and does not continue."""
    thread, stops = selected_thread(debugger), places(argument)
    lines = why.nothing_follows(Objects(debugger), thread, argument)
    if lines:
        return lines
    while True:
        if not debugger.run_to(stops, thread):
            return [say("The program has ended, or was stopped by something else, before the thread got there.")]
        stack = Stack(Objects(debugger), selected_thread(debugger))
        frame = stack.frames[0]
        step = stack.step_of_run(0) if frame.function not in CALLOUTS else None
        if step not in ("6", "8") or not debugger.local(frame, "poll"):
            break  # a pass that only polls leaves out steps 6 and 8
    if frame.function in CALLOUTS:
        step = stack.step(0)
        return [(say("step %s: ") % step if step else "") + say("about to call %s%s") % (called_out_to(frame.function), stack.callback_in_words(0))]
    return why.arrived(stack, step, position(frame))


def places(argument):
    """Where rl-next stops."""
    callouts = {word_of(function): function for function in CALLOUTS}
    if argument in callouts:
        return [callouts[argument]]
    if argument and argument not in STEPS:
        raise Problem(say("%s is neither a step (%s) nor a callout (%s).") % (argument, " ".join(STEPS), " ".join(callouts)))
    lines = source_lines(None)
    steps = [argument] if argument else STEPS
    found = [("CFRunLoop.c", code_line_of_step(lines, step)) for step in steps]
    return found if argument else found + CALLOUTS


stops = []


@command("rl-callouts")
def rl_callouts(debugger, argument):
    """Stops at all six callouts: everything that the loop calls in your code goes through one of them.
    rl-callouts [off]
    With off, it removes the breakpoints."""
    if argument not in ("", "off"):
        raise Problem(say("rl-callouts takes no argument but off."))
    debugger.forget_stops(stops)
    stops.clear()
    if argument == "off":
        return [say("The program no longer stops at the callouts.")]
    stops.extend(debugger.stop_at(CALLOUTS))
    return [say("%s: breakpoint %s") % (function, number) for function, number in zip(CALLOUTS, stops)]
