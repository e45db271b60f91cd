import CRunLoop
import Foundation
import FoundationNetworking
import SwiftRunLoop
import TestSupport
import XCTest
import class SwiftRunLoop.RunLoop // a scoped import has precedence over a plain one

private typealias Theirs = Foundation.RunLoop

private let ours = RunLoop.Mode("CoexistenceTests")
private let theirs = Theirs.Mode("CoexistenceTests")

private func addOurTimer(to loop: RunLoop, _ block: @escaping @Sendable () -> Void) {
    loop.add(SwiftRunLoop.Timer(timeInterval: 0.001, repeats: false) { _ in block() }, forMode: ours)
}

private func addTheirTimer(to loop: Theirs, _ block: @escaping @Sendable () -> Void) {
    loop.add(Foundation.Timer(timeInterval: 0.001, repeats: false) { _ in block() }, forMode: theirs)
}

private func runTheirs(_ mode: Theirs.Mode, until isDone: () -> Bool) {
    let limit = Date(timeIntervalSinceNow: 20)
    while !isDone(), Date() < limit { _ = Theirs.current.run(mode: mode, before: Date(timeIntervalSinceNow: 0.01)) }
}

/// A port that is told of the end of its loop.
private final class LastPort: Port, @unchecked Sendable {
    private let atEnd: () -> Void

    init(_ atEnd: @escaping () -> Void) { self.atEnd = atEnd }

    override func invalidate() {
        super.invalidate()
        atEnd()
    }
}

/// Foundation's run loop and this one in one process. Names without a module are ours, because of the scoped import above.
final class CoexistenceTests: XCTestCase {
    func testAScopedImportNamesOurs() {
        XCTAssertEqual(String(reflecting: RunLoop.self), "SwiftRunLoop.RunLoop")
        XCTAssertEqual(String(reflecting: Theirs.self), "Foundation.RunLoop")
        XCTAssertEqual(RunLoop.current.getCFRunLoop(), CFRunLoopGetCurrent())
    }

    /// Both modules declare a TimeInterval, so `[TimeInterval]()`, which uses the type in an expression, would be ambiguous.
    func testWhatBothModulesBringAlongNeedsNoModuleName() {
        var intervals = [TimeInterval]()
        intervals.append(TimeInterval(3))
        let byName = [String: TimeInterval](), dates = [Date](), data = Data()
        let interval: TimeInterval = SwiftRunLoop.Timer(timeInterval: 2, repeats: true) { _ in }.timeInterval
        XCTAssertEqual(intervals + [interval], [3, 2])
        XCTAssert(byName.isEmpty && dates.isEmpty && data.isEmpty)
    }

    func testBothOnTheMainThreadInTurn() {
        nonisolated(unsafe) var log: [String] = []
        for turn in 1...3 {
            log = []
            addOurTimer(to: .current) { log.append("ours") }
            addTheirTimer(to: .current) { log.append("theirs") }
            usleep(5000) // both are due
            XCTAssert(runLoop(in: ours) { !log.isEmpty })
            XCTAssertEqual(log, ["ours"], "turn \(turn)")
            runTheirs(theirs) { log.count > 1 }
            XCTAssertEqual(log, ["ours", "theirs"], "turn \(turn)")
        }
        XCTAssertFalse(RunLoop.current.run(mode: ours, before: .distantFuture), "nothing of theirs is in ours")
        XCTAssertFalse(Theirs.current.run(mode: theirs, before: .distantFuture), "nor the other way round")
    }

    /// A callback of one loop runs the other loop.
    func testOneWithinTheOther() {
        nonisolated(unsafe) var log: [String] = []
        addOurTimer(to: .current) {
            log.append("ours begins")
            addTheirTimer(to: .current) {
                log.append("theirs begins")
                addOurTimer(to: .current) { log.append("ours within theirs within ours") }
                XCTAssert(runLoop(in: ours) { log.count == 3 })
                log.append("theirs ends")
            }
            runTheirs(theirs) { log.count == 4 }
            log.append("ours ends")
        }
        XCTAssert(runLoop(in: ours) { log.count == 5 })
        XCTAssertEqual(log, ["ours begins", "theirs begins", "ours within theirs within ours", "theirs ends", "ours ends"])
    }

    func testBothServeTheMainQueueInTurn() {
        let served = Shared<[String]>([])
        func order(_ who: String) {
            DispatchQueue.main.async {
                XCTAssert(SwiftRunLoop.Thread.isMainThread)
                served.withLock { $0.append(who) }
            }
            Task { @MainActor in served.withLock { $0.append("\(who), actor") } }
        }
        for turn in 1...3 {
            served.value = []
            order("ours")
            XCTAssert(runLoop(in: .default) { served.value.count == 2 })
            XCTAssertEqual(served.value, ["ours", "ours, actor"], "turn \(turn)")
            order("theirs")
            runTheirs(.default) { served.value.count == 4 }
            XCTAssertEqual(served.value.suffix(2), ["theirs", "theirs, actor"], "turn \(turn)")
        }
    }

