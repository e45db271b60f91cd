// Thread.swift: Foundation's Thread. A pthread with an object: one that is started here, or any other that asks for its own.

internal import CRunLoop
public import FoundationEssentials
internal import Glibc
import Synchronization

/// A thread (NSThread).
///
/// Make one with a closure, or derive a class and override `main()`; then `start()` it. A thread keeps itself alive until it has ended. It
/// has no run loop until it asks for one, or something is performed on it; the loop ends with the thread:
///
///     let thread = Thread {
///         RunLoop.current.add(Port(), forMode: .default)
///         while !Thread.current.isCancelled { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
///     }
///     thread.start()
///     try Thread.perform(on: thread, waitUntilDone: false) { print("on the thread") }
///
/// All members may be used from any thread, `threadDictionary` excepted. As in Foundation, the class is not Sendable: subclasses may have
/// state of any kind. Foundation's `callStackSymbols` and `callStackReturnAddresses` are not here; `Backtrace.capture()` of the
/// toolchain's module Runtime tells more, static functions included.
open class Thread: IdentityHashable, CustomStringConvertible {
    /// What several threads ask and set.
    private struct State {
        enum Life { case created, starting, executing, finished }

        var life: Life
        var wasCancelled = false
        var name: String?
        var stackSize = defaultStackSize
        var qualityOfService = QualityOfService.default
        var block: (@Sendable () -> Void)?
        var startError: Int32 = 0

        /// Whether the thread is to run.
        mutating func start() -> Bool {
            precondition(life == .created, "Thread.start(): the thread has been started before. Make a new Thread for each start.")
            life = wasCancelled ? .finished : .starting
            return !wasCancelled
        }
    }

    /// The calls that other threads want made on this thread.
    let performs: PerformQueue

    private let state: Mutex<State>
    private let number: Int

    /// In how many more rounds of destructors the slot is called before it lets the object go; the thread's own.
    fileprivate var roundsLeft = destructorRounds

    // MARK: Making one

    /// Makes a thread that does what its `main()` says. It does not run before `start()`.
    public init() {
        performs = PerformQueue()
        state = Mutex(State(life: .created))
        number = nextThreadNumber()
    }

    /// Makes a thread that calls `block` and ends. The block is released when it has returned.
    public convenience init(block: @escaping @Sendable () -> Void) {
        self.init()
        state.withLock { $0.block = block }
    }

    /// The object for a thread that is running already.
    fileprivate init(adopting thread: RunningThread) {
        performs = PerformQueue(on: thread)
        state = Mutex(State(life: .executing))
        number = thread.isMainThread ? 1 : nextThreadNumber()
    }

    /// Makes a thread that calls `block`, and starts it (NSThread's detachNewThreadWithBlock:). If the system has no thread left, `block` is
    /// released without having been called: see `start()`.
    open class func detachNewThread(_ block: @escaping @Sendable () -> Void) {
        Thread(block: block).start()
    }

    // MARK: Which threads there are

    /// The calling thread. A thread that was not made by this class gets its object here; it is the same one each time, and goes with the
    /// thread.
    @available(*, noasync)
    open class var current: Thread { ThreadSlot.current }

    /// The main thread, from anywhere. With an async main and after `dispatchMain()` it is soon finished: see
    /// `performOnMainThread(waitUntilDone:modes:_:)`.
    open class var mainThread: Thread { ThreadSlot.main }

    /// The same as `mainThread`, as Swift calls it on a Mac (mainThread).
    open class var main: Thread { mainThread }

    /// Whether the calling thread is the main thread.
    open class var isMainThread: Bool { _CFIsMainThread() }

    /// Whether this is the main thread.
    @available(*, noasync)
    open var isMainThread: Bool { self === Thread.mainThread }

    /// Whether the process has, or may have had, more than one thread. Always true, as in Foundation on Linux.
    open class func isMultiThreaded() -> Bool { true }

    // MARK: Running it

    /// Starts the thread, which calls `main()`. Once only: a second call stops the program. A thread that has been cancelled before is
    /// finished without having run.
    ///
    /// So is one for which the system has no thread left, or no memory for its stack: `startError` then says why, one line on stderr says
    /// so, what waits to be performed on the thread gets an error, and the block is released. (Foundation on Linux says nothing; its thread is
    /// never executing nor finished.)
    open func start() {
        if state.withLock({ $0.start() }) { create() } else { performs.end() }
    }

    /// What the thread does: calls the block that it was made with, if any. Subclasses override it; there is no need to call super. Not to
    /// be called by hand.
    open func main() {
        let block = state.withLock { $0.block }
        block?()
    }

