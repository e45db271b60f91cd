// Source.swift: a version 0 source, with closures where C has functions and a pointer.

internal import CRunLoop

/// A source of input that is signalled by hand (CFRunLoopSource of version 0; not public in Foundation). (I1)
///
/// Whoever has something for a loop's thread to do signals the source and wakes the loop. The loop then calls `perform`, in step 4
/// of its next pass:
///
///     source.signal()
///     RunLoop.main.wakeUp()
///
/// A loop keeps its sources: one that has been added goes on working after the last Swift reference is gone, until it is removed or
/// invalidated or the loop's thread ends. All methods may be called from any thread.
public final class Source: IdentityHashable, CustomStringConvertible, @unchecked Sendable {
    /// What is called when the source joins a mode of a loop, or leaves one.
    public typealias Change = @Sendable (RunLoop, RunLoop.Mode) -> Void

    /// The C source, for functions of the C library that have no face here. Not retained for the caller.
    public let cfSource: OpaquePointer
    private let handler: SourceHandler

    /// Makes a source that no loop has yet. The closures are released by `invalidate()`, and when the source is gone from all loops and from
    /// Swift. The end of a loop's thread leaves the source valid, so that it may be added to another loop. One whose closure captures it stays
    /// until `invalidate()`.
    /// - Parameters:
    ///   - order: among the signalled sources of a pass, a lower order comes first.
    ///   - schedule: called when the source has been added to a mode, once for each, on the thread that did it.
    ///   - cancel: called when the source has left a mode, once for each: on the thread that removed or invalidated it, or on the loop's
    ///     thread when that ends. Only for loops that it was added to by `add(to:forMode:)`, as for `schedule`.
    ///   - perform: called on the thread of the loop in which the source is; on several threads at a time if it is in several loops.
    public init(order: Int = 0, schedule: Change? = nil, cancel: Change? = nil, perform: @escaping @Sendable () -> Void) {
        handler = SourceHandler(perform: perform, schedule: schedule, cancel: cancel)
        var context = CFRunLoopSourceContext()
        context.info = handler.retainedForContext()
        context.release = releaseSource
        context.copyDescription = describeSource
        context.perform = performSource
        if schedule != nil || cancel != nil {
            context.schedule = scheduleSource
            context.cancel = cancelSource
        }
        cfSource = CFRunLoopSourceCreate(nil, order, &context)
    }

    deinit {
        CFRelease(UnsafeRawPointer(cfSource))
    }

    /// Adds the source to a mode of a loop, or with `.common` to all common modes. Adding it twice does nothing, and neither does adding an
    /// invalid source, or adding to a loop whose thread has ended.
    public func add(to runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        handler.keep(runLoop) {
            addSource(cfSource, runLoop, mode)
        }
    }

    /// Takes the source out of a mode of a loop; if it is not there, nothing happens.
    public func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        CFRunLoopRemoveSource(runLoop.cfRunLoop, cfSource, mode.cfString)
    }

    /// Whether the source is in the mode; for `.common`: whether it was added to the common modes.
    public func isIn(_ runLoop: RunLoop, forMode mode: RunLoop.Mode) -> Bool {
        CFRunLoopContainsSource(runLoop.cfRunLoop, cfSource, mode.cfString)
    }

    /// Marks the source as having something to do. A loop that sleeps goes on sleeping until `RunLoop.wakeUp()`, or something else, wakes
    /// it. Signals do not add up: `perform` is called once for all that came before it.
    public func signal() {
        CFRunLoopSourceSignal(cfSource)
    }

    /// Whether the source has been signalled and not been performed since.
    public var isSignalled: Bool { CFRunLoopSourceIsSignalled(cfSource) }

    /// Takes the source out of all modes of all loops, for good, and lets go of its closures; of one that is being called, when it has returned.
    public func invalidate() {
        CFRunLoopSourceInvalidate(cfSource)
        handler.sourceIsInvalid()
    }

    /// False after `invalidate()`.
    public var isValid: Bool { CFRunLoopSourceIsValid(cfSource) }

    /// The order given at creation.
    public var order: Int { CFRunLoopSourceGetOrder(cfSource) }

    /// The source in words, as CFCopyDescription has them.
    public var description: String { String(describing: cfSource) }
}
