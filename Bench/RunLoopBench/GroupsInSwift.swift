// GroupsInSwift.swift: the rows of the Swift layer, here and in Foundation, with the same floors as the rows in C.

import CRunLoopBench
import Dispatch
import FoundationEssentials

/// A number that only one thread at a time writes.
final class Count: @unchecked Sendable {
    var value = 0
}

/// What a program does with its run loop in Swift, with the names that both modules have. Everything happens in the default mode of loops
/// that are not empty: this thread's, and a worker's, which never ends.
protocol SwiftLayer {
    func perform(_ block: @escaping @Sendable () -> Void)
    /// Creates and adds a timer that counts when it fires.
    func addTimer(at date: Date, _ count: Count)
    /// A pass that does not wait.
    func pass()
    /// A block for the worker's loop, and a wake-up.
    func wakeWorker(_ block: @escaping @Sendable () -> Void)
    /// A call that the worker's loop makes while this thread waits: the perform family, or what a program must do without it.
    func performOnWorker(_ block: @escaping @Sendable () -> Void)
}

extension SwiftLayer {
    /// A block for the worker, a wake-up, and a semaphore that waits for the block: the same calls on both sides.
    func wakeWorkerAndWait(_ block: @escaping @Sendable () -> Void) {
        wakeWorker {
            block()
            performed.signal()
        }
        performed.wait()
    }
}

private let performed = DispatchSemaphore(value: 0)

/// A round does this many operations at once where a single one would measure the pass around it.
private let batch = 100

/// The groups of the Swift layer.
var groupsInSwift: [Group] {
    [
        Group("swift-perform", "Swift: RunLoop.perform, of 100", floor: "block", perRound: batch) { layer, count in
            for _ in 0..<batch { layer.perform { count.value += 1 } }
            layer.pass()
        },
        Group("swift-timer", "Swift: Timer made, added and fired, of 100", floor: "due-100", perRound: batch) { layer, count in
            let now = Date()
            for _ in 0..<batch { layer.addTimer(at: now, count) }
            while count.value < batch { layer.pass() }
        },
        Group("swift-wake", "Swift: perform, wake up, semaphore (CPU)", goal: 0.6, floor: "hop") { layer, count in
            layer.wakeWorkerAndWait { count.value += 1 }
        },
        Group("swift-perform-on-thread", "Swift: performed on another thread (CPU)", goal: 0.6, floor: "hop") { layer, count in
            layer.performOnWorker { count.value += 1 }
        },
    ]
}

extension Group {
    /// A group with one row. `body` does `perRound` operations, each of which counts; `floor` is the row in C with the same floor.
    fileprivate init(_ name: String, _ title: String, goal: Double? = nil, floor: String, perRound: Int = 1,
                     _ body: @escaping (any SwiftLayer, Count) -> Void) {
        let row = Row(name: name, title: title, goals: goal.map { [.toolchain: $0] } ?? [:])
        self.init(name: "swift", rows: [row], mostOperations: 2000 / perRound) { side in
            switch side {
            case .ours: timed(OurLayer(), perRound, body)
            case .toolchain: FoundationLayer().map { timed($0, perRound, body) }
            case .floor: groupsInC.first { $0.rows[0].name == floor }!.open(.floor)
            case .gLib, .libuv: nil
            }
        }
    }
}

/// Processor time of the process, because the other thread's time counts, too.
private func timed(_ layer: any SwiftLayer, _ perRound: Int, _ body: @escaping (any SwiftLayer, Count) -> Void) -> Round {
    let count = Count()
    return { operations in
        let start = BenchProcessTime()
        for _ in 0..<operations {
            count.value = 0
            body(layer, count)
            precondition(count.value == perRound, "calls are missing")
        }
        return [(BenchProcessTime() - start) / Double(operations * perRound)]
    }
}
