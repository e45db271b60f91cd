// FoundationLayer.swift: the same work on Foundation's run loop as OurLayer.swift does on this project's.

import CRunLoopTable
import Foundation

struct FoundationLayer: SwiftLayer {
    private let table: CFRunLoopTable
    private let workersLoop: RunLoop
    private let workersCFLoop: CFRunLoop

    /// Nil if Foundation's C functions are not found.
    init?() {
        guard let table = CFRunLoopTableOriginal(nil)?.pointee else { return nil }
        let isReady = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var loop: RunLoop!, cfLoop: CFRunLoop! // written before isReady is signalled
        let getCurrent = table.CFRunLoopGetCurrent!
        Thread.detachNewThread {
            loop = .current
            cfLoop = getCurrent()
            loop.add(distantTimer(), forMode: .default)
            isReady.signal()
            while true { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
        }
        isReady.wait()
        (self.table, workersLoop, workersCFLoop) = (table, loop, cfLoop)
        RunLoop.current.add(distantTimer(), forMode: .default)
    }

    func perform(_ block: @escaping @Sendable () -> Void) { RunLoop.current.perform(block) }

    func addTimer(at date: Date, _ count: Count) {
        RunLoop.current.add(Timer(fire: date, interval: 0, repeats: false) { _ in count.value += 1 }, forMode: .default)
    }

    func pass() { _ = RunLoop.current.run(mode: .default, before: .distantPast) }

    /// Foundation has no public way to wake a loop.
    func wakeWorker(_ block: @escaping @Sendable () -> Void) {
        workersLoop.perform(block)
        table.CFRunLoopWakeUp(workersCFLoop)
    }

    /// Foundation on Linux has no perform family.
    func performOnWorker(_ block: @escaping @Sendable () -> Void) { wakeWorkerAndWait(block) }
}

/// So that a mode is not empty.
private func distantTimer() -> Timer { Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in } }
