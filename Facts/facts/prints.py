"""What RunLoopLab explain says of a printed loop, mode or item, whole or in part, as CFCopyDescription or a debugger prints it: first what keeps an item from being called, then what is there.
print.js and diagnosis.js of the reading edition read the same things in a browser, with the words that are here."""

import re
from dataclasses import dataclass, field

from . import frames, tables, texts

NEVER, LATE = 1e9, 0.05  # seconds: an interval with which a timer never repeats by itself; and when a timer is overdue
OBJECT = r"<?CFRunLoop(?P<type>Mode|Source|Timer|Observer)?\b(?:\s+(?P<address>0x[0-9a-f]+))?(?:\s*\[0x[0-9a-f]+\])?\s*>?\s*\{"
#: An object of which something is said, and no definition in code.
BEGINS = re.compile(rf"(?<!\bstruct\s)(?<!\bclass\s)(?<!\bextension\s)(?<!\benum\s)(?<!\btypedef\s)(?<!\bprotocol\s)(?<![\w@]){OBJECT}[^;]*?[\w ]+(?<![=!<>])=(?!=)", re.I)
#: What a print is made of, in its order.
PART = re.compile(rf"(?<![\w@])(?P<object>{OBJECT})|(?P<common>common mode items|common modes)\s*=|(?<![\w-])(?P<modes>modes)\s*=|\b(?P<kind>sources0|sources1|observers|timers)\s*=|"
                  r'contents = "(?P<text>[^"]*)"|(?P<bare>\b\w+Mode\b)|same as (?P<same>\W?common mode items|common)', re.I)
KINDS = {"sources0": "Source0", "sources1": "Source1", "observers": "Observer", "timers": "Timer"}
LOOP, MODE = ("wakeup port", "stopped", "ignoreWakeUps"), ("port set", "queue", "source", "timer fired", "timer port", "soft deadline in", "hard deadline in")
ITEM = ("signalled", "valid", "firing", "order", "version", "port", "activities", "repeats", "interval", "tolerance", "next fire date", "callout")
POOLS, POOL = "_wrapRunLoopWithAutoreleasePoolHandler", {1: "poolEntry", 32: "poolWaiting", 128: "poolExit"}  # the observers of the autorelease pool, and what they do at each of their activities

