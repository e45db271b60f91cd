// Embedding.swift: a run loop inside another event loop. Not part of Foundation, which has nothing of the kind.

internal import CRunLoop
public import Dispatch

extension RunLoop {
    /// A descriptor by which another event loop (GLib's, SDL's, an epoll loop of one's own) can host this one. It is readable whenever a
    /// run of the mode would have something to do: a timer is due, a descriptor or message has come to a port or source, `wakeUp()`
    /// was called, or, for the main loop in a common mode, the main dispatch queue has work. The host waits for it beside its own
    /// descriptors, and calls `serve(forMode:)` when it is readable:
    ///
    ///     let loop = RunLoop.current, descriptor = loop.descriptor(forMode: .default)
    ///     g_unix_fd_add(descriptor, G_IO_IN, { … loop.serve(forMode: .default) … }, …)
    ///
    /// It is for poll, select, epoll and the like, not for reading, and is the same at each call. It belongs to the loop and is closed with it: when
    /// the loop's thread has ended and nothing holds the loop any more. A host that is told of changes alone (EPOLLET) serves until poll says that
    /// the descriptor is not readable. From the first call on, a wake-up that is sent while the loop is in no run is kept for the next
    /// (CFRunLoopGetDescriptor). To be called on the loop's thread; that nobody else does is checked.
    /// - Returns: the descriptor; -1 for `.common`, which nothing runs in, and if the kernel allows no more (a loop can have 500 embedded
    ///   modes), which a line on stderr says.
    @available(*, noasync)
    public func descriptor(forMode mode: RunLoop.Mode) -> Int32 {
        precondition(isCurrent, "the descriptor of a run loop must be asked for on the loop's own thread")
        return CFRunLoopGetDescriptor(cfRunLoop, mode.cfString)
    }

    /// Serves what is due in the mode, without waiting: one run with a limit of 0, so one pass (CFRunLoopServe). What it has left over
    /// keeps the descriptor readable. To be called on the loop's thread; that nobody else does is checked.
    /// - Returns: false if the mode has neither sources nor timers, or is `.common`; otherwise true.
    @available(*, noasync)
    @discardableResult
    public func serve(forMode mode: RunLoop.Mode) -> Bool {
        precondition(isCurrent, "a run loop must be served on its own thread")
        ports.dropInvalidForeign()
        return CFRunLoopServe(cfRunLoop, mode.cfString) != kCFRunLoopRunFinished
    }

    /// Has the main dispatch queue serve the main loop, for programs in which another loop runs the main thread: Foundation's, as in XCTest's
    /// `wait(for:timeout:)`. From now on, whatever is due in the mode is served by a block of the main queue, as soon as that is served.
    ///
    ///     override class func setUp() { SwiftRunLoop.RunLoop.attachMainToMainQueue() }
    ///
    /// It is a read source of the main queue on `descriptor(forMode:)`. The main loop can still be run by itself. Where libdispatch has taken the
    /// main queue to other threads (an async main, `dispatchMain()`), nothing can serve the main loop, and the attachment ends.
    ///
    /// To be called on the main thread, which is checked; attach each mode once. `.common` stops the program: nothing runs in it.
    /// - Returns: the dispatch source, which need not be kept. Cancelling it ends the attachment.
    @available(*, noasync)
    @discardableResult
    public static func attachMainToMainQueue(forMode mode: RunLoop.Mode = .default) -> any DispatchSourceRead {
        let descriptor = main.descriptor(forMode: mode)
        precondition(descriptor >= 0, "the main queue cannot serve this mode: it is .common, or the loop has too many embedded modes")
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
        nonisolated(unsafe) let served = source // held by its own handler until it is cancelled
        source.setEventHandler {
            let loop = main
            guard loop.isCurrent else { return served.cancel() }
            loop.ports.dropInvalidForeign()
            _ = _CFRunLoopServeFromMainQueue(loop.cfRunLoop, mode.cfString)
        }
        source.activate()
        return source
    }
}
