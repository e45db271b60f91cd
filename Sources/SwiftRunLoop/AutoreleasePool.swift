// AutoreleasePool.swift: pools that delay the release of objects, and the two observers that drain one in each pass of a loop.
//
// On a Mac the ObjC runtime has the pools, Foundation shows them as NSAutoreleasePool, and AppKit or UIKit installs the observers on the
// main loop when the application object starts. Swift does not need pools to manage memory, and on Linux nothing is autoreleased
// implicitly: a pool holds the objects that you give it, and you install the observers yourself.
//
// Claims in ANNOTATIONS.md: (O3, A10)

internal import CRunLoop
internal import Glibc

/// The autorelease pools of the calling thread (NSAutoreleasePool).
///
/// The innermost pool retains an object given to `autorelease(_:)` until the pool ends. Pools nest: each thread has a stack of them. The
/// function `autoreleasepool(invoking:)`, the counterpart of `@autoreleasepool { }`, makes sure that a pool ends:
///
///     for file in files {
///         autoreleasepool {
///             let text = AutoreleasePool.autorelease(Text(of: file))
///             show(text)
///         } // the text is released here
///     }
///
/// A run loop drains a pool in each pass after `install(in:forMode:)`.
///
/// Every function uses the calling thread's pools, and may be called from any thread.
public enum AutoreleasePool {
    /// A pool on its thread's stack, for `pop(_:)` on that thread.
    public struct Token: Equatable {
        /// Unique among the pools of the thread.
        fileprivate let number: UInt64
    }

    /// Begins a pool inside the thread's current pools (objc_autoreleasePoolPush).
    /// - Returns: the token to pass to `pop(_:)` on the same thread.
    @available(*, noasync)
    public static func push() -> Token {
        ThreadPools.current.push()
    }

    /// Ends a pool and all pools begun inside it, and releases their objects, the newest first, as on a Mac (objc_autoreleasePoolPop).
    ///
    /// Objects that are autoreleased by deinitializers during this call are released as well. As on a Mac, the call traps if the pool has
    /// already ended or belongs to another thread.
    @available(*, noasync)
    public static func pop(_ token: Token) {
        ThreadPools.current.pop(token)
    }

    /// Has the innermost pool retain an object until that pool ends (the method autorelease).
    ///
    /// An object that is given several times is retained several times. On a thread without a pool, the object is retained until the thread
    /// ends; on the main thread, permanently.
    /// - Returns: the object.
    @discardableResult
    public static func autorelease<Object: AnyObject>(_ object: Object) -> Object {
        ThreadPools.current.add(object)
        return object
    }

    /// Gives each run of the calling thread's loop in a mode its own pool, by two observers.
    ///
    /// The first observer, with the order -2147483647, is called before all others at Entry and begins a pool. The last observer, with the
    /// order 2147483647, is called after all others: at BeforeWaiting it ends the pool and begins another, at Exit it ends the pool. So
    /// objects that a callback autoreleases live until the pass is over. Both observers call `_wrapRunLoopWithAutoreleasePoolHandler`, as a
    /// debugger shows on a Mac.
    ///
    /// On a Mac the application object does this for the main loop before it runs it; Foundation's loops on other threads have no such
    /// pool. Here you call it yourself. For the main loop, call `AutoreleasePool.install(in: .main)` on the main thread before anything
    /// else. You can do the same for the loop of any thread, on that thread.
    ///
    /// A second call has no effect. If the loop is already running in the mode, the pool of that run begins at once, around the pools that
    /// the current callback has begun: an `autoreleasepool` that encloses the call still ends first. The observers stay until the thread
    /// ends.
    ///
    /// Each run has its own pool. If a mode gets the observers during a run, because it is declared common, the run has a pool from its
    /// next BeforeWaiting on.
    /// - Parameters:
    ///   - runLoop: the calling thread's loop; any other one traps.
    ///   - mode: one mode, or `.common` for all common modes, as on a Mac.
    @available(*, noasync)
    public static func install(in runLoop: RunLoop, forMode mode: RunLoop.Mode = .common) {
        precondition(runLoop.isCurrent, "an autorelease pool must be installed on the thread of its run loop")
        ThreadPools.current.observers.install(in: runLoop.cfRunLoop, forMode: mode.cfString)
    }
}

