import SwiftRunLoop
import XCTest

/// Listings of the articles that do not do what the text beside them says: run as they are written, then as they were meant. Section 3.2 of
/// ANNOTATIONS.md names these tests.
final class ArticleListingTests: XCTestCase {
    // MARK: - Article 2, a resident thread: while (1) { [[NSRunLoop currentRunLoop] run]; }

    /// “Easy to leave by a flag”: the mode has no items, so `run` returns at once, and the thread spins in the loop around it.
    func testWhileAroundRunSpinsIfNothingIsInTheMode() {
        let returns = Shared(0), flag = Shared(true)
        let thread = Thread {
            while flag.value {
                RunLoop.current.run()
                returns.value += 1
            }
        }
        thread.start()
        XCTAssert(eventually { returns.value >= 10_000 }, "a run that waits for anything does not return ten thousand times unasked")
        flag.value = false
        XCTAssert(eventually { thread.isFinished })
    }

    /// If the mode has an item, `run` does not return, so the thread never checks the flag; a loop around `run(mode:before:)` does.
    func testWhileAroundRunNeverSeesItsFlagIfSomethingIsInTheMode() {
        let returns = Shared(0), flag = Shared(true), served = Shared(0)
        let port = Weak<Port>(), loop = Weak<RunLoop>()
        let thread = Thread {
            let own = Port()
            port.object = own
            RunLoop.current.add(own, forMode: .default)
            loop.object = RunLoop.current
            while flag.value {
                RunLoop.current.run()
                returns.value += 1
            }
        }
        thread.start()
        XCTAssert(eventually { loop.object?.isWaiting == true })
        flag.value = false
        for number in 1...5 {
            loop.object?.perform { served.value += 1 }
            loop.object?.stop()
            loop.object?.wakeUp()
            XCTAssert(eventually { served.value == number })
        }
        XCTAssertEqual(returns.value, 0, "five blocks, five stops, and the flag: none of them ends run")
        loop.object?.perform { port.object?.invalidate() }
        loop.object?.wakeUp()
        XCTAssert(eventually { thread.isFinished })
        XCTAssertEqual(returns.value, 1)
    }

    func testWhileAroundRunModeSeesItsFlag() {
        let flag = Shared(true), loop = Weak<RunLoop>()
        let thread = Thread {
            RunLoop.current.add(Port(), forMode: .default)
            loop.object = RunLoop.current
            while flag.value, RunLoop.current.run(mode: .default, before: .distantFuture) {}
        }
        thread.start()
        XCTAssert(eventually { loop.object?.isWaiting == true })
        loop.object?.perform {
            flag.value = false
            RunLoop.current.stop()
        }
        loop.object?.wakeUp()
        XCTAssert(eventually { thread.isFinished })
    }

    // MARK: - Article 2, the way out: [NSThread exit]

    /// Thread.exit() names no thread: it ends the calling one. In a button's action that is the main thread, and the resident thread
    /// continues.
    func testExitEndsTheThreadThatCallsItAndNotTheResidentOne() throws {
        try skip(under: .address, because: "Thread.exit() leaks what the abandoned frames retain")
        let isToEnd = Shared(false), log = EventList()
        let resident = Thread {
            RunLoop.current.add(Port(), forMode: .default)
            while !isToEnd.value, RunLoop.current.run(mode: .default, before: .distantFuture) {}
        }
        resident.start()
        let button = Thread {
            log.add("the button is pressed")
            Thread.exit()
            log.add("the button's action goes on")
        }
        button.start()
        XCTAssert(eventually { button.isFinished })
        try Thread.perform(on: resident, waitUntilDone: true) { log.add("the resident thread is there") }
        XCTAssertEqual(log.all, ["the button is pressed", "the resident thread is there"])
        try Thread.perform(on: resident, waitUntilDone: false) { isToEnd.value = true }
        XCTAssert(eventually { resident.isFinished })
    }

    // MARK: - Article 2, timer2: “changes the mode”

    /// A timer that was scheduled and is then added to the common modes is in two more places, and keeps the one it had.
    func testAddingAScheduledTimerToTheCommonModesAddsPlacesAndMovesNothing() {
        let ticks = EventList()
        onThread {
            let loop = RunLoop.current, declaredLater = RunLoop.Mode("ArticleListingTests.later")
            loop.addCommonMode(.tracking)
            let timer = Timer.scheduledTimer(withTimeInterval: 0.001, repeats: true) { timer in
                ticks.add(RunLoop.current.currentMode!.rawValue)
                RunLoop.current.stop()
            }
            loop.add(timer, forMode: .common)
            loop.addCommonMode(declaredLater)
            for mode in [RunLoop.Mode.default, .tracking, declaredLater] { loop.run(mode: mode, before: .distantFuture) }
            timer.invalidate()
        }
        XCTAssertEqual(ticks.all, [RunLoop.Mode.default.rawValue, RunLoop.Mode.tracking.rawValue, "ArticleListingTests.later"])
    }

    // MARK: - Article 3, AFNetworking's start: the lock is given back in one branch

    private final class RequestOperation {
        enum State { case cancelled, ready, neither }

        private let lock = NSLock()

        func startAsPublished(_ state: State) {
            lock.lock()
            switch state {
            case .cancelled: break
            case .ready: lock.unlock()
            case .neither: break
            }
        }

