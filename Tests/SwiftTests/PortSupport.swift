import Glibc
import class SwiftRunLoop.RunLoop
import XCTest

/// A thread that can be waited for to its very end, with the end of its run loop: what Foundation's Thread does not offer.
final class JoinableThread {
    private final class Body {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    private var thread = pthread_t()

    /// Starts `body`, which may use what the test shares with it at its own risk.
    init(_ body: @escaping () -> Void) {
        let info = Unmanaged.passRetained(Body(body)).toOpaque()
        pthread_create(&thread, nil, { info in
            Unmanaged<Body>.fromOpaque(info!).takeRetainedValue().body()
            return nil
        }, info)
    }

    /// Returns when the thread is gone.
    func join() {
        pthread_join(thread, nil)
    }

    /// Does `body` on a new thread, and returns when that is gone.
    static func run(_ body: @escaping () -> Void) {
        JoinableThread(body).join()
    }
}

/// A list that several threads write to.
final class SharedLog<Event>: @unchecked Sendable {
    private let lock = NSLock()
    private var list: [Event] = []

    func append(_ event: Event) {
        lock.withLock { list.append(event) }
    }

    var events: [Event] { lock.withLock { list } }
}

/// The number of descriptors that this process has open.
func openDescriptorCount() -> Int {
    let directory = opendir("/proc/self/fd")!
    defer { closedir(directory) }
    var count = 0
    while readdir(directory) != nil { count += 1 }
    return count
}

/// Looks every millisecond until the condition holds; false if it does not for ten seconds.
func waitUntil(_ condition: () -> Bool) -> Bool {
    for _ in 0..<10_000 {
        if condition() { return true }
        usleep(1000)
    }
    return condition()
}

/// The two ends of a pipe, closed with the object.
final class TestPipe {
    private(set) var reading: Int32, writing: Int32

    init() {
        var ends: [Int32] = [0, 0]
        XCTAssertEqual(pipe(&ends), 0)
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        closeReading()
        closeWriting()
    }

    func write(_ text: String) {
        XCTAssertEqual(Glibc.write(writing, text, text.utf8.count), text.utf8.count)
    }

    /// What can be read at once, which must be something.
    func readSome(_ count: Int = 100) -> String { readText(reading, count) }

    func closeReading() {
        if reading >= 0 { close(reading) }
        reading = -1
    }

    func closeWriting() {
        if writing >= 0 { close(writing) }
        writing = -1
    }
}

/// What one read returns: "" at the end.
func readText(_ descriptor: Int32, _ count: Int = 100) -> String {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = read(descriptor, &bytes, count)
    return String(decoding: bytes.prefix(max(got, 0)), as: UTF8.self)
}
