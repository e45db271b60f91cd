// ModeSwitchingThread.swift: a secondary thread that changes the mode of its run loop on request, as the main thread does
// while the user scrolls. (A3)

import SwiftRunLoop
import Synchronization

/// A thread whose loop runs in a mode that other threads choose.
///
/// A loop cannot change the mode of a run: the run has to end, and the next one begins in the other mode. `run(mode:before:)`
/// ends after each performed call, so performing the change is enough: the loop around it begins the next run. What matters is the
/// modes in which the change may be performed. By default these are the common modes, and on a secondary thread only the default mode
/// is common: once its loop is in the tracking mode, the change back never arrives. There are two solutions:
/// - the thread declares the tracking mode common (`tracksCommonly`);
/// - the caller names the mode that the loop is in (`performedIn`).
final class ModeSwitchingThread: Thread, @unchecked Sendable {
    /// The events that the thread reports, from its loop.
    enum Event: Equatable, Sendable {
        case begins, ends
        case changes(to: RunLoop.Mode)
        case timerFires(in: RunLoop.Mode)
    }

    private let tracksCommonly: Bool
    private let interval: Double
    private let tell: @Sendable (Event) -> Void
    private let mode = Mutex(RunLoop.Mode.default)

    /// - Parameters:
    ///   - tracksCommonly: whether the thread declares the tracking mode common in its loop.
    ///   - interval: the seconds between the ticks of a timer in the tracking mode, which shows when the loop is in that mode.
    init(tracksCommonly: Bool, interval: Double, tell: @escaping @Sendable (Event) -> Void) {
        (self.tracksCommonly, self.interval, self.tell) = (tracksCommonly, interval, tell)
    }

    override func main() {
        tell(.begins)
        let loop = RunLoop.current
        loop.add(Port(), forMode: .default) // in the default mode the loop only waits
        let timer = Timer(timeInterval: interval, repeats: true) { [tell] _ in tell(.timerFires(in: RunLoop.current.currentMode!)) }
        loop.add(timer, forMode: .tracking)
        if tracksCommonly { loop.addCommonMode(.tracking) }
        while !isCancelled { loop.run(mode: mode.withLock { $0 }, before: .distantFuture) }
        tell(.ends)
    }

    /// Asks the thread to change to another mode. You may call this on any thread.
    /// - Parameter modes: the modes in which the request may arrive.
    func change(to newMode: RunLoop.Mode, performedIn modes: [RunLoop.Mode] = [.common]) {
        try? Thread.perform(on: self, waitUntilDone: false, modes: modes) { [self] in
            tell(.changes(to: newMode))
            mode.withLock { $0 = newMode }
        }
    }

    /// Ends the thread, in whichever of the two modes it is.
    func stop() {
        cancel()
        try? Thread.perform(on: self, waitUntilDone: false, modes: [.default, .tracking]) {}
    }
}
