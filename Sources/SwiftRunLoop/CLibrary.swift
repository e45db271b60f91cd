// CLibrary.swift: the C library's objects as the rest of this layer uses them.
//
// To Swift a CFRunLoopRef is a pointer, and a use of a pointer is unsafe. The functions below are safe under one condition: the object has
// not been deallocated. A Swift object that has a C object retains it, so its calls through these functions need no `unsafe`. The compiler
// checks this with -strict-memory-safety, and Scripts/check-memory-safety asks it to.
//
// A public member that gives or takes a C object stays unsafe for clients, because they may release the object. So `Timer.cfTimer` has an
// internal copy, `cTimer`, that is safe to use here; sources and observers, too.
//
// `unsafe` in another file marks what the reader must check there: a CFRelease, a callback's `info`, a thread's data, a buffer for a system
// call. The two functions that run a loop have no wrapper either, because a wrapper would add a frame to every stack of a debug build.

internal import CRunLoop

extension CFRunLoop {
    /// The calling thread's loop.
    @safe static var current: CFRunLoop { unsafe CFRunLoopGetCurrent()! }

    /// The main thread's loop.
    @safe static var main: CFRunLoop { unsafe CFRunLoopGetMain()! }

    /// The RunLoop of this loop. Nil if none has been set, and after the loop's thread has ended.
    @safe var counterpart: RunLoop? { unsafe _CFRunLoopGet2(self).map { unsafe Unmanaged.fromOpaque($0).takeUnretainedValue() } }

    /// Whether there is a counterpart. This does not retain it.
    @safe var hasCounterpart: Bool { unsafe _CFRunLoopGet2(self) != nil }

    @safe var isCallingThreads: Bool { unsafe _CFRunLoopIsCurrent(self) }
    @safe var isWaiting: Bool { unsafe CFRunLoopIsWaiting(self) }
    @safe func wakeUp() { unsafe CFRunLoopWakeUp(self) }
    @safe func stop() { unsafe CFRunLoopStop(self) }

    /// The mode in which the loop is running; nil if it is not running.
    @safe var currentMode: RunLoop.Mode? {
        guard let name = unsafe CFRunLoopCopyCurrentMode(self) else { return nil }
        defer { unsafe CFRelease(name) }
        return RunLoop.Mode(String(cfString: name))
    }

    @safe var allModes: [RunLoop.Mode] {
        let names = unsafe CFRunLoopCopyAllModes(self)!
        defer { unsafe CFRelease(names) }
        return unsafe (0..<CFArrayGetCount(names)).map { index in
            unsafe RunLoop.Mode(String(cfString: CFArrayGetValueAtIndex(names, index)!.assumingMemoryBound(to: __CFString.self)))
        }
    }

    @safe func addCommonMode(_ mode: CFRunLoopMode) { unsafe CFRunLoopAddCommonMode(self, mode) }

    /// Whether a run in the mode would end at once.
    @safe func isFinished(_ mode: CFRunLoopMode) -> Bool { unsafe _CFRunLoopFinished(self, mode) }

    /// The fire date of the mode's next timer; 0 if it has none.
    @safe func nextFireDate(_ mode: CFRunLoopMode) -> CFAbsoluteTime { unsafe CFRunLoopGetNextTimerFireDate(self, mode) }

    @safe func add(_ source: CFRunLoopSource, _ mode: CFRunLoopMode) { unsafe CFRunLoopAddSource(self, source, mode) }
    @safe func remove(_ source: CFRunLoopSource, _ mode: CFRunLoopMode) { unsafe CFRunLoopRemoveSource(self, source, mode) }
    @safe func contains(_ source: CFRunLoopSource, _ mode: CFRunLoopMode) -> Bool { unsafe CFRunLoopContainsSource(self, source, mode) }

    @safe func add(_ observer: CFRunLoopObserver, _ mode: CFRunLoopMode) { unsafe CFRunLoopAddObserver(self, observer, mode) }
    @safe func remove(_ observer: CFRunLoopObserver, _ mode: CFRunLoopMode) { unsafe CFRunLoopRemoveObserver(self, observer, mode) }
    @safe func contains(_ observer: CFRunLoopObserver, _ mode: CFRunLoopMode) -> Bool {
        unsafe CFRunLoopContainsObserver(self, observer, mode)
    }

