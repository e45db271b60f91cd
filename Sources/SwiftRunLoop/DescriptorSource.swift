// DescriptorSource.swift: version 1 sources, with a descriptor and a closure. On a Mac the port of such a source is a mach port, and a
// descriptor needs a CFFileDescriptor. Here a port is a descriptor.
//
// Claims in ANNOTATIONS.md: (I2)

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
    public final class DescriptorSource: IdentityHashable, CustomStringConvertible, @unchecked Sendable {
        /// The descriptor given at creation.
        ///
        /// It stays yours; close it after `invalidate()`.
        public let fileDescriptor: Int32

        /// The C source, for calls to the C library.
        ///
        /// It is not retained for the caller, and lives as long as this object.
        public let cfSource: CFRunLoopSource
        private let handler: SourceHandler?

        /// Makes a source without adding it to a loop.
        /// - Parameters:
        ///   - fileDescriptor: an open descriptor.
        ///   - order: the order of the C source. It does not determine which of several ready descriptors is served first.
        ///   - handler: called on the loop's thread. It is released by `invalidate()`, or when no loop and no Swift reference is left. If it
        ///     captures the source, only `invalidate()` releases it.
        public init(fileDescriptor: Int32, order: Int = 0, handler: @escaping @Sendable () -> Void) {
            var context = CFRunLoopSourceContext1()
            context.version = 1
            let handler = SourceHandler(fileDescriptor: fileDescriptor, perform: handler)
            self.handler = handler
            context.info = handler.retainedForContext()
            context.release = releaseSource
            context.copyDescription = describeSource
            context.getPort = portOfSource
            context.perform = performSource
            cfSource = withUnsafeMutablePointer(to: &context) { context in
                context.withMemoryRebound(to: CFRunLoopSourceContext.self, capacity: 1) { CFRunLoopSourceCreate(nil, order, $0) }
            }
            self.fileDescriptor = fileDescriptor
        }

        /// Makes an object for a C source, and retains the C source (CFRunLoopSource).
        ///
        /// The C source keeps its callbacks, and stays in the modes that it is in. Two objects for the same C source are not equal; compare
        /// their `cfSource`.
        /// - Parameter cfSource: a CFRunLoopSource of version 1 of the C library. Another version traps.
        public init(_ cfSource: CFRunLoopSource) {
            var context = CFRunLoopSourceContext1()
            context.version = 1
            withUnsafeMutablePointer(to: &context) { context in
                context.withMemoryRebound(to: CFRunLoopSourceContext.self, capacity: 1) { CFRunLoopSourceGetContext(cfSource, $0) }
            }
            precondition(context.version == 1, "RunLoop.DescriptorSource: the C source is of version 0; use RunLoop.Source")
            self.cfSource = retained(cfSource)
            fileDescriptor = context.getPort(context.info)
            handler = SourceHandler.handler(info: context.info, release: context.release)
        }

        deinit {
            CFRelease(cfSource)
        }

        /// Removes the source from all modes of all loops permanently, and releases its handler.
        ///
        /// A descriptor that has reached its end stays ready to read. Invalidate its source when you do not need it any more; otherwise the
        /// loop never sleeps again.
        public func invalidate() {
            CFRunLoopSourceInvalidate(cfSource)
            handler?.sourceIsInvalid()
        }

        /// Whether the source can still call its handler.
        ///
        /// False after `invalidate()`.
        public var isValid: Bool { CFRunLoopSourceIsValid(cfSource) }

        /// The order given at creation.
        public var order: Int { CFRunLoopSourceGetOrder(cfSource) }

        /// The source as CFCopyDescription shows it.
        public var description: String { String(descriptionOf: cfSource) }
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
    public func add(_ source: DescriptorSource, forMode mode: Mode) {
        addSource(source.cfSource, self, mode)
    }

    /// Removes a source from a mode of the loop (CFRunLoopRemoveSource).
    ///
    /// Nothing happens if the source is not in the mode. May be called from any thread.
    /// - Parameters:
    ///   - source: the source.
    ///   - mode: the mode; `.common` stands for all common modes.
    public func remove(_ source: DescriptorSource, forMode mode: Mode) {
        CFRunLoopRemoveSource(cfRunLoop, source.cfSource, mode.cfString)
    }

    /// Returns whether a source is in a mode of the loop (CFRunLoopContainsSource).
    ///
    /// May be called from any thread.
    /// - Parameters:
    ///   - source: the source.
    ///   - mode: the mode. For `.common`, the result is whether the source was added to the common modes.
    public func contains(_ source: DescriptorSource, forMode mode: Mode) -> Bool {
        CFRunLoopContainsSource(cfRunLoop, source.cfSource, mode.cfString)
    }
}
