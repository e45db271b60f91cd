// Source.swift: sources, which take closures where C takes functions and a pointer. One of version 0 is signalled by
// code; one of version 1 waits for a descriptor. On a Mac the port of such a source is a mach port, and a descriptor
// needs a CFFileDescriptor. Here a port is a descriptor.
//
// Claims in ANNOTATIONS.md: (I1, I2)

#if os(Linux)
public import CRunLoop
import Synchronization

extension RunLoop {
    /// A source of input: one that your code signals, or one that waits for a descriptor (CFRunLoopSource; not public
    /// in Foundation).
    ///
    /// When there is work, signal the source and wake the loop, which then calls `perform` on its thread, in step 4 of
    /// its next pass:
    ///
    ///     let source = RunLoop.Source { … }
    ///     source.signal()
    ///     RunLoop.main.wakeUp()
    ///
    /// A source with a descriptor wakes its loop by itself, which calls the handler in step 9:
    ///
    ///     let source = try RunLoop.Source(fileDescriptor: STDIN_FILENO) { source, events in … }
    ///     RunLoop.main.add(source, forMode: .default)
    ///
    /// A source may be in several loops. All members may be used from any thread.
    @safe public final class Source: Item, @unchecked Sendable {
        /// The events of a descriptor, as a set: `.readable`, `.writable` and `.hangUp`.
        ///
        /// A source that waits for other events than `.readable` receives `.hangUp` even if you did not ask for it,
        /// when both directions are closed. The condition does not go away: invalidate the source, or its loop never
        /// sleeps again.
        public typealias Events = CFWatchEvents

        /// The C source, for calls to the C library.
        public var cfSource: CFRunLoopSource { object() }
        private let handler: SourceHandler

        /// Makes a source of version 0 without adding it to a loop.
        ///
        /// The closure is released by `invalidate()`, or when no loop and no Swift reference is left: if it captures
        /// the source, only by `invalidate()`.
        /// - Parameters:
        ///   - order: the signalled sources of a pass are performed in ascending order.
        ///   - perform: called on the loop's thread. If the source is in several loops, it may be called on several
        ///     threads at a time.
        public init(order: Int = 0, perform: @escaping @isolated(any) @Sendable () -> Void) {
            handler = SourceHandler(.perform(.init(PerformGiven(call: perform), perform.isolation)))
            super.init(.source, CFRunLoopSource.make(order: order, handler, perform: performSource))
        }

        /// Makes a source of version 1, which waits for a descriptor, without adding it to a loop.
        ///
        /// Use any descriptor that epoll can wait for: a pipe, socket, terminal, eventfd, signalfd or inotify. The loop
        /// does not read from the descriptor. Your handler does; if it leaves data unread, it is called again in one of
        /// the next passes. A descriptor that has reached its end stays ready to read: invalidate its source, or the
        /// loop never sleeps again. If several sources of a mode have one descriptor, the one that was added last is
        /// called, as with mach ports: give each a duplicate (`dup`).
        /// - Parameters:
        ///   - fileDescriptor: an open descriptor. It stays yours; close it after `invalidate()`.
        ///   - handler: called on the loop's thread, with the source and the events that have occurred. It is released
        ///     by `invalidate()`, or when no loop and no Swift reference is left. If it captures the source, only
        ///     `invalidate()` releases it: use the argument.
        /// - Throws: `EBADF` if the descriptor is not open, `EPERM` if it is that of a regular file or directory, which
        ///   is always ready, and `EMFILE` if the process has no descriptor left.
        public convenience init(
            fileDescriptor: Int32, events: Events = .readable,
            handler: @escaping @isolated(any) @Sendable (Source, Events) -> Void
        ) throws(POSIXError) {
            try self.init(fileDescriptor, events, .serve(.init(ServeGiven(call: handler), handler.isolation)))
        }

        /// Makes a source whose handler gets the numbers that a function takes from the descriptor, until it takes
        /// none.
        convenience init(
            fileDescriptor: Int32, taking take: @escaping @Sendable (Source) -> Int32?,
            _ handler: @escaping @isolated(any) @Sendable (Int32) -> Void
        ) throws(POSIXError) {
            try self.init(fileDescriptor, .readable, .take(.init(TakeGiven(call: handler), handler.isolation), take))
        }

        private init(_ fileDescriptor: Int32, _ events: Events, _ closure: SourceClosure) throws(POSIXError) {
            guard CFWatchIsPossible(fileDescriptor) else { throw .last }
            handler = SourceHandler(closure, fileDescriptor, events)
            super.init(.source, CFRunLoopSource.make(order: 0, handler, getPort: portOfSource, perform: serveSource))
            handler.source = self
            CFRunLoopSourceSetWatchEvents(cfSource, events)
        }

        /// The descriptor given at creation; nil for a source of version 0.
        public var fileDescriptor: Int32? { handler.fileDescriptor }

