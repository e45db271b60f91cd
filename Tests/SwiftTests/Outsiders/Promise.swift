// Promise.swift: how PromiseKit waits. `hang` keeps the calling thread's loop from being empty with a source that does nothing, and runs the
// loop until the promise has its result; `wait` blocks the thread without its loop. Handlers are called in the main queue.
import CRunLoop
import SwiftRunLoopFoundation

final class Promise<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var result: Result<Value, any Error>?
    private var handlers: [@Sendable (Result<Value, any Error>) -> Void] = []

    init(_ resolve: (_ seal: @escaping @Sendable (Result<Value, any Error>) -> Void) -> Void) {
        resolve { self.seal($0) }
    }

    static func value(_ value: Value) -> Promise { Promise { seal in seal(.success(value)) } }

    var value: Result<Value, any Error>? { lock.withLock { result } }

    var isPending: Bool { value == nil }

    /// The first result counts.
    private func seal(_ result: Result<Value, any Error>) {
        lock.lock()
        let called = self.result == nil ? handlers : []
        if self.result == nil { self.result = result }
        handlers = []
        lock.unlock()
        for handler in called { handler(result) }
    }

    /// Calls the handler on the thread that resolves the promise, or at once.
    private func pipe(_ handler: @escaping @Sendable (Result<Value, any Error>) -> Void) {
        lock.lock()
        let result = result
        if result == nil { handlers.append(handler) }
        lock.unlock()
        if let result { handler(result) }
    }

    /// Calls the body in a queue when the promise has its value, and continues with the promise that the body returns.
    func then<Next>(on queue: DispatchQueue = .main, _ body: @escaping @Sendable (Value) throws -> Promise<Next>) -> Promise<Next> {
        Promise<Next> { seal in
            pipe { result in
                queue.async {
                    do { try body(result.get()).pipe(seal) } catch { seal(.failure(error)) }
                }
            }
        }
    }

    /// Calls the body in a queue when the promise has its result, be it an error or not.
    @discardableResult
    func ensure(on queue: DispatchQueue = .main, _ body: @escaping @Sendable () -> Void) -> Promise {
        Promise { seal in
            pipe { result in
                queue.async {
                    body()
                    seal(result)
                }
            }
        }
    }

    /// Blocks the thread, without its loop.
    func wait() throws -> Value {
        if let value { return try value.get() }
        let group = DispatchGroup()
        group.enter()
        pipe { _ in group.leave() }
        group.wait()
        return try value!.get()
    }
}

/// A promise that a queue keeps after some time.
func after(seconds: TimeInterval) -> Promise<Void> {
    Promise { seal in DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { seal(.success(())) } }
}

/// Runs the main loop until the promise has its result, on the main thread.
func hang<Value>(_ promise: Promise<Value>) throws -> Value {
    let mode: CFRunLoopMode = kCFRunLoopDefaultMode
    precondition(Thread.isMainThread)
    if promise.isPending {
        var context = CFRunLoopSourceContext()
        let loop = SentLoop(loop: CFRunLoopGetCurrent())
        let source = CFRunLoopSourceCreate(nil, 0, &context)
        CFRunLoopAddSource(loop.loop, source, mode)
        promise.ensure { CFRunLoopStop(loop.loop) }
        while promise.isPending { CFRunLoopRun() }
        CFRunLoopRemoveSource(loop.loop, source, mode)
    }
    return try promise.value!.get()
}

/// Any thread may stop a loop.
private struct SentLoop: @unchecked Sendable {
    let loop: CFRunLoop?
}

/// The same with Foundation's calls alone, on any thread: the loop runs in slices, and a timer keeps it from being empty.
func hangInSlices<Value>(_ promise: Promise<Value>) throws -> Value {
    let keeper = Timer.scheduledTimer(withTimeInterval: 10_000, repeats: true) { _ in }
    while promise.isPending { RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.005)) }
    keeper.invalidate()
    return try promise.value!.get()
}
