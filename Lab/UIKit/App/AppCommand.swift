// AppCommand.swift: `RunLoopLab app`: an application at the terminal, or played from a recording.

import Glibc
import SwiftRunLoop
import Synchronization

/// Runs the application. At a terminal it takes the whole screen; otherwise it plays a recording, and prints the screen when something changes.
final class AppCommand: Sendable {
    private let input: EventInput
    /// The screen at first.
    private let screen: AppScreen
    private let speed: Double
    private let server = EventServer()
    private let isOver = Mutex(false)
    private let frames = Counter()
    private let start = now()

    init(_ input: EventInput, isFast: Bool) {
        self.input = input
        speed = isFast ? 2.5 : 1
        let size = input.screen
        screen = AppScreen(columns: size.columns, rows: size.rows)
    }

    /// Returns when the user has pressed q, Ctrl-C or Ctrl-D, or when the recording has ended.
    @MainActor
    func run() -> Int32 {
        let app = ScrollingApp(port: server.port, screen: screen)
        nonisolated(unsafe) let shared = app // other threads use only its mutexes
        switch input {
        case .terminal(let terminal):
            terminal.takeOver(withScreen: true)
            startThread("events") { [self] in serve(terminal) }
            startThread("screen") { [self] in
                while paint(shared) { usleep(50_000) }
            }
        case .recording(let recording, let name):
            put(Text("No terminal: plays \(name), and prints the screen whenever the mode changes, images have arrived, or the main thread stalls.",
                     "没有终端：播放录制（\(name)），在 mode 变化、图片到齐、主线程卡住时打印画面。").description + "\n")
            startThread("events") { [self] in play(recording, shared) }
            startThread("screen") { [self] in printChanges(of: shared) }
        }
        app.run()
        isOver.withLock { $0 = true } // nothing is painted from here on
        if case .terminal = input { Terminal.restore() }
        let state = app.state.withLock { $0 }
        put((isRecording ? "\n" : "") + summary(state))
        return 0
    }

    private var isRecording: Bool { if case .recording = input { true } else { false } }

    private func summary(_ state: AppState) -> String {
        Text("""
            In \(decimals(now() - start, 1)) s: ticks in the default mode \(state.ticks.default), in the common modes \(state.ticks.common), by GCD \(state.ticks.gcd); \
            images shown \(state.images.shown).
            """, "\(decimals(now() - start, 1)) 秒里：默认 mode 的时钟 \(state.ticks.default) 次，common modes \(state.ticks.common) 次，GCD \(state.ticks.gcd) 次；显示了 \(state.images.shown) 张图片。").description + "\n"
    }

