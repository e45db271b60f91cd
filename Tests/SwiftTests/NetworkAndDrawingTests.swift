import Dispatch
import SwiftRunLoop
import XCTest

/// The articles' designs with several threads: a network thread, background drawing, timers that need no loop.
final class NetworkAndDrawingTests: XCTestCase {
    /// Runs the main loop until the condition holds, or the test has waited too long.
    func testI6_ASocketsBytesReachTheLoopThroughASourceThatAPrivateThreadSignals() {
        var ends: [Int32] = [-1, -1]
        XCTAssertEqual(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends), 0)
        let log = EventList(), loop = RunLoop.current, received = Shared<[String]>([])
        let source = RunLoop.Source {
            log.add("source 0 on the main thread: \(Thread.isMainThread)")
            for text in received.take() { log.add(text) }
        }
        loop.add(source, forMode: .default)
        let reader = startReader(of: ends[0], into: received, signalling: source, on: Unchecked(loop))
        XCTAssertEqual(write(ends[1], "hello", 5), 5)
        XCTAssert(runMain { log.all.contains("hello") })
        close(ends[1])
        XCTAssert(runMain { log.all.contains("(end)") })
        reader.join()
        source.invalidate()
        close(ends[0])
        XCTAssertEqual(log.all.first, "source 0 on the main thread: true")
        XCTAssertEqual(log.all.filter { $0 == "hello" || $0 == "(end)" }, ["hello", "(end)"])
    }

    func testA8_BytesGoFromAPrivateThreadToAResidentThreadToTheMainThread() throws {
        var ends: [Int32] = [-1, -1]
        XCTAssertEqual(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends), 0)
        let log = EventList(), isToEnd = Shared(false)
        let descriptor = ends[0], writer = ends[1], received = Shared<[String]>([])
        let network = Thread {
            let loop = RunLoop.current
            let source = RunLoop.Source {
                for text in received.take() {
                    log.add("network thread has \(text)")
                    try? Thread.performOnMainThread(waitUntilDone: false) { log.add("main thread: \(Thread.isMainThread), shows \(text)") }
                    if text == "(end)" { isToEnd.value = true }
                }
            }
            loop.add(source, forMode: .default)
            let reader = startReader(of: descriptor, into: received, signalling: source, on: Unchecked(loop))
            while !isToEnd.value, loop.run(mode: .default, before: .distantFuture) {}
            reader.join()
        }
        network.start()
        XCTAssertEqual(write(writer, "a", 1), 1)
        XCTAssert(runMain { log.all.contains("main thread: true, shows a") })
        XCTAssertEqual(write(writer, "b", 1), 1)
        close(writer)
        XCTAssert(runMain { network.isFinished && log.all.contains("main thread: true, shows (end)") })
        close(descriptor)
        let shown = log.all.filter { $0.hasPrefix("main") }
        XCTAssertEqual(shown, ["a", "b", "(end)"].map { "main thread: true, shows \($0)" })
    }

    func testA9_WhatIsDrawnInTheBackgroundIsCommittedByAnObserverOfTheMainLoop() {
        let log = EventList(), dirty = Shared<String?>(nil)
        let commit = RunLoop.Observer(activities: [.beforeWaiting, .exit]) { _, _ in
            guard let picture = dirty.value else { return }
            dirty.value = nil
            log.add("committed \(picture), on the main thread: \(Thread.isMainThread)")
        }
        RunLoop.main.add(commit, forMode: .common)
        DispatchQueue.global().async {
            log.add("drawn on the main thread: \(Thread.isMainThread)")
            DispatchQueue.main.async { dirty.value = "the picture" }
        }
        XCTAssert(runMain { log.all.count == 2 })
        commit.invalidate()
        XCTAssertEqual(log.all, ["drawn on the main thread: false", "committed the picture, on the main thread: true"])
    }

    func testT7_ADispatchTimerOnAnotherQueueNeedsNoLoopAndOneOnTheMainQueueIsServedByTheMainLoop() {
        let onQueue = Shared(0), onMain = Shared(0)
        let queue = DispatchQueue(label: "timer")
        let free = DispatchSource.makeTimerSource(queue: queue), main = DispatchSource.makeTimerSource(queue: .main)
        free.setEventHandler { onQueue.value += 1 }
        main.setEventHandler { onMain.value += 1 }
        free.schedule(deadline: .now(), repeating: 0.005)
        main.schedule(deadline: .now(), repeating: 0.005)
        free.activate()
        main.activate()
        let end = Date(timeIntervalSinceNow: 20)
        while onQueue.value < 3, Date() < end { usleep(1000) } // no loop runs here
        XCTAssertGreaterThanOrEqual(onQueue.value, 3)
        XCTAssertEqual(onMain.value, 0, "nobody serves the main queue but the main loop")
        XCTAssert(runMain { onMain.value >= 3 })
        free.cancel()
        main.cancel()
    }
}

/// Reads a descriptor to its end, like the articles' private socket thread: it blocks in read, and signals a Source0.
private func startReader(of descriptor: Int32, into received: Shared<[String]>, signalling source: RunLoop.Source, on loop: Unchecked<RunLoop>) -> StartedThread {
    startThread {
        var buffer = [UInt8](repeating: 0, count: 64)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            received.append(count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : "(end)")
            source.signal()
            loop.value.wakeUp()
            if count <= 0 { return }
        }
    }
}

/// Moves a value to another thread although the compiler cannot prove that this is safe.
private struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
