"""CF objects: their types, and the contents of collections.

The code checks everything that it reads before it uses it: counts have a limit, each level of a tree must be lower than the one above,
and an object must begin with a class of the run loop.
"""

import collections

from .debugger import Problem, Unreadable
from .memory import Memory, hexadecimal, require
from .words import say

MOST_VALUES = 1 << 20    # a collection with a larger count counts as garbage
MOST_TEXT = 200          # bytes of a string that are shown

CLASSES = ["CFAllocator", "CFNull", "CFString", "CFArray", "CFBag", "CFSet", "CFDictionary", "CFRunLoop", "CFRunLoopMode",
           "CFRunLoopSource", "CFRunLoopObserver", "CFRunLoopTimer"]


class Objects(Memory):
    """Reads objects. Each command creates one, which caches what it has learned about the program."""

    def __init__(self, debugger):
        super().__init__(debugger)
        self.class_names = {}

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
        require(address != 0, say("NULL is where an object must be"))
        first = self.pointer(address)
        name = self.class_named_at(first)
        require(name is not None, say("%s is no CF object: its first word, %s, is no class") % (hexadecimal(address), hexadecimal(first)))
        return name

    def expect(self, address, name):
        found = self.class_of(address)
        require(found == name, say("%s is a %s where a %s must be") % (hexadecimal(address), found, name))

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
        require(0 <= length < 1 << 40, say("the CFString %s says that it has %d bytes") % (hexadecimal(address), length))
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
        """The first values of an array, flat or a tree. NULL has none."""
        if address == 0:
            return []
        count = min(self.array_count(address), limit)
        root = self.field(address, "struct __CFArray", "_tree.root")
        if not root:
            return self.pointers(self.field(address, "struct __CFArray", "_values"), count) if count else []
        inserted, removed = self.pending_changes(address)
        keyed = []
        self.walk_tree(root, None, keyed, count + sum(removed.values()))
        if inserted or removed:
            kept = inserted
            for entry in keyed:
                if removed[entry]:
                    removed[entry] -= 1  # the same value may also be there a second time, and stay
                else:
                    kept.append(entry)
            keyed = sorted(kept)[:count]
        values = [value for _, _, value in keyed]
        require(len(values) == count, say("the tree of the CFArray %s has fewer values than the array says") % hexadecimal(address))
        return values

    def pending_changes(self, address):
        """The changes that the tree of an array does not have yet: the entries that it is going to get and those that it is going to lose,
        as `walk_tree` gives them."""
        pending = self.field(address, "struct __CFArray", "_pending")
        inserted, removed = [], collections.Counter()
        pending = self.field(address, "struct __CFArray", "_pending")
        if not pending:
            return inserted, removed
        count = self.check_count(self.field(pending, "CFArrayPending", "count"), "CFArray", address)
        words = self.debugger.size_of("struct __CFArrayChange") // 8
        read = self.pointers(self.address_of_field(pending, "CFArrayPending", "changes"), count * words)
        inserts, removes = range(2)
        for i in range(0, count * words, words):
            entry, kind = tuple(read[i:i + 3]), read[i + 3] & 0xFFFFFFFF
            if kind == inserts:
                inserted.append(entry)
            elif kind == removes:
                removed[entry] += 1
        return inserted, removed

    def walk_tree(self, node, above, values, count):
        """Adds the values below a node to `values`, behind the two numbers of their keys, until there are `count`. Each floor is one
        lower: a circle would not be."""
        height = self.field(node, "struct __CFArrayNode", "height")
        used = self.field(node, "struct __CFArrayNode", "used")
        words = say("the node %s of an array's tree") % hexadecimal(node)
        require(0 <= height <= 12 if above is None else height == above - 1, say("%s has the height %d") % (words, height))
        leaf_or_inner = "CFArrayInner" if height else "CFArrayLeaf"
        most = self.debugger.field(leaf_or_inner, "children" if height else "values").size // 8
        require(0 < used <= most, say("%s says that it holds %d") % (words, used))
        if height == 0:
            rows = [self.address_of_field(node, "CFArrayLeaf", row) for row in ("firstKeys", "secondKeys", "values")]
            values += zip(*[self.pointers(row, min(used, count - len(values))) for row in rows])
            return
        for child in self.pointers(self.address_of_field(node, "CFArrayInner", "children"), used):
            if len(values) < count:
                self.walk_tree(child, height, values, count)

    # Sets, bags, dictionaries: one type of table under three names

    def table_count(self, address):
        return self.check_count(self.field(address, "struct __CFBasicHash", "_count"), "table", address)

    def table(self, address):
        """The entries of a set, bag or dictionary as (key, value or count). NULL has none."""
        if address == 0:
            return []
        kind = self.class_of(address)
        require(kind in ("CFSet", "CFBag", "CFDictionary"),
                say("%s is a %s where a set, bag or dictionary must be") % (hexadecimal(address), kind))
        used = self.check_count(self.field(address, "struct __CFBasicHash", "_used"), kind, address)
        capacity = self.field(address, "struct __CFBasicHash", "_capacity")
        require(used <= capacity, say("the %s %s says that %d of its %d places are used") % (kind, hexadecimal(address), used, capacity))
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
        require(0 <= count <= MOST_VALUES, say("the %s %s says that it holds %d values") % (kind, hexadecimal(address), count))
        return count
