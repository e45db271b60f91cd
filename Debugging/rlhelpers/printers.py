"""What gdb's own commands print: its pretty-printers for the CF types, and Swift's names in its stacks. A pointer shows the object in one
line, the object itself its fields.

    (gdb) print rl
    (gdb) print *rl->_currentMode
    (gdb) backtrace
"""

import itertools

import gdb
import gdb.printing
from gdb.FrameDecorator import FrameDecorator

from .checks import holder_in_words, owner
from .debugger import Problem
from .in_gdb import GDB
from .loops import FLAG_DEALLOCATING, FLAG_FIRING, FLAG_REPEATS, FLAG_SLEEPING, FLAG_VALID
from .names import is_mangled, readable
from .objects import Objects
from .summaries import COLLECTIONS, TAGS, THINGS, one_line, pointer_in_words, value_in_words, values_in_words
from .words import say

MOST_LINES = 100
FLAGS = {"__CFRunLoop": ((FLAG_SLEEPING, "sleeping"), (FLAG_DEALLOCATING, "deallocating")), "__CFRunLoopMode": (),
         "__CFRunLoopSource": ((FLAG_VALID, "valid"),), "__CFRunLoopTimer": ((FLAG_VALID, "valid"),),
         "__CFRunLoopObserver": ((FLAG_FIRING, "firing"), (FLAG_REPEATS, "repeats"), (FLAG_VALID, "valid"))}


# In full

def object_in_words(objects, value, tag):
    """What one of the run loop's structs shows: one line per field, or per value of a collection."""
    address = int(value.address)
    try:
        first = one_line(objects, address)
        if tag in COLLECTIONS:
            lines = values_in_words(objects, address, MOST_LINES + 1)
            lines = lines[:MOST_LINES] + (["…"] if len(lines) > MOST_LINES else [])
        elif tag in THINGS:
            lines = [field_in_words(objects, value, tag, field) for field in value.type.strip_typedefs().fields() if is_shown(field)]
        else:
            return first
    except Problem as problem:
        return "(%s)" % problem
    return "%s {\n  %s\n}" % (first, "\n  ".join(lines))


def is_shown(field):
    return field.name not in ("_unused", "_padding", "_passes")  # rl-history shows the last


def field_in_words(objects, value, tag, field):
    try:
        return "%s: %s" % (field.name, value_of_field(objects, value, tag, field))
    except Problem as problem:
        return "%s: (%s)" % (field.name, problem)


def value_of_field(objects, value, tag, field):
    address = int(value.address)
    if field.name == "_base":
        flags = [word for bit, word in FLAGS[tag] if objects.flag(address, bit)]
        return "references %s%s" % (objects.references(address), ", " + ", ".join(flags) if flags else "")
    if field.name == "_lock":
        holder = owner(objects, address, "struct " + tag)
        return say("held by %s", "被%s 持有") % holder_in_words(THINGS[tag](objects, address), holder) if holder else say("free", "空闲")
    kind = field.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_PTR and tag_of(kind.target()) in COLLECTIONS:
        number = int(value[field])
        return value_in_words(objects, number) if number else "NULL"
    return value[field].format_string()


# What gdb asks

def tag_of(kind):
    return kind.strip_typedefs().unqualified().tag


class Printer:
    def __init__(self, words):
        self.words = words

    def to_string(self):
        return self.words()


class RunLoopPrinters(gdb.printing.PrettyPrinter):
    """gdb calls this with every value that it prints."""

    def __init__(self):
        super().__init__("runloop", [])

    def __call__(self, value):
        kind = value.type.strip_typedefs()
        if value.is_optimized_out:
            return None
        if kind.code == gdb.TYPE_CODE_PTR and kind.target().strip_typedefs().code == gdb.TYPE_CODE_FUNC:
            return printer_of_function(value)
        if kind.code == gdb.TYPE_CODE_PTR and tag_of(kind.target()) in TAGS:
            return Printer(lambda: pointer_in_words(Objects(GDB()), int(value)))
        if kind.code == gdb.TYPE_CODE_STRUCT and tag_of(kind) in TAGS and value.address is not None:
            tag = tag_of(kind)
            return Printer(lambda: object_in_words(Objects(GDB()), value, tag))
        return None


def printer_of_function(pointer):
    """As gdb prints a pointer to a function, with Swift's name readable. All other functions are left to gdb."""
    try:
        name = GDB().function_at(int(pointer))
    except gdb.error:
        return None  # the pointer cannot be read
    return Printer(lambda: "0x%x <%s>" % (int(pointer), *readable([name]))) if is_mangled(name) else None


# The frames of `backtrace`

class SwiftFrame(FrameDecorator):
    def function(self):
        name = self.inferior_frame().name()
        return readable([name])[0] if is_mangled(name) else super().function()


class SwiftFrames:
    """gdb's frame filter."""

    name, priority, enabled = "swift-names", 100, True
    MOST = 50  # frames whose names are translated together; a stack may have more than the reader wants to see

    def filter(self, frames):
        while some := list(itertools.islice(frames, self.MOST)):
            readable([frame.inferior_frame().name() for frame in some])
            yield from map(SwiftFrame, some)


def register():
    gdb.printing.register_pretty_printer(None, RunLoopPrinters(), replace=True)
    gdb.frame_filters[SwiftFrames.name] = SwiftFrames()
