// Polling.swift: how Nimble waits, in `toEventually` and `waitUntil`. The main thread runs its loop without a limit of time. Sources of
// libdispatch ask the predicate in the main queue and watch the time on another queue, and each stops the run when it has an answer.
import CRunLoop
import SwiftRunLoopFoundation

enum Polled<Value: Sendable>: Sendable {
    case completed(Value), timedOut, blockedRunLoop
}

extension Polled: Equatable where Value: Equatable {}

/// An answer that is given once: the first one counts.
private final class PolledPromise<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var answer: Polled<Value>?

    var value: Polled<Value>? { lock.withLock { answer } }

    /// Whether this is the first answer. It ends the run of the main loop, whatever thread gives it.
    @discardableResult
    func resolve(_ answer: Polled<Value>) -> Bool {
        let isFirst = lock.withLock { () -> Bool in
            if self.answer != nil { return false }
            self.answer = answer
            return true
        }
        if isFirst { CFRunLoopStop(CFRunLoopGetMain()) }
        return isFirst
    }
}

/// A wait on the main thread.
struct Polling: Sendable {
    struct Nested: Error {}

    var timeout: TimeInterval
    /// How many seconds a main loop that is not blocked may take to perform a block.
    var patience: TimeInterval = 60
    /// Called on another thread when the main loop did not.
    var whenBlocked: @Sendable () -> Void = {}

    /// Calls `body` on the main thread with a closure that must be called, on any thread, with the value.
    func waitUntil<Value>(_ body: @escaping @Sendable (@escaping @Sendable (Value) -> Void) -> Void) throws -> Polled<Value> {
        try wait { promise in
            DispatchQueue.main.async {
                body { promise.resolve(.completed($0)) }
            }
            return nil
        }
    }

    /// Asks the predicate on the main thread, again and again, until it has a value.
    func eventually<Value>(every interval: TimeInterval = 0.005, _ predicate: @escaping @Sendable () -> Value?) throws -> Polled<Value> {
        try wait { promise in
            let source = DispatchSource.makeTimerSource(flags: .strict, queue: .main)
            source.schedule(deadline: .now(), repeating: interval, leeway: .milliseconds(1))
            source.setEventHandler {
                if let value = predicate() { promise.resolve(.completed(value)) }
            }
            source.resume()
            return source
        }
    }

    private func wait<Value>(_ begin: (PolledPromise<Value>) -> (any DispatchSourceTimer)?) throws -> Polled<Value> {
        guard Thread.current.threadDictionary["Outsiders.Polling"] == nil else { throw Nested() }
        Thread.current.threadDictionary["Outsiders.Polling"] = true
        defer { Thread.current.threadDictionary.removeObject(forKey: "Outsiders.Polling") }
        let promise = PolledPromise<Value>()
        let watch = DispatchSource.makeTimerSource(flags: .strict, queue: DispatchQueue.global(qos: .userInteractive))
        watch.schedule(deadline: .now() + timeout, repeating: .never, leeway: .milliseconds(1))
        watch.setEventHandler { timeIsOver(promise) }
        let source = begin(promise)
        watch.resume()
        while promise.value == nil { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
        watch.cancel()
        source?.cancel()
        return promise.value!
    }

    /// On another thread. If the main loop does not perform a block, something blocks its thread.
    private func timeIsOver<Value>(_ promise: PolledPromise<Value>) {
        let performed = DispatchSemaphore(value: 0)
        CFRunLoopPerformBlock(CFRunLoopGetMain(), kCFRunLoopDefaultMode) {
            performed.signal()
            promise.resolve(.timedOut)
        }
        CFRunLoopStop(CFRunLoopGetMain()) // it also wakes the loop
        if performed.wait(timeout: .now() + patience) == .timedOut, promise.resolve(.blockedRunLoop) { whenBlocked() }
    }
}
