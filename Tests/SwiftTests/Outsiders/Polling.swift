// Polling.swift: how Nimble waits, in `toEventually` and `waitUntil`. The main thread runs its loop without a limit of time. Sources of
// libdispatch ask the predicate in the main queue and watch the time on another queue, and each stops the run when it has an answer.
import CRunLoop
import SwiftRunLoopFoundation

enum Polled<Value: Sendable>: Sendable {
    case completed(Value), timedOut
}

extension Polled: Equatable where Value: Equatable {}

/// An answer that is given once: the first one counts.
private final class PolledPromise<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var answer: Polled<Value>?

    var value: Polled<Value>? { lock.withLock { answer } }

    /// The first answer ends the run of the main loop, whatever thread gives it.
    func resolve(_ answer: Polled<Value>) {
        let isFirst = lock.withLock { () -> Bool in
            if self.answer != nil { return false }
            self.answer = answer
            return true
        }
        if isFirst { CFRunLoopStop(CFRunLoopGetMain()) }
    }
}

/// A wait on the main thread.
struct Polling: Sendable {
    var timeout: TimeInterval

    /// Calls `body` on the main thread with a closure that must be called, on any thread, with the value.
    func waitUntil<Value>(_ body: @escaping @Sendable (@escaping @Sendable (Value) -> Void) -> Void) -> Polled<Value> {
        wait { promise in
            DispatchQueue.main.async {
                body { promise.resolve(.completed($0)) }
            }
            return nil
        }
    }

    /// Asks the predicate on the main thread, again and again, until it has a value.
    func eventually<Value>(every interval: TimeInterval = 0.005, _ predicate: @escaping @Sendable () -> Value?) -> Polled<Value> {
        wait { promise in
            let source = DispatchSource.makeTimerSource(flags: .strict, queue: .main)
            source.schedule(deadline: .now(), repeating: interval, leeway: .milliseconds(1))
            source.setEventHandler {
                if let value = predicate() { promise.resolve(.completed(value)) }
            }
            source.resume()
            return source
        }
    }

    private func wait<Value>(_ begin: (PolledPromise<Value>) -> (any DispatchSourceTimer)?) -> Polled<Value> {
        let promise = PolledPromise<Value>()
        let watch = DispatchSource.makeTimerSource(flags: .strict, queue: DispatchQueue.global(qos: .userInteractive))
        watch.schedule(deadline: .now() + timeout, repeating: .never, leeway: .milliseconds(1))
        watch.setEventHandler { promise.resolve(.timedOut) }
        let source = begin(promise)
        watch.resume()
        while promise.value == nil { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
        watch.cancel()
        source?.cancel()
        return promise.value!
    }
}