    @safe func add(_ timer: CFRunLoopTimer, _ mode: CFRunLoopMode) { unsafe CFRunLoopAddTimer(self, timer, mode) }
    @safe func remove(_ timer: CFRunLoopTimer, _ mode: CFRunLoopMode) { unsafe CFRunLoopRemoveTimer(self, timer, mode) }
    @safe func contains(_ timer: CFRunLoopTimer, _ mode: CFRunLoopMode) -> Bool { unsafe CFRunLoopContainsTimer(self, timer, mode) }

    /// Schedules a block for a mode.
    @safe func perform(_ mode: CFRunLoopMode, _ block: @escaping () -> Void) {
        unsafe CFRunLoopPerformBlock(self, UnsafeRawPointer(mode), block)
    }

    /// Schedules a block for several modes.
    @safe func perform(_ modes: [RunLoop.Mode], _ block: @escaping () -> Void) {
        var names: [UnsafeRawPointer?] = unsafe modes.map { unsafe UnsafeRawPointer($0.cfString) }
        let array = unsafe withUnsafePointer(to: kCFTypeArrayCallBacks) { unsafe CFArrayCreate(nil, &names, names.count, $0)! }
        unsafe CFRunLoopPerformBlock(self, array, block)
        unsafe CFRelease(array)
    }

    /// What the loop has counted.
    @safe var traceState: CFRunLoopTraceState {
        var state = CFRunLoopTraceState()
        unsafe CFRunLoopTraceGetState(self, &state)
        return state
    }
}

extension CFRunLoopSource {
    @safe var isValid: Bool { unsafe CFRunLoopSourceIsValid(self) }
    @safe var isSignalled: Bool { unsafe CFRunLoopSourceIsSignalled(self) }
    @safe var order: Int { unsafe CFRunLoopSourceGetOrder(self) }
    @safe func signal() { unsafe CFRunLoopSourceSignal(self) }
    @safe func invalidate() { unsafe CFRunLoopSourceInvalidate(self) }
    @safe func watch(_ events: CFWatchEvents) { unsafe CFRunLoopSourceSetWatchEvents(self, events) }

    /// The descriptor of a source of version 1; nil if the source is of version 0.
    @safe var fileDescriptor: Int32? {
        var context = unsafe CFRunLoopSourceContext1()
        unsafe context.version = 1
        unsafe withUnsafeMutablePointer(to: &context) { context in
            unsafe context.withMemoryRebound(to: CFRunLoopSourceContext.self, capacity: 1) { unsafe CFRunLoopSourceGetContext(self, $0) }
        }
        return unsafe context.version == 1 ? context.getPort(context.info) : nil
    }

    /// The context. Its callbacks for the object have the same place in both versions.
    var context: CFRunLoopSourceContext {
        var context = unsafe CFRunLoopSourceContext()
        unsafe CFRunLoopSourceGetContext(self, &context)
        return unsafe context
    }
}

extension CFRunLoopObserver {
    @safe var isValid: Bool { unsafe CFRunLoopObserverIsValid(self) }
    @safe var activities: CFOptionFlags { unsafe CFRunLoopObserverGetActivities(self) }
    @safe var order: Int { unsafe CFRunLoopObserverGetOrder(self) }
    @safe var repeats: Bool { unsafe CFRunLoopObserverDoesRepeat(self) }
    @safe func invalidate() { unsafe CFRunLoopObserverInvalidate(self) }
}

extension CFRunLoopTimer {
    @safe var isValid: Bool { unsafe CFRunLoopTimerIsValid(self) }
    @safe var interval: CFTimeInterval { unsafe CFRunLoopTimerGetInterval(self) }
    @safe func invalidate() { unsafe CFRunLoopTimerInvalidate(self) }

    @safe var nextFireDate: CFAbsoluteTime {
        get { unsafe CFRunLoopTimerGetNextFireDate(self) }
        nonmutating set { unsafe CFRunLoopTimerSetNextFireDate(self, newValue) }
    }

    @safe var tolerance: CFTimeInterval {
        get { unsafe CFRunLoopTimerGetTolerance(self) }
        nonmutating set { unsafe CFRunLoopTimerSetTolerance(self, newValue) }
    }
}

/// Adds a reference to a C object, which the caller releases with CFRelease.
/// - Returns: the object.
@safe func retained<Object>(_ object: UnsafeMutablePointer<Object>) -> UnsafeMutablePointer<Object> {
    unsafe CFRetain(object)
    return unsafe object
}
