// WatchDemo.swift: a small program to watch: the main thread's loop and a worker's, which wake each other.

import SwiftRunLoop

/// The main loop has two timers, a Source0 and an observer; it runs in the default mode, and from time to time in the tracking mode, where
/// only one of the timers fires. The worker's timer signals the source; the source queues a block for the worker.
struct WatchDemo {
    /// Returns after some seconds, or never if `seconds` is nil.
    func run(seconds: Double?) {
        let end = Date(timeIntervalSinceNow: seconds ?? 1e9)
        let source = fillMainLoop()
        startWorker(signalling: source)
        var isTracking = false
        while Date() < end {
            let change = Date(timeIntervalSinceNow: isTracking ? 2 : 4)
            while Date() < min(change, end) { _ = RunLoop.main.run(mode: isTracking ? .tracking : .default, before: min(change, end)) }
            isTracking.toggle()
        }
    }

    private func fillMainLoop() -> RunLoop.Source {
        RunLoop.main.add(Timer(timeInterval: 1, repeats: true) { _ in }, forMode: .default)
        let common = Timer(timeInterval: 0.35, repeats: true) { _ in }
        common.tolerance = 0.05
        for mode in [RunLoop.Mode.default, .tracking] { RunLoop.main.add(common, forMode: mode) }
        let source = RunLoop.Source {
            Thread.sleep(forTimeInterval: 0.05) // the worker, which has signalled it, is asleep again
            Self.worker?.perform { Thread.sleep(forTimeInterval: 0.15) } // some work
            Self.worker?.wakeUp()
        }
        RunLoop.main.add(source, forMode: .default)
        RunLoop.main.add(RunLoop.Observer(activities: .beforeWaiting) { _, _ in }, forMode: .default)
        return source
    }

    private nonisolated(unsafe) static var worker: RunLoop? // set once, before the source is first signalled

    private func startWorker(signalling source: RunLoop.Source) {
        let thread = Thread {
            Self.worker = RunLoop.current
            let timer = Timer(timeInterval: 0.8, repeats: true) { _ in
                source.signal()
                RunLoop.main.wakeUp()
            }
            RunLoop.current.add(timer, forMode: .default)
            RunLoop.current.run()
        }
        thread.name = "worker"
        thread.start()
    }
}
