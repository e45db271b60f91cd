// StallWatch.swift: reports when a thread's run loop makes no progress, and where. The article's own monitor is in
// RunLoopLab (article 4.12); this one is for programs.
//
// Two observers record the time of each activity, and when the loop falls asleep. A watching thread checks whether the
// last record is older than the threshold although the loop is awake. If so, it samples the stack of the loop's thread.
// It sleeps as long as the loop sleeps, and wakes at most twice in each threshold's time, however busy the loop is.
//
//     loop's thread                                watching thread
//     1. writes its record                         1. sets isWanted
//     2. reads isWanted; if set, signals `change`  2. reads the record; if it is new, does not wait for `change`
//
// Either the loop's thread sees isWanted or the watching thread sees the new record, because each writes its own before
// it reads the other's.
//
// Claims in ANNOTATIONS.md: (A5)

#if os(Linux)
import Dispatch
public import FoundationEssentials
public import SwiftRunLoop
import Synchronization

/// Watches a thread's run loop for callouts that take too long.
///
/// Make and start it on the loop's thread:
///
///     let watch = StallWatch(threshold: 0.25) { stall in
///         for frame in stall.stack { print(frame) }
///     }
///     watch.start()
///
/// A stall is a time without an activity while the loop is awake. When it has lasted for the threshold, the watching
/// thread samples the stack of the loop's thread, writes a line to stderr and calls the closure. The loop's thread is
/// interrupted only then, by SIGURG. A call that sleeps, such as usleep, may then return early; reads, writes, locks
/// and `Thread.sleep` go on.
///
/// Watching costs two observers, some 100 nanoseconds for each activity. It continues until `stop()`, or until the
/// loop's thread ends.
public final class StallWatch: @unchecked Sendable {
    /// A time in which a loop made no progress.
    public struct Stall: Sendable {
        /// The last activity before the stall. A callback that was called after it has not returned.
        public let activity: RunLoop.Observer.Activity

        /// The mode of the innermost run.
        public let mode: RunLoop.Mode

        /// The seconds until the stack was sampled.
        public let duration: TimeInterval

        /// The thread's stack during the stall, innermost first: the instruction that it was at, and return addresses.
        ///
        /// Empty if the thread blocks SIGURG or got no processor in time, or if the program has a handler for SIGURG.
        public let addresses: [UInt]

        /// The frames of the stack, with the names of their functions.
        ///
        /// Reading the names takes some milliseconds.
        public var stack: [StackFrame] {
            addresses.enumerated().map { StackFrame(address: $1, isReturnAddress: $0 > 0) }
        }

        /// The line for stderr: the functions that were called, innermost first, up to the loop's callout.
        func line(thread: String) -> String {
            let names = stack.prefix { !($0.function ?? "").hasPrefix("__CFRUNLOOP_IS_") }.map { $0.function ?? "?" }
            let innermost = names.prefix(8).joined(separator: " < ")
            let place = names.isEmpty ? "its stack could not be sampled" : "in \(innermost)"
            let milliseconds = Int((duration * 1000).rounded())
            return """
                StallWatch: \(thread) has made no progress for \(milliseconds) ms since \(activity) in \
                \(mode.rawValue): \(place)

                """
        }
    }

    private let threshold: TimeInterval
    private let writesLog: Bool
    private let onStall: @Sendable (Stall) -> Void
    private let onEnd: @Sendable (TimeInterval) -> Void
    private let loop = RunLoop.current
    private let watched = WatchedThread()
    private let endOfThread: Weak<RunLoop.Observer>
    private let threadName: String
    private let observers = Mutex<[RunLoop.Observer]>([])         // from start to stop
    private let watcher = Mutex<SystemThread?>(nil)                         // the watching thread, while it runs

