import SwiftRunLoop
import XCTest

/// A library like Combine: it declares Combine's protocols.
private protocol SchedulerTimeIntervalConvertible {
    static func seconds(_ s: Int) -> Self
    static func seconds(_ s: Double) -> Self
    static func milliseconds(_ ms: Int) -> Self
    static func microseconds(_ us: Int) -> Self
    static func nanoseconds(_ ns: Int) -> Self
}

private protocol Cancellable {
    func cancel()
}

private protocol Scheduler<SchedulerTimeType> {
    associatedtype SchedulerTimeType: Strideable where SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible
    associatedtype SchedulerOptions
    var now: SchedulerTimeType { get }
    var minimumTolerance: SchedulerTimeType.Stride { get }
    func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void)
    func schedule(after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?, _ action: @escaping () -> Void)
    func schedule(after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
                  options: SchedulerOptions?, _ action: @escaping () -> Void) -> any Cancellable
}

extension Scheduler {
    func schedule(after date: SchedulerTimeType, _ action: @escaping () -> Void) {
        schedule(after: date, tolerance: minimumTolerance, options: nil, action)
    }

    func schedule(after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, _ action: @escaping () -> Void) -> any Cancellable {
        schedule(after: date, interval: interval, tolerance: minimumTolerance, options: nil, action)
    }

    func schedule(_ action: @escaping () -> Void) { schedule(options: nil, action) }
}

/// `Timer` had a class `Subscription`, which hid Combine's protocol in each extension of Timer, so this did not compile.
private protocol Subscription: Cancellable {}
extension SwiftRunLoop.Timer {
    private final class Receiver: Subscription {
        func cancel() {}
    }
}

// Such a library needs nothing else.
extension SwiftRunLoop.RunLoop: Scheduler {}
extension SwiftRunLoop.RunLoop.SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {}
extension SwiftRunLoop.RunLoop.Cancellation: Cancellable {}

final class SchedulerTests: XCTestCase {
    private typealias Time = SwiftRunLoop.RunLoop.SchedulerTimeType
    private typealias Stride = Time.Stride
    private typealias Cancellation = SwiftRunLoop.RunLoop.Cancellation

    func testTimesAndStridesCount() {
        let time = Time(Date(timeIntervalSinceReferenceDate: 100))
        XCTAssertEqual(time.advanced(by: .milliseconds(1500)).date, Date(timeIntervalSinceReferenceDate: 101.5))
        XCTAssertEqual(time.distance(to: time.advanced(by: -3)), -3)
        XCTAssertEqual([Stride.seconds(2), .seconds(0.5), .microseconds(250_000), .nanoseconds(125_000_000)].map(\.timeInterval), [2, 0.5, 0.25, 0.125])
        XCTAssertEqual((Stride(exactly: 7)! * 2 + 1 - 0.5).timeInterval, 14.5)
        XCTAssertNil(Stride(exactly: UInt64.max))
        XCTAssert(Stride.seconds(1) < 1.5)
        var stride: Stride = 1
        stride += 2
        stride *= 3
        stride -= 1
        XCTAssertEqual(stride, 8)
        XCTAssert(time < time.advanced(by: .nanoseconds(1000)))
        let saved = try! JSONEncoder().encode(time)
        XCTAssertEqual(try! JSONDecoder().decode(Time.self, from: saved), time)
    }

