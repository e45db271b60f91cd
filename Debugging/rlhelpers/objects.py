"""CF objects: their types, and the contents of collections.

The code checks everything that it reads before it uses it: counts have a limit, and an object must begin with a class of the library.
"""

import struct

from .debugger import Problem, Unreadable
from .words import say

BYTE_ORDER = "little"  # of every processor that Swift for Linux supports
POINTER = 8
MOST_VALUES = 1 << 20    # a collection with a larger count counts as garbage
MOST_TEXT = 200          # bytes of a string that are shown

CLASSES = ["CFAllocator", "CFNull", "CFString", "CFArray", "CFBag", "CFSet", "CFDictionary", "CFBoolean", "CFRunLoop",
           "CFRunLoopMode", "CFRunLoopSource", "CFRunLoopObserver", "CFRunLoopTimer"]


def hexadecimal(address):
    return "0x%x" % address


def require(condition, words):
    if not condition:
        raise Problem(words)


class Objects:
    """Reads objects through a Debugger. Each command creates one, which caches what it has learned about the program."""

    def __init__(self, debugger):
        self.debugger, self.class_names = debugger, {}

    # Numbers and texts, by the layout of the structs

    def number(self, address, size, is_signed=False):
        return int.from_bytes(self.debugger.read(address, size), BYTE_ORDER, signed=is_signed)

    def pointer(self, address):
        return self.number(address, POINTER)

    def pointers(self, address, count):
        data = self.debugger.read(address, count * POINTER)
        return [int.from_bytes(data[i:i + POINTER], BYTE_ORDER) for i in range(0, len(data), POINTER)]

    def field(self, address, of, path):
        """The value of one field: a whole number, or a float where the field is one."""
        field = self.debugger.field(of, path)
        data = self.debugger.read(address + field.offset, field.size)
        if field.is_float:
            return struct.unpack("<d" if field.size == 8 else "<f", data)[0]
        return int.from_bytes(data, BYTE_ORDER, signed=field.is_signed)

    def address_of_field(self, address, of, path):
        return address + self.debugger.field(of, path).offset

    def text(self, address, limit=200):
        """A C string, truncated after `limit` bytes."""
        data = b""
        while len(data) < limit and b"\0" not in data:
            # In small pieces, because the page after the string may not exist.
            piece = 16 - (address + len(data)) % 16
            data += self.debugger.read(address + len(data), piece)
        return data.split(b"\0")[0][:limit].decode("utf-8", "replace")

    # What an object is

    def class_named_at(self, address):
        """The name of the class whose CFRuntimeClass is at an address; None if there is none."""
        if address not in self.class_names:
            try:
                name = self.text(self.field(address, "struct __CFRuntimeClass", "className"), 32)
            except Unreadable:
                name = None
            self.class_names[address] = name if name in CLASSES else None
        return self.class_names[address]

    def class_of(self, address):
        """The name of an object's class; raises Problem if the address is not an object."""
        require(address != 0, say("NULL is where an object must be", "应该是对象的地方是 NULL"))
        first = self.pointer(address)
        name = self.class_named_at(first)
        require(name is not None, say("%s is no CF object: its first word, %s, is no class",
                                      "%s 不是 CF 对象：它的第一个字 %s 不是类") % (hexadecimal(address), hexadecimal(first)))
        return name

    def expect(self, address, name):
        found = self.class_of(address)
        require(found == name, say("%s is a %s where a %s must be", "%s 是 %s，这里应该是 %s") % (hexadecimal(address), found, name))

    def references(self, address):
        count = self.field(address, "struct __CFRuntimeBase", "_rc")
        return "immortal" if count == 0xFFFFFFFF else "dying" if count >= 0x80000000 else str(count)

    def flag(self, address, number):
        """One of the eight flags whose meaning the type decides."""
        return self.field(address, "struct __CFRuntimeBase", "_cfinfo") >> number & 1 == 1

    # Strings

    def string(self, address):
        """The text of a CFString, truncated if it is long."""
        self.expect(address, "CFString")
        length = self.field(address, "struct __CFString", "_length")
        require(0 <= length < 1 << 40, say("the CFString %s says that it has %d bytes",
                                           "CFString %s 说自己有 %d 字节") % (hexadecimal(address), length))
        data = self.debugger.read(self.field(address, "struct __CFString", "_ptr"), min(length, MOST_TEXT))
        return data.decode("utf-8", "replace") + ("…" if length > MOST_TEXT else "")

    def name(self, address):
        """A string for a line of text; if it cannot be read, the reason."""
        try:
            return self.string(address)
        except Problem as problem:
            return "(%s)" % problem

    # Arrays

    def array_count(self, address):
        self.expect(address, "CFArray")
        return self.check_count(self.field(address, "struct __CFArray", "_count"), "CFArray", address)

    def array(self, address, limit=MOST_VALUES):
        """The first values of an array. NULL has none."""
        if address == 0:
            return []
        count = min(self.array_count(address), limit)
        return self.pointers(self.field(address, "struct __CFArray", "_values"), count) if count else []

    # Sets, bags, dictionaries: one type of table under three names

    def table_count(self, address):
        return self.check_count(self.field(address, "struct __CFBasicHash", "_count"), "table", address)

    def table(self, address):
        """The entries of a set, bag or dictionary as (key, value or count). NULL has none."""
        if address == 0:
            return []
        kind = self.class_of(address)
        require(kind in ("CFSet", "CFBag", "CFDictionary"),
                say("%s is a %s where a set, bag or dictionary must be",
                    "%s 是 %s，这里应该是 set、bag 或 dictionary") % (hexadecimal(address), kind))
        used = self.check_count(self.field(address, "struct __CFBasicHash", "_used"), kind, address)
        capacity = self.field(address, "struct __CFBasicHash", "_capacity")
        require(used <= capacity, say("the %s %s says that %d of its %d places are used",
                                      "%s %s 说用了 %d 个位置，一共却有 %d 个") % (kind, hexadecimal(address), used, capacity))
        holes, size = self.debugger.variables("__CFBasicHashHole"), self.debugger.size_of("CFBasicHashEntry")
        entries = self.field(address, "struct __CFBasicHash", "_entries") if used else 0
        found = []
        for i in range(used):
            key = self.field(entries + i * size, "CFBasicHashEntry", "key")
            if key not in holes:
                found.append((key, self.field(entries + i * size, "CFBasicHashEntry", "value")))
        return found

    def members(self, address):
        """The members of a set, in the order in which they were added."""
        return [key for key, _ in self.table(address)]

    @staticmethod
    def check_count(count, kind, address):
        require(0 <= count <= MOST_VALUES, say("the %s %s says that it holds %d values",
                                               "%s %s 说自己有 %d 个值") % (kind, hexadecimal(address), count))
        return count
