// CLibrary.swift: the C library's functions for a loop, as the rest of this layer uses them. Swift retains and releases
// the objects; the names of modes and other pointers are not safe. `unsafe` stands in this folder only, which wraps
// what the layer needs of C: the functions here, the twins in Twin.swift, callbacks in CallbackInfo.swift, strings in
// StringBridge.swift, threads in SystemThreads.swift, system calls in SystemCalls.swift. Scripts/check-memory-safety
// has the few exceptions.

#if os(Linux)
internal import CRunLoop

extension CFRunLoop {
    /// The calling thread's loop.
    @safe static var current: CFRunLoop { CFRunLoopGetCurrent()! }

    /// The main thread's loop.
    @safe static var main: CFRunLoop { CFRunLoopGetMain()! }

    /// The loop of a thread. It is made if the thread has none, and then DOES CALLOUT. The thread must not end
    /// meanwhile.
    @safe static func ofThread(_ thread: pthread_t) -> CFRunLoop { _CFRunLoopGet0(thread)! }

    /// The RunLoop of this loop, which is made if there is none.
    @safe var runLoop: RunLoop { twin(of: self) ?? RunLoop.make(for: self) }

    @safe var hasEnded: Bool { _CFRunLoopHasEnded(self) }
    @safe var isCallingThreads: Bool { _CFRunLoopIsCurrent(self) }
    @safe var isWaiting: Bool { CFRunLoopIsWaiting(self) }
    @safe func wakeUp() { CFRunLoopWakeUp(self) }
    @safe func stop() { CFRunLoopStop(self) }

    /// The mode in which the loop is running; nil if it is not running.
    @safe var currentMode: RunLoop.Mode? {
        unsafe CFRunLoopCopyCurrentMode(self).map { RunLoop.Mode(String(taking: $0)) }
    }

    @safe var allModes: [RunLoop.Mode] {
        let names = unsafe CFRunLoopCopyAllModes(self)!
        defer { unsafe CFRelease(names) }
        return unsafe (0..<CFArrayGetCount(names)).map { index in
            let name = unsafe CFArrayGetValueAtIndex(names, index)!
            return unsafe RunLoop.Mode(String(cfString: name.assumingMemoryBound(to: __CFString.self)))
        }
    }

    /// The descriptor by which another event loop hosts a mode of this loop; -1 if there is none.
    @safe func descriptor(_ mode: CFRunLoopMode) -> Int32 { unsafe CFRunLoopGetDescriptor(self, mode) }

    @safe func descriptorForMainQueue(_ mode: CFRunLoopMode) -> Int32 {
        unsafe _CFRunLoopGetDescriptorForMainQueue(self, mode)
    }

    @safe func addCommonMode(_ mode: CFRunLoopMode) { unsafe CFRunLoopAddCommonMode(self, mode) }

    /// Whether a run in the mode would end at once.
    @safe func isFinished(_ mode: CFRunLoopMode) -> Bool { unsafe _CFRunLoopFinished(self, mode) }

    /// The name of a mode in which the calling thread can run this loop, or nil if such a run would end at once.
    @safe func nameToRun(_ mode: RunLoop.Mode) -> CFRunLoopMode? {
        let name = mode.cfString
        return unsafe isCallingThreads && !isFinished(name) ? name : nil
    }

    /// The fire date of the mode's next timer; 0 if it has none.
    @safe func nextFireDate(_ mode: CFRunLoopMode) -> CFAbsoluteTime {
        unsafe CFRunLoopGetNextTimerFireDate(self, mode)
    }

    @safe func add(_ source: CFRunLoopSource, _ mode: CFRunLoopMode) { unsafe CFRunLoopAddSource(self, source, mode) }

    @safe func contains(_ source: CFRunLoopSource, _ mode: CFRunLoopMode) -> Bool {
        unsafe CFRunLoopContainsSource(self, source, mode)
    }

    @safe func add(_ item: RunLoop.Item, _ mode: CFRunLoopMode) {
        switch item.kind {
        case .source: unsafe CFRunLoopAddSource(self, item.object(), mode)
        case .observer: unsafe CFRunLoopAddObserver(self, item.object(), mode)
        case .timer: unsafe CFRunLoopAddTimer(self, item.object(), mode)
        }
    }

    @safe func remove(_ item: RunLoop.Item, _ mode: CFRunLoopMode) {
        switch item.kind {
        case .source: unsafe CFRunLoopRemoveSource(self, item.object(), mode)
        case .observer: unsafe CFRunLoopRemoveObserver(self, item.object(), mode)
        case .timer: unsafe CFRunLoopRemoveTimer(self, item.object(), mode)
        }
    }

    @safe func contains(_ item: RunLoop.Item, _ mode: CFRunLoopMode) -> Bool {
        switch item.kind {
        case .source: unsafe CFRunLoopContainsSource(self, item.object(), mode)
        case .observer: unsafe CFRunLoopContainsObserver(self, item.object(), mode)
        case .timer: unsafe CFRunLoopContainsTimer(self, item.object(), mode)
        }
    }

    /// Schedules a block for a mode.
    @safe func perform(_ mode: CFRunLoopMode, _ block: @escaping () -> Void) {
        unsafe CFRunLoopPerformBlock(self, UnsafeRawPointer(mode), block)
    }

    /// Schedules a block for several modes.
    @safe func perform(_ modes: [RunLoop.Mode], _ block: @escaping () -> Void) {
        var names: [UnsafeRawPointer?] = unsafe modes.map { unsafe UnsafeRawPointer($0.cfString) }
        let array = unsafe withUnsafePointer(to: kCFTypeArrayCallBacks) {
            unsafe CFArrayCreate(nil, &names, names.count, $0)!
        }
        unsafe CFRunLoopPerformBlock(self, array, block)
        unsafe CFRelease(array)
    }
}

extension RunLoop {
    /// What the loop has counted.
    package var counts: (passes: Int, timeAsleep: Double) {
        var state = CFRunLoopTraceState()
        unsafe CFRunLoopTraceGetState(cfRunLoop, &state)
        return (Int(state.passes), state.sleepTime)
    }
}
#endif
