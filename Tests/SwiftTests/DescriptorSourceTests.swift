import CRunLoop
import FoundationEssentials
import Glibc
import class SwiftRunLoop.RunLoop
import TestSupport
import XCTest

/// Sources that wait for a descriptor.
final class DescriptorSourceTests: XCTestCase {
    private typealias Events = RunLoop.Source.Events
    private let loop = RunLoop.main
    private let mode = RunLoop.Mode("DescriptorSourceTests")

    @discardableResult
    private func pass() -> Bool { loop.serve(forMode: mode) }

    override func tearDown() {
        XCTAssertFalse(pass(), "the test has left something in the mode")
    }

    func testI2_TheHandlerIsCalledAsLongAsSomethingIsUnread() throws {
        let pipe = TestPipe()
        nonisolated(unsafe) var seen = ""
        let source = try! RunLoop.Source(fileDescriptor: pipe.reading) { source, events in
            XCTAssertEqual(events, .readable)
            seen += readText(source.fileDescriptor!, 1)
        }
        loop.add(source, forMode: mode)
        pass()
        XCTAssertEqual(seen, "")
        pipe.write("abc")
        for expected in ["a", "ab", "abc", "abc"] {
            pass()
            XCTAssertEqual(seen, expected)
        }
        source.invalidate()
    }

    func testAWriterIsCalledWhileThereIsRoomAndItIsAskedFor() throws {
        let pipe = TestPipe()
        let size = Int(fcntl(pipe.writing, 1032)) // F_GETPIPE_SZ
        nonisolated(unsafe) var events: [Events] = []
        let source = try! RunLoop.Source(fileDescriptor: pipe.writing, events: []) { events.append($1) }
        loop.add(source, forMode: mode)
        pass()
        XCTAssertEqual(events, [], "not asked for")
        source.events = .writable
        XCTAssertEqual(source.events, .writable)
        pass()
        pass()
        XCTAssertEqual(events, [.writable, .writable])
        pipe.write(String(repeating: "x", count: size))
        pass()
        XCTAssertEqual(events.count, 2, "the pipe is full")
        XCTAssertEqual(readText(pipe.reading, size).count, size)
        pass()
        XCTAssertEqual(events.count, 3)
        source.events = []
        pass()
        XCTAssertEqual(events.count, 3)
        source.invalidate()
    }

    func testAHangUpOfEachKindIsTold() throws {
        let hungUp = TestPipe(), broken = TestPipe(), half = TestSockets(), second = dup(half.one)
        defer { close(second) }
        nonisolated(unsafe) var log: [String: Events] = [:]
        func source(_ name: String, _ descriptor: Int32, _ events: Events) -> RunLoop.Source {
            try! RunLoop.Source(fileDescriptor: descriptor, events: events) { log[name] = $1 }
        }
        let sources = [
            source("no writer", hungUp.reading, .readable), source("no reader", broken.writing, .writable),
            source("half closed", half.one, [.readable, .hangUp]), source("half closed, hang-up not asked for", second, .readable),
        ]
        sources.forEach { loop.add($0, forMode: mode) }
        for _ in 0..<5 { pass() }
        XCTAssertEqual(log, ["no reader": .writable])
        hungUp.closeWriting()
        broken.closeReading()
        shutdown(half.other, Int32(SHUT_WR))
        for _ in 0..<8 { pass() }
        XCTAssertEqual(log["no writer"], .readable, "its end has been reached")
        XCTAssertEqual(log["no reader"], [.writable, .hangUp])
        XCTAssertEqual(log["half closed"], [.readable, .hangUp])
        XCTAssertEqual(log["half closed, hang-up not asked for"], .readable)
        sources.forEach { $0.invalidate() }
    }

    func testASourceOfWhichNothingIsWantedIsSilentEvenAfterAHangUp() {
        let sockets = TestSockets(), calls = Shared(0)
        let source = try! RunLoop.Source(fileDescriptor: sockets.one, events: [.readable, .hangUp]) { source, _ in
            calls.value += 1
            source.events = []
        }
        loop.add(source, forMode: mode)
        shutdown(sockets.other, Int32(SHUT_RDWR))
        for _ in 1...3 { pass() }
        XCTAssertEqual(calls.value, 1)
        source.events = .hangUp
        for _ in 1...3 { pass() }
        XCTAssertEqual(calls.value, 2, "the event is requested again, so the handler is called again")
        source.invalidate()
    }