        /// The events of the descriptor to wait for.
        ///
        /// You may change them at any time: ask for `.writable` only while you have data to write. A source of version
        /// 0 has none.
        public var events: Events {
            get { handler.events.withLock { $0 } }
            set {
                if fileDescriptor == nil { return }
                handler.events.withLock { events in // under the lock, so that the last of several changes takes effect
                    events = newValue
                    CFRunLoopSourceSetWatchEvents(cfSource, newValue)
                }
            }
        }

        /// Marks the source, so that its loop calls `perform` in the next pass (CFRunLoopSourceSignal).
        ///
        /// This does not wake the loop: call `RunLoop.wakeUp()` afterwards. Signals do not add up; one call of
        /// `perform` answers all signals that came before it. A source with a descriptor need not be signalled.
        public func signal() { CFRunLoopSourceSignal(cfSource) }

        /// Whether the source has been signalled since it was last performed.
        package var isSignalled: Bool { CFRunLoopSourceIsSignalled(cfSource) }

        override func hasBeenInvalidated() { handler.releaseClosure() }
    }
}

private struct PerformGiven { let call: @isolated(any) @Sendable () -> Void }
private struct Perform { let call: () -> Void }
private struct ServeGiven { let call: @isolated(any) @Sendable (RunLoop.Source, RunLoop.Source.Events) -> Void }
private struct Serve { let call: (RunLoop.Source, RunLoop.Source.Events) -> Void }
private struct TakeGiven { let call: @isolated(any) @Sendable (Int32) -> Void }
private struct Take { let call: (Int32) -> Void }

/// What a source calls.
private enum SourceClosure: @unchecked Sendable { // it was given as @Sendable
    /// Of a source of version 0.
    case perform(ClosureInfo<Perform>)

    /// With the events of a descriptor.
    case serve(ClosureInfo<Serve>)

    /// With each number that the function takes from a descriptor.
    case take(ClosureInfo<Take>, @Sendable (RunLoop.Source) -> Int32?)
}

/// The `info` of a C source: its closure and its descriptor. The C source releases it, but the closure is released when
/// the source is invalidated, because it may retain the source.
private final class SourceHandler: CallbackInfo {
    let fileDescriptor: Int32?
    let events: Mutex<RunLoop.Source.Events>
    weak var source: RunLoop.Source? // of version 1; set before other threads have it
    private let state: Mutex<SourceClosure?>

    init(_ closure: SourceClosure, _ fileDescriptor: Int32? = nil, _ events: RunLoop.Source.Events = []) {
        self.fileDescriptor = fileDescriptor
        self.events = Mutex(events)
        state = Mutex(closure)
    }

    /// Nil when the source has been invalidated. It is called without the lock.
    var closure: SourceClosure? { state.withLock { $0 } }

    /// Call this after the C source has been invalidated.
    func releaseClosure() { _ = state.withLock { $0.take() } } // released without the lock

    /// For the name of the closure.
    @safe func makeDescription() -> CFString? {
        switch closure {
        case .perform(let closure): closure.makeDescription()
        case .serve(let closure): closure.makeDescription()
        case .take(let closure, _): closure.makeDescription()
        case nil: nil
        }
    }

    /// The events that a handler gets. If it only waits for data, the loop knows as much.
    var occurred: RunLoop.Source.Events {
        let wanted = events.withLock { $0 }
        if wanted == .readable { return wanted }
        return CFWatchGetEvents(fileDescriptor!, wanted)
    }
}

/// A version 1 context's `getPort`.
@safe private func portOfSource(_ info: UnsafeMutableRawPointer?) -> Int32 { SourceHandler.of(info).fileDescriptor! }

/// A version 0 context's `perform`: in a stack, the frame between the loop's callout and the closure. The loop retains
/// the source, and so the handler, until this returns, even if the closure invalidates the source. The statement after
/// the call keeps this frame in the stack.
@inline(never)
@safe private func performSource(_ info: UnsafeMutableRawPointer?) {
    guard case .perform(let perform) = SourceHandler.of(info).closure else { return }
    perform.check(of: "a RunLoop.Source")
    perform.block.call()
    withExtendedLifetime(perform) {}
}

/// A version 1 context's `perform`.
@inline(never)
@safe private func serveSource(_ info: UnsafeMutableRawPointer?) {
    let handler = SourceHandler.of(info)
    guard let source = handler.source, let closure = handler.closure else { return }
    let events = handler.occurred
    switch closure {
    case .serve(let serve) where !events.isEmpty:
        serve.check(of: source)
        serve.block.call(source, events)
    case .take(let take, let takeFrom):
        take.check(of: source)
        while source.isValid, let number = takeFrom(source) { take.block.call(number) }
    default: break
    }
    withExtendedLifetime((source, closure)) {}
}
#endif
