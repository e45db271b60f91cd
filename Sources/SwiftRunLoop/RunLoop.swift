// RunLoop.swift: the run loop of a thread: getting it, filling it, running it. All of it is a face on the CFRunLoop of the same thread.

internal import CRunLoop
// What `import Foundation` brings along on Linux, so that a file needs to change nothing but that line.
@_exported public import Dispatch
@_exported public import FoundationEssentials
// Foundation declares its own TimeInterval. Named here by itself, this one gives way to it: a file that imports both modules, or XCTest,
// would otherwise find two, and `[TimeInterval]()` would not compile.
@_exported public import typealias FoundationEssentials.TimeInterval
@_exported public import Glibc

/// The run loop of a thread (NSRunLoop). It sleeps while there is nothing to do, and calls timers, ports and sources when there is. (R1)
///
/// A loop belongs to its thread: only there may it be run, and the object goes away with the thread, as does what is in it. From other
/// threads, call `perform(_:)`, `perform(inModes:block:)`, `add(_:forMode:)`, `addCommonMode(_:)`, `stop()`, `wakeUp()`, `isWaiting`,
/// `currentMode`, `allModes` and `description`, which take the locks of the C library; nothing else. (R7) Holding on to the object beyond
/// the end of its thread does no harm: it is empty then, and nobody runs it.
///
/// Running a loop on another thread than its own is refused: nothing runs, and the result is that of an empty mode.
open class RunLoop: IdentityHashable, CustomStringConvertible {
    /// The CFRunLoop, retained for as long as this object lives.
    let cfRunLoop: OpaquePointer
    /// The Swift objects in the loop, and the C observers, which the C loop cannot list.
    let timers = TimerKeeper(), observers = ObserverKeeper(), ports = PortKeeper()

    init(cfRunLoop: OpaquePointer) {
        self.cfRunLoop = cfRunLoop
        _ = CFRetain(UnsafeRawPointer(cfRunLoop))
    }

    deinit {
        CFRelease(UnsafeRawPointer(cfRunLoop))
    }

    // MARK: - Getting a run loop

    /// The calling thread's run loop: the same object every time, made at the first call (currentRunLoop). (R3)
    @available(*, noasync)
    open class var current: RunLoop { counterpart(of: CFRunLoopGetCurrent()) }

    /// The main thread's run loop: the same object every time (mainRunLoop). May be called on any thread. (R4)
    open class var main: RunLoop { mainRunLoop }

    /// It lives as long as the process.
    private nonisolated(unsafe) static let mainRunLoop = counterpart(of: CFRunLoopGetMain())

    /// The object that belongs to a C loop, which holds it until its thread ends. Two threads may ask for the main loop's at the same
    /// time: one of the two objects wins, and both get that one.
    static func counterpart(of cfRunLoop: OpaquePointer) -> RunLoop {
        if let known = _CFRunLoopGet2(cfRunLoop) { return Unmanaged<RunLoop>.fromOpaque(known).takeUnretainedValue() }
        let made = Unmanaged.passRetained(RunLoop(cfRunLoop: cfRunLoop))
        let chosen = _CFRunLoopSetCounterpart(cfRunLoop, made.toOpaque(), releaseCounterpart)!
        if chosen != UnsafeRawPointer(made.toOpaque()) { made.release() }
        return Unmanaged<RunLoop>.fromOpaque(chosen).takeUnretainedValue()
    }

    /// The CFRunLoop below, for functions of the C library. Not retained for the caller: it lives as long as this object (getCFRunLoop).
    open func getCFRunLoop() -> OpaquePointer { cfRunLoop }

    // MARK: - Modes

    /// The mode that the loop is running in, the innermost if runs are nested; nil when it is not running (currentMode). (S7)
    open var currentMode: RunLoop.Mode? { Mode.current(of: cfRunLoop) }

    // MARK: - Putting items in and taking them out

    /// Adds a timer to a mode, or with `.common` to all common modes (addTimer:forMode:). (T1, S5)
    ///
    /// The loop holds the timer until it is invalidated or the loop's thread ends. There is no taking it out but `Timer.invalidate()`.
    /// Adding a timer twice, or an invalid one, does nothing; a timer that is in another loop stays there alone.
    open func add(_ timer: Timer, forMode mode: RunLoop.Mode) {
        timer.enter(self, forMode: mode)
    }

