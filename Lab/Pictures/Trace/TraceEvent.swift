// TraceEvent.swift: the events of the C library's trace in Swift.

import CRunLoop
import SwiftRunLoop

/// An event of a trace: CFRunLoopTraceEvent, whose fields are described in CFRunLoopTrace.h.
struct TraceEvent: Sendable {
    typealias Kind = CFRunLoopTraceKind
    typealias Reason = CFRunLoopTraceReason

    /// Nanoseconds on CLOCK_MONOTONIC.
    var time: UInt64
    var kind: Kind
    var step: Int
    var depth: Int
    var thread: Int32
    var callout: Callout
    var reason: Reason
    /// The activity of an observer's callout.
    var activity: String
    var value: Int64
    /// The thread that woke the loop or signalled the source; 0 if unknown. The recorder knows it from an earlier event.
    var sender: Int32 = 0
    /// "" outside a run.
    var mode: String
}

extension TraceEvent {
    init(_ event: CFRunLoopTraceEvent) {
        time = event.time
        kind = event.kind
        step = Int(event.step)
        depth = Int(event.depth)
        thread = event.thread
        callout = [.block, .observer, .source0, .source1, .timer, .mainQueue][Int(event.callout.rawValue)]
        reason = event.reason
        activity = RunLoop.Observer.Activity(rawValue: UInt(event.activity)).description
        value = event.value
        mode = withUnsafeBytes(of: event.mode) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

extension CFRunLoopTraceReason {
    /// The text after "woken by".
    var words: Text {
        switch self {
        case .notYet: Text("an event not yet served", "还没处理的事件")
        case .wokenUp: Text(code: "CFRunLoopWakeUp")
        case .timerPort: Text("a timer", "Timer")
        case .dispatchPort: Text("the main queue", "主队列")
        case .sourcePort: Text("a Source1", "Source1")
        case .timeout: Text("its time limit", "超时")
        default: Text("nothing", "没有东西")
        }
    }

    /// What ended a sleep: "woken by a timer".
    var wokenWords: Text { Text("woken by \(words.english)", self == .nothing ? "醒来后没有要处理的事件" : spaced("由\(words.chinese)唤醒")) }
}

/// A mode's short name, for places with little room.
func shortModeName(_ name: String) -> String {
    switch name {
    case "kCFRunLoopDefaultMode": "default"
    case "UITrackingRunLoopMode": "tracking"
    default: name
    }
}
