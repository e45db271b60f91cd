"""The commands: their names, their help, and what they print."""

from . import checks, explain, history, names, stacks, tree, why, words
from .debugger import Problem
from .loops import loop_named, selected_thread
from .objects import Objects
from .stacks import Stack, code_line_of_step, position, source_lines
from .steps import CALLOUTS, STEPS, called_out_to, word_of
from .words import say


class Command:
    def __init__(self, name, function, texts):
        self.name, self.function, self.texts = name, function, texts
        #: The help of a command with an argument shows it on a separate line, such as "rl-tree [LOOP]".
        self.takes_argument = any(line.startswith(name + " ") for line in texts[0].splitlines())

    @property
    def help(self):
        return say(*self.texts)


ALL = []


def command(name, chinese=None):
    """Marks a function as a command; its doc comment is the command's help in English."""
    def add(function):
        texts = ["\n".join(map(str.strip, text.strip().splitlines())) for text in (function.__doc__, chinese) if text]
        ALL.append(Command(name, function, texts))
        return function
    return add


def text_of(chosen, debugger, argument):
    """What a command prints. If something goes wrong, that is a sentence about it."""
    try:
        if argument.strip() and not chosen.takes_argument:
            raise Problem(say("The command takes no argument.", "这个命令没有参数。"))
        return "\n".join(chosen.function(debugger, argument.strip()))
    except Problem as problem:
        return "%s: %s" % (chosen.name, problem)
    except RecursionError:
        return say("%s: what it read has a cycle", "%s：读到的内容有环") % chosen.name
    except Exception as error:  # a bug of the helpers: the reader gets no traceback
        return say("%s: found something unexpected (%s: %s)", "%s：遇到意外情况（%s：%s）") % (chosen.name, type(error).__name__, error)


@command("rl-loops",
         "所有 RunLoop：线程、mode，以及线程正在做什么。\n"
         "线程第一次获取时才有 RunLoop，线程结束时销毁。")
def rl_loops(debugger, argument):
    """All run loops: thread, mode, and what the thread is doing in it.
    A loop exists from when its thread first asks for it until the thread ends."""
    return tree.loops(Objects(debugger))


@command("rl-tree",
         "以树的形式显示一个 RunLoop：它的 mode，以及其中的 Source、Observer、Timer 和 block。\n"
         "rl-tree [LOOP]\n"
         "LOOP 是地址、表达式，或者 main。不写时显示所选线程的 RunLoop。")
def rl_tree(debugger, argument):
    """A run loop as a tree: its modes, and their sources, observers, timers and blocks.
    rl-tree [LOOP]
    LOOP is an address, an expression, or the word main. Without it, the command shows the selected thread's loop."""
    return tree.tree(loop_named(Objects(debugger), argument))


@command("rl-why", "是什么唤醒了所选线程的 RunLoop，接下来会怎样；休眠时，什么能唤醒它。")
def rl_why(debugger, argument):
    """What woke the selected thread's loop, and what that leads to; while it sleeps, what may wake it."""
    return why.why(Objects(debugger), selected_thread(debugger))


@command("rl-bt", "所选线程的调用栈，RunLoop 的每一帧都附步骤和一句说明。")
def rl_bt(debugger, argument):
    """The selected thread's stack, with the step and a sentence at each frame of the run loop."""
    return stacks.backtrace(Objects(debugger), selected_thread(debugger))


@command("rl-history",
         "RunLoop 最近几轮，从旧到新：走过的步骤、休眠多久、被什么唤醒、回调了什么。\n"
         "RunLoop 一直保留这份记录，release 构建也一样。\n"
         "rl-history [LOOP]")
def rl_history(debugger, argument):
    """The last passes of a loop, oldest first: the steps, how long the thread slept, what woke it, what was called.
    The loop always keeps this record, in release builds too.
    rl-history [LOOP]"""
    return history.history(loop_named(Objects(debugger), argument))


@command("rl-check",
         "检查 RunLoop 的数据结构是否一致，指出哪里不对，以及什么因为没有人唤醒 RunLoop 而在等待。\n"
         "rl-check [LOOP]\n"
         "如果线程停在修改的途中，它会持有锁；这个命令也会报告。")
def rl_check(debugger, argument):
    """Checks that a loop's structures are consistent, and says what is wrong with them, and what waits because no thread has woken the loop.
    rl-check [LOOP]
    If a thread is stopped in the middle of a change, it holds a lock. The command reports the lock, too."""
    return checks.check(loop_named(Objects(debugger), argument))


@command("rl-break",
         "停在一个 Swift 函数里，名字与调用栈显示的相同，例如 Tour.timerFired；类型和参数可以不写。\n"
         "rl-break NAME")
def rl_break(debugger, argument):
    """Stops in a Swift function, by the name that stacks show, such as Tour.timerFired. The type and the arguments may be left out.
    rl-break NAME"""
    if not argument:
        raise Problem(say("Which function? For example: rl-break Tour.timerFired", "要停在哪个函数？例如：rl-break Tour.timerFired"))
    functions = names.functions_named(argument, debugger.swift_functions())
    return stops_in_words(functions, debugger.stop_at(functions))


