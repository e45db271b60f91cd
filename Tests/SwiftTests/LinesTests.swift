import Dispatch
import Glibc
import class SwiftRunLoop.RunLoop
import TestSupport
import XCTest

/// `RunLoop.lines(of:mode:)`.
final class LinesTests: XCTestCase {
    func testEachLineArrivesAndTheEndOfTheInputEndsTheSequence() {
        let thread = LoopThread(isKeptAlive: false), ends = TestPipe()
        waitForTask {
            let lines = try thread.loop.lines(of: ends.reading)
            ends.closeReading() // the sequence has its own
            thread.begin()
            var received: [String] = []
            ends.write("one\ntw")
            for try await line in lines {
                received.append(line)
                switch received.count {
                case 1: ends.write("o\r\n\nthree\n\n")
                case 5:
                    ends.write("grün ")
                    ends.write("last")
                    ends.closeWriting()
                default: break
                }
            }
            XCTAssertEqual(received, ["one", "two", "", "three", "", "grün last"])
            XCTAssert(eventually { thread.runResult == .finished }, "the descriptor was the only item of the mode")
            withExtendedLifetime(lines) {}
        }
        thread.stop()
    }

    func testALineMayBeLongerThanAReadAndAPieceMayEndWithinACharacter() {
        withLoopThread { thread in
            let ends = TestPipe(), long = String(repeating: "ü", count: 300_000)
            Thread.detachNewThread {
                var rest = Array("x\(long)\nshort\n".utf8)[...]
                while !rest.isEmpty { rest = rest.dropFirst(rest.withUnsafeBytes { write(ends.writing, $0.baseAddress!, $0.count) }) }
                ends.closeWriting()
            }
            let received = try await thread.loop.lines(of: ends.reading).reduce(into: [String]()) { $0.append($1) }
            XCTAssertEqual(received.map(\.count), [300_001, 5])
            XCTAssert(received == ["x\(long)", "short"])
        }
    }

    /// Without that, the lines of an endless input would pile up in memory. A pipe holds 64 KB, and the sequence reads one piece ahead.
    func testALateTaskHoldsTheWriterUpAndTheLoopSleeps() {
        let thread = LoopThread(), ends = TestPipe(), written = Shared(0)
        XCTAssertEqual(fcntl(ends.writing, F_SETFL, O_NONBLOCK), 0)
        @Sendable func writeMore() {
            let line = [UInt8](repeating: UInt8(ascii: "x"), count: 999) + [UInt8(ascii: "\n")]
            while write(ends.writing, line, 1000) == 1000 { written.value += 1 }
        }
        waitForTask {
            let lines = try thread.loop.lines(of: ends.reading)
            var iterator = lines.makeAsyncIterator()
            writeMore()
            let first = try await iterator.next()
            XCTAssertEqual(first?.count, 999)
            let passes = Shared(0)
            let observer = RunLoop.Observer(activities: .beforeTimers) { _, _ in passes.value += 1 }
            thread.loop.add(observer, forMode: .default)
            for _ in 0..<20 {
                writeMore()
                usleep(1000)
            }
            observer.invalidate()
            XCTAssertLessThan(written.value, 200)
            XCTAssertLessThan(passes.value, 5)
            ends.closeWriting()
            var count = 1
            while try await iterator.next() != nil { count += 1 }
            XCTAssertEqual(count, written.value)
        }
        thread.stop()
    }

    func testARegularFileIsReadToItsEnd() throws {
        let path = NSTemporaryDirectory() + "LinesTests.\(getpid())"
        let text = (0..<20000).map { "line \($0)\n" }.joined() + "end"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { unlink(path) }
        let file = open(path, O_RDONLY), thread = LoopThread()
        waitForTask {
            let received = try await thread.loop.lines(of: file).reduce(into: [String]()) { $0.append($1) }
            XCTAssert(received == (0..<20000).map { "line \($0)" } + ["end"])
        }
        thread.stop()
        close(file)
    }

    func testWhatCannotBeReadIsAnError() {
        let thread = LoopThread(), ends = TestPipe(), directory = open("/", O_RDONLY), null = open("/dev/null", O_RDONLY)
        waitForTask {
            for descriptor in [-1, ends.writing] {
                XCTAssertThrowsError(try thread.loop.lines(of: descriptor)) { XCTAssertEqual(($0 as? POSIXError)?.code, .EBADF) }
            }
            for try await line in try thread.loop.lines(of: null) { XCTFail(line) }
            do throws(POSIXError) {
                for try await line in try thread.loop.lines(of: directory) { XCTFail(line) }
                XCTFail("the lines of a directory")
            } catch { XCTAssertEqual(error.code, .EISDIR) }
        }
        thread.stop()
        close(directory)
        close(null)
    }

