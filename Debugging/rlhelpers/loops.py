"""Run loops, modes and their items, as the structs in CFRunLoop_Internal.h have them."""

import contextlib

from .debugger import Problem, not_running
from .names import readable
from .objects import MOST_VALUES, hexadecimal, require
from .steps import ACTIVITIES
from .words import say

NEVER = (1 << 64) - 1    # no deadline
NO_PORT = -1
SECONDS_TO_2001 = 978307200  # from 1970; a CFAbsoluteTime counts from 2001
LONGEST_WAIT = 504911232     # in seconds; a timer with a later date does not know when that is on the monotonic clock
MOST_RUNS = 10000        # nested runs; MOST_LINKS: queued blocks. A longer list counts as a cycle
MOST_LINKS = 100000

FLAG_SLEEPING, FLAG_DEALLOCATING = 1, 2
FLAG_FIRING, FLAG_REPEATS, FLAG_VALID = 0, 1, 3
BIT_TIMER_FIRING = 1
CFRL, STOP, WAKE = 0x4346524C, 0x53544F50, 0x57414B45  # in the data of a run


def activities_in_words(mask):
    if mask & 0x0FFFFFFF == 0x0FFFFFFF:
        return say("all activities", "所有状态")
    names = [name for bit, name in ACTIVITIES.items() if mask & bit]
    rest = mask & ~sum(ACTIVITIES)
    if rest:
        names.append(hexadecimal(rest))
    return " ".join(names) or say("no activity", "没有状态")


def seconds(nanoseconds):
    return say("%.3f s", "%.3f 秒") % (nanoseconds / 1e9)


class Thing:
    """An object at an address, with its fields by name."""

    struct = None
    kind = None

    def __init__(self, objects, address):
        objects.expect(address, self.kind)
        self.objects, self.address = objects, address

    def get(self, path):
        return self.objects.field(self.address, self.struct, path)

    def flag(self, number):
        return self.objects.flag(self.address, number)

    def __str__(self):
        return hexadecimal(self.address)

    def function(self, path):
        """A callback, by its name."""
        address = self.get(path)
        return function_in_words(self.objects, address)


def function_in_words(objects, address):
    if address == 0:
        return say("no function", "NULL")
    name, = readable([objects.debugger.function_at(address)])
    return name or say("the function at %s", "%s 处的函数") % hexadecimal(address)


class Source(Thing):
    struct, kind = "struct __CFRunLoopSource", "CFRunLoopSource"

    @property
    def version(self):
        return self.get("_context.version0.version")

    @property
    def is_signalled(self):
        return self.get("_signaledTime") != 0

    def in_words(self):
        version = self.version
        words = [say("order %d", "order %d") % self.get("_order")]
        if version == 1:
            port = self.get("_port")
            words.append(say("port %d", "端口 %d") % port if port != NO_PORT else say("no port", "没有端口"))
        words.append(say("performs %s", "回调 %s") % self.function("_context.version1.perform" if version == 1 else "_context.version0.perform"))
        if version == 0:
            words.append(say("signalled", "已标记为待处理") if self.is_signalled else say("not signalled", "未标记"))
        elif version != 1:
            words.append(say("of the unknown version %d", "未知的 version %d") % version)
        return words_of_item(self, words)


class Observer(Thing):
    struct, kind = "struct __CFRunLoopObserver", "CFRunLoopObserver"

    def in_words(self):
        words = [say("order %d", "order %d") % self.get("_order"), activities_in_words(self.get("_activities")), say("calls %s",
                                                                                                         "回调 %s") % self.function("_callout")]
        if not self.flag(FLAG_REPEATS):
            words.append(say("once", "不重复"))
        if self.flag(FLAG_FIRING):
            words.append(say("in its callback", "正在回调"))
        return words_of_item(self, words)


class Timer(Thing):
    struct, kind = "struct __CFRunLoopTimer", "CFRunLoopTimer"

    @property
    def is_firing(self):
        return bool(self.get("_bits") & BIT_TIMER_FIRING)

    @property
    def tolerance(self):
        """In nanoseconds."""
        tolerance = self.get("_tolerance")
        return int(tolerance * 1e9) if 0 < tolerance < 1e10 else 0

    def mode_names(self):
        """kCFRunLoopCommonModes is among them if the timer is a common item."""
        return [self.objects.name(address) for address in self.objects.members(self.get("_rlModes"))]

    def in_words(self, clock):
        interval = self.get("_interval")
        words = [say("due %s", "到期：%s") % clock.in_words(self.get("_fireTSR")),
                 say("every %g s", "每 %g 秒") % interval if interval > 0 else say("once", "不重复"),
                 say("calls %s", "回调 %s") % self.function("_callout")]
        if self.tolerance:
            words.insert(1, say("tolerance %g s", "tolerance %g 秒") % self.get("_tolerance"))
        if self.is_firing:
            words.append(say("in its callback", "正在回调"))
        return words_of_item(self, words)


