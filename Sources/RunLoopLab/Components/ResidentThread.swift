// ResidentThread.swift: a thread that is there for good, for work to be performed on. (A1)

import SwiftRunLoop

/// A thread whose run loop waits for work, from the first use until the process ends.
///
///     static let network = ResidentThread(name: "network") // made at the first use, and once
///     network.perform { … }                                 // from any thread
///
/// The port in its loop never gets a message: it is there because a mode without sources and timers ends its run at once.
/// `run()` begins another run after each one, so nothing ends this thread, CFRunLoopStop included. For a thread that can be
/// stopped, see KeepAliveThread.
final class ResidentThread: @unchecked Sendable {
    /// The thread; it never finishes.
    let thread: Thread

    /// Starts the thread. What is performed on it before it has a loop is kept for it.
    init(name: String) {
        thread = Thread {
            autoreleasepool {
                RunLoop.current.add(Port(), forMode: .default)
                RunLoop.current.run()
            }
        }
        thread.name = name
        thread.start()
    }

    /// Has the thread call `work` from its loop. What one thread asks for is done in the order in which it asks.
    /// - Parameters:
    ///   - waitUntilDone: whether to return only when that has been done.
    ///   - modes: the modes in which it may be done; without others the loop is always in one of them, the default mode.
    func perform(waitUntilDone: Bool = false, modes: [RunLoop.Mode] = [.common], _ work: @escaping @Sendable () -> Void) {
        do {
            try Thread.perform(on: thread, waitUntilDone: waitUntilDone, modes: modes, work)
        } catch {
            preconditionFailure("\(error)") // it never finishes
        }
    }
}