    /// The magnitude was without the sign, and the JSON had another key. A library's tests for its schedulers, which also run with a Mac's
    /// RunLoop, failed with ours.
    func testTheMagnitudeOfAStrideHasASignAndIsWhatAnEncoderWrites() throws {
        XCTAssertEqual((Stride.milliseconds(-12) + .seconds(7)).magnitude, 6.988)
        XCTAssertEqual((Stride.seconds(2) - .seconds(5)).magnitude, -3)
        var stride: Stride = 1
        stride.magnitude = -0.5
        XCTAssertEqual(stride.timeInterval, -0.5)
        let saved = try JSONEncoder().encode(Stride.seconds(1024.5))
        XCTAssertEqual(String(decoding: saved, as: UTF8.self), #"{"magnitude":1024.5}"#)
        XCTAssertEqual(try JSONDecoder().decode(Stride.self, from: saved), .seconds(1024.5))
    }

    func testALibraryThatDeclaresCombinesProtocolSchedulesOnALoop() {
        onThread {
            let log = EventList()
            func use<S: Scheduler>(_ scheduler: S) -> any Cancellable {
                scheduler.schedule { log.add("at once 1") }
                scheduler.schedule { log.add("at once 2") }
                scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(20))) { log.add("later") }
                return scheduler.schedule(after: scheduler.now.advanced(by: .milliseconds(40)), interval: .milliseconds(10)) { log.add("again") }
            }
            let repeated = use(RunLoop.current)
            func runUntil(_ isDone: @escaping () -> Bool) {
                let end = Date(timeIntervalSinceNow: 30)
                while !isDone(), Date() < end { RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.005)) }
            }
            runUntil { log.all.count >= 5 }
            XCTAssertEqual(Array(log.takeAll().prefix(5)), ["at once 1", "at once 2", "later", "again", "again"])
            repeated.cancel()
            RunLoop.current.add(Port(), forMode: .default)
            RunLoop.current.run(until: Date(timeIntervalSinceNow: 0.05))
            XCTAssertEqual(log.all, [])
        }
    }

    /// `receive(on: RunLoop.main)` schedules from another thread, while the loop sleeps.
    /// On a Mac, Combine gives every scheduler these forms, so programs leave the options out. They did not compile.
    func testALoopSchedulesWithoutOptions() {
        onThread {
            let log = EventList(), loop = RunLoop.current
            loop.schedule { log.add("at once") }
            loop.schedule(after: loop.now.advanced(by: .milliseconds(10))) { log.add("later") }
            loop.schedule(after: loop.now.advanced(by: .milliseconds(20)), tolerance: .milliseconds(1)) { log.add("with a tolerance") }
            let again: Cancellation = loop.schedule(after: loop.now.advanced(by: .milliseconds(30)), interval: .seconds(100)) { log.add("again") }
            let far: any Cancellable = loop.schedule(after: loop.now, interval: .seconds(100), tolerance: 0) { log.add("first") }
            while !log.all.contains("again") { loop.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01)) }
            again.cancel()
            far.cancel()
            XCTAssertEqual(log.all, ["at once", "first", "later", "with a tolerance", "again"])
        }
    }

    func testScheduleWakesALoopThatSleeps() {
        let arrived = Shared(false)
        nonisolated(unsafe) let main = RunLoop.main
        let other = startThread {
            while !main.isWaiting { usleep(1000) }
            main.schedule(options: nil) { arrived.value = true; main.stop() }
        }
        let port = Port()
        main.add(port, forMode: .default)
        XCTAssertEqual(main.run(.default, until: Date(timeIntervalSinceNow: 30)), .stopped)
        XCTAssert(arrived.value)
        port.invalidate()
        other.join()
    }

    func testARepeatingActionEndsWithItsLastReference() {
        onThread {
            let loop = RunLoop.current, token = Weak<Token>()
            do {
                let object = Token()
                token.object = object
                let cancellation: RunLoop.Cancellation = loop.schedule(after: loop.now, interval: 0.001, tolerance: 0, options: nil) { _ = object }
                XCTAssertEqual(cancellation, cancellation)
            }
            XCTAssertNil(token.object)
        }
    }

    func testAToleranceIsThatOfTheTimer() {
        onThread {
            let loop = RunLoop.current
            loop.schedule(after: loop.now.advanced(by: 100), tolerance: 5, options: .init()) {}
            XCTAssert(loop.description.contains("tolerance = 5"), loop.description)
        }
    }

    // MARK: Timer.publish

    func testAPublisherSendsTheDatesOfOneTimerToAllItsSubscribersWhileItIsConnected() {
        onThread {
            let loop = RunLoop.current, log = EventList()
            loop.add(Port(), forMode: .default)
            let publisher = Timer.publish(every: 0.01, tolerance: 0.001, on: loop, in: .default)
            XCTAssert(publisher.interval == 0.01 && publisher.tolerance == 0.001 && publisher.mode == .default && publisher.runLoop === loop)
            let one = publisher.sink { _ in log.add("one") }
            let two = publisher.sink { log.add("two \(abs($0.timeIntervalSinceNow) < 10)") }
            loop.run(until: Date(timeIntervalSinceNow: 0.05))
            XCTAssertEqual(log.takeAll(), [], "nothing is connected")

            let connection = publisher.connect(), second = publisher.connect()
            connection.cancel()
            connection.cancel() // a second cancel has no effect
            while log.all.count < 4 { loop.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01)) }
            XCTAssertEqual(Array(log.takeAll().prefix(4)), ["one", "two true", "one", "two true"])

            one.cancel()
            while log.all.count < 2 { loop.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01)) }
            XCTAssertEqual(Set(log.takeAll()), ["two true"])
            second.cancel()
            loop.run(until: Date(timeIntervalSinceNow: 0.05))
            XCTAssertEqual(log.all, [])
            withExtendedLifetime(two) {}
        }
    }

    func testAutoconnectRunsTheTimerWhileThereAreSubscribers() {
        onThread {
            let loop = RunLoop.current, log = EventList(), token = Weak<Token>()
            loop.add(Port(), forMode: .default)
            var subscription: Timer.Cancellation?
            do {
                let object = Token()
                token.object = object
                subscription = Timer.publish(every: 0.01, on: loop, in: .common).autoconnect().sink { _ in
                    _ = object
                    log.add("tick")
                }
            }
            while log.all.count < 2 { loop.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01)) }
            XCTAssertNotNil(token.object)
            subscription?.cancel()
            XCTAssertNil(token.object)
            _ = log.takeAll()
            loop.run(until: Date(timeIntervalSinceNow: 0.05))
            XCTAssertEqual(log.all, [])
            XCTAssertFalse(loop.description.contains("CFRunLoopTimer"))
        }
    }

    /// A publisher may be used from a subscriber of its own.
    func testASubscriberMayCancelItself() {
        onThread {
            let loop = RunLoop.current, log = EventList()
            loop.add(Port(), forMode: .default)
            let mine = Shared<Timer.Cancellation?>(nil)
            mine.value = Timer.publish(every: 0.01, on: loop, in: .default).autoconnect().sink { _ in
                log.add("once")
                mine.value?.cancel()
            }
            loop.run(until: Date(timeIntervalSinceNow: 0.1))
            XCTAssertEqual(log.all, ["once"])
        }
    }
}
