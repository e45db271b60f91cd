// Source.swift: a version 0 source, with a closure where C has a function and a pointer.

import CRunLoop

/// A source of input that is signalled by hand (CFRunLoopSource of version 0; not public in Foundation). (I1)
///
/// Whoever has something for a loop's thread to do signals the source and wakes the loop. The loop then calls `perform`, in step 4
/// of its next pass:
///
///     source.signal()
///     CFRunLoopWakeUp(CFRunLoopGetMain())
///
/// A loop keeps its sources: one that has been added goes on working after the last Swift reference is gone, until it is removed or
/// invalidated or the loop's thread ends. All methods may be called from any thread.
public final class Source: @unchecked Sendable {
    /// The C source, for functions of the C library that have no face here. Not retained for the caller.
    public let cfSource: OpaquePointer

    /// Makes a source that no loop has yet.
    /// - Parameters:
    ///   - order: among the signalled sources of a pass, a lower order comes first.
    ///   - perform: called on the thread of the loop in which the source is. It is released when the source is gone from all loops and
    ///     from Swift.
    public init(order: Int = 0, perform: @escaping () -> Void) {
        var context = CFRunLoopSourceContext()
        context.info = SourceHandler(perform: perform).retainedForContext()
        context.release = releaseSource
        context.perform = performSource
        cfSource = CFRunLoopSourceCreate(nil, order, &context)
    }

    deinit {
        CFRelease(UnsafeRawPointer(cfSource))
    }

    /// Adds the source to a mode of a loop; adding it twice does nothing, and neither does adding an invalid source.
    /// - Parameters:
    ///   - runLoop: what CFRunLoopGetCurrent or CFRunLoopGetMain returns.
    ///   - mode: the mode's name; kCFRunLoopCommonModes stands for all common modes.
    public func add(to runLoop: OpaquePointer, forMode mode: OpaquePointer) {
        CFRunLoopAddSource(runLoop, cfSource, mode)
    }

    /// Takes the source out of a mode of a loop; if it is not there, nothing happens.
    public func remove(from runLoop: OpaquePointer, forMode mode: OpaquePointer) {
        CFRunLoopRemoveSource(runLoop, cfSource, mode)
    }

    /// Marks the source as having something to do. A loop that sleeps goes on sleeping until CFRunLoopWakeUp, or something else, wakes it.
    /// Signals do not add up: `perform` is called once for all that came before it.
    public func signal() {
        CFRunLoopSourceSignal(cfSource)
    }

    /// Takes the source out of all modes of all loops, for good.
    public func invalidate() {
        CFRunLoopSourceInvalidate(cfSource)
    }

    /// False after `invalidate()`.
    public var isValid: Bool { CFRunLoopSourceIsValid(cfSource) }
}
