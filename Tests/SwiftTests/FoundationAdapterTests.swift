import SwiftRunLoop
import SwiftRunLoopFoundation
import TestSupport
import XCTest

/// Foundation's Process and FileHandle as event sources of this run loop.
final class FoundationAdapterTests: XCTestCase {
    /// On another thread, where what starts processes may leak.
    private func withProcesses(_ body: @escaping () throws -> Void) throws {
        try skip(under: .address, because: "Foundation's Process leaks what it was started with, also without a handler")
        onThread { do { try body() } catch { XCTFail("\(error)") } }
    }

    private func process(_ script: String) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", script]
        return process
    }

    func testWaitingForAProcessRunsThisLoop() throws {
        let log = EventList()
        try withProcesses { [self] in
            RunLoop.current.add(Timer(timeInterval: 0.02, repeats: false) { _ in log.add("timer") }, forMode: .default)
            let child = process("sleep 0.2")
            try child.run()
            MacSpelling.waitUntilExit(child)
            XCTAssertFalse(child.isRunning)
            MacSpelling.waitUntilExit(child) // at once
            XCTAssertFalse(RunLoop.current.run(mode: .default, before: Date()), "nothing is left in the mode")
        }
        XCTAssertEqual(log.all, ["timer"])
    }

    /// A callback of the run sees the end first, and stops it.
    func testAWaitThatIsStoppedAfterTheEndLeavesNothingInTheMode() throws {
        try withProcesses { [self] in
            let child = process("sleep 0.1")
            RunLoop.current.add(Timer(timeInterval: 0, repeats: false) { _ in
                while child.isRunning { usleep(1000) }
                RunLoop.current.stop()
            }, forMode: .default)
            try child.run()
            MacSpelling.waitUntilExit(child)
            XCTAssertFalse(RunLoop.current.run(mode: .default, before: Date()), "nothing is left in the mode")
        }
    }

    /// The defect: the loop looked at the process 20 times a second.
    func testALoopThatWaitsForAProcessSleepsUntilItEnds() throws {
        let passes = Shared(0), atLast = Shared(0)
        try withProcesses { [self] in
            let observer = RunLoop.Observer(activities: .beforeTimers) { _, _ in passes.value += 1 }
            RunLoop.current.add(observer, forMode: .default)
            let child = process("sleep 1")
            try child.run()
            RunLoop.current.add(Timer(timeInterval: 0.5, repeats: false) { _ in atLast.value = passes.value }, forMode: .default)
            MacSpelling.waitUntilExit(child)
            observer.invalidate()
        }
        XCTAssert((1...4).contains(atLast.value), "\(atLast.value) passes")
    }

    /// What the guide says instead of a notification on the loop's thread.
    func testTheTerminationHandlerMayPerformOnALoopsThread() throws {
        let log = EventList(), worker = RunLoop.Worker(name: "waits")
        try withProcesses { [self] in
            let child = process("exit 3")
            child.terminationHandler = { process in
                let status = process.terminationStatus
                worker.perform { log.add("ended \(status) \(Thread.current.name ?? "")") }
            }
            try child.run()
            XCTAssert(eventually { !log.all.isEmpty })
        }
        XCTAssertEqual(log.all, ["ended 3 waits"])
    }

    /// The default text of a structure with a raw value; on Linux, Foundation's mode has no other one.
    func testAModePrintsAsFoundationsDoes() {
        let ours = SwiftRunLoop.RunLoop.Mode.default, theirs = Foundation.RunLoop.Mode.default
        XCTAssertEqual("\(ours)", #"Mode(rawValue: "kCFRunLoopDefaultMode")"#)
        XCTAssertEqual("\(ours)", "\(theirs)")
        XCTAssertEqual("\([ours])".replacing("SwiftRunLoop.", with: ""), "\([theirs])".replacing("Foundation.", with: ""))
        XCTAssertEqual(String(reflecting: ours).replacing("SwiftRunLoop.", with: ""), String(reflecting: theirs).replacing("Foundation.", with: ""))
    }

    // MARK: FileHandle

    /// Records the notifications that a file handle posts while `body` runs.
    private func observing(_ name: Notification.Name, _ handle: FileHandle, _ log: EventList, _ body: () -> Void) {
        let token = NotificationCenter.default.addObserver(forName: name, object: handle, queue: nil) { notification in
            let data = notification.userInfo?[NSFileHandleNotificationDataItem] as? Data
            log.add(data.map { "data \(String(decoding: $0, as: UTF8.self))" } ?? "available")
        }
        body()
        NotificationCenter.default.removeObserver(token)
    }

    func testAFileHandleReadsOnceAndNotifiesFromTheLoop() {
        onThread { [self] in
            let log = EventList(), pipe = Pipe(), handle = pipe.fileHandleForReading
            observing(FileHandle.readCompletionNotification, handle, log) {
                handle.readInBackgroundAndNotify(in: .current)
                RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.02))
                XCTAssertEqual(log.all, [])
                pipe.fileHandleForWriting.write(Data("one".utf8))
                XCTAssert(runLoop { log.all == ["data one"] })
                pipe.fileHandleForWriting.write(Data("two".utf8))
                XCTAssertFalse(RunLoop.current.run(mode: .default, before: Date()), "it waits no more")
                handle.readInBackgroundAndNotify(in: .current)
                XCTAssert(runLoop { log.all.count == 2 })
                try? pipe.fileHandleForWriting.close()
                handle.readInBackgroundAndNotify(in: .current)
                XCTAssert(runLoop { log.all.count == 3 })
            }
            XCTAssertEqual(log.all, ["data one", "data two", "data "])
        }
    }

    func testAFileHandleReadsToTheEndAndNotifiesOnce() {
        onThread { [self] in
            let log = EventList(), pipe = Pipe(), handle = pipe.fileHandleForReading
            observing(.NSFileHandleReadToEndOfFileCompletion, handle, log) {
                handle.readToEndOfFileInBackgroundAndNotify(in: .current)
                for part in ["a", "b"] {
                    pipe.fileHandleForWriting.write(Data(part.utf8))
                    RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
                }
                XCTAssertEqual(log.all, [])
                try? pipe.fileHandleForWriting.close()
                XCTAssert(runLoop { !log.all.isEmpty })
            }
            XCTAssertEqual(log.all, ["data ab"])
        }
    }

    /// The defect: the kind of the file decided whether a loop can wait for it, so `tool < /dev/null` waited forever.
    func testAFileHandleForWhichNoLoopCanWaitPostsAtOnce() {
        onThread {
            let log = EventList(), handle = FileHandle(forReadingAtPath: "/dev/null")!
            let token = NotificationCenter.default.addObserver(
                forName: FileHandle.readCompletionNotification, object: handle, queue: nil
            ) { log.add("\(($0.userInfo?[NSFileHandleNotificationDataItem] as? Data)?.count ?? -1) bytes, error \($0.userInfo?["NSFileHandleError"] ?? "none")") }
            RunLoop.current.add(Port(), forMode: .default)
            handle.readInBackgroundAndNotify(in: .current)
            XCTAssert(runLoop { !log.all.isEmpty })
            XCTAssertEqual(log.all, ["0 bytes, error none"])
            NotificationCenter.default.removeObserver(token)
        }
    }

    func testAFileHandleThatIsClosedReportsTheError() {
        onThread {
            let log = EventList()
            RunLoop.current.add(Port(), forMode: .default)
            for name in [FileHandle.readCompletionNotification, .NSFileHandleReadToEndOfFileCompletion, .NSFileHandleDataAvailable] {
                let handle = FileHandle(fileDescriptor: 999, closeOnDealloc: false)
                let token = NotificationCenter.default.addObserver(forName: name, object: handle, queue: nil) { notification in
                    log.add("\(notification.userInfo?["NSFileHandleError"] as? Int == Int(EBADF))")
                }
                switch name {
                case FileHandle.readCompletionNotification: handle.readInBackgroundAndNotify(in: .current)
                case .NSFileHandleReadToEndOfFileCompletion: handle.readToEndOfFileInBackgroundAndNotify(in: .current)
                default: handle.waitForDataInBackgroundAndNotify(in: .current)
                }
                RunLoop.current.run(mode: .default, before: Date())
                NotificationCenter.default.removeObserver(token)
            }
            XCTAssertEqual(log.all, ["true", "true", "true"])
        }
    }

    /// epoll cannot wait for a regular file, and there is no need to.
    func testARegularFileIsReadAtOnce() throws {
        let path = NSTemporaryDirectory() + "FoundationAdapterTests.\(getpid())"
        try Data("contents".utf8).write(to: URL(fileURLWithPath: path))
        defer { unlink(path) }
        let handle = try XCTUnwrap(FileHandle(forReadingAtPath: path))
        onThread { [self] in
            let log = EventList()
            observing(.NSFileHandleReadToEndOfFileCompletion, handle, log) {
                RunLoop.current.add(Port(), forMode: .default)
                handle.readToEndOfFileInBackgroundAndNotify(in: .current)
                XCTAssert(runLoop { !log.all.isEmpty })
            }
            XCTAssertEqual(log.all, ["data contents"])
        }
    }

    func testALoopThatSleepsReadsARegularFileForAnotherThread() throws {
        let path = NSTemporaryDirectory() + "FoundationAdapterTests.\(getpid())"
        try Data("contents".utf8).write(to: URL(fileURLWithPath: path))
        defer { unlink(path) }
        let handle = try XCTUnwrap(FileHandle(forReadingAtPath: path)), worker = SwiftRunLoop.RunLoop.Worker(), log = EventList()
        XCTAssert(eventually { worker.loop.isWaiting })
        observing(.NSFileHandleReadToEndOfFileCompletion, handle, log) {
            handle.readToEndOfFileInBackgroundAndNotify(in: worker.loop)
            XCTAssert(eventually { log.all == ["data contents"] })
        }
        worker.stop()
    }

    // MARK: A Mac's spellings

    private func waits(
        _ name: Notification.Name, of handle: FileHandle, for action: (FileHandle) -> Void, _ cause: () -> Void
    ) -> [Notification] {
        nonisolated(unsafe) var posted: [Notification] = []
        let thread = Thread.current
        let token = NotificationCenter.default.addObserver(forName: name, object: handle, queue: nil) { notification in
            XCTAssert(Thread.current === thread, "\(name): Foundation has posted it on another thread")
            posted.append(notification)
        }
        action(handle)
        XCTAssert(RunLoop.current.run(mode: .default, before: Date()), "\(name): this loop does not wait for it")
        XCTAssertEqual(posted.count, 0)
        cause()
        XCTAssert(runLoop { !posted.isEmpty }, "\(name)")
        XCTAssertFalse(RunLoop.current.run(mode: .default, before: Date()), "nothing is left in the mode")
        NotificationCenter.default.removeObserver(token)
        return posted
    }

    /// The defect: with SwiftRunLoopFoundation these names meant Foundation's methods, which post through a loop that nobody runs.
    func testAMacsSpellingsOfAFileHandleNotifyFromThisLoop() {
        onThread { [self] in
            let pipe = Pipe(), handle = pipe.fileHandleForReading, writing = pipe.fileHandleForWriting
            func data(_ posted: [Notification]) -> Data? { posted.first?.userInfo?[NSFileHandleNotificationDataItem] as? Data }
            let available = waits(.NSFileHandleDataAvailable, of: handle, for: MacSpelling.waitForData) { writing.write(Data("x".utf8)) }
            XCTAssertEqual(available.count, 1)
            XCTAssertEqual(handle.availableData, Data("x".utf8))
            let read = waits(FileHandle.readCompletionNotification, of: handle, for: MacSpelling.read) { writing.write(Data("one".utf8)) }
            XCTAssertEqual(data(read), Data("one".utf8))
            let all = waits(.NSFileHandleReadToEndOfFileCompletion, of: handle, for: MacSpelling.readToEnd) {
                writing.write(Data("rest".utf8))
                try? writing.close()
            }
            XCTAssertEqual(data(all), Data("rest".utf8))
        }
    }

    /// A socket that listens under a name that only this process can find.
    private func listeningSocket(_ address: inout sockaddr_un) -> Int32 {
        let listening = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: [0] + Array("FoundationAdapterTests.\(getpid())".utf8)) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let bound = withUnsafePointer(to: address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listening, $0, length) } }
        XCTAssertEqual(bound, 0)
        XCTAssertEqual(listen(listening, 5), 0)
        return listening
    }

    func testAFileHandleAcceptsConnectionsFromTheLoop() {
        onThread { [self] in
            var address = sockaddr_un()
            let handle = FileHandle(fileDescriptor: listeningSocket(&address), closeOnDealloc: true)
            for _ in 0..<2 {
                var client: Int32 = -1
                do {
                    let posted = waits(.NSFileHandleConnectionAccepted, of: handle, for: MacSpelling.accept) { client = connected(to: address) }
                    let accepted = posted.first?.userInfo?[NSFileHandleNotificationFileHandleItem] as? FileHandle
                    XCTAssertEqual(write(client, "hello", 5), 5)
                    XCTAssertEqual(accepted?.availableData, Data("hello".utf8))
                    XCTAssertEqual(accepted.map { fcntl($0.fileDescriptor, F_GETFD) & FD_CLOEXEC }, FD_CLOEXEC, "no child inherits it")
                }
                var byte: UInt8 = 0
                XCTAssertEqual(read(client, &byte, 1), 0, "the connection is closed with its handle")
                close(client)
            }
        }
    }

    private func connected(to address: sockaddr_un) -> Int32 {
        let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0), length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: address) { $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(client, $0, length) } }
        XCTAssertEqual(result, 0)
        return client
    }

    /// Another handle may accept the connection first. Then this one waits for the next.
    func testAFileHandleWhoseConnectionIsGoneWaitsForTheNext() {
        onThread { [self] in
            var address = sockaddr_un()
            let listening = listeningSocket(&address)
            XCTAssertEqual(fcntl(listening, F_SETFL, O_NONBLOCK), 0)
            let handles = [listening, dup(listening)].map { FileHandle(fileDescriptor: $0, closeOnDealloc: true) }
            let accepted = Shared(0)
            let tokens = handles.map { handle in
                NotificationCenter.default.addObserver(forName: .NSFileHandleConnectionAccepted, object: handle, queue: nil) { notification in
                    XCTAssertNil(notification.userInfo?["NSFileHandleError"])
                    accepted.value += 1
                }
            }
            for handle in handles { handle.acceptConnectionInBackgroundAndNotify(in: .current) }
            let first = connected(to: address)
            XCTAssert(runLoop { accepted.value == 1 })
            RunLoop.current.run(mode: .default, before: Date()) // the other's turn
            let second = connected(to: address)
            XCTAssert(runLoop { accepted.value == 2 })
            for token in tokens { NotificationCenter.default.removeObserver(token) }
            for client in [first, second] { close(client) }
        }
    }

    // MARK: Ports

    /// As in Foundation's tests, this class does all itself, and tells of its end by the notification.
    private class PortOfItsOwn: Port, @unchecked Sendable {
        private var isStillValid = true
        override func schedule(in runLoop: RunLoop, forMode mode: RunLoop.Mode) {}
        override func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {}
        override var isValid: Bool { isStillValid }
        override func invalidate() {
            isStillValid = false
            NotificationCenter.default.post(name: Port.didBecomeInvalidNotification, object: self)
        }
    }

    func testAPortThatPostsItsOwnEndLeavesItsLoopsAtOnce() {
        onThread {
            weak var weakPort: PortOfItsOwn?
            do {
                let port = PortOfItsOwn()
                weakPort = port
                RunLoop.current.add(port, forMode: .default)
                RunLoop.current.add(port, forMode: .tracking)
                RunLoop.main.add(port, forMode: .tracking)
                port.invalidate()
            }
            XCTAssertNil(weakPort)
        }
    }

    /// It has a source of Port's, which would keep its mode from being empty.
    func testAPortThatPostsItsOwnEndTakesItsSourceAlong() {
        final class Announcing: Port, @unchecked Sendable {
            override func invalidate() { NotificationCenter.default.post(name: Port.didBecomeInvalidNotification, object: self) }
        }
        onThread {
            let posted = Shared(0)
            let token = NotificationCenter.default.addObserver(forName: Port.didBecomeInvalidNotification, object: nil, queue: nil) { _ in
                posted.value += 1
            }
            weak var weakPort: Port?
            do {
                let port = Announcing()
                weakPort = port
                RunLoop.current.add(port, forMode: .default)
            }
            XCTAssert(RunLoop.current.run(mode: .default, before: Date()))
            weakPort?.invalidate()
            XCTAssertNil(weakPort)
            XCTAssertFalse(RunLoop.current.run(mode: .default, before: Date()), "the mode is empty")
            XCTAssertEqual(posted.value, 1)
            NotificationCenter.default.removeObserver(token)
        }
    }
}