    private let record = Atomic<UInt64>(0)                        // written on the loop's thread: see Record
    private let longest = Atomic<UInt64>(0)                       // nanoseconds; written on the loop's thread
    private let stalls = Atomic<Int>(0)
    private let isWanted = Atomic<Bool>(false)                    // the watching thread waits for a new record,
    private let change = DispatchSemaphore(value: 0)              // at this,
    private let timeOfChange = Atomic<UInt64>(0)                  // and gets its time here
    private let isStopped = Atomic<Bool>(false), watching = DispatchGroup() // with the watching thread in it
    private var lastSeenIdle: UInt64 = 0                          // nanoseconds; the watching thread's own,
    private var lastTimeAsleep: TimeInterval = 0                  // and how long the loop had slept by then

    /// Makes a monitor for the calling thread's loop, without starting it.
    /// - Parameters:
    ///   - threshold: the shortest stall, in seconds. It must be more than 0.
    ///   - log: whether each stall writes a line to stderr.
    ///   - onStall: called on the watching thread once for each stall, while it goes on.
    ///   - onEnd: called on the watching thread when a reported stall is over, with its whole length in seconds.
    @available(*, noasync, message: "the thread may change at each await: call StallWatch.started(on:)")
    public init(
        threshold: TimeInterval = 0.25, log: Bool = true, onStall: @escaping @Sendable (Stall) -> Void = { _ in },
        onEnd: @escaping @Sendable (TimeInterval) -> Void = { _ in }
    ) {
        require(threshold > 0 && threshold < 1e9, "StallWatch: the threshold must be more than 0 seconds")
        self.threshold = threshold
        self.onStall = onStall
        self.onEnd = onEnd
        writesLog = log
        threadName = Thread.isMainThread ? "the main thread" : "thread \(Thread.current.name ?? "?")"
        // An observer of no activity, which the loop releases when its thread ends.
        let end = EndOfThread(watched)
        let observer = RunLoop.Observer(activities: []) { _, _ in withExtendedLifetime(end) {} }
        endOfThread = Weak(object: observer)
        loop.add(observer, forMode: .default)
    }

    deinit {
        endOfThread.object?.invalidate()
    }

    /// Makes a monitor for the loop of a thread, and starts it: for async code, such as an async main.
    ///
    ///     let watch = try await StallWatch.started { stall in print(stall.duration) }
    ///
    /// See the initializer for the parameters. The monitor watches as long as the thread lives, unless you stop it:
    /// `try await Thread.main.run { watch.stop() }`.
    /// - Throws: a `PerformError` if the thread ends first; `CancellationError`.
    public nonisolated(nonsending) static func started(
        on thread: Thread = .main, threshold: TimeInterval = 0.25, log: Bool = true,
        onStall: @escaping @Sendable (Stall) -> Void = { _ in },
        onEnd: @escaping @Sendable (TimeInterval) -> Void = { _ in }
    ) async throws -> StallWatch {
        try await thread.run {
            let watch = StallWatch(threshold: threshold, log: log, onStall: onStall, onEnd: onEnd)
            watch.start()
            return watch
        }
    }

    /// Begins to watch all common modes.
    ///
    /// Call this on the thread on which the monitor was made; on another one it traps. A second call does nothing.
    /// Other modes are watched when the loop is found to be running in them for the threshold's time.
    @available(*, noasync, message: "the thread may change at each await: call StallWatch.started(on:)")
    public func start() {
        require(loop === RunLoop.current, "StallWatch.start(): call it on the thread on which it was made")
        require(!isStopped.load(ordering: .relaxed), "StallWatch.start(): it has been stopped. Make a new one.")
        // The first of all observers records the activity. The last one at BeforeWaiting records that the loop sleeps:
        // other observers of BeforeWaiting, such as those that draw, may stall as well.
        let first = RunLoop.Observer(order: .min) { [self] _, activity in
            add(Record(time: nanoseconds(), activity: activity))
        }
        let last = RunLoop.Observer(activities: .beforeWaiting, order: .max) { [self] _, _ in
            add(Record(time: nanoseconds(), activity: nil))
        }
        let isNew = observers.withLock { observers in
            if !observers.isEmpty { return false }
            observers = [first, last]
            return true
        }
        guard isNew else { return }
        for observer in [first, last] { loop.add(observer, forMode: .common) }
        let thread = Thread { [self] in
            watcher.withLock { $0 = .current }
            watch()
            removeObservers() // if the loop's thread has ended, they are in no loop, but retain this object
            watcher.withLock { $0 = nil }
            watching.leave()
        }
        thread.name = "StallWatch"
        watching.enter()
        thread.start()
        if thread.startError != 0 { // no thread watches
            removeObservers()
            watching.leave()
        }
    }

