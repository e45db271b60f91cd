import CRunLoop
import CRunLoopLabSocket
import Dispatch
@testable import RunLoopLab
import SwiftRunLoop
import TestSupport
import XCTest
import class SwiftRunLoop.Port
import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Thread
import class SwiftRunLoop.Timer

/// The components of RunLoopLab, used as in another program. These tests do not repeat what experiments and programs of the articles show.
final class LabComponentTests: XCTestCase {
    // MARK: - Threads

    func testA1_WorkForAResidentThreadIsDoneInOrderFromManyThreads() {
        let resident = ResidentThread(name: "resident"), log = EventList()
        let askers = (0..<4).map { asker in
            startThread { for piece in 0..<100 { resident.perform { log.add("\(asker) \(piece)") } } }
        }
        askers.forEach { $0.join() }
        XCTAssert(eventually { log.all.count == 400 })
        for asker in 0..<4 {
            XCTAssertEqual(log.all.filter { $0.hasPrefix("\(asker) ") }, (0..<100).map { "\(asker) \($0)" })
        }
    }

    func testA2_AThreadThatIsStoppedDoesWhatItWasAskedForBefore() throws {
        for _ in 0..<50 {
            let done = Shared(0), kept = KeepAliveThread(name: "kept")
            for _ in 0..<10 { try kept.perform { done.value += 1 } }
            kept.stopAndWait()
            XCTAssertEqual(done.value, 10)
            kept.stop()
            kept.stopAndWait()
            XCTAssert(eventually { kept.thread.isFinished })
            XCTAssertThrowsError(try kept.perform {})
        }
    }

    func testA2_AThreadMayStopItself() throws {
        let kept = KeepAliveThread(name: "kept")
        try kept.perform { [unowned kept] in kept.stop() }
        XCTAssert(eventually { kept.thread.isFinished })
    }

    func testA2_TheLastReferenceMayGoOnTheThreadItself() throws {
        let box = Shared<KeepAliveThread?>(KeepAliveThread(name: "kept"))
        let thread = box.value!.thread
        try box.value!.perform { box.value = nil }
        XCTAssert(eventually { thread.isFinished })
        XCTAssertNil(box.value)
    }

    // MARK: - The network

    /// A LabSocket in the main loop, which reads one byte in each call, and its other end. Used on the main thread only.
    private final class SocketEnd {
        private let name: String, log: EventList
        private let peer: Int32
        private(set) var socket: OpaquePointer!

        init(_ name: String, _ log: EventList, _ events: LabSocketEvents) {
            var ends: [Int32] = [-1, -1]
            XCTAssertEqual(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends), 0)
            (self.name, self.log, peer) = (name, log, ends[1])
            socket = LabSocketCreate(ends[0], events, { _, event, info in
                Unmanaged<SocketEnd>.fromOpaque(info!).takeUnretainedValue().called(event)
            }, Unmanaged.passRetained(self).toOpaque(), { info in
                Unmanaged<SocketEnd>.fromOpaque(info!).takeRetainedValue().log.add("released")
            })
            add()
        }

        private func called(_ event: LabSocketEvents) {
            var byte: UInt8 = 0
            if event == .readable { read(LabSocketGetDescriptor(socket), &byte, 1) }
            log.add(event == .readable ? "\(name) reads \(Character(Unicode.Scalar(byte)))" : "\(name) has room")
        }

        func add() { CFRunLoopAddSource(CFRunLoopGetMain(), LabSocketGetSource(socket), kCFRunLoopDefaultMode) }
        func remove() { CFRunLoopRemoveSource(CFRunLoopGetMain(), LabSocketGetSource(socket), kCFRunLoopDefaultMode) }
        func send(_ text: String) { write(peer, text, text.utf8.count) }

