"""Runs one session (sessions.py) in lldb. Scripts/check-debugging starts it, with SESSION=FILE:NAME in the environment:

    lldb -b -o "command script import Tests/Debugger/in_lldb.py" -o "b FUNCTION" -o run [-o "up N"] -o "script in_lldb.run()" -- PROGRAM scenario SCENARIO
    lldb -b -o "command script import Tests/Debugger/in_lldb.py" -o "script in_lldb.run()" --core CORE PROGRAM

The session's first commands, `b FUNCTION`, `run` and, if it comes next, `up N`, are given to lldb from outside: commands that a script
gives know the process and the frame that were selected when the script began, and no later ones.
"""

import os
import re
import sys

import lldb

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)
import sessions  # noqa: E402

#: A session about a core file is written as gdb shows it. lldb does not say when the core was written, so times are those of the
#: program's clock. It also finds the threads' names in the core, which gdb does not.
OF_A_CORE = (
    (r"\bdue (in|for|at) (-?\d)", r"due … \2"),
    (r"^Times are relative to .*|^Times are in seconds of .*", "(what times are relative to)"),
    (r'(thread \d+) "CScenarios"', r"\1"),
)


def as_any_debugger_shows(line):
    for pattern, replacement in OF_A_CORE:
        line = re.sub(pattern, replacement, line)
    return line


def execute(command):
    """gdb's `thread 2` is `thread select 2` here; all other commands that sessions use have one name."""
    result = lldb.SBCommandReturnObject()
    lldb.debugger.GetCommandInterpreter().HandleCommand(command.replace("thread ", "thread select "), result)
    return (result.GetOutput() or "") + (result.GetError() or "")


def run():
    lldb.debugger.SetAsync(False)
    path, name = os.environ["SESSION"].rsplit(":", 1)
    session = next(session for session in sessions.sessions_in(path) if session.name == name)
    while session.steps[0][1].split()[0] in ("b", "run", "up"):
        del session.steps[0]
    lldb.debugger.HandleCommand("command script import '%s'" % os.path.join(FOLDER, "../../Debugging/runloop.py"))
    if "in Chinese" in session.options:
        execute("rl-lang zh")
    show = execute
    if any(option.startswith("core file") for option in session.options):
        show = lambda command: "\n".join(as_any_debugger_shows(line) for line in execute(command).splitlines())  # noqa: E731
        session.steps = [(number, command, [as_any_debugger_shows(line) for line in lines]) for number, command, lines in session.steps]
    sessions.run(session, show, lambda command: command.startswith("rl-"), print)
    sys.stdout.flush()
