"""CF objects in one line, for the printers of gdb and the summaries of lldb."""

from .debugger import Problem
from .loops import Loop, Mode, Observer, Source, Timer, activities_in_words
from .tree import thread_in_words
from .words import say

MOST_IN_A_LINE = 8
COLLECTIONS = ("__CFArray", "__CFSet", "__CFBag", "__CFDictionary", "__CFBasicHash")
THINGS = {"__CFRunLoop": Loop, "__CFRunLoopMode": Mode, "__CFRunLoopSource": Source, "__CFRunLoopObserver": Observer,
          "__CFRunLoopTimer": Timer}
TAGS = COLLECTIONS + ("__CFString", "__CFConstStr") + tuple(THINGS)


def one_line(objects, address):
    """Any object in one line; raises Problem if the address is not an object."""
    kind = objects.class_of(address)
    tag = "__" + kind
    if kind == "CFString":
        return '"%s"' % objects.string(address)
    if kind == "CFArray":
        return say("%s of %d", "%s，%d 个值") % ("CFArray", objects.array_count(address))
    if tag in COLLECTIONS:
        return say("%s of %d", "%s，%d 个值") % (kind, objects.table_count(address))
    if tag not in THINGS:
        return kind
    thing = THINGS[tag](objects, address)
    if kind == "CFRunLoop":
        mode = thing.current_mode
        return say("CFRunLoop of %s, in %s", "%s 的 CFRunLoop，在 %s 里") % (thread_in_words(thing), mode.name) if mode else \
            say("CFRunLoop of %s, not running", "%s 的 CFRunLoop，没有运行") % thread_in_words(thing)
    if kind == "CFRunLoopMode":
        return "CFRunLoopMode " + thing.name
    if kind == "CFRunLoopSource":
        version = "1" if thing.version == 1 else "0"
        return say("CFRunLoopSource %s, performs %s",
                   "CFRunLoopSource %s，回调 %s") % (version, thing.function("_context.version%s.perform" % version))
    words = activities_in_words(thing.get("_activities")) + ", " if kind == "CFRunLoopObserver" else ""
    return say("%s, %scalls %s", "%s，%s回调 %s") % (kind, words, thing.function("_callout"))


def value_in_words(objects, number):
    """A value of a collection: an object, a client's number, a port or a count."""
    try:
        return "0x%x %s" % (number, one_line(objects, number))
    except Problem:
        return "0x%x" % number if number > 0xFFFF else str(number)


def values_in_words(objects, address, limit):
    """The values of a collection, one per line."""
    kind = objects.class_of(address)
    if kind == "CFArray":
        return [value_in_words(objects, value) for value in objects.array(address, limit)]
    entries = objects.table(address)[:limit]
    if kind == "CFSet":
        return [value_in_words(objects, key) for key, _ in entries]
    if kind == "CFBag":
        return ["%s (%d)" % (value_in_words(objects, key), count) for key, count in entries]
    return ["%s: %s" % (value_in_words(objects, key), value_in_words(objects, value)) for key, value in entries]


def pointer_in_words(objects, address):
    """What a pointer to one of the run loop's structs shows; for a collection, its first values as well."""
    if address == 0:
        return "NULL"
    try:
        words = "0x%x %s" % (address, one_line(objects, address))
        if "__" + objects.class_of(address) in COLLECTIONS:
            values = values_in_words(objects, address, MOST_IN_A_LINE + 1)
            more = ["…"] if len(values) > MOST_IN_A_LINE else []
            words += " {%s}" % "; ".join(values[:MOST_IN_A_LINE] + more)
        return words
    except Problem as problem:
        return "0x%x (%s)" % (address, problem)
