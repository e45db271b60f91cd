import CRunLoop
import FoundationEssentials
import Glibc
import class SwiftRunLoop.Port
import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Timer
import TestSupport
import XCTest

/// `add`, `remove` and `contains` of a loop, for each kind of item.
final class LoopItemsTests: XCTestCase {
    private let loop = RunLoop.main
    private let mode = RunLoop.Mode("LoopItemsTests")

    override func tearDown() {
        XCTAssertFalse(loop.serve(forMode: mode), "the test has left something in the mode")
    }

    /// One item of a kind, with the loop's methods for that kind.
    private struct Item {
        var name: String
        var add, remove: (RunLoop, RunLoop.Mode) -> Void
        var isIn: (RunLoop, RunLoop.Mode) -> Bool
        var invalidate: () -> Void
    }

    private func items() -> [Item] {
        let timer = Timer(timeInterval: 1000, repeats: true) { _ in }, port = Port(), source = RunLoop.Source {}
        let descriptorSource = try! RunLoop.Source(fileDescriptor: CFEventDescriptorCreate(false)) { _, _ in }, observer = RunLoop.Observer { _, _ in }
        return [
            Item(name: "timer", add: { $0.add(timer, forMode: $1) }, remove: { $0.remove(timer, forMode: $1) },
                 isIn: { $0.contains(timer, forMode: $1) }, invalidate: timer.invalidate),
            Item(name: "port", add: { $0.add(port, forMode: $1) }, remove: { $0.remove(port, forMode: $1) },
                 isIn: { $0.contains(port, forMode: $1) }, invalidate: port.invalidate),
            Item(name: "source", add: { $0.add(source, forMode: $1) }, remove: { $0.remove(source, forMode: $1) },
                 isIn: { $0.contains(source, forMode: $1) }, invalidate: source.invalidate),
            Item(name: "descriptor source", add: { $0.add(descriptorSource, forMode: $1) }, remove: { $0.remove(descriptorSource, forMode: $1) },
                 isIn: { $0.contains(descriptorSource, forMode: $1) },
                 invalidate: { descriptorSource.invalidate(); close(descriptorSource.fileDescriptor!) }),
            Item(name: "observer", add: { $0.add(observer, forMode: $1) }, remove: { $0.remove(observer, forMode: $1) },
                 isIn: { $0.contains(observer, forMode: $1) }, invalidate: observer.invalidate),
        ]
    }

    func testALoopAddsRemovesAndContainsItemsOfEachKind() {
        for item in items() {
            XCTAssertFalse(item.isIn(loop, mode), item.name)
            item.add(loop, mode)
            XCTAssert(item.isIn(loop, mode), item.name)
            XCTAssertFalse(item.isIn(loop, .common), item.name)
            item.remove(loop, mode)
            item.remove(loop, mode)
            XCTAssertFalse(item.isIn(loop, mode), item.name)
            item.add(loop, .common)
            XCTAssert(item.isIn(loop, .common), item.name)
            XCTAssert(item.isIn(loop, .default), item.name)
            XCTAssertFalse(item.isIn(loop, mode), item.name)
            item.invalidate()
            XCTAssertFalse(item.isIn(loop, .common) || item.isIn(loop, .default), item.name)
            item.add(loop, mode)
            XCTAssertFalse(item.isIn(loop, mode), "an invalid \(item.name)")
        }
    }

    /// A removal from the common modes takes a timer out of each common mode, even if it was also added to that mode by name.
    func testALoopReleasesATimerThatItHasRemoved() {
        weak var one: Timer?, two: Timer?
        do {
            let timers = (0..<2).map { _ in Timer(timeInterval: 1000, repeats: true) { _ in } }
            (one, two) = (timers[0], timers[1])
            loop.add(timers[0], forMode: mode)
            loop.add(timers[1], forMode: .default)
            loop.add(timers[1], forMode: .common)
        }
        XCTAssertNotNil(one)
        XCTAssertNotNil(two)
        loop.remove(one!, forMode: mode)
        loop.remove(two!, forMode: .common)
        XCTAssertNil(one)
        XCTAssertNil(two)
    }
}
