// StallMonitor.swift: reports when a thread's run loop is stuck, and where. (A5)
//
// Observers in the loop record the time of each activity, and when the loop falls asleep. A watching thread checks whether the last
// record is older than the threshold although the loop is not asleep. If so, it samples the stack of the loop's thread at once.
//
// The articles' monitor signals a semaphore at every activity, so it wakes its watching thread each time. In this one the watching
// thread sleeps as long as the loop sleeps, and wakes at most twice in each threshold's time, however busy the loop is.

import Dispatch
import Glibc
import SwiftRunLoop
import Synchronization

/// Watches the run loop of a thread. Create, start and stop it on that thread. Once started, it lives until it is stopped. The handlers are
/// called on the watching thread.
final class StallMonitor: @unchecked Sendable {
    /// A time in which the loop made no progress.
    struct Stall: Sendable {
        /// The last activity before the stall. A callback that was called after it has not returned.
        var activity: RunLoop.Observer.Activity
        /// The mode of the innermost run.
        var mode: RunLoop.Mode
        /// Seconds until the stack was sampled.
        var duration: Double
        /// The thread's stack during the stall: return addresses, innermost first. Empty if the thread blocks SIGURG.
        var addresses: [UInt]

        /// The stack as text. This takes time: some milliseconds to read the program's symbols; with the places in its source files, some
        /// tenths of a second, and longer the first time.
        func stack(places: Bool = false) -> [StackFrame] { stackFrames(of: addresses, places: places) }
    }

    /// The cost of watching so far.
    struct Cost: Sendable {
        /// The number of calls of the observers, and their seconds on the loop's thread, estimated from every 16th call.
        var calls: Int, observing: Double
        /// The number of wake-ups of the watching thread, and its processor time in seconds, including the handlers.
        var wakeUps: Int, watching: Double
    }

    /// The shortest stall, in seconds.
    let threshold: Double
    private let onStall: @Sendable (Stall) -> Void
    private let onEnd: @Sendable (Double) -> Void
    private let loop = RunLoop.current
    private let thread = pthread_self()
    private var observers: [RunLoop.Observer] = [] // from start to stop

    private let note = Atomic<UInt64>(0)                          // written on the loop's thread: see Note
    private let isWanted = Atomic<Bool>(false)                    // the watching thread waits for a change of the note,
    private let change = DispatchSemaphore(value: 0)              // at this,
    private let timeOfChange = Atomic<UInt64>(0)                  // and gets its time here
    private let isStopped = Atomic<Bool>(false), hasEnded = DispatchSemaphore(value: 0)
    private var lastSeenIdle: UInt64 = 0                          // nanoseconds; the watching thread's own

    private let calls = Atomic<Int>(0), sampledTime = Atomic<UInt64>(0), wakeUps = Atomic<Int>(0), watchingTime = Atomic<UInt64>(0)
    private static let callsPerSample = 16

    /// Makes a monitor for the calling thread's loop.
    /// - Parameters:
    ///   - threshold: seconds.
    ///   - onEnd: called when a reported stall is over, with its whole length in seconds.
    ///   - onStall: called once for each stall, when it has reached the threshold and still goes on.
    init(threshold: Double, onEnd: @escaping @Sendable (Double) -> Void = { _ in }, onStall: @escaping @Sendable (Stall) -> Void) {
        self.threshold = threshold
        self.onStall = onStall
        self.onEnd = onEnd
    }

    /// Begins to watch all common modes. The first of all observers records the activity. The last one at BeforeWaiting records that the loop
    /// sleeps: other observers of BeforeWaiting, such as those that draw, may stall as well.
    func start() {
        let first = RunLoop.Observer(order: .min) { [self] _, activity in take(note: Note(time: nanoseconds(), activity: activity)) }
        let last = RunLoop.Observer(activities: .beforeWaiting, order: .max) { [self] _, _ in
            take(note: Note(time: nanoseconds(), activity: nil))
        }
        observers = [first, last]
        join(.common)
        let watcher = Thread { [self] in watch() }
        watcher.name = "monitor"
        watcher.start()
    }

    /// Ends watching. After it returns, no handler is called.
    func stop() {
        if observers.isEmpty { return }
        observers.forEach { $0.invalidate() }
        isStopped.store(true, ordering: .sequentiallyConsistent)
        change.signal()
        hasEnded.wait()
        observers = []
    }

