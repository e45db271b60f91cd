// LoopSnapshot.swift: all loops of the process at one moment, from CFRunLoopTrace.h.

import CRunLoop

/// A loop at one moment.
struct LoopSnapshot: Sendable {
    struct TimerSnapshot: Sendable {
        /// Seconds until it fires, on the clock of `now()`; negative if it is overdue.
        var timeLeft: Double
        var interval: Double, tolerance: Double
    }

    /// The identity of the loop.
    var address: UInt
    var thread: Int32
    var step: Int
    var depth: Int
    var isAsleep: Bool
    /// "" outside a run.
    var mode: String
    var sources0: Int, sources1: Int, observers: Int, timers: Int, blocks: Int
    var lastReason: TraceEvent.Reason
    var lastSender: Int32
    var passes: UInt64
    var sleepTime: Double
    /// The first few, in firing order.
    var nextTimers: [TimerSnapshot]
    private static let mostTimers = 4

    /// Snapshots of all loops, the main thread's first.
    static func ofAllLoops() -> [LoopSnapshot] {
        guard let loops = CFRunLoopTraceCopyAllLoops() else { return [] }
        defer { CFRelease(loops) }
        return (0..<CFArrayGetCount(loops)).map { LoopSnapshot(unsafeBitCast(CFArrayGetValueAtIndex(loops, $0)!, to: CFRunLoop.self)) }
    }

    private init(_ loop: CFRunLoop) {
        var state = CFRunLoopTraceState()
        CFRunLoopTraceGetState(loop, &state)
        address = UInt(bitPattern: RunLoopLab.address(of: loop))
        thread = state.thread
        step = Int(state.step)
        depth = Int(state.depth)
        isAsleep = state.isAsleep
        mode = withUnsafeBytes(of: state.mode) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        (sources0, sources1, observers) = (state.sources0, state.sources1, state.observers)
        (timers, blocks) = (state.timers, state.blocks)
        lastReason = TraceEvent.Reason(rawValue: state.lastReason.rawValue)!
        lastSender = state.lastSender
        passes = state.passes
        sleepTime = state.sleepTime
        nextTimers = Self.timers(of: loop)
    }

    private static func timers(of loop: CFRunLoop) -> [TimerSnapshot] {
        var states = [CFRunLoopTraceTimerState](repeating: CFRunLoopTraceTimerState(), count: mostTimers)
        let count = min(mostTimers, CFRunLoopTraceGetTimers(loop, &states, mostTimers)), now = now()
        return states[..<count].map { TimerSnapshot(timeLeft: Double($0.due) / 1e9 - now, interval: $0.interval, tolerance: $0.tolerance) }
    }
}
