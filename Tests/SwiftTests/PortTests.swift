import class SwiftRunLoop.Port
import class SwiftRunLoop.RunLoop
import TestSupport
import XCTest

/// Ports in each test's own mode of the main loop, and in the loops of other threads. MessagePortTests has the lab's ports with messages.
final class PortTests: XCTestCase {
    private let loop = RunLoop.main
    private let mode = RunLoop.Mode("PortTests")

    /// One pass without waiting; false if the mode is empty.
    @discardableResult
    private func pass() -> Bool { loop.serve(forMode: mode) }

    override func tearDown() {
        XCTAssertFalse(pass(), "the test has left something in the mode")
    }

    // MARK: - Keeping a loop alive

    func testA1_APortWithNothingToSayKeepsALoopAlive() {
        XCTAssertFalse(pass())
        let port = Port()
        loop.add(port, forMode: mode)
        loop.add(port, forMode: mode)
        XCTAssert(pass())
        XCTAssert(loop.run(mode: mode, before: Date(timeIntervalSinceNow: 0.02)))
        loop.remove(port, forMode: mode)
        XCTAssertFalse(pass(), "added twice, and yet there once")
        XCTAssert(port.isValid)
        port.invalidate()
    }

    func testAPortInACommonModeIsInEachOfThem() {
        onThread { [mode] in
            let port = Port(), loop = RunLoop.current
            loop.addCommonMode(mode)
            loop.add(port, forMode: .common)
            for mode in [mode, .default] {
                XCTAssert(loop.contains(port, forMode: mode))
                XCTAssert(loop.serve(forMode: mode))
            }
            loop.remove(port, forMode: .common)
            XCTAssertFalse(loop.serve(forMode: mode))
        }
    }

    // MARK: - Validity

    func testAddingAnInvalidPortDoesNothing() {
        let port = Port()
        port.invalidate()
        port.invalidate()
        XCTAssertFalse(port.isValid)
        loop.add(port, forMode: mode)
        port.schedule(in: loop, forMode: mode)
        XCTAssertFalse(pass())
        XCTAssertFalse(loop.contains(port, forMode: mode))
    }

    func testInvalidatingTakesAPortOutOfAllModesAndLoops() {
        let port = Port()
        loop.add(port, forMode: mode)
        loop.add(port, forMode: RunLoop.Mode("PortTests 2"))
        onThread {
            RunLoop.current.add(port, forMode: .default)
            XCTAssert(RunLoop.current.serve(forMode: .default))
            port.invalidate()
            XCTAssertFalse(RunLoop.current.serve(forMode: .default))
        }
        XCTAssertFalse(pass())
        XCTAssertFalse(loop.serve(forMode: RunLoop.Mode("PortTests 2")))
    }

    func testPortsAreInvalidatedWithTheirThreads() {
        let own = Port(), shared = Port(), removed = Port(), half = Port()
        loop.add(shared, forMode: mode)
        onThread {
            for port in [own, shared, removed] { RunLoop.current.add(port, forMode: .default) }
            RunLoop.current.remove(removed, forMode: .default)
            for mode in [RunLoop.Mode.default, .tracking] { RunLoop.current.add(half, forMode: mode) }
            RunLoop.current.remove(half, forMode: .default)
            XCTAssert(own.isValid && half.isValid)
        }
        XCTAssertFalse(own.isValid)
        XCTAssertFalse(half.isValid, "it was still in one mode")
        XCTAssert(shared.isValid, "it has another loop")
        XCTAssert(removed.isValid)
        XCTAssert(pass())
        shared.invalidate()
    }

    func testAPortThatIsScheduledDirectlyIsInvalidatedWithItsThread() {
        let port = Port()
        onThread {
            let loop = RunLoop.current
            for mode in [RunLoop.Mode.default, .tracking] { port.schedule(in: loop, forMode: mode) }
            port.remove(from: loop, forMode: .tracking)
            XCTAssert(loop.contains(port, forMode: .default) && !loop.contains(port, forMode: .tracking))
        }
        XCTAssertFalse(port.isValid)
    }

