// RunLoop.swift: the run loop of a thread: how to get it, add items to it and run it. Every method calls the CFRunLoop
// of the same thread.
//
// Claims in ANNOTATIONS.md: (R1, R3, R4, R7, S2, S3, S5, S7, S10, L1, L5, L6, L7, T1, X5, X7, A1, A2)

#if os(Linux)
public import CRunLoop
// On Linux, `import Foundation` also imports these modules and the C library. They are exported, so that a file needs
// another import alone.
@_exported public import Dispatch
@_exported public import FoundationEssentials
// Foundation declares its own TimeInterval. Exported by name, this one has lower precedence. Without this line, a file
// that imports both modules, or XCTest, would find two, and `[TimeInterval]()` would not compile.
@_exported public import typealias FoundationEssentials.TimeInterval
#if canImport(Glibc)
@_exported public import Glibc
#else
@_exported public import Musl
#endif
import Synchronization

/// The run loop of a thread (NSRunLoop), which sleeps until a timer, port or source needs attention and then calls its
/// handler.
///
/// A loop belongs to its thread: only that thread may run it, and when the thread ends, the loop ends with everything
/// in it. A RunLoop is Sendable: any thread may use it to add and remove items, to perform closures, to wake and to
/// stop the loop. If you keep a reference beyond the end of the thread, the loop is empty, and no thread runs it.
///
/// In all methods, the mode `.common` stands for all common modes; nothing runs in it.
///
/// If a thread tries to run another thread's loop, nothing runs, and the result is that of an empty mode.
@safe public final class RunLoop: RunLoopObject, @unchecked Sendable {
    /// The CFRunLoop, which retains this object until its thread ends (Unsafe/Twin.swift).
    @safe var cfRunLoop: CFRunLoop { twin.object() }
    private var twin: Twin // set before other threads know the object

    /// The calls that the loop is to make.
    let calls = CallQueue()

    /// The ports that are in the loop, which retains them: a subclass may put no source into it. Nil when the thread
    /// has ended.
    let ports = Mutex<Set<Port>?>([])
    private let companion = Mutex<(object: any LoopCompanion, isLate: Bool)?>(nil)

    @safe private init(_ cfRunLoop: CFRunLoop) { twin = Twin(cfRunLoop) }

    /// Makes the RunLoop of a C loop, unless another thread has made it meanwhile.
    @safe static func make(for cfRunLoop: CFRunLoop) -> RunLoop {
        let made = RunLoop(cfRunLoop)
        return made.twin.bind(to: made) as! RunLoop
    }

    /// The calling thread's run loop (currentRunLoop).
    ///
    /// The first call creates it; later calls return the same object.
    @available(*, noasync, message: "the thread may change at each await: use RunLoop.main, or Thread.run(inModes:_:)")
    public static var current: RunLoop { CFRunLoopGetCurrent().runLoop }

    /// The main thread's run loop (mainRunLoop).
    ///
    /// Every call returns the same object.
    public static var main: RunLoop { CFRunLoopGetMain().runLoop }

    /// The CFRunLoop behind this object, for calls to the C library (getCFRunLoop).
    ///
    /// As long as you have it, this object lives, too.
    public func getCFRunLoop() -> CFRunLoop { cfRunLoop }

    /// The mode of the innermost run, or nil if the loop is not running (currentMode).
    public var currentMode: RunLoop.Mode? { cfRunLoop.currentMode }

    /// Makes one non-blocking pass in a mode, and returns the date of the mode's next timer (limitDateForMode:).
    /// - Returns: the date, which may have passed, or `Date.distantFuture` if the mode has sources or ports but no
    ///   timer. It is nil if the mode has none of these, if `mode` is `.common`, or if this is not the calling thread's
    ///   loop.
    public func limitDate(forMode mode: RunLoop.Mode) -> Date? {
        guard isCurrent else { return nil }
        CFRunLoopRunInMode(mode.cfString, 0, true)
        if isFinished(inMode: mode) { return nil }
        let next = CFRunLoopGetNextTimerFireDate(cfRunLoop, mode.cfString)
        return next == 0 ? .distantFuture : Date(timeIntervalSinceReferenceDate: next)
    }

    /// Runs the loop once in a mode, as `run(mode:before:)` without its result (acceptInputForMode:beforeDate:).
    @available(*, noasync, message: "await Task.sleep to wait, or run(inModes:_:) to make a call on the loop's thread")
    public func acceptInput(forMode mode: Mode, before limitDate: Date) { _ = run(mode: mode, before: limitDate) }

