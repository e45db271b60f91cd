// BlockingSequence.swift: how RxBlocking waits. The calling thread begins a subscription in a block of its loop, and runs the loop until the
// events are over. The loop is stopped from a block, so that a stop that comes before the run is not lost. Work that a thread schedules on
// itself waits in a queue in its dictionary until the work in progress is done, as with RxSwift's CurrentThreadScheduler.
import CRunLoop
import SwiftRunLoopFoundation

enum BlockingError: Error { case timeout, noElements }

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
        CFRunLoopPerformBlock(loop, kCFRunLoopDefaultMode) { OwnThreadQueue.schedule(action) }
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

/// Work of a thread for itself, one after the other and never one inside the other.
enum OwnThreadQueue {
    private final class Queue { var work: [() -> Void] = [] }
    private static let key = "Outsiders.OwnThreadQueue"

    static func schedule(_ work: @escaping () -> Void) {
        if let queue = Thread.current.threadDictionary[key] as? Queue { return queue.work.append(work) }
        let queue = Queue()
        Thread.current.threadDictionary[key] = queue
        work()
        while !queue.work.isEmpty { queue.work.removeFirst()() }
        Thread.current.threadDictionary[key] = nil
    }
}

/// Sends elements until it returns an error or is over, on whatever threads it likes.
struct EventSource<Element: Sendable>: Sendable {
    enum Event: Sendable { case next(Element), error(any Error), completed }

    let subscribe: @Sendable (_ observer: @escaping @Sendable (Event) -> Void) -> Void

    init(_ subscribe: @escaping @Sendable (_ observer: @escaping @Sendable (Event) -> Void) -> Void) { self.subscribe = subscribe }

    /// All elements. The calling thread's loop runs until the source is over.
    func toBlockingArray(timeout: TimeInterval? = nil) throws -> [Element] { try collect(timeout: timeout, until: { _ in false }) }

    /// The first element. The rest is not waited for.
    func toBlockingFirst(timeout: TimeInterval? = nil) throws -> Element {
        guard let first = try collect(timeout: timeout, until: { _ in true }).first else { throw BlockingError.noElements }
        return first
    }

    private final class Collected: @unchecked Sendable {
        private let lock = NSLock()
        private var elements: [Element] = [], error: (any Error)?, isOver = false

        /// Whether the wait is over.
        func receive(_ event: Event, isLast: (Element) -> Bool) -> Bool {
            lock.withLock {
                if isOver { return true }
                switch event {
                case .next(let element):
                    elements.append(element)
                    isOver = isLast(element)
                case .error(let error): (self.error, isOver) = (error, true)
                case .completed: isOver = true
                }
                return isOver
            }
        }

        func result() throws -> [Element] {
            try lock.withLock {
                if let error { throw error }
                return elements
            }
        }
    }

    private func collect(timeout: TimeInterval?, until isLast: @escaping @Sendable (Element) -> Bool) throws -> [Element] {
        let collected = Collected(), lock = LoopLock(timeout: timeout)
        lock.dispatch {
            subscribe { event in
                if collected.receive(event, isLast: isLast) { lock.stop() }
            }
        }
        try lock.run()
        return try collected.result()
    }
}
