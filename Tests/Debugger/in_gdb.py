"""Runs one session (sessions.py) in gdb. Scripts/check-debugging starts it:

    SESSION=FILE:NAME gdb -batch -nx -x Tests/Debugger/in_gdb.py --args PROGRAM scenario SCENARIO
"""

import os
import sys

import gdb

folder = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, folder)
import sessions  # noqa: E402

for setting in ("confirm off", "pagination off", "width 0", "height 0", "print address on", "startup-with-shell off", "style enabled off",
                "print thread-events off", "debuginfod enabled off"):
    try:
        gdb.execute("set " + setting)
    except gdb.error:
        pass  # an older gdb, without debuginfod
gdb.execute("source " + os.path.join(folder, "../../Debugging/runloop.py"))


def execute(command):
    try:
        return gdb.execute(command, to_string=True)
    except gdb.error as error:
        return str(error) + "\n"


def report(line):
    print(line)
    sys.stdout.flush()


path, name = os.environ["SESSION"].rsplit(":", 1)
session = next(session for session in sessions.sessions_in(path) if session.name == name)
if "in Chinese" in session.options:
    gdb.execute("rl-lang zh", to_string=True)
sessions.run(session, execute, lambda command: True, report)