    /// The loop with all its modes and items, in many lines, as CFCopyDescription shows it.
    public var description: String { twin.description }

    /// Whether a run in the mode would end at once.
    package func isFinished(inMode mode: Mode) -> Bool { _CFRunLoopFinished(cfRunLoop, mode.cfString) }

    /// Whether no thread will run the loop any more.
    package var hasEnded: Bool { _CFRunLoopHasEnded(cfRunLoop) }

    /// Whether this is the calling thread's loop.
    package var isCurrent: Bool { _CFRunLoopIsCurrent(cfRunLoop) }

    /// What another module keeps with this loop, made at the first call.
    package func companion<Companion: LoopCompanion>(_ make: () -> Companion) -> Companion {
        let (found, isLate) = companion.withLock { companion in
            if let object = companion?.object { return (object as! Companion, false) }
            let made = make(), isLate = hasEnded // threadEnds() may come later
            companion = (made, isLate)
            return (made, isLate)
        }
        if isLate { found.loopEnds(self) }
        return found
    }

    /// Called when the thread ends, or the main thread's own code, on that thread. Then the loop's items leave it.
    func threadEnds() {
        calls.end(self === RunLoop.main ? .mainThreadHasEnded : .threadFinishedMeanwhile)
        for port in ports.withLock({ $0.take() }) ?? [] { port.threadEnds(of: self) }
        let companion = companion.withLock { $0 }
        if companion?.isLate == false { companion?.object.loopEnds(self) }
    }
}

/// What another module keeps with a loop, which retains it.
package protocol LoopCompanion: AnyObject, Sendable {
    /// No thread runs the loop any more. Called once, on the thread that ends or, later, on any thread.
    func loopEnds(_ runLoop: RunLoop)
}

extension RunLoop {
    /// Runs the loop in the default mode until that mode has no sources, ports or timers (run).
    ///
    /// If the mode always has one of these, this never returns: `stop()` ends one run, and the next one begins at once.
    /// If you need to stop the loop, call `runUntilStopped(in:until:)` instead.
    @available(*, noasync, message: "await Task.sleep to wait, or run(inModes:_:) to make a call on the loop's thread")
    public func run() {
        while run(mode: .default, before: .distantFuture) {}
    }

    /// Runs the loop in the default mode until a date, or until that mode has no sources, ports or timers
    /// (runUntilDate:).
    ///
    /// `stop()` does not end it. If the date has passed, it makes one non-blocking pass.
    @available(*, noasync, message: "await Task.sleep to wait, or run(inModes:_:) to make a call on the loop's thread")
    public func run(until limitDate: Date) {
        while run(mode: .default, before: limitDate), Date() < limitDate {}
    }

    /// Runs the loop once in a mode, and returns after it has handled a source, a port or a performed call
    /// (runMode:beforeDate:).
    ///
    /// The run also ends at the date, after `stop()`, or when the mode has become empty. Timers fire, but do not end
    /// it. If the date has passed or is not a number, it makes one non-blocking pass.
    /// - Returns: false, without running, if the mode has no sources, ports or timers, if it is `.common`, or if this
    ///   is not the calling thread's loop. Otherwise true, whatever has ended the run.
    @available(*, noasync, message: "await Task.sleep to wait, or run(inModes:_:) to make a call on the loop's thread")
    @discardableResult
    public func run(mode: RunLoop.Mode, before limitDate: Date) -> Bool {
        guard isCurrent, !isFinished(inMode: mode) else { return false }
        CFRunLoopRunInMode(mode.cfString, limitDate.secondsLeft, true)
        return true
    }

    /// Schedules a closure to be called once, in one of the next passes of the loop (performInModes:block:).
    ///
    /// Closures are called in the order in which they were scheduled. As in Foundation, this does not wake the loop:
    /// from another thread, call `wakeUp()` afterwards, or perform the closure on the loop's thread (`Thread`). The
    /// closure's captures are sent to the loop's thread. The loop releases it after the call, or when its thread ends;
    /// if the array is empty, at once.
    public func perform(inModes modes: [RunLoop.Mode], block: sending @escaping @isolated(any) () -> Void) {
        if modes.isEmpty { return }
        let block = checked(block)
        if modes.count == 1 { return cfRunLoop.perform(modes[0].cfString, block) }
        cfRunLoop.perform(modes, block)
    }