#: The words, which the edition has, too: what keeps an item from being called, and what a print says.
WORDS = {
    "diagnosis.cut": ("The print is cut: its end is missing. What follows is true of the part that is here.", "打印结果被截断了，后面的部分不在里面。下面只说粘贴进来的这一部分。"),
    "diagnosis.idle": ("The loop is not running, so nothing in it is called. Its thread has to run it: run(mode:before:), or CFRunLoopRun.", "这个 RunLoop 没有在运行，所以里面什么都不会被调用。要由它的线程来运行：run(mode:before:) 或者 CFRunLoopRun。"),
    "diagnosis.empty": ("The mode {mode} has no source and no timer, so on a secondary thread a run in it returns at once: add a port or a timer. The main loop stays in a common mode, because the main queue may have work.", "{mode} 里没有 Source 也没有 Timer，所以子线程在里面运行会马上返回：要加一个端口或者 Timer。主线程的 RunLoop 在 common mode 里不会返回，因为主队列可能有任务。"),
    "diagnosis.ignored": ("{item} is invalid: the loop ignores it, whatever its date or its signal says. Make a new one.", "{item} 已经失效：不管触发时间是什么、有没有标记，RunLoop 都不理它。要重新创建一个。"),
    "diagnosis.timerAway": ("The timer {item} does not fire now: it is in {modes}, and the loop runs in {mode}. Add it to the common modes, and it fires in both. Otherwise it fires once, late, when the loop runs in its mode again.", "Timer {item} 现在不触发：它在 {modes} 里，而 RunLoop 正在 {mode} 里运行。加到 commonModes，两个 mode 里都会触发；否则等 RunLoop 回到它的 mode，才晚晚地触发一次。"),
    "diagnosis.timerAwayUncommon": ("The timer {item} does not fire now: it is in {modes}, and the loop runs in {mode}, which is not a common mode. Add the timer to {mode}, too.", "Timer {item} 现在不触发：它在 {modes} 里，而 RunLoop 正在 {mode} 里运行，这个 mode 不属于 commonModes。把 Timer 也加到 {mode}。"),
    "diagnosis.overdue": ("The timer {item} has been due for {seconds} s. It is in the mode that runs, so a callback has kept the thread busy: look at its stack.", "Timer {item} 已经到期 {seconds} 秒。它就在正在运行的 mode 里，所以是某个回调占着线程：看看它的调用栈。"),
    "diagnosis.signalledAway": ("{item} is signaled, but it is in {modes}, and the loop runs in {mode}. It is performed when the loop runs in its mode.", "{item} 已经标记，可是它在 {modes} 里，而 RunLoop 正在 {mode} 里运行。等 RunLoop 在它的 mode 里运行时才会执行。"),
    "diagnosis.asleep": ("{item} is signaled, and the loop may still sleep: a signal does not wake it. Call CFRunLoopWakeUp after CFRunLoopSourceSignal.", "{item} 已经标记，RunLoop 却可能还在休眠：标记不会唤醒它。在 CFRunLoopSourceSignal 之后调用 CFRunLoopWakeUp。"),
    "diagnosis.signalled": ("{item} is signaled: the next step 4 performs it.", "{item} 已经标记：下一个步骤 4 就会执行。"),
    "diagnosis.stopped": ("A stop is waiting: the run returns at the end of this pass.", "有一次停止正在等待：这一轮结束时，运行就返回。"),
    "diagnosis.nothing": ("Nothing is wrong with {mode}: each of its items is called when its turn comes.", "{mode} 没有问题：里面的 item 轮到时都会被调用。"),
    "print.running": ("It is running in {mode}.", "它正在 {mode} 里运行。"),
    "print.idle": ("It was printed outside of a run.", "打印时它不在运行。"),
    "print.unnamed": ("mode {number}", "第 {number} 个 mode"),
    "print.comma": (", ", "、"),
    "print.colon": (": ", "："),
    "print.all": ("AllActivities", "AllActivities（全部状态）"),
    "print.source0": ("Performed in step 4, after CFRunLoopSourceSignal.", "调用 CFRunLoopSourceSignal 之后，于步骤 4 执行。"),
    "print.source1": ("Has a port, wakes the loop, and is performed in step 9.3.", "带端口，能唤醒 RunLoop，于步骤 9.3 执行。"),
    "print.observer": ("Notified of {activities}.", "通知的时机：{activities}。"),
    "print.timer": ("Fires in step 9.1.", "于步骤 9.1 触发。"),
    "print.delayed": ("It is that of a performSelector:withObject:afterDelay:, which is a timer in the current thread's loop.", "它来自 performSelector:withObject:afterDelay:，那就是当前线程 RunLoop 里的一个 Timer。"),
    "print.every": ("Every {seconds} s.", "间隔 {seconds} 秒。"),
    "print.never": ("The interval is {years} years: it never repeats; its owner sets the next date when it needs one.", "间隔 {years} 年，等于从不重复；要用时再设置下次触发的时间。"),
    "print.poolEntry": ("It pushes the autorelease pool.", "压入自动释放池。"),
    "print.poolWaiting": ("Before the sleep it pops the pool and pushes a new one.", "休眠之前弹出旧的自动释放池，再压入新的。"),
    "print.poolExit": ("At Exit it pops the pool.", "退出时弹出自动释放池。"),
    "print.once": ("Once.", "只有一次。"),
    "print.signalled": ("It is signaled: the next step 4 performs it.", "已标记为待处理：下一个步骤 4 就会执行。"),
    "print.invalid": ("Invalid: it is never called again.", "已失效，不再被调用。"),
}


@dataclass
class Mode:
    name: str
    fields: dict
    counts: dict = field(default_factory=dict)
    same: set = field(default_factory=set)  # the kinds of which it has the common items


@dataclass
class Item:
    kind: str
    fields: dict
    modes: list = field(default_factory=list)
    is_common: bool = False

    @property
    def label(self):
        """What it calls, without NSTimer's mark."""
        return re.sub(r"^\(\w+(?: \w+)?\)\s*", "", self.fields.get("callout", "")).strip() or self.kind

    @property
    def rest(self):
        """In how many seconds a timer fires; less than 0, if it should have fired."""
        match = re.search(r"\((-?[\d.]+(?:e[+-]?\d+)?)(?: @|\))", self.fields.get("next fire date", ""))
        return float(match[1]) if match else 0

    @property
    def interval(self):
        return number(self.fields.get("interval"))


