import Synchronization
import XCTest

/// What has happened, in order; may be written from any thread.
final class EventList: Sendable {
    private let entries = Mutex<[String]>([])

    func add(_ entry: String) { entries.withLock { $0.append(entry) } }

    var all: [String] { entries.withLock { $0 } }
}

/// A value that several threads may set and read.
final class Shared<Value: Sendable>: Sendable {
    let storage: Mutex<Value>

    init(_ value: Value) { storage = Mutex(value) }

    var value: Value {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }
}

extension Shared where Value: RangeReplaceableCollection {
    /// Everything in it, which is then empty.
    func take() -> Value {
        storage.withLock { value in
            defer { value = Value() }
            return value
        }
    }

    func append(_ element: Value.Element) where Value.Element: Sendable {
        storage.withLock { $0.append(element) }
    }
}

/// A thing whose end can be noticed.
final class Token: Sendable {}

/// A weak reference that may be looked at from anywhere.
struct Weak<Object: AnyObject>: @unchecked Sendable {
    weak var object: Object?

    init(_ object: Object?) { self.object = object }
}

/// Runs the closure on a new thread, and returns when that thread has ended, with all that ends with it.
func onThread(_ body: @escaping @Sendable () -> Void) {
    startThread(body).join()
}

/// Starts a thread, which must be joined.
func startThread(_ body: @escaping @Sendable () -> Void) -> StartedThread {
    StartedThread(body)
}

struct StartedThread: @unchecked Sendable {
    private final class Body {
        let call: @Sendable () -> Void
        init(_ call: @escaping @Sendable () -> Void) { self.call = call }
    }

    private let thread: pthread_t

    fileprivate init(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(Body(body)).toOpaque()
        let result = pthread_create(&thread, nil, { argument in
            Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().call()
            return nil
        }, argument)
        precondition(result == 0, "no thread")
        self.thread = thread
    }

    func join() { pthread_join(thread, nil) }
}
