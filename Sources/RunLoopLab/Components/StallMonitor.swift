// StallMonitor.swift: tells when a thread's run loop is stuck in something, and in what. (A5)
//
// Observers in the loop note when each step of a pass begins, and when the loop falls asleep. A thread of its own looks whether
// the last note has become older than the threshold while the loop is not asleep. If so, it takes the stack of the loop's
// thread then and there.
//
// The articles' monitor signals a semaphore at every activity, and so wakes its watching thread each time. This one lets it
// sleep as long as the loop sleeps, and wakes it no more than twice in the time of a threshold, however busy the loop is.

import Dispatch
import Glibc
import SwiftRunLoop
import Synchronization

/// Watches the run loop of a thread. To be made, started and stopped on that thread; once started, it lives until it is
/// stopped. The handlers are called on the watching thread.
final class StallMonitor: @unchecked Sendable {
    /// A time in which the loop got no further.
    struct Stall: Sendable {
        /// Where the loop was: the last activity that it has told of. Something that was called after it has not returned.
        var activity: Observer.Activity
        /// The mode of the run; of the innermost, if runs are nested.
        var mode: RunLoop.Mode
        /// Seconds, until the stack was taken.
        var duration: Double
        /// The thread's stack, taken while it was stalled: return addresses, innermost first. None, if the thread blocks the
        /// signal for that.
        var addresses: [UInt]

        /// The stack in words. To be asked for when there is time: reading the program's symbols takes some milliseconds; with
        /// the places in its source files, some tenths of a second, and longer the first time.
        func stack(places: Bool = false) -> [StackFrame] { stackFrames(of: addresses, places: places) }
    }

    /// What watching has cost so far.
    struct Cost: Sendable {
        /// How often the observers were called, and the seconds that it took on the loop's thread, from a measurement of every
        /// 16th call.
        var calls: Int, observing: Double
        /// How often the watching thread woke up, and the seconds for which it had a processor, handlers included.
        var wakeUps: Int, watching: Double
    }

    /// Seconds that a stall has at least.
    let threshold: Double
    private let onStall: @Sendable (Stall) -> Void
    private let onEnd: @Sendable (Double) -> Void
    private let loop = RunLoop.current
    private let thread = pthread_self()
    private var observers: [Observer] = [] // from start to stop

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
    ///   - onEnd: called when a stall that was told of is over, with its whole length in seconds.
    ///   - onStall: called when a stall has reached the threshold and still goes on: once a stall.
    init(threshold: Double, onEnd: @escaping @Sendable (Double) -> Void = { _ in }, onStall: @escaping @Sendable (Stall) -> Void) {
        self.threshold = threshold
        self.onStall = onStall
        self.onEnd = onEnd
    }

    /// Begins to watch all common modes. The first observer of all notes that an activity begins. The last of all at
    /// BeforeWaiting notes that the loop sleeps: what other observers do there, such as drawing, may stall as well.
    func start() {
        let first = Observer(order: .min) { [self] _, activity in take(note: Note(time: nanoseconds(), activity: activity)) }
        let last = Observer(activities: .beforeWaiting, order: .max) { [self] _, _ in
            take(note: Note(time: nanoseconds(), activity: nil))
        }
        observers = [first, last]
        join(.common)
        let watcher = Thread { [self] in watch() }
        watcher.name = "monitor"
        watcher.start()
    }

    /// Ends watching. When this returns, no handler is called any more.
    func stop() {
        if observers.isEmpty { return }
        observers.forEach { $0.invalidate() }
        isStopped.store(true, ordering: .sequentiallyConsistent)
        change.signal()
        hasEnded.wait()
        observers = []
    }

    /// May be asked for on any thread.
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
        init(time: UInt64, activity: Observer.Activity?) { word = time << 8 | UInt64(activity?.rawValue ?? 0) }
        var time: UInt64 { word >> 8 }
        var activity: Observer.Activity? { word & 0xFF == 0 ? nil : Observer.Activity(rawValue: UInt(word & 0xFF)) }
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
        observers.forEach { $0.add(to: loop, forMode: mode) }
    }

    // MARK: - On the watching thread

    private func watch() {
        while !isStopped.load(ordering: .sequentiallyConsistent) {
            wakeUps.wrappingAdd(1, ordering: .relaxed)
            noteCost()
            let seen = Note(word: note.load(ordering: .sequentiallyConsistent))
            if seen.activity == nil {
                waitForChange(of: seen)
                // A stall that begins now is due after the threshold's time; a loop that is soon asleep again has not to say so.
                if !isStopped.load(ordering: .sequentiallyConsistent) { _ = change.wait(timeout: .now() + threshold) }
            } else {
                let start = max(seen.time, lastSeenIdle), now = nanoseconds(), limit = UInt64(threshold * 1e9)
                if now - start < limit { _ = change.wait(timeout: .now() + .nanoseconds(Int(limit - (now - start)))) }
                else { nothingHeard(since: seen, start) }
            }
        }
        hasEnded.signal()
    }

    /// The loop has told nothing for the threshold's time. It is no stall if the loop does not run at all; or sleeps in a mode
    /// in which the observers are not, the mode of a nested run: they join it then, and the time counts anew.
    private func nothingHeard(since seen: Note, _ start: UInt64) {
        let mode = loop.currentMode, isStranger = mode.map { !observers[0].isIn(loop, forMode: $0) } ?? false
        if isStranger { join(mode!) }
        if isStranger || mode == nil || loop.isWaiting { return lastSeenIdle = nanoseconds() }
        var addresses: [UInt] = [], tries = 0
        while addresses.isEmpty, tries < 5 { // on a machine that is very busy the thread may not get to it in time
            addresses = ThreadSampler.addresses(of: thread)
            tries += 1
            if note.load(ordering: .sequentiallyConsistent) != seen.word { return } // the stall has ended at the last moment
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

    /// The loop's thread either sees that the change is wanted, or has made it before: the two look in opposite order.
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
