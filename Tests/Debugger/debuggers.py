"""The debuggers that work here, for Scripts/check-stacks and Scripts/check-debugging, and what these have in common."""

import os
import pathlib
import shutil
import subprocess
import sys

from prologue import CANNOT_CHECK, ROOT  # Scripts/prologue.py

FOLDER = ROOT / "Tests/Debugger"
NAMES = ("gdb", "lldb")
#: lldb takes the Python that comes first in PATH for its own. If the one that runs this is not the system's, its folder must not be first.
FOLDERS = sorted(os.environ["PATH"].split(os.pathsep), key=lambda folder: folder == os.path.dirname(sys.executable))
ENVIRONMENT = dict(os.environ, DEBUGINFOD_URLS="", LC_ALL="C.UTF-8", PATH=os.pathsep.join(FOLDERS))


class GDB:
    name = "gdb"

    def command(self, script, commands, program, *arguments, core=None):
        target = [program, core] if core else ["--args", program, *arguments]
        return ["gdb", "-batch", "-nx", "-x", FOLDER / script, *(word for command in commands for word in ("-ex", command)), *target]

    def missing(self):
        """Why gdb cannot be used; None if it starts, has Python, and may trace a program."""
        if not shutil.which("gdb"):
            return "it is not installed"
        probe = run(["gdb", "-batch", "-nx", "-ex", "set startup-with-shell off", "-ex", 'python print("python", 6 * 7)', "-ex", "run", "--args", "/bin/true"])
        if "python 42" in probe and "exited normally" in probe:
            return None
        return "it has no Python or may not debug a program here: " + probe.strip().rpartition("\n")[2]

    def cannot_call(self, program):
        """Why gdb cannot call a function of a program that it has stopped; None if it can. gdb 13 cannot where the processor has more state
        than it knows (AMX). If it cannot for another reason, the check fails at the call itself."""
        probe = run(["gdb", "-batch", "-nx", "-ex", "set startup-with-shell off", "-ex", "break main", "-ex", "run", "-ex", "print (int)getpid() > 0", "--args", program])
        return next((line for line in probe.splitlines() if line.startswith("Couldn't write extended state status")), None)


class LLDB:
    name = "lldb"

    def cannot_call(self, _):
        return None

    def command(self, script, commands, program, *arguments, core=None):
        target = ["--core", core, program] if core else ["--", program, *arguments]
        words = ["command script import '%s'" % (FOLDER / script), *commands]
        return [self.path, "--no-lldbinit", "-b", *(word for command in words for word in ("-o", command)), *target]

    def missing(self):
        found = subprocess.run([ROOT / "Scripts/find-lldb"], capture_output=True, text=True, env=ENVIRONMENT).stdout.splitlines()
        if len(found) < 2:
            return "none is installed that starts, knows Python and may debug a program here"
        self.path, ENVIRONMENT["PYTHONPATH"] = found
        return None


def run(command, **environment):
    """What a command prints, which ends after two minutes. It inherits the three standard descriptors alone: sessions show the numbers of others."""
    return subprocess.run(["timeout", "--kill-after=5", "120", *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", env=ENVIRONMENT | environment).stdout


def usable(names):
    """The debuggers with these names that work here. Of the others it says why they do not; if there is none, it ends the check."""
    found = []
    for debugger in (GDB(), LLDB()):
        if debugger.name in names:
            if why := debugger.missing():
                print("skip  %s: %s" % (debugger.name, why))
            else:
                found.append(debugger)
    if not found:
        sys.exit(CANNOT_CHECK)
    return found


def arguments(text, default):
    """The program and the names of debuggers in the arguments `[debug|release|PATH] [gdb|lldb]`; `text` is the help."""
    word, *names = sys.argv[1:] or ["debug"]
    if len(names) > 1 or not set(names) <= set(NAMES):
        sys.exit("unknown arguments: %s\n\n%s" % (" ".join(names), text.strip()))
    program = ROOT / ".build" / word / "CScenarios" if word in ("debug", "release") else pathlib.Path(word).absolute()
    return program, names or default


def require(program):
    if not os.access(program, os.X_OK):
        sys.exit("there is no program %s; build it with: swift build --product %s [-c release]" % (program, program.name))
