// OurLayer.swift: the work on the Swift layer of this project. FoundationLayer.swift does the same with Foundation.

import SwiftRunLoop

struct OurLayer: SwiftLayer {
    private let worker: Thread
    private let workersLoop: RunLoop

    init() {
        let isReady = DispatchSemaphore(value: 0)
        nonisolated(unsafe) var loop: RunLoop! // written before isReady is signalled
        worker = Thread {
            loop = .current
            loop.add(Port(), forMode: .default)
            isReady.signal()
            while true { RunLoop.current.run(mode: .default, before: .distantFuture) }
        }
        worker.start()
        isReady.wait()
        workersLoop = loop
        RunLoop.current.add(Port(), forMode: .default) // so that the mode is not empty
    }

    func perform(_ block: @escaping @Sendable () -> Void) { RunLoop.current.perform(block) }

    func addTimer(at date: Date, _ count: Count) {
        RunLoop.current.add(Timer(fire: date, interval: 0, repeats: false) { _ in count.value += 1 }, forMode: .default)
    }

    func pass() { RunLoop.current.run(mode: .default, before: .distantPast) }

    func wakeWorker(_ block: @escaping @Sendable () -> Void) {
        workersLoop.perform(block)
        workersLoop.wakeUp()
    }

    func performOnWorker(_ block: @escaping @Sendable () -> Void) {
        try! worker.performAndWait { block() } // it never finishes
    }
}
