import class SwiftRunLoop.RunLoop
import Synchronization
import XCTest

/// What has happened, in order; may be written from any thread.
final class EventList: Sendable {
    private let entries = Mutex<[String]>([])

    func add(_ entry: String) { entries.withLock { $0.append(entry) } }

    var all: [String] { entries.withLock { $0 } }

    /// Everything that has happened; the list is then empty.
    func takeAll() -> [String] {
        entries.withLock { entries in
            defer { entries = [] }
            return entries
        }
    }
}

/// A value that several threads may set and read.
final class Shared<Value: Sendable>: Sendable {
    private let storage: Mutex<Value>

    init(_ value: Value) { storage = Mutex(value) }

    var value: Value {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }

    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result { storage.withLock { body(&$0) } }
}

extension Shared where Value: RangeReplaceableCollection {
    /// Everything in it, which is then empty.
    func take() -> Value {
        withLock { value in
            defer { value = Value() }
            return value
        }
    }

    func append(_ element: Value.Element) where Value.Element: Sendable {
        withLock { $0.append(element) }
    }
}

/// A thing whose end can be noticed.
final class Token: Sendable {}

/// A weak reference that several threads may set and read.
final class Weak<Object: AnyObject>: @unchecked Sendable {
    private let lock = NSLock()
    private weak var reference: Object?

    init(_ object: Object? = nil) { reference = object }

    var object: Object? {
        get { lock.withLock { reference } }
        set { lock.withLock { reference = newValue } }
    }
}

/// Waits until the condition holds, for half a minute at most: on a busy machine a thread may not run for seconds.
func eventually(_ condition: () -> Bool) -> Bool {
    let end = Date(timeIntervalSinceNow: 30)
    while !condition() {
        if Date() > end { return false }
        usleep(1000)
    }
    return true
}

/// Whether the condition holds all the time for so many milliseconds: for what must not happen. No event tells that, so a test gives it
/// some time; on a slow machine a fault may be missed, but nothing that is right fails. What is to happen, `eventually` waits for.
func stays(forMilliseconds milliseconds: Int, _ condition: () -> Bool) -> Bool {
    for _ in 0..<milliseconds {
        if !condition() { return false }
        usleep(1000)
    }
    return condition()
}

/// Runs the main loop until the condition holds, for half a minute at most.
func runMain(until condition: () -> Bool) -> Bool {
    let end = Date(timeIntervalSinceNow: 30)
    while !condition() {
        if Date() > end { return false }
        SwiftRunLoop.RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
    }
    return true
}

/// Runs the closure on a new thread, and returns when that thread has ended, with all that ends with it, such as its run loop.
func onThread(_ body: @escaping () -> Void) {
    startThread(body).join()
}

/// Starts a thread, which must be joined. The test shares with it what the closure captures, at its own risk.
func startThread(_ body: @escaping () -> Void) -> StartedThread {
    StartedThread(body)
}

/// A thread that can be joined, which Foundation's Thread cannot.
final class StartedThread: @unchecked Sendable {
    private final class Body {
        let call: () -> Void
        init(_ call: @escaping () -> Void) { self.call = call }
    }

    private var thread = pthread_t()

    fileprivate init(_ body: @escaping () -> Void) {
        let argument = Unmanaged.passRetained(Body(body)).toOpaque()
        let result = pthread_create(&thread, nil, { argument in
            Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().call()
            return nil
        }, argument)
        precondition(result == 0, "no thread")
    }

    func join() { pthread_join(thread, nil) }
}
