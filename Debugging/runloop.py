"""Loads the run loop's debugger helpers.

    gdb     source Debugging/runloop.py
    lldb    command script import Debugging/runloop.py

Put the line, with the whole path, into ~/.gdbinit or ~/.lldbinit, and every session has them.
"""

import os
import sys

# Not __file__: when another Python script has gdb source this one, that is the other's.
sys.path.insert(0, os.path.dirname(os.path.abspath(sys._getframe().f_code.co_filename)))

if "gdb" in sys.modules:
    from rlhelpers import in_gdb
    in_gdb.load()


def __lldb_init_module(debugger, _):
    from rlhelpers import in_lldb
    in_lldb.load(debugger)
