"""Numbers and texts, read from the program's memory by the layout of its structs."""

import struct

from .debugger import Problem

BYTE_ORDER = "little"  # of every processor that Swift for Linux supports
POINTER = 8


def hexadecimal(address):
    return "0x%x" % address


class Memory:
    """Reads through a Debugger."""

    def __init__(self, debugger):
        self.debugger = debugger

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


def require(condition, words):
    if not condition:
        raise Problem(words)
