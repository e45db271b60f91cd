"""gdb: the Debugger that the helpers need, on gdb's Python, and the commands for gdb."""

import contextlib
import os
import re

import gdb

from . import commands, words
from .debugger import Debugger, Field, Frame, Problem, Thread, Unreadable, no_function, no_lines, no_types, no_variable
from .words import say

#: The registers that a function need not restore, on x86-64 and on AArch64.
LOST_IN_CALLS = {"rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"} | {"x%d" % i for i in range(19)}


class GDB(Debugger):

    def __init__(self):
        super().__init__()
        self.sizes = {}

    # Memory, types, symbols

    def read(self, address, size):
        address &= (1 << 64) - 1
        try:
            return bytes(gdb.selected_inferior().read_memory(address, size))
        except (gdb.error, OverflowError, ValueError):
            raise Unreadable(say("the memory at 0x%x cannot be read", "0x%x 处的内存无法读取") % address) from None

    @staticmethod
    def type_named(name):
        try:
            return gdb.lookup_type(name).strip_typedefs()
        except gdb.error:
            raise no_types(name, "gdb", "symbol-file") from None

    def size_of(self, struct):
        if struct not in self.sizes:
            self.sizes[struct] = self.type_named(struct).sizeof
        return self.sizes[struct]

    def members(self, kind):
        for field in kind.fields() if kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION) else ():
            yield field.name, field.bitpos // 8, field.type.strip_typedefs()

    def field_at(self, offset, kind):
        return Field(offset, kind.sizeof, kind.code == gdb.TYPE_CODE_FLT, kind.code == gdb.TYPE_CODE_INT and kind.is_signed)

    def variables(self, name):
        if name not in self.found_variables:
            symbols = gdb.lookup_static_symbols(name) or list(filter(None, [gdb.lookup_global_symbol(name)]))
            if not symbols:
                raise no_variable(name)
            self.found_variables[name] = [int(symbol.value().address) for symbol in symbols]
        return self.found_variables[name]

    def function_at(self, address):
        text = gdb.execute("info symbol 0x%x" % address, to_string=True)
        match = re.match(r"(\S+) in section", text)
        return match.group(1) if match else None

    @staticmethod
    def swift_functions():
        return list(dict.fromkeys(re.findall(r"(?m)^\[ *\d+\] [tT] 0x\w+ (\$s\S+)", gdb.execute("maint print msymbols", to_string=True))))

    # Threads and frames

    def threads(self):
        selected = gdb.selected_thread()
        found = []
        for thread in sorted(gdb.selected_inferior().threads(), key=lambda thread: thread.num):
            is_selected = selected is not None and thread.num == selected.num
            found.append(Thread(thread.num, thread.name, thread.ptid[1] or thread.ptid[0], is_selected, thread))
        return found

    def owns(self, thread, pthread):
        return self.pthread(thread.handle) == pthread

    def pthread(self, thread):
        """From libthread_db or, if gdb has none, from the register in which each thread keeps it."""
        try:
            return int.from_bytes(thread.handle(), "little")
        except (gdb.error, NotImplementedError, RuntimeError):
            pass
        with self.on(thread):
            for register in ("fs_base", "tpidr"):
                try:
                    return int(gdb.newest_frame().read_register(register)) & (1 << 64) - 1
                except (gdb.error, ValueError):
                    continue
        raise Problem(say("this gdb cannot tell which thread has which run loop", "这个 gdb 分不清哪个线程有哪个 RunLoop"))

    @contextlib.contextmanager
    def on(self, thread):
        """Selects another thread for the duration of a `with`."""
        selected, frame = gdb.selected_thread(), None
        if selected is not None and selected.num == thread.num:
            yield
            return
        with contextlib.suppress(gdb.error):
            frame = gdb.selected_frame()
        try:
            thread.switch()
            yield
        finally:
            if selected is not None and selected.is_valid():
                selected.switch()
            if frame is not None and frame.is_valid():
                frame.select()

    def frames(self, thread, limit):
        found = []
        with self.on(thread.handle):
            try:
                frame = gdb.newest_frame()
                while frame is not None and len(found) < limit:
                    place = frame.find_sal()
                    file = place.symtab.fullname() if place.symtab else None
                    found.append(Frame(frame.level(), frame.name(), file, place.line or None, (thread.handle, frame)))
                    frame = frame.older()
            except gdb.error:
                pass  # the stack is broken from here on; the frames so far are valid
        return found

    def local(self, frame, name):
        thread, frame = frame.handle
        with self.on(thread):
            try:
                value = frame.read_var(name)
                if value.is_optimized_out or (frame.level() > 0 and self.is_in_lost_register(frame, name)):
                    return None
                return int(value)
            except (gdb.error, ValueError, OverflowError):
                return None

    def is_in_lost_register(self, frame, name):
        """Whether a variable is in a register that the functions called since may have overwritten. gdb shows the register's present
        content as the variable's value; lldb does not."""
        selected = gdb.selected_frame()
        try:
            frame.select()
            text = gdb.execute("info address " + name, to_string=True)
        finally:
            selected.select()
        places = re.findall(r"Range (0x[0-9a-f]+)-(0x[0-9a-f]+): (.*)", text)
        here = [place for start, end, place in places if int(start, 16) < frame.pc() <= int(end, 16)] if places else [text]
        return any(register in LOST_IN_CALLS for place in here for register in re.findall(r"a variable in \$(\w+)", place))

    # Time

    @staticmethod
    def is_core():
        connection = gdb.selected_inferior().connection
        return connection is not None and connection.type == "core"

    def process_id(self):
        inferior = gdb.selected_inferior()
        return inferior.pid if inferior.connection is not None and inferior.connection.type == "native" else None

    def core_written(self):
        match = re.search(r"core dump file:\s*`([^']*)'", gdb.execute("info files", to_string=True))
        try:
            return os.path.getmtime(match.group(1)) if match else None
        except OSError:
            return None

    # For the reader's arguments

    def value_of(self, expression):
        try:
            value = self.evaluate(expression)
            if value.is_optimized_out:
                raise Problem(say("The compiler has optimised %s away; give an address, such as those that rl-loops prints.",
                                  "%s 被编译器优化掉了；请给出地址，例如 rl-loops 打印的那些。") % expression)
            return int(value.address if value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT else value)
        except (gdb.error, ValueError, TypeError) as error:
            raise Problem(say("%s has no value here: %s", "%s 在这里没有值：%s") % (expression, error)) from None

    @staticmethod
    def evaluate(expression):
        """The value of the reader's expression. It can neither call a function of the program nor change its memory."""
        switches = [name for name in ("may-call-functions", "may-write-memory") if gdb.parameter(name)]
        try:
            for name in switches:
                gdb.execute("set %s off" % name, to_string=True)
            value = gdb.parse_and_eval(expression)
            value.fetch_lazy()
            return value
        finally:
            for name in switches:
                gdb.execute("set %s on" % name, to_string=True)

    def run_to(self, places, thread):
        stops, hit = [], []

        def note(event):
            hit.extend(stop for stop in getattr(event, "breakpoints", []) if stop in stops)

        gdb.events.stop.connect(note)
        try:
            for place in places:
                where = place if isinstance(place, str) else "%s:%d" % place
                if isinstance(place, str):
                    self.require_function(place)
                stop = gdb.Breakpoint(where, internal=True)
                stops.append(stop)
                if stop.pending:
                    raise no_lines()
                stop.silent, stop.thread = True, thread.number
            gdb.execute("continue", to_string=True)
        except gdb.error as error:
            raise Problem(say("The program cannot continue: %s.", "程序不能继续执行：%s。") % error) from None
        finally:
            gdb.events.stop.disconnect(note)
            for stop in stops:
                if stop.is_valid():
                    stop.delete()
        return bool(hit)

    def stop_at(self, functions):
        for function in functions:
            self.require_function(function)
        return [gdb.Breakpoint(function=function).number for function in functions]

    @staticmethod
    def require_function(name):
        try:
            gdb.execute("info address " + name, to_string=True)
        except gdb.error:
            raise no_function(name) from None

    def forget_stops(self, numbers):
        for stop in gdb.breakpoints() or ():
            if stop.number in numbers:
                stop.delete()


class Command(gdb.Command):
    """One of the commands in commands.py."""

    def __init__(self, command):
        self.command = command
        self.__doc__ = command.help
        super().__init__(command.name, gdb.COMMAND_DATA, gdb.COMPLETE_SYMBOL)

    def invoke(self, argument, from_tty):
        gdb.write(commands.text_of(self.command, GDB(), argument) + "\n")


def load():
    from . import printers
    try:
        add_commands()
    except UnicodeEncodeError:  # gdb's character set has no Chinese
        words.choose("en")
        add_commands()
    printers.register()


def add_commands():
    for command in commands.ALL:
        Command(command)
