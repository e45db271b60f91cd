import CRunLoop
import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Timer
import TestSupport
import XCTest

/// What a printed loop says of items whose callbacks are Swift closures.
final class PrintedLoopTests: XCTestCase {
    private let loop = RunLoop.main
    private let mode = RunLoop.Mode("PrintedLoopTests")

    /// The lines of the loop's description that name a closure of this function.
    private func closures(of function: String) -> [Substring] {
        loop.description.split(separator: "\n").filter { $0.contains("<closure 0x") && $0.contains("in SwiftTests.PrintedLoopTests.\(function)>") }
    }

    /// The reader wrote the closures and looks for them; the functions that lead to them are the same for all items.
    func testS2_APrintedLoopNamesTheClosuresOfItsItems() {
        let word = mode.rawValue // the closure captures it, because most closures capture something
        let timer = Timer(timeInterval: 1e6, repeats: false) { _ in }
        let source = RunLoop.Source { _ = word }
        let observer = RunLoop.Observer(activities: .exit) { _, _ in _ = word }
        let pipe = TestPipe(), descriptorSource = try! RunLoop.Source(fileDescriptor: pipe.reading) { _, _ in _ = word }
        loop.add(timer, forMode: mode)
        loop.add(source, forMode: mode)
        loop.add(observer, forMode: mode)
        let function = "testS2_APrintedLoopNamesTheClosuresOfItsItems"
        let lines = closures(of: function)
        XCTAssertEqual(lines.count, 3, loop.description)
        for (number, kind) in [(1, "<CFRunLoopTimer "), (2, "<CFRunLoopSource "), (3, "<CFRunLoopObserver ")] {
            XCTAssert(lines.contains { $0.contains(kind) && $0.contains("closure #\(number) ") }, "\(kind): \(lines)")
        }
        XCTAssert(descriptorSource.description.contains("closure #4 "), descriptorSource.description)
        XCTAssert(loop.description.contains("callout = SwiftRunLoop.__NSFireTimer (0x"), "the function under which a stack shows the timer")
        timer.invalidate()
        source.invalidate()
        observer.invalidate()
        descriptorSource.invalidate()
        XCTAssertEqual(closures(of: function), [])
        XCTAssert(timer.description.contains("valid = No"), "and an item without its closure can be printed, too")
        XCTAssert(observer.description.contains("valid = No"))
    }

    /// Calls from other threads and items whose maker gives no order have the middle place among those that have one.
    func testItemsHaveTheOrderZeroUnlessTheyAreGivenAnother() throws {
        let worker = RunLoop.Worker(), pipe = TestPipe()
        let text = try worker.thread.performAndWait {
            let items = [Timer(timeInterval: 1e6, repeats: false) { _ in }, RunLoop.Source {}, RunLoop.Observer { _, _ in }, Port(),
                         try RunLoop.Source(fileDescriptor: pipe.reading) { _, _ in }]
            for item in items { worker.loop.add(item, forMode: .tracking) }
            return worker.loop.description
        }
        let orders = text.matches(of: /order = (-?\d+)/).map(\.1)
        XCTAssertGreaterThan(orders.count, 6, text)
        XCTAssertEqual(Set(orders), ["0"], text)
        worker.stop()
        worker.thread.join()
    }

    func testS2_AFunctionInPlaceOfAClosureHasItsOwnName() {
        @Sendable func measure() {}
        for (source, name) in [(RunLoop.Source(perform: refill), "refill"), (RunLoop.Source(perform: measure), "measure #1 in SwiftTests.PrintedLoopTests.")] {
            XCTAssert(source.description.contains(name), source.description)
        }
    }
}

@Sendable private func refill() {}
