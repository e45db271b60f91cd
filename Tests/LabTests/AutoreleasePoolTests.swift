import class SwiftRunLoop.Port
import class SwiftRunLoop.RunLoop
import CRunLoop
@testable import RunLoopLab
import SwiftRunLoop
import TestSupport
import XCTest

/// An object that logs its deallocation and then calls a closure.
private final class Mortal {
    private let name: String
    private let log: EventList
    private let atEnd: (() -> Void)?

    init(_ name: String, _ log: EventList, atEnd: (() -> Void)? = nil) {
        self.name = name
        self.log = log
        self.atEnd = atEnd
    }

    deinit {
        log.add(name)
        atEnd?()
    }
}

extension EventList {
    /// Autoreleases an object whose deallocation is logged.
    fileprivate func autorelease(_ name: String, atEnd: (() -> Void)? = nil) {
        AutoreleasePool.autorelease(Mortal(name, self, atEnd: atEnd))
    }
}

final class AutoreleasePoolTests: XCTestCase {
    private let log = EventList()

    /// Performs a source once, in a pass of its own.
    private static func perform(in mode: RunLoop.Mode = .default, _ body: @escaping () -> Void) {
        nonisolated(unsafe) let body = body
        let source = RunLoop.Source { body() }
        RunLoop.current.add(source, forMode: mode)
        source.signal()
        RunLoop.current.run(mode: mode, before: .distantPast)
        source.invalidate()
    }

    // MARK: Pools

    func testAPoolLetsGoOfTheNewestObjectFirst() {
        let pool = AutoreleasePool.push()
        for name in ["a", "b", "c"] { log.autorelease(name) }
        XCTAssertEqual(log.all, [], "held")
        AutoreleasePool.pop(pool)
        XCTAssertEqual(log.all, ["c", "b", "a"])
    }

    /// Objects of a C client and of Swift are in the same pools.
    func testAPoolReleasesWhatCHasAutoreleased() {
        let array = CFArrayCreate(nil, nil, 0, nil)!, pointer = UnsafeRawPointer(array)
        autoreleasepool {
            _ = CFAutorelease(CFRetain(pointer))
            autoreleasepool { _ = CFAutorelease(CFRetain(pointer)) }
            XCTAssertEqual(CFGetRetainCount(pointer), 2)
        }
        XCTAssertEqual(CFGetRetainCount(pointer), 1)
        CFRelease(pointer)
    }

    func testPoolsNestAndTheInnermostHolds() {
        let outer = AutoreleasePool.push()
        log.autorelease("outer")
        let inner = AutoreleasePool.push()
        log.autorelease("inner")
        AutoreleasePool.pop(inner)
        XCTAssertEqual(log.takeAll(), ["inner"])
        log.autorelease("outer again")
        AutoreleasePool.pop(outer)
        XCTAssertEqual(log.all, ["outer again", "outer"])
    }

    func testAnOuterPoolEndsTheInnerOnesToo() {
        let outer = AutoreleasePool.push()
        log.autorelease("1")
        _ = AutoreleasePool.push()
        log.autorelease("2")
        _ = AutoreleasePool.push()
        log.autorelease("3")
        AutoreleasePool.pop(outer)
        XCTAssertEqual(log.all, ["3", "2", "1"])
    }

    func testAnObjectGivenTwiceIsHeldTwice() {
        let outer = AutoreleasePool.push()
        let inner = AutoreleasePool.push()
        weak var weakObject: Mortal?
        do {
            let object = Mortal("it", log)
            weakObject = object
            AutoreleasePool.autorelease(object)
            AutoreleasePool.pop(inner)
            AutoreleasePool.autorelease(AutoreleasePool.autorelease(object))
        }
        XCTAssertNotNil(weakObject)
        AutoreleasePool.pop(outer)
        XCTAssertEqual(log.all, ["it"])
        XCTAssertNil(weakObject)
    }

    /// Deinitializers run during a pop, and may use pools themselves.
    func testWhatADeinitializerAutoreleasesGoesWithTheSamePool() {
        let pool = AutoreleasePool.push()
        log.autorelease("first")
        log.autorelease("second") { [log] in
            log.autorelease("by the second")
            autoreleasepool { log.autorelease("in a pool of its own") }
        }
        AutoreleasePool.pop(pool)
        XCTAssertEqual(log.all, ["second", "in a pool of its own", "by the second", "first"])
    }

