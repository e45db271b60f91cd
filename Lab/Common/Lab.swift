// Lab.swift: records what happens in an experiment, and prints it at once.

import Dispatch
import Glibc
import CRunLoop
import SwiftRunLoop
import Synchronization

/// The record of an experiment. You may call all methods from any thread.
///
/// Callbacks call `callout`, observers call `activity`, and a thread calls `note` for its own actions. Each call prints a row of the
/// transcript and records an event that expectations find by its name. Expectations are in Expectations.swift.
final class Lab: Sendable {
    /// Whether waits are shortened.
    let isFast: Bool
    /// Prints the rows.
    let page: Page

    private struct State {
        var events: [Event] = []
        var threads: [Int32: String] = [:] // names by the kernel's thread ids
    }

    private let state = Mutex(State())
    /// When the experiment began, on the clock of `now()`.
    let start = now()
    let checks = Mutex<[Check]>([])

    /// Call this on the main thread.
    init(isFast: Bool, page: Page) {
        self.isFast = isFast
        self.page = page
    }

    /// All events so far.
    var events: [Event] { state.withLock { $0.events } }

    /// The names of all threads but the main one, by their ids in the system.
    var threadNames: [Int32: String] { state.withLock { $0.threads } }

    /// How often an event with this name has been recorded so far.
    func times(_ name: String) -> Int { events.count { $0.name == name } }

    /// A waiting time in seconds; shorter with `--fast`.
    func wait(_ seconds: Double) -> Double { isFast ? seconds * 0.4 : seconds }

    // MARK: - What happens

    /// Records that the loop has called a callback. Call it from that callback.
    /// - Parameters:
    ///   - name: the name that expectations use.
    ///   - detail: more, only for the reader.
    ///   - value: a measurement, for the expectations.
    /// - Returns: how often this name has been recorded, this time included.
    @discardableResult
    func callout(_ callout: Callout, _ name: String, _ detail: String = "", value: Double? = nil) -> Int {
        record(in: step(of: callout), inLoop: true, name, detail, value) { kind(of: callout, in: $0) }
    }

    /// Records that the loop has notified an observer. Call it from that observer. The event is named after the activity unless you pass a name.
    @discardableResult
    func activity(_ activity: RunLoop.Observer.Activity, _ name: String? = nil, _ detail: String = "") -> Int {
        record(in: step(of: .observer), inLoop: true, name ?? activity.description, detail, nil) { _ in activity.description }
    }

    /// Records an action of the calling thread.
    @discardableResult
    func note(_ name: String, _ detail: String = "", value: Double? = nil) -> Int {
        record(in: "", inLoop: false, name, detail, value) { _ in "" }
    }

    /// Records a measurement, a result or a count for the expectations. It has no row in the transcript.
    func observe(_ name: String, _ detail: String = "", value: Double? = nil, step: String = "", mode: String = "", kind: String = "") {
        state.withLock { state in
            let event = Event(time: now() - start, thread: threadName(&state), step: step, mode: mode, kind: kind, name: name, detail: detail, value: value)
            state.events.append(event)
        }
    }

    /// Adds an observer that records the activities of the loop in a mode.
    @discardableResult
    func watch(_ loop: RunLoop, _ mode: RunLoop.Mode, _ activities: RunLoop.Observer.Activity = .allActivities) -> RunLoop.Observer {
        let observer = RunLoop.Observer(activities: activities) { [self] _, activity in self.activity(activity) }
        loop.add(observer, forMode: mode)
        return observer
    }

    /// Gives the calling thread a name in the transcript.
    func nameThread(_ name: String) { state.withLock { $0.threads[SystemThread.current] = name } }

    /// Starts a thread that has this name in the transcript.
    func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) -> Thread {
        let thread = Thread { [self] in
            nameThread(name)
            body()
        }
        thread.name = name // for debuggers
        thread.start()
        return thread
    }

    /// Starts a thread with this name and returns when `body` is done; with `untilGone`, when the thread and its loop are gone.
    func onThread(_ name: String, untilGone: Bool = false, _ body: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        let number = Mutex<Int32>(0)
        _ = startThread(name) {
            number.withLock { $0 = SystemThread.current }
            body()
            done.signal()
        }
        done.wait()
        let folder = "/proc/self/task/\(number.withLock { $0 })"
        while untilGone && access(folder, F_OK) == 0 { usleep(1000) }
    }

    /// Returns when a watched loop sleeps or is about to sleep, after that many BeforeWaiting events.
    func whenAsleep(_ loop: RunLoop, times: Int = 1) {
        while self.times("BeforeWaiting") < times || !loop.isWaiting { usleep(1000) }
    }

    private func record(in step: String, inLoop: Bool, _ name: String, _ detail: String, _ value: Double?, kind: (String) -> String) -> Int {
        let mode = inLoop ? shortName(RunLoop.current.currentMode) : "" // outside a loop, asking would create one
        return state.withLock { state in
            let thread = threadName(&state)
            let event = Event(time: now() - start, thread: thread, step: step, mode: mode, kind: kind(step), name: name, detail: detail, value: value)
            state.events.append(event)
            page.show(event)
            return state.events.count { $0.name == name }
        }
    }

    private func threadName(_ state: inout State) -> String {
        let number = SystemThread.current
        if number == getpid() { return "main" }
        if let known = state.threads[number] { return known }
        let name = SystemThread.isDispatchs ? "dispatch" : SystemThread.name(of: number) ?? "thread \(state.threads.count + 2)"
        state.threads[number] = name
        return name
    }
}

extension Lab {
    /// Records what the calling thread does, with the step and the mode of its loop and the kind of callout that the loop makes in that
    /// step. (A block of step 9 counts as what woke the loop.) It has no row in the transcript, and makes no loop for a thread without one.
    func observeCall(_ name: String, _ detail: String) {
        let isInLoop = _CFRunLoopGet0b(pthread_self()) != nil, step = isInLoop ? step(of: .timer) : ""
        observe(name, detail, step: step, mode: step == "" ? "" : shortName(RunLoop.current.currentMode), kind: isInLoop ? currentCallout?.rawValue ?? "" : "")
    }

    /// The kind of callout that the calling thread's loop makes in its step; nil if blocks or observers are called there.
    var currentCallout: Callout? { Callout.allCases.first { $0.step == step(of: .timer) } }
}

/// The step that the calling thread's loop reports; in step 9, with the kind of port that it serves. The lab does not trust what an experiment
/// says of its callbacks.
private func step(of callout: Callout) -> String {
    var state = CFRunLoopTraceState()
    CFRunLoopTraceGetState(CFRunLoopGetCurrent(), &state)
    switch (state.step, state.lastReason) {
    case (0, _): return "" // the loop does not run
    case (9, .timerPort) where callout != .block: return Callout.timer.step!
    case (9, .dispatchPort) where callout != .block: return Callout.mainQueue.step!
    case (9, .sourcePort) where callout != .block: return Callout.source1.step!
    default: return String(state.step)
    }
}

/// The kind of a callback, if a loop makes such calls in that step. An unknown step is "".
private func kind(of callout: Callout, in step: String) -> String {
    let isThere = switch callout {
    case .source0, .timer, .mainQueue, .source1: step == callout.step
    case .block: ["", "3", "4", "9"].contains(step)
    case .observer: ["", "1", "2", "3", "6", "8", "10"].contains(step)
    }
    return isThere ? callout.rawValue : "no \(callout.rawValue)"
}

/// The mode's name in the transcripts.
private func shortName(_ mode: RunLoop.Mode?) -> String { mode.map { shortModeName($0.rawValue) } ?? "-" }
