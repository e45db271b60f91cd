// PooledThread.swift: autorelease pools around, and within, the run loop of a secondary thread. (A10)
//
// The main loop of an application empties a pool in each pass. On another thread nobody does that: what a callback autoreleases
// there stays until the pool around the whole loop ends, which may be never. (An article says that each loop looks after its
// pool by itself, and that a pool around it is enough. That is so on the main thread alone.)

import SwiftRunLoop
import Synchronization

/// A thread with a run loop, with pools where one chooses.
final class PooledThread: @unchecked Sendable {
    enum Pools: CaseIterable, Sendable {
        /// One, around the loop: it ends with the thread.
        case aroundTheLoop
        /// Another one inside it for each run, so that it ends after each performed call.
        case aroundEachRun
        /// The two observers of an application's main loop, so that it ends whenever the loop is about to sleep.
        case byObservers
    }

    let thread: Thread

    /// Starts the thread.
    init(name: String, pools: Pools) {
        thread = Thread {
            autoreleasepool {
                let loop = RunLoop.current
                loop.add(Port(), forMode: .default)
                if pools == .byObservers { AutoreleasePool.install(in: loop) }
                while !Thread.current.isCancelled {
                    if pools == .aroundEachRun {
                        autoreleasepool { _ = loop.run(mode: .default, before: .distantFuture) }
                    } else {
                        loop.run(mode: .default, before: .distantFuture)
                    }
                }
            }
        }
        thread.name = name
        thread.start()
    }

    /// Has the thread call `work` from its loop, and waits for it.
    func perform(_ work: @escaping @Sendable () -> Void) throws(PerformError) {
        try Thread.perform(on: thread, waitUntilDone: true, work)
    }

    /// Ends the thread: sets its flag, and gives its loop something to perform, after which the run returns.
    func stop() {
        thread.cancel()
        try? Thread.perform(on: thread, waitUntilDone: false) {}
    }
}
