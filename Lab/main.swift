// main.swift: the executable RunLoopLab, which shows run loops at work.

import Glibc

_ = ClosedDescriptors.atTheStart // before anything else is opened
exit(Command.perform(Array(CommandLine.arguments.dropFirst())))
