"""What RunLoopLab explain says of a pasted stack: what the thread is doing, and then each frame, the innermost first; prints.py says it of a printed loop. stack.js of the reading edition
reads the same stacks in a browser, and more of them."""

import json
import re
from collections import Counter
from functools import lru_cache
from types import SimpleNamespace

from . import frames, prints, tables

#: The forms of a line with a frame.
FORMS = [re.compile(form, re.I) for form in (
    r"[\s*]*frame #(?P<number>\d+):\s*(?:0x[0-9a-f]+\s+)?(?:(?P<module>[^`]*)`)?(?P<text>.+)",  # lldb
    r"\s*#(?P<number>\d+)\s+(?:0x[0-9a-f]+\s+in\s+)?(?P<text>.+)",  # gdb, Xcode
    r"\W*?(?P<number>\d+)\s+(?P<module>\S.*?)\s+0x[0-9a-f]+\s+(?P<text>[^\"]+)",  # a crash report, callStackSymbols
    r"\s*[\d.]+ ?(?:s|ms|µs|min)\s+[\d.]+%(?:\s+[\d.]+ ?(?:s|ms|µs|min))?(?P<depth>\s+)(?P<text>\S.*)",  # Instruments, its call tree
    r"(?P<depth>[\s+!:|]*)(?P<count>\d+)\s+(?P<text>\S.*?)\s+(?:\(in (?P<module>[^)]+)\)|\+ \d+ \((?P<library>\S.*?) \+ \d+\)|\+ \d+ \((?P<older>[^()]+)\)(?= +\[0x)|\((?P<nameless>\S[^()]*?) \+ \d+\)(?= +\[0x)|"
    r"(?=\[0x[0-9a-f]+\]\s*$)).*")]  # sample, spindump, and those of older systems
#: Those that count only if the text has a frame of a run, or one in which a thread waits.
BARE = [re.compile(form) for form in (
    r"\s*(?P<number>\d+)\s+(?P<module>[\w.+-]+(?: [\w.+-]+)*)(?:\t| {2,}|\s[\d.]+\s)\s*(?P<text>[^\s=;{].*)",  # 3   CoreFoundation   __CFRunLoopRun; Instruments, its heaviest stack
    r"\s*(?P<number>\d+)[\s:.]\s*(?P<text>[-+\w$~?<@[][^;{]*)",
    r"\s*(?:[\w.+-]+`)?(?P<text>[_\d]*[-+]\[[^]]+\][^;{]*|[\w$~?<@][\w$~?<>@#:.]*(?:\([^;{]*|\s\+\s\d+|\s[^;{=]*\bin\b[^;{=]*)?)\s*")]
THREAD = re.compile(r"[\s*+!:|\d]*\b(Thread[ _#]+(?:0x)?[0-9a-f]+\b(?:(?!, stop reason|\s{2,}(?:\(|\d+ samples)).)*).*", re.I)
HEAD = re.compile(r"(?:Main Thread|Thread) .*|[\w. -]+ \(\d+\)")  # what a call tree begins with: the thread, the process
END = re.compile(r"^(?:Total number in stack|Sort by top of stack|Binary Images)", re.M)
SYMBOL = re.compile(r'"symbol"\s*:\s*("(?:[^"\\]|\\.)*")')
ARROW = re.compile(r"\s*(?:-+>|→)\s*(?=[-+_\w])")
PASS = "__CFRunLoopRun"
RUN, SLEEP, LOOP, JOINS, LEAVES, BETWEEN, SYSTEM, LIBRARY, APPLES, INSIDE = (re.compile(frames.PATTERNS[name], re.S | re.A) for name in (
    "run", "sleep", "loop", "joins", "leaves", "between", "system", "library", "apples", "inside"))
ACTIVITY, MODE = re.compile(r"(?:activity|mask|rlActivity)=(0x[0-9a-f]+|\d+)"), re.compile(r"(?:kCFRunLoop\w*|NS\w+|UI\w+RunLoop|GSEvent\w+)Mode\b")
ORDER = [re.compile(names, re.S | re.A) for names in frames.ORDER]
#: What stands around the name of the function in a block's or a closure's.
BLOCK = re.compile(r"^(?:closure #\d+(?: \(.*?\) -> \S+)? in |@objc |specialized |invocation function for block in |__(?=.*_block_invoke)|_+\d+(?=[-+]\[))+|(?:_block_invoke(?:_\d+|\.\d+)*)+$")


def read(text, language):
    """The lines about a text, each a head and a text; none, if the text is neither a stack nor a printed loop."""
    say = lambda english, chinese: chinese if language == "zh" else english
    return prints.read(text, language, lambda name: (about := known(name)[0]) and about.sentence(language)) or stack(text, language, say)


# Frames

