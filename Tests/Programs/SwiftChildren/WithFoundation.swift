// WithFoundation.swift: what needs SwiftRunLoopFoundation.

import SwiftRunLoopFoundation

/// A thread that is running owns its dictionary.
func useAnotherThreadsDictionary() {
    let thread = Thread { sleep(60) }
    thread.threadDictionary["before"] = 1
    thread.start()
    thread.threadDictionary["after"] = 1
    say("set")
    exit(0)
}
