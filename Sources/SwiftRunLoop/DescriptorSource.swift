// DescriptorSource.swift: version 1 sources, with a descriptor and a closure. On a Mac the port of such a source is a mach port, and a
// descriptor needs a CFFileDescriptor. Here a port is a descriptor.
//
// Claims in ANNOTATIONS.md: (I2)

#if os(Linux)
public import CRunLoop

extension RunLoop {
    /// A source of input that wakes its loop when a descriptor has data to read or has reached its end (CFRunLoopSource of version 1).
    ///
    /// Use any descriptor that epoll can wait for: a pipe, socket, terminal, eventfd, signalfd or inotify. The loop does not read from the
    /// descriptor. Your handler does; if it leaves data unread, it is called again in one of the next passes. A regular file does not work:
    /// when you add its source, the loop writes a line to stderr.
    ///
    /// To wait for room to write or for a hang-up, use `FileDescriptorPort`. A loop retains its sources: a source keeps working after the
    /// last Swift reference is gone, until it is removed or invalidated or the loop's thread ends. All methods may be called from any
    /// thread.
    @safe public final class DescriptorSource: IdentityHashable, CustomStringConvertible, @unchecked Sendable {
        /// The descriptor given at creation.
        ///
        /// It stays yours; close it after `invalidate()`.
        public let fileDescriptor: Int32

        /// The C source, for calls to the C library.
        ///
        /// It is not retained for the caller, and lives as long as this object.
        public var cfSource: CFRunLoopSource { cSource }
        @safe var cSource: CFRunLoopSource { reference.object }
        private let reference: Reference<RunLoop.Source>
        private let handler: SourceHandler?

        /// Makes a source without adding it to a loop.
        /// - Parameters:
        ///   - fileDescriptor: an open descriptor.
        ///   - order: the order of the C source. It does not determine which of several ready descriptors is served first.
        ///   - handler: called on the loop's thread. It is released by `invalidate()`, or when no loop and no Swift reference is left. If it
        ///     captures the source, only `invalidate()` releases it.
        public init(fileDescriptor: Int32, order: Int = 0, handler: @escaping @Sendable () -> Void) {
            let handler = SourceHandler(fileDescriptor: fileDescriptor, perform: handler)
            self.handler = handler
            reference = handler.makeCFDescriptorSource(order: order)
            self.fileDescriptor = fileDescriptor
        }

        /// Makes an object for a C source, and retains the C source (CFRunLoopSource).
        ///
        /// The C source keeps its callbacks, and stays in the modes that it is in. Two objects for the same C source are not equal; compare
        /// their `cfSource`.
        /// - Parameter cfSource: a CFRunLoopSource of version 1 of the C library. Another version traps.
        public init(_ cfSource: CFRunLoopSource) {
            guard let fileDescriptor = cfSource.fileDescriptor else {
                preconditionFailure("RunLoop.DescriptorSource: the C source is of version 0; use RunLoop.Source")
            }
            reference = Reference(retaining: cfSource)
            self.fileDescriptor = fileDescriptor
            handler = cfSource.info as? SourceHandler
        }

        /// Removes the source from all modes of all loops permanently, and releases its handler.
        ///
        /// A descriptor that has reached its end stays ready to read. Invalidate its source when you do not need it any more; otherwise the
        /// loop never sleeps again.
        public func invalidate() {
            cSource.invalidate()
            handler?.sourceIsInvalid()
        }

        /// In C, a negative port is one that the source does not have yet, so the C library reports nothing.
        fileprivate func reportNegativeDescriptor() {
            writeToStandardError("RunLoop.add(_:forMode:): the descriptor of a DescriptorSource is \(fileDescriptor). The handler will not be called.\n")
        }

        /// Whether the source can still call its handler.
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
    /// Nothing happens if the source is invalid or is in the mode already, or if the loop's thread has ended. If the loop cannot wait for the
    /// descriptor, because it is negative or closed, a line on stderr reports it, and the handler is not called. May be called from any
    /// thread.
    /// - Parameters:
    ///   - source: the source.
    ///   - mode: the mode; `.common` stands for all common modes.
    public func add(_ source: DescriptorSource, forMode mode: Mode) {
        if source.fileDescriptor < 0 { source.reportNegativeDescriptor() }
        addSource(source.cSource, self, mode)
    }

    /// Removes a source from a mode of the loop (CFRunLoopRemoveSource).
    ///
    /// Nothing happens if the source is not in the mode. May be called from any thread.
    /// - Parameters:
    ///   - source: the source.
    ///   - mode: the mode; `.common` stands for all common modes.
    public func remove(_ source: DescriptorSource, forMode mode: Mode) {
        cfRunLoop.remove(source.cSource, mode.cfString)
    }

    /// Returns whether a source is in a mode of the loop (CFRunLoopContainsSource).
    ///
    /// May be called from any thread.
    /// - Parameters:
    ///   - source: the source.
    ///   - mode: the mode. For `.common`, the result is whether the source was added to the common modes.
    public func contains(_ source: DescriptorSource, forMode mode: Mode) -> Bool {
        cfRunLoop.contains(source.cSource, mode.cfString)
    }
}
#endif