    /// Adds a port to a mode, or with `.common` to all common modes: calls `Port.schedule(in:forMode:)` once (addPort:forMode:). The loop
    /// holds the port. Adding an invalid one does nothing. (A1)
    open func add(_ aPort: Port, forMode mode: RunLoop.Mode) {
        ports.dropInvalidForeign()
        guard aPort.isValid, aPort.join(ports, mode) == .done else { return }
        aPort.schedule(in: self, forMode: mode)
        if !aPort.isValid { aPort.part(from: ports, mode) }
        if !aPort.hasSource || aPort.decidesValidity { ports.noteForeign(aPort) }
    }

    /// Takes a port out of a mode: calls `Port.remove(from:forMode:)` once (removePort:forMode:). If it is not there, nothing happens.
    open func remove(_ aPort: Port, forMode mode: RunLoop.Mode) {
        ports.dropInvalidForeign()
        guard ports.contains(aPort, mode) else { return }
        aPort.remove(from: self, forMode: mode)
        aPort.part(from: ports, mode)
    }

    // MARK: - One pass

    /// Makes one pass of a mode without waiting, and says when its next timer is due (limitDateForMode:).
    /// - Returns: the next timer's date, which may be past; `Date.distantFuture` if the mode has sources or ports but no timer; nil if it
    ///   has neither, if `mode` is `.common`, or if this is not the calling thread's loop.
    open func limitDate(forMode mode: RunLoop.Mode) -> Date? {
        guard isCurrent else { return nil }
        ports.dropInvalidForeign()
        let name = mode.cfString
        CFRunLoopRunInMode(name, 0, true)
        if _CFRunLoopFinished(cfRunLoop, name) { return nil }
        let next = CFRunLoopGetNextTimerFireDate(cfRunLoop, name)
        return next == 0 ? .distantFuture : Date(timeIntervalSinceReferenceDate: next)
    }

    /// Runs the mode until a source or port has been handled, or until the date, or until nothing is left in it
    /// (acceptInputForMode:beforeDate:). As `run(mode:before:)`, which says more.
    @available(*, noasync)
    open func acceptInput(forMode mode: String, before limitDate: Date) {
        _ = run(mode: Mode(mode), before: limitDate)
    }

    // MARK: - Description

    /// The loop with all its modes and items, as CFCopyDescription and a debugger's `po` show it; many lines. (S2)
    open var description: String { String(describing: cfRunLoop) }

    /// Whether this is the calling thread's loop.
    var isCurrent: Bool { _CFRunLoopIsCurrent(cfRunLoop) }

    /// False when the loop's thread has ended, or is about to: a C loop has a counterpart from the first time that anybody had its RunLoop
    /// until then. Who adds something asks before and afterwards.
    var isAlive: Bool { _CFRunLoopGet2(cfRunLoop) != nil }

    /// The thread ends, and has no counterpart any more; the sources have been taken out. The rest is taken out here, even if somebody holds
    /// this object, and with it the C loop: nothing stays behind in a loop that nobody runs, and timers and observers may go on in another.
    fileprivate func threadEnds() {
        let keepers: [any LoopKeeper] = [timers, observers, ports]
        for keeper in keepers { keeper.threadEnds(of: self) }
    }
}

/// What the C loop calls when its thread ends.
private func releaseCounterpart(_ counterpart: UnsafeRawPointer?) {
    let runLoop = Unmanaged<RunLoop>.fromOpaque(counterpart!)
    runLoop.takeUnretainedValue().threadEnds()
    runLoop.release()
}

// MARK: - Running

extension RunLoop {
    /// Runs the loop in the default mode until that mode has neither sources nor timers: for most loops, for good (run).
    ///
    /// It calls `run(mode:before:)` again and again. `stop()` therefore ends one of these runs, and the next begins at once: to run a loop
    /// that can be stopped, call `run(mode:before:)` in a loop of your own that looks at a flag. (L5, A2)
    @available(*, noasync)
    public func run() {
        while run(mode: .default, before: .distantFuture) {}
    }

