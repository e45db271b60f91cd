// RemoteRunLoop.swift: a handle to a loop that may cross to other threads and tasks.

#if os(Linux)
extension RunLoop {
    /// A handle to this loop for other threads and for tasks.
    ///
    ///     let loop = RunLoop.current.remote
    ///     Task { loop.perform { print("on the loop's thread") } }
    public var remote: Remote { Remote(runLoop: self) }

    /// A handle to a loop, by which any thread and any task may have the loop's thread do something.
    ///
    /// A RunLoop is not Sendable, because only its own thread may run it. A handle is Sendable and cannot run the loop. It retains the
    /// RunLoop. When the loop's thread has ended, its methods do nothing. What else is to be done with the loop, a closure does there:
    ///
    ///     loop.perform { RunLoop.current.add(timer, forMode: .default) }
    ///
    /// Two handles are equal if they are handles to the same loop.
    public struct Remote: Hashable, @unchecked Sendable {
        /// The handle uses only those members that any thread may use.
        package let runLoop: RunLoop

        /// Schedules a closure to be called once on the loop's thread, and wakes the loop.
        ///
        /// Unlike `RunLoop.perform(inModes:block:)`, this wakes the loop, because the caller is usually on another thread.
        /// - Parameters:
        ///   - modes: the modes in which the closure may be called; `.common` stands for all common modes. If the array is empty, the
        ///     closure is never called.
        ///   - block: the closure. Its captures are sent to the loop's thread. The loop releases it after the call, or when its thread ends.
        /// - Returns: false if the loop's thread has ended, so that the closure will not be called.
        @discardableResult
        public func perform(inModes modes: [Mode] = [.default], _ block: sending @escaping () -> Void) -> Bool {
            if hasEnded { return false }
            runLoop.perform(inModes: modes, block: block)
            runLoop.wakeUp()
            return true
        }

        /// Calls a closure on the loop's thread, in one of the next passes, and returns the closure's result.
        ///
        ///     let name = try await loop.run { Thread.current.name }
        ///
        /// See `RunLoop.run(inModes:isolation:_:)` for cancellation and for the end of the thread.
        /// - Parameters:
        ///   - modes: the modes in which the call may be made; `.common` stands for all common modes. An empty array traps.
        ///   - isolation: the actor on which the caller continues; the default is the caller's own.
        ///   - body: the closure, called once. Its captures are sent to the loop's thread, and its result to the caller.
        /// - Returns: what `body` returns.
        /// - Throws: what `body` throws; `CancellationError` if the task was cancelled before the call; a `PerformError` if the loop's thread
        ///   has ended or ends meanwhile.
        public func run<Success>(
            inModes modes: [Mode] = [.common], isolation: isolated (any Actor)? = #isolation,
            _ body: sending @escaping () throws -> sending Success
        ) async throws -> sending Success {
            try await runLoop.run(inModes: modes, isolation: isolation, body)
        }

        /// Wakes the loop's thread if it is asleep in the loop (CFRunLoopWakeUp).
        public func wakeUp() { runLoop.wakeUp() }

        /// Ends the innermost run of the loop after its current pass (CFRunLoopStop).
        ///
        /// `run()` and `run(until:)` begin another run at once. If the loop is not running, nothing happens.
        public func stop() { runLoop.stop() }

        /// Whether the loop's thread is asleep in the loop, or is checking which ports are ready (CFRunLoopIsWaiting).
        public var isWaiting: Bool { runLoop.isWaiting }

        /// Whether no thread will run the loop any more.
        var hasEnded: Bool { runLoop.cfRunLoop.hasEnded }

        /// Whether both are handles to the same loop.
        public static func == (left: Remote, right: Remote) -> Bool { left.runLoop === right.runLoop }

        /// Hashes the identity of the loop.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(ObjectIdentifier(runLoop))
        }
    }
}
#endif
