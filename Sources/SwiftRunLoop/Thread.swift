// Thread.swift: Foundation's Thread: an object for each pthread that this class starts, and for any other pthread that
// asks for its object.

#if os(Linux)
internal import CRunLoop
public import FoundationEssentials
import Synchronization

/// A thread of the process (NSThread).
///
/// Make one with a closure, or override `main()` in a subclass; then call `start()`. A thread retains its object until
/// it has ended. It has no run loop until it asks for one, or until another thread performs a call on it. The loop ends
/// with the thread:
///
///     let thread = Thread {
///         RunLoop.current.add(Port(), forMode: .default)
///         while !Thread.current.isCancelled { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
///     }
///     thread.start()
///     thread.perform { print("on the thread") }
///
/// All members may be used from any thread. A subclass restates the conformance to Sendable, and guards the state that
/// it adds: `final class Worker: Thread, @unchecked Sendable`.
open class Thread: RunLoopObject, @unchecked Sendable {
    /// The data that the lock guards.
    struct State {
        enum Life { case created, starting, executing(RunningThread), finished }

        var life = Life.created
        var calls = Calls()
        var wasCancelled = false
        var name: String?
        var stackSize = defaultStackSize
        var qualityOfService: Int?
        var block: (@Sendable () -> Void)?
        var startError: Int32 = 0

        /// Returns whether the thread is to run.
        mutating func start() -> Bool {
            guard case .created = life else {
                fatalError("Thread.start(): the thread has been started before. Make a new Thread for each start.")
            }
            life = wasCancelled ? .finished : .starting
            return !wasCancelled
        }

        /// The thread, if it has begun and has not ended.
        var running: RunningThread? {
            guard case .executing(let thread) = life, !thread.isEndedMainThread else { return nil }
            return thread
        }

        var isFinished: Bool {
            switch life {
            case .created, .starting: false
            case .executing(let thread): thread.isEndedMainThread
            case .finished: true
            }
        }
    }

    let state = Mutex(State())

    /// Those who wait for the thread's end; nil when it has ended.
    private let ends = Mutex<[@Sendable () -> Void]?>([])
    private var number: Int // set before other threads know the object

    /// The number of destructor rounds until the slot releases the object. Used by the thread itself only.
    fileprivate var roundsLeft = destructorRounds - 1

    /// The thread's loop, if another thread has made it. Used by the thread itself only, when it ends.
    final var loopAtEnd: RunLoop?

    /// Makes a thread that will call `main()`. Call `start()` to run it.
    public init() {
        number = lastThreadNumber.wrappingAdd(1, ordering: .relaxed).newValue
    }

    /// Makes a thread that calls a closure and then ends. Call `start()` to run it. The closure is released when it has
    /// returned.
    public convenience init(block: @escaping @Sendable () -> Void) {
        self.init()
        state.withLock { $0.block = block }
    }

    /// The object of a thread that is running already. (As a convenience initialiser, it leaves subclasses
    /// `init(block:)`.)
    fileprivate convenience init(adopting thread: RunningThread) {
        self.init()
        state.withLock { $0.life = .executing(thread) }
        if !thread.isMainThread { return }
        // The number that it has taken goes back, if no other thread has taken the next one.
        _ = lastThreadNumber.compareExchange(expected: number, desired: number - 1, ordering: .relaxed)
        number = 1
    }

    /// Starts a new thread that calls a closure (detachNewThreadWithBlock:), unless the system cannot create one: see
    /// `start()`.
    open class func detachNewThread(_ block: @escaping @Sendable () -> Void) { Thread(block: block).start() }

    /// The calling thread. Each call returns the same object, which the thread retains until it ends.
    @available(*, noasync)
    open class var current: Thread { ThreadSlot.current }

    /// The main thread. After `dispatchMain()`, and under an async main without `RunLoop.runsInAsyncMain`, it is
    /// finished.
    open class var mainThread: Thread { ThreadSlot.main }

    /// The main thread, under the name that Swift gives it on a Mac (mainThread).
    open class var main: Thread { mainThread }

    /// Whether the calling thread is the main thread.
    open class var isMainThread: Bool { _CFIsMainThread() }

    /// Whether this is the main thread.
    @available(*, noasync)
    open var isMainThread: Bool { self === Thread.mainThread }

    /// Whether this is the calling thread. It makes no object for a thread that has none.
    var isCaller: Bool { self === ThreadSlot.main ? _CFIsMainThread() : ThreadSlot.key.object === self }