@available(*, unavailable)
extension AutoreleasePool.Token: Sendable {}

/// Calls a closure in its own pool, which ends when the closure returns or throws (`@autoreleasepool { }`). The ObjC module on a Mac has
/// the same function.
/// - Returns: the result of `body`.
@available(*, noasync)
public func autoreleasepool<Result: ~Copyable, Failure: Error>(invoking body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let token = AutoreleasePool.push()
    defer { AutoreleasePool.pop(token) }
    return try body()
}

// MARK: - The observers

/// The two observers of a thread's loop, and the pools of its runs.
private final class PoolObservers {
    /// The pool of a run, and the number of nested runs when it was begun, including that run.
    private struct RunPool {
        var token: AutoreleasePool.Token
        var depth: Int
    }

    /// The pools of the current runs, the innermost last. A run in a mode without the observers has none.
    private var runPools: [RunPool] = []
    /// Made when they are first installed.
    private var observers: [OpaquePointer] = []

    deinit {
        observers.forEach { CFRelease(UnsafeRawPointer($0)) }
    }

    func install(in cfRunLoop: OpaquePointer, forMode mode: OpaquePointer) {
        if observers.isEmpty { observers = makeObservers() }
        for observer in observers { CFRunLoopAddObserver(cfRunLoop, observer, mode) }
        guard let current = CFRunLoopCopyCurrentMode(cfRunLoop) else { return }
        if CFRunLoopContainsObserver(cfRunLoop, observers[0], current) { beginInCallback() }
        CFRelease(UnsafeRawPointer(current))
    }

    /// The run began before the observers were installed, so its pool goes below the pools that this callback has begun.
    private func beginInCallback() {
        let depth = _CFRunLoopGetDepth()
        forgetRuns(deeperThan: depth)
        guard runPools.last?.depth != depth else { return }
        runPools.append(RunPool(token: ThreadPools.current.insert(belowDepth: depth), depth: depth))
    }

    func handle(_ activity: CFRunLoopActivity) {
        let depth = _CFRunLoopGetDepth()
        forgetRuns(deeperThan: depth)
        // At Entry, a pool of this depth belongs to a run that ended without its Exit.
        if let last = runPools.last, last.depth == depth {
            runPools.removeLast()
            ThreadPools.current.popIfBegun(last.token) // it may have ended with a pool around it
        }
        if activity != CFRunLoopActivity(kCFRunLoopExit) {
            runPools.append(RunPool(token: AutoreleasePool.push(), depth: depth))
        }
    }

    /// A run that was left without its Exit (by longjmp) has left its pool, which ends with the pool around it.
    private func forgetRuns(deeperThan depth: Int) {
        while let last = runPools.last, last.depth > depth { runPools.removeLast() }
    }

    private func makeObservers() -> [OpaquePointer] {
        let entry = CFOptionFlags(kCFRunLoopEntry)
        let beforeWaitingAndExit = CFOptionFlags(kCFRunLoopBeforeWaiting | kCFRunLoopExit)
        return [makeObserver(entry, order: -2_147_483_647), makeObserver(beforeWaitingAndExit, order: 2_147_483_647)]
    }

    /// The observer does not retain its info: these pools live as long as their thread, and the loop ends with the thread.
    private func makeObserver(_ activities: CFOptionFlags, order: CFIndex) -> OpaquePointer {
        var context = CFRunLoopObserverContext()
        context.info = Unmanaged.passUnretained(self).toOpaque()
        return CFRunLoopObserverCreate(nil, activities, true, order, _wrapRunLoopWithAutoreleasePoolHandler, &context)
    }
}