class Frame:
    def __init__(self, text, module=""):
        self.module = module
        name = re.sub(r"\s+(?:at|from)\s+\S+$|(?:\s\[[\w ]+\])+$", "", text.strip().rstrip('",)]' if text.count("(") < text.count(")") else '",'))
        self.name, self.rest = re.sub(r"\s\+\s\d+.*$", "", name), ""
        if match := re.fullmatch(r"([\w$:~.@]+|[-+]\[[^]]*\]\S*) (\(.*\))|([^(]+)(\(\w+=.*\))", self.name):
            self.name, self.rest = match[1] or match[3], match[2] or match[4]
        self.about, self.is_inside = known(self.name)

    @property
    def callout(self):
        return self.about.callout if self.about else ""

    @property
    def is_own(self):
        """Whether it may be the program's: nothing is known of it but that Swift made it, it is in no library of Apple's, and its name is none that C reserves for the system."""
        return (not self.about or self.name.startswith("@objc ")) and not any(names.fullmatch(self.name) for names in (SYSTEM, APPLES)) and not LIBRARY.fullmatch(self.module)

    @property
    def step(self):
        return self.about and self.about.step or ""


@lru_cache(None)
def families():
    """The names that stand for all that fit, the longest first."""
    names = sorted((name for name in frames.all_functions() if "*" in name), key=len, reverse=True)
    return [(re.compile(re.escape(name).replace(r"\*", ".*"), re.S), frames.all_functions()[name]) for name in names]


def known(name):
    """What the tables say of a frame, and whether it is a block or a closure of the function that they know."""
    plain = re.sub(r"^([-+]\[\w+)\(\w+\)", r"\1", name)
    inside = BLOCK.sub("", plain)
    bare = [form for text in (name, plain, inside) for form in (text, re.sub(r"^(?:static )?[A-Z]\w*\.(?=\w+\.)", "", text), re.sub("^_(?=CF)", "", text))]
    spellings = dict.fromkeys([*bare, *(text.partition("(")[0] for text in bare if text[:1] not in "-+")])
    functions = frames.all_functions()
    found = next((functions[text] for text in spellings if text in functions), None)
    found = found or next((function for pattern, function in families() if any(map(pattern.fullmatch, spellings))), None)
    return found, bool(found) and inside != plain and bool(INSIDE.fullmatch(plain))


def plain(text):
    """A printed array of callStackSymbols as lines: without what stands around its elements."""
    lines = re.sub(r'"\s*,\s*"(?=\d+\s)', "\n", text).split("\n")
    return "\n".join(re.sub(r"(\s0x[0-9a-f]+\s.*\s\+\s\d+)\W+$", r"\1", re.sub(r'^(?:[^"]*"|\s*[\[(]\s*)(?=\d+\s+\S)', "", line), flags=re.I) for line in lines)


def threads(text):
    """The threads of a stack that have frames."""
    if SYMBOL.search(text):  # a crash report as JSON: the thread that crashed, or the first
        chosen = re.search(r'"triggered"\s*:\s*true.*?"frames"\s*:\s*\[(.*?)\]\s*[,}]', text, re.S) or re.search(r'"frames"\s*:\s*\[(.*?)\]\s*[,}]', text, re.S)
        thread = Thread("")
        thread.frames = [Frame(json.loads(symbol)) for symbol in SYMBOL.findall(chosen[1] if chosen else text)]
        return [thread]
    text = END.split(re.sub(r"\n\s{3,}(?=(?:at|from) \S)", " ", plain(text)))[0]
    found = listed(text.splitlines(), FORMS)
    if not any(len(thread.frames) > 1 for thread in found):
        lines = [part for line in text.splitlines() for part in ARROW.split(line) if part.strip()]
        found = listed(lines, [*FORMS, *BARE])
        each = [frame for thread in found for frame in thread.frames]
        if len(each) < 2 or 2 * len(each) < len(lines) or not (runs_of(each) or any(frame.about and frame.about.waits_for("en") for frame in each)):
            return []
        for thread in found:
            ranks = [rank for frame in thread.frames for rank, names in enumerate(ORDER) if names.fullmatch(frame.name)]
            if sum((one < other) - (one > other) for one, other in zip(ranks, ranks[1:])) > 0:
                thread.frames.reverse()
    return [thread for thread in found if len(thread.frames) > 1]


