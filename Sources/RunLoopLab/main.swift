// main.swift: RunLoopLab, the executable to see run loops at work with.

import Glibc

exit(Command.perform(Array(CommandLine.arguments.dropFirst())))
