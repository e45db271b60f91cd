// ResidentThread.swift: a permanent thread to perform work on. (A1)

import SwiftRunLoop

/// A thread whose run loop waits for work, from the first use until the process ends.
///
///     static let network = ResidentThread(name: "network") // created once, at the first use
///     network.perform { … }                                 // from any thread
///
/// The port in its loop never gets a message: it is there because a run in a mode without sources and timers ends at once.
/// `run()` begins another run after each one, so nothing ends this thread, CFRunLoopStop included. For a thread that can be
/// stopped, see KeepAliveThread.
final class ResidentThread: @unchecked Sendable {
    /// The thread; it never finishes.
    let thread: Thread

    /// Starts the thread. Work performed on it before it has a loop waits for the loop.
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

    /// Performs `work` on the thread. The work of one caller is done in the order of its calls.
    /// - Parameters:
    ///   - waitUntilDone: whether to return only when the work is done.
    ///   - modes: the modes in which the work may be done. Unless you change it, the loop always runs in one of them, the default mode.
    func perform(waitUntilDone: Bool = false, modes: [RunLoop.Mode] = [.common], _ work: @escaping @Sendable () -> Void) {
        do {
            try Thread.perform(on: thread, waitUntilDone: waitUntilDone, modes: modes, work)
        } catch {
            preconditionFailure("\(error)") // it never finishes
        }
    }
}