    /// The defect: a read error ended the sequence as the end of the input does. What has been read comes first.
    func testAReadErrorEndsTheSequenceWithThatError() {
        withLoopThread { thread in
            let pair = TestSockets(), lines = try thread.loop.lines(of: pair.one)
            XCTAssertEqual(write(pair.one, "unread", 6), 6) // so the other end's close is an error
            pair.send("one\nbegun")
            pair.closeOther()
            var received: [String] = [], iterator = lines.makeAsyncIterator()
            do throws(POSIXError) {
                while let line = try await iterator.next(isolation: nil) { received.append(line) }
                XCTFail("no error after \(received)")
            } catch { XCTAssertEqual(error.code, .ECONNRESET) }
            XCTAssertEqual(received, ["one", "begun"])
            let last = try await iterator.next(isolation: nil)
            XCTAssertNil(last)
        }
    }

    /// The defect: a `break` lost the lines that had been read ahead.
    func testTheSameSequenceGoesOnAfterABreak() {
        withLoopThread { thread in
            let ends = TestPipe(), lines = try thread.loop.lines(of: ends.reading)
            ends.write("one\ntwo\nthree\n")
            ends.closeWriting()
            var received: [String] = []
            for _ in 0..<3 {
                for try await line in lines {
                    received.append(line)
                    break
                }
            }
            for try await line in lines { XCTFail(line) }
            XCTAssertEqual(received, ["one", "two", "three"])
        }
    }

    // MARK: The ends of a sequence

    /// After the end, the mode is empty and no descriptor is left open.
    private func check(_ body: @escaping @Sendable (LoopThread, TestPipe) async throws -> Void, line: UInt = #line) {
        _ = RunLoop.main // it and libdispatch have descriptors of their own, which stay
        for _ in 0..<3 { waitForTask { try await Task.sleep(for: .milliseconds(1)) } }
        DispatchQueue.global().sync {}
        let before = openDescriptorCount(), thread = LoopThread(isKeptAlive: false), ends = TestPipe()
        waitForTask { try await body(thread, ends) }
        XCTAssert(eventually { thread.runResult == .finished }, line: line)
        thread.stop()
        ends.closeReading()
        ends.closeWriting()
        thread.forgetLoop()
        XCTAssert(eventually { openDescriptorCount() <= before }, "\(openDescriptorCount()) descriptors, before: \(before)", line: line)
        XCTAssert(eventually { thread.runLoop.object == nil }, "the RunLoop is retained", line: line)
    }

    func testACancelledTaskReceivesNothingMore() {
        check { thread, ends in
            let task = Task { try await thread.loop.lines(of: ends.reading).reduce(into: [String]()) { $0.append($1) } }
            ends.write("one\nbegun")
            thread.begin()
            usleep(10_000)
            task.cancel()
            let received = try await task.value
            XCTAssert([[], ["one"]].contains(received), "\(received)")
        }
    }

    /// Linux reports the end of a terminal as an error.
    func testTheLastLineOfATerminalArrives() throws {
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try XCTSkipIf(master < 0, "there is no terminal")
        var number: Int32 = 0
        XCTAssertEqual(ioctl(master, 0x4004_5431, &number), 0) // TIOCSPTLCK: unlocked
        XCTAssertEqual(ioctl(master, 0x8004_5430, &number), 0) // TIOCGPTN
        let terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        XCTAssertGreaterThanOrEqual(terminal, 0)
        XCTAssertEqual(write(terminal, "one\ntwo", 7), 7)
        close(terminal)
        let thread = LoopThread()
        waitForTask {
            let received = try await thread.loop.lines(of: master).reduce(into: [String]()) { $0.append($1) }
            XCTAssertEqual(received, ["one", "two"])
        }
        close(master)
        thread.stop()
    }

    func testTheEndOfTheThreadEndsTheSequence() {
        let thread = LoopThread(), ends = TestPipe(), waits = Shared(false)
        waitForTask {
            ends.write("one\nbegun")
            let task = Task { () throws -> [String] in
                var received: [String] = []
                for try await line in try thread.loop.lines(of: ends.reading) {
                    received.append(line)
                    waits.value = true
                }
                return received
            }
            XCTAssert(eventually { waits.value })
            thread.stop()
            let received = try await task.value
            XCTAssertEqual(received, ["one"])
            for try await line in try thread.loop.lines(of: ends.reading) { XCTFail("after the end: \(line)") }
        }
    }
}