    func testTheFunctionEndsItsPoolHoweverItsBodyEnds() {
        struct Failure: Error {}
        XCTAssertEqual(autoreleasepool { log.autorelease("returned"); return log.all.count }, 0)
        XCTAssertEqual(log.takeAll(), ["returned"])
        XCTAssertThrowsError(try autoreleasepool { () throws(Failure) in
            log.autorelease("threw")
            throw Failure()
        })
        XCTAssertEqual(log.all, ["threw"])
    }

    func testAThreadsEndEmptiesItsPools() {
        onThread { [log] in
            log.autorelease("without a pool")
            _ = AutoreleasePool.push()
            log.autorelease("in a pool") { log.autorelease("at the end") }
            log.add("thread returns")
        }
        XCTAssertEqual(log.all, ["thread returns", "in a pool", "at the end", "without a pool"])
    }

    /// The end of a run loop is one of a thread's destructors, and so is the end of its pools.
    func testWhatTheEndOfALoopAutoreleasesGoesToo() {
        for earlier in [["earlier"], []] { // without an object, the loop is made first, so that its destructor runs first
            onThread { [log] in
                earlier.forEach { log.autorelease($0) }
                ScheduledSource(cancel: { _, _ in log.autorelease("by the loop's end") }).add(to: RunLoop.current, forMode: .default)
            }
            XCTAssertEqual(Set(log.takeAll()), Set(earlier + ["by the loop's end"]))
        }
    }

    func testEachThreadHasItsOwnPools() {
        autoreleasepool {
            log.autorelease("ours")
            onThread { [log] in autoreleasepool { log.autorelease("theirs") } }
            XCTAssertEqual(log.all, ["theirs"])
        }
        XCTAssertEqual(log.all, ["theirs", "ours"])
    }

    // MARK: The observers

    /// The orders and activities that the articles print from a Mac's main loop.
    func testO3_TheObserversStandAtTheOrdersOfAMac() {
        onThread { [log] in
            AutoreleasePool.install(in: .current, forMode: RunLoop.Mode("one"))
            for line in RunLoop.current.description.split(separator: "\n") where line.contains("<CFRunLoopObserver ") {
                for order in ["order = -2147483647", "order = 2147483647"] where line.contains(order) {
                    log.add("\(order), \(line.firstRange(of: /activities = 0x[0-9a-f]+/).map { line[$0] } ?? "")")
                }
            }
        }
        XCTAssertEqual(log.all.sorted(), ["order = -2147483647, activities = 0x1", "order = 2147483647, activities = 0xa0"])
    }

    /// The pool begins before all other observers at Entry, is emptied after all others at BeforeWaiting, and ends after all others at
    /// Exit.
    func testO3_ARunHasAPoolThatIsEmptiedBeforeTheLoopSleeps() {
        onThread { [log] in
            let loop = RunLoop.current
            let tell = RunLoop.Observer(activities: .allActivities, order: Int(Int32.max) - 1) { _, activity in
                let names = [RunLoop.Observer.Activity.entry: "Entry", .beforeWaiting: "BeforeWaiting", .afterWaiting: "AfterWaiting", .exit: "Exit"]
                guard let name = names[activity] else { return }
                log.add(name)
                log.autorelease("from \(name)")
            }
            loop.add(tell, forMode: .default)
            AutoreleasePool.install(in: loop)
            AutoreleasePool.install(in: loop, forMode: .default) // a second call has no effect
            loop.add(Port(), forMode: .default)
            let other = startThread {
                XCTAssert(eventually { loop.isWaiting })
                loop.stop()
            }
            log.add("\(loop.run(mode: .default, before: .distantFuture))")
            other.join()
            tell.invalidate()
        }
        XCTAssertEqual(log.all, ["Entry", "BeforeWaiting", "from BeforeWaiting", "from Entry", "AfterWaiting", "Exit", "from Exit", "from AfterWaiting",
                                 "true"])
    }

    /// A10: an object that a source autoreleases lives until the pass is over.
    func testA10_WhatACallbackAutoreleasesLivesUntilItsPassIsOver() {
        onThread { [log] in
            AutoreleasePool.install(in: .current)
            for _ in 1...2 {
                Self.perform {
                    log.autorelease("gone")
                    log.add("performed")
                }
                log.add("run is over")
            }
        }
        XCTAssertEqual(log.all, ["performed", "gone", "run is over", "performed", "gone", "run is over"])
    }

