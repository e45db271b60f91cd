// PooledThread.swift: autorelease pools around, and within, the run loop of a secondary thread. (A10)
//
// The main loop of an application drains a pool in each pass. The loop of another thread does not: an object that a callback autoreleases
// there lives until the pool around the whole loop ends, which may never happen. (One article says that each loop manages its own pool,
// and that a pool around the loop is enough. That is true only on the main thread.)

import SwiftRunLoop
import Synchronization

/// A thread with a run loop, and with autorelease pools in places that you choose.
final class PooledThread: @unchecked Sendable {
    enum Pools: CaseIterable, Sendable {
        /// One pool around the loop. It ends with the thread.
        case aroundTheLoop
        /// Another pool inside it for each run. It ends after each performed call.
        case aroundEachRun
        /// The two observers of an application's main loop. The pool ends whenever the loop is about to sleep.
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

    /// Performs `work` on the thread and waits for it.
    func perform(_ work: @escaping @Sendable () -> Void) throws(PerformError) {
        try Thread.perform(on: thread, waitUntilDone: true, work)
    }

    /// Ends the thread: sets its flag, and performs a call in its loop, after which the run returns.
    func stop() {
        thread.cancel()
        try? Thread.perform(on: thread, waitUntilDone: false) {}
    }
}