    private func create() {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, stackSize)
        var thread = pthread_t()
        let retained = Unmanaged.passRetained(self)
        let error = pthread_create(&thread, &attributes, startThread, retained.toOpaque())
        if error != 0 {
            doWithout(error)
            retained.release()
        }
    }

    /// There is no thread: what has been performed on it or waits in its block goes, as at a thread's end.
    private func doWithout(_ error: Int32) {
        let text = "Thread.start(): the system has no thread left for \(self): \(String(cString: strerror(error))). It is finished.\n"
        _ = write(STDERR_FILENO, text, text.utf8.count)
        state.withLock { $0.startError = error }
        finish()
        releaseBlock()
    }

    /// Why `start()` found no thread: an error number of pthread_create, EAGAIN as a rule. 0 if it has found one, or has not been called.
    public var startError: Int32 { state.withLock { $0.startError } }

    /// The whole life of a started thread, on the thread.
    fileprivate func run() {
        performs.begin(on: .thread(pthread_self())) // before `life` changes: who sees the thread execute may name it
        state.withLock { state in
            state.life = .executing
            if let name = state.name { setKernelName(of: pthread_self(), to: name) }
        }
        main()
        finish()
        releaseBlock()
    }

    private func releaseBlock() {
        let block = state.withLock { $0.block.take() }
        withExtendedLifetime(block) {} // it goes here, with nothing locked
    }

    /// From here on nothing can be performed on the thread, and nobody may touch it. To be called on the thread, or after its end if nothing
    /// was ever performed on it; again does nothing.
    fileprivate func finish() {
        performs.end()
        state.withLock { $0.life = .finished }
    }

    /// Ends the calling thread at once: `main()` does not return, and what the functions on its stack hold is not released. On the main
    /// thread, the process goes on until its other threads have ended.
    @available(*, noasync)
    open class func exit() {
        current.finish()
        pthread_exit(nil)
    }

    /// Asks the thread to end: sets `isCancelled`, no more. It is for `main()` to look at that. A thread asleep in its run loop does not
    /// notice; perform something on it.
    open func cancel() {
        state.withLock { $0.wasCancelled = true }
    }

    /// Whether `cancel()` has been called.
    open var isCancelled: Bool { state.withLock { $0.wasCancelled } }
    /// Whether the thread is running: true from when it begins until `main()` has returned.
    open var isExecuting: Bool { state.withLock { $0.life == .executing } }
    /// Whether `main()` has returned or the thread has ended otherwise.
    open var isFinished: Bool { state.withLock { $0.life == .finished } }

    // MARK: Sleeping

    /// Has the calling thread sleep until the system's clock shows `date`; in the past: does nothing. Its run loop does not run meanwhile.
    @available(*, noasync, message: "await Task.sleep, which does not block the thread")
    open class func sleep(until date: Date) {
        sleep(CLOCK_REALTIME, until: date.timeIntervalSince1970)
    }

    /// Has the calling thread sleep that many seconds; 0 and less: does nothing. Its run loop does not run meanwhile.
    @available(*, noasync, message: "await Task.sleep, which does not block the thread")
    open class func sleep(forTimeInterval interval: TimeInterval) {
        guard interval > 0 else { return }
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        sleep(CLOCK_MONOTONIC, until: TimeInterval(now.tv_sec) + TimeInterval(now.tv_nsec) / 1e9 + interval)
    }

    private class func sleep(_ clock: clockid_t, until seconds: TimeInterval) {
        guard seconds > 0 else { return }
        let seconds = min(seconds, 1e10) // more than the kernel can count, and than anybody will wait
        let whole = seconds.rounded(.down)
        var deadline = timespec(tv_sec: Int(whole), tv_nsec: min(Int((seconds - whole) * 1e9), 999_999_999))
        while clock_nanosleep(clock, Int32(TIMER_ABSTIME), &deadline, nil) == EINTR {}
    }

    // MARK: Properties

    /// The thread's name, for debuggers and `ps`. The kernel keeps up to 15 bytes of it, whole characters; this property keeps all of it.
    /// (Foundation on Linux ignores a name of more than 15 bytes.)
    ///
    /// If no name has been set: the name that the kernel has for a running thread, and nil for one that is not running. For the main thread
    /// that is the process's name, as in Foundation on Linux; other threads inherit the name of the thread that starts them. Setting nil
    /// empties the kernel's name of a running thread.
    open var name: String? {
        get { state.withLock { $0.name ?? performs.running.map { kernelName(of: $0.pthread) } } }
        set {
            state.withLock { state in
                state.name = newValue
                if state.life == .executing, let running = performs.running { setKernelName(of: running.pthread, to: newValue ?? "") }
            }
        }
    }

    /// The size of the thread's stack in bytes, 8 MB unless the process has another limit. To be set before `start()`. The system needs a
    /// certain least size: what is less is ignored. More than 1 GB is taken as 1 GB.
    open var stackSize: Int {
        get { state.withLock { $0.stackSize } }
        set {
            guard newValue >= leastStackSize else { return }
            state.withLock { $0.stackSize = min(newValue, 1 << 30) }
        }
    }

    /// Kept for who asks for it, and without effect: see `QualityOfService`.
    open var qualityOfService: QualityOfService {
        get { state.withLock { $0.qualityOfService } }
        set { state.withLock { $0.qualityOfService = newValue } }
    }

    /// A place for what belongs to this thread. To be used on the thread alone; it is emptied when the thread ends.
    open private(set) var threadDictionary = ThreadDictionary()

    /// The thread's C run loop if it has one, otherwise NULL. Not retained: it goes with its thread.
    var runLoopIfAny: OpaquePointer? { performs.runLoopIfAny }

    // MARK: As an object

    /// The thread as a Mac prints it: its address, its number (the main thread's is 1) and the name that it was given; without one,
    /// "main" for the main thread and "(null)" for others.
    open var description: String {
        let address = String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
        let name = state.withLock { $0.name } ?? (number == 1 ? "main" : "(null)")
        return "<\(type(of: self)): 0x\(address)>{number = \(number), name = \(name)}"
    }
}

