// AutoreleasePool.swift: pools for objects that are to live a little longer, and the two observers that empty one in each pass of a loop.
//
// On a Mac the ObjC runtime has the pools, Foundation shows them as NSAutoreleasePool, and AppKit or UIKit installs the observers on the
// main loop when the application object starts. Swift needs no pool to manage memory, and on Linux nothing autoreleases by itself: a pool
// holds what was given to it, and the observers are there for who asks for them.

internal import CRunLoop
internal import Glibc

/// The autorelease pools of the calling thread (NSAutoreleasePool). (O3, A10)
///
/// An object given to `autorelease(_:)` is held until the innermost pool ends. Pools nest: each thread has a stack of them. To be sure that a
/// pool ends, use the function `autoreleasepool(invoking:)`, which stands for `@autoreleasepool { }`:
///
///     for file in files {
///         autoreleasepool {
///             let text = AutoreleasePool.autorelease(Text(of: file))
///             show(text)
///         } // here the text goes
///     }
///
/// A run loop empties a pool in each pass if it has been told to by `install(in:forMode:)`.
///
/// Every function works on the calling thread's pools, and may be called on any thread.
public enum AutoreleasePool {
    /// A pool on its thread's stack, for `pop(_:)`. Of use on that thread only.
    public struct Token: Equatable {
        /// No two pools of a thread have the same number.
        fileprivate let number: UInt64
    }

    /// Begins a pool inside those that the thread has (objc_autoreleasePoolPush).
    /// - Returns: what `pop(_:)` is to be given on the same thread.
    @available(*, noasync)
    public static func push() -> Token {
        ThreadPools.current.push()
    }

    /// Ends a pool and all that were begun inside it since (objc_autoreleasePoolPop), and lets go of what they hold: the newest object first,
    /// as on a Mac. What is autoreleased by the deinitializers of these objects goes as well.
    ///
    /// A pool that has ended already, or that is another thread's, stops the program, as on a Mac.
    @available(*, noasync)
    public static func pop(_ token: Token) {
        ThreadPools.current.pop(token)
    }

    /// Has the innermost pool hold an object until that pool ends (the method autorelease). An object that is given several times is held
    /// several times. On a thread without a pool it is held until the thread ends; on the main thread, for good.
    /// - Returns: the object.
    @discardableResult
    public static func autorelease<Object: AnyObject>(_ object: Object) -> Object {
        ThreadPools.current.add(object)
        return object
    }

    /// Gives each run of the calling thread's loop in a mode a pool, by two observers. (O3)
    ///
    /// The first is called before all others at Entry and begins a pool; its order is -2147483647. The last is called after all others, with
    /// the order 2147483647: at BeforeWaiting it ends the pool and begins another, at Exit it ends the pool. So what a callback autoreleases is
    /// there until its pass is over. Both call `_wrapRunLoopWithAutoreleasePoolHandler`, as a debugger shows it on a Mac.
    ///
    /// On a Mac the application object calls something of this kind for the main loop, before it runs it, and Foundation's loops on other
    /// threads do without. Here nobody calls it unasked: a program that wants a pool on its main loop says
    /// `AutoreleasePool.install(in: .main)` on the main thread, first thing. It may do so for the loop of any thread, on that thread.
    ///
    /// Installing twice is the same as once. If the loop is running in the mode, that run's pool begins at once, around the pools that its
    /// callback has begun: an `autoreleasepool` that encloses the call still ends before it. The observers are there until the thread ends.
    ///
    /// Each run has a pool of its own. A run whose mode gets the observers later, because it is declared common, has its pool from its next
    /// BeforeWaiting on.
    /// - Parameters:
    ///   - runLoop: the calling thread's loop; another one stops the program.
    ///   - mode: one mode, or `.common` for all common modes, as on a Mac.
    @available(*, noasync)
    public static func install(in runLoop: RunLoop, forMode mode: RunLoop.Mode = .common) {
        precondition(runLoop.isCurrent, "an autorelease pool must be installed on the thread of its run loop")
        ThreadPools.current.observers.install(in: runLoop.cfRunLoop, forMode: mode.cfString)
    }
}

@available(*, unavailable)
extension AutoreleasePool.Token: Sendable {}

