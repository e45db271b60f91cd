// main.swift: RunLoopLab, the executable to see run loops at work with.

import Glibc

_ = ClosedDescriptors.atTheStart // before anything else is opened
exit(Command.perform(Array(CommandLine.arguments.dropFirst())))
