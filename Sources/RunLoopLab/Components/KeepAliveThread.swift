// KeepAliveThread.swift: a thread that is kept alive by its run loop for as long as somebody wants it. (A2)
//
// It takes two things to stop it: a flag, which ends the loop around the runs, and CFRunLoopStop, which ends the run that is
// going on. Both happen on the thread, from its loop, so that neither can fall between a look at the flag and the next run.

import Dispatch
import SwiftRunLoop
import Synchronization

/// A thread with a run loop that can be stopped. When the last reference to it goes, it is stopped.
final class KeepAliveThread: @unchecked Sendable {
    let thread: Thread
    private let life = Life()

    /// What the thread holds of this object. Were it the object itself, the object could never go. (The articles' thread holds
    /// it weakly, and goes on for ever when it has gone: `!nil.stopped` is true.)
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

    /// Has the thread call `work` from its loop. Work that is asked for before `stop()` is done.
    /// - Throws: after `stop()`, sooner or later: the thread has finished then, and the work is not done.
    func perform(waitUntilDone: Bool = false, _ work: @escaping @Sendable () -> Void) throws(PerformError) {
        try Thread.perform(on: thread, waitUntilDone: waitUntilDone, work)
    }

    /// Asks the thread to end once it has done what it was asked to do before. May be called on any thread, on this one too,
    /// and again.
    func stop() {
        try? Thread.perform(on: thread, waitUntilDone: false) { [life] in
            life.isOver.store(true, ordering: .relaxed)
            RunLoop.current.stop()
        }
    }

    /// Stops the thread, and waits until it has left its loop. Not to be called on the thread itself.
    func stopAndWait() {
        stop()
        life.end.wait()
        life.end.signal() // for others who wait
    }
}
