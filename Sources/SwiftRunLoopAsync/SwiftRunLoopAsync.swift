// SwiftRunLoopAsync.swift: run loops for async programs: sequences of what a loop waits for, and an executor. A program
// that calls a closure on a loop's thread and awaits it (`run`), or whose main function is async, needs SwiftRunLoop
// alone.

@_exported public import SwiftRunLoop
