// SwiftGroups.swift: the rows of the Swift layer, here and in Foundation, with the same floors as the rows in C.

import CRunLoopBench

/// What a program does with its run loop in Swift, with the names that both modules have. Everything happens in the default mode of loops
/// that are not empty.
protocol SwiftLayer {
    /// Calls `RunLoop.perform` this often, then makes a pass.
    func performBlocks(_ count: Int)
    /// Creates and adds timers that are due; then makes passes until all have fired.
    func fireTimers(_ count: Int)
    /// A block for another thread's loop, a wake-up, and a semaphore that waits for the block: the same calls on both sides.
    func wakeOtherThread()
    /// A call that another thread's loop makes while this thread waits: the perform family, or what a program must do without it.
    func performOnOtherThread()
}

/// A round does this many operations at once where a single one would measure the pass around it.
private let batch = 100

/// The groups of the Swift layer.
func swiftGroups() -> [Group] {
    [
        Group("swift-perform", "Swift: RunLoop.perform, of 100", floor: "block", perRound: batch) { layer, count in
            for _ in 0..<count { layer.performBlocks(batch) }
        },
        Group("swift-timer", "Swift: Timer made, added and fired, of 100", floor: "due-100", perRound: batch) { layer, count in
            for _ in 0..<count { layer.fireTimers(batch) }
        },
        Group("swift-wake", "Swift: perform, wake up, semaphore (CPU)", goal: 0.6, floor: "hop") { layer, count in
            for _ in 0..<count { layer.wakeOtherThread() }
        },
        Group("swift-perform-on-thread", "Swift: performed on another thread (CPU)", goal: 0.6, floor: "hop") { layer, count in
            for _ in 0..<count { layer.performOnOtherThread() }
        },
    ]
}

extension Group {
    /// A group with one row. `body` does this many operations, each of which counts `perRound` times; `floor` is the row in C with the same
    /// floor.
    fileprivate init(_ name: String, _ title: String, goal: Double? = nil, floor: String, perRound: Int = 1,
                     _ body: @escaping (any SwiftLayer, Int) -> Void) {
        self.init(name: "swift", rows: [Row(name: name, title: title, unit: .nanoseconds, goals: goal.map { [.toolchain: $0] } ?? [:])],
                  mostOperations: 2000 / perRound) { side in
            switch side {
            case .ours: timed(OurLayer(), perRound, body)
            case .toolchain: FoundationLayer().map { timed($0, perRound, body) }
            case .floor: openInC(BenchGroupWithRow(floor), .floor)
            case .glib, .libuv: nil
            }
        }
    }
}

/// Processor time of the process, because the other thread's time counts, too.
private func timed<Layer>(_ layer: Layer, _ perRound: Int, _ body: @escaping (Layer, Int) -> Void) -> Round {
    { count in
        let start = BenchProcessTime()
        body(layer, count)
        return [(BenchProcessTime() - start) / Double(count * perRound)]
    }
}
