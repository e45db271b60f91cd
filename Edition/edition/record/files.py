"""The format of a recording in Edition/Recordings.

    name        the recording's name, which is also its part of an address
    functions   [file, function, first line, last line, digest] of each function that the recording steps through
    stacks      [function, line in it, the stack around it], the latter an index into stacks, or -1
    names       the watched fields, and the threads' locks
    values      the values in words
    orders      for each order in which the threads ran: its moments

A moment is [thread, stack, [name, value, name, value, …]]: a thread that is about to run a statement, and what differs from the moment
before. Lines are counted from the beginning of their function. So a recording stays valid when a function moves, and is stale when a function that it steps through
changes; its digest says so."""

import fnmatch
import functools
import hashlib
import json
import pathlib
import re

from facts import Failure, definitions

ROOT = pathlib.Path(__file__).resolve().parents[3]
#: What the recorder does not step through: the functions of these files pass as one line.
SKIPPED_FILES = ["*/CRunLoop/Base/*", "*/CRunLoop/*.h", "*/CRunLoop/CFRunLoopRegistry.c", "*/CRunLoop/CFRunLoopTrace.c",
                 "*/CRunLoop/CFRunLoopTraceState.c", "*/programs/recorded.h", "*/CRunLoop/Kernel/CFPortSupport.c",
                 "*/CRunLoop/CFRunLoopObject.c", "*/CRunLoop/CFRunLoopItem.c", "*/CRunLoop/CFRunLoopEmbedding.c", "*/CRunLoop/Kernel/CFPlatform.c",
                 "*/CRunLoop/Kernel/CFLinux.c"]
FOLDER = ROOT / "Edition" / "Recordings"


@functools.lru_cache(None)
def lines_of(path):
    return (ROOT / path).read_text(encoding="utf-8").split("\n")


def source_line(path, number):
    return lines_of(path)[number - 1] if path else ""


def is_skipped(path):
    return not (path.startswith("Sources/CRunLoop/") or path.startswith("Edition/edition/record/programs/")) \
        or any(fnmatch.fnmatch("/" + path, pattern) for pattern in SKIPPED_FILES)


@functools.lru_cache(None)
def functions_of(path):
    """(first line, last line, name) of each function of a C file. The first line is the one at the left margin."""
    return [(first_line(path, symbol.line), symbol.end, symbol.name) for symbol in definitions.functions_of(path)]


def first_line(path, line):
    """Where a definition begins whose name stands in a line: at the left margin, and not in a comment or in a brace."""
    while not re.match(r"[A-Za-z_]", source_line(path, line)) or line > 1 and re.match(r"[A-Za-z_][^;{}]*$", source_line(path, line - 1)) and not source_line(path, line - 1).startswith("#"):
        line -= 1
    return line


def digest_of(path, first, last):
    text = "\n".join(line.rstrip() for line in lines_of(path)[first - 1:last])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def function_at(path, line):
    return next(((first, last, name) for first, last, name in functions_of(path) if first <= line <= last), None)


CONTROL = re.compile(r"^(?:\} )?(?:if|else if|for|while|switch)\b.*\)$|^(?:\} )?else$|^do$")


@functools.lru_cache(None)
def statements_of(path):
    """For each line of a C file, the first line of the statement that it belongs to."""
    starts, start, depth, ended = [0], 1, 0, True
    for number, text in enumerate(lines_of(path), 1):
        code = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'', "0", text).split("//")[0].strip()
        if not code or code.startswith("#"):
            starts.append(number)
            continue
        if ended:
            start, text_so_far = number, ""
        starts.append(start)
        text_so_far += " " + code
        depth += code.count("(") - code.count(")")
        ended = depth <= 0 and (code[-1] in ";{}:" or bool(CONTROL.match(text_so_far.strip())))
        depth = max(depth, 0)
    return starts


def statement_at(path, line):
    return statements_of(path)[line]


def extent_of(path, line):
    """The last line of the statement that begins at a line."""
    starts, last = statements_of(path), line
    while last + 1 < len(starts) and starts[last + 1] == line:
        last += 1
    return last


class Passes:
    """Counts passes: each step 2 begins one. Those of a nested run have the number of the pass around them in front: 2.1."""

    def __init__(self):
        self.counts, self.step = [], ""

    def count(self, depth, step):
        if len(self.counts) < depth:
            self.counts += [0] * (depth - len(self.counts))
            self.step = ""
        elif len(self.counts) > depth:
            del self.counts[depth:]
            self.step = step
        if step == "2" and self.step != "2":
            self.counts[-1] += 1
        self.step = step
        return ".".join(str(count) for count in self.counts) if self.counts and self.counts[-1] else \
            ".".join(str(count) for count in self.counts[:-1])


