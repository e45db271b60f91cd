import FoundationEssentials
import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Timer
import TestSupport
import XCTest

/// A run loop inside another event loop. Each host gets the same items to serve. Scripts/check-hosts has GLib and others as hosts.
final class EmbeddingTests: XCTestCase {
    // MARK: - The hosted items

    /// One item of each kind in a mode of the calling thread's loop. Each logs its name once.
    private final class Guests {
        let loop = RunLoop.current
        let mode: RunLoop.Mode
        let log = Shared([String]())
        private let pipe = TestPipe()
        private var timer: Timer!, source: RunLoop.Source!, pipeSource: RunLoop.Source!
        private var helper: StartedThread!

        init(mode: RunLoop.Mode) {
            self.mode = mode
            timer = Timer(timeInterval: 0.02, repeats: true) { [log] timer in
                log.append("timer")
                if log.value.filter({ $0 == "timer" }).count == 3 { timer.invalidate() }
            }
            source = RunLoop.Source { [log] in log.append("source") }
            pipeSource = try! RunLoop.Source(fileDescriptor: pipe.reading) { [log] source, _ in
                log.append("pipe: \(readText(source.fileDescriptor!))")
            }
            loop.add(timer, forMode: mode)
            loop.add(source, forMode: mode)
            loop.add(pipeSource, forMode: mode)
        }

        /// Another thread gives work to one item after another; the host sleeps in between.
        func start(mainQueueToo: Bool) {
            nonisolated(unsafe) let guests = self
            helper = startThread {
                let (log, loop) = (guests.log, guests.loop)
                func step(_ event: String, _ body: () -> Void) {
                    usleep(5000)
                    body()
                    XCTAssert(eventually { log.value.contains(event) }, "\(event) is missing in \(log.value)")
                }
                step("source") {
                    guests.source.signal()
                    loop.wakeUp()
                }
                step("pipe: hello") { guests.pipe.write("hello") }
                step("block") {
                    loop.perform(inModes: [guests.mode]) { log.append("block") }
                    loop.wakeUp()
                }
                if mainQueueToo {
                    step("main queue") { DispatchQueue.main.async { log.append("main queue") } }
                }
                step("timer") {}
                XCTAssert(eventually { log.value.filter { $0 == "timer" }.count == 3 })
                step("end") {
                    loop.perform(inModes: [guests.mode]) { log.append("end") }
                    loop.wakeUp()
                }
            }
        }

        var hasEnded: Bool { log.value.last == "end" }

        /// Each item was served once, in order where the order is defined.
        func check(mainQueueToo: Bool) {
            helper.join()
            let expected = ["source", "pipe: hello", "block"] + (mainQueueToo ? ["main queue"] : []) + ["end"]
            XCTAssertEqual(log.value.filter { $0 != "timer" }, expected)
            XCTAssertEqual(log.value.count, expected.count + 3)
            source.invalidate()
            pipeSource.invalidate()
            XCTAssertEqual(loop.serve(forMode: mode), mainQueueToo, "where the main queue is served, a mode is never empty (L10)")
        }
    }

    // MARK: - Hosts

    /// Returns how often the host woke.
    private static func pollLoop(_ guests: Guests) -> Int {
        var wakeUps = 0
        let descriptor = guests.loop.descriptor(forMode: guests.mode)
        while !guests.hasEnded {
            var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waited, 1, 10_000) == 1 else { break }
            XCTAssertEqual(waited.revents, Int16(POLLIN))
            wakeUps += 1
            XCTAssert(guests.loop.serve(forMode: guests.mode))
        }
        return wakeUps
    }

    /// The host does not spin: fourteen steps do not cause hundreds of wake-ups.
    private let mostWakeUps = 60

    func testAPollLoopHostsALoopOfItsOwnThread() {
        let mostWakeUps = mostWakeUps
        onThread {
            let guests = Guests(mode: RunLoop.Mode("Embedding"))
            guests.start(mainQueueToo: false)
            XCTAssertLessThan(Self.pollLoop(guests), mostWakeUps)
            guests.check(mainQueueToo: false)
        }
    }

    func testAPollLoopHostsTheMainLoopWithTheMainQueue() {
        let guests = Guests(mode: .default)
        guests.start(mainQueueToo: true)
        XCTAssertLessThan(Self.pollLoop(guests), mostWakeUps)
        guests.check(mainQueueToo: true)
    }
}