@command("rl-explain",
         "解释名字、调用、术语或问题：在 Mac 上对应什么、有什么差别、在哪一步、有哪些测试。\n"
         "rl-explain PHRASE")
def rl_explain(debugger, argument):
    """What answers a name, a call, a word or a question: its counterpart on a Mac, what differs, its step, its tests.
    rl-explain PHRASE"""
    return explain.explain(argument)


@command("rl-lang",
         "这些命令使用的语言。一开始由 LC_ALL、LC_MESSAGES 或 LANG 决定。\n"
         "rl-lang [en|zh]")
def rl_lang(debugger, argument):
    """The language of these commands. LC_ALL, LC_MESSAGES or LANG chooses it at first.
    rl-lang [en|zh]"""
    if argument and argument not in words.LANGUAGES:
        raise Problem(say("%s is no language of these commands; they know %s.",
                          "这些命令不会用 %s 回答；可用的语言有 %s。") % (argument, " ".join(words.LANGUAGES)))
    if argument:
        words.choose(argument)
    return [say("These commands answer in English.", "这些命令用中文回答。")]


@command("rl-next",
         "继续执行，直到所选线程到达 RunLoop 的下一个步骤或 callout。\n"
         "rl-next [STEP|CALLOUT]\n"
         "STEP 是 1 到 10，或 9.1、9.2、9.3；CALLOUT 是 observer、block、source0、source1、timer 或 main-queue。\n"
         "如果线程在休眠，而没有什么会自己唤醒它，不带参数的 rl-next 就说明原因，不继续执行。")
def rl_next(debugger, argument):
    """Continues until the selected thread reaches the next step or callout of its loop.
    rl-next [STEP|CALLOUT]
    STEP is 1 to 10, or 9.1, 9.2, 9.3; CALLOUT is observer, block, source0, source1, timer or main-queue.
    If the thread sleeps and nothing is due that wakes it, rl-next alone says so, and does not continue."""
    thread, stops = selected_thread(debugger), places(argument)
    lines = why.nothing_follows(Objects(debugger), thread, argument)
    if lines:
        return lines
    if debugger.is_core():
        raise Problem(say("A core file cannot continue.", "core 文件不能继续执行。"))
    while True:
        if not debugger.run_to(stops, thread):
            return [say("The program has ended, or was stopped by something else, before the thread got there.",
                        "线程到达之前，程序已经结束，或因别的原因停下。")]
        stack = Stack(Objects(debugger), selected_thread(debugger))
        frame = stack.frames[0]
        step = stack.step_of_run(0) if frame.function not in CALLOUTS else None
        if step not in ("6", "8") or not debugger.local(frame, "poll"):
            break  # a pass that only polls leaves out steps 6 and 8
    if frame.function in CALLOUTS:
        step = stack.step(0)
        called = say("about to call %s%s", "即将回调%s%s") % (called_out_to(frame.function), stack.callback_in_words(0))
        return [(say("step %s: ", "步骤 %s：") % step if step else "") + called]
    return why.arrived(stack, step, position(frame))


def places(argument):
    """Where rl-next stops."""
    callouts = {word_of(function): function for function in CALLOUTS}
    if argument in callouts:
        return [callouts[argument]]
    if argument and argument not in STEPS:
        raise Problem(say("%s is neither a step (%s) nor a callout (%s).",
                          "%s 既不是步骤（%s），也不是 callout（%s）。") % (argument, " ".join(STEPS), " ".join(callouts)))
    lines = source_lines(None)
    steps = [argument] if argument else STEPS
    found = [("CFRunLoop.c", code_line_of_step(lines, step)) for step in steps]
    return found if argument else found + CALLOUTS


stops = []


@command("rl-callouts",
         "停在全部六个 callout 上：一次运行里的回调都经过其中之一；Source 的 schedule、cancel 等由添加或移除它的线程直接调用。\n"
         "rl-callouts [off]\n"
         "写 off 时删除这些断点。")
def rl_callouts(debugger, argument):
    """Stops at all six callouts: a run calls your code through one of them. A source's schedule or cancel is called directly, by the thread that adds or removes it.
    rl-callouts [off]
    With off, it removes the breakpoints."""
    if argument not in ("", "off"):
        raise Problem(say("rl-callouts takes no argument but off.", "rl-callouts 的参数只能是 off。"))
    debugger.forget_stops(stops)
    stops.clear()
    if argument == "off":
        return [say("The program no longer stops at the callouts.", "程序不再停在 callout 上。")]
    stops.extend(debugger.stop_at(CALLOUTS))
    return stops_in_words(CALLOUTS, stops)


def stops_in_words(functions, numbers):
    return [say("%s: breakpoint %s", "%s：断点 %s") % one for one in zip(names.readable(functions), numbers)]
