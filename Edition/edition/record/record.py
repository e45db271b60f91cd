"""The recorder: builds a program with the library's own sources, and steps its threads line by line in gdb, by a schedule.

Only one thread runs at a time, except for threads that sleep in the kernel. At each line of a thread the recorder notes where it is, its
stack, the step, the locks, and the values of the watched fields (inside.py). Nothing in a recording is made up."""

import json
import pathlib
import subprocess
import time

from . import files
from facts import Failure
from .mi import GDB, Failed, Gone

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent
WORK = ROOT / ".build" / "edition" / "record"
LIBRARY = "Sources/CRunLoop/"

#: Not stepped into: Base, threads and locks, the registry (who has which loop), hosts, the trace, and functions in headers, which are one thought each.
SKIPPED_FUNCTIONS = ["CFRunLoopObserverDoesRepeat"]
MARKS = ("theRecordingBegins", "theRecordingEnds", "waitForItsTurn")
MOST_LINES = 4000
#: Those in which a thread sleeps, by their numbers on x86-64; 22, 98 and 115 are AArch64's.
SYSTEM_CALLS = {"232": "epoll_wait", "281": "epoll_pwait", "441": "epoll_pwait2", "202": "futex", "35": "nanosleep", "230": "clock_nanosleep",
                "22": "epoll_pwait", "98": "futex", "115": "clock_nanosleep"}


def toolchain():
    swift = subprocess.run(["bash", "-c", "readlink -f \"$(command -v swift)\""], capture_output=True, text=True, check=True).stdout.strip()
    return pathlib.Path(swift).parents[1]


def build(program):
    """Compiles a program with the C library, without optimisation, with checked locks, and with the debug information that the recorder reads."""
    usr, target = toolchain(), WORK / program
    libraries = usr / "lib/swift/linux"
    WORK.mkdir(parents=True, exist_ok=True)
    command = [str(usr / "bin/clang"), "-std=gnu17", "-g", "-O0", "-fblocks", "-DCF_CHECK_LOCKS", "-I%sinclude" % LIBRARY, "-I%s" % (usr / "lib/swift"),
               str(HERE / "programs" / (program + ".c")), LIBRARY + "CRunLoop.c", "-o", str(target),
               "-L%s" % libraries, "-lBlocksRuntime", "-ldispatch", "-lpthread", "-lm", "-Wl,-rpath,%s" % libraries]
    if subprocess.run(command, cwd=ROOT).returncode:
        raise Failure("the compiler has failed")
    return target


class Line:
    """A thread at a line: what the recorder has read there."""

    def __init__(self, thread, snapshot, asleep=None):
        self.thread, self.asleep = thread, asleep
        self.stack = snapshot["stack"]
        self.fields, self.locks, self.locals = snapshot["fields"], snapshot["locks"], snapshot["locals"]

    @property
    def place(self):
        return tuple(self.stack[0])

    @property
    def function(self):
        return self.stack[0][0]


