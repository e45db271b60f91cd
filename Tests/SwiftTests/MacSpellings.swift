// MacSpellings.swift: Foundation's own names, in a file that imports Foundation through SwiftRunLoopFoundation alone. XCTest would import it,
// too, and then the names mean Foundation's methods.
import SwiftRunLoopFoundation

/// What a program that was written for a Mac calls, each for the calling thread's loop.
enum MacSpelling {
    static func read(_ handle: FileHandle) { handle.readInBackgroundAndNotify() }

    static func readToEnd(_ handle: FileHandle) { handle.readToEndOfFileInBackgroundAndNotify() }

    static func waitForData(_ handle: FileHandle) { handle.waitForDataInBackgroundAndNotify() }

    static func accept(_ handle: FileHandle) { handle.acceptConnectionInBackgroundAndNotify() }

    static func waitUntilExit(_ process: Process) { process.waitUntilExit() }

    /// The end of many a tool: CFRunLoopRun() comes with Foundation. Returns the timer that stops the run.
    static func runUntilATimerStops() -> Timer {
        let timer = Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in CFRunLoopStop(CFRunLoopGetCurrent()) }
        CFRunLoopRun()
        return timer
    }
}
