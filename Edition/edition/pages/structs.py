"""The structs of the loop, field by field: structs.html. Coloured bands show which lock guards which field.

The bands come from the comments of the headers. Their words are explained at the top of CFRunLoop_Internal.h: "immutable", "no lock",
"the loop's thread", "guarded by …"; a field without such a word is guarded by the lock of its own struct.
"""

import html
import re

from facts import Failure, tables
from markupsafe import Markup

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
HEADERS = ["Sources/CRunLoop/CFRunLoop_Internal.h", "Sources/CRunLoop/CFRunLoopPass.h"]
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
    known = {struct["name"] for struct in structs}
    if missing := set(OWN) - known:
        raise Failure(f"Edition/edition/pages/structs.py names structs that {HEADERS[0]} has not: {', '.join(sorted(missing))}")
    original = originals()
    for struct in structs:
        for field in struct["fields"]:
            field["lock"] = lock(field)
            field["versions"] = versions(site, original.get((struct["name"], field["name"]))) if struct["name"] in ORIGINAL else None
            field["comment"] = Markup(linked(site, field["comment"]))
        settle(struct["fields"])
        for before, field in zip([None, *struct["fields"]], struct["fields"]):
            field["begins_ours"] = bool(before and field["ours"] and not before["ours"])
        names = {field["name"] for field in struct["fields"]}
        struct["missing"] = [f"{name} ({', '.join(there)})" for (owner, name), there in original.items() if owner == struct["name"] and name not in names and there]
        struct["about"] = Markup(linked(site, struct["about"]))
    used = [lock for lock in LOCKS if any(field["lock"] == lock for struct in structs for field in struct["fields"])]
    site.page("structs.html", site.text("structs.title"), "structs.html", structs=structs, locks=used)


def read(site, path):
    """The structs of a header in the order of the file."""
    lines = (site.root / path).read_text(encoding="utf-8").splitlines()
    about, struct = [], None
    for number, line in enumerate(lines, 1):
        if struct is None:
            if line.startswith("///"):
                about.append(line[3:].removeprefix(" "))
                continue
            match = re.match(r"(?:typedef )?struct (\w+) \{$", line)
            if match and match[1] in OWN:
                struct = {"name": match[1], "path": path, "line": number, "source": site.source(path, number), "about": paragraphs(about), "fields": []}
                group, group_lock, field, before, depth = False, None, None, [], 0
            elif line.strip():
                about = []
            continue
        if line.startswith("}"):
            yield struct
            about, struct = [], None
            continue
        code, _, comment = line.partition("//")
        code, comment = code.strip(), comment.strip()
        if not code and line.startswith("    //") and not line.startswith("     "):
            if comment.startswith("Here"):
                group, before, field = True, [], None
                group_lock = lock_of(comment.partition(":")[2].strip(), None) or ("thread" if "loop's thread" in comment else None)
                continue
            before.append(comment)
            field = None
            continue
        if not code and comment and field:
            field["comment"] += " " + comment
            continue
        if not code:
            continue
        if code.startswith("union"):
            before = [comment] if comment else before
            depth, members = 1, len(struct["fields"])
            continue
        if code.startswith("}") and depth:
            depth = 0
            if code.strip("} ;"):
                union = make(site, struct, path, number, "union", code.strip("} ;"), comment, group, None)
                struct["fields"].append(union | {"members": len(struct["fields"]) - members})
            before = []
            continue
        match = re.match(r"(.*?)(\(\*?\^?\s*)?(\w+)(\[.*\])?(\)\(.*\))?;$", code)
        pointer = re.match(r"(.*)\([*^](\w+)\)\((.*)\);$", code)
        if pointer:
            kind, name = f"{pointer[1].strip()} (*)({pointer[3]})" if "(*" in code else f"{pointer[1].strip()} (^)({pointer[3]})", pointer[2]
        elif match:
            kind, name = match[1].strip() + (match[4] or ""), match[3]
        else:
            raise Failure(f"{path}:{number}: Edition/edition/pages/structs.py cannot read this field")
        field = make(site, struct, path, number, kind, name, " ".join([*before, comment]).strip(), group, group_lock)
        if not depth:
            before = []
        struct["fields"].append(field)


def make(site, struct, path, number, kind, name, comment, is_ours, group_lock):
    return {"type": kind, "name": name, "comment": comment, "line": number, "source": site.source(path, number), "ours": is_ours or struct["name"] not in ORIGINAL,
            "struct": struct["name"], "group_lock": group_lock}


def lock(field):
    """The lock of a field, when its whole comment is known."""
    if field["name"] in ("_lock", "_base"):
        return "self"
    if special := SPECIAL.get((field["struct"], field["name"])):
        return special
    found = lock_of(field["comment"], None)
    if found and not (found == "thread" and "writes" in field["comment"]):
        return found
    if field["group_lock"]:
        return field["group_lock"]
    return "atomic" if field["type"].startswith("_Atomic") else OWN[field["struct"]]


def settle(fields):
    """The locks of fields that share a comment: "this and", and the members of a union."""
    for field, after in zip(fields, fields[1:]):
        if field["comment"].endswith("this and"):
            field["lock"] = after["lock"]
    for index, field in enumerate(fields):
        if field["type"] == "union":
            members = fields[index - field["members"]:index]
            for other in [*members[1:], field]:
                if not lock_of(other["comment"], None):
                    other["lock"] = members[0]["lock"]


def lock_of(comment, default):
    for pattern, found in WORDS:
        if re.search(pattern, comment):
            return found
    return default


def paragraphs(lines):
    """A doc comment: paragraphs, and tables that keep their columns."""
    out, block, listing = [], [], []
    for line in [*lines, ""]:
        if line.startswith("    "):
            if block:
                out.append(("p", " ".join(block)))
                block = []
            listing.append(line[4:])
            continue
        if listing and line:
            out.append(("pre", "\n".join(listing)))
            listing = []
        if line:
            block.append(line)
        elif block:
            out.append(("p", " ".join(block)))
            block = []
    if listing:
        out.append(("pre", "\n".join(listing).rstrip()))
    return "".join(f"<p>{html.escape(text, quote=False)}</p>" if kind == "p" else f'<pre class="listing">{html.escape(text, quote=False)}</pre>' for kind, text in out)


def linked(site, text):
    """A comment with links at its names and ids."""
    return document.link_words(site, text)


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