        func end() {
            LabSocketInvalidate(socket)
            close(peer)
        }
    }

    func testI6_OneThreadWaitsForAllSocketsAndSignalsTheirSource0s() throws {
        let log = EventList(), ends = ["a", "b", "c"].map { SocketEnd($0, log, .readable) }
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").map { SystemThread.name(of: Int32($0)!) }
        XCTAssertEqual(names.count { $0 == "com.apple.CFSoc" }, 1)
        ends[1].send("x")
        XCTAssert(runLoop { log.all.count == 1 })
        ends[0].send("yz") // the callback reads one byte, and is called again
        XCTAssert(runLoop { log.all.count == 3 })
        XCTAssertEqual(log.takeAll(), ["b reads x", "a reads y", "a reads z"])
        ends.forEach { $0.end() }
        XCTAssertEqual(log.all, ["released", "released", "released"])
    }

    func testI6_ASocketThatHasLeftTheLoopCallsNobodyAndRoomIsReportedOnce() {
        let log = EventList(), end = SocketEnd("a", log, [.readable, .writable])
        XCTAssert(runLoop { log.all == ["a has room"] })
        RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.05))
        XCTAssertEqual(log.all, ["a has room"])
        LabSocketEnable(end.socket, .writable)
        XCTAssert(runLoop { log.all.count == 2 })
        XCTAssertEqual(log.takeAll(), ["a has room", "a has room"])
        end.remove()
        end.send("x")
        RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.05))
        XCTAssertEqual(log.all, [])
        end.add()
        XCTAssert(runLoop { log.all.count == 2 })
        XCTAssertEqual(log.all.sorted(), ["a has room", "a reads x"])
        end.end()
    }

    /// - Parameter answer: called on the main thread, in its common modes.
    private func request(_ text: String, port: UInt16, answer: @escaping @Sendable (Connection.Answer) -> Void) {
        URLConnection.loader.perform {
            let connection = Connection(request: Array(text.utf8)) { result in
                Thread.main.perform { answer(result) }
            }
            connection.start(port: port)
        }
    }

    func testA8_ManyRequestsAreAnsweredEachWithItsOwn() throws {
        let server = try TestServer { $0 }
        let answers = Shared<[String: Int]>([:])
        for number in 0..<20 {
            request("request \(number)\n", port: server.port) { answer in
                XCTAssertTrue(Thread.isMainThread)
                XCTAssertEqual(answer, .bytes(Array("request \(number)\n".utf8)))
                answers.value["\(number)", default: 0] += 1
            }
        }
        XCTAssert(runLoop { answers.value.count == 20 })
        XCTAssert(answers.value.values.allSatisfy { $0 == 1 })
        server.close()
    }

    func testA8_ALongAnswerComesWholeAndSoDoesAnEmptyOne() throws {
        let long = String(repeating: "0123456789abcdef", count: 65_536)
        let server = try TestServer { $0 == "long\n" ? long : "" }
        let answers = Shared<[Connection.Answer]>([])
        request("long\n", port: server.port) { answers.append($0) }
        XCTAssert(runLoop { answers.value.count == 1 })
        request("nothing\n", port: server.port) { answers.append($0) }
        XCTAssert(runLoop { answers.value.count == 2 })
        XCTAssertEqual(answers.value, [.bytes(Array(long.utf8)), .bytes([])])
        server.close()
    }

    func testA8_WhereNobodyListensThereIsAFailure() throws {
        let server = try TestServer(listens: false) { $0 }
        defer { server.close() }
        let answers = Shared<[Connection.Answer]>([])
        request("hello\n", port: server.port) { answers.append($0) }
        XCTAssert(runLoop { answers.value.count == 1 })
        XCTAssertEqual(answers.value, [.failure("Connection refused")])
    }

    /// Records the calls of its connection.
    private final class ConnectionDelegate: URLConnectionDelegate {
        let calls = Shared<[String]>([])

        func connection(_ connection: URLConnection, didReceiveResponse status: Int) { calls.append("response \(status)") }
        func connection(_ connection: URLConnection, didReceiveData data: [UInt8]) { calls.append(String(decoding: data, as: UTF8.self)) }
        func connectionDidFinishLoading(_ connection: URLConnection) { calls.append("finished") }
        func connection(_ connection: URLConnection, didFailWithError reason: String) { calls.append(reason) }
    }

    func testAConnectionThatNobodyElseHoldsCallsItsDelegateToTheEndAndThenReleasesIt() {
        let server = LoopbackServer(parts: ["body"]), calls: Shared<[String]>, released: WeakReference<ConnectionDelegate>
        do {
            let delegate = ConnectionDelegate()
            (calls, released) = (delegate.calls, WeakReference(delegate))
            URLConnection(path: "/", port: server.port, delegate: delegate).start()
        }
        XCTAssert(runLoop { calls.value.last == "finished" && released.object == nil })
        XCTAssertEqual(calls.value, ["response 200", "body", "finished"])
        withExtendedLifetime(server) {}
    }

    func testAConnectionWithoutAServerFailsAndOneThatWasCancelledIsSilent() throws {
        let server = try TestServer(listens: false) { $0 }, port = server.port
        defer { server.close() }
        let failing = ConnectionDelegate(), cancelled = ConnectionDelegate()
        let second = URLConnection(path: "/", port: port, delegate: cancelled)
        second.start()
        second.cancel()
        URLConnection(path: "/", port: port, delegate: failing).start()
        XCTAssert(runLoop { !failing.calls.value.isEmpty })
        XCTAssertEqual(failing.calls.value, ["Connection refused"])
        XCTAssertEqual(cancelled.calls.value, [])
    }

    // MARK: - The application

    func testA11_ViewsAreHitFromTheTopAndATouchStaysWithItsView() throws {
        let window = LoggingView("window", columns: 1...80, rows: 1...24)
        let below = LoggingView("below", columns: 1...40, rows: 1...24)
        let above = LoggingView("above", columns: 20...60, rows: 1...24)
        window.subviews = [below, above]
        let touches = "down 30 1, move 5 1, up 5 1, down 10 1, up 10 1, down 79 1, up 79 1, down 81 1, up 81 1"
        let events = "\(touches), nonsense, down 1, down a 1"
        try run(window, events: events.components(separatedBy: ", "))
        XCTAssertEqual(LoggingView.log, ["above began", "above moved", "above ended", "below began", "below ended",
                                         "window began", "window ended"])
    }

    func testA11_APanCancelsTheTouchAndATapDoesNot() throws {
        let window = LoggingView("window", columns: 1...80, rows: 1...24)
        window.gestures = [
            GestureRecognizer(.pan) { LoggingView.log.append("pan \($0) in \(RunLoop.main.currentMode?.rawValue ?? "no mode")") },
            GestureRecognizer(.tap) { LoggingView.log.append("tap \($0)") },
        ]
        try run(window, events: ["down 1 1", "up 1 1", "down 1 1", "move 2 1", "up 2 1", "down 1 1", "up 1 1"])
        let mode = "in kCFRunLoopDefaultMode"
        XCTAssertEqual(LoggingView.log, ["window began", "window ended", "tap ended", "window began", "window cancelled",
                                         "pan began \(mode)", "pan ended \(mode)", "window began", "window ended", "tap ended"])
    }

    /// A fast finger, or a slow main thread: the loop gets several events before it is about to sleep.
    func testA11_ADragWhoseEventsComeAtOnceIsReportedFromItsBeginning() {
        var log: [String] = []
        let view = View("view", columns: 1...80, rows: 1...24), pan = GestureRecognizer(.pan) { _ in }
        pan.action = { [unowned pan] state in log.append("\(state) \(pan.translation.rows)") }
        for rows in [[10, 9, 8, 7], [5, 6]] {
            let touch = Touch(on: view, column: 1, row: rows[0])
            _ = pan.follow(touch, .down)
            for row in rows.dropFirst() {
                touch.place = (1, row)
                _ = pan.follow(touch, .move)
            }
            _ = pan.follow(touch, .up)
        }
        pan.update()
        XCTAssertEqual(log, ["began -1", "changed -3", "ended -3", "began 1", "ended 1"])
        pan.update()
        XCTAssertEqual(log.count, 5)
    }

    /// Marks and commits without an application: `flush` does what the observer does when the loop is about to sleep.
    func testMarkedViewsAreLaidOutAndDrawnOnceAndLayoutComesFirst() {
        final class Marked: View {
            var calls: [String] = []
            override func layoutSubviews() {
                calls.append("layout")
                setNeedsDisplay()
            }
            override func draw() { calls.append("draw") }
        }
        let view = Marked("marked", columns: 1...1, rows: 1...1)
        for _ in 1...3 { view.setNeedsLayout() }
        XCTAssertEqual(view.calls, [])
        LayerTransaction.current.flush()
        XCTAssertEqual(view.calls, ["layout", "draw"])
        LayerTransaction.current.flush()
        XCTAssertEqual(view.calls, ["layout", "draw"])
    }

    func testATableMakesTheCellsOfTheRowsThatBecomeVisible() {
        var made: [Int] = []
        let table = TableView("table", columns: 1...10, rows: 1...6, numberOfRows: 20, rowHeight: 2) { row in
            made.append(row)
            return TableViewCell(row: row, imageView: ImageView { _ in })
        }
        XCTAssertEqual(table.visibleCells.map(\.row), [0, 1, 2])
        XCTAssertEqual(made, [0, 1, 2])
    }

    func testAButtonCallsItsTargetIfTheFingerIsLiftedOnIt() {
        final class Target {
            var calls = 0
            func press() { calls += 1 }
        }
        let button = Button("button", columns: 2...4, rows: 1...1), target = Target()
        button.addTarget(target, action: Target.press)
        let inside = Touch(on: button, column: 3, row: 1), outside = Touch(on: button, column: 3, row: 1)
        outside.place = (9, 1)
        button.touchesEnded(inside)
        button.touchesEnded(outside)
        XCTAssertEqual(target.calls, 1)
    }

    /// Each event is sent when the loop has processed the previous one.
    private func run(_ window: LoggingView, events: [String]) throws {
        nonisolated(unsafe) var ends: [Int32] = [-1, -1]
        XCTAssertEqual(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends), 0)
        LoggingView.log = []
        nonisolated(unsafe) var rest = events[...]
        let system = ends[1]
        let next = RunLoop.Observer(activities: .beforeWaiting, order: 10) { @Sendable _, _ in // after the gestures
            guard let event = rest.popFirst() else { return _ = shutdown(system, Int32(SHUT_RDWR)) }
            send(system, event, event.utf8.count, 0)
        }
        RunLoop.main.add(next, forMode: .default)
        let application = Application(window: window, port: ends[0])
        application.run()
        next.invalidate()
        ends.forEach { close($0) }
        XCTAssert(rest.isEmpty)
    }
}

