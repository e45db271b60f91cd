// Embedding.swift: a run loop inside another event loop. Not part of Foundation, which has nothing of the kind.

internal import CRunLoop

extension RunLoop {
    /// A descriptor by which another event loop (GLib's, SDL's, an epoll loop of one's own) can host this one. It is readable whenever a
    /// run of the mode would have something to do: a timer is due, a descriptor or message has come to a port or source, `wakeUp()`
    /// was called, or, for the main loop in a common mode, the main dispatch queue has work. The host waits for it beside its own
    /// descriptors, and calls `serve(forMode:)` when it is readable:
    ///
    ///     let loop = RunLoop.current, descriptor = loop.descriptor(forMode: .default)
    ///     g_unix_fd_add(descriptor, G_IO_IN, { … loop.serve(forMode: .default) … }, …)
    ///
    /// It is for poll, select, epoll and the like, not for reading, and is the same at each call. It belongs to the loop and is closed when the
    /// loop's thread ends. From the first call on, a wake-up that is sent while the loop is in no run is kept for the next
    /// (CFRunLoopGetDescriptor). To be called on the loop's thread; that nobody else does is checked.
    /// - Returns: the descriptor; -1 for `.common`, which nothing runs in.
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
        return CFRunLoopServe(cfRunLoop, mode.cfString) != kCFRunLoopRunFinished
    }
}