class Printed:
    """What a text has of a loop."""

    def __init__(self, text, say):
        self.is_loop, self.common, self.modes, self.items = False, [], [], {}
        section, mode, kind, end = "", None, "", 0
        for match in PART.finditer(text):
            if match.start() < end:
                continue
            if match["object"]:
                body = inside(text, match.end())
                self.is_loop |= not match["type"]
                if match["type"] == "Mode":
                    own = re.split(r"\bsources0\b", body)[0]
                    found = {key: value(body if "deadline" in key else own, key) for key in MODE}
                    mode = Mode(value(own, "name") or say("print.unnamed", number=len(self.modes) + 1), {key: words for key, words in found.items() if words})
                    self.modes.append(mode)
                    section, kind = "mode", ""
                elif match["type"]:
                    end = match.end() + len(body)
                    self.item(item_of(match["type"], body, kind if section == "mode" else ""), match["address"], mode if section == "mode" else None, section == "common mode items")
            elif match["common"]:
                section, mode = match["common"].lower(), None
            elif match["modes"]:
                section = "modes"
            elif match["kind"] and mode:
                kind = match["kind"]
                count = re.match(r"[^\n]*?count = (\d+)", text[match.end():])
                mode.counts[kind] = int(count[1]) if count else 0
            elif section == "common modes" and (match["text"] or match["bare"]):
                self.common.append(match["text"] or match["bare"])
            elif match["same"] and mode and kind:
                mode.same.add(KINDS[kind])
        for item in self.items.values():
            item.modes += [mode for mode in self.modes if item.is_common and item.kind in mode.same and mode not in item.modes]
        start = re.split(r"common modes\s*=|\bmodes\s*=", text)[0]
        self.fields = {key: value(start, key) for key in (*LOOP, "current mode") if self.is_loop and value(start, key)}
        self.current = "" if re.search("none|null", self.fields.get("current mode", "none")) else self.fields["current mode"]
        self.is_whole = text.count("{") == text.count("}") and bool(self.modes) and all(len(re.findall(rf"\b{kind}\s*=", text)) == len(self.modes) for kind in ("sources0", "timers"))

    def item(self, item, address, mode, is_common):
        item = self.items.setdefault(address or str((item.kind, sorted(item.fields.items()))), item)
        item.is_common |= is_common
        item.modes += [mode] * (mode is not None and mode not in item.modes)

    def diagnosis(self, say):
        """What is wrong or to be known, the most important first."""
        said, now = [], next((mode for mode in self.modes if mode.name == self.current), None)
        if not self.is_whole:
            said.append(say("diagnosis.cut"))
        if not self.current and "current mode" in self.fields:
            said.append(say("diagnosis.idle"))
        if now and self.is_whole and not any(now.counts.get(kind) for kind in KINDS if kind != "observers") and not any(item.kind != "Observer" and now in item.modes for item in self.items.values()):
            said.append(say("diagnosis.empty", mode=self.current))
        for item in sorted(self.items.values(), key=lambda item: item.kind != "Timer"):  # what a reader looks for is mostly a timer
            if trouble := self.trouble(item, now):
                said.append(say(f"diagnosis.{trouble}", item=item.label, mode=self.current, modes=say("print.comma").join(mode.name for mode in item.modes), seconds=f"{abs(round(item.rest, 1)):g}"))
        if self.fields.get("stopped") == "true":
            said.append(say("diagnosis.stopped"))
        return said or [say("diagnosis.nothing", mode=self.current)] * bool(self.current and self.is_whole)

    def trouble(self, item, now):
        """The word for what keeps an item from being called, or for what waits for it."""
        is_away = now and item.modes and now not in item.modes
        if item.fields.get("valid") == "No":
            return "ignored"
        if item.kind == "Timer" and item.interval <= NEVER:
            late = "overdue" * bool(self.current and item.rest < -LATE and item.fields.get("firing") != "Yes")
            return ("timerAway" if self.current in self.common else "timerAwayUncommon") if is_away else late
        if item.kind == "Source0" and item.fields.get("signalled") == "Yes":
            return "signalledAway" if is_away else ("asleep" if self.fields.get("ignoreWakeUps") == "false" else "signalled") * bool(self.current)
        return ""


