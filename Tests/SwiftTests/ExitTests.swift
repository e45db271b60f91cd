import Glibc
import class SwiftRunLoop.RunLoop
import SwiftRunLoopAsync
import TestSupport
import XCTest

/// `RunLoop.Source(exitOf:)` and `RunLoop.exit(of:)`.
final class ExitTests: XCTestCase {
    private func isGone(_ child: pid_t) -> Bool {
        waitpid(child, nil, WNOHANG) == -1 && errno == ECHILD
    }

    func testTheHandlerGetsTheStatusOnceAndTheChildIsGone() throws {
        let loop = RunLoop.current, mode = RunLoop.Mode("ExitTests"), before = openDescriptorCount()
        for (script, status) in [("exit 3", 3), ("true", 0), ("kill -9 $$", 128 + SIGKILL)] as [(String, Int32)] {
            let child = start(script), received = Shared<[Int32]>([])
            let source = try RunLoop.Source(exitOf: child) { received.append($0) }
            loop.add(source, forMode: mode)
            XCTAssert(runLoop(in: mode) { !received.value.isEmpty })
            XCTAssertFalse(source.isValid)
            XCTAssertFalse(loop.run(mode: mode, before: Date()), "nothing is left in the mode")
            XCTAssertEqual(received.value, [status], script)
            XCTAssert(isGone(child))
        }
        XCTAssert(eventually { openDescriptorCount() <= before + 2 }, "the mode's own descriptors stay")
    }

    /// The handler's actor is checked, as that of other closures is; here the right thread calls it.
    @MainActor private static var status: Int32 = -1

    func testTheHandlerMayBelongToTheMainActor() throws {
        let mode = RunLoop.Mode("ExitTests"), child = start("exit 7")
        RunLoop.main.add(try RunLoop.Source(exitOf: child) { @MainActor in Self.status = $0 }, forMode: mode)
        XCTAssert(runLoop(in: mode) { MainActor.assumeIsolated { Self.status == 7 } })
    }

    func testWhatIsNoChildIsAnErrorAtOnce() {
        let gone = start("exit 0")
        waitpid(gone, nil, 0)
        for (process, codes) in [(gone, [POSIXErrorCode.ESRCH]), (getppid(), [.ECHILD]), (-1, [.EINVAL, .ESRCH])] {
            XCTAssertThrowsError(try RunLoop.Source(exitOf: process) { _ in }) {
                XCTAssert(codes.contains(($0 as! POSIXError).code), "\(process): \($0)")
            }
        }
    }

    func testAChildThatSomebodyElseHasWaitedForIsReportedAsSuch() throws {
        let child = start("exit 3"), received = Shared<[Int32]>([]), mode = RunLoop.Mode("ExitTests")
        let source = try RunLoop.Source(exitOf: child) { received.append($0) }
        XCTAssertEqual(waitpid(child, nil, 0), child)
        RunLoop.current.add(source, forMode: mode)
        XCTAssert(runLoop(in: mode) { !received.value.isEmpty })
        XCTAssertEqual(received.value, [-1])
    }

    func testATaskAwaitsTheEndsOfManyChildren() {
        withLoopThread { thread in
            try await withThrowingTaskGroup(of: (Int32, Int32).self) { group in
                for number in Int32(0)..<20 {
                    let child = start("exit \(number)")
                    group.addTask { (number, try await thread.loop.exit(of: child)) }
                }
                for try await (number, status) in group { XCTAssertEqual(status, number) }
            }
        }
    }

    /// The child goes on, and somebody else may wait for it.
    func testACancelledTaskLeavesTheChildAlone() {
        let thread = LoopThread(isKeptAlive: false), child = start("exec sleep 100"), isWaiting = Shared(false)
        waitForTask {
            let task = Task {
                isWaiting.value = true
                return try await thread.loop.exit(of: child)
            }
            XCTAssert(eventually { isWaiting.value && !thread.loop.isFinished(inMode: .default) })
            thread.begin()
            task.cancel()
            let result = await task.result
            XCTAssertThrowsError(try result.get()) { XCTAssert($0 is CancellationError, "\($0)") }
            XCTAssert(eventually { thread.runResult == .finished }, "the source has left the loop")
        }
        XCTAssertEqual(kill(child, SIGKILL), 0)
        XCTAssertEqual(waitpid(child, nil, 0), child)
        thread.stop()
    }

    func testTheEndOfTheThreadIsAnError() {
        let thread = LoopThread(), child = start("exec sleep 100"), isWaiting = Shared(false)
        waitForTask {
            let task = Task {
                isWaiting.value = true
                return try await thread.loop.exit(of: child)
            }
            XCTAssert(eventually { isWaiting.value })
            thread.stop()
            let result = await task.result
            XCTAssertThrowsError(try result.get()) { XCTAssert($0 is PerformError, "\($0)") }
        }
        kill(child, SIGKILL)
        XCTAssertEqual(waitpid(child, nil, 0), child)
    }
}

/// Starts a shell.
private func start(_ script: String) -> pid_t {
    var process = pid_t(), words: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/sh"), strdup("-c"), strdup(script), nil]
    defer { for word in words { free(word) } }
    XCTAssertEqual(posix_spawn(&process, "/bin/sh", nil, nil, &words, environ), 0)
    return process
}
