// Stage.swift: an application with one view controller, and a user who follows a script.

import Glibc
import SwiftRunLoop
import Synchronization

/// What the user of a demo does.
enum UserAction: Sendable {
    /// Puts the finger down and lifts it, on this column and row of the screen.
    case tap(column: Int, row: Int)
    /// Puts the finger down and moves it row by row, without lifting it.
    case drag(column: Int, from: Int, to: Int)
    /// Moves the finger on, row by row, to this row.
    case move(to: Int)
    /// Lifts the finger where it is.
    case lift
    /// Waits; shorter with `--fast`.
    case wait(seconds: Double)
    /// Waits until so many lines with this text have been logged; at most half a minute.
    case waitForLine(String, times: Int = 1)
    /// Waits until this holds; at most half a minute.
    case until(@Sendable () -> Bool)
    /// Records that the script has come here.
    case note(String)
    /// Does something else, on the user's thread.
    case other(@Sendable () -> Void)
}

/// Runs an application whose window shows one view controller, until the user has followed the script.
enum Stage {
    /// - Parameters:
    ///   - make: makes the controller, on the main thread, when the application has launched. The stage releases it at the end.
    ///   - script: what the user does. Each event is sent when the application has handled the one before it, and its loop sleeps again.
    static func run(_ make: @autoclosure @escaping @Sendable () -> UIViewController, script: [UserAction]) {
        let server = EventServer(), progress = Progress()
        let window = View("the window", columns: 1...InputEvent.screenLimit, rows: 1...InputEvent.screenLimit)
        let application = Application(window: window, port: server.port)
        nonisolated(unsafe) var controller: UIViewController?
        nonisolated(unsafe) let shown = window // on the main thread alone
        application.didFinishLaunching = {
            let made = make()
            shown.subviews = [made.view]
            made.viewDidLoad()
            controller = made
            progress.isLaunched.withLock { $0 = true }
        }
        application.didHandle = { _ in _ = progress.handled.add() }
        let user = lab.startThread("user") { play(script, server, progress) }
        application.run()
        controller?.viewWillDisappear()
        window.subviews = []
        controller = nil
        lab.waitUntil { user.isFinished }
    }

    private final class Progress: Sendable {
        let isLaunched = Mutex(false)
        let handled = Counter()
    }

    private static func play(_ script: [UserAction], _ server: EventServer, _ progress: Progress) {
        var sent = 0, finger = (column: 1, row: 1)
        func send(_ phase: TouchPhase) {
            if phase == .down { lab.observe("finger down") }
            server.send(InputEvent(phase, column: finger.column, row: finger.row))
            sent += 1
            if phase == .up { lab.observe("finger up") }
            while progress.handled.value < sent || !RunLoop.main.isWaiting { usleep(500) }
        }
        func move(to end: Int) {
            for row in stride(from: finger.row, through: end, by: finger.row < end ? 1 : -1).dropFirst() {
                finger.row = row
                send(.move)
            }
        }
        while !progress.isLaunched.withLock({ $0 }) || !RunLoop.main.isWaiting { usleep(500) }
        for action in script {
            switch action {
            case .tap(let column, let row):
                finger = (column, row)
                send(.down)
                send(.up)
            case .drag(let column, let from, let to):
                finger = (column, from)
                send(.down)
                move(to: to)
            case .move(let row): move(to: row)
            case .lift: send(.up)
            case .wait(let seconds): usleep(useconds_t(lab.wait(seconds) * 1e6))
            case .waitForLine(let text, let times): lab.waitForLine(text, times: times)
            case .until(let condition): lab.waitUntil(condition)
            case .note(let name): lab.note(name)
            case .other(let act): act()
            }
        }
        server.close()
    }
}

/// A controller whose view shows a list, and which records when the list has come to rest.
class ListController: UIViewController, ScrollViewDelegate, @unchecked Sendable {
    override func viewDidLoad() {
        super.viewDidLoad()
        let list = ScrollView("list", columns: 1...60, rows: 1...24, contentHeight: 200)
        list.delegate = self
        view.subviews = [list]
    }

    func scrollViewDidEndDecelerating(_ scrollView: ScrollView) { lab.note("rests") }
}
