import class SwiftRunLoop.Port
import class SwiftRunLoop.RunLoop
import CRunLoop
import Dispatch
@testable import enum RunLoopLab.AutoreleasePool
@testable import func RunLoopLab.autoreleasepool
import SwiftRunLoop
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

final class AutoreleasePoolTests: XCTestCase {
    private let log = EventList()

    private func autorelease(_ name: String, atEnd: (() -> Void)? = nil) {
        AutoreleasePool.autorelease(Mortal(name, log, atEnd: atEnd))
    }

    // MARK: Pools

    func testAPoolLetsGoOfTheNewestObjectFirst() {
        let pool = AutoreleasePool.push()
        for name in ["a", "b", "c"] { autorelease(name) }
        XCTAssertEqual(log.all, [], "held")
        AutoreleasePool.pop(pool)
        XCTAssertEqual(log.all, ["c", "b", "a"])
    }

    /// Objects of a C client and of Swift are in the same pools.
    func testAPoolReleasesWhatCHasAutoreleased() {
        let data = CFDataCreate(nil, nil, 0)!, pointer = UnsafeRawPointer(data)
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
        autorelease("outer")
        let inner = AutoreleasePool.push()
        autorelease("inner")
        AutoreleasePool.pop(inner)
        XCTAssertEqual(log.takeAll(), ["inner"])
        autorelease("outer again")
        AutoreleasePool.pop(outer)
        XCTAssertEqual(log.all, ["outer again", "outer"])
    }

    func testAnOuterPoolEndsTheInnerOnesToo() {
        let outer = AutoreleasePool.push()
        autorelease("1")
        _ = AutoreleasePool.push()
        autorelease("2")
        _ = AutoreleasePool.push()
        autorelease("3")
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
        let log = log
        let pool = AutoreleasePool.push()
        autorelease("first")
        autorelease("second") {
            AutoreleasePool.autorelease(Mortal("by the second", log))
            autoreleasepool { _ = AutoreleasePool.autorelease(Mortal("in a pool of its own", log)) }
        }
        AutoreleasePool.pop(pool)
        XCTAssertEqual(log.all, ["second", "in a pool of its own", "by the second", "first"])
    }

    func testTheFunctionEndsItsPoolHoweverItsBodyEnds() {
        struct Failure: Error {}
        XCTAssertEqual(autoreleasepool { autorelease("returned"); return log.all.count }, 0)
        XCTAssertEqual(log.takeAll(), ["returned"])
        XCTAssertThrowsError(try autoreleasepool { () throws(Failure) in
            autorelease("threw")
            throw Failure()
        })
        XCTAssertEqual(log.all, ["threw"])
    }

    func testAThreadsEndEmptiesItsPools() {
        let log = log
        onThread {
            AutoreleasePool.autorelease(Mortal("without a pool", log))
            _ = AutoreleasePool.push()
            AutoreleasePool.autorelease(Mortal("in a pool", log) { AutoreleasePool.autorelease(Mortal("at the end", log)) })
            log.add("thread returns")
        }
        XCTAssertEqual(log.all, ["thread returns", "in a pool", "at the end", "without a pool"])
    }

    /// The end of a run loop is one of a thread's destructors, and so is the end of its pools.
    func testWhatTheEndOfALoopAutoreleasesGoesToo() {
        let log = log
        onThread {
            AutoreleasePool.autorelease(Mortal("earlier", log))
            let source = RunLoop.Source(cancel: { _, _ in AutoreleasePool.autorelease(Mortal("by the loop's end", log)) }, perform: {})
            RunLoop.current.add(source, forMode: .default)
        }
        XCTAssertEqual(Set(log.all), ["earlier", "by the loop's end"])
        _ = log.takeAll()
        onThread { // creates the loop first, so that its destructor runs first
            let source = RunLoop.Source(cancel: { _, _ in AutoreleasePool.autorelease(Mortal("by the loop's end", log)) }, perform: {})
            RunLoop.current.add(source, forMode: .default)
        }
        XCTAssertEqual(log.all, ["by the loop's end"])
    }

    func testEachThreadHasItsOwnPools() {
        let log = log
        autoreleasepool {
            autorelease("ours")
            onThread { autoreleasepool { _ = AutoreleasePool.autorelease(Mortal("theirs", log)) } }
            XCTAssertEqual(log.all, ["theirs"])
        }
        XCTAssertEqual(log.all, ["theirs", "ours"])
    }

    // MARK: The observers