    func testO3_ANestedRunHasAPoolOfItsOwn() {
        onThread { [log] in
            let outer = RunLoop.Mode("outer"), inner = RunLoop.Mode("inner")
            AutoreleasePool.install(in: .current, forMode: outer)
            Self.perform(in: outer) {
                log.autorelease("outer")
                AutoreleasePool.install(in: .current, forMode: inner)
                Self.perform(in: inner) { log.autorelease("inner") }
                log.add("inner run is over")
            }
        }
        XCTAssertEqual(log.all, ["inner", "inner run is over", "outer"])
    }

    /// A callback ends a pool around the run's pool, and with it the run's pool.
    func testO3_APoolAroundTheRunMayEndInACallback() {
        onThread { [log] in
            AutoreleasePool.install(in: .current)
            let around = AutoreleasePool.push()
            Self.perform {
                log.autorelease("in the run's pool")
                AutoreleasePool.pop(around)
                log.add("the pool around it is over")
            }
        }
        XCTAssertEqual(log.all, ["in the run's pool", "the pool around it is over"])
    }

    /// A callback runs the loop in a mode without the observers, which is declared common meanwhile: the nested run gets its own pool. The
    /// defect: the observers took the outer run's pool for it, and released the outer callback's objects.
    func testO3_AModeDeclaredCommonInANestedRunLeavesTheOuterRunsPoolAlone() {
        onThread { [log] in
            let loop = RunLoop.current
            let nested = RunLoop.Mode("nested")
            AutoreleasePool.install(in: loop)
            loop.add(Timer(timeInterval: 0.001, repeats: false) { _ in
                loop.addCommonMode(nested)
                log.autorelease("autoreleased before the nested run has a pool")
                // Added here, so that it fires in a later pass: the next pass's BeforeTimers begins the pool.
                loop.add(Timer(timeInterval: 0.001, repeats: false) { _ in
                    log.autorelease("in the nested run's pool")
                }, forMode: nested)
            }, forMode: nested)
            Self.perform {
                log.autorelease("in the outer run's pool")
                loop.run(mode: nested, before: .distantFuture) // until its timers have fired
                log.add("nested run is over")
            }
        }
        XCTAssertEqual(log.all, ["in the nested run's pool", "nested run is over", "autoreleased before the nested run has a pool",
                                 "in the outer run's pool"])
    }

    func testO3_OnTheMainLoopAfterACallAndNotBefore() {
        let mode = RunLoop.Mode("AutoreleasePoolTests")
        let around = AutoreleasePool.push()
        Self.perform(in: mode) { [log] in log.autorelease("object 1") }
        XCTAssertEqual(log.all, [], "no observer is installed unless the program does it")
        AutoreleasePool.install(in: .main, forMode: mode)
        Self.perform(in: mode) { [log] in log.autorelease("object 2") }
        XCTAssertEqual(log.all, ["object 2"])
        AutoreleasePool.pop(around)
        XCTAssertEqual(log.all, ["object 2", "object 1"])
    }

    /// One pool around the loop, which lasts as long as the thread works, and one for each pass inside it.
    func testA10_APoolAroundAndWithinASecondaryThreadsLoop() throws {
        let around = WeakReference<Token>(), within = WeakReference<Token>(), stops = Shared(false)
        let thread = Thread {
            autoreleasepool {
                around.object = AutoreleasePool.autorelease(Token())
                RunLoop.current.add(Port(), forMode: .default)
                AutoreleasePool.install(in: RunLoop.current, forMode: .default)
                while !stops.value { RunLoop.current.run(mode: .default, before: .distantFuture) }
            }
        }
        thread.start()
        try thread.performAndWait {
            within.object = AutoreleasePool.autorelease(Token())
            XCTAssertNotNil(within.object)
        }
        XCTAssert(eventually { within.object == nil }, "it is released at the end of its pass")
        XCTAssertNotNil(around.object)
        try thread.performAndWait { stops.value = true }
        XCTAssert(eventually { thread.isFinished })
        XCTAssertNil(around.object)
    }
}
