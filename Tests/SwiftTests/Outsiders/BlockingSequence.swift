// BlockingSequence.swift: how RxBlocking waits. The calling thread begins a subscription in a block of its loop, and runs the loop until the
// events are over. The loop is stopped from a block, so that a stop that comes before the run is not lost.
import CRunLoop
import SwiftRunLoopFoundation

enum BlockingError: Error { case timeout }

/// Runs the loop of the thread that has made it, once, until any thread stops it.
final class LoopLock: @unchecked Sendable {
    private let loop = CFRunLoopGetCurrent()
    private let timeout: TimeInterval?
    private let lock = NSLock()
    private var hasRun = false, hasStopped = false

    init(timeout: TimeInterval?) { self.timeout = timeout }

    private func first(_ flag: ReferenceWritableKeyPath<LoopLock, Bool>) -> Bool {
        lock.withLock {
            defer { self[keyPath: flag] = true }
            return !self[keyPath: flag]
        }
    }

    /// Performs the work on the loop's thread, as soon as the loop runs.
    func dispatch(_ action: @escaping @Sendable () -> Void) {
        CFRunLoopPerformBlock(loop, kCFRunLoopDefaultMode) { action() }
        CFRunLoopWakeUp(loop)
    }

    func stop() {
        guard first(\.hasStopped) else { return }
        CFRunLoopPerformBlock(loop, kCFRunLoopDefaultMode) { CFRunLoopStop(self.loop) }
        CFRunLoopWakeUp(loop)
    }

    func run() throws {
        precondition(first(\.hasRun), "a lock runs once")
        guard let timeout else { return CFRunLoopRun() }
        switch CFRunLoopRunInMode(kCFRunLoopDefaultMode, timeout, false) {
        case .finished, .handledSource, .stopped: return
        case .timedOut: throw BlockingError.timeout
        default: preconditionFailure("there is no fifth result")
        }
    }
}

/// Sends elements until it is over, on whatever threads it likes.
struct EventSource<Element: Sendable>: Sendable {
    enum Event: Sendable { case next(Element), completed }

    let subscribe: @Sendable (_ observer: @escaping @Sendable (Event) -> Void) -> Void

    init(_ subscribe: @escaping @Sendable (_ observer: @escaping @Sendable (Event) -> Void) -> Void) { self.subscribe = subscribe }

    private final class Collected: @unchecked Sendable {
        private let lock = NSLock()
        private var elements: [Element] = []

        /// Whether the wait is over.
        func receive(_ event: Event) -> Bool {
            lock.withLock {
                guard case .next(let element) = event else { return true }
                elements.append(element)
                return false
            }
        }

        var all: [Element] { lock.withLock { elements } }
    }

    /// All elements. The calling thread's loop runs until the source is over.
    func toBlockingArray(timeout: TimeInterval? = nil) throws -> [Element] {
        let collected = Collected(), lock = LoopLock(timeout: timeout)
        lock.dispatch {
            subscribe { event in
                if collected.receive(event) { lock.stop() }
            }
        }
        try lock.run()
        return collected.all
    }
}
