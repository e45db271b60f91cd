import Glibc
import TestSupport
import XCTest

/// The two ends of a pipe, closed with the object. One thread at a time closes them.
final class TestPipe: @unchecked Sendable {
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

    func closeReading() {
        if reading >= 0 { close(reading) }
        reading = -1
    }

    func closeWriting() {
        if writing >= 0 { close(writing) }
        writing = -1
    }
}

/// Two connected sockets that do not block, closed with the object. One thread at a time closes them.
final class TestSockets: @unchecked Sendable {
    private(set) var one: Int32, other: Int32

    init() {
        var ends: [Int32] = [0, 0]
        XCTAssertEqual(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &ends), 0)
        (one, other) = (ends[0], ends[1])
    }

    deinit {
        closeOne()
        closeOther()
    }

    /// Writes to `other`.
    func send(_ text: String) { XCTAssertEqual(write(other, text, text.utf8.count), text.utf8.count) }

    func closeOne() {
        if one >= 0 { close(one) }
        one = -1
    }

    func closeOther() {
        if other >= 0 { close(other) }
        other = -1
    }
}

/// The result of one read: "" at the end.
func readText(_ descriptor: Int32, _ count: Int = 100) -> String {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = read(descriptor, &bytes, count)
    return String(decoding: bytes.prefix(max(got, 0)), as: UTF8.self)
}