        func startAsMeant(_ state: State) {
            lock.lock()
            defer { lock.unlock() }
            switch state {
            case .cancelled, .ready, .neither: break
            }
        }

        /// Whether another call would get the lock.
        var isFree: Bool {
            guard lock.try() else { return false }
            lock.unlock()
            return true
        }
    }

    func testALockThatIsGivenBackInOneBranchStaysLockedInTheOthers() {
        func isFree(_ state: RequestOperation.State, _ start: (RequestOperation) -> (RequestOperation.State) -> Void) -> Bool {
            let operation = RequestOperation()
            start(operation)(state)
            return operation.isFree
        }
        XCTAssertTrue(isFree(.ready, RequestOperation.startAsPublished))
        XCTAssertFalse(isFree(.cancelled, RequestOperation.startAsPublished))
        XCTAssertFalse(isFree(.neither, RequestOperation.startAsPublished))
        for state in [RequestOperation.State.cancelled, .ready, .neither] { XCTAssertTrue(isFree(state, RequestOperation.startAsMeant)) }
    }

    // MARK: - Article 4, ThreadManager: dealloc stops the thread

    /// The thread retains its target, here its manager, as long as it runs; and the manager's deinitializer, which is to end the thread,
    /// waits for that end.
    private final class ThreadManager: @unchecked Sendable {
        private(set) var thread: Thread!
        private let deinits: EventList

        init(deinits: EventList) {
            self.deinits = deinits
            thread = Thread { self.threadMain() }
            thread.start()
        }

        private func threadMain() {
            RunLoop.current.add(Port(), forMode: .default)
            while RunLoop.current.run(mode: .default, before: .distantFuture), !isToEnd.value {}
        }

        let isToEnd = Shared(false)

        func stop() throws {
            try Thread.perform(on: thread, waitUntilDone: false) { [isToEnd] in isToEnd.value = true }
        }

        deinit { deinits.add("deinit") }
    }

    func testAThreadHoldsItsTargetSoItsDeinitCannotBeWhatEndsTheThread() throws {
        let deinits = EventList(), manager = Weak<ThreadManager>()
        manager.object = ThreadManager(deinits: deinits) // this releases the last reference except the thread's
        XCTAssert(eventually { manager.object?.thread.isExecuting == true })
        try Thread.perform(on: manager.object!.thread, waitUntilDone: true) {}
        XCTAssertEqual(deinits.all, [])
        try manager.object?.stop()
        XCTAssert(eventually { manager.object == nil })
        XCTAssertEqual(deinits.all, ["deinit"])
    }

    // MARK: - Article 4, large work in batches

    /// The listing refers to its block by a weak reference, and copies the block into each delayed perform. That perform retains its
    /// argument until the call has returned, so the next batch always finds the block. So the listing works with the `__block` that is
    /// missing from the published version.
    func testADelayedPerformHoldsItsArgumentSoTheBatchesOfTheArticleGoOn() {
        final class Block {
            let body: (Block) -> Void
            init(_ body: @escaping (Block) -> Void) { self.body = body }
        }
        final class Worker: Performing {
            func executeProcessBatch(_ block: Block) { block.body(block) }
        }
        let log = EventList(), isDone = Shared(false)
        onThread {
            let worker = Worker()
            weak var weakBlock: Block?
            do {
                let count = 250
                var processed = 0
                let block = Block { _ in
                    let size = min(100, count - processed)
                    processed += size
                    log.add("\(size)")
                    if processed < count {
                        worker.perform(Worker.executeProcessBatch, with: weakBlock!, afterDelay: 0)
                    } else {
                        log.add("done")
                        isDone.value = true
                    }
                }
                weakBlock = block
                block.body(block)
            }
            XCTAssertNotNil(weakBlock, "the delayed perform has it")
            while !isDone.value { RunLoop.current.run(mode: .default, before: .distantFuture) }
            RunLoop.current.run(mode: .default, before: .distantPast)
            XCTAssertNil(weakBlock, "and lets it go after the last batch")
        }
        XCTAssertEqual(log.all, ["100", "100", "50", "done"])
    }

    // MARK: - Article 4, requests by priority on a network thread

    /// That thread's loop never leaves the default mode, which is a common mode: it serves both kinds in the order of arrival.
    func testPrioritiesByModesChangeNothingOnAThreadThatStaysInTheDefaultMode() throws {
        let log = EventList(), mayRun = Shared(false), isToEnd = Shared(false)
        let network = Thread {
            RunLoop.current.add(Port(), forMode: .default)
            while !mayRun.value { usleep(500) } // until all requests have been made
            while !isToEnd.value, RunLoop.current.run(mode: .default, before: .distantFuture) {}
        }
        network.start()
        for number in 1...3 {
            try Thread.perform(on: network, waitUntilDone: false, modes: [.default]) { log.add("low \(number)") }
            try Thread.perform(on: network, waitUntilDone: false, modes: [.common]) { log.add("high \(number)") }
        }
        try Thread.perform(on: network, waitUntilDone: false) { isToEnd.value = true }
        mayRun.value = true
        XCTAssert(eventually { network.isFinished })
        XCTAssertEqual(log.all, ["low 1", "high 1", "low 2", "high 2", "low 3", "high 3"])
    }
}
