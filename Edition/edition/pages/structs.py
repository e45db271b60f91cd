"""The structs of the loop, field by field: structs.html. Coloured bands show which lock guards which field.

The bands come from the comments of the headers. Their words are explained at the top of CFRunLoop_Internal.h: "immutable", "no lock",
"the loop's thread", "guarded by …"; a field without such a word is guarded by the lock of its own struct.
"""

import re

from facts import Failure, definitions, tables

from .. import document

NAVIGATION = [("structs.html", "navigation.structs")]
TEXT = {
    "navigation.structs": ("Structs", "结构体"),
    "structs.title": ("The structs, and which lock guards which field", "结构体，以及哪把锁保护哪个字段"),
    "structs.lead": ("The fields with their types and comments, in the order of the code. The colour at the left says what a thread needs before it uses the field.",
                     "字段、类型和注释，按代码的顺序。左边的颜色说明线程使用这个字段之前需要什么。"),
    "structs.here": ("Added here", "这里新增"),
    "structs.missing": ("The original also has: {names}.", "原版还有：{names}。"),
    "structs.none": ("no version", "没有"),
    "structs.all": ("all", "全部版本"),
    "lock.loop": ("the loop's lock", "RunLoop 的锁"),
    "lock.mode": ("the mode's lock, taken inside the loop's", "mode 的锁（在 RunLoop 的锁之内）"),
    "lock.both": ("the loop's lock and the mode's", "RunLoop 的锁和 mode 的锁"),
    "lock.item": ("the item's lock", "item 的锁"),
    "lock.either": ("write with the loop's and the item's lock, read with one of them", "写时要 RunLoop 和 item 两把锁，读时要其中一把"),
    "lock.registry": ("the registry's lock (loopsLock)", "全局字典的锁（loopsLock）"),
    "lock.thread": ("the loop's thread alone, no lock", "只有 RunLoop 的线程使用，不加锁"),
    "lock.atomic": ("no lock: atomic, any thread", "不加锁：原子操作，任何线程"),
    "lock.constant": ("no lock: immutable", "不加锁：不变"),
    "lock.self": ("a lock, or the object's own count", "锁，或对象自己的计数"),
    "struct.intro": ("Locks are taken in this order: the registry's, a loop's, a mode's, an item's. No lock is held while a client's callback runs.",
                     "加锁的次序：全局字典、RunLoop、mode、item。调用方的回调运行时不持任何锁。"),
}
HEADERS = ["Sources/CRunLoop/CFRunLoop_Internal.h"]
LOCKS = ["registry", "loop", "mode", "both", "item", "either", "thread", "atomic", "constant", "self"]
# The lock of a struct's own, for fields of which the comment says nothing.
OWN = {"_per_run_data": "thread", "__CFRunLoop": "loop", "__CFRunLoopMode": "mode", "__CFRunLoopSource": "item",
       "__CFRunLoopObserver": "item", "__CFRunLoopTimer": "item", "_block_item": "loop",
       "__CFRunLoopPass": "loop", "__CFRunLoopPasses": "loop"}
ORIGINAL = {"_per_run_data", "__CFRunLoop", "__CFRunLoopMode", "__CFRunLoopSource", "__CFRunLoopObserver", "__CFRunLoopTimer", "_block_item"}
# What the comment of a struct says of one field.
SPECIAL = {("__CFRunLoopPass", "_callouts"): "thread"}
# What a comment says, in the order in which it counts.
WORDS = [(r"guarded by loopsLock", "registry"), (r"(?:^|[.;] ?)no lock|[;,.] no lock", "atomic"), (r"\bNo lock$", "atomic"), (r"immutable", "constant"),
         (r"guarded by the loop's lock and _lock", "both"), (r"guarded by the loop's lock", "loop"), (r"the loop's thread(?! also)", "thread"), (r"^loop;", "either")]


