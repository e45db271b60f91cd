import FoundationEssentials
import class SwiftRunLoop.Port
import protocol SwiftRunLoop.PortDelegate
import class SwiftRunLoop.PortMessage
import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Timer
import XCTest

/// A run loop inside another event loop. Each host gets the same items to serve.
final class EmbeddingTests: XCTestCase {
    // MARK: - The hosted items

    /// One item of each kind in a mode of the calling thread's loop. Each logs its name once.
    private final class Guests: PortDelegate {
        let loop = RunLoop.current
        let mode: RunLoop.Mode
        let log = Shared([String]())
        private let pipe = TestPipe()
        private var timer: Timer!, source: RunLoop.Source!, port = Port(), pipeSource: RunLoop.Source!
        private var helper: StartedThread!

        init(mode: RunLoop.Mode) {
            self.mode = mode
            timer = Timer(timeInterval: 0.02, repeats: true) { [log] timer in
                log.append("timer")
                if log.value.filter({ $0 == "timer" }).count == 3 { timer.invalidate() }
            }
            source = RunLoop.Source { [log] in log.append("source") }
            pipeSource = RunLoop.Source(fileDescriptor: pipe.reading) { [log] source, _ in
                log.append("pipe: \(readText(source.fileDescriptor!))")
            }
            port.setDelegate(self)
            loop.add(timer, forMode: mode)
            loop.add(source, forMode: mode)
            loop.add(pipeSource, forMode: mode)
            loop.add(port, forMode: mode)
        }

        func handle(_ message: PortMessage) { log.append("message \(message.msgid)") }

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
                step("message 2") {
                    for number in 1...2 { XCTAssert(guests.port.send(before: Date(), msgid: number, components: nil, from: nil, reserved: 0)) }
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
            let expected = ["source", "message 1", "message 2", "pipe: hello", "block"] + (mainQueueToo ? ["main queue"] : []) + ["end"]
            XCTAssertEqual(log.value.filter { $0 != "timer" }, expected)
            XCTAssertEqual(log.value.count, expected.count + 3)
            source.invalidate()
            port.invalidate()
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

    func testGLibsMainLoopHostsALoop() throws {
        let glib = try GLib()
        let guests = Guests(mode: RunLoop.Mode("EmbeddingInGLib"))
        let hosting = GLib.Hosting(glib: glib, mainLoop: glib.newMainLoop(nil, 0)) {
            guests.loop.serve(forMode: guests.mode)
            return !guests.hasEnded
        }
        let info = Unmanaged.passRetained(hosting)
        _ = glib.addDescriptor(guests.loop.descriptor(forMode: guests.mode), 1, { _, _, info in // G_IO_IN
            let hosting = Unmanaged<GLib.Hosting>.fromOpaque(info!).takeUnretainedValue()
            hosting.served += 1
            if hosting.serve() { return 1 } // G_SOURCE_CONTINUE
            hosting.glib.quit(hosting.mainLoop)
            return 0
        }, info.toOpaque())
        // GLib serves its own sources as well as ours.
        _ = glib.addTimeout(7, { info in
            Unmanaged<GLib.Hosting>.fromOpaque(info!).takeUnretainedValue().glibsTicks += 1
            return 1
        }, info.toOpaque())
        guests.start(mainQueueToo: false)
        glib.run(hosting.mainLoop)
        guests.check(mainQueueToo: false)
        XCTAssertLessThan(hosting.served, mostWakeUps)
        XCTAssertGreaterThan(hosting.glibsTicks, 0)
        glib.removeTimeout(info.toOpaque())
        glib.unref(hosting.mainLoop)
        info.release()
    }
}

/// The GLib functions that a host of a run loop needs, looked up in the installed library, so that building needs no GLib.
private struct GLib {
    typealias DescriptorFunction = @convention(c) (Int32, UInt32, UnsafeMutableRawPointer?) -> Int32
    typealias Function = @convention(c) (UnsafeMutableRawPointer?) -> Int32

    let newMainLoop: @convention(c) (OpaquePointer?, Int32) -> OpaquePointer
    let run: @convention(c) (OpaquePointer) -> Void
    let quit: @convention(c) (OpaquePointer) -> Void
    let unref: @convention(c) (OpaquePointer) -> Void
    let addDescriptor: @convention(c) (Int32, UInt32, DescriptorFunction, UnsafeMutableRawPointer?) -> UInt32
    let addTimeout: @convention(c) (UInt32, Function, UnsafeMutableRawPointer?) -> UInt32
    private let removeByData: @convention(c) (UnsafeMutableRawPointer?) -> Int32

    /// Skips the test where GLib is not installed.
    init() throws {
        guard let library = dlopen("libglib-2.0.so.0", RTLD_NOW) else { throw XCTSkip("GLib is not installed here (libglib-2.0.so.0)") }
        func find<T>(_ name: String, as type: T.Type = T.self) throws -> T { unsafeBitCast(try XCTUnwrap(dlsym(library, name)), to: type) }
        newMainLoop = try find("g_main_loop_new")
        run = try find("g_main_loop_run")
        quit = try find("g_main_loop_quit")
        unref = try find("g_main_loop_unref")
        addDescriptor = try find("g_unix_fd_add")
        addTimeout = try find("g_timeout_add")
        removeByData = try find("g_source_remove_by_user_data")
    }

    /// Removes the source that was added with that pointer.
    func removeTimeout(_ info: UnsafeMutableRawPointer) {
        _ = removeByData(info)
    }

    /// The data for GLib's callbacks.
    final class Hosting {
        let glib: GLib, mainLoop: OpaquePointer
        let serve: () -> Bool
        var served = 0, glibsTicks = 0

        init(glib: GLib, mainLoop: OpaquePointer, serve: @escaping () -> Bool) {
            (self.glib, self.mainLoop, self.serve) = (glib, mainLoop, serve)
        }
    }
}
