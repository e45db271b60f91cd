"""Gives gdb the command "stop_in FILE METHOD": stops once in the first method with that name in a Swift file, prints the stack, and goes on.

gdb knows Swift's methods by their mangled names only; the file and the line of the method it knows as a reader does."""

import glob
import os
import re

import gdb

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")


class StopIn(gdb.Command):
    def __init__(self):
        super().__init__("stop_in", gdb.COMMAND_BREAKPOINTS)

    def invoke(self, argument, from_tty):
        name, method = argument.split()
        path, = [found for folder in ("Sources", "Lab") for found in glob.glob(os.path.join(ROOT, folder, "**", name), recursive=True)]
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        line = next(number for number, text in enumerate(lines, 1) if re.search(r"\bfunc %s\(" % re.escape(method), text))
        breakpoint = gdb.Breakpoint("%s:%d" % (name, line), temporary=True)
        breakpoint.silent = True
        breakpoint.commands = 'printf "\\n"\nbacktrace\ncontinue'


StopIn()