    /// One thread runs Foundation's loop and another runs ours; they send each other work.
    func testOnTwoThreadsAtOnce() {
        nonisolated(unsafe) var ourLoop: RunLoop!, theirLoop: Theirs!
        nonisolated(unsafe) var ourTurns = 0, theirTurns = 0
        let isReady = DispatchSemaphore(value: 0), rounds = 200
        let ourThread = startThread {
            ourLoop = RunLoop.current
            ourLoop.add(SwiftRunLoop.Port(), forMode: ours)
            isReady.signal()
            while ourTurns < rounds { RunLoop.current.run(mode: ours, before: Date(timeIntervalSinceNow: 20)) }
        }
        let theirThread = startThread {
            theirLoop = Theirs.current
            // Foundation's Port() traps.
            theirLoop.add(Foundation.Timer(timeInterval: 1e6, repeats: true) { _ in }, forMode: theirs)
            isReady.signal()
            while theirTurns < rounds { _ = Theirs.current.run(mode: theirs, before: Date(timeIntervalSinceNow: 0.05)) }
        }
        isReady.wait()
        isReady.wait()
        nonisolated(unsafe) var pass: (() -> Void)!
        pass = {
            ourTurns += 1
            if ourTurns == rounds { ourLoop.stop() } // blocks do not end a run
            theirLoop.perform(inModes: [theirs]) {
                theirTurns += 1
                if ourTurns == rounds { return }
                ourLoop.perform(inModes: [ours]) { @Sendable in pass() }
                ourLoop.wakeUp()
            }
            wakeUp(theirLoop)
        }
        ourLoop.perform(inModes: [ours]) { @Sendable in pass() }
        ourLoop.wakeUp()
        ourThread.join()
        theirThread.join()
        pass = nil
        XCTAssertEqual([ourTurns, theirTurns], [rounds, rounds])
    }

    /// One thread has a loop of each kind, and both loops end with it.
    func testAThreadWithBothEndsBoth() {
        weak var ourLoop: RunLoop?
        nonisolated(unsafe) var log: [String] = []
        onThread {
            nonisolated(unsafe) var fired = 0
            addOurTimer(to: .current) { fired += 1 }
            addTheirTimer(to: .current) { fired += 1 }
            XCTAssert(runLoop(in: ours) { fired == 1 })
            runTheirs(theirs) { fired == 2 }
            log.append("fired \(fired)")
            ourLoop = RunLoop.current
            RunLoop.current.add(LastPort { log.append("ours ends") }, forMode: ours)
        }
        XCTAssertEqual(log, ["fired 2", "ours ends"])
        XCTAssertNil(ourLoop)
    }

    /// A URLSession works on threads of its own. The server that answers it here is a source of the loop to which the completion comes.
    func testAURLSessionAndItsServerMeetInALoop() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in(), length = socklen_t(MemoryLayout<sockaddr_in>.size)
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        try withUnsafeMutablePointer(to: &address) {
            try $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                try XCTSkipIf(bind(listener, $0, length) != 0 || listen(listener, 1) != 0, "no network here")
                XCTAssertEqual(getsockname(listener, $0, &length), 0)
            }
        }
        let url = URL(string: "http://127.0.0.1:\(in_port_t(bigEndian: address.sin_port))/")!, log = EventList()
        onThread {
            let thread = SwiftRunLoop.Thread.current
            let server = try! RunLoop.Source(fileDescriptor: listener) { server, _ in
                server.invalidate()
                let connection = accept(listener, nil, nil), request = try! RunLoop.Source(fileDescriptor: connection) { request, _ in
                    var bytes = [UInt8](repeating: 0, count: 1024)
                    log.add(String(decoding: bytes[..<read(connection, &bytes, bytes.count)], as: UTF8.self).prefix(5) + "is served")
                    let answer = "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"
                    XCTAssertEqual(write(connection, answer, answer.utf8.count), answer.utf8.count)
                    request.invalidate()
                    close(connection)
                }
                RunLoop.current.add(request, forMode: ours)
            }
            RunLoop.current.add(server, forMode: ours)
            let session = URLSession(configuration: .ephemeral)
            session.dataTask(with: url) { data, _, error in
                let text = data.map { String(decoding: $0, as: UTF8.self) } ?? "\(error!)"
                thread.perform(inModes: [ours]) { log.add("\(text) \(SwiftRunLoop.Thread.current === thread)") }
            }.resume()
            XCTAssert(runLoop(in: ours) { log.all.count == 2 })
            session.finishTasksAndInvalidate()
        }
        XCTAssertEqual(log.all, ["GET /is served", "hello true"])
    }

    func testAnExpectationOfXCTestWaitsInTheirsWhileOursHasItems() {
        nonisolated(unsafe) var fired = 0
        addOurTimer(to: .main) { fired += 1 }
        let expectation = expectation(description: "the main queue is served by XCTest, in Foundation's loop")
        DispatchQueue.main.asyncAfter(deadline: .now() + 0.01) { expectation.fulfill() }
        wait(for: [expectation], timeout: 20)
        XCTAssertEqual(fired, 0)
        XCTAssert(runLoop(in: ours) { fired == 1 })
    }
}

/// Foundation has no public way to wake its loop from another thread, but adding a timer wakes it.
private func wakeUp(_ loop: Foundation.RunLoop) {
    loop.add(Foundation.Timer(timeInterval: 0, repeats: false) { _ in }, forMode: .init("CoexistenceTests"))
}
