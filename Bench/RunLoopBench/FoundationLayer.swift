// FoundationLayer.swift: the same work on Foundation's run loop as OurLayer.swift does on this project's.

import CRunLoopTable
import Foundation

struct FoundationLayer: SwiftLayer {
    private let count = Count()
    private let performed = DispatchSemaphore(value: 0)
    private let worker: Worker

    /// Nil if Foundation's C functions are not found.
    init?() {
        guard let table = CFRunLoopTableOriginal(nil)?.pointee else { return nil }
        worker = Worker(table)
        RunLoop.current.add(Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }, forMode: .default) // so that the mode is not empty
        worker.start()
        worker.isReady.wait()
    }

    func performBlocks(_ count: Int) {
        self.count.value = 0
        for _ in 0..<count { RunLoop.current.perform { [counter = self.count] in counter.value += 1 } }
        _ = RunLoop.current.run(mode: .default, before: .distantPast)
        precondition(self.count.value == count, "blocks are missing")
    }

    func fireTimers(_ count: Int) {
        self.count.value = 0
        let now = Date()
        for _ in 0..<count {
            let timer = Timer(fire: now, interval: 0, repeats: false) { [counter = self.count] _ in counter.value += 1 }
            RunLoop.current.add(timer, forMode: .default)
        }
        while self.count.value < count { _ = RunLoop.current.run(mode: .default, before: .distantPast) }
    }

    func wakeOtherThread() {
        count.value = 0
        worker.loop.perform { [count, performed] in
            count.value += 1
            performed.signal()
        }
        worker.wakeUp()
        performed.wait()
        precondition(count.value == 1, "nothing was performed")
    }

    /// Foundation on Linux has no perform family.
    func performOnOtherThread() { wakeOtherThread() }
}

/// A thread with a loop that never ends.
private final class Worker: @unchecked Sendable {
    let isReady = DispatchSemaphore(value: 0)
    private(set) var loop: RunLoop! // written before isReady is signalled, like cfLoop
    private var cfLoop: CFRunLoop!
    private let table: CFRunLoopTable

    init(_ table: CFRunLoopTable) { self.table = table }

    func start() {
        Thread.detachNewThread { [self] in
            loop = .current
            cfLoop = table.CFRunLoopGetCurrent()
            loop.add(Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }, forMode: .default)
            isReady.signal()
            while true { _ = loop.run(mode: .default, before: .distantFuture) }
        }
    }

    /// Foundation has no public way to wake a loop.
    func wakeUp() { table.CFRunLoopWakeUp(cfLoop) }
}
