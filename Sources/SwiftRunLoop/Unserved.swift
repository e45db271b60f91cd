// Unserved.swift: the line for a program that awaits its main loop, which nobody runs.

#if os(Linux)
internal import Dispatch
import Synchronization

extension RunLoop {
    /// Whether the main loop is attached to the main queue, whose host then runs it whenever there is work.
    static let isAttached = Atomic(false)

    private static let hasReported = Atomic(false)

    /// Call this when a task begins to await something of this loop. If nobody has run the main loop two seconds later,
    /// and nobody runs it then, a line on stderr says so, once in a process.
    package func reportIfUnserved() {
        guard self === RunLoop.main, currentMode == nil, !RunLoop.isAttached.load(ordering: .relaxed) else { return }
        let passes = counts.passes
        DispatchQueue.global().asyncAfter(deadline: .now() + 2) {
            let main = RunLoop.main
            guard main.counts.passes == passes, main.currentMode == nil, !main.hasEnded else { return }
            if RunLoop.isAttached.load(ordering: .relaxed) { return }
            if RunLoop.hasReported.exchange(true, ordering: .relaxed) { return }
            writeToStandardError("""
                RunLoop.main: a task has waited for this loop for two seconds, and nobody runs it. Run it on the main \
                thread or, in XCTest and other hosts of the main queue, call RunLoop.main.attachToMainQueue() there.

                """)
        }
    }
}
#endif