    private func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.name = name
        thread.start()
    }

    // MARK: - Events

    private func serve(_ terminal: Terminal) {
        var parser = TerminalParser(), drag = KeyDrag(screen), end: UInt8?
        func send(_ event: InputEvent) { drag.events(for: event, at: now()).forEach(server.send) }
        func sendSize() {
            let size = terminal.size
            if AppScreen(columns: size.columns, rows: size.rows) != drag.screen { send(.size(columns: size.columns, rows: size.rows)) }
        }
        sendSize() // the user may have resized the terminal before its signal was watched
        while end == nil {
            var events: [InputEvent] = []
            switch terminal.read(patience: parser.isWaiting ? 50 : drag.isDown ? 100 : -1) {
            case .bytes(let bytes): (events, end) = parser.parseUntilTheEnd(bytes)
            case .nothing: events = parser.pause()
            case .anotherSize: sendSize()
            case .closed: return server.close()
            }
            events.forEach(send)
            drag.pause(at: now()).forEach(server.send)
        }
        server.close()
    }

    /// Sends each event at its time, but not before the application is done with the one before it and sleeps again.
    private func play(_ recording: EventFile, _ app: ScrollingApp) {
        var drag = KeyDrag(screen), sent = 0
        func send(_ events: [InputEvent]) {
            for event in events {
                server.send(event)
                sent += 1
                while app.handled.value < sent || !RunLoop.main.isWaiting {
                    if isOver.withLock({ $0 }) { return }
                    usleep(1000)
                }
            }
        }
        func wait(until time: Double) {
            while now() < time {
                usleep(2000)
                send(drag.pause(at: now()))
            }
        }
        while !app.isLaunched.withLock({ $0 }) || !RunLoop.main.isWaiting { usleep(1000) }
        let start = now()
        for entry in recording.entries {
            wait(until: start + Double(entry.time) / 1000 / speed)
            send(drag.events(for: entry.event, at: now()))
        }
        wait(until: now() + 0.8) // the list comes to rest, and images arrive
        server.close()
    }

    // MARK: - The screen

    /// Returns false when the application has ended.
    private func paint(_ app: ScrollingApp) -> Bool {
        guard let loop = LoopSnapshot.ofAllLoops().first else { return true }
        let state = app.state.withLock { $0 }
        let size = input.screen // the main thread may not have handled the newest size yet
        let lines = state.screen.lines(state, loop).prefix(size.rows).map { AppScreen.fit($0, size.columns) }
        return isOver.withLock { isOver in
            if !isOver { put("\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + (lines.count < size.rows ? "\u{1B}[J" : "")) }
            return !isOver
        }
    }

    /// Without a terminal: prints the screen when the mode has changed, when images have arrived, when a stall begins and ends, and when the recording
    /// gives the screen another size.
    private func printChanges(of app: ScrollingApp) {
        var printed = "", seen = "", since = now(), size: AppScreen?
        while !isOver.withLock({ $0 }) {
            usleep(5000)
            guard app.isLaunched.withLock({ $0 }), let loop = LoopSnapshot.ofAllLoops().first else { continue }
            let state = app.state.withLock { $0 }, mode = shortModeName(loop.mode)
            if state.commits == 0 || !["default", "tracking"].contains(mode) { continue }
            let stall = state.stall.map { $0.isOver ? Text("the stall is over", "卡顿结束") : Text("the main thread stalls", "主线程卡住") }
            let images = mode == "tracking"
                ? state.images.waiting > 0 && state.deferrable.done < state.deferrable.asked
                    ? Text("the list is dragged; images and work wait", "正在拖动列表，图片和任务在等待") : Text("the list is dragged", "正在拖动列表")
                : state.images.shown == state.urgent.asked ? Text("all images are shown", "图片都已显示") : Text("images are missing", "有图片未显示")
            let what = Text("\(mode) mode; \(images)\(stall.map { "; \($0)" } ?? "")", "\(mode) mode；\(images)\(stall.map { "；\($0)" } ?? "")")
            if state.screen != size { (size, printed) = (state.screen, "") }
            if what.description != seen { (seen, since) = (what.description, now()) }
            guard seen != printed, now() > since + 0.03 else { continue }
            printed = seen
            isOver.withLock { if !$0 { show(app, what) } }
        }
    }

    private func show(_ app: ScrollingApp, _ what: Text) {
        guard let loop = LoopSnapshot.ofAllLoops().first else { return }
        let state = app.state.withLock { $0 }, lines = state.screen.lines(state, loop)
        put("\n[\(frames.add()), \(decimals(now() - start, 2)) s: \(what)]\n" + lines.joined(separator: "\n") + "\n")
    }

    /// A closed pipe ends the program.
    private func put(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count >= 0 { bytes = bytes.dropFirst(count) }
            else if errno == EPIPE { exit(128 + SIGPIPE) }
            else if errno != EINTR && errno != EAGAIN { return }
        }
    }
}

/// Makes a drag of the keys up and down: the finger is put down with the first of them, moves a row with each, and is lifted when no key has come
/// for a while.
struct KeyDrag {
    private(set) var screen: AppScreen
    private var row: Int?
    private var last = 0.0
    private static let patience = 0.4

    init(_ screen: AppScreen) {
        self.screen = screen
    }

    var isDown: Bool { row != nil }

    /// The events in place of one.
    mutating func events(for event: InputEvent, at time: Double) -> [InputEvent] {
        if case .size(let columns, let rows) = event {
            let events = lift() + [event] // from rows of the old screen to those of the new one would be a jump
            screen = AppScreen(columns: columns, rows: rows)
            return events
        }
        guard event == .key("up") || event == .key("down") else { return lift() + [event] }
        last = time
        let step = event == .key("down") ? -1 : 1 // the key down shows what is further down: the finger moves up
        var events: [InputEvent] = []
        if let row, !screen.listRows.contains(row + step) { events += lift() }
        if row == nil {
            row = step < 0 ? screen.listRows.upperBound : screen.listRows.lowerBound
            events.append(touch(.down))
        }
        row! += step
        return events + [touch(.move)]
    }

    /// Lifts the finger if no key has come for a while.
    mutating func pause(at time: Double) -> [InputEvent] { time > last + Self.patience ? lift() : [] }

    private mutating func lift() -> [InputEvent] {
        guard isDown else { return [] }
        defer { row = nil }
        return [touch(.up)]
    }

    private func touch(_ phase: TouchPhase) -> InputEvent { .touch(phase, column: max(1, screen.listWidth / 2), row: row!) }
}
