"""Loads the run loop's debugger helpers.

    gdb     source Debugging/runloop.py
    lldb    command script import Debugging/runloop.py

To have them in every session, put the line, with the full path, into ~/.gdbinit or ~/.lldbinit.
"""

import os
import sys

# Not __file__: if another Python script makes gdb source this one, __file__ is that script.
sys.path.insert(0, os.path.dirname(os.path.abspath(sys._getframe().f_code.co_filename)))

if "gdb" in sys.modules:
    from rlhelpers import in_gdb
    in_gdb.load()


def __lldb_init_module(debugger, _):
    from rlhelpers import in_lldb
    in_lldb.load(debugger)
