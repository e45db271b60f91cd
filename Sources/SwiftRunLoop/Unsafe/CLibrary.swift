// CLibrary.swift: what the rest of this layer cannot do with the C library's functions without a mark. Swift retains
// and releases a loop and its items, and the C library's functions for these are safe; blocks, arrays and other
// pointers are not. The marks stand in this folder only: for the functions here, the twins in Twin.swift, callbacks in
// CallbackInfo.swift, strings in StringBridge.swift, threads in SystemThreads.swift, system calls in SystemCalls.swift.
// Scripts/check-memory-safety has the few exceptions.

#if os(Linux)
internal import CRunLoop

extension CFRunLoop {
    /// The RunLoop of this loop, which is made if there is none.
    @safe var runLoop: RunLoop { twin(of: self) ?? RunLoop.make(for: self) }

    /// The mode in which the loop is running; nil if it is not running.
    @safe var currentMode: RunLoop.Mode? {
        unsafe CFRunLoopCopyCurrentMode(self).map { RunLoop.Mode(String(taking: $0)) }
    }

    @safe var allModes: [RunLoop.Mode] {
        let names = unsafe CFRunLoopCopyAllModes(self)!
        defer { unsafe CFRelease(names) }
        return unsafe (0..<CFArrayGetCount(names)).map { index in
            unsafe RunLoop.Mode(String(
                cfString: CFArrayGetValueAtIndex(names, index)!.assumingMemoryBound(to: __CFString.self)))
        }
    }

    /// Schedules a block for a mode.
    @safe func perform(_ mode: CFRunLoopMode, _ block: @escaping () -> Void) {
        unsafe CFRunLoopPerformBlock(self, UnsafeRawPointer(mode), block)
    }

    /// Schedules a block for several modes.
    @safe func perform(_ modes: [RunLoop.Mode], _ block: @escaping () -> Void) {
        let names = unsafe withUnsafePointer(to: kCFTypeArrayCallBacks) { unsafe CFArrayCreateMutable(nil, 0, $0)! }
        for mode in modes { unsafe CFArrayAppendValue(names, mode.cfString) }
        unsafe CFRunLoopPerformBlock(self, names, block)
        unsafe CFRelease(names)
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