def read(text, language, known):
    """The lines about a text, each a head and a text; none, if it has no printed loop, mode or item. `known` says of a function what it is."""
    if not BEGINS.search(text) and not re.search(r"common mode items\s*=", text):
        return []
    say = lambda key, **values: WORDS[key][language == "zh"].format(**values)
    printed, told = Printed(text, say), lambda name, words: name + say("print.colon") + words
    is_item = not printed.is_loop and not printed.modes
    items = [(item.kind, (item.kind + " ") * is_item + told(item.fields.get("callout", ""), about(item, say, known)).removeprefix(say("print.colon"))) for item in printed.items.values()]
    modes = [("mode", told(mode.name, in_mode(printed, mode, language))) for mode in printed.modes]
    state = [("", say("print.running", mode=printed.current) if printed.current else say("print.idle"))] * ("current mode" in printed.fields)
    firsts = [("", words) for words in printed.diagnosis(say)] if printed.is_loop else []
    fields = [(item.fields, ITEM) for item in printed.items.values()] if is_item else [(printed.fields, LOOP)] if printed.is_loop else [(mode.fields, MODE) for mode in printed.modes]
    head, lines = "field" if language == "en" else "字段", firsts + state + modes + items
    lines += [(head, f"{key} = {told(of[key], frames.KEYS[key][1 + (language == 'zh')])}") for of, keys in fields for key in keys if key in of]
    return [("", lines[0][1]), *lines[1:]] if lines else []


def about(item, say, known):
    """What an item does, in a few sentences."""
    fields, interval = item.fields, item.interval
    mask = int(number(fields.get("activities")))
    if item.kind == "Observer":
        every = say("print.comma").join(f"{name} ({tables.STEP_OF_ACTIVITY[bit]})" for bit, name in tables.ACTIVITIES.items() if mask & bit and bit in tables.STEP_OF_ACTIVITY)
        words = [say("print.observer", activities=say("print.all") if mask & 0xfffffff == 0xfffffff else every)] * bool(mask)
    else:
        words = [say(f"print.{item.kind.lower()}")]
    if fields.get("callout", "").startswith("(Delayed Perform)"):
        words.append(say("print.delayed"))
    if item.kind == "Timer" and interval > NEVER:
        words.append(say("print.never", years=round(interval / (365 * 86400))))
    elif item.kind == "Timer" and interval > 0:
        words.append(say("print.every", seconds=fields["interval"]))
    elif item.kind == "Timer" and "interval" in fields or fields.get("repeats") == "No":
        words.append(say("print.once"))
    words += [say("print.signalled")] * (fields.get("signalled") == "Yes") + [say("print.invalid")] * (fields.get("valid") == "No")
    name = re.search(r"[\w:]+", fields.get("callout", ""))
    pools = [say(f"print.{word}") for bit, word in POOL.items() if mask & bit] if name and name[0] == POOLS else []
    return " ".join(filter(None, [*words, *(pools or [name and known(texts.code(name[0]))])])).replace("。 ", "。")


def in_mode(printed, mode, language):
    """How many items of each kind a mode has, and what the mode is for."""
    counts = [f"{max(mode.counts.get(key, 0), sum(item.kind == kind and mode in item.modes for item in printed.items.values()))} {kind}" for key, kind in KINDS.items()]
    meant = frames.MODES[mode.name][language == "zh"] if mode.name in frames.MODES else ""
    return (", ".join(counts) + ". " if language == "en" else "、".join(counts) + "。").strip() + (" " if language == "en" and meant else "") + meant


def item_of(kind, body, section):
    """An item with its own fields, without what stands in the braces of its context. A context has the callout, the port and the version."""
    own = body
    while (outer := re.sub(r"\{[^{}]*\}", "", own)) != own:
        own = outer
    found = {key: value(own, key) or (value(body, key) if key in ("callout", "port", "version") else "") for key in ITEM}
    fields = {key: words for key, words in found.items() if words}
    is_port = fields.get("version") == "1" or section == "sources1" or not section and fields.get("version") != "0" and ("port" in fields or re.search("CFMachPort|CFMessagePort", body))
    return Item(("Source1" if is_port else "Source0") if kind == "Source" else kind, fields)


def inside(text, start):
    """The text up to the brace that closes the one before it; without that brace, the line."""
    depth = 1
    for match in re.compile("[{}]").finditer(text, start):
        depth += 1 if match[0] == "{" else -1
        if not depth:
            return text[start:match.start()]
    return text[start:].partition("\n")[0]


def value(text, key):
    match = re.search(rf'(?:^|[\s,{{(])(?<!common ){key}\s*[=:]\s*("[^"]*"|(?:\([^()\n]*\)|[^,}}\n])*)', text)
    return re.sub(r"//.*| / .*|\s*\((?:0x|/).*$", "", match[1]).strip() if match else ""


def number(words):
    """A number as a print has it: 1.5, 0xa0. What is none is 0."""
    words = words or "0"
    try:
        return int(words, 16) if words.startswith("0x") else float(words)
    except ValueError:
        return 0