    func testAddingToALoopWhoseThreadHasEndedDoesNothing() {
        nonisolated(unsafe) var ended: RunLoop?
        onThread { ended = RunLoop.current }
        weak let weakLoop = ended
        weak var weakPort: Port?
        do {
            let port = Port()
            weakPort = port
            ended!.add(port, forMode: .default)
            XCTAssert(port.isValid)
            ended!.remove(port, forMode: .default)
            let loud = LoudPort()
            ended!.add(loud, forMode: .default)
            XCTAssertEqual(loud.log.value, [])
            loud.invalidate()
        }
        XCTAssertNil(weakPort)
        ended = nil
        XCTAssertNil(weakLoop)
    }

    // MARK: - Subclasses

    private final class LoudPort: Port, @unchecked Sendable {
        let log = Shared([String]())
        var thread: pthread_t?

        override func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {
            log.append("schedule \(mode.rawValue)")
            super.schedule(in: runLoop, forMode: mode)
        }

        override func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
            log.append("remove \(mode.rawValue)")
            super.remove(from: runLoop, forMode: mode)
        }

        override func invalidate() {
            log.append("invalidate")
            thread = pthread_self()
            super.invalidate()
        }
    }

    func testASubclassIsToldOnceForEachMode() {
        let port = LoudPort()
        for mode in [mode, .common] {
            for _ in 1...2 { loop.add(port, forMode: mode) }
            for mode in [mode, mode, RunLoop.Mode("never")] { loop.remove(port, forMode: mode) }
        }
        port.invalidate()
        loop.add(port, forMode: mode)
        XCTAssertEqual(port.log.value, ["schedule PortTests", "remove PortTests", "schedule kCFRunLoopCommonModes",
                                         "remove kCFRunLoopCommonModes", "invalidate"])
    }

    func testASubclassIsToldOfTheEndOfItsThreadOnThatThread() {
        let port = LoudPort()
        nonisolated(unsafe) var thread: pthread_t?
        onThread {
            thread = pthread_self()
            RunLoop.current.add(port, forMode: .default)
        }
        XCTAssertEqual(port.log.value, ["schedule kCFRunLoopDefaultMode", "invalidate"])
        XCTAssertEqual(port.thread, thread)
    }

    /// Like the ports in Foundation's tests, this one overrides everything, so no loop contains a source of Port's.
    private class OwnPort: Port, @unchecked Sendable {
        private(set) var scheduledModes: [RunLoop.Mode] = []
        fileprivate var isStillValid = true

        override func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) { scheduledModes.append(mode) }
        override func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) { scheduledModes.removeAll { $0 == mode } }
        override var isValid: Bool { isStillValid }

        override func invalidate() {
            isStillValid = false
            super.invalidate()
        }
    }

    func testAPortThatOverridesEverythingIsLetGoWhenItIsInvalid() {
        weak var weakPort: OwnPort?
        do {
            let port = OwnPort()
            weakPort = port
            XCTAssertEqual(port.scheduledModes, [])
            loop.add(port, forMode: .default)
            loop.add(port, forMode: .default)
            XCTAssertEqual(port.scheduledModes, [.default])
            loop.add(port, forMode: mode)
            XCTAssertEqual(port.scheduledModes, [.default, mode])
            XCTAssert(loop.contains(port, forMode: mode))
            XCTAssertFalse(pass(), "nothing was put into the mode")
            loop.remove(port, forMode: mode)
            XCTAssertEqual(port.scheduledModes, [.default])
            loop.add(port, forMode: mode)
            XCTAssertEqual(port.scheduledModes, [.default, mode])
            port.invalidate()
            loop.add(port, forMode: .tracking)
            XCTAssertEqual(port.scheduledModes, [.default, mode], "nothing more happens to it")
        }
        XCTAssertNil(weakPort)
    }

    // MARK: - Many ports

    /// Returns the seconds that it takes to invalidate a number of ports in one loop: the best of three attempts.
    private func timeToInvalidate(_ count: Int) -> Double {
        (0..<3).map { _ in
            let ports = (0..<count).map { _ in Port() }
            for port in ports { loop.add(port, forMode: mode) }
            let start = processorSeconds()
            for port in ports { port.invalidate() }
            return processorSeconds() - start
        }.min()!
    }

    /// The defect: eight times as many ports took 64 times as long, because each invalidation searched a table of all ports.
    func testInvalidatingPortsTakesTimeInProportionToTheirNumber() {
        let few = timeToInvalidate(800), many = timeToInvalidate(6400)
        XCTAssertLessThan(many, 30 * few, "800 ports: \(few) s; 6,400: \(many) s")
    }

    /// Threads add the same ports to their loops, remove them, invalidate them and end. Afterwards, nothing of the ports is left.
    func testManyPortsInManyLoopsAllGo() {
        for round in 0..<10 {
            let held = Shared((0..<60).map { _ in Port() }), weakPorts = held.value.map { WeakReference($0) }
            let threads = (0..<6).map { thread in
                startThread {
                    let ports = held.value
                    let modes = [RunLoop.Mode.default, .common, RunLoop.Mode("PortTests, many")]
                    for step in 0..<400 {
                        let port = ports[(step * 7 + thread * 13 + round) % ports.count]
                        let mode = modes[step % 3]
                        switch (step + thread) % 5 {
                        case 0, 1: RunLoop.current.add(port, forMode: mode)
                        case 2: RunLoop.current.remove(port, forMode: mode)
                        case 3: _ = RunLoop.current.contains(port, forMode: mode)
                        default: if step % 20 == thread { port.invalidate() }
                        }
                        if step % 50 == 0 { RunLoop.current.run(mode: mode == .common ? .default : mode, before: .distantPast) }
                    }
                }
            }
            threads.forEach { $0.join() }
            held.value = []
            XCTAssertEqual(weakPorts.filter { $0.object != nil }.count, 0, "round \(round)")
        }
    }

    // MARK: - Memory and descriptors

    func testALoopKeepsItsPortsAndNobodyKeepsThemAfterwards() {
        weak var removed: Port?, invalidated: Port?, ended: Port?, never: Port?
        do {
            let ports = (0..<3).map { _ in Port() }
            (removed, invalidated, never) = (ports[0], ports[1], ports[2])
            loop.add(ports[0], forMode: mode)
            loop.add(ports[1], forMode: mode)
        }
        XCTAssertNil(never)
        XCTAssertNotNil(removed)
        removed.map { loop.remove($0, forMode: mode) }
        XCTAssertNil(removed)
        invalidated?.invalidate()
        XCTAssertNil(invalidated)

        nonisolated(unsafe) weak var onOtherThread: Port?
        onThread {
            let port = Port()
            onOtherThread = port
            RunLoop.current.add(port, forMode: .default)
            RunLoop.current.serve(forMode: .default)
        }
        ended = onOtherThread
        XCTAssertNil(ended)
    }

    func testAPortTakesNoDescriptor() {
        pass() // the mode's first run opens its own descriptors
        let descriptors = openDescriptorCount(), ports = (0..<100).map { _ in Port() }
        for port in ports { loop.add(port, forMode: mode) }
        XCTAssert(pass())
        XCTAssertEqual(openDescriptorCount(), descriptors)
        for port in ports { port.invalidate() }
    }

    func testAPortHasADescription() {
        let one = Port()
        XCTAssertEqual("\(one)", "<Port 0x\(String(UInt(bitPattern: Unmanaged.passUnretained(one).toOpaque()), radix: 16))>{valid = Yes}")
    }
}
