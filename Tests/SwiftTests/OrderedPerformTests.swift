import SwiftRunLoop
import XCTest

/// performSelector:target:argument:order:modes: and the methods that cancel.
final class OrderedPerformTests: XCTestCase {
    private final class Window: Performing {
        let log = EventList()
        func draw(_ view: String) { log.add("draw \(view)") }
        func lay(_ view: String) { log.add("lay \(view)") }
        func flush() { log.add("flush") }
    }

    func testCallsAreMadeInTheirOrderAtTheBeginningOfTheNextPass() {
        onThread {
            let window = Window(), loop = RunLoop.current
            loop.add(Timer(timeInterval: 0, repeats: false) { _ in }, forMode: .default)
            loop.perform(Window.draw, target: window, argument: "a", order: 2, modes: [.default])
            loop.perform(Window.flush, target: window, order: 3, modes: [.default])
            loop.perform(Window.lay, target: window, argument: "a", order: 1, modes: [.default])
            loop.perform(Window.lay, target: window, argument: "b", order: 1, modes: [.common])
            XCTAssertEqual(window.log.all, [])
            XCTAssert(loop.run(mode: .default, before: .distantFuture))
            XCTAssertEqual(window.log.takeAll(), ["lay a", "lay b", "draw a", "flush"])
        }
    }

    func testCallsOfOneModeAreSorted() {
        onThread {
            let window = Window(), loop = RunLoop.current
            for (order, view) in [(5, "e"), (-1, "a"), (3, "c"), (3, "d"), (2, "b")] {
                loop.perform(Window.draw, target: window, argument: view, order: order, modes: [.default])
            }
            loop.run(mode: .default, before: .distantFuture)
            XCTAssertEqual(window.log.all, ["a", "b", "c", "d", "e"].map { "draw \($0)" })
            XCTAssertFalse(loop.run(mode: .default, before: .distantFuture), "no source is left in the mode")
        }
    }

    func testACallThatAddsACallWaitsForTheNextPass() {
        onThread {
            let window = Window(), loop = RunLoop.current
            final class Adder {
                let window: Window
                init(_ window: Window) { self.window = window }
                func add() { RunLoop.current.perform(Window.draw, target: window, argument: "later", order: -5, modes: [.default]) }
            }
            let adder = Adder(window)
            loop.perform(Adder.add, target: adder, order: 0, modes: [.default])
            loop.perform(Window.flush, target: window, order: 1, modes: [.default])
            loop.run(mode: .default, before: .distantFuture)
            XCTAssertEqual(window.log.takeAll(), ["flush"])
            loop.run(mode: .default, before: .distantFuture)
            XCTAssertEqual(window.log.takeAll(), ["draw later"])
        }
    }

    func testCallsAreCancelledByTargetByArgumentAndOneByOne() {
        onThread {
            let one = Window(), two = Window(), loop = RunLoop.current
            func request() -> PerformRequest {
                for window in [one, two] {
                    loop.perform(Window.draw, target: window, argument: "a", order: 0, modes: [.default])
                    loop.perform(Window.lay, target: window, argument: "b", order: 1, modes: [.default])
                }
                return loop.perform(Window.flush, target: two, order: 2, modes: [.default])
            }
            _ = request()
            loop.cancelPerformSelectors(withTarget: one)
            loop.cancelPerform(target: two, argument: "a")
            loop.run(mode: .default, before: .distantFuture)
            XCTAssertEqual(one.log.takeAll() + two.log.takeAll(), ["lay b", "flush"])
            let flush = request()
            flush.cancel()
            loop.cancelPerformSelectors(withTarget: one)
            loop.cancelPerformSelectors(withTarget: two)
            XCTAssertFalse(loop.run(mode: .default, before: .distantFuture), "nothing waits")
        }
    }

    func testACancelledCallReleasesItsTarget() {
        onThread {
            let weak = Weak<Window>()
            do {
                let window = Window()
                weak.object = window
                RunLoop.current.perform(Window.flush, target: window, order: 0, modes: [.default])
            }
            XCTAssertNotNil(weak.object)
            RunLoop.current.cancelPerformSelectors(withTarget: weak.object!)
            XCTAssertNil(weak.object)
        }
    }

    /// cancelPreviousPerformRequestsWithTarget:selector:object: names an argument, too.
    func testDelayedCallsAreCancelledByTargetAndArgument() {
        onThread {
            let window = Window()
            window.perform(Window.draw, with: "a", afterDelay: 0)
            window.perform(Window.draw, with: "b", afterDelay: 0)
            Window.cancelPreviousPerformRequests(withTarget: window, argument: "a")
            RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 10))
            XCTAssertEqual(window.log.all, ["draw b"])
        }
    }
}
