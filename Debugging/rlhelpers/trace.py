"""What the ring of a trace (CFRunLoopTrace.c) knows: when a source was signalled. A source itself keeps no time."""

import contextlib

from .debugger import Problem
from .objects import BYTE_ORDER

PLACE = "struct __CFTracePlace"
CAPACITY = 32768          # kCFRunLoopTraceCapacity
SOURCE_SIGNALLED = 14     # kCFRunLoopTraceSourceSignalled
PIECE = 1024              # places that are read at once


def signalled_at(objects, source):
    """When a source was last signalled, on the monotonic clock; None if no trace is on, or if its ring does not tell."""
    with contextlib.suppress(Problem):  # no debug information
        names = "__CFRunLoopIsTraced", "__CFTraceRing", "__CFTraceRecorded", "__CFTraceFirst", "__CFTraceLost"
        for is_on, ring, recorded, first, lost in zip(*map(objects.debugger.variables, names)):  # one for each copy of the run loop
            if objects.number(is_on, 1) and not objects.pointer(lost):
                ring, last, first = objects.pointer(ring), objects.pointer(recorded), objects.pointer(first)
                if time := newest(objects, ring, max(first, last - CAPACITY), last, source):
                    return time
    return None


def newest(objects, ring, first, last, source):
    """The time of the newest of these events that signalled the source. A place that is not filled yet is passed over."""
    debugger, size = objects.debugger, objects.debugger.size_of(PLACE)
    fields = [debugger.field(PLACE, path) for path in ("event.number", "event.kind", "event.item", "event.time")]
    end = last
    while end > first:
        # A piece does not go around the end of the ring.
        begin = max(first, end - PIECE, (end - 1) // CAPACITY * CAPACITY)
        data = debugger.read(ring + begin % CAPACITY * size, (end - begin) * size)
        for number in reversed(range(begin, end)):
            at = (number - begin) * size
            values = [int.from_bytes(data[at + field.offset:at + field.offset + field.size], BYTE_ORDER) for field in fields]
            if values[:3] == [number, SOURCE_SIGNALLED, source.address]:
                return values[3]
        end = begin
    return None