// MARK: - The thread's beginning

/// The outermost frame of every thread that is started here; on a Mac it has the same name. The thread keeps its object through its
/// slot, which also sees to the end: what is held by this frame would be lost when the thread ends by `exit()`.
@_cdecl("__NSThread__start__")
private func startThread(_ retainedThread: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    ThreadSlot.fill(with: retainedThread!)
    Unmanaged<Thread>.fromOpaque(retainedThread!)._withUnsafeGuaranteedRef { $0.run() }
    return nil
}

/// The number that `description` shows. The main thread has 1.
private func nextThreadNumber() -> Int {
    lastThreadNumber.wrappingAdd(1, ordering: .relaxed).newValue
}

private let lastThreadNumber = Atomic(1)

// MARK: - Which object belongs to the calling thread

/// The thread-specific slot that holds the object, retained. The C library's key is made first (which setting an allocator does): destructors
/// are called in the order of their keys, so that the callbacks of an ending run loop still find the object.
private enum ThreadSlot {
    private static let key = {
        CFAllocatorSetDefault(CFAllocatorGetDefault())
        return makeKey(destructor: threadEnds)
    }()
    /// Set when the object has gone. A destructor that asks for the thread even then gets an object of its own.
    private static let endedKey = makeKey(destructor: nil)

    nonisolated(unsafe) static let main = {
        nonisolated(unsafe) let thread = Thread(adopting: .main)
        MainThreadEnd.whenItComes { thread.finish() }
        return thread
    }()

    static var current: Thread {
        if let object = pthread_getspecific(key) { return Unmanaged<Thread>.fromOpaque(object).takeUnretainedValue() }
        let thread = _CFIsMainThread() ? main : Thread(adopting: .thread(pthread_self()))
        if pthread_getspecific(endedKey) == nil { fill(with: Unmanaged.passRetained(thread).toOpaque()) }
        return thread
    }

    static func fill(with object: UnsafeMutableRawPointer) {
        set(key, to: object)
    }

    static func empty() {
        set(key, to: nil)
        set(endedKey, to: UnsafeMutableRawPointer(bitPattern: 1)!)
    }

    private static func set(_ key: pthread_key_t, to value: UnsafeMutableRawPointer?) {
        if pthread_setspecific(key, value) != 0 { fatalError("Thread: no memory is left for the data of a thread.") }
    }

    private static func makeKey(destructor: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?) -> pthread_key_t {
        var key = pthread_key_t()
        let error = pthread_key_create(&key, destructor)
        if error != 0 { fatalError("Thread: the system has no key left for data of threads: \(String(cString: strerror(error))).") }
        return key
    }
}

/// The slot's destructor. Destructors of others may still ask for the thread: the object stays for all rounds of destructors but the last,
/// in which tools such as ThreadSanitizer are gone already. But it is finished at once, for those who wait for it.
private func threadEnds(_ object: UnsafeMutableRawPointer?) {
    let thread = Unmanaged<Thread>.fromOpaque(object!)
    let isLastRound = thread._withUnsafeGuaranteedRef { thread in
        if thread.roundsLeft == destructorRounds { thread.finish() }
        thread.roundsLeft -= 1
        return thread.roundsLeft == 0
    }
    ThreadSlot.fill(with: object!)
    guard isLastRound else { return }
    thread._withUnsafeGuaranteedRef { $0.threadDictionary.removeAllObjects() }
    ThreadSlot.empty()
    thread.release()
}

// MARK: - What the system says

private let destructorRounds = sysconf(Int32(_SC_THREAD_DESTRUCTOR_ITERATIONS)) - 1
private let leastStackSize = sysconf(Int32(_SC_THREAD_STACK_MIN))

private let defaultStackSize: Int = {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    var size = 0
    pthread_attr_getstacksize(&attributes, &size)
    return size
}()