    /// The orders and activities that the articles print from a Mac's main loop.
    func testO3_TheObserversStandAtTheOrdersOfAMac() {
        let log = log
        onThread {
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
        let log = log
        onThread {
            let loop = RunLoop.current
            let tell = RunLoop.Observer(activities: .allActivities, order: Int(Int32.max) - 1) { _, activity in
                let names = [RunLoop.Observer.Activity.entry: "Entry", .beforeWaiting: "BeforeWaiting", .afterWaiting: "AfterWaiting", .exit: "Exit"]
                guard let name = names[activity] else { return }
                log.add(name)
                AutoreleasePool.autorelease(Mortal("from \(name)", log))
            }
            loop.add(tell, forMode: .default)
            AutoreleasePool.install(in: loop)
            AutoreleasePool.install(in: loop, forMode: .default) // a second call has no effect
            loop.add(Port(), forMode: .default)
            let carried = Carried(loop)
            DispatchQueue.global().async {
                while !carried.value.isWaiting { usleep(500) }
                carried.value.stop()
            }
            log.add("\(loop.run(mode: .default, before: .distantFuture))")
            tell.invalidate()
        }
        XCTAssertEqual(log.all, ["Entry", "BeforeWaiting", "from BeforeWaiting", "from Entry", "AfterWaiting", "Exit", "from Exit", "from AfterWaiting",
                                 "true"])
    }

    /// A10: an object that a source autoreleases lives until the pass is over.
    func testA10_WhatACallbackAutoreleasesLivesUntilItsPassIsOver() {
        let log = log
        onThread {
            let loop = RunLoop.current
            AutoreleasePool.install(in: loop)
            let source = RunLoop.Source { AutoreleasePool.autorelease(Mortal("gone", log)); log.add("performed") }
            loop.add(source, forMode: .default)
            for _ in 1...2 {
                source.signal()
                loop.run(mode: .default, before: .distantPast)
                log.add("run is over")
            }
            source.invalidate()
        }
        XCTAssertEqual(log.all, ["performed", "gone", "run is over", "performed", "gone", "run is over"])
    }

    func testO3_ANestedRunHasAPoolOfItsOwn() {
        let log = log
        onThread {
            nonisolated(unsafe) let loop = RunLoop.current
            let outerMode = RunLoop.Mode("outer"), innerMode = RunLoop.Mode("inner")
            AutoreleasePool.install(in: loop, forMode: outerMode)
            let inner = RunLoop.Source { AutoreleasePool.autorelease(Mortal("inner", log)) }
            loop.add(inner, forMode: innerMode)
            let outer = RunLoop.Source {
                AutoreleasePool.autorelease(Mortal("outer", log))
                AutoreleasePool.install(in: loop, forMode: innerMode)
                inner.signal()
                loop.run(mode: innerMode, before: .distantPast)
                log.add("inner run is over")
            }
            loop.add(outer, forMode: outerMode)
            outer.signal()
            loop.run(mode: outerMode, before: .distantPast)
            [inner, outer].forEach { $0.invalidate() }
        }
        XCTAssertEqual(log.all, ["inner", "inner run is over", "outer"])
    }

    /// A callback ends a pool around the run's pool, and with it the run's pool.
    func testO3_APoolAroundTheRunMayEndInACallback() {
        let log = log
        onThread {
            let loop = RunLoop.current
            AutoreleasePool.install(in: loop)
            let around = AutoreleasePool.push()
            let source = RunLoop.Source {
                AutoreleasePool.autorelease(Mortal("in the run's pool", log))
                AutoreleasePool.pop(around)
                log.add("the pool around it is over")
            }
            loop.add(source, forMode: .default)
            source.signal()
            loop.run(mode: .default, before: .distantPast)
            source.invalidate()
        }
        XCTAssertEqual(log.all, ["in the run's pool", "the pool around it is over"])
    }

    /// A callback runs the loop in a mode without the observers, which is declared common meanwhile: the nested run gets its own pool. The
    /// defect: the observers took the outer run's pool for it, and released the outer callback's objects.
    func testO3_AModeDeclaredCommonInANestedRunLeavesTheOuterRunsPoolAlone() {
        let log = log
        onThread {
            nonisolated(unsafe) let loop = RunLoop.current
            let nested = RunLoop.Mode("nested")
            AutoreleasePool.install(in: loop)
            loop.add(Timer(timeInterval: 0.001, repeats: false) { _ in
                loop.addCommonMode(nested)
                AutoreleasePool.autorelease(Mortal("autoreleased before the nested run has a pool", log))
                // Added here, so that it fires in a later pass: the next pass's BeforeTimers begins the pool.
                loop.add(Timer(timeInterval: 0.001, repeats: false) { _ in
                    AutoreleasePool.autorelease(Mortal("in the nested run's pool", log))
                }, forMode: nested)
            }, forMode: nested)
            let outer = RunLoop.Source {
                AutoreleasePool.autorelease(Mortal("in the outer run's pool", log))
                loop.run(mode: nested, before: .distantFuture) // until its timers have fired
                log.add("nested run is over")
            }
            loop.add(outer, forMode: .default)
            outer.signal()
            loop.run(mode: .default, before: .distantPast)
            outer.invalidate()
        }
        XCTAssertEqual(log.all, ["in the nested run's pool", "nested run is over", "autoreleased before the nested run has a pool",
                                 "in the outer run's pool"])
    }

    func testO3_OnTheMainLoopAfterACallAndNotBefore() {
        let mode = RunLoop.Mode("AutoreleasePoolTests")
        nonisolated(unsafe) var performed = 0
        let log = log
        let source = RunLoop.Source { performed += 1; AutoreleasePool.autorelease(Mortal("object \(performed)", log)) }
        RunLoop.main.add(source, forMode: mode)
        let around = AutoreleasePool.push()
        func pass() {
            source.signal()
            RunLoop.main.run(mode: mode, before: .distantPast)
        }
        pass()
        XCTAssertEqual(log.all, [], "no observer is installed unless the program does it")
        AutoreleasePool.install(in: .main, forMode: mode)
        pass()
        XCTAssertEqual(log.all, ["object 2"])
        AutoreleasePool.pop(around)
        XCTAssertEqual(log.all, ["object 2", "object 1"])
        source.invalidate()
    }
}

/// A value that another thread may use.
private struct Carried<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