    func testASignalArrivesThroughASignalfd() throws {
        typealias Signalfd = @convention(c) (Int32, UnsafePointer<sigset_t>, Int32) -> Int32
        let signalfd = unsafeBitCast(try XCTUnwrap(dlsym(nil, "signalfd")), to: Signalfd.self)
        nonisolated(unsafe) var signals = sigset_t(), before = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGUSR2)
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let descriptor = signalfd(-1, &signals, 0o2000000)
        defer { close(descriptor) }
        nonisolated(unsafe) var calls = 0
        let source = try! RunLoop.Source(fileDescriptor: descriptor) { source, _ in
            calls += 1
            nonisolated(unsafe) var information = [UInt8](repeating: 0, count: 128)
            XCTAssertEqual(read(source.fileDescriptor!, &information, 128), 128)
            XCTAssertEqual(Int32(information[0]), SIGUSR2)
        }
        loop.add(source, forMode: mode)
        pthread_kill(pthread_self(), SIGUSR2)
        pass()
        pass()
        XCTAssertEqual(calls, 1)
        source.invalidate()
    }

    /// The mode's own source set waits for the events, without an epoll instance in between.
    func testManySourcesNeedNoEpollInstanceOfTheirOwn() throws {
        func epollCount() -> Int {
            (0..<1024).filter { number in
                var link = [CChar](repeating: 0, count: 64)
                let length = max(0, readlink("/proc/self/fd/\(number)", &link, 63))
                return String(decoding: link[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self) == "anon_inode:[eventpoll]"
            }.count
        }
        pass()
        let pipe = TestPipe(), before = epollCount(), calls = Shared(0)
        let descriptors = (0..<50).map { _ in dup(pipe.writing) }
        let sources = descriptors.map { descriptor in
            try! RunLoop.Source(fileDescriptor: descriptor, events: .writable) { source, events in
                XCTAssertEqual(events, .writable)
                calls.value += 1
                source.events = []
            }
        }
        for source in sources { loop.add(source, forMode: mode) }
        XCTAssertEqual(epollCount(), before)
        for _ in sources { pass() }
        XCTAssertEqual(calls.value, 50, "each source of one file is called")
        pass()
        XCTAssertEqual(calls.value, 50, "nothing is wanted any more")
        for source in sources { source.invalidate() }
        for descriptor in descriptors { close(descriptor) }
    }

    /// Another thread changes the events while the loop sleeps and the source is in two modes.
    func testWhatIsWantedMayChangeWhileTheLoopSleeps() throws {
        let sockets = TestSockets(), log = EventList()
        let source = try! RunLoop.Source(fileDescriptor: sockets.one, events: []) { source, events in
            log.add("\(events.rawValue)")
            source.events = events == .writable ? .readable : []
        }
        let other = RunLoop.Mode("DescriptorSourceTests, other")
        loop.add(source, forMode: mode)
        loop.add(source, forMode: other)
        let changed = source
        let thread = startThread {
            XCTAssert(eventually { RunLoop.main.isWaiting })
            changed.events = .writable
            XCTAssert(eventually { log.all.count == 1 })
            XCTAssertEqual(write(sockets.other, "x", 1), 1)
        }
        loop.run(mode: mode, before: .distantFuture)
        loop.run(mode: other, before: .distantFuture)
        thread.join()
        loop.serve(forMode: mode)
        XCTAssertEqual(log.all, ["2", "1"])
        source.events = [.readable, .writable]
        source.invalidate()
        XCTAssertFalse(pass())
    }

    func testTheHandlerIsReleasedWhenTheSourceLeavesItsLoop() throws {
        pass()
        let pipe = TestPipe(), descriptors = openDescriptorCount()
        XCTAssert(isReleased { token in
            let source = try! RunLoop.Source(fileDescriptor: pipe.reading) { _, _ in withExtendedLifetime(token) {} }
            loop.add(source, forMode: mode)
            loop.remove(source, forMode: mode)
        })
        XCTAssertEqual(openDescriptorCount(), descriptors)
    }

    func testItGoesWithItsThreadAndTheDescriptorStaysOpen() throws {
        let pipe = TestPipe()
        nonisolated(unsafe) weak var weakSource: RunLoop.Source?
        let reading = pipe.reading
        onThread {
            let source = try! RunLoop.Source(fileDescriptor: reading) { _, _ in }
            weakSource = source
            RunLoop.current.add(source, forMode: .default)
        }
        XCTAssertNil(weakSource)
        XCTAssertGreaterThanOrEqual(fcntl(reading, F_GETFD), 0)
    }

    /// The defect: a program that had not checked the result of `open` waited forever, and no line said why.
    func testADescriptorForWhichNoLoopCanWaitIsAnErrorAtOnce() {
        let file = open("/proc/self/exe", O_RDONLY), closed = fcntl(file, F_DUPFD, 900) // a number that no other thread gets
        close(closed)
        for (descriptor, code) in [(open("/nowhere/nothing", O_RDONLY), POSIXErrorCode.EBADF), (closed, .EBADF), (file, .EPERM)] {
            XCTAssertThrowsError(try RunLoop.Source(fileDescriptor: descriptor) { _, _ in }) {
                XCTAssertEqual(($0 as? POSIXError)?.code, code)
            }
        }
        close(file)
    }
}
