"""What the helpers need of a debugger, gdb or lldb."""


class Problem(Exception):
    """Something is unreadable or inconsistent. The text is a sentence for the reader."""


class Unreadable(Problem):
    """The memory does not exist, or is not in the core file."""


NO_FIELD = "%s has no field %s in this program: it was built from another version of the run loop"
NO_VARIABLE = ("This program has no variable %s: it does not contain the run loop, or no debug information for it. If it was stripped: "
               "build again (SwiftPM builds with -g), or give the debugger the file before it was stripped (gdb: symbol-file FILE; "
               "lldb: target symbols add FILE).")
NO_FUNCTION = "This program has no function %s: it does not contain the run loop, or was stripped of its symbols."
NO_LINES = "There is no debug information that says where the steps are. The callouts need none: rl-next timer, for example."
NOT_RUNNING = "The program has not been started, or has ended: there is nothing to read."


class Field:
    """The place of a field in a struct."""

    def __init__(self, offset, size, is_float=False, is_signed=False):
        self.offset, self.size, self.is_float, self.is_signed = offset, size, is_float, is_signed


class Frame:
    """One frame of a stack. `file` and `line` are None where there is no debug information."""

    def __init__(self, level, function, file, line, handle):
        self.level, self.function, self.file, self.line, self.handle = level, function, file, line, handle


class Thread:
    """A thread of the program: its number in the debugger, its name (None in a core file), its number in the kernel."""

    def __init__(self, number, name, kernel_id, is_selected, handle):
        self.number, self.name, self.kernel_id = number, name, kernel_id
        self.is_selected, self.handle = is_selected, handle


class Debugger:
    """The interface that in_gdb.py and in_lldb.py implement. Every method may raise Problem."""

    def __init__(self):
        self.fields, self.found_variables = {}, {}

    def read(self, address, size):
        """`size` bytes of the program's memory; raises Unreadable."""
        raise NotImplementedError

    def field(self, struct, path):
        """The Field that `path`, such as `_context.version0.perform`, names in a struct or typedef."""
        from .words import say  # words needs Problem
        if (struct, path) not in self.fields:
            kind, offset = self.type_named(struct), 0
            for name in path.split("."):
                found = self.member(kind, name)
                if found is None:
                    raise Problem(say(NO_FIELD) % (struct, path))
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

    def type_named(self, name):
        """The debugger's type of a struct or typedef."""
        raise NotImplementedError

    def members(self, kind):
        """(name, offset, type) of each member of a type."""
        raise NotImplementedError

    def field_at(self, offset, kind):
        """The Field of a member's type."""
        raise NotImplementedError

    def size_of(self, struct):
        raise NotImplementedError

    def variables(self, name):
        """The addresses of a static variable of the run loop, one for each copy of the run loop in the program."""
        raise NotImplementedError

    def function_at(self, address):
        """The name of the function that begins at an address, or None."""
        raise NotImplementedError

    def threads(self):
        """All threads, as a list of Thread."""
        raise NotImplementedError

    def owns(self, thread, pthread):
        """Whether `pthread` is the thread's pthread_t."""
        raise NotImplementedError

    def frames(self, thread, limit):
        """The innermost frames of a thread, at most `limit`, as a list of Frame."""
        raise NotImplementedError

    def local(self, frame, name):
        """The whole number in a parameter or local variable of a frame; None if the compiler has optimised it away."""
        raise NotImplementedError

    def process_id(self):
        """The number of the running process; None on a core file or on another machine."""
        raise NotImplementedError

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
        raise NotImplementedError

    def core_written(self):
        """When the core file was written, in seconds since 1970; None if that is not known."""
        raise NotImplementedError

    def address_of(self, expression):
        """The address that the reader's expression points to."""
        raise NotImplementedError

    def run_to(self, places, thread):
        """Lets the program run until `thread` reaches one of the places, each the name of a function or (file, line). Returns
        whether it did; False if it stopped elsewhere or has ended."""
        raise NotImplementedError

    def stop_at(self, functions):
        """Sets a breakpoint at each function; returns their numbers."""
        raise NotImplementedError

    def forget_stops(self, numbers):
        """Deletes breakpoints, and ignores those that no longer exist."""
        raise NotImplementedError
