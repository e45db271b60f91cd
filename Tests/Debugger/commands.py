"""Gives a debugger with the helpers the commands in the variable COMMANDS, and prints what each prints as a line of JSON behind MARK.
Scripts/check-debugging starts it:

    COMMANDS='["b FUNCTION", "run", "rl-loops"]' gdb -batch -nx -x Tests/Debugger/commands.py --args PROGRAM scenario SCENARIO
    COMMANDS='["rl-loops"]' lldb -b -o "command script import Tests/Debugger/commands.py" -o "b FUNCTION" -o run -o "script commands.run()" -- PROGRAM …

lldb takes the first commands from outside: commands that a script gives know the process and the frame that were selected when the script
began, and no later ones.
"""

import json
import os
import sys

HELPERS = os.path.join(os.path.dirname(os.path.abspath(sys._getframe().f_code.co_filename)), "../../Debugging/runloop.py")
MARK = "PRINTED "
#: lldb prints this line if `continue` has ended without a breakpoint.
NO_STOP = "NO BREAKPOINT STOPPED IT"


def give(printed):
    for command in json.loads(os.environ["COMMANDS"]):
        print("\n" + MARK + json.dumps(printed(command)), flush=True)


def printed_by_gdb(command):
    try:
        return gdb.execute(command, to_string=True)
    except gdb.error as error:
        return str(error) + "\n"


def printed_by_lldb(command):
    """gdb's `thread 2` is `thread select 2` here; all other commands that sessions use have one name."""
    result = lldb.SBCommandReturnObject()
    lldb.debugger.GetCommandInterpreter().HandleCommand(command.replace("thread ", "thread select "), result)
    if command == "continue":
        process = lldb.debugger.GetSelectedTarget().GetProcess()
        if process.GetState() != lldb.eStateStopped or all(thread.GetStopReason() != lldb.eStopReasonBreakpoint for thread in process):
            print("\n" + NO_STOP)
    return (result.GetOutput() or "") + (result.GetError() or "")


def __lldb_init_module(debugger, _):
    debugger.HandleCommand("command script import '%s'" % HELPERS)


def run():
    global lldb
    import lldb
    lldb.debugger.SetAsync(False)
    give(printed_by_lldb)


if "gdb" in sys.modules:
    import gdb
    for setting in ("confirm off", "pagination off", "width 0", "height 0", "print address on", "startup-with-shell off", "style enabled off",
                    "print thread-events off"):
        gdb.execute("set " + setting)
    gdb.execute("source " + HELPERS)
    give(printed_by_gdb)
