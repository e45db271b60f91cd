// AutoreleasePool.swift: pools that delay the release of objects, and the two observers that drain one in each pass of a loop.
//
// On a Mac the ObjC runtime provides the pools, and Foundation wraps them as NSAutoreleasePool. Swift does not need pools to manage memory,
// and on Linux nothing is autoreleased implicitly: a pool holds the objects that you give it. The library has no pools for Swift. The articles
// tell of them, so the lab has.
//
// Claims in ANNOTATIONS.md: (O3, A10)

import CRunLoop
import Glibc
import SwiftRunLoop

/// The autorelease pools of the calling thread (NSAutoreleasePool).
///
/// The innermost pool retains each object passed to `autorelease(_:)` until the pool ends. Pools nest: each thread has a stack of them. A pool
/// also releases the objects that C code has given to `CFAutorelease` during it.
enum AutoreleasePool {
    /// Identifies a pool that has begun, for `pop(_:)` on the same thread.
    struct Token: Equatable {
        /// Unique among the pools of the thread.
        fileprivate let number: UInt64
    }

    /// Begins a pool inside the calling thread's current pools (objc_autoreleasePoolPush).
    /// - Returns: the token for `pop(_:)` on the same thread.
    @available(*, noasync)
    static func push() -> Token {
        ThreadPools.current.push()
    }

    /// Ends a pool and all pools begun inside it, and releases their objects, the newest first (objc_autoreleasePoolPop).
    ///
    /// If the deinitializers of these objects autorelease others, these are released as well. As on a Mac, the call traps if the pool has
    /// already ended or belongs to another thread.
    @available(*, noasync)
    static func pop(_ token: Token) {
        ThreadPools.current.pop(token)
    }

    /// Gives an object to the innermost pool, which retains it until the pool ends (the method autorelease).
    ///
    /// If you pass an object several times, it is retained several times. On a thread without a pool, the object is retained until the
    /// thread ends; on the main thread, permanently.
    /// - Returns: the object.
    @discardableResult
    static func autorelease<Object: AnyObject>(_ object: Object) -> Object {
        ThreadPools.current.add(object)
        return object
    }

    /// Adds two observers to the calling thread's loop that give each run in a mode its own pool.
    ///
    /// The first observer, with the order -2147483647, is called before all others at Entry and begins a pool. The last observer, with the
    /// order 2147483647, is called after all others: at BeforeWaiting it ends the pool and begins another, and at Exit it ends the pool. So
    /// objects that a callback autoreleases live until the pass is over. On a Mac the application object installs them in the main loop before it
    /// runs it; Foundation's loops on other threads have no such pool.
    ///
    /// A second call has no effect. If a mode gets the observers during a run, because it is declared common, the run has a pool from its next
    /// BeforeWaiting on. The observers stay until the thread ends.
    /// - Parameters:
    ///   - runLoop: the calling thread's loop; any other one traps.
    ///   - mode: one mode, or `.common` for all common modes, as on a Mac.
    @available(*, noasync)
    static func install(in runLoop: RunLoop, forMode mode: RunLoop.Mode = .common) {
        precondition(_CFRunLoopIsCurrent(runLoop.getCFRunLoop()), "AutoreleasePool.install(in:forMode:) must be called on the thread of the run loop")
        ThreadPools.current.observers.install(in: runLoop, forMode: mode)
    }
}

/// Calls a closure in its own pool, which ends when the closure returns or throws (`@autoreleasepool { }`).
///
/// On a Mac this function is in the module ObjectiveC. May be called on any thread.
/// - Returns: the result of `body`.
@available(*, noasync)
func autoreleasepool<Result: ~Copyable, Failure: Error>(invoking body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let token = AutoreleasePool.push()
    defer { AutoreleasePool.pop(token) }
    return try body()
}

// MARK: - The observers

/// The two observers of a thread's loop, and the pools of its runs.
private final class DrainingObservers {
    /// The pool of a run, and the number of nested runs when it was begun, including that run.
    private struct RunPool {
        var token: AutoreleasePool.Token
        var depth: Int
    }

    /// The pools of the current runs, the innermost last. A run in a mode without the observers has none.
    private var runPools: [RunPool] = []
    /// Made when they are first installed.
    private var observers: [CFRunLoopObserver] = []