def words_of_item(item, words):
    if not item.flag(FLAG_VALID):
        words.append(say("INVALID", "已失效"))
    return say(", ", "，").join(words)


class Clock:
    """Times of the program's monotonic clock, relative to now or, in a core file, to the time when it was written."""

    def __init__(self, loop):
        debugger = loop.objects.debugger
        self.now, self.note = debugger.now(), None
        if self.now is None:
            self.now = self.moment_of_core(loop, debugger.core_written())
            self.note = say("Times are relative to the moment when the core file was written.",
                            "时间都相对于写 core 文件的那一刻。") if self.now else \
                say("Times are in seconds of the monotonic clock, because its value when the core file was written is unknown.",
                    "时间是单调时钟的秒数，因为不知道写 core 文件时它的值。")

    @staticmethod
    def moment_of_core(loop, written):
        """A timer's date is a moment of both clocks, unless it had passed when it was set. Then the timer fires later than its date."""
        moments = []
        for address in (address for mode in loop.modes() for address in mode.addresses("_timers") if written):
            with contextlib.suppress(Problem):  # one that is broken says nothing of the clock
                timer = Timer(loop.objects, address)
                ahead = timer.get("_nextFireDate") + SECONDS_TO_2001 - written
                if ahead < LONGEST_WAIT:
                    moments.append(timer.get("_fireTSR") - int(ahead * 1e9))
        return min(moments, default=None)

    def in_words(self, moment):
        if moment == NEVER:
            return say("never", "永不")
        if self.now is None:
            return say("at %s", "单调时钟的 %s") % seconds(moment)
        away = moment - self.now
        return say("in %s", "再过 %s") % seconds(away) if away >= 0 else say("for %s", "已过 %s") % seconds(-away)


class Mode(Thing):
    struct, kind = "struct __CFRunLoopMode", "CFRunLoopMode"

    @property
    def name(self):
        return self.objects.name(self.get("_name"))

    def addresses(self, field, limit=MOST_VALUES):
        """The addresses in one of the mode's sets or arrays, unchecked."""
        collection = self.get(field)
        if collection and self.objects.class_of(collection) == "CFArray":
            return self.objects.array(collection, limit)
        return self.objects.members(collection)[:limit]

    def sources(self, version):
        return [Source(self.objects, source) for source in self.addresses("_sources%d" % version)]

    def observers(self):
        return [Observer(self.objects, observer) for observer in self.addresses("_observers")]

    def timers(self, limit=MOST_VALUES):
        return [Timer(self.objects, timer) for timer in self.addresses("_timers", limit)]

    def timer_count(self):
        timers = self.get("_timers")
        return self.objects.array_count(timers) if timers else 0

    def port_set(self, field):
        return self.objects.field(self.get("_portSet"), "struct __CFPortSet", field)

    @property
    def timer_deadline(self):
        """When the timer port goes off; NEVER if it is not armed."""
        return self.port_set("timerDeadline")

    def ports(self):
        """port → Source"""
        entries = self.objects.table(self.get("_portToV1SourceMap"))
        return [(signed_port(port), Source(self.objects, source)) for port, source in entries]


def signed_port(port):
    return port - (1 << 64) if port >> 63 else port


