// SwiftGroups.swift: the rows of the Swift layer, here and in Foundation, beside the same floors as the rows in C.

import CRunLoopBench

/// What a program does with its run loop in Swift, in the words that both modules have. Everything happens in the default mode of loops
/// that are not empty.
protocol SwiftLayer {
    /// `RunLoop.perform`, so often, then a pass.
    func performBlocks(_ count: Int)
    /// Timers that are due, made and added; then passes until all have fired.
    func fireTimers(_ count: Int)
    /// A block for another thread's loop, a wake-up, and a semaphore to wait for it by: the same calls on both sides.
    func wakeOtherThread()
    /// Something performed on another thread by its loop, and waited for: the perform family, or what a program has to do without it.
    func performOnOtherThread()
}

/// Operations are done so many at a time where one alone would measure the pass around it.
private let batch = 100

/// The groups of the Swift layer.
func swiftGroups() -> [Group] {
    [
        Group("swift-perform", "Swift: RunLoop.perform, of 100", floor: "block", perRound: batch) { layer, count in
            for _ in 0..<count { layer.performBlocks(batch) }
        },
        Group("swift-timer", "Swift: Timer made, added and fired, of 100", floor: "due-16000", floorSize: batch, perRound: batch) { layer, count in
            for _ in 0..<count { layer.fireTimers(batch) }
        },
        Group("swift-wake", "Swift: perform, wake up, semaphore (CPU)", goal: 0.6, floor: "roundtrip-1-core") { layer, count in
            for _ in 0..<count { layer.wakeOtherThread() }
        },
        Group("swift-perform-on-thread", "Swift: performed on another thread (CPU)", goal: 0.6, floor: "roundtrip-1-core") { layer, count in
            for _ in 0..<count { layer.performOnOtherThread() }
        },
        portGroup(),
    ]
}

extension Group {
    /// A group with one row. `body` does so many operations, each of which counts `perRound` times; `floor` is the row in C that has the same
    /// floor.
    fileprivate init(_ name: String, _ title: String, goal: Double? = nil, floor: String, floorSize: Int? = nil, perRound: Int = 1,
                     _ body: @escaping (any SwiftLayer, Int) -> Void) {
        self.init(name: "swift", rows: [Row(name: name, title: title, unit: .nanoseconds, goals: goal.map { [.toolchain: $0] } ?? [:])],
                  mostOperations: 2000 / perRound) { side in
            switch side {
            case .ours: timed(OurLayer(), perRound, body)
            case .toolchain: FoundationLayer().map { timed($0, perRound, body) }
            case .floor: openInC(BenchGroupWithRow(floor), .floor, size: floorSize)
            case .glib, .libuv: nil
            }
        }
    }
}

/// Processor time of the process: a thread that is waited for counts too.
private func timed<Layer>(_ layer: Layer, _ perRound: Int, _ body: @escaping (Layer, Int) -> Void) -> Round {
    { count in
        let start = BenchProcessTime()
        body(layer, count)
        return [(BenchProcessTime() - start) / Double(count * perRound)]
    }
}

/// Foundation has no ports that would do on Linux: `Port` can be neither made nor sent to there, and what is sent to a `SocketPort` does
/// not arrive.
private func portGroup() -> Group {
    var group = Group(name: "swift", rows: [Row(name: "swift-port", title: "Swift: message to a Port", unit: .nanoseconds)],
                      mostOperations: 2000) { side in
        switch side {
        case .ours: timed(OurLayer(), 1) { layer, count in for _ in 0..<count { layer.sendMessage() } }
        case .floor: openInC(BenchGroupWithRow("source-1"), .floor)
        case .toolchain, .glib, .libuv: nil
        }
    }
    group.notes = ["Foundation's ports deliver nothing on Linux"]
    return group
}