/// Calls `body` in a pool of its own, which ends when `body` returns or throws (`@autoreleasepool { }`). As in the ObjC module on a Mac.
/// - Returns: what `body` returns.
@available(*, noasync)
public func autoreleasepool<Result: ~Copyable, Failure: Error>(invoking body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let token = AutoreleasePool.push()
    defer { AutoreleasePool.pop(token) }
    return try body()
}

// MARK: - The observers

/// The two observers of a thread's loop, and the pools of its runs.
private final class PoolObservers {
    /// The pool of a run, and how many runs are going on inside which it was begun, that run included.
    private struct RunPool {
        var token: AutoreleasePool.Token
        var depth: Int
    }

    /// The pools of the runs that are going on, the innermost run's last. A run in a mode without the observers has none.
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

    /// The run has been going on since before the observers were there: its pool goes below those that this callback has begun.
    private func beginInCallback() {
        let depth = _CFRunLoopGetDepth()
        forgetRuns(deeperThan: depth)
        guard runPools.last?.depth != depth else { return }
        runPools.append(RunPool(token: ThreadPools.current.insert(belowDepth: depth), depth: depth))
    }

    func handle(_ activity: CFRunLoopActivity) {
        let depth = _CFRunLoopGetDepth()
        forgetRuns(deeperThan: depth)
        // At Entry a pool of this depth is that of a run that ended without its Exit.
        if let last = runPools.last, last.depth == depth {
            runPools.removeLast()
            ThreadPools.current.popIfBegun(last.token) // a pool around it may have ended, and it with it
        }
        if activity != CFRunLoopActivity(kCFRunLoopExit) {
            runPools.append(RunPool(token: AutoreleasePool.push(), depth: depth))
        }
    }

    /// Runs that were left without their Exit (by longjmp) have left their pools: these end with the pool around them.
    private func forgetRuns(deeperThan depth: Int) {
        while let last = runPools.last, last.depth > depth { runPools.removeLast() }
    }

    private func makeObservers() -> [OpaquePointer] {
        let entry = CFOptionFlags(kCFRunLoopEntry)
        let beforeWaitingAndExit = CFOptionFlags(kCFRunLoopBeforeWaiting | kCFRunLoopExit)
        return [makeObserver(entry, order: -2_147_483_647), makeObserver(beforeWaitingAndExit, order: 2_147_483_647)]
    }

    /// The observer does not hold its info: these pools live as long as their thread, and the loop ends with it.
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

/// The stack of pools of a thread, and the objects that they hold. It is reached through a pthread key, and used on its thread only.
private final class ThreadPools {
    /// A pool that has been begun: where its objects start among those of the thread, and how many runs of the thread's loop were going on
    /// inside each other.
    private struct Pool {
        var token: AutoreleasePool.Token
        var start: Int
        var depth: Int
    }

    private var pools: [Pool] = []
    /// What all pools hold, oldest first, and in front of it what was autoreleased without a pool.
    private var objects: [AnyObject] = []
    private var lastNumber: UInt64 = 0
    let observers = PoolObservers()

    func push() -> AutoreleasePool.Token {
        let token = nextToken()
        pools.append(Pool(token: token, start: objects.count, depth: _CFRunLoopGetDepth()))
        return token
    }

    /// Begins a pool for a run of that depth, around the pools that have been begun in its callbacks: what these hold stays theirs.
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
        precondition(popIfBegun(token), "this autorelease pool has ended already, or belongs to another thread")
    }

    /// False if the pool has ended already.
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

    /// Each object goes when the array is not in use: its deinitializer may autorelease, push and pop in turn.
    private func release(from start: Int) {
        while objects.count > start {
            let object = objects.removeLast()
            withExtendedLifetime(object) {}
        }
    }

    // MARK: On a thread and at its end

    /// The calling thread's, made when it is first asked for.
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
        precondition(error == 0, "there is no pthread key left for the autorelease pools of threads")
        return key
    }()

    /// The key's destructor. Meanwhile the key is set again, for deinitializers that autorelease. It stays set, and so gets another round of
    /// destructors, as long as the thread has its run loop: the end of that may autorelease, and its observers know these pools.
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
