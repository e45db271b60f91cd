"""Runs one session (sessions.py) in lldb. Scripts/check-debugging starts it, with SESSION=FILE:NAME in the environment:

    lldb -b -o "command script import Tests/Debugger/in_lldb.py" -o "b FUNCTION" -o run -o "script in_lldb.run()" -- PROGRAM scenario SCENARIO

The session's first two commands, `b FUNCTION` and `run`, are given to lldb from outside: commands that a script gives know the process
that was there when the script began, and no later one.
"""

import os
import sys

import lldb

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)
import sessions  # noqa: E402


def execute(command):
    """gdb's `thread 2` is `thread select 2` here; all other commands that sessions use have one name."""
    result = lldb.SBCommandReturnObject()
    lldb.debugger.GetCommandInterpreter().HandleCommand(command.replace("thread ", "thread select "), result)
    return (result.GetOutput() or "") + (result.GetError() or "")


def run():
    lldb.debugger.SetAsync(False)
    lldb.debugger.HandleCommand("command script import '%s'" % os.path.join(FOLDER, "../../Debugging/runloop.py"))
    path, name = os.environ["SESSION"].rsplit(":", 1)
    session = next(session for session in sessions.sessions_in(path) if session.name == name)
    session.steps = session.steps[2:]
    good = sessions.run(session, execute, lambda command: command.startswith("rl-"), print)
    print("SESSION %s" % ("GOOD" if good else "BAD"))
    sys.stdout.flush()