def listed(lines, forms):
    """The frames of lines. A line about a thread, and a number that does not go on, begin another stack. Of a call tree, the branch with the most samples; of one without
    counts, the first branch."""
    found, number, depth, is_new = [], -1, -1, True
    for line in lines:
        if heading := THREAD.fullmatch(line):
            found, number, depth, is_new = [*found, Thread(re.sub(r"\s+", " ", heading[1]).strip(" :"))], -1, -1, False
        match = None if heading else next(filter(None, (form.fullmatch(line) for form in forms)), None)
        if not match or HEAD.fullmatch(match["text"]):
            continue
        parts = match.groupdict()
        if is_new or parts.get("number") and int(parts["number"]) <= number and found[-1].frames:
            found, depth, is_new = [*found, Thread("")], -1, False
        number, frame = int(parts.get("number") or -1), Frame(parts["text"], next((parts[part] for part in ("module", "library", "older", "nameless") if parts.get(part)), ""))
        if (indent := parts.get("depth")) is None:
            found[-1].frames.append(frame)
        elif parts.get("count"):
            found[-1].add(len(indent), int(parts["count"]), frame)
        elif len(indent) > depth or len(indent) == depth == 0:
            depth = len(indent)
            found[-1].frames.insert(0, frame)
        elif indent.strip() or "\t" not in indent:
            depth = 10 ** 6  # the branch has ended
    for thread in found:
        thread.frames = thread.frames or thread.heaviest()
    return found


class Thread:
    """A thread of a stack: its title, its frames, the innermost first; and the calls of a tree with counts, each with its depth, how many samples there are of it, how many of
    them in no call of its own, and the call that it is in."""
    def __init__(self, title):
        self.title, self.frames, self.calls = title, [], []

    def add(self, depth, count, frame):
        above = self.calls[-1] if self.calls else None
        while above and above.depth >= depth:
            above = above.above
        self.calls.append(SimpleNamespace(depth=depth, count=count, own=count, frame=frame, above=above))
        if above:
            above.own -= count

    def path(self, call):
        """The frames of a call, the innermost first."""
        return [call.frame, *self.path(call.above)] if call else []

    def heaviest(self):
        """The branch with the most samples. Calls of one depth are no tree, but a branch already."""
        if len({call.depth for call in self.calls}) < 2:
            return [call.frame for call in self.calls][::-1]
        call = None
        while below := [other for other in self.calls if other.above is call]:
            call = max(below, key=lambda other: other.count)
        return self.path(call)

    def shares(self, told):
        """What was found in the samples, and in how many, the most first; `told` says of frames what they are."""
        counts = Counter()
        for call in self.calls:
            if call.own > 0:
                counts[told(self.path(call))] += call.own
        return counts.most_common()


# A stack

def stack(text, language, say):
    lines, found, has_rows = [], threads(text), False
    for thread in found:
        runs = runs_of(thread.frames)
        if not runs and lines:
            continue
        title = f"{thread.title}{say(': ', '：')}" if thread.title else ""
        lines.append(("", title + what(thread.frames, language, say)))
        shares, all_samples = thread.shares(lambda frames: what(frames, language, say)), sum(call.own for call in thread.calls)
        if len(shares) > 1:
            lines += [("", say("That is the branch with the most samples. The samples, by what the thread was doing:", "这是采样最多的一支。按线程在做什么，采样分别是："))]
            lines += [(f"{round(100 * count / all_samples)} %", f"{words} ({count})") for words, count in shares]
        if not has_rows:
            lines += [row(frame, runs, language, say) for frame in thread.frames]
            has_rows = True
    code, *sentences = frames.WATCHDOG
    lines[:0] = [("", say(*sentences))] * (code in text.lower())
    return lines if any(frame.about for thread in found for frame in thread.frames) else []


def what(each, language, say):
    """What a thread is doing, by its frames: each of its runs, or that it is in none."""
    runs = runs_of(each)
    told = [place(run, each[end + 1:], number, len(runs), language, say) for number, (run, end) in enumerate(runs)]
    waits = next(filter(None, (frame.about.waits_for(language) for frame in each if frame.about)), "")
    told = told or [say("These frames are in no run of a loop.", "这些帧不在 RunLoop 的运行里。") + (say(f" The thread waits for {waits}.", f"线程在等{waits}。") if waits else "")]
    return say(" ", "").join(told)


def runs_of(each):
    """The runs of a stack, the innermost first: the frames of each, and where they end."""
    ends = [at for at, frame in enumerate(each) if RUN.fullmatch(frame.name)]
    if not ends and any(frame.name == PASS or frame.callout or SLEEP.fullmatch(frame.name) or frame.name.startswith("__CFRunLoopDo") for frame in each):
        ends = [len(each) - 1]  # the stack was cut off
    return [(each[ends[number - 1] + 1 if number else 0:end + 1], end) for number, end in enumerate(ends)]