    /// Schedules a closure to be called once in the default mode, in one of the next passes (performBlock:).
    ///
    /// See `perform(inModes:block:)`: this, too, does not wake the loop.
    public func perform(_ block: sending @escaping @isolated(any) () -> Void) {
        cfRunLoop.perform(Mode.default.cfString, checked(block))
    }

    /// Returns the closure as the loop calls it. Only one that belongs to an actor is called through another closure.
    private func checked(_ block: sending @escaping @isolated(any) () -> Void) -> () -> Void {
        struct Given { let call: @isolated(any) () -> Void }
        struct Block { let call: () -> Void }
        let given = Given(call: block), owner = ClosureOwner(given.call.isolation), block: Block = callable(given)
        if case .nobody = owner { return block.call }
        return {
            owner.check(of: "RunLoop.perform")
            block.call()
        }
    }
}

// MARK: - Beyond Foundation

extension RunLoop {
    /// Runs the loop in a mode until `stop()` is called, until a date, or until the mode has no sources, ports or
    /// timers (CFRunLoopRun, CFRunLoopRunInMode).
    ///
    /// `run()` cannot be stopped; this can, from any thread and from every callback. A stop that comes before the run
    /// begins is lost, as in the C library. To end a thread from another one, have the thread itself call `stop()`:
    ///
    ///     let thread = Thread {
    ///         RunLoop.current.add(Port(), forMode: .default)
    ///         RunLoop.current.runUntilStopped()
    ///     }
    ///     thread.start()
    ///     thread.perform { RunLoop.current.stop() }
    ///
    /// Runs nest: you may call this in a callback of the loop, and `stop()` ends the innermost run only.
    /// - Parameter limitDate: the date at which the run ends. If it has passed or is not a number, the run makes one
    ///   non-blocking pass.
    /// - Returns: `stopped`, `timedOut` or `finished`; if the run has ended for several reasons, the last of
    ///   `finished`, `stopped` and `timedOut` that applies. It is `finished`, without a run, if the mode is empty or
    ///   `.common`, or if this is not the calling thread's loop.
    @available(*, noasync, message: "await Task.sleep to wait, or run(inModes:_:) to make a call on the loop's thread")
    @discardableResult
    public func runUntilStopped(
        in mode: RunLoop.Mode = .default, until limitDate: Date = .distantFuture
    ) -> CFRunLoopRunResult {
        while true {
            guard isCurrent, !isFinished(inMode: mode) else { return .finished }
            let result = CFRunLoopRunInMode(mode.cfString, limitDate.secondsLeft, false)
            if result != .timedOut || limitDate.secondsLeft <= 0 { return result }
        }
    }

    /// Declares a mode common: everything that has been or will be added for `.common` is in this mode, too
    /// (CFRunLoopAddCommonMode).
    ///
    /// A mode cannot be undeclared. Declaring `.common` itself has no effect.
    public func addCommonMode(_ mode: RunLoop.Mode) { CFRunLoopAddCommonMode(cfRunLoop, mode.cfString) }

    /// Ends the innermost run of the loop after its current pass (CFRunLoopStop).
    ///
    /// `run()` and `run(until:)` begin another run at once. If the loop is not running, nothing happens.
    public func stop() { CFRunLoopStop(cfRunLoop) }

    /// Wakes the loop's thread if it is asleep in the loop (CFRunLoopWakeUp).
    ///
    /// Call this after `RunLoop.Source.signal()` and, from another thread, after `perform(_:)`.
    public func wakeUp() { CFRunLoopWakeUp(cfRunLoop) }

    /// Whether the loop's thread is in step 7: asleep or, in a non-blocking pass, checking which ports are ready
    /// (CFRunLoopIsWaiting).
    public var isWaiting: Bool { CFRunLoopIsWaiting(cfRunLoop) }

    /// The modes of the loop, in no particular order: the default mode and every mode that has been used with an item
    /// (CFRunLoopCopyAllModes).
    public var allModes: [RunLoop.Mode] { cfRunLoop.allModes }
}

extension CFRunLoopRunResult: @retroactive CustomStringConvertible {
    /// The name of the case.
    public var description: String {
        switch self {
        case .finished: "finished"
        case .stopped: "stopped"
        case .timedOut: "timedOut"
        case .handledSource: "handledSource"
        @unknown default: "\(rawValue)"
        }
    }
}

extension Date {
    /// The time limit for a run that ends at this date. To the C library, a limit that is not a number is no limit.
    fileprivate var secondsLeft: CFTimeInterval {
        let seconds = timeIntervalSinceNow
        return seconds.isNaN ? 0 : seconds
    }
}
#endif
