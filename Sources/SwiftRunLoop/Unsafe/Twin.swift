// Twin.swift: the objects of this layer and their C objects. On a Mac an NSTimer and its CFRunLoopTimer are one object.
// Here they are twins:
//
//     Timer     retains   C timer     for life
//     C timer   retains   Timer       as long as something else has the C timer, too: a loop for example
//
// So a loop retains its Timers, and whoever holds a Timer holds its C timer, and no cycle is left (_CFSetTwin). It is
// the same with RunLoops, Sources, Observers and Ports.

#if os(Linux)
internal import CRunLoop

/// An object's reference to its C object. The object has it as a property, and calls `bind` when it has been
/// initialized.
@safe struct Twin: ~Copyable, @unchecked Sendable {
    /// The C object.
    @inline(__always) @safe func object<CObject>() -> CObject { unsafe unsafeBitCast(pointer, to: CObject.self) }

    /// The C object as CFCopyDescription describes it.
    @safe var description: String { unsafe String(descriptionOf: pointer) }

    // Retained: the optimizer of Swift 6.3 may leak a reference in a structure with a deinit.
    private let pointer: UnsafeRawPointer
    private var isBound = false

    init(_ object: some Any) { unsafe pointer = CFRetain(address(of: object)) }

    /// Makes `twin` the twin of the C object, or returns the one that it has.
    mutating func bind(to twin: AnyObject) -> AnyObject {
        let pointer = unsafe UnsafeRawPointer(Unmanaged.passUnretained(twin).toOpaque())
        isBound = true // before other threads can find the twin
        let chosen = unsafe _CFSetTwin(self.pointer, pointer, twinCallBacks)!
        if unsafe chosen == pointer { return twin }
        isBound = false
        return unsafe Unmanaged.fromOpaque(chosen).takeUnretainedValue()
    }

    deinit {
        if isBound { unsafe _CFRemoveTwin(pointer) }
        unsafe CFRelease(pointer)
    }
}

extension RunLoop {
    /// Calls a closure that may let the caller's reference to the loop go. The reference that Swift counts for `self`
    /// is the caller's, so a strong local variable would not do.
    @safe package func whileRetained(_ body: () -> Void) {
        let reference = unsafe Unmanaged.passRetained(self)
        body()
        unsafe reference.release()
    }
}

/// The twin of a C object, which the caller has a reference to; nil if it has none.
func twin<Object: AnyObject>(of object: some Any, as type: Object.Type = Object.self) -> Object? {
    unsafe _CFGetTwin(address(of: object)).map { unsafe Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
}

/// A C object as the functions take it that are for objects of all types.
@safe func address(of object: some Any) -> UnsafeRawPointer { unsafe unsafeBitCast(object, to: UnsafeRawPointer.self) }

/// The address of a C object as a number, by which it is told from others.
func number(of object: some Any) -> UInt { UInt(bitPattern: address(of: object)) }

/// Never freed.
nonisolated(unsafe) private let twinCallBacks = {
    let callBacks = UnsafeMutablePointer<CFTwinCallBacks>.allocate(capacity: 1)
    unsafe callBacks.initialize(to: CFTwinCallBacks(retain: retainTwin, release: releaseTwin, loopHasEnded: endLoop))
    return unsafe UnsafePointer(callBacks)
}()

private func retainTwin(_ twin: UnsafeRawPointer?) { _ = unsafe Unmanaged<AnyObject>.fromOpaque(twin!).retain() }
private func releaseTwin(_ twin: UnsafeRawPointer?) { unsafe Unmanaged<AnyObject>.fromOpaque(twin!).release() }

private func endLoop(_ twin: UnsafeRawPointer?) {
    unsafe Unmanaged<RunLoop>.fromOpaque(twin!).takeUnretainedValue().threadEnds()
}
#endif
