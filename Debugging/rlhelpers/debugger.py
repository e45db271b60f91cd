"""What the helpers need of a debugger, gdb or lldb."""

import time
from collections import namedtuple

from .words import say


class Problem(Exception):
    """Something is unreadable or inconsistent. The text is a sentence for the reader."""


class Unreadable(Problem):
    """The memory does not exist, or is not in the core file."""


def no_types(name, debugger, command):
    return Problem(say("There is no debug information for %s. SwiftPM builds with it, for debug and for release (-g is its default); it is missing "
                       "if the program was stripped or built with -gnone. Build again, or give %s the file before it was stripped: %s FILE.",
                       "没有 %s 的调试信息。SwiftPM 的 debug 和 release 构建都带调试信息（默认 -g）；如果被去掉了，或用 -gnone 构建，就没有。"
                       "请重新构建，或给 %s 去掉之前的文件：%s FILE。") % (name, debugger, command))


def no_variable(name):
    return Problem(say("This program has no variable %s: it does not contain the run loop, or no debug information for it. If it was stripped: "
                       "build again (SwiftPM builds with -g), or give the debugger the file before it was stripped (gdb: symbol-file FILE; "
                       "lldb: target symbols add FILE).",
                       "这个程序没有变量 %s：它不包含这个 RunLoop，或没有它的调试信息。如果调试信息被去掉了，请重新构建（SwiftPM 默认带 -g），"
                       "或给调试器去掉之前的文件（gdb：symbol-file FILE；lldb：target symbols add FILE）。") % name)


def no_function(name):
    return Problem(say("This program has no function %s: it does not contain the run loop, or was stripped of its symbols.",
                       "这个程序没有函数 %s：它不包含这个 RunLoop，或符号被去掉了。") % name)


def no_lines():
    return Problem(say("There is no debug information that says where the steps are. The callouts need none: rl-next timer, for example.",
                       "没有调试信息说明各步骤在哪里。callout 不需要调试信息，例如：rl-next timer。"))


def not_running():
    return Problem(say("The program has not been started, or has ended: there is nothing to read.", "程序还没有启动，或已经结束：没有可读的内容。"))


#: The place of a field in a struct.
Field = namedtuple("Field", "offset size is_float is_signed")
#: One frame of a stack. `file` and `line` are None where there is no debug information.
Frame = namedtuple("Frame", "level function file line handle")
#: A thread of the program: its number in the debugger, its name (None in a core file), its number in the kernel.
Thread = namedtuple("Thread", "number name kernel_id is_selected handle")


class Debugger:
    """What in_gdb.py and in_lldb.py have in common. Each has these methods as well, all of which may raise Problem:

    read(address, size)         bytes of the program's memory; raises Unreadable
    type_named(name)            the debugger's type of a struct or typedef
    members(type)               (name, offset, type) of each member of a type
    field_at(offset, type)      the Field of a member's type
    size_of(struct)
    variables(name)             the addresses of a static variable of the run loop, one for each copy of the run loop in the program
    function_at(address)        the name of the function that begins at an address, or None
    swift_functions()           the mangled names of all Swift functions, and perhaps of more
    threads()                   all threads, as a list of Thread
    owns(thread, pthread)       whether `pthread` is the thread's pthread_t
    frames(thread, limit)       the innermost frames of a thread, at most `limit`, as a list of Frame
    local(frame, name)          the whole number in a parameter or local variable of a frame; None if the compiler has optimised it away
    is_core()                   whether the program is a core file
    process_id()                the number of the running process; None on a core file or on another machine
    core_written()              when the core file was written, in seconds since 1970; None if that is not known
    value_of(expression)        the address that the reader's expression points to
    run_to(places, thread)      lets the program run until the thread reaches one of the places, each the name of a function or (file, line):
                                whether it did; False if it stopped elsewhere or has ended
    stop_at(functions)          sets a breakpoint at each function; returns their numbers
    forget_stops(numbers)       deletes breakpoints, and ignores those that no longer exist
    """

    def __init__(self):
        self.fields, self.found_variables = {}, {}

    def field(self, struct, path):
        """The Field that `path`, such as `_context.version0.perform`, names in a struct or typedef."""
        if (struct, path) not in self.fields:
            kind, offset = self.type_named(struct), 0
            for name in path.split("."):
                found = self.member(kind, name)
                if found is None:
                    raise Problem(say("%s has no field %s in this program: it was built from another version of the run loop",
                                      "在这个程序里，%s 没有字段 %s：它是用另一个版本的 RunLoop 构建的") % (struct, path))
                offset, kind = offset + found[0], found[1]
            self.fields[struct, path] = self.field_at(offset, kind)
        return self.fields[struct, path]

    def member(self, kind, name):
        """The offset and type of a member of a struct or union, including the members of its anonymous members."""
        for own, offset, inner in self.members(kind):
            if own == name:
                return offset, inner
            if not own and (found := self.member(inner, name)):
                return offset + found[0], found[1]
        return None

    def messages(self, port):
        """How many messages an eventfd has, as the kernel tells; None if that is unknown, or if the port is no eventfd."""
        process = self.process_id()
        try:
            with open("/proc/%d/fdinfo/%d" % (process or 0, port), encoding="ascii") as lines:
                return next((int(line.split()[1], 16) for line in lines if line.startswith("eventfd-count:")), None)
        except OSError:
            return None

    def now(self):
        """The monotonic clock as the program sees it, in nanoseconds; None on a core file."""
        return None if self.is_core() else time.clock_gettime_ns(time.CLOCK_MONOTONIC)

    def address_of(self, text):
        """The address that the reader names: a number, or an expression."""
        try:
            return int(text, 0)
        except ValueError:
            return self.value_of(text)