    /// Ends watching permanently.
    ///
    /// After it returns, the closures are not called any more, unless one of them has called it. May be called from any
    /// thread.
    @available(*, noasync, message: "it waits for the watching thread: call it in a synchronous function")
    public func stop() {
        if removeObservers() {
            isStopped.store(true, ordering: .sequentiallyConsistent)
            change.signal()
        }
        if watcher.withLock({ $0?.isCaller }) != true { watching.wait() }
    }

    /// Returns false if there are none.
    @discardableResult
    private func removeObservers() -> Bool {
        let removed = observers.withLock { observers in
            defer { observers = [] }
            return observers
        }
        for observer in removed { observer.invalidate() }
        return !removed.isEmpty
    }

    /// The number of stalls so far.
    public var stallCount: Int { stalls.load(ordering: .relaxed) }

    /// The longest time between two activities of the loop while it was awake, in seconds, since `start()`.
    ///
    /// This is the time of the longest callout, or of several that the loop made between two activities.
    public var longestCallout: TimeInterval { TimeInterval(longest.load(ordering: .relaxed)) / 1e9 }

    // MARK: - On the loop's thread

    /// When an activity began; or, with nil, when the loop fell asleep.
    package struct Record {
        fileprivate var word: UInt64 // nanoseconds, rounded down to 256, and the activity in the low 8 bits
        fileprivate init(word: UInt64) { self.word = word }

        package init(time: UInt64, activity: RunLoop.Observer.Activity?) {
            word = time & ~0xFF | UInt64(activity?.rawValue ?? 0)
        }

        package var time: UInt64 { word & ~0xFF }

        package var activity: RunLoop.Observer.Activity? {
            word & 0xFF == 0 ? nil : RunLoop.Observer.Activity(rawValue: UInt(word & 0xFF))
        }
    }

    private func add(_ new: Record) {
        let last = Record(word: record.load(ordering: .relaxed))
        record.store(new.word, ordering: .sequentiallyConsistent)
        if let activity = last.activity, activity != .exit { // else it was asleep, or outside a run
            let time = new.time - last.time
            if time > longest.load(ordering: .relaxed) { longest.store(time, ordering: .relaxed) }
        }
        if isWanted.load(ordering: .sequentiallyConsistent),
            isWanted.exchange(false, ordering: .sequentiallyConsistent) {
            timeOfChange.store(new.time, ordering: .relaxed)
            change.signal()
        }
    }

    // MARK: - On the watching thread

    private func watch() {
        while !isStopped.load(ordering: .sequentiallyConsistent), watched.isAlive {
            let seen = Record(word: record.load(ordering: .sequentiallyConsistent))
            if seen.activity == nil {
                waitForChange(of: seen)
                // A stall that begins now is reported after the threshold. If the loop is soon asleep again, it need
                // not wake this thread.
                if !isStopped.load(ordering: .sequentiallyConsistent) { _ = change.wait(timeout: .now() + threshold) }
            } else {
                let start = max(seen.time, lastSeenIdle), now = nanoseconds(), limit = UInt64(threshold * 1e9)
                if now - start < limit { _ = change.wait(timeout: .now() + .nanoseconds(Int(limit - (now - start)))) }
                else { handleSilence(since: seen, start) }
            }
        }
    }

