import CRunLoop
import FoundationEssentials
import Glibc
import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Timer
import XCTest

/// Every object of a loop gives its C object, and can be made for one.
final class CObjectsTests: XCTestCase {
    private let loop = RunLoop.main
    private let mode = RunLoop.Mode("CObjectsTests")

    override func tearDown() {
        XCTAssertFalse(loop.serve(forMode: mode), "the test has left something in the mode")
    }

    func testACLoopGivesTheRunLoopOfItsThread() {
        XCTAssert(RunLoop.counterpart(of: CFRunLoopGetMain()) === RunLoop.main)
        onThread {
            XCTAssert(RunLoop.counterpart(of: CFRunLoopGetCurrent()) === RunLoop.current)
            XCTAssertEqual(RunLoop.counterpart(of: RunLoop.current.getCFRunLoop()), RunLoop.current)
        }
    }

    func testACLoopWhoseThreadHasEndedGivesARunLoopThatTakesNothing() {
        nonisolated(unsafe) var cfRunLoop: CFRunLoop?
        onThread {
            cfRunLoop = CFRunLoopGetCurrent()
            CFRetain(cfRunLoop)
        }
        let runLoop = RunLoop.counterpart(of: cfRunLoop!), source = RunLoop.Source {}
        XCTAssertEqual(runLoop.getCFRunLoop(), cfRunLoop)
        runLoop.add(source, forMode: mode)
        XCTAssertFalse(runLoop.contains(source, forMode: mode))
        XCTAssertEqual(CFGetRetainCount(cfRunLoop), 2, "this test's reference and the object's")
        CFRelease(cfRunLoop)
    }

    func testAPortGivesItsCSourceWhileItIsInALoop() {
        let port = Port()
        XCTAssertNil(port.cfSource)
        loop.add(port, forMode: mode)
        XCTAssertEqual(port.cfSource.map { loop.contains(RunLoop.DescriptorSource($0), forMode: mode) }, true)
        port.invalidate()
        XCTAssertNil(port.cfSource)
    }

    func testATimerThatWasMadeInCFiresInALoop() {
        let log = EventList()
        let cfTimer = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent(), 1000, 0, 0) { _ in log.add("fired") }!
        var timer: Timer? = Timer(cfTimer)
        XCTAssertEqual(timer?.cfTimer, cfTimer)
        XCTAssertEqual(timer?.timeInterval, 1000)
        loop.add(timer!, forMode: mode)
        XCTAssert(loop.contains(timer!, forMode: mode))
        loop.serve(forMode: mode)
        XCTAssertEqual(log.all, ["fired"])
        timer!.fire()
        loop.serve(forMode: mode)
        XCTAssertEqual(log.all, ["fired", "fired"], "the loop calls it, because its date is now")
        let weakTimer = Weak(timer)
        timer = nil
        XCTAssertNil(weakTimer.object, "the loop retains the C timer only")
        XCTAssert(CFRunLoopTimerIsValid(cfTimer))
        let another = Timer(cfTimer)
        loop.remove(another, forMode: mode)
        XCTAssertFalse(loop.contains(another, forMode: mode))
        another.invalidate()
        XCTAssertFalse(CFRunLoopTimerIsValid(cfTimer))
        CFRelease(cfTimer)
    }

    func testASecondObjectForATimerDoesWhatTheFirstDoes() {
        let log = EventList()
        let first = Weak<Timer>()
        var second: Timer?
        do {
            let timer = Timer(timeInterval: 1000, repeats: true) { timer in log.add("\(timer === first.object)") }
            first.object = timer
            loop.add(timer, forMode: mode)
            second = Timer(timer.cfTimer)
        }
        second!.fire()
        XCTAssertEqual(log.all, ["true"])
        XCTAssertNotNil(first.object, "the loop retains it")
        second!.invalidate()
        XCTAssertNil(first.object)
        second = nil
    }

    func testAnObserverThatWasMadeInCIsCalledInALoop() {
        let log = EventList(), source = RunLoop.Source {}
        let cfObserver = CFRunLoopObserverCreateWithHandler(nil, CFRunLoopActivity.entry.rawValue, true, 3) { _, _ in log.add("entry") }!
        let observer = RunLoop.Observer(cfObserver)
        XCTAssertEqual(observer, RunLoop.Observer(observer.cfObserver))
        XCTAssertEqual(observer.order, 3)
        loop.add(source, forMode: mode)
        loop.add(observer, forMode: mode)
        loop.serve(forMode: mode)
        XCTAssertEqual(log.all, ["entry"])
        observer.invalidate()
        source.invalidate()
        CFRelease(cfObserver)
    }

    func testASourceThatWasMadeInCIsPerformedInALoop() {
        var context = CFRunLoopSourceContext()
        let log = EventList()
        context.info = Unmanaged.passUnretained(log).toOpaque()
        context.perform = { Unmanaged<EventList>.fromOpaque($0!).takeUnretainedValue().add("performed") }
        let cfSource = CFRunLoopSourceCreate(nil, 7, &context)!
        let source = RunLoop.Source(cfSource)
        XCTAssertEqual(source.cfSource, cfSource)
        XCTAssertEqual(source.order, 7)
        loop.add(source, forMode: mode)
        source.signal()
        loop.serve(forMode: mode)
        XCTAssertEqual(log.all, ["performed"])
        source.invalidate()
        XCTAssertFalse(CFRunLoopSourceIsValid(cfSource))
        CFRelease(cfSource)
        withExtendedLifetime(log) {}
    }

    /// The closures retain the source; an invalidation through the second object releases them.
    func testASecondObjectForASourceReleasesItsClosures() {
        weak var first: RunLoop.Source?, second: RunLoop.DescriptorSource?
        let log = EventList(), descriptor = CFEventDescriptorCreate(true)
        var one: RunLoop.Source?, two: RunLoop.DescriptorSource?
        do {
            let kept = Shared<RunLoop.Source?>(nil), keptToo = Shared<RunLoop.DescriptorSource?>(nil)
            let source = RunLoop.Source(cancel: { _, mode in log.add("left \(mode.rawValue)") }, perform: { withExtendedLifetime(kept) {} })
            let descriptorSource = RunLoop.DescriptorSource(fileDescriptor: descriptor) { withExtendedLifetime(keptToo) {} }
            (kept.value, keptToo.value) = (source, descriptorSource)
            (first, second) = (source, descriptorSource)
            (one, two) = (RunLoop.Source(source.cfSource), RunLoop.DescriptorSource(descriptorSource.cfSource))
        }
        loop.add(one!, forMode: mode)
        XCTAssertEqual(two!.fileDescriptor, descriptor)
        XCTAssertNotNil(first)
        XCTAssertNotNil(second)
        one!.invalidate()
        two!.invalidate()
        XCTAssertNil(first)
        XCTAssertNil(second)
        XCTAssertEqual(log.all, ["left CObjectsTests"])
        close(descriptor)
    }
}
