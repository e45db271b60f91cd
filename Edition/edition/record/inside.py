"""The recorder's part inside gdb: what a thread's stack, the locks and the watched fields are at this moment. It only reads memory.

`snapshot N` prints one line of JSON: the stack of thread N, which thread holds each lock, and the value of each watched field, in words."""

import json
import os
import re
import sys
import time

import gdb

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(sys._getframe().f_code.co_filename)), "..", "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "Debugging"))

from rlhelpers import loops as rl_loops  # noqa: E402
from rlhelpers.debugger import Problem  # noqa: E402
from rlhelpers.in_gdb import GDB  # noqa: E402
from rlhelpers.memory import hexadecimal  # noqa: E402,F401
from rlhelpers.objects import Objects  # noqa: E402

NEVER = (1 << 64) - 1
MOST_FRAMES = 40


class Watch:

    def __init__(self):
        self.debugger = GDB()
        self.objects = Objects(self.debugger)
        self.began = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        self.pid = gdb.selected_inferior().pid
        self.threads = {}
        self.named = {}      # address: the variable's name
        self.loop = None
        self.items = []      # (type, name, address)
        self.read_globals()
        self.reasons = self.enumerators("CFRunLoopTraceReason")

    @staticmethod
    def enumerators(name):
        try:
            return {field.enumval: field.name.replace("kCFRunLoopTrace", "") for field in gdb.lookup_type(name).strip_typedefs().fields()}
        except gdb.error:
            return {}

    def read_globals(self):
        table = gdb.lookup_symbol("main")[0].symtab
        for block in (table.static_block(), table.global_block()):
            for symbol in block:
                kind = str(symbol.type) if symbol.is_variable else ""
                if kind in ("CFRunLoopRef", "CFRunLoopSourceRef", "CFRunLoopTimerRef", "CFRunLoopObserverRef"):
                    address = int(symbol.value())
                    if not address:
                        continue
                    self.named[address] = symbol.name
                    if kind == "CFRunLoopRef":
                        self.loop = address
                    else:
                        self.items.append((kind[len("CFRunLoop"):-len("Ref")].lower(), symbol.name, address))
        self.items.sort()

    # Values in words

    def moment(self, tsr):
        return "never" if tsr == NEVER else "0" if tsr == 0 else "%.1f s" % ((tsr - self.began) / 1e9)

    def count_of_eventfd(self, descriptor):
        try:
            with open("/proc/%d/fdinfo/%d" % (self.pid, descriptor)) as file:
                return int(re.search(r"eventfd-count:\s*([0-9a-f]+)", file.read()).group(1), 16)
        except (OSError, AttributeError):
            return None

    def field(self, address, struct, path):
        return self.objects.field(address, struct, path)

    def dispatch_port(self):
        try:
            return int(gdb.parse_and_eval("__CFRunLoopMainQueuePort::port"))
        except gdb.error:
            return -1

    def port(self, port):
        if port in (-1, 0xFFFFFFFF):
            return "none"
        if port == self.field(self.loop, "struct __CFRunLoop", "_wakeUpPort"):
            return "wake-up port"
        if port == -3:
            return "timer port"
        if port == -2:
            return "a port that is gone"
        if port == self.dispatch_port():
            return "main queue's port"
        for kind, name, address in self.items:
            if kind == "source" and self.field(address, "struct __CFRunLoopSource", "_port") == port:
                return "port of %s" % name
        return "descriptor %d" % port

    # The state

    def state(self):
        fields, locks = {}, {}
        self.loop_state(fields, locks)
        for kind, name, address in self.items:
            try:
                getattr(self, kind + "_state")(name, address, fields, locks)
            except Problem:
                fields["%s.valid" % name] = "freed"
        return fields, locks

    def lock(self, locks, name, address, struct, path="_lock"):
        owner = self.field(address, struct, path + ".__data.__owner")
        if owner:
            locks[name] = owner

    def loop_state(self, fields, locks):
        struct, loop = "struct __CFRunLoop", rl_loops.Loop(self.objects, self.loop)
        self.lock(locks, "loop", self.loop, struct)
        run = loop.get("_perRunData")
        per = lambda path: self.field(run, "struct _per_run_data", path)  # noqa: E731
        mode = loop.current_mode
        modes = loop.modes()
        this_pass = lambda field: self.field(run, "struct __CFRecordedRun", "pass." + field)  # noqa: E731
        depth = this_pass("_depth")
        fields["run"] = depth
        steps = this_pass("_steps")
        step = "10" if steps & 15 == 10 else str(steps & 15)
        reason = self.reasons.get(this_pass("_reason"), "") if step == "9" else ""
        fields["step"] = {"TimerPort": "9.1", "DispatchPort": "9.2", "SourcePort": "9.3"}.get(reason, step) if steps else ""
        fields["loop._currentMode"] = mode.name if mode else "NULL"
        fields["loop.sleeping"] = yes(loop.is_asleep)
        fields["loop.stopped"] = "STOP" if per("stopped") else "0"
        fields["loop.ignoreWakeUps"] = "WAKE" if per("ignoreWakeUps") else "0"
        fields["loop._wakeUpSent"] = yes(loop.get("_wakeUpSent"))
        fields["loop._wakeUpPort"] = messages(self.count_of_eventfd(loop.get("_wakeUpPort")))
        fields["loop._hasNested"] = yes(per("_hasNested"))
        fields["loop._blocks"] = len(loop.block_items())
        fields["loop.__CFSignals"] = self.objects.pointer(self.debugger.variables("__CFSignals")[0])
        port = self.dispatch_port()
        if port > 0:
            fields["main queue.port"] = messages(self.count_of_eventfd(port))
        for mode in modes:
            self.mode_state(mode, fields, locks)

    def names(self, addresses):
        return ", ".join(sorted(self.named.get(address, hexadecimal(address)) for address in addresses)) or "none"

    def mode_state(self, mode, fields, locks):
        name = mode.name
        self.lock(locks, name, mode.address, mode.struct)
        put = lambda field, value: fields.__setitem__("%s.%s" % (name, field), value)  # noqa: E731
        put("_stopped", yes(mode.get("_stopped")))
        put("_sources0", self.names(mode.addresses("_sources0")))
        put("_sources1", self.names(mode.addresses("_sources1")))
        put("_timers", ", ".join(self.named.get(timer, "a timer") for timer in mode.addresses("_timers")) or "none")
        put("_mkTimerArmed", yes(mode.get("_mkTimerArmed")))
        put("_timerSoftDeadline", self.moment(mode.get("_timerSoftDeadline")))
        put("_timerHardDeadline", self.moment(mode.get("_timerHardDeadline")))
        put("_signalsSeen", "none" if mode.get("_signalsSeen") == NEVER else mode.get("_signalsSeen"))
        self.lock(locks, "%s's port set" % name, mode.get("_portSet"), "struct __CFPortSet", "lock")
        put("_portSet.mainQueuePort", self.port(mode.port_set("mainQueuePort")))
        put("_portSet.foreignCount", mode.port_set("foreignCount"))
        put("_portSet.isAsleep", yes(mode.port_set("isAsleep")))
        put("_portSet.timerDeadline", self.moment(mode.timer_deadline))

    def source_state(self, name, address, fields, locks):
        struct = "struct __CFRunLoopSource"
        self.lock(locks, name, address, struct)
        source = rl_loops.Source(self.objects, address)
        fields["%s.signaled" % name] = yes(self.field(address, struct, "_bits") & 2)
        fields["%s.valid" % name] = yes(source.flag(3))
        if self.field(address, struct, "_context.version0.version") == 1:
            fields["%s.port" % name] = self.readable(self.field(address, struct, "_port"))

    def readable(self, descriptor):
        """How much a descriptor has to read. It is asked for by a copy of it, which reads nothing."""
        import fcntl
        import termios
        try:
            copy = os.open("/proc/%d/fd/%d" % (self.pid, descriptor), os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            return "none"
        try:
            count = int.from_bytes(fcntl.ioctl(copy, termios.FIONREAD, b"\0" * 4), sys.byteorder)
            return "%d bytes to read" % count if count != 1 else "1 byte to read"
        finally:
            os.close(copy)

    def timer_state(self, name, address, fields, locks):
        struct = "struct __CFRunLoopTimer"
        self.lock(locks, name, address, struct)
        timer = rl_loops.Timer(self.objects, address)
        fields["%s.firing" % name] = yes(self.field(address, struct, "_bits") & 1)
        fields["%s.valid" % name] = yes(timer.flag(3))
        fields["%s._fireTSR" % name] = self.moment(self.field(address, struct, "_fireTSR"))
        fields["%s.due" % name] = yes(self.field(address, struct, "_fireTSR") <= time.clock_gettime_ns(time.CLOCK_MONOTONIC))
        fields["%s._tolerance" % name] = "%g s" % self.field(address, struct, "_tolerance")

    def observer_state(self, name, address, fields, locks):
        self.lock(locks, name, address, "struct __CFRunLoopObserver")
        observer = rl_loops.Observer(self.objects, address)
        fields["%s.firing" % name] = yes(observer.flag(0))
        fields["%s.valid" % name] = yes(observer.flag(3))

    # The stack

    def stack(self, thread):
        frames, values = [], {}
        gdb_thread = next(one for one in gdb.selected_inferior().threads() if one.num == thread)
        gdb_thread.switch()
        frame = gdb.newest_frame()
        while frame is not None and len(frames) < MOST_FRAMES:
            place = frame.find_sal()
            function = frame.name()
            path = os.path.relpath(place.symtab.fullname(), ROOT) if place.symtab else ""
            frames.append([function, path, place.line] if path.startswith(("Sources/", "Edition/")) else [function, None, 0])
            if function == "__CFRunLoopRun" and not values:
                values = self.locals(frame, place.line)
            if function == "main":
                break
            frame = frame.older()
        while frames and frames[-1][1] is None:
            frames.pop()  # the C library's, around the thread's part
        return frames, values

    LOCALS = ("dispatchPort", "livePort", "sourceHandledThisLoop", "poll", "didDispatchPortLastTime", "retVal")

    def locals(self, frame, line):
        values, block = {}, frame.block()
        while block is not None and not block.is_global:
            for symbol in block:
                if symbol.name in self.LOCALS and symbol.line < line and symbol.name not in values:
                    value = int(symbol.value(frame))
                    if symbol.name in ("livePort", "dispatchPort"):
                        values[symbol.name] = self.port(value)
                    elif symbol.name == "retVal":
                        values[symbol.name] = {0: "0", 1: "Finished", 2: "Stopped", 3: "TimedOut", 4: "HandledSource"}[value]
                    else:
                        values[symbol.name] = yes(value)
            if block.function:
                break
            block = block.superblock
        return values

    def snapshot(self, thread):
        fields, locks = self.state()
        stack, values = self.stack(thread)
        return {"stack": stack, "fields": fields, "locks": locks, "locals": values}


def yes(value):
    return "true" if value else "false"


def messages(count):
    return "" if count is None else "a message" if count else "empty"


watch = None


class Begin(gdb.Command):
    """Finds the program's objects."""

    def __init__(self):
        super().__init__("recording-begins", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        global watch
        watch = Watch()
        threads = {thread.num: [thread.ptid[1], thread.name] for thread in gdb.selected_inferior().threads()}
        print("@" + json.dumps({"pid": watch.pid, "threads": threads, "objects": [[kind, name] for kind, name, _ in watch.items]}))


class Snapshot(gdb.Command):
    __doc__ = __doc__

    def __init__(self):
        super().__init__("snapshot", gdb.COMMAND_DATA)

    def invoke(self, argument, from_tty):
        print("@" + json.dumps(watch.snapshot(int(argument))))


Begin()
Snapshot()