    /// Runs the loop in the default mode until the date, or until that mode has neither sources nor timers (runUntilDate:).
    /// `stop()` does not end it. With a date in the past it makes one pass without waiting. (L5)
    @available(*, noasync)
    public func run(until limitDate: Date) {
        while run(mode: .default, before: limitDate), Date() < limitDate {}
    }

    /// Runs the loop in a mode until a source, a port or a performed call has been handled, until `stop()`, or until the date
    /// (runMode:beforeDate:). Timers are served, but do not end the run. With a date in the past, or one that is not a number, it makes one
    /// pass without waiting. (L6)
    /// - Returns: false, at once, if the mode has neither sources nor timers, if it is `.common`, or if this is not the calling thread's
    ///   loop; otherwise true, for whatever reason the run has ended. (L1)
    @available(*, noasync)
    @discardableResult
    public func run(mode: RunLoop.Mode, before limitDate: Date) -> Bool {
        guard isCurrent else { return false }
        ports.dropInvalidForeign()
        let name = mode.cfString
        if _CFRunLoopFinished(cfRunLoop, name) { return false }
        let seconds = limitDate.timeIntervalSinceNow
        CFRunLoopRunInMode(name, seconds.isNaN ? 0 : seconds, true) // to the C library, what is not a number is no limit
        return true
    }

    // MARK: - Blocks

    /// Has the loop call `block` in one of its next passes in one of the modes; `.common` stands for all common modes
    /// (performInModes:block:). With no modes it is never called. Blocks are called once each, in the order of these calls. (X7)
    ///
    /// May be called on any thread. As in Foundation, it does not wake the loop: from another thread, call `wakeUp()` after it. The loop
    /// releases the block after the call, or when its thread ends.
    public func perform(inModes modes: [RunLoop.Mode], block: @escaping @Sendable () -> Void) {
        if modes.isEmpty { return }
        var names: [UnsafeRawPointer?] = modes.map { UnsafeRawPointer($0.cfString) }
        let array = withUnsafePointer(to: kCFTypeArrayCallBacks) { CFArrayCreate(nil, &names, names.count, $0)! }
        CFRunLoopPerformBlock(cfRunLoop, UnsafeRawPointer(array), block)
        CFRelease(UnsafeRawPointer(array))
    }

    /// Has the loop call `block` in one of its next passes in the default mode (performBlock:). See `perform(inModes:block:)`.
    public func perform(_ block: @escaping @Sendable () -> Void) {
        perform(inModes: [.default], block: block)
    }
}

// MARK: - Beyond Foundation

extension RunLoop {
    /// Declares a mode common: what has been and what will be added for `.common` is in it too. There is no way back. Declaring `.common`
    /// itself does nothing (CFRunLoopAddCommonMode). May be called on any thread. (S10)
    public func addCommonMode(_ mode: RunLoop.Mode) {
        CFRunLoopAddCommonMode(cfRunLoop, mode.cfString)
    }

    /// Ends the innermost run of the loop, after the pass that it is in (CFRunLoopStop). `run()` and `run(until:)` begin another at once.
    /// Without a run, nothing happens. May be called on any thread. (L5, L7)
    public func stop() {
        CFRunLoopStop(cfRunLoop)
    }

    /// Wakes the loop's thread if it sleeps in the loop (CFRunLoopWakeUp), as is needed after `Source.signal()` and, on another thread, after
    /// `perform(_:)`. May be called on any thread. (X5)
    public func wakeUp() {
        CFRunLoopWakeUp(cfRunLoop)
    }

    /// Whether the loop's thread is in step 7 at this moment: asleep, or, in a pass that does not sleep, looking for a port that is ready
    /// (CFRunLoopIsWaiting). May be called on any thread.
    public var isWaiting: Bool { CFRunLoopIsWaiting(cfRunLoop) }

    /// The modes that the loop has, in no order: the default mode and all whose names have been used with an item
    /// (CFRunLoopCopyAllModes). May be called on any thread. (S3)
    public var allModes: [RunLoop.Mode] {
        let names = CFRunLoopCopyAllModes(cfRunLoop)!
        defer { CFRelease(UnsafeRawPointer(names)) }
        return (0..<CFArrayGetCount(names)).map { Mode(String(cfString: OpaquePointer(CFArrayGetValueAtIndex(names, $0)))) }
    }
}
