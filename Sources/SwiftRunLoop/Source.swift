// Source.swift: version 0 sources, which take closures where C takes functions and a pointer.
//
// Claims in ANNOTATIONS.md: (I1)

#if os(Linux)
public import CRunLoop

extension RunLoop {
    /// A source of input that your code signals (CFRunLoopSource of version 0; not public in Foundation).
    ///
    /// When there is work for the loop's thread, signal the source and wake the loop. The loop then calls `perform`, in step 4 of its next
    /// pass:
    ///
    ///     source.signal()
    ///     RunLoop.main.wakeUp()
    ///
    /// A loop retains its sources: a source keeps working after the last Swift reference is gone, until it is removed or invalidated or the
    /// loop's thread ends. All methods may be called from any thread.
    @safe public final class Source: IdentityHashable, CustomStringConvertible, @unchecked Sendable {
        /// A closure that is called when a source has been added to a mode of a loop, or has left one.
        public typealias Change = @Sendable (RunLoop, RunLoop.Mode) -> Void

        /// The C source, for calls to the C library.
        ///
        /// It is not retained for the caller, and lives as long as this object.
        public var cfSource: CFRunLoopSource { cSource }
        @safe var cSource: CFRunLoopSource { reference.object }
        private let reference: Reference<RunLoop.Source>
        fileprivate let handler: SourceHandler?

        /// Makes a source without adding it to a loop.
        ///
        /// The closures are released by `invalidate()`, or when no loop and no Swift reference is left. The end of a loop's thread does not
        /// invalidate a source, so that you can add it to another loop. If one of its closures captures it, it stays in memory until
        /// `invalidate()`.
        /// - Parameters:
        ///   - order: the signalled sources of a pass are performed in ascending order.
        ///   - schedule: called once for each mode to which `RunLoop.add(_:forMode:)` adds the source, on the thread that adds it.
        ///   - cancel: called once for each mode that the source leaves: on the thread that removes or invalidates it, or on the loop's thread
        ///     when that ends. It is not called for a mode to which the C function has added the source.
        ///   - perform: called on the loop's thread. If the source is in several loops, it may be called on several threads at a time.
        public init(order: Int = 0, schedule: Change? = nil, cancel: Change? = nil, perform: @escaping @Sendable () -> Void) {
            let handler = SourceHandler(perform: perform, schedule: schedule, cancel: cancel)
            self.handler = handler
            reference = handler.makeCFSource(order: order, followsModes: schedule != nil || cancel != nil)
        }

        /// Makes an object for a C source, and retains the C source (CFRunLoopSource).
        ///
        /// The C source keeps its callbacks, and stays in the modes that it is in. Two objects for the same C source are not equal; compare
        /// their `cfSource`.
        /// - Parameter cfSource: a CFRunLoopSource of version 0 of the C library. Another version traps.
        public init(_ cfSource: CFRunLoopSource) {
            precondition(cfSource.fileDescriptor == nil, "RunLoop.Source: the C source is of version 1; use RunLoop.DescriptorSource")
            reference = Reference(retaining: cfSource)
            handler = cfSource.info as? SourceHandler
        }

        /// Marks the source, so that its loop calls `perform` in the next pass (CFRunLoopSourceSignal).
        ///
        /// This does not wake the loop: call `RunLoop.wakeUp()` afterwards. Signals do not add up; one call of `perform` answers all
        /// signals that came before it.
        public func signal() {
            cSource.signal()
        }

        /// Whether the source has been signalled since it was last performed.
        public var isSignalled: Bool { cSource.isSignalled }

        /// Removes the source from all modes of all loops permanently, and releases its closures.
        ///
        /// A closure that is being called is released when it returns.
        public func invalidate() {
            cSource.invalidate()
            handler?.sourceIsInvalid()
        }

        /// Whether the source can still be performed.
        ///
        /// False after `invalidate()`.
        public var isValid: Bool { cSource.isValid }

        /// The order given at creation.
        public var order: Int { cSource.order }

        /// The source as CFCopyDescription shows it.
        public var description: String { String(descriptionOf: cSource) }
    }
}

extension RunLoop {
    /// Adds a source to a mode of the loop (CFRunLoopAddSource).
    ///
    /// Nothing happens if the source is invalid or is in the mode already, or if the loop's thread has ended. May be called from any
    /// thread.
    /// - Parameters:
    ///   - source: the source.
    ///   - mode: the mode; `.common` stands for all common modes.
    public func add(_ source: Source, forMode mode: Mode) {
        guard let handler = source.handler else { return addSource(source.cSource, self, mode) }
        handler.keep(self) {
            addSource(source.cSource, self, mode)
        }
    }

    /// Removes a source from a mode of the loop (CFRunLoopRemoveSource).
    ///
    /// Nothing happens if the source is not in the mode. May be called from any thread.
    /// - Parameters:
    ///   - source: the source.
    ///   - mode: the mode; `.common` stands for all common modes.
    public func remove(_ source: Source, forMode mode: Mode) {
        cfRunLoop.remove(source.cSource, mode.cfString)
    }

    /// Returns whether a source is in a mode of the loop (CFRunLoopContainsSource).
    ///
    /// May be called from any thread.
    /// - Parameters:
    ///   - source: the source.
    ///   - mode: the mode. For `.common`, the result is whether the source was added to the common modes.
    public func contains(_ source: Source, forMode mode: Mode) -> Bool {
        cfRunLoop.contains(source.cSource, mode.cfString)
    }
}
#endif
