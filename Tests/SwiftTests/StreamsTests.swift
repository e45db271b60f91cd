import Glibc
import class SwiftRunLoop.RunLoop
import TestSupport
import XCTest

/// What the streams of a loop have in common (Streams.swift): each leaves the loop with its task, with the last reference to it, and with the
/// loop's thread.
final class StreamsTests: XCTestCase {
    private struct Kind: Sendable {
        var name: String
        /// Makes a stream of the loop, and returns a function that receives all of it.
        var receive: @Sendable (RunLoop) throws -> @Sendable () async throws -> Void
        /// Whether the loop runs as long as the stream is in its mode.
        var keepsRunning = true
    }

    /// A pipe that nobody writes to.
    private static let pipe = TestPipe(), reading = pipe.reading

    private static let kinds = [
        Kind(name: "ticks", receive: { loop in
            let stream = loop.ticks(every: .seconds(1000))
            return { for await _ in stream {} }
        }),
        Kind(name: "events", receive: { loop in
            let stream = try loop.events(of: reading)
            return { for await _ in stream {} }
        }),
        Kind(name: "lines", receive: { loop in
            let stream = try loop.lines(of: reading)
            return { for try await _ in stream {} }
        }),
        Kind(name: "signals", receive: { loop in
            let stream = try loop.signals(SIGUSR1)
            return { for await _ in stream {} }
        }),
    ]

    func testACancelledTaskEndsTheStreamWhichLeavesTheLoop() {
        for kind in Self.kinds where kind.keepsRunning {
            let thread = LoopThread(isKeptAlive: false)
            waitForTask {
                let receive = try kind.receive(thread.loop), task = Task { try await receive() }
                thread.begin()
                usleep(2000)
                XCTAssertNil(thread.runResult, kind.name)
                task.cancel()
                try await task.value
                XCTAssert(eventually { thread.runResult == .finished }, kind.name)
                withExtendedLifetime(receive) {} // a stream that has ended keeps no item in the loop
            }
            thread.stop()
        }
    }

    func testAStreamThatNobodyHasLeavesTheLoop() {
        for kind in Self.kinds where kind.keepsRunning {
            let thread = LoopThread(isKeptAlive: false)
            waitForTask {
                let receive = Shared<(@Sendable () async throws -> Void)?>(try kind.receive(thread.loop))
                thread.begin()
                usleep(2000)
                XCTAssertNil(thread.runResult, kind.name)
                receive.value = nil
                XCTAssert(eventually { thread.runResult == .finished }, kind.name)
            }
            thread.stop()
        }
    }

    /// Threads end while streams begin and wait: each iteration ends, and so does each that begins later.
    func testTheEndOfTheThreadEndsTheStreamAtAnyMomentAndNoLoopIsLeft() {
        for kind in Self.kinds {
            for round in 0..<20 {
                let thread = LoopThread()
                waitForTask {
                    let tasks = (0..<4).map { _ in
                        Task { try await kind.receive(thread.loop)() }
                    }
                    if round % 2 == 0 { await Task.yield() }
                    thread.perform { RunLoop.current.stop() }
                    for task in tasks { try await task.value }
                    try await kind.receive(thread.loop)()
                }
                thread.stop()
                thread.forgetLoop()
                XCTAssert(eventually { thread.runLoop.object == nil }, kind.name)
            }
        }
    }
}
