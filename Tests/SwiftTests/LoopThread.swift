import CRunLoop
import Dispatch
import FoundationEssentials
import class SwiftRunLoop.Port
import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Thread
import class SwiftRunLoop.Timer
import SwiftRunLoopAsync
import TestSupport
import XCTest

/// A thread with a loop, for tests that use the loop from tasks.
final class LoopThread: Sendable {
    private let thread: Thread
    private let handle: Shared<RunLoop?>
    private let mayBegin: DispatchSemaphore
    private let result: Shared<CFRunLoopRunResult?>
    /// Nil when the RunLoop has been deallocated.
    let runLoop: WeakReference<RunLoop>

    /// - Parameter isKeptAlive: if true, a port keeps the loop running until `stop()`. If false, the run begins with `begin()`, and ends as
    ///   soon as the mode is empty.
    init(isKeptAlive: Bool = true) {
        let handle = Shared<RunLoop?>(nil), mayBegin = DispatchSemaphore(value: 0), result = Shared<CFRunLoopRunResult?>(nil)
        let runLoop = WeakReference<RunLoop>()
        thread = Thread {
            if isKeptAlive { RunLoop.current.add(Port(), forMode: .default) }
            runLoop.object = RunLoop.current
            handle.value = RunLoop.current
            if !isKeptAlive { mayBegin.wait() }
            result.value = RunLoop.current.runUntilStopped(in: .default)
        }
        (self.handle, self.mayBegin, self.result, self.runLoop) = (handle, mayBegin, result, runLoop)
        thread.start()
        XCTAssert(eventually { handle.value != nil })
    }

    var loop: RunLoop { handle.value! }

    /// Schedules a closure in the default mode, and wakes the loop.
    func perform(_ block: sending @escaping () -> Void) {
        loop.perform(block)
        loop.wakeUp()
    }

    /// Returns when the callout that the loop is making has returned.
    func finishPass() async {
        await withCheckedContinuation { continuation in perform { continuation.resume() } }
    }

    /// The number of passes in 20 milliseconds, in which the loop should sleep.
    func passesOfASleep() -> Int {
        let count = Shared(0)
        let observer = RunLoop.Observer(activities: .beforeTimers) { _, _ in count.value += 1 }
        loop.add(observer, forMode: .default)
        usleep(20_000)
        observer.invalidate()
        return count.value
    }

    /// Releases the loop, so that the end of the thread deallocates it.
    func forgetLoop() { handle.value = nil }

    /// Begins the run of a loop that nothing keeps alive.
    func begin() { mayBegin.signal() }

    /// The reason why the run has ended; nil if it has not.
    var runResult: CFRunLoopRunResult? { result.value }

    /// Stops the loop, and waits for the end of its thread.
    func stop(file: StaticString = #filePath, line: UInt = #line) {
        let ended = eventually {
            if result.value == nil { loop.stop() } // again, because the first stop may have come before the run
            return thread.isFinished && runLoop.object?.hasEnded != false
        }
        XCTAssert(ended, "the thread has not ended", file: file, line: line)
    }
}

/// The threads on which a task calls a closure by `run { }`.
enum RunForm: CaseIterable {
    case thread, mainThread

    nonisolated(nonsending) func run<Success>(
        _ worker: Worker, in mode: RunLoop.Mode = .common, _ body: sending @escaping () throws -> sending Success
    ) async throws -> sending Success {
        switch self {
        case .thread: try await worker.run(inModes: [mode], body)
        case .mainThread: try await Thread.main.run(inModes: [mode], body)
        }
    }
}

// Thread.current and RunLoop.current are unavailable in async code.

func currentThread() -> Thread { Thread.current }

func currentLoop() -> RunLoop { RunLoop.current }

/// Waits on the main thread, while a task runs elsewhere.
func waitForTask(file: StaticString = #filePath, line: UInt = #line, _ body: @escaping @Sendable () async throws -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task.detached {
        do { try await body() } catch { XCTFail("\(error)", file: file, line: line) }
        done.signal()
    }
    XCTAssertEqual(done.wait(timeout: .now() + 120), .success, "not within two minutes", file: file, line: line)
}

/// Waits for a task that uses the loop of a thread, which is stopped afterwards.
func withLoopThread(file: StaticString = #filePath, line: UInt = #line, _ body: @escaping @Sendable (LoopThread) async throws -> Void) {
    let thread = LoopThread()
    waitForTask(file: file, line: line) { try await body(thread) }
    thread.stop(file: file, line: line)
}

/// A thread that runs its loop until it is stopped, for tests that call all forms of `run { }` on it.
final class Worker: Thread, @unchecked Sendable {
    private let made = Shared<RunLoop?>(nil), isStopped = Shared(false)

    override func main() {
        RunLoop.current.add(Port(), forMode: .default)
        made.value = RunLoop.current
        while !isStopped.value { RunLoop.current.runUntilStopped() }
    }

    var loop: RunLoop { made.value! }

    /// The thread's loop is there when this returns.
    static func started() -> Worker {
        let worker = Worker()
        worker.start()
        XCTAssert(eventually { worker.made.value != nil })
        return worker
    }

    /// Ends the thread without performing the requests that wait. A stop that comes before the run is lost, so this repeats it.
    func stop() {
        isStopped.value = true
        XCTAssert(eventually {
            loop.stop()
            return isFinished
        })
    }
}