    func install(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        if observers.isEmpty { observers = [makeObserver(.entry, order: -2_147_483_647), makeObserver([.beforeWaiting, .exit], order: 2_147_483_647)] }
        mode.withCFName { name in
            for observer in observers { CFRunLoopAddObserver(runLoop.getCFRunLoop(), observer, name) }
        }
    }

    func handle(_ activity: CFRunLoopActivity) {
        let depth = _CFRunLoopGetDepth()
        if let last = runPools.last, last.depth == depth {
            runPools.removeLast()
            ThreadPools.current.popIfBegun(last.token) // it may have ended with a pool around it
        }
        if activity != .exit {
            runPools.append(RunPool(token: AutoreleasePool.push(), depth: depth))
        }
    }

    /// The observer does not retain its info: these pools live as long as their thread, and the loop ends with the thread.
    private func makeObserver(_ activities: CFRunLoopActivity, order: Int) -> CFRunLoopObserver {
        let info = Unmanaged.passUnretained(self).toOpaque()
        var context = CFRunLoopObserverContext(version: 0, info: info, retain: nil, release: nil, copyDescription: nil)
        return CFRunLoopObserverCreate(nil, activities.rawValue, true, order, _wrapRunLoopWithAutoreleasePoolHandler, &context)!
    }
}

/// The callback of both observers, under the name that it has on a Mac.
@_cdecl("_wrapRunLoopWithAutoreleasePoolHandler")
func _wrapRunLoopWithAutoreleasePoolHandler(_ observer: CFRunLoopObserver?, _ activity: CFRunLoopActivity, _ info: UnsafeMutableRawPointer?) {
    let observers = Unmanaged<DrainingObservers>.fromOpaque(info!).takeUnretainedValue()
    observers.handle(activity)
    withExtendedLifetime(observers) {}
}

// MARK: - The pools of a thread

/// The stack of pools of a thread, and the objects that they retain. Thread-specific data retains it. Used on its thread only.
private final class ThreadPools {
    /// A pool that has begun: the index of its first object among the thread's objects, and the pool of the objects that C has autoreleased
    /// (CFAutorelease).
    private struct Pool {
        var token: AutoreleasePool.Token
        var start: Int
        var cPool: UnsafeMutableRawPointer?
    }

    private var pools: [Pool] = []
    /// The objects of all pools, oldest first, preceded by those autoreleased without a pool.
    private var objects: [AnyObject] = []
    private var lastNumber: UInt64 = 0
    let observers = DrainingObservers()

    func push() -> AutoreleasePool.Token {
        lastNumber += 1
        let token = AutoreleasePool.Token(number: lastNumber)
        pools.append(Pool(token: token, start: objects.count, cPool: _CFAutoreleasePoolPush()))
        return token
    }

    func pop(_ token: AutoreleasePool.Token) {
        precondition(popIfBegun(token), "this autorelease pool has already ended, or belongs to another thread")
    }

    /// False if the pool has already ended.
    @discardableResult
    func popIfBegun(_ token: AutoreleasePool.Token) -> Bool {
        guard let index = pools.lastIndex(where: { $0.token == token }) else { return false }
        let ended = pools[index]
        pools.removeSubrange(index...)
        release(from: ended.start)
        _CFAutoreleasePoolPop(ended.cPool)
        release(from: ended.start) // what C's finalizers have autoreleased
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
        if let pools = pthread_getspecific(key) { return Unmanaged<ThreadPools>.fromOpaque(pools).takeUnretainedValue() }
        let pools = ThreadPools()
        pthread_setspecific(key, Unmanaged.passRetained(pools).toOpaque())
        return pools
    }

    /// The pools stay set while their objects are released, because the deinitializers of these may autorelease. They also stay as long as
    /// the thread has its run loop, so that another destructor round follows: callbacks at the end of the loop may autorelease, and the
    /// loop's observers refer to these pools.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        let error = pthread_key_create(&key) { value in
            pthread_setspecific(ThreadPools.key, value)
            let pools = Unmanaged<ThreadPools>.fromOpaque(value!)
            pools.takeUnretainedValue().empty()
            guard _CFRunLoopGet0b(pthread_self()) == nil else { return }
            pthread_setspecific(ThreadPools.key, nil)
            pools.release()
        }
        precondition(error == 0, "the system cannot create a key for thread-specific data")
        return key
    }()

    private func empty() {
        pools = []
        release(from: 0)
    }
}