def build(site):
    structs = [struct for path in HEADERS for struct in read(site, path)]
    if missing := set(OWN) - {struct["name"] for struct in structs}:
        raise Failure(f"Edition/edition/pages/structs.py names structs that {HEADERS[0]} has not: {', '.join(sorted(missing))}")
    original = originals()
    for struct in structs:
        for field in struct["fields"]:
            field["lock"] = lock(field)
            field["versions"] = versions(site, original.get((struct["name"], field["name"]))) if struct["name"] in ORIGINAL else None
        settle(struct["fields"])
        for before, field in zip([None, *struct["fields"]], struct["fields"]):
            field["comment"] = document.link_words(site, field["comment"])
            field["begins_ours"] = bool(before and field["ours"] and not before["ours"])
        names = {field["name"] for field in struct["fields"]}
        struct["missing"] = [f"{name} ({', '.join(there)})" for (owner, name), there in original.items() if owner == struct["name"] and name not in names and there]
    used = [lock for lock in LOCKS if any(field["lock"] == lock for struct in structs for field in struct["fields"])]
    site.page("structs.html", site.text("structs.title"), "structs.html", structs=structs, locks=used)


def read(site, path):
    """The structs of a header in the order of the file."""
    note = document.Note(site, path, "c")
    for struct in definitions.symbols_of(path):
        if struct.kind == "struct" and struct.name in OWN:
            members = [symbol for symbol in definitions.symbols_of(path) if symbol.scope == struct.name and struct.line < symbol.line <= struct.end]
            yield {"name": struct.name, "source": site.source(path, struct.line), "about": note.comment("\n".join(definitions.comment_lines(struct)[0])),
                   "fields": [read_field(site, struct, symbol) for symbol in members]}


def read_field(site, struct, symbol):
    lines = definitions.lines_of(symbol.path)
    code, _, comment = lines[symbol.line - 1].partition("//")
    above = [line for line in definitions.comment_lines(symbol, "//")[0] if not line.startswith("Here")]
    here = next((lines[index] for index in range(symbol.line - 2, struct.line - 1, -1) if lines[index].startswith("    // Here")), "")
    union = next((lines[index] for index in range(symbol.line - 1, struct.line, -1) if not lines[index].startswith(" " * 8)), "") if code.startswith(" " * 8) else ""
    return {"name": symbol.name, "struct": struct.name, "source": site.source(symbol.path, symbol.line), "ours": bool(here) or struct.name not in ORIGINAL,
            "type": "union" if "}" in code else re.sub(rf" ?\b{symbol.name}\b", "", code.strip().rstrip(";")), "is in union": bool(union),
            "comment": " ".join(part for part in [union.partition("//")[2].strip(), *above, definitions.comment_of(symbol) if comment else ""] if part),
            "group lock": lock_of(here.partition(":")[2].strip()) or ("thread" if "loop's thread" in here else None)}


def lock(field):
    """The lock of a field, when its whole comment is known."""
    if field["name"] in ("_lock", "_base"):
        return "self"
    if special := SPECIAL.get((field["struct"], field["name"])):
        return special
    found = lock_of(field["comment"])
    if found and not (found == "thread" and "writes" in field["comment"]):
        return found
    if field["group lock"]:
        return field["group lock"]
    return "atomic" if field["type"].startswith("_Atomic") else OWN[field["struct"]]


def settle(fields):
    """The locks of fields that share a comment: "this and", and the members of a union."""
    for field, after in zip(fields, fields[1:]):
        if field["comment"].endswith("this and"):
            field["lock"] = after["lock"]
    first = None  # the first member of the union
    for field in fields:
        if (field["is in union"] and first or field["type"] == "union") and not lock_of(field["comment"]):
            field["lock"] = first["lock"]
        first = first or field if field["is in union"] else None


def lock_of(comment):
    return next((found for pattern, found in WORDS if re.search(pattern, comment)), None)


def originals():
    """(struct, field) → the versions that have it, from names.tsv."""
    return {(owner, name): [version for version in entry.versions if version in tables.SOURCES]
            for name, entries in tables.originals().items() for entry in entries for owner in ORIGINAL if entry.is_field_of(owner)}


def versions(site, there):
    if not there:
        return site.text("structs.none")
    if len(there) == 3:
        return site.text("structs.all")
    return ", ".join(site.text("current") if version == "current" else version for version in there)
