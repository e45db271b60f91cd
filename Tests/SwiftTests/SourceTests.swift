import CRunLoop
import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Thread
import class SwiftRunLoop.Timer
import TestSupport
import XCTest

/// The sources of SwiftRunLoop, in each test's own mode of the main loop.
final class SourceTests: XCTestCase {
    private let loop = RunLoop.main
    private let mode = RunLoop.Mode("SourceTests")

    /// One pass of the mode, without waiting.
    private func pass() { loop.serve(forMode: mode) }

    /// A loop retains its sources; a source that is in no loop is deallocated.
    func testTheClosureLivesAsLongAsTheLoopOrSwiftHasTheSource() {
        weak var token: Token?
        nonisolated(unsafe) var performed = 0
        var cfSource: CFRunLoopSource?
        func make() {
            let captured = Token()
            token = captured
            let source = RunLoop.Source { withExtendedLifetime(captured) { performed += 1 } }
            loop.add(source, forMode: mode)
            source.signal()
            cfSource = source.cfSource
        }
        make()
        pass()
        XCTAssertEqual(performed, 1, "the loop has kept the source")
        XCTAssertNotNil(token)
        CFRunLoopRemoveSource(loop.getCFRunLoop(), cfSource, mode.cf)
        XCTAssertNotNil(token)
        cfSource = nil
        XCTAssertNil(token)
    }

    /// The closure retains the source, which retains the closure. Invalidation breaks the cycle, on any thread and in the closure itself.
    func testASourceThatCapturesItselfGoesWhenItIsInvalidated() {
        weak var performed: RunLoop.Source?, elsewhere: RunLoop.Source?, descriptor: RunLoop.Source?
        let pipe = TestPipe()
        pipe.closeWriting() // the end of the pipe makes it ready to read
        do {
            let two = Shared<RunLoop.Source?>(nil), three = Shared<RunLoop.Source?>(nil), four = Shared<RunLoop.Source?>(nil)
            two.value = RunLoop.Source { two.value!.invalidate() }
            three.value = RunLoop.Source { withExtendedLifetime(three) {} }
            four.value = try! RunLoop.Source(fileDescriptor: pipe.reading) { _, _ in four.value!.invalidate() }
            for source in [two, three, four] { loop.add(source.value!, forMode: mode) }
            (performed, elsewhere, descriptor) = (two.value, three.value, four.value)
        }
        performed?.signal()
        pass()
        XCTAssertNil(performed)
        let weakSource = WeakReference(elsewhere)
        onThread { weakSource.object?.invalidate() }
        XCTAssertNil(elsewhere)
        pass()
        XCTAssertNil(descriptor)
    }

    /// At the end of a thread, the items of its loop stay valid, as on a Mac: a closure that captures its own source, timer or observer
    /// keeps both alive until they are invalidated, and no longer.
    func testWhatCapturesItselfStaysAfterItsThreadUntilItIsInvalidated() {
        nonisolated(unsafe) weak var weakSource: RunLoop.Source?
        nonisolated(unsafe) weak var weakTimer: Timer?
        nonisolated(unsafe) weak var weakObserver: RunLoop.Observer?
        onThread {
            struct Held: @unchecked Sendable { var timer: Timer? }
            let held = Shared(Held())
            let ownObserver = Shared<RunLoop.Observer?>(nil), observer = RunLoop.Observer { _, _ in withExtendedLifetime(ownObserver) {} }
            ownObserver.value = observer
            let ownSource = Shared<RunLoop.Source?>(nil), source = RunLoop.Source { withExtendedLifetime(ownSource) {} }
            ownSource.value = source
            let timer = Timer(timeInterval: 100, repeats: true) { _ in withExtendedLifetime(held) {} }
            held.value.timer = timer
            RunLoop.current.add(source, forMode: .default)
            RunLoop.current.add(timer, forMode: .default)
            RunLoop.current.add(observer, forMode: .default)
            (weakSource, weakTimer, weakObserver) = (source, timer, observer)
        }
        XCTAssertEqual([weakSource?.isValid, weakTimer?.isValid, weakObserver?.isValid], [true, true, true])
        weakSource?.invalidate()
        weakTimer?.invalidate()
        weakObserver?.invalidate()
        XCTAssertNil(weakSource)
        XCTAssertNil(weakTimer)
        XCTAssertNil(weakObserver)
    }

    func testSourcesAreEqualByIdentityAndHaveADescription() {
        let source = RunLoop.Source(order: 3) {}, other = RunLoop.Source(order: 3) {}
        XCTAssertEqual(source, source)
        XCTAssertNotEqual(source, other)
        XCTAssertEqual(CFRunLoopSourceGetOrder(source.cfSource), 3)
        XCTAssert("\(source)".contains("order = 3"), "\(source)")
    }
}