class Writer:

    def __init__(self, recording):
        self.recording = recording
        self.functions, self.stacks, self.names, self.values = [], [], [], []
        self.indices = {}

    def index(self, table, value):
        key = (id(table), json.dumps(value))
        if key not in self.indices:
            self.indices[key] = len(table)
            table.append(value)
        return self.indices[key]

    def stack(self, frames):
        """Frames that are no source of ours, such as libdispatch's, have a name and no line."""
        index = -1
        for name, path, line in reversed(frames):
            at = function_at(path, line) if path else None
            if at:
                first, last, real = at
                function = self.index(self.functions, [path, real, first, last, digest_of(path, first, last)])
                index = self.index(self.stacks, [function, line - first, index])
            elif name:
                index = self.index(self.stacks, [name, 0, index])
        return index

    def order(self, lines, recorder):
        threads = ["main"] + recorder.recording.threads
        state, moments, last, passes = {}, [], None, Passes()
        for line in lines:
            for frame in line.stack:
                if frame[1]:
                    frame[2] = statement_at(frame[1], frame[2])
            # A statement of several lines is one moment, unless it has called something in between.
            here = line.thread, line.stack, line.asleep
            if here == last:
                continue
            last = here
            new = {name: str(value) for name, value in line.fields.items()}
            new["pass"] = passes.count(int(new["run"]), new["step"])
            for lock, tid in line.locks.items():
                new["lock " + lock] = recorder.tids.get(tid, "a thread")
            if line.thread == "main":
                new.update({"local " + name: value for name, value in line.locals.items()})
            else:
                new.update({name: value for name, value in state.items() if name.startswith("local ")})
            for name in threads:
                if name in recorder.tids.values():
                    new["thread " + name] = line.asleep if name == line.thread and line.asleep else \
                        "" if name == line.thread else state.get("thread " + name, "")
            changes = []
            for name in sorted(set(state) | set(new)):
                if state.get(name, "") != new.get(name, ""):
                    changes += [self.index(self.names, name), self.index(self.values, new.get(name, ""))]
            state = new
            stack = self.stack(line.stack)
            if isinstance(self.stacks[stack][0], str):
                raise Failure("%s:%d: files.functions_of does not find the function there" % (line.stack[0][1], line.stack[0][2]))
            moments.append([threads.index(line.thread), stack, changes])
        return moments

    def contents(self, orders):
        content = {"name": self.recording.name, "program": "Edition/edition/record/programs/%s.c" % self.recording.name,
                   "threads": ["main"] + self.recording.threads, "functions": self.functions, "stacks": self.stacks, "names": self.names,
                   "values": self.values, "orders": []}
        for order, lines, recorder in orders:
            content["orders"].append({"name": order.order, "moments": self.order(lines, recorder)})
        return content


def write(recording, orders):
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / (recording.name + ".json")
    path.write_text(text_of(Writer(recording).contents(orders)), encoding="utf-8")
    return path


def text_of(content):
    """A function to a line, and fifty moments: a change of the library then changes few lines of the file."""
    def compact(value):
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    def lines(values, count):
        return ",\n".join(",".join(values[i:i + count]) for i in range(0, len(values), count))

    functions = lines([json.dumps(row, ensure_ascii=False) for row in content["functions"]], 1)
    orders = ",\n".join('{"name": %s, "moments": [\n%s]}' % (json.dumps(order["name"]), lines([compact(moment) for moment in order["moments"]], 50)) for order in content["orders"])
    parts = ['"%s": %s' % (key, "[\n%s]" % {"functions": functions, "orders": orders}[key] if key in ("functions", "orders") else compact(value))
             for key, value in content.items()]
    return "{%s}\n" % ",\n".join(parts)


def all_recordings():
    return sorted(FOLDER.glob("*.json"))


def read(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def stale(content):
    """For each function of a recording that has changed since: a line that says so."""
    found = []
    for path, name, first, last, digest in content["functions"]:
        try:
            at = [(begin, end) for begin, end, other in functions_of(path) if other == name]
        except OSError:
            found.append("%s: the file is gone" % path)
            continue
        if not at:
            found.append("%s: %s is gone" % (path, name))
        elif all(digest_of(path, begin, end) != digest for begin, end in at):
            found.append("%s:%d: %s has changed" % (path, at[0][0], name))
    return found


def first_lines(content):
    """Where each function of a recording begins today."""
    lines = []
    for path, name, first, last, digest in content["functions"]:
        here = [begin for begin, end, other in functions_of(path) if other == name and digest_of(path, begin, end) == digest]
        lines.append(here[0] if here else first)
    return lines
