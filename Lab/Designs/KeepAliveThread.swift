// KeepAliveThread.swift: a thread that its run loop keeps alive until it is stopped. (A2)
//
// Stopping it takes two things: a flag, which ends the loop around the runs, and CFRunLoopStop, which ends the current run. Both happen on
// the thread itself, from its loop, so neither can come between a check of the flag and the next run.

import Dispatch
import SwiftRunLoop
import Synchronization

/// A thread with a run loop that can be stopped. It is stopped when its last reference goes away.
final class KeepAliveThread: @unchecked Sendable {
    let thread: Thread
    private let life = Life()

    /// The part of this object that the thread retains. If it retained the object itself, the object would never be deallocated. (The
    /// articles' thread references the object weakly, and never ends when the object is gone: `!nil.stopped` is true.)
    private final class Life: Sendable {
        let isOver = Atomic<Bool>(false)
        let end = DispatchSemaphore(value: 0)
    }

    /// Starts the thread.
    /// - Parameter begin: called on the thread before its loop runs, to put things into the loop.
    init(name: String, begin: @escaping @Sendable () -> Void = {}) {
        thread = Thread { [life] in
            let loop = RunLoop.current
            loop.add(Port(), forMode: .default)
            begin()
            while !life.isOver.load(ordering: .relaxed) {
                autoreleasepool { _ = loop.run(mode: .default, before: .distantFuture) }
            }
            life.end.signal()
        }
        thread.name = name
        thread.start()
    }

    deinit {
        stop()
    }

    /// Performs `work` on the thread. Work that you ask for before `stop()` is done.
    /// - Throws: after `stop()`, once the thread has finished. Then the work is not done.
    func perform(waitUntilDone: Bool = false, _ work: @escaping @Sendable () -> Void) throws(PerformError) {
        try Thread.perform(on: thread, waitUntilDone: waitUntilDone, work)
    }

    /// Asks the thread to end after the work that it was given before. You may call this on any thread, and more than once.
    func stop() {
        try? Thread.perform(on: thread, waitUntilDone: false) { [life] in
            life.isOver.store(true, ordering: .relaxed)
            RunLoop.current.stop()
        }
    }

    /// Stops the thread, and waits until it has left its loop. Do not call this on the thread itself.
    func stopAndWait() {
        stop()
        life.end.wait()
        life.end.signal() // for others who wait
    }
}