class Loop(Thing):
    struct, kind = "struct __CFRunLoop", "CFRunLoop"

    def modes(self):
        return [Mode(self.objects, mode) for mode in self.objects.members(self.get("_modes"))]

    @property
    def current_mode(self):
        mode = self.get("_currentMode")
        return Mode(self.objects, mode) if mode else None

    @property
    def is_asleep(self):
        return self.flag(FLAG_SLEEPING)

    def runs(self):
        """The records of the active runs, innermost first. The last one stands for "no run"."""
        record, found = self.get("_perRunData"), []
        while record:
            require(record not in found, say("the records of the runs have a cycle at %s", "运行记录在 %s 处成环") % hexadecimal(record))
            require(len(found) < MOST_RUNS, say("there are more than %d records of runs", "运行记录超过 %d 条") % MOST_RUNS)
            found.append(record)
            record = self.objects.field(record, "struct _per_run_data", "previous")
        return found

    def run_field(self, record, name):
        return self.objects.field(record, "struct _per_run_data", name)

    def common_modes(self):
        return [self.objects.name(name) for name in self.objects.members(self.get("_commonModes"))]

    def common_items(self):
        return self.objects.members(self.get("_commonModeItems"))

    def block_items(self):
        """The queued items. What __CFRunLoopDoBlocks has taken is in its local variables."""
        return self.items_from(self.get("_blocks_head"))

    def items_from(self, item):
        """The items of a list of blocks, from the given one to the last."""
        found = {}  # a dictionary keeps the order
        while item:
            require(item not in found, say("the list of blocks has a cycle at %s", "block 的链表在 %s 处成环") % hexadecimal(item))
            require(len(found) < MOST_LINKS, say("the list of blocks is longer than %d", "block 的链表超过 %d 个") % MOST_LINKS)
            found[item] = True
            item = self.objects.field(item, "struct _block_item", "_next")
        return list(found)

    def modes_of_block(self, item):
        """The names of the modes that a block waits for."""
        mode = self.objects.field(item, "struct _block_item", "_mode")
        is_set = self.objects.class_of(mode) == "CFSet"
        return [self.objects.name(name) for name in (self.objects.members(mode) if is_set else [mode])]

    def blocks_for(self, name):
        """The blocks that wait for a mode by its name, first to last, each with its function."""
        return [self.block(item) for item in self.block_items() if name in self.modes_of_block(item)]

    def queued_for(self, mode):
        """The queued blocks that a run in a mode performs. Those that a run has taken are only that run's."""
        names = {mode.name} | ({"kCFRunLoopCommonModes"} if mode.get("_isCommon") else set())
        return [self.block(item) for item in self.items_from(self.get("_blocks_head")) if names & set(self.modes_of_block(item))]

    def block(self, item):
        block = self.objects.field(item, "struct _block_item", "_block")
        invoke = self.objects.pointer(block + 16)  # a block: class, flags, then the function (of the Blocks ABI)
        return block, function_in_words(self.objects, invoke)

    def hosted_modes(self):
        """The modes that are embedded in another event loop."""
        return [Mode(self.objects, mode) for mode in self.objects.array(self.get("_hostedModes"))]

    @property
    def has_wake_up(self):
        """Whether a wake-up waits to be received. The loop's flag says so even if the thread has just received it, but the kernel knows."""
        messages = self.objects.debugger.messages(self.get("_wakeUpPort"))
        return bool(self.get("_wakeUpSent")) if messages is None else messages > 0

    def thread(self):
        """The debugger's Thread that the loop belongs to; None if it has ended or is unknown."""
        pthread = self.get("_pthread")
        for thread in self.objects.debugger.threads():
            if self.objects.debugger.owns(thread, pthread):
                return thread
        return None

    @property
    def is_main(self):
        return self.get("_pthread") in [self.objects.pointer(at) for at in self.objects.debugger.variables("__CFMainPThread")]


def loop_addresses(objects):
    """The addresses of the loops in the registry, unchecked. A loop whose thread has ended is in no list, even if it is still retained.
    A program may contain the run loop more than once, its own and a plug-in's. Then there are several registries."""
    if not objects.debugger.threads():
        raise not_running()
    registries = [objects.pointer(at) for at in objects.debugger.variables("__CFRunLoops")]
    if not any(registries):
        raise Problem(say("There is no run loop yet: no thread has asked for one (R3).", "还没有 RunLoop：没有线程获取过（R3）。"))
    return [loop for registry in registries for _, loop in objects.table(registry)]


def all_loops(objects):
    return [Loop(objects, loop) for loop in loop_addresses(objects)]


def loop_of(objects, thread):
    for loop in all_loops(objects):
        if objects.debugger.owns(thread, loop.get("_pthread")):
            return loop
    return None


def selected_thread(debugger):
    for thread in debugger.threads():
        if thread.is_selected:
            return thread
    raise not_running()


def loop_named(objects, text):
    """The loop that the reader names: an address or expression, `main`, or nothing for the selected thread's loop."""
    if text == "main":
        for loop in all_loops(objects):
            if loop.is_main:
                return loop
    if text:
        address = objects.debugger.address_of(text)
        if not 0 <= address < 1 << 64:
            raise Problem(say("%s is no address.", "%s 不是地址。") % text)
        return Loop(objects, address)
    thread = selected_thread(objects.debugger)
    loop = loop_of(objects, thread)
    if loop is None:
        loops = ", ".join(str(loop) for loop in all_loops(objects))
        raise Problem(say("Thread %d has no run loop: it has not asked for one (R3). There are: %s.",
                          "线程 %d 没有 RunLoop：它没有获取过（R3）。现有的：%s。") % (thread.number, loops))
    return loop