/// Logs its events.
private final class LoggingView: View {
    nonisolated(unsafe) static var log: [String] = [] // used on the main thread only

    override func touchesBegan(_ touch: Touch) { Self.log.append("\(name) began") }
    override func touchesMoved(_ touch: Touch) { Self.log.append("\(name) moved") }
    override func touchesEnded(_ touch: Touch) { Self.log.append("\(name) ended") }
    override func touchesCancelled(_ touch: Touch) { Self.log.append("\(name) cancelled") }
}

/// Answers each line that it receives, on a separate connection, and hangs up.
private final class TestServer: Sendable {
    private let socket: Int32
    let port: UInt16
    private let answer: @Sendable (String) -> String

    /// A server that does not listen refuses connections. It keeps its port, so that no other program listens there.
    init(listens: Bool = true, _ answer: @escaping @Sendable (String) -> String) throws {
        self.answer = answer
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in(), size = socklen_t(MemoryLayout<sockaddr_in>.size)
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let error = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, size) | (listens ? listen(socket, 50) : 0) | getsockname(socket, $0, &size)
            }
        }
        guard error == 0 else { throw CannotRun(description: "no TCP port: \(String(cString: strerror(errno)))") }
        (self.socket, port) = (socket, UInt16(bigEndian: address.sin_port))
        guard listens else { return }
        Thread.detachNewThread { [self] in
            while case let connection = accept(socket, nil, nil), connection >= 0 { serve(connection) }
        }
    }

    private func serve(_ connection: Int32) {
        var line: [UInt8] = [], byte: UInt8 = 0
        while byte != UInt8(ascii: "\n"), read(connection, &byte, 1) == 1 { line.append(byte) }
        var rest = Array(answer(String(decoding: line, as: UTF8.self)).utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        Glibc.close(connection)
    }

    func close() {
        shutdown(socket, Int32(SHUT_RDWR))
        Glibc.close(socket)
    }
}
