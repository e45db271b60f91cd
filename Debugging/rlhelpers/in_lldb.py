"""lldb: the Debugger that the helpers need, on lldb's Python, and the commands for lldb."""

import re

import lldb

from . import commands
from .debugger import Debugger, Field, Frame, Problem, Thread, Unreadable, no_function, no_lines, no_types, no_variable, not_running
from .names import is_mangled
from .objects import Objects
from .summaries import TAGS, pointer_in_words
from .words import say

MOST_COPIES = 16
SIGNED = (lldb.eBasicTypeInt, lldb.eBasicTypeLong, lldb.eBasicTypeLongLong, lldb.eBasicTypeShort, lldb.eBasicTypeSignedChar,
          lldb.eBasicTypeChar)


class LLDB(Debugger):

    def __init__(self, debugger):
        super().__init__()
        self.debugger, self.target = debugger, debugger.GetSelectedTarget()
        self.process = self.target.GetProcess()

    # Memory, types, symbols

    def read(self, address, size):
        if size == 0:
            return b""
        error, address = lldb.SBError(), address & (1 << 64) - 1
        place = self.target.ResolveLoadAddress(address)
        if self.is_core() and place.GetSection().IsValid():
            # A core file leaves out constant memory, and lldb reads zeros there. The target reads it from the program's files.
            data = self.target.ReadMemory(place, size, error)
        else:
            data = self.process.ReadMemory(address, size, error)
        if not error.Success() or data is None or len(data) != size:
            raise Unreadable(say("the memory at 0x%x cannot be read", "0x%x 处的内存无法读取") % address)
        return data

    def type_named(self, name):
        found = self.target.FindTypes(re.sub(r"^struct ", "", name))
        for i in range(found.GetSize()):
            kind = found.GetTypeAtIndex(i).GetCanonicalType()
            if kind.GetNumberOfFields():
                return kind
        raise no_types(name, "lldb", "target symbols add")

    def size_of(self, struct):
        return self.type_named(struct).GetByteSize()

    def members(self, kind):
        for field in (kind.GetFieldAtIndex(i) for i in range(kind.GetNumberOfFields())):
            yield field.GetName(), field.GetOffsetInBytes(), field.GetType().GetCanonicalType()

    def field_at(self, offset, kind):
        basic = kind.GetBasicType()
        is_signed = basic in SIGNED or kind.GetName() == "_Atomic(int)" # lldb does not look inside
        return Field(offset, kind.GetByteSize(), basic in (lldb.eBasicTypeDouble, lldb.eBasicTypeFloat), is_signed)

    def variables(self, name):
        if name not in self.found_variables:
            found = self.target.FindGlobalVariables(name, MOST_COPIES)
            if found.GetSize() == 0:
                raise no_variable(name)
            addresses = [found.GetValueAtIndex(i).GetLoadAddress() for i in range(found.GetSize())]
            if lldb.LLDB_INVALID_ADDRESS in addresses and self.is_core():
                # The core file leaves out this constant. Its value has no address, but its symbol has one.
                addresses = [context.GetSymbol().GetStartAddress().GetLoadAddress(self.target) for context in self.target.FindSymbols(name)]
            if lldb.LLDB_INVALID_ADDRESS in addresses or not self.process.IsValid():
                raise not_running()
            self.found_variables[name] = addresses
        return self.found_variables[name]

    def function_at(self, address):
        resolved = self.target.ResolveLoadAddress(address)
        symbol = resolved.GetSymbol()
        if not symbol.IsValid() or symbol.GetStartAddress().GetLoadAddress(self.target) != address:
            return None
        return name_of_symbol(symbol)

    def swift_functions(self):
        symbols = (symbol for module in self.target.module_iter() for symbol in module if symbol.GetType() == lldb.eSymbolTypeCode)
        return [name for name in dict.fromkeys(map(name_of_symbol, symbols)) if is_mangled(name)]

    # Threads and frames

    def threads(self):
        if self.process.GetState() in (lldb.eStateInvalid, lldb.eStateUnloaded, lldb.eStateDetached, lldb.eStateExited):
            return []
        selected = self.process.GetSelectedThread()
        found = [self.process.GetThreadAtIndex(i) for i in range(self.process.GetNumThreads())]
        return [Thread(thread.GetIndexID(), thread.GetName(), thread.GetThreadID(),
                       thread.GetIndexID() == selected.GetIndexID(), thread) for thread in found]

    def owns(self, thread, pthread):
        """lldb identifies a thread by its number in the kernel. glibc keeps that in the memory that a pthread_t points to, and has a
        variable, meant for libthread_db, that says where: size in bits, count, offset."""
        found = self.target.FindSymbols("_thread_db_pthread_tid")
        if found.GetSize() == 0:
            raise Problem(say("lldb cannot tell which thread has which run loop: the C library's symbols are missing",
                              "lldb 分不清哪个线程有哪个 RunLoop：缺少 C 库的符号"))
        table = found.GetContextAtIndex(0).GetSymbol().GetStartAddress().GetLoadAddress(self.target)
        offset = int.from_bytes(self.read(table + 8, 4), "little")
        return int.from_bytes(self.read(pthread + offset, 4), "little") == thread.kernel_id

    def frames(self, thread, limit):
        found = []
        for frame in thread.handle:
            if len(found) == limit:
                break
            place = frame.GetLineEntry()
            file = place.GetFileSpec().fullpath if place.IsValid() else None
            found.append(Frame(frame.GetFrameID(), name_of(frame), file, place.GetLine() if file else None, frame))
            if found[-1].function == "main":
                break  # as gdb does
        return found

    def local(self, frame, name):
        value = frame.handle.FindVariable(name)
        error = lldb.SBError()
        number = value.GetValueAsUnsigned(error) if value.IsValid() else 0
        if not value.IsValid() or not error.Success() or not value.GetError().Success():
            return None
        size = value.GetByteSize()
        if value.GetType().GetCanonicalType().GetBasicType() in SIGNED and size and number >> (8 * size - 1) & 1:
            number = (number & (1 << 8 * size) - 1) - (1 << 8 * size)
        return number

    # Time

    def is_core(self):
        return "core" in (self.process.GetPluginName() or "")

    def process_id(self):
        return self.process.GetProcessID() if self.target.GetPlatform().GetName() == "host" and not self.is_core() else None

    def core_written(self):
        return None  # lldb does not tell which file the core is

    # For the reader's arguments

    def value_of(self, expression):
        value = self.process.GetSelectedThread().GetSelectedFrame().GetValueForVariablePath(expression)
        if not value.IsValid() or not value.GetError().Success():
            raise Problem(say("%s has no value here; give a variable, or an address, such as those that rl-loops prints.",
                              "%s 在这里没有值；请给出变量，或地址，例如 rl-loops 打印的那些。") % expression)
        return value.GetValueAsUnsigned() if value.GetType().IsPointerType() else value.GetLoadAddress()

    def run_to(self, places, thread):
        stops = []
        for place in places:
            stop = self.target.BreakpointCreateByName(place) if isinstance(place, str) else \
                self.target.BreakpointCreateByLocation(place[0], place[1])
            stops.append(stop)
            if stop.GetNumLocations() == 0:
                self.forget_stops([stop.GetID() for stop in stops])
                raise no_function(place) if isinstance(place, str) else no_lines()
            stop.SetThreadID(thread.kernel_id)
        numbers, was_async = [stop.GetID() for stop in stops], self.debugger.GetAsync()
        self.debugger.SetAsync(False)
        try:
            self.process.Continue()
            return any(thread.GetStopReason() == lldb.eStopReasonBreakpoint and thread.GetStopReasonDataAtIndex(0) in numbers
                       for thread in self.process)
        finally:
            self.debugger.SetAsync(was_async)
            self.forget_stops(numbers)

    def stop_at(self, functions):
        for function in functions:
            if self.target.FindFunctions(function).GetSize() == 0:
                raise no_function(function)
        return [self.target.BreakpointCreateByName(function).GetID() for function in functions]

    def forget_stops(self, numbers):
        for number in numbers:
            self.target.BreakpointDelete(number)