    /// You may read this on any thread.
    var cost: Cost {
        let calls = calls.load(ordering: .relaxed), samples = calls / Self.callsPerSample
        let sampled = Double(sampledTime.load(ordering: .relaxed)) / 1e9
        return Cost(calls: calls, observing: samples == 0 ? 0 : sampled / Double(samples) * Double(calls),
                    wakeUps: wakeUps.load(ordering: .relaxed), watching: Double(watchingTime.load(ordering: .relaxed)) / 1e9)
    }

    // MARK: - On the loop's thread

    /// When an activity began; or, with nil, when the loop fell asleep.
    private struct Note {
        var word: UInt64 // nanoseconds, and the activity in the low 8 bits
        init(word: UInt64) { self.word = word }
        init(time: UInt64, activity: RunLoop.Observer.Activity?) { word = time << 8 | UInt64(activity?.rawValue ?? 0) }
        var time: UInt64 { word >> 8 }
        var activity: RunLoop.Observer.Activity? { word & 0xFF == 0 ? nil : RunLoop.Observer.Activity(rawValue: UInt(word & 0xFF)) }
    }

    private func take(note new: Note) {
        note.store(new.word, ordering: .sequentiallyConsistent)
        if isWanted.load(ordering: .sequentiallyConsistent), isWanted.exchange(false, ordering: .sequentiallyConsistent) {
            timeOfChange.store(new.time, ordering: .relaxed)
            change.signal()
        }
        if calls.wrappingAdd(1, ordering: .relaxed).newValue % Self.callsPerSample == 0 {
            sampledTime.wrappingAdd(nanoseconds() - new.time, ordering: .relaxed)
        }
    }

    private func join(_ mode: RunLoop.Mode) {
        observers.forEach { loop.add($0, forMode: mode) }
    }

    // MARK: - On the watching thread

    private func watch() {
        while !isStopped.load(ordering: .sequentiallyConsistent) {
            wakeUps.wrappingAdd(1, ordering: .relaxed)
            noteCost()
            let seen = Note(word: note.load(ordering: .sequentiallyConsistent))
            if seen.activity == nil {
                waitForChange(of: seen)
                // A stall that begins now is reported after the threshold. If the loop is soon asleep again, it need not wake this thread.
                if !isStopped.load(ordering: .sequentiallyConsistent) { _ = change.wait(timeout: .now() + threshold) }
            } else {
                let start = max(seen.time, lastSeenIdle), now = nanoseconds(), limit = UInt64(threshold * 1e9)
                if now - start < limit { _ = change.wait(timeout: .now() + .nanoseconds(Int(limit - (now - start)))) }
                else { handleSilence(since: seen, start) }
            }
        }
        hasEnded.signal()
    }

    /// There was no activity for the threshold's time. It is no stall if the loop does not run, or if it sleeps in the mode of a nested run
    /// that the observers are not in. In that case they join the mode, and the time starts again.
    private func handleSilence(since seen: Note, _ start: UInt64) {
        let mode = loop.currentMode, isUnwatched = mode.map { !loop.contains(observers[0], forMode: $0) } ?? false
        if isUnwatched { join(mode!) }
        if isUnwatched || mode == nil || loop.isWaiting { return lastSeenIdle = nanoseconds() }
        var addresses: [UInt] = [], tries = 0
        while addresses.isEmpty, tries < 5 { // on a very busy machine the thread may not answer in time
            addresses = ThreadSampler.addresses(of: thread)
            tries += 1
            if note.load(ordering: .sequentiallyConsistent) != seen.word { return } // the stall has ended meanwhile
        }
        let duration = Double(nanoseconds() - start) / 1e9
        onStall(Stall(activity: seen.activity!, mode: mode!, duration: duration, addresses: addresses))
        noteCost()
        waitForChange(of: seen)
        if isStopped.load(ordering: .sequentiallyConsistent) { return }
        onEnd(Double(max(timeOfChange.load(ordering: .relaxed), start) - start) / 1e9)
    }

    private func noteCost() {
        watchingTime.store(nanoseconds(CLOCK_THREAD_CPUTIME_ID), ordering: .relaxed)
    }

    /// Either the loop's thread sees isWanted, or this thread sees the new note: each writes its own before it reads the other's.
    private func waitForChange(of seen: Note) {
        isWanted.store(true, ordering: .sequentiallyConsistent)
        let now = Note(word: note.load(ordering: .sequentiallyConsistent))
        if now.word != seen.word, isWanted.exchange(false, ordering: .sequentiallyConsistent) {
            timeOfChange.store(now.time, ordering: .relaxed)
        } else {
            change.wait()
        }
    }
}

/// The time of a clock.
private func nanoseconds(_ clock: clockid_t = CLOCK_MONOTONIC) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
