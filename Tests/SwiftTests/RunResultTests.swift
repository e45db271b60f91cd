import CRunLoop
import SwiftRunLoop
import TestSupport
import XCTest

/// Runs that return the reason why they ended. Each test has its own thread.
final class RunResultTests: XCTestCase {
    /// Ten minutes from now; a test that waits for it has failed. XCTest makes all test cases before it runs the first, so a stored date may have passed.
    private var late: Date { Date(timeIntervalSinceNow: 600) }

    /// A weak reference to a source, for its own closure.
    private final class Own: @unchecked Sendable {
        weak var source: RunLoop.Source?
    }

    /// Adds a signalled source to the loop. Its closure is called with the source.
    private func addSource(to loop: RunLoop, _ perform: @escaping @Sendable (RunLoop.Source) -> Void) -> RunLoop.Source {
        let own = Own()
        let source = RunLoop.Source { own.source.map(perform) }
        own.source = source
        loop.add(source, forMode: .default)
        source.signal()
        return source
    }

    func testL4_EachReasonHasItsResult() {
        let results = Shared<[CFRunLoopRunResult]>([]), late = late
        onThread {
            let loop = RunLoop.current
            results.append(loop.runUntilStopped()) // the mode is empty
            loop.add(Timer(timeInterval: 0.001, repeats: false) { _ in }, forMode: .default)
            results.append(loop.runUntilStopped()) // becomes empty
            let stop = Timer(timeInterval: 0.001, repeats: true) { _ in RunLoop.current.stop() }
            loop.add(stop, forMode: .default)
            results.append(loop.runUntilStopped(in: .default, until: late))
            stop.fireDate = .distantFuture
            results.append(loop.runUntilStopped(in: .default, until: Date(timeIntervalSinceNow: 0.01)))
            let source = self.addSource(to: loop) { _ in }
            results.append(CFRunLoopRunInMode(kCFRunLoopDefaultMode, 600, true))
            source.invalidate()
        }
        XCTAssertEqual(results.value, [.finished, .finished, .stopped, .timedOut, .handledSource])
    }

    func testL4_ADateThatHasPassedOrIsNotANumberMakesOnePass() {
        let results = Shared<[CFRunLoopRunResult]>([])
        onThread {
            RunLoop.current.add(Port(), forMode: .default)
            results.append(RunLoop.current.runUntilStopped(in: .default, until: .distantPast))
            results.append(RunLoop.current.runUntilStopped(in: .default, until: Date(timeIntervalSinceNow: .nan)))
        }
        XCTAssertEqual(results.value, [.timedOut, .timedOut])
    }

    func testL4_ARunEndsAfterASourceOnlyIfItIsToReturnThen() {
        let results = Shared<[CFRunLoopRunResult]>([]), handled = Shared(0)
        onThread {
            let loop = RunLoop.current
            let source = self.addSource(to: loop) { source in
                handled.value += 1
                if handled.value < 3 { source.signal() } else { RunLoop.current.stop() }
            }
            results.append(CFRunLoopRunInMode(kCFRunLoopDefaultMode, 600, true))
            results.append(loop.runUntilStopped())
            source.invalidate()
        }
        XCTAssertEqual(results.value, [.handledSource, .stopped])
        XCTAssertEqual(handled.value, 3)
    }

    // MARK: - Until stopped

    /// Not `run()`, which begins another run after a stop.
    func testL7_RunUntilStoppedEndsAtAStopFromAnotherThread() throws {
        let results = Shared<[CFRunLoopRunResult]>([])
        let thread = Thread {
            RunLoop.current.add(Port(), forMode: .default)
            results.append(RunLoop.current.runUntilStopped())
        }
        thread.start()
        for _ in 0..<3 { try thread.performAndWait {} } // these are sources, which do not end such a run
        XCTAssertEqual(results.value, [])
        thread.perform { RunLoop.current.stop() }
        XCTAssert(eventually { thread.isFinished })
        XCTAssertEqual(results.value, [.stopped])
    }

    func testL7_RunUntilStoppedEndsWithTheLastItemOfItsMode() {
        let results = Shared<[CFRunLoopRunResult]>([]), fired = Shared(0), mode = RunLoop.Mode("RunResultTests")
        onThread {
            results.append(RunLoop.current.runUntilStopped(in: mode))
            RunLoop.current.add(Port(), forMode: .default) // another mode
            RunLoop.current.add(Timer(timeInterval: 0.001, repeats: true) { timer in
                fired.value += 1
                if fired.value == 3 { timer.invalidate() }
            }, forMode: mode)
            results.append(RunLoop.current.runUntilStopped(in: mode))
        }
        XCTAssertEqual(results.value, [.finished, .finished])
        XCTAssertEqual(fired.value, 3)
    }

    // MARK: - Nothing to run

    func testS9_R7_TheCommonModesAndAnotherThreadsLoopAreFinished() {
        let results = Shared<[CFRunLoopRunResult]>([]), late = late
        let timer = Timer(timeInterval: 1000, repeats: true) { _ in }
        RunLoop.main.add(timer, forMode: .common)
        results.append(RunLoop.main.runUntilStopped(in: .common, until: late))
        results.append(RunLoop.main.runUntilStopped(in: .common))
        onThread {
            results.append(RunLoop.main.runUntilStopped(in: .default, until: late))
            results.append(RunLoop.main.runUntilStopped())
        }
        timer.invalidate()
        XCTAssertEqual(results.value, [.finished, .finished, .finished, .finished])
    }
}