/// The callback of both observers, under the name that it has on a Mac.
@_cdecl("_wrapRunLoopWithAutoreleasePoolHandler")
func _wrapRunLoopWithAutoreleasePoolHandler(_ observer: OpaquePointer?, _ activity: CFRunLoopActivity, _ info: UnsafeMutableRawPointer?) {
    let observers = Unmanaged<PoolObservers>.fromOpaque(info!).takeUnretainedValue()
    observers.handle(activity)
    withExtendedLifetime(observers) {}
}

// MARK: - The pools of a thread

/// The stack of pools of a thread, and the objects that they retain. A pthread key leads to it. Used on its thread only.
private final class ThreadPools {
    /// A pool that has begun: the index of its first object among the thread's objects, and the number of nested runs of the thread's loop
    /// at that time.
    private struct Pool {
        var token: AutoreleasePool.Token
        var start: Int
        var depth: Int
    }

    private var pools: [Pool] = []
    /// The objects of all pools, oldest first, preceded by those autoreleased without a pool.
    private var objects: [AnyObject] = []
    private var lastNumber: UInt64 = 0
    let observers = PoolObservers()

    func push() -> AutoreleasePool.Token {
        let token = nextToken()
        pools.append(Pool(token: token, start: objects.count, depth: _CFRunLoopGetDepth()))
        return token
    }

    /// Begins a pool for a run of that depth, around the pools begun in its callbacks. These keep their objects.
    func insert(belowDepth depth: Int) -> AutoreleasePool.Token {
        let token = nextToken()
        let index = pools.firstIndex { $0.depth >= depth } ?? pools.endIndex
        let start = index < pools.endIndex ? pools[index].start : objects.count
        pools.insert(Pool(token: token, start: start, depth: depth), at: index)
        return token
    }

    private func nextToken() -> AutoreleasePool.Token {
        lastNumber += 1
        return AutoreleasePool.Token(number: lastNumber)
    }

    func pop(_ token: AutoreleasePool.Token) {
        precondition(popIfBegun(token), "this autorelease pool has already ended, or belongs to another thread")
    }

    /// False if the pool has already ended.
    @discardableResult
    func popIfBegun(_ token: AutoreleasePool.Token) -> Bool {
        guard let index = pools.lastIndex(where: { $0.token == token }) else { return false }
        let start = pools[index].start
        pools.removeSubrange(index...)
        release(from: start)
        return true
    }

    func add(_ object: AnyObject) {
        objects.append(object)
    }

    /// Releases each object while the array is not in use, because its deinitializer may autorelease, push and pop.
    private func release(from start: Int) {
        while objects.count > start {
            let object = objects.removeLast()
            withExtendedLifetime(object) {}
        }
    }

    // MARK: On a thread and at its end

    /// The calling thread's pools, created at first use.
    static var current: ThreadPools {
        if let known = pthread_getspecific(key) { return Unmanaged<ThreadPools>.fromOpaque(known).takeUnretainedValue() }
        let made = ThreadPools()
        pthread_setspecific(key, Unmanaged.passRetained(made).toOpaque())
        return made
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let error = pthread_key_create(&key) { pools in
            Unmanaged<ThreadPools>.fromOpaque(pools!).takeUnretainedValue().threadEnds()
        }
        precondition(error == 0, "the system cannot create a pthread key for autorelease pools")
        return key
    }()

    /// The key's destructor. It sets the key again meanwhile, for deinitializers that autorelease. As long as the thread has its run loop,
    /// the key stays set and so gets another destructor round: the end of the loop may autorelease, and its observers know these pools.
    private func threadEnds() {
        let this = Unmanaged.passUnretained(self)
        pthread_setspecific(Self.key, this.toOpaque())
        pools = []
        release(from: 0)
        if _CFRunLoopGet0b(pthread_self()) != nil { return }
        pthread_setspecific(Self.key, nil)
        this.release()
    }
}
