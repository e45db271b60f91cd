// OurLayer.swift: the work on the Swift layer of this project. FoundationLayer.swift does the same with Foundation.

import SwiftRunLoop

/// A number that only one thread at a time writes.
final class Count: @unchecked Sendable {
    var value = 0
}

struct OurLayer: SwiftLayer {
    private let count = Count()
    private let performed = DispatchSemaphore(value: 0)
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

    func performBlocks(_ count: Int) {
        self.count.value = 0
        for _ in 0..<count { RunLoop.current.perform { [counter = self.count] in counter.value += 1 } }
        RunLoop.current.run(mode: .default, before: .distantPast)
        precondition(self.count.value == count, "blocks are missing")
    }

    func fireTimers(_ count: Int) {
        self.count.value = 0
        let now = Date()
        for _ in 0..<count {
            let timer = Timer(fire: now, interval: 0, repeats: false) { [counter = self.count] _ in counter.value += 1 }
            RunLoop.current.add(timer, forMode: .default)
        }
        while self.count.value < count { RunLoop.current.run(mode: .default, before: .distantPast) }
    }

    func wakeOtherThread() {
        count.value = 0
        workersLoop.perform { [count, performed] in
            count.value += 1
            performed.signal()
        }
        workersLoop.wakeUp()
        performed.wait()
        precondition(count.value == 1, "nothing was performed")
    }

    func performOnOtherThread() {
        count.value = 0
        try! Thread.perform(on: worker, waitUntilDone: true) { [counter = self.count] in counter.value += 1 } // it never finishes
        precondition(count.value == 1, "nothing was performed")
    }
}