class Recorder:

    def __init__(self, recording, program, log=None):
        self.recording = recording
        self.gdb = GDB(str(program), str(HERE / "inside.py"), log)
        self.lines = []          # what is recorded
        self.here = {}           # thread: its last Line
        self.asleep = {}         # thread: the system call that it sleeps in
        self.ended = set()
        self.numbers, self.tids, self.names = {}, {}, {}
        self.seen = {}           # what `before` has counted

    # Getting there

    def start(self):
        gdb = self.gdb
        for pattern in files.SKIPPED_FILES:
            gdb.console_command("skip -gfi " + pattern)
        for function in SKIPPED_FUNCTIONS:
            gdb.console_command("skip function " + function)
        for function in MARKS:
            gdb.command("-break-insert " + function)
        for function in self.recording.stops:
            gdb.command("-break-insert " + function)
        gdb.command("-exec-run")
        wanted = 1 + len(self.recording.threads)
        deadline = time.monotonic() + 60
        while len(gdb.stopped) < wanted:
            gdb.read(0.1)
            if time.monotonic() > deadline or gdb.has_ended:
                raise Failed("%s: its threads did not come to where the recording begins" % self.recording.name)
        begun = self.answer("recording-begins")
        names = {number: name for number, (tid, name) in ((int(number), value) for number, value in begun["threads"].items())}
        for number, name in names.items():
            name = "main" if number == 1 else name
            self.numbers[name], self.names[number] = number, name
            self.tids[begun["threads"][str(number)][0]] = name
        self.objects = begun["objects"]
        for name in ["main"] + self.recording.threads:
            self.leave_mark(self.numbers[name])
            self.here[name] = self.look(name)

    def answer(self, command):
        text = self.gdb.console_command(command)
        at = text.rfind("@{")
        if at < 0:
            raise Failed("%s: %s" % (command, text))
        return json.loads(text[at + 1:])

    def leave_mark(self, number):
        self.gdb.go(number, "finish")
        if not self.gdb.wait(number, 30):
            raise Failed("%s: thread %d did not leave the mark" % (self.recording.name, number))

    def look(self, name, asleep=None):
        return Line(name, self.answer("snapshot %d" % self.numbers[name]), asleep)

    # Stepping

    def system_call(self, name):
        """The system call that a thread sleeps in; None if it does not."""
        tid = next(tid for tid, other in self.tids.items() if other == name)
        try:
            with open("/proc/%d/task/%d/stat" % (self.gdb.pid, tid)) as file:
                state = file.read().rsplit(")", 1)[1].split()[0]
            with open("/proc/%d/task/%d/syscall" % (self.gdb.pid, tid)) as file:
                number = file.read().split()[0]
        except (OSError, IndexError):
            return None
        if state != "S":
            return None
        return SYSTEM_CALLS.get(number)

    def advance(self, name, how="step"):
        """Lets a thread go to its next line. Returns False if it sleeps in the kernel instead."""
        number = self.numbers[name]
        if name not in self.asleep:
            self.gdb.go(number, how)
        quiet = 0
        while not self.gdb.wait(number, 0.02):
            call = self.system_call(name)
            quiet = quiet + 1 if call else 0
            if quiet >= 3:
                if name not in self.asleep:
                    self.asleep[name] = call
                    before = self.here[name]
                    line = self.look_while_asleep(name, before, call)
                    self.note(line)
                return False
        self.asleep.pop(name, None)
        return True

    def look_while_asleep(self, name, before, call):
        """A thread in the kernel has no registers to read, so its stack is what it was when it went there."""
        other = next((one for one in self.here if one != name and one not in self.asleep and one not in self.ended), None)
        fields = (self.lines or [before])[-1].fields, (self.lines or [before])[-1].locks
        if other:
            snapshot = self.answer("snapshot %d" % self.numbers[other])
            fields = snapshot["fields"], snapshot["locks"]
        stack = before.stack
        function = files.function_at(stack[0][1], stack[0][2])
        if function and stack[0][2] == function[1]:
            stack = stack[1:]  # it had returned, and its caller sleeps
        return Line(name, {"stack": stack, "fields": fields[0], "locks": fields[1], "locals": before.locals}, call)

    def note(self, line):
        self.here[line.thread] = line
        self.lines.append(line)
        if len(self.lines) > MOST_LINES:
            raise Failed("%s: more than %d lines" % (self.recording.name, MOST_LINES))

    def is_shown(self, line):
        function, file, _ = line.stack[0]
        return file is not None and not files.is_skipped(file) and function not in MARKS

    def step(self, name):
        """One line further. False: the thread sleeps, or has ended."""
        how = "step"
        while True:
            if not self.advance(name, how):
                return False
            line = self.look(name)
            if line.function == "theRecordingEnds":
                self.ended.add(name)
                return False
            if self.is_shown(line):
                self.note(line)
                return True
            how = "finish" if line.stack[0][1] is None or files.is_skipped(line.stack[0][1]) else "step"

    def until(self, name, condition=None):
        """Steps a thread until the condition holds for the line that it is about to run, or it sleeps, or its part is over."""
        if name not in self.ended and name not in self.asleep and self.here[name] not in self.lines:
            self.note(self.look(name))
        while name not in self.ended:
            if condition and name not in self.asleep and condition(self.here[name]):
                return
            if not self.step(name):
                return

    def wait_for(self, name):
        """Waits until a thread that sleeps in the kernel wakes up."""
        deadline = time.monotonic() + 60
        while name in self.asleep:
            if self.gdb.wait(self.numbers[name], 0.2):
                return True
            if time.monotonic() > deadline:
                raise Failed("%s: %s sleeps for a minute" % (self.recording.name, name))
        return False

    def record(self):
        self.start()
        self.recording.schedule(self)
        while "main" not in self.ended:
            self.until("main")
            if "main" in self.ended:
                break
            others = [name for name in self.recording.threads if name not in self.ended and name not in self.asleep]
            if others and not self.gdb.wait(self.numbers["main"], 0):
                self.until(others[0])
            else:
                self.wait_for("main")
        return self.lines


def before(text, function=None, count=1):
    """The condition that a thread is about to run a line that contains a text, for the count-th time."""
    seen = [0, None]

    def condition(line):
        if function and line.function != function:
            return False
        if text in files.source_line(line.stack[0][1], line.stack[0][2]) and line is not seen[1]:
            seen[0], seen[1] = seen[0] + 1, line
            return seen[0] == count
        return False
    return condition


def record(recording, log=None):
    """Records, and returns what files.write takes."""
    program = build(recording.name)
    orders = []
    for order in recording.orders:
        recorder = Recorder(order, program, log)
        try:
            lines = recorder.record()
        except (Gone, Failed) as problem:
            raise Failure("%s: %s" % (recording.name, problem)) from None
        finally:
            recorder.gdb.close()
        orders.append((order, lines, recorder))
    return orders
