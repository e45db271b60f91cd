import CRunLoop
import class SwiftRunLoop.RunLoop
import Synchronization
import XCTest

/// A list of events, in order. May be used from any thread.
package final class EventList: Sendable {
    private let entries = Mutex<[String]>([])

    package init() {}

    package func add(_ entry: String) { entries.withLock { $0.append(entry) } }

    package var all: [String] { entries.withLock { $0 } }

    /// Removes and returns all events.
    package func takeAll() -> [String] {
        entries.withLock { entries in
            defer { entries = [] }
            return entries
        }
    }
}

/// A value that several threads may set and read.
package final class Shared<Value: Sendable>: Sendable {
    private let storage: Mutex<Value>

    package init(_ value: Value) { storage = Mutex(value) }

    package var value: Value {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }

    package func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result { storage.withLock { body(&$0) } }
}

extension Shared where Value: RangeReplaceableCollection {
    /// Removes and returns all elements.
    package func take() -> Value {
        withLock { value in
            defer { value = Value() }
            return value
        }
    }

    package func append(_ element: Value.Element) where Value.Element: Sendable {
        withLock { $0.append(element) }
    }
}

/// An object whose deallocation a weak reference detects.
package final class Token: Sendable {
    package init() {}
}

/// Whether the token that `body` uses is deallocated when that has returned.
package func isReleased(_ body: (Token) throws -> Void) rethrows -> Bool {
    weak var released: Token?
    do {
        let token = Token()
        released = token
        try body(token)
    }
    return released == nil
}

/// A weak reference that several threads may set and read.
package final class WeakReference<Object: AnyObject>: @unchecked Sendable {
    private let lock = NSLock()
    private weak var reference: Object?

    package init(_ object: Object? = nil) { reference = object }

    package var object: Object? {
        get { lock.withLock { reference } }
        set { lock.withLock { reference = newValue } }
    }
}

/// Waits until the condition holds, for half a minute at most: on a busy machine a thread may not run for seconds.
package func eventually(_ condition: () -> Bool) -> Bool {
    let end = Date(timeIntervalSinceNow: 30)
    while !condition() {
        if Date() > end { return false }
        usleep(1000)
    }
    return true
}

/// Whether the condition holds for a number of milliseconds, for something that must not happen. On a slow machine this may miss a fault,
/// but it never fails correct code. For something that must happen, use `eventually`.
package func stays(forMilliseconds milliseconds: Int, _ condition: () -> Bool) -> Bool {
    for _ in 0..<milliseconds {
        if !condition() { return false }
        usleep(1000)
    }
    return condition()
}

/// The processor time of the calling thread, which does not depend on what else the machine does.
package func processorSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Runs the calling thread's loop until the condition holds, for half a minute at most.
package func runLoop(in mode: SwiftRunLoop.RunLoop.Mode = .default, until condition: () -> Bool) -> Bool {
    let end = Date(timeIntervalSinceNow: 30)
    while !condition() {
        if Date() > end { return false }
        SwiftRunLoop.RunLoop.current.run(mode: mode, before: Date(timeIntervalSinceNow: 0.01))
    }
    return true
}

/// Runs the closure on a new thread, and returns when that thread and its run loop have ended.
package func onThread(_ body: @escaping () -> Void) {
    startThread(body).join()
}

/// Starts a thread, which must be joined. The compiler does not check that the test may share the closure's captures with it.
package func startThread(_ body: @escaping () -> Void) -> StartedThread {
    StartedThread(body)
}

/// A thread that can be joined, which Foundation's Thread cannot.
package final class StartedThread: @unchecked Sendable {
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

    package func join() { pthread_join(thread, nil) }
}

/// The number of descriptors that this process has open.
package func openDescriptorCount() -> Int {
    let directory = opendir("/proc/self/fd")!
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    return count
}

/// The number of references to a C object.
package func retainCount(_ object: some Any) -> Int { CFGetRetainCount(unsafeBitCast(object, to: UnsafeRawPointer.self)) }

// MARK: - Translations

/// Whether what is not translated fails the tests, as in `.ci/run --all`. Otherwise they only name it, because one language is enough on a branch.
package let translationsAreStrict = getenv("TRANSLATIONS").map { String(cString: $0) } == "strict"

package func toTranslate(_ what: String, file: StaticString = #filePath, line: UInt = #line) {
    if translationsAreStrict { XCTFail(what, file: file, line: line) } else { print("to translate: \(what)") }
}

/// How many pages of memory this process has, and how many its address space has.
package func pagesOfThisProcess() -> (inMemory: Int, inAll: Int) {
    let numbers = try! String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return (Int(numbers[1])!, Int(numbers[0])!)
}