    /// Starts the thread, which calls `main()`.
    ///
    /// You can start a thread once; a second call traps. A thread that has been cancelled before finishes without
    /// running.
    ///
    /// If the system cannot create the thread, or has no memory for its stack, the thread is finished at once.
    /// A line on stderr has the reason, performing a call on the thread throws an error, and the closure is released.
    open func start() {
        guard state.withLock({ $0.start() }) else {
            finish()
            return hasEnded()
        }
        if !hasStartedThread.exchange(true, ordering: .relaxed) { SystemNotification.willBecomeMultiThreaded.post(nil) }
        let error = startDetachedThread(startThread, with: self, stackSize: stackSize)
        if error == 0 { return }
        writeToStandardError(
            "Thread.start(): the system cannot create \(self): \(text(ofError: error)). The thread is finished.\n")
        state.withLock { $0.startError = error }
        finish()
        releaseBlock()
        hasEnded()
    }

    /// Calls the closure with which the thread was made. The new thread calls this; do not call it yourself.
    ///
    /// A subclass overrides it with the thread's code, and need not call super.
    open func main() {
        let block = state.withLock { $0.block }
        block?()
    }

    /// The error number of pthread_create if `start()` could not create a thread, usually EAGAIN; otherwise 0.
    package var startError: Int32 { state.withLock { $0.startError } }

    /// The whole life of a started thread, on that thread.
    fileprivate func run() {
        begin(on: .thread(pthread_self()))
        main()
        SystemNotification.threadWillExit.post(self)
        finish()
        releaseBlock()
    }

    private func releaseBlock() { _ = state.withLock { $0.block.take() } } // released without the lock

    /// Waits until the thread has ended: its code, its run loop and the destructors of its data.
    ///
    /// A thread that has not been started must be started by another one meanwhile. The calling thread and the main
    /// thread trap.
    @available(*, noasync, message: "await finished(), which does not block")
    public final func join() {
        require(!isCaller, "Thread.join(): a thread cannot wait for its own end")
        let isOver = DispatchSemaphore(value: 0)
        atEnd { isOver.signal() }
        isOver.wait()
    }

    /// Waits until the thread has ended, as `join()` does, without blocking the calling thread.
    ///
    /// The cancellation of the task does not end the wait. The main thread traps.
    public nonisolated(nonsending) final func finished() async {
        await withCheckedContinuation { continuation in atEnd { continuation.resume() } }
    }

    private func atEnd(_ notify: @escaping @Sendable () -> Void) {
        require(self !== Thread.mainThread, "Thread: the main thread's end cannot be waited for")
        let mustWait = ends.withLock { ends in
            ends?.append(notify)
            return ends != nil
        }
        if !mustWait { notify() }
    }

    /// Notifies those who wait for the end.
    fileprivate func hasEnded() {
        let waiting = ends.withLock { $0.take() }
        for notify in waiting ?? [] { notify() }
    }

    /// Ends the calling thread immediately. The main thread's process continues until its other threads have ended.
    ///
    /// `main()` does not return, and the objects that functions on the stack retain are not released.
    @available(*, noasync)
    open class func exit() {
        SystemNotification.threadWillExit.post(current) // no variable: it would never be released
        current.finish()
        pthread_exit(nil)
    }

    /// Sets `isCancelled`, which the thread's code must check.
    ///
    /// A thread that is asleep in its run loop does not notice; perform a call on it to wake it.
    open func cancel() { state.withLock { $0.wasCancelled = true } }

    /// Whether `cancel()` has been called.
    open var isCancelled: Bool { state.withLock { $0.wasCancelled } }

    /// Whether the thread is running: true from its beginning until `main()` has returned.
    open var isExecuting: Bool { state.withLock { $0.running != nil } }

    /// Whether the thread has ended, because `main()` has returned or in another way.
    open var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Blocks the calling thread until a date, by the system's clock. Its run loop does not run meanwhile.
    @available(*, noasync, message: "await Task.sleep, which does not block the thread")
    open class func sleep(until date: Date) { sleepUntil(date.timeIntervalSince1970, of: CLOCK_REALTIME) }

    /// Blocks the calling thread for a number of seconds, if there are more than 0. Its run loop does not run
    /// meanwhile.
    @available(*, noasync, message: "await Task.sleep, which does not block the thread")
    open class func sleep(forTimeInterval interval: TimeInterval) {
        if interval > 0 { sleepUntil(monotonicTime() + interval, of: CLOCK_MONOTONIC) }
    }

