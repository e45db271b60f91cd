// first-touch: from the start of the process to the first touch, and what comes after.

import SwiftRunLoop
import Synchronization

struct FirstTouch: Experiment, ReadsEvents {
    let about = About(
        name: "first-touch", claims: ["A11", "I3", "O5", "S8"], group: .building, seconds: 1,
        shows: "main, the application object and its main loop; a touch, from a source 1 to a source 0 to a view",
        setting: """
            A small application (Components/Application.swift) starts: its object puts into the main loop what an iOS \
            application has there, launches in a mode of its own, and runs the loop. The left of its window is a button, the \
            right a list that can be dragged; keys go to a text. Another thread stands for the system, and sends events \
            through a socket. They come from the terminal, with the mouse as the finger (press and drag; Ctrl-D ends it); or \
            from a recording (--events FILE, or standard input); or, without either, from one that is built in.
            """,
        notice: """
            The source 1 only takes the event from its port, and signals a source 0, which finds the view that was hit. What a \
            gesture has become is told later, by an observer, when the loop is about to sleep; then changed layers are \
            committed, and the pool is emptied. While the list is dragged, the loop runs in the tracking mode: the run in the \
            default mode has ended, and another begins when the finger is lifted.
            """,
        correction: """
            One article counts touches among the sources 0. They end there; but a source 0 has no port, and a touch has to \
            wake the loop: it comes in by a source 1.
            """
    )

    /// The file that was named on the command line, if any.
    var input: EventInput?

    func reading(_ file: String) -> FirstTouch {
        FirstTouch(input: EventInput(file: file))
    }

    @inline(never)
    func run(_ lab: Lab) {
        lab.note("main")
        let input = self.input ?? EventInput(), server = EventServer(), progress = Progress()
        let application = application(lab, input.screen, server.port, progress)
        lab.watch(.main, .common, [.entry, .beforeWaiting, .exit])
        let system = lab.startThread("system") { serve(lab, input, server, progress) }
        application.run()
        lab.note("terminated")
        LayerTransaction.current.end()
        lab.waitUntil { system.isFinished }
        expect(lab)
    }

    // MARK: - The application

    private func application(_ lab: Lab, _ screen: (columns: Int, rows: Int), _ port: Int32, _ progress: Progress) -> Application {
        nonisolated(unsafe) weak var application: Application?
        let window = FirstTouchWindow(lab, screen) { view in
            lab.callout(.observer, "tap", "\(view) is told")
        } scrolled: { state in
            lab.callout(.observer, "drag", "\(state)")
            if state == .began { application?.pushMode(.tracking) } else if state == .ended { application?.popMode() }
            progress.state.withLock { $0.mode = state == .ended ? .default : .tracking }
        }
        let made = Application(window: window, port: port)
        application = made
        lab.note("application object")
        made.firstResponder = window.text
        made.didFinishLaunching = {
            lab.callout(.block, "did finish launching")
            progress.state.withLock { $0.isLaunched = true }
        }
        made.willReceive = { lab.callout(.source1, "event arrives", "\($0)") }
        made.willHandle = { _ in
            lab.callout(.source0, "event queue")
            AutoreleasePool.autorelease(Temporary { lab.note("event object goes") })
        }
        made.didHandle = { _ in progress.state.withLock { $0.handled += 1 } }
        LayerTransaction.current.begin { layers, activity in
            lab.activity(activity, "commit", layers.map { $0.contents.joined() }.joined(separator: ", "))
        }
        return made
    }

    // MARK: - The system

    /// How far the application is: what the system's thread looks at before it sends the next recorded event.
    private final class Progress: Sendable {
        let state = Mutex((isLaunched: false, handled: 0, mode: RunLoop.Mode.default))

        /// Whether so many events have been handled, and the loop sleeps again, in the mode in which it is to be by then.
        func isDone(with events: Int) -> Bool {
            let now = state.withLock { $0 }
            return now.isLaunched && now.handled == events && RunLoop.main.currentMode == now.mode && RunLoop.main.isWaiting
        }
    }

    private func serve(_ lab: Lab, _ input: EventInput, _ server: EventServer, _ progress: Progress) {
        let willSend = { (event: InputEvent) -> Void in
            if case .touch(.down, _, _) = event { lab.note("sends a touch", "\(event)") } else { lab.note("sends", "\(event)") }
        }
        switch input {
        case .recording(let file, let name):
            lab.note("plays", name)
            server.play(file, speed: lab.isFast ? 2.5 : 1, isDone: progress.isDone, willSend: willSend)
        case .terminal(let terminal):
            lab.note("waits for keys and the mouse", "until Ctrl-D")
            terminal.takeOver()
            server.serve(terminal, willSend: willSend)
            Terminal.restore()
        }
    }

    // MARK: - What is expected

    /// Of events from the terminal, too: what has not been done there is not asked for.
    private func expect(_ lab: Lab) {
        lab.expect("first the object, then the launch, then events",
                   order: ["main", "application object", "did finish launching", "event arrives"], to: "event arrives")
        lab.expect("the launch has a mode of its own", each: "did finish launching", \.mode, is: "UIInitializationRunLoopMode")
        let modes = [RunLoop.Mode.default, .tracking, .initialization, .eventReceive]
        for mode in modes where RunLoop.main.allModes.contains(mode) { lab.observe("mode of the loop", mode.rawValue) }
        lab.expect("the loop has an application's four modes (the fifth name is the placeholder of the common ones)",
                   of: "mode of the loop", is: modes.map(\.rawValue)) { $0.map(\.detail) }
        lab.expect("an event arrives at a source 1", each: "event arrives", \.kind, is: "source 1")
        lab.expect("and is handled by a source 0", each: "event queue", \.kind, is: "source 0")
        if lab.times("touch began") > 0 { expectFirstTouch(lab) }
        if lab.times("touch ended") > 0 {
            lab.expect("a tap is told when the loop is about to sleep; then what has changed is committed",
                       order: ["touch ended", "BeforeWaiting", "tap", "commit"], from: "touch ended", to: "commit",
                       among: ["event object goes"])
        }
        if lab.times("touch cancelled") > 0 {
            lab.expect("a list is dragged in the tracking mode", order: ["drag", "Exit", "Entry"], from: "drag", to: "Entry")
        }
    }

    private func expectFirstTouch(_ lab: Lab) {
        lab.expect("the first touch: port, queue, hit test, the view",
                   order: ["event arrives", "event queue", "hit test", "touch began"], from: "sends a touch", to: "touch began",
                   among: ["tap"])
        lab.expect("what it changes is committed when the loop is about to sleep, and then what was autoreleased goes",
                   order: ["touch began", "BeforeWaiting", "commit", "event object goes"],
                   from: "touch began", to: "event object goes")
        let way = ["Application.handleEventQueue", "__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__",
                   "__CFRunLoopDoSources0", "__CFRunLoopRun", "CFRunLoopRunSpecific", "CFRunLoopRunInMode",
                   "Application.runMainLoop", "Application.run", "main"]
        for frame in TouchedView.firstStack { lab.observe("frame of the touch", frame) }
        lab.expect("its stack leads from main to the view", of: "frame of the touch", is: way) { frames in
            frames.compactMap { frame in way.first { frame.detail == $0 || frame.detail.hasPrefix($0 + "(") } }
        }
    }
}
