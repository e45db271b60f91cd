// Worker.swift: a thread that stays and runs its loop until it is stopped.

#if os(Linux)
extension RunLoop {
    /// A resident thread with its run loop, which ends with `stop()` or with the last reference to the worker.
    ///
    ///     let worker = RunLoop.Worker(name: "network")
    ///     worker.perform { print("on the worker") }
    ///     worker.loop.add(Timer(timeInterval: 1, repeats: true) { _ in print("tick") }, forMode: .default)
    ///     worker.stop()
    ///     worker.thread.join()
    ///
    /// All members may be used from any thread.
    public final class Worker: Sendable, CustomStringConvertible {
        /// The worker's thread.
        public let thread: Thread

        /// The thread's loop, which runs in the default mode.
        public let loop: RunLoop

        /// Starts a thread, whose loop runs when this returns. If the system cannot create the thread, this traps.
        /// - Parameters:
        ///   - name: the thread's name.
        ///   - stackSize: the size of the thread's stack in bytes, as `Thread.stackSize`.
        public init(name: String = "RunLoop.Worker", stackSize: Int? = nil) {
            thread = Thread {
                let loop = RunLoop.current, thread = Thread.current
                loop.add(Port(), forMode: .default) // so that the mode is never empty
                while !thread.isCancelled { loop.run(mode: .default, before: .distantFuture) }
            }
            thread.name = name
            if let stackSize { thread.stackSize = stackSize }
            thread.start()
            if thread.startError != 0 {
                fatalError("RunLoop.Worker: the system cannot create a thread: \(text(ofError: thread.startError))")
            }
            loop = try! thread.performAndWait { RunLoop.current }
        }

        deinit { stop() }

        /// Calls a closure on the worker's thread, after those that wait: see `Thread.perform(inModes:_:)`.
        /// - Returns: false if the thread has ended, and will not make the call.
        @discardableResult
        public func perform(_ block: sending @escaping () -> Void) -> Bool { thread.perform(block) }

        /// Calls a closure on the worker's thread, and returns the closure's result: see `Thread.run(inModes:_:)`.
        public nonisolated(nonsending) func run<Success>(
            _ body: sending @escaping () throws -> sending Success
        ) async throws -> sending Success {
            try await thread.run(body)
        }

        /// Ends the thread when it has made the calls that wait.
        ///
        /// This does not wait for the end: call `thread.join()`, or await `thread.finished()`. A second call does
        /// nothing.
        public func stop() {
            thread.perform { [thread] in thread.cancel() }
        }

        /// The name of the worker's thread, and whether it has ended.
        public var description: String {
            "<RunLoop.Worker \"\(thread.name ?? "")\", \(thread.isFinished ? "has ended" : "is running")>"
        }
    }
}

/// Calls a closure with a worker, which has ended when this returns.
/// - Parameters:
///   - name: the name of the worker's thread.
///   - body: called with the worker. What waits on the worker when it returns is done first.
public nonisolated(nonsending) func withWorker<Success>(
    name: String = "RunLoop.Worker", _ body: nonisolated(nonsending) (RunLoop.Worker) async throws -> Success
) async rethrows -> Success {
    let worker = RunLoop.Worker(name: name)
    func end() async {
        worker.stop()
        await worker.thread.finished()
    }
    do {
        let result = try await body(worker)
        await end()
        return result
    } catch {
        await end()
        throw error
    }
}
#endif