def place(run, callers, number, many, language, say):
    """What a run is doing, in a sentence or two: its step, its callout, its mode, and what its thread waits for."""
    at = next((at for at, frame in enumerate(run) if frame.callout), None)
    inside, sleeps = run[:at or 0], next((at for at, frame in enumerate(run) if SLEEP.fullmatch(frame.name)), None)
    is_asleep, is_in_pass = sleeps is not None and (at is None or sleeps < at), any(frame.name == PASS for frame in run)
    step = next((frame.step for frame in run if frame.step and (frame.callout or re.match("__CF|_dispatch_main_queue_callback", frame.name))), "")
    where = ""
    if any(frame.name == "__CFRunLoopDoObservers" or frame.callout == "observer" for frame in run):
        activity = next((match[1] for frame in run if (match := ACTIVITY.search(frame.rest))), None)
        told = next((frame.step for frame in inside[::-1] if frame.step), "")  # the observer itself may tell: Core Animation's is called before waiting
        step = tables.STEP_OF_ACTIVITY.get(int(activity, 0)) if activity else told if is_in_pass else "10" * (told == "6")
        steps = say("2, 3, 6 or 8", "2、3、6 或 8") if is_in_pass else say("1 or 10", "1 或 10")
        where = say(f"in step {steps}, where observers are notified", f"第 {steps} 步，正在通知 Observer")
    elif any(frame.callout == "block" or frame.name == "__CFRunLoopDoBlocks" for frame in run):
        where = say("in step 3, 4 or 9, where blocks are performed", "第 3、4 或 9 步，正在执行 block")
    if at is None and any(JOINS.fullmatch(frame.name) for frame in run):
        where = say("between steps 6 and 7, where the main queue's port joins the ports that the thread will wait for", "第 6 步和第 7 步之间，主队列的端口正在加入线程要等待的端口集")
    elif at is None and any(LEAVES.fullmatch(frame.name) for frame in run):
        where = say("between steps 7 and 8, where the main queue's port leaves the ports that the thread has waited for", "第 7 步和第 8 步之间，主队列的端口正在移出端口集")
    elif step:
        where = say(f"in step {step}: {tables.steps()[step].sentence['en']}", f"第 {step} 步：{tables.steps()[step].sentence['zh']}")
    which = (say("The run", "这次运行") if many == 1 else say("The inner run", "内层的运行") if number == 0 else
             say("The outer run", "外层的运行") if number == many - 1 else say("A run between them", "中间的运行"))
    where = where or say("in a step that these frames do not tell", "某一步（这些帧看不出是哪一步）")
    sentences = [say(f"{which} is {where}.", f"{which}处于{where}。")]
    if is_asleep:
        sentences = [say(f"{which} sleeps in step 7, until a port of its mode is ready or its time limit has passed.",
                         f"{which}在第 7 步休眠，直到这个 mode 的某个端口就绪，或者超时。")]
        sentences += [say("The thread is idle, which is no stall.", "线程空闲，不是卡顿。")] * (number == 0)
    if at is not None and not is_asleep:
        callback, yours = (next((frame.name for frame in inside[::-1] if fits(frame)), "") for fits in (lambda frame: not BETWEEN.fullmatch(frame.name), lambda frame: frame.is_own))
        called, more = run[at].about.sentence(language), say(f", and in it {yours}", f"，里面是 {yours}") * (yours not in ("", callback))
        sentences.append(say(f"It has called {called}{': ' * bool(callback)}{callback}{more}.",
                             f"正在回调{' ' * called[:1].isascii()}{called}{'：' * bool(callback)}{callback}{more}。"))
    mode = next(filter(None, ((match := MODE.search(frame.rest)) and match[0] or frame.about and frame.about.mode for frame in [*run, *callers])), "")
    sentences += [say(f"Its mode is {mode}.", f"mode 是 {mode}。")] * bool(mode)
    waits = next(filter(None, (frame.about.waits_for(language) for frame in inside if frame.about and number == 0 and not is_asleep)), "")
    sentences += [say(f"The callback waits for {waits}; until then the loop serves nothing.", f"回调在等{waits}，这期间 RunLoop 什么也处理不了。")] * bool(waits)
    return say(" ", "").join(sentences)


def row(frame, runs, language, say):
    """A line about a frame: its step, its name, and what it is."""
    run = next((run for run, _ in runs if frame in run), [frame])
    if not frame.about:
        is_yours = frame.is_own and any(other.callout for other in run[run.index(frame) + 1:])
        return say("yours", "你的") if is_yours else "–", frame.name + (say(": the loop has called it", "：RunLoop 调用的代码") if is_yours else "")
    words = frame.about.sentence(language)
    words = say(f"the callout: from here the loop calls {words}", f"回调（callout）：RunLoop 从这里调用 {words}") if frame.callout else words
    words = say(f"in a block of this function: {words}", f"这个函数里的 block：{words}") if frame.is_inside else words
    # What a callback has called is in the step of its callout.
    is_loop = frame.step and (LOOP.fullmatch(frame.name) or not any(other.callout for other in run[run.index(frame) + 1:]))
    return (say(f"step {frame.step}", f"第 {frame.step} 步") if is_loop else "–"), f"{frame.name}{say(': ', '：')}{words}"
