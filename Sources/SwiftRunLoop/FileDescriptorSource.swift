// FileDescriptorSource.swift: a version 1 source, for a descriptor and a closure. On a Mac the port would be a mach port, and
// descriptors would need a CFFileDescriptor in between; here a port is a descriptor.

internal import CRunLoop

/// A source of input that wakes its loop by itself whenever a descriptor has something to read, or is at its end (CFRunLoopSource of
/// version 1). (I2)
///
/// Any descriptor will do that epoll can wait for: pipe, socket, terminal, eventfd, signalfd, inotify. The loop never reads from it:
/// that is the handler's part, and as long as it leaves something unread it is called again, in one of the next passes. Regular files cannot be
/// waited for; the loop says so on stderr when one is added.
///
/// For writing, and for hang-ups, see `FileDescriptorPort`. A loop keeps its sources, as with `Source`. All methods may be called from any thread.
public final class FileDescriptorSource: IdentityHashable, CustomStringConvertible, @unchecked Sendable {
    /// The descriptor. It stays the caller's, who closes it after `invalidate()`.
    public let fileDescriptor: Int32
    /// The C source, for functions of the C library that have no face here. Not retained for the caller.
    public let cfSource: OpaquePointer
    private let handler: SourceHandler

    /// Makes a source that no loop has yet.
    /// - Parameters:
    ///   - fileDescriptor: an open descriptor.
    ///   - order: the order of the C source. Which of several ready descriptors is served first does not depend on it.
    ///   - handler: called on the thread of the loop in which the source is. It is released by `invalidate()`, and when the source is gone from
    ///     all loops and from Swift; if it captures the source, only by `invalidate()`.
    public init(fileDescriptor: Int32, order: Int = 0, handler: @escaping @Sendable () -> Void) {
        var context = CFRunLoopSourceContext1()
        context.version = 1
        self.handler = SourceHandler(fileDescriptor: fileDescriptor, perform: handler)
        context.info = self.handler.retainedForContext()
        context.release = releaseSource
        context.copyDescription = describeSource
        context.getPort = portOfSource
        context.perform = performSource
        cfSource = withUnsafeMutablePointer(to: &context) { context in
            context.withMemoryRebound(to: CFRunLoopSourceContext.self, capacity: 1) { CFRunLoopSourceCreate(nil, order, $0) }
        }
        self.fileDescriptor = fileDescriptor
    }

    deinit {
        CFRelease(UnsafeRawPointer(cfSource))
    }

    /// Adds the source to a mode of a loop: see `Source.add(to:forMode:)`.
    public func add(to runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        addSource(cfSource, runLoop, mode)
    }

    /// Takes the source out of a mode of a loop; if it is not there, nothing happens.
    public func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        CFRunLoopRemoveSource(runLoop.cfRunLoop, cfSource, mode.cfString)
    }

    /// Whether the source is in the mode; for `.common`: whether it was added to the common modes.
    public func isIn(_ runLoop: RunLoop, forMode mode: RunLoop.Mode) -> Bool {
        CFRunLoopContainsSource(runLoop.cfRunLoop, cfSource, mode.cfString)
    }

    /// Takes the source out of all modes of all loops, for good, and lets go of its handler. A descriptor at its end stays ready to read: if it is not wanted any more,
    /// invalidate its source, or the loop will not sleep again.
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
