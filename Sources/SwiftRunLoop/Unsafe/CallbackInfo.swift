// CallbackInfo.swift: Swift objects as the `info` of C sources, observers and timers.
//
// A C object that is made here gives its info to each of its callbacks. The callback gets the object back with
// `Handler.of(info)`. That is safe under two conditions. The callback belongs to a C object that was made with an info
// of this class: it is named in the same file as the function that makes the C object. And the info lives until the
// callback returns: the C object retains it, or its maker keeps it.

#if os(Linux)
internal import CRunLoop
internal import FoundationEssentials

/// An object that is the `info` of a C object.
protocol CallbackInfo: AnyObject {
    /// The text for a printed loop, which the caller releases. If it is nil, the C library prints the info's address.
    @safe func makeDescription() -> CFString?
}

extension CallbackInfo {
    @safe func makeDescription() -> CFString? { nil }

    /// The object, from the `info` that a callback receives.
    @inline(__always) @safe static func of(_ info: UnsafeMutableRawPointer?) -> Self {
        unsafe Unmanaged.fromOpaque(info!).takeUnretainedValue()
    }

    fileprivate var info: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }
}

extension CFRunLoopSource {
    typealias Perform = @convention(c) (UnsafeMutableRawPointer?) -> Void

    /// Makes a source of version 0. It releases its info when it is deallocated.
    @safe static func make(order: Int, _ info: some CallbackInfo, perform: Perform) -> CFRunLoopSource {
        var context = unsafe CFRunLoopSourceContext(
            version: 0, info: info.info, retain: retainInfo, release: releaseInfo, copyDescription: describeInfo,
            equal: nil, hash: nil, schedule: nil, cancel: nil, perform: perform)
        defer { withExtendedLifetime(info) {} }
        return unsafe CFRunLoopSourceCreate(nil, order, &context)!
    }

    /// Makes a source of version 1. It releases its info when it is deallocated.
    @safe static func make(
        order: Int, _ info: some CallbackInfo, getPort: @convention(c) (UnsafeMutableRawPointer?) -> Int32,
        perform: Perform
    ) -> CFRunLoopSource {
        var context = unsafe CFRunLoopSourceContext1(
            version: 1, info: info.info, retain: retainInfo, release: releaseInfo, copyDescription: describeInfo,
            equal: nil, hash: nil, getPort: getPort, perform: perform)
        defer { withExtendedLifetime(info) {} }
        return unsafe withUnsafeMutableBytes(of: &context) { bytes in
            unsafe CFRunLoopSourceCreate(
                nil, order, bytes.assumingMemoryBound(to: CFRunLoopSourceContext.self).baseAddress)!
        }
    }
}

extension CFRunLoopObserver {
    /// Makes an observer. It releases its info when it is invalidated.
    @safe static func make(
        _ activities: CFOptionFlags, order: Int, repeats: Bool, _ info: some CallbackInfo,
        callback: CFRunLoopObserverCallBack
    ) -> CFRunLoopObserver {
        var context = unsafe CFRunLoopObserverContext(
            version: 0, info: info.info, retain: retainInfo, release: releaseInfo, copyDescription: describeInfo)
        defer { withExtendedLifetime(info) {} }
        return unsafe CFRunLoopObserverCreate(nil, activities, repeats, order, callback, &context)!
    }
}

extension CFRunLoopTimer {
    /// Makes a timer. It releases its info when it is invalidated.
    @safe static func make(
        fire date: Date, interval: TimeInterval, _ info: some CallbackInfo, callback: CFRunLoopTimerCallBack
    ) -> CFRunLoopTimer {
        var context = unsafe CFRunLoopTimerContext(
            version: 0, info: info.info, retain: retainInfo, release: releaseInfo, copyDescription: describeInfo)
        defer { withExtendedLifetime(info) {} }
        let time = date.timeIntervalSinceReferenceDate
        return unsafe CFRunLoopTimerCreate(nil, time, interval, 0, 0, callback, &context)!
    }
}

/// A closure as the loop calls it, from the closure as its maker has given it.
///
/// Each of the two structures consists of one closure, which is a function and its captured values; their types differ
/// in isolation alone. A cast of the closures themselves would put two more functions into each stack.
@inline(__always) @safe func callable<Given, Called>(_ given: Given) -> Called {
    unsafe unsafeBitCast(given, to: Called.self)
}

private func retainInfo(_ info: UnsafeRawPointer?) -> UnsafeRawPointer? {
    unsafe UnsafeRawPointer(Unmanaged<AnyObject>.fromOpaque(info!).retain().toOpaque())
}

private func releaseInfo(_ info: UnsafeRawPointer?) { unsafe Unmanaged<AnyObject>.fromOpaque(info!).release() }

private func describeInfo(_ info: UnsafeRawPointer?) -> CFString? {
    guard let info = unsafe info else { return nil } // the observer or timer has been invalidated
    return unsafe (Unmanaged<AnyObject>.fromOpaque(info).takeUnretainedValue() as? any CallbackInfo)?.makeDescription()
}

/// Returns a CFString, which the caller releases, for the closure that a structure consists of: "<closure 0x…: closure
/// #1 in main>". The parameter is a structure because the compiler wraps a closure in another function when it is
/// passed as a generic argument.
///
/// The C library knows only the callback that calls the closure, which is the same for all timers. The reader of a
/// printed loop looks for the closure itself. A closure is the address of its function, followed by that of its
/// captured values; the Swift ABI fixes this. If a function stands in place of a closure literal, the compiler's own
/// closure calls it, and captures it behind two words of the object header and two of the isolation.
@safe func makeClosureDescription<Holder>(_ holder: Holder) -> CFString? {
    require(MemoryLayout<Holder>.size == 2 * MemoryLayout<UInt>.size, "the structure must consist of a closure")
    let word = MemoryLayout<UInt>.size
    let (function, captured) = unsafe withUnsafeBytes(of: holder) { bytes in
        unsafe (bytes.load(as: UnsafeRawPointer.self), bytes.load(fromByteOffset: word, as: UnsafeRawPointer?.self))
    }
    var description = unsafe copyClosureDescription(function)
    if description.contains(": reabstraction thunk "), let captured = unsafe captured {
        description = unsafe copyClosureDescription(captured.load(fromByteOffset: 4 * word, as: UnsafeRawPointer.self))
    }
    return makeCFString(description)
}

private func copyClosureDescription(_ function: UnsafeRawPointer) -> String {
    unsafe String(taking: _CFCopyClosureDescription(function)!)
}
#endif