    /// There was no activity for the threshold's time. It is no stall if the loop does not run, or if it sleeps in the
    /// mode of a nested run that the observers are not in. In that case they join the mode, and the time starts again.
    private func handleSilence(since seen: Record, _ start: UInt64) {
        let current = observers.withLock { $0 }
        guard let mode = loop.currentMode, let first = current.first else { return isIdle() }
        let isUnwatched = !loop.contains(first, forMode: mode)
        if isUnwatched { for observer in current { loop.add(observer, forMode: mode) } }
        // The loop may have slept and not yet recorded that it is awake.
        let hasJustSlept = start == lastSeenIdle && loop.timeAsleep > lastTimeAsleep
        if isUnwatched || loop.isWaiting || hasJustSlept { return isIdle() }
        let addresses = sample(seen)
        let duration = TimeInterval(nanoseconds() - start) / 1e9
        let stall = Stall(activity: seen.activity!, mode: mode, duration: duration, addresses: addresses)
        stalls.wrappingAdd(1, ordering: .relaxed)
        if writesLog {
            writeToStandardError(stall.line(thread: threadName))
        }
        onStall(stall)
        waitForChange(of: seen)
        if isStopped.load(ordering: .sequentiallyConsistent) || !watched.isAlive { return }
        onEnd(TimeInterval(max(timeOfChange.load(ordering: .relaxed), start) - start) / 1e9)
    }

    private func isIdle() { (lastSeenIdle, lastTimeAsleep) = (nanoseconds(), loop.timeAsleep) }

    /// The stack of the loop's thread in the stall; empty if the thread has not answered in time.
    ///
    /// The signal ends a sleep such as usleep, and so the stall may end with it. The sample is from the stall
    /// nevertheless if it came at once.
    private func sample(_ seen: Record) -> [UInt] {
        for _ in 0..<5 where record.load(ordering: .sequentiallyConsistent) == seen.word {
            let asked = nanoseconds(), addresses = watched.stack()
            let isFromStall =
                record.load(ordering: .sequentiallyConsistent) == seen.word || nanoseconds() - asked < 10_000_000
            if !addresses.isEmpty && isFromStall { return addresses }
        }
        return []
    }

    private func waitForChange(of seen: Record) {
        isWanted.store(true, ordering: .sequentiallyConsistent)
        let now = Record(word: record.load(ordering: .sequentiallyConsistent))
        if now.word != seen.word, isWanted.exchange(false, ordering: .sequentiallyConsistent) {
            timeOfChange.store(now.time, ordering: .relaxed)
        } else {
            watched.wait(at: change)
        }
    }
}

/// The thread that has made this object, whose stack another thread samples. Its pthread must not be used after its
/// end, so the end waits until no sample is being taken.
private final class WatchedThread: @unchecked Sendable {
    private let thread = SystemThread.current
    private let state = Mutex((isAlive: true, waiting: [ObjectIdentifier: DispatchSemaphore]()))

    var isAlive: Bool { state.withLock { $0.isAlive } }

    /// The addresses on the thread's stack; none if the thread has ended or does not answer.
    func stack() -> [UInt] {
        state.withLock { state in
            guard state.isAlive else { return [] }
            return thread.stack(mostFrames: 256, milliseconds: 1000)
        }
    }

    /// Waits at a semaphore until it is signalled or the thread ends.
    func wait(at semaphore: DispatchSemaphore) {
        let key = ObjectIdentifier(semaphore)
        let isAlive = state.withLock { state in
            if state.isAlive { state.waiting[key] = semaphore }
            return state.isAlive
        }
        if isAlive { semaphore.wait() }
        state.withLock { _ = $0.waiting.removeValue(forKey: key) }
    }

    /// Called on the thread when it ends.
    func end() {
        let waiting = state.withLock { state in
            state.isAlive = false
            return state.waiting.values
        }
        for semaphore in waiting { semaphore.signal() }
    }
}

/// Tells a watched thread's object that the thread ends, with its last reference, which the loop has.
private final class EndOfThread {
    private let watched: WatchedThread

    init(_ watched: WatchedThread) { self.watched = watched }

    deinit { watched.end() }
}

extension RunLoop {
    /// How many passes the loop has made, in all its runs.
    ///
    /// Every loop counts them. May be called from any thread.
    public var passCount: Int { counts.passes }

    /// How many seconds the loop has slept, in all its runs.
    ///
    /// Every loop counts them. It does not include a sleep that is still going on. May be called from any thread.
    public var timeAsleep: TimeInterval { counts.timeAsleep }
}
#endif
