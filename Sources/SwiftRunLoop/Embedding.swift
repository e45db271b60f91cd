// Embedding.swift: a run loop inside another event loop. Foundation has no counterpart.

#if os(Linux)
internal import CRunLoop
public import Dispatch
import Synchronization

extension RunLoop {
    /// Returns a descriptor by which another event loop (GLib's, SDL's, your own epoll loop) can host this one
    /// (CFRunLoopGetDescriptor).
    ///
    /// It is readable whenever a run of the mode would have work: a timer is due, a descriptor or message has arrived
    /// at a port or source, or `wakeUp()` was called. That of the main loop in a common mode is readable, too, when the
    /// main dispatch queue has work. The host waits for it together with its own descriptors, and calls
    /// `serve(forMode:)` when it is readable:
    ///
    ///     let loop = RunLoop.current, descriptor = loop.descriptor(forMode: .default)
    ///     g_unix_fd_add(descriptor, G_IO_IN, { … loop.serve(forMode: .default) … }, …)
    ///
    /// Use the descriptor with poll, select, epoll and the like; do not read from it. Every call returns the same
    /// descriptor. The loop owns it, and closes it when its thread has ended and no reference to the loop is left. An
    /// edge-triggered host (EPOLLET) must serve until poll reports that the descriptor is not readable. After the first
    /// call, a wake-up sent while the loop is not running is kept for the next run. Call this on the loop's thread; any
    /// other thread traps.
    /// - Returns: the descriptor; -1 for `.common`, in which nothing runs, or if the kernel allows no more (a loop can
    ///   have 500 embedded modes), which a line on stderr reports.
    @available(*, noasync)
    public func descriptor(forMode mode: RunLoop.Mode) -> Int32 {
        require(isCurrent, "RunLoop.descriptor(forMode:) must be called on the loop's own thread")
        return CFRunLoopGetDescriptor(cfRunLoop, mode.cfString)
    }

    /// Makes one non-blocking pass in the mode (CFRunLoopServe).
    ///
    /// If work is left afterwards, the descriptor stays readable. Call this on the loop's thread; any other thread
    /// traps.
    /// - Returns: false if the mode has no sources, ports or timers, or is `.common`; otherwise true.
    @available(*, noasync) @discardableResult
    public func serve(forMode mode: RunLoop.Mode) -> Bool {
        require(isCurrent, "RunLoop.serve(forMode:) must be called on the loop's own thread")
        let result = CFRunLoopServe(cfRunLoop, mode.cfString)
        SystemNotification.hostHasServed(mode).post(nil)
        return result != .finished
    }

    /// Attaches the main loop to the main dispatch queue: whatever other loop serves that queue on the main thread
    /// serves this loop, too.
    ///
    /// For example, XCTest's `wait(for:timeout:)` runs Foundation's loop, which knows nothing of our timers, ports and
    /// sources. After this call, an expectation that one of these fulfills is fulfilled:
    ///
    ///     override class func setUp() { SwiftRunLoop.RunLoop.main.attachToMainQueue() }
    ///
    /// When there is work in the mode, a block of the main queue serves it. So nothing polls. You can still run the
    /// main loop itself. If the main queue is served by other threads (`dispatchMain()`), no thread can serve the main
    /// loop, and the attachment ends.
    ///
    /// Call this on the main thread, once for each mode; any other thread or loop traps, and so does `.common`, in
    /// which nothing runs. If the kernel allows no more descriptors, this ends the program and says so.
    /// - Returns: the dispatch source, which you need not keep. Cancelling it ends the attachment.
    @available(*, noasync) @discardableResult
    public func attachToMainQueue(forMode mode: RunLoop.Mode = .default) -> any DispatchSourceRead {
        require(
            self === RunLoop.main && isCurrent,
            "RunLoop.attachToMainQueue(forMode:): this is not the main loop, or not its thread")
        let descriptor = _CFRunLoopGetDescriptorForMainQueue(cfRunLoop, mode.cfString)
        require(mode != .common, "RunLoop.attachToMainQueue(forMode:): nothing runs in the mode .common")
        if descriptor < 0 {
            fatalError("RunLoop.attachToMainQueue(forMode:): the mode has no descriptor; the line above says why")
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
        let served = Transferred(source) // its own handler retains it until it is cancelled
        source.setEventHandler {
            let loop = RunLoop.main
            guard loop.isCurrent else { return served.value.cancel() }
            _CFRunLoopServeFromMainQueue(loop.cfRunLoop, mode.cfString)
            SystemNotification.hostHasServed(mode).post(nil)
        }
        source.activate()
        RunLoop.isAttached.store(true, ordering: .relaxed)
        return source
    }
}
#endif