def name_of(frame):
    """The name that gdb knows: for a Swift function its mangled name. Where that is not available, Swift's lldb has the readable one."""
    symbol = frame.GetSymbol()
    if frame.IsInlined() or not symbol.IsValid():
        return frame.GetDisplayFunctionName()
    return name_of_symbol(symbol)


def name_of_symbol(symbol):
    return symbol.GetMangledName() or symbol.GetName()


def command_class(command):
    """lldb creates an object of this class for the command."""

    class Command:
        def __init__(self, debugger, _):
            pass

        def __call__(self, debugger, argument, context, result):
            result.AppendMessage(commands.text_of(command, LLDB(debugger), argument))

        def get_short_help(self):
            return command.help.splitlines()[0]

        def get_long_help(self):
            return command.help

    return Command


def load(debugger):
    debugger.HandleCommand("script import rlhelpers.in_lldb")  # lldb looks the names below up there
    for command in commands.ALL:
        name = command.name.replace("-", "_")
        globals()[name] = command_class(command)
        debugger.HandleCommand("command script add --class rlhelpers.in_lldb.%s %s" % (name, command.name))
    pointers = r"^(const )?(struct )?(%s)( const)? \*( const)?$" % "|".join(TAGS)
    debugger.HandleCommand('type summary add --python-function rlhelpers.in_lldb.summary -x "%s"' % pointers.replace("\\", "\\\\"))


def summary(value, _):
    """What a pointer to an object shows, in `frame variable` and in the arguments of a stack."""
    return pointer_in_words(Objects(LLDB(value.GetTarget().GetDebugger())), value.GetValueAsUnsigned())
