// Expectations.swift: how XCTest waits. A test makes expectations, which callbacks on any thread fulfil, and its thread runs its loop until all
// are fulfilled or the time is over. The waiters of a thread nest: one may begin in a callback of the run of another.
//
// The calls are XCTest's: run(mode:before:) in slices, CFRunLoopStop from the thread that fulfils the last expectation, the waiters of a thread
// in its dictionary, timers that ask a predicate, and notifications.
import CRunLoop
import SwiftRunLoopFoundation

/// Something that must happen before a wait is over.
class Expectation: @unchecked Sendable {
    private let lock = NSLock()
    private var fulfilled = false
    private weak var waiter: Waiter?

    var isFulfilled: Bool { lock.withLock { fulfilled } }

    /// May be called from any thread.
    func fulfill() {
        let waiter = lock.withLock { () -> Waiter? in
            precondition(!fulfilled, "fulfilled more often than expected")
            fulfilled = true
            return self.waiter
        }
        waiter?.fulfilled(self)
    }

    /// Called on the waiter's thread, before it begins to run its loop.
    func isAwaited(by waiter: Waiter) { lock.withLock { self.waiter = waiter } }

    /// Called on the waiter's thread when the wait is over.
    func isOver() { lock.withLock { waiter = nil } }
}

/// Fulfilled by a timer's callback in the loop of the waiting thread, as soon as the predicate holds.
final class PredicateExpectation: Expectation, @unchecked Sendable {
    private let predicate: @Sendable () -> Bool
    private var timer: Timer?

    init(_ predicate: @escaping @Sendable () -> Bool) {
        self.predicate = predicate
        super.init()
    }

    override func isAwaited(by waiter: Waiter) {
        super.isAwaited(by: waiter)
        let timer = Timer(timeInterval: 0.005, repeats: true) { [weak self] timer in
            guard let self, predicate() else { return }
            timer.invalidate()
            fulfill()
        }
        RunLoop.current.add(timer, forMode: .default)
        self.timer = timer
    }

    override func isOver() {
        super.isOver()
        timer?.invalidate()
    }
}

/// Fulfilled by the next notification of a name.
final class NotificationExpectation: Expectation, @unchecked Sendable {
    private var token: NSObjectProtocol?

    init(_ name: Notification.Name) {
        super.init()
        token = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [weak self] _ in
            guard let self, !isFulfilled else { return }
            fulfill()
        }
    }

    deinit {
        if let token { NotificationCenter.default.removeObserver(token) }
    }
}

/// One wait of a thread.
final class Waiter: @unchecked Sendable {
    enum Result { case completed, timedOut, interrupted }

    private let lock = NSLock()
    private let loop = CFRunLoopGetCurrent()
    private var awaited: [Expectation] = [], fulfilledOnes: [Expectation] = []
    private var inner: [Waiter] = []
    private var result: Result?
    private(set) var runs = 0

    /// The waiters of the calling thread, the innermost last.
    private static var stack: [Waiter] {
        get { Thread.current.threadDictionary["Outsiders.Waiter"] as? [Waiter] ?? [] }
        set { Thread.current.threadDictionary["Outsiders.Waiter"] = newValue }
    }

    static var depth: Int { stack.count }

    /// Runs the loop until the expectations are fulfilled, the time is over, or a wait around this one is out of time.
    /// - Parameter slice: how long one run of the loop may last. Only a stop can end it sooner.
    func wait(for expectations: [Expectation], timeout: TimeInterval, slice: TimeInterval = 0.1) -> Result {
        awaited = expectations
        let around = Self.stack
        Self.stack.append(self)
        for waiter in around { waiter.lock.withLock { waiter.inner.append(self) } }
        for expectation in expectations { expectation.isAwaited(by: self) }
        for expectation in expectations where expectation.isFulfilled { fulfilled(expectation) }
        let timeIsOver = DispatchWorkItem { [weak self] in self?.timeIsOver() }
        DispatchQueue.global().asyncAfter(deadline: .now() + timeout, execute: timeIsOver)
        // The loop of another thread would not wait if its mode were empty.
        let keeper = Timer.scheduledTimer(withTimeInterval: 10_000, repeats: false) { _ in }
        while !isOver {
            runs += 1
            _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: slice))
        }
        keeper.invalidate()
        timeIsOver.cancel()
        for expectation in expectations { expectation.isOver() }
        for waiter in around { waiter.lock.withLock { waiter.inner.removeAll { $0 === self } } }
        Self.stack.removeLast()
        return lock.withLock { result! }
    }

    private var isOver: Bool { lock.withLock { result != nil } }

    // MARK: From any thread

    fileprivate func fulfilled(_ expectation: Expectation) {
        lock.lock()
        if !fulfilledOnes.contains(where: { $0 === expectation }) { fulfilledOnes.append(expectation) }
        let isComplete = fulfilledOnes.count == awaited.count
        lock.unlock()
        if isComplete { end(.completed) }
    }

    private func timeIsOver() {
        let interrupted = lock.withLock { inner }
        end(.timedOut)
        for waiter in interrupted { waiter.end(.interrupted) }
    }

    /// The first result counts. It ends the run of the waiting thread.
    private func end(_ result: Result) {
        lock.lock()
        let isFirst = self.result == nil
        if isFirst { self.result = result }
        lock.unlock()
        if isFirst { CFRunLoopStop(loop) }
    }
}