    /// The thread's name, for debuggers and `ps`.
    ///
    /// This property keeps the whole name; the kernel keeps the characters that fit into 15 bytes. If you have not set
    /// a name, this is the kernel's name of a running thread, and nil for a thread that is not running. For the main
    /// thread that is the process's name; other threads inherit the name of the thread that starts them. Setting nil
    /// empties the kernel's name of a running thread.
    open var name: String? {
        get { state.withLock { state in state.name ?? state.running.map { kernelName(of: $0.pthread) } } }
        set {
            state.withLock { state in
                state.name = newValue
                if let running = state.running { setKernelName(of: running.pthread, to: newValue ?? "") }
            }
        }
    }

    /// The size of the thread's stack in bytes. Set it before `start()`.
    ///
    /// The default is 8 MB unless the process has another limit. Values below the system's minimum are ignored; the
    /// largest is 1 GB.
    open var stackSize: Int {
        get { state.withLock { $0.stackSize } }
        set {
            guard newValue >= leastStackSize else { return }
            state.withLock { $0.stackSize = min(newValue, 1 << 30) }
        }
    }

    /// The raw value of Foundation's QualityOfService, which SwiftRunLoopFoundation shows; nil stands for the default.
    package final var qualityOfServiceValue: Int? {
        get { state.withLock { $0.qualityOfService } }
        set { state.withLock { $0.qualityOfService = newValue } }
    }

    /// What SwiftRunLoopFoundation has for this thread: its dictionary. While the thread runs, it alone may use this.
    package final var dictionary: AnyObject?

    /// Whether the thread is running and is not the calling one.
    package final var runsElsewhere: Bool {
        !isCaller && state.withLock { state in
            switch state.life {
            case .created, .finished: false
            case .starting, .executing: true
            }
        }
    }

    /// The thread as a Mac prints it: its address, its number (1 for the main thread) and its name ("main" or "(null)"
    /// without one).
    open var description: String {
        let name = state.withLock { $0.name } ?? (number == 1 ? "main" : "(null)")
        return "<\(type(of: self)): \(address)>{number = \(number), name = \(name)}"
    }
}

/// The outermost frame of every thread that this class starts, under its name on a Mac. The thread's slot retains the
/// object until the thread ends. This frame does not, because its reference would leak when the thread ends by
/// `exit()`.
@_cdecl("__NSThread__start__")
@safe private func startThread(_ retainedThread: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    ThreadSlot.key.adopt(retainedThread)
    // Safe because the slot has the object. No wrapper: its frame would be in the stack of every thread.
    unsafe Unmanaged<Thread>.fromOpaque(retainedThread!)._withUnsafeGuaranteedRef { $0.run() }
    return nil
}

/// The last of the numbers that descriptions show. The main thread has 1.
private let lastThreadNumber = Atomic(1)

/// Whether this class has started a thread.
private let hasStartedThread = Atomic(false)

/// The thread-specific slot that retains the object. The system calls destructors in the order of their keys. The C
/// library's key must come first, so that the callbacks of an ending run loop still find the object; autoreleasing an
/// object makes that key.
private enum ThreadSlot {
    static let key: ThreadKey<Thread> = {
        makeThreadKeyOfCLibrary()
        return ThreadKey { ThreadSlot.key.threadEnds($0, threadEnds) }
    }()

    /// Set when the slot has released the object. If a later destructor asks for the thread, it gets an object that
    /// only it retains.
    private static let isEmptied = ThreadFlag()
    static let main = Thread(adopting: .main)

    static var current: Thread {
        if let thread = key.object { return thread }
        let thread = _CFIsMainThread() ? main : Thread(adopting: .thread(pthread_self()))
        if !isEmptied.isSet { key.keep(thread) }
        return thread
    }

    /// Called in each destructor round. The first call marks the thread as finished, for the threads that wait for it.
    /// The slot releases the object only in the last round but one, because other destructors may ask for the thread.
    /// (In the last round, tools such as ThreadSanitizer have ended.)
    private static func threadEnds(_ thread: Thread) -> Bool {
        if thread.roundsLeft == destructorRounds - 1 { thread.finish() }
        thread.roundsLeft -= 1
        // A loop that the thread has only now taken over ends in the last round, before this.
        let endsLater = thread.roundsLeft == 0 && thread.loopAtEnd?.hasEnded == false
        guard thread.roundsLeft <= 0, !endsLater else { return false }
        thread.loopAtEnd = nil
        _ = thread.dictionary.take() // a deinitializer in it may ask for the dictionary, which is a new one then
        isEmptied.set()
        thread.hasEnded()
        return true
    }
}
#endif
