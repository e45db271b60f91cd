// first-touch: from the start of the process to the first touch, and what follows.

import SwiftRunLoop
import Synchronization

struct FirstTouch: Program {
    let about = About(
        name: "first-touch", claims: ["A11", "I3", "O5", "S8"], group: .building,
        title: Text("main, the application object and its main loop; a touch, from a Source1 to a Source0 to a view",
                    "main 函数、应用对象和主线程的 RunLoop；一次触摸，从 Source1 到 Source0，再到视图"),
        setting: Text("""
            A small application (Lab/UIKit/Application.swift) starts. Its application object puts into the main loop \
            what an iOS application has there, launches in a mode of its own, and runs the loop. The left half of its \
            window is a button, the right half is a list that you can drag. Another thread stands for the system and \
            sends events through a socket: a tap on the button, a drag of the list, and another tap.
            """, """
            启动一个小应用（Lab/UIKit/Application.swift）。应用对象在主线程的 RunLoop 里放进 iOS 应用所有的\
            那些东西，在单独的 mode 里完成启动，然后运行 RunLoop。窗口左半边是一个按钮，右半边是可以拖动的列\
            表。另一个线程扮演系统，通过 socket 发送事件：点击按钮，拖动列表，再点击一次。
            """),
        notice: Text("""
            The Source1 only takes the event from its port and signals a Source0. The Source0 finds the view that was \
            hit. An observer reports the gesture that was recognised when the loop is about to sleep; then changed \
            layers are committed and the autorelease pool is drained. While the user drags the list, the loop runs in \
            the tracking mode: the run in the default mode has ended, and another one begins when the finger is \
            lifted.
            """, """
            Source1 只从端口取出事件，并把 Source0 标记为待处理；命中的视图由 Source0 找到。RunLoop 即将休\
            眠时，一个 Observer 报告识别出的手势，然后提交改动过的图层，清空自动释放池。用户拖动列表时，\
            RunLoop 在 tracking mode 里运行：默认 mode 里的那次运行已经结束，手指抬起后才开始下一次。
            """),
        correction: Text("""
            One article counts touches among the Source0 events. They are handled by a Source0, but a Source0 has no \
            port, and a touch has to wake the loop: it arrives through a Source1.
            """, """
            有一篇文章把触摸归为 Source0 事件。触摸确实由 Source0 处理，但 Source0 没有端口，而触摸必须能唤\
            醒 RunLoop，所以它是经由 Source1 到来的。
            """),
        seconds: 1
    )

    /// What the user does on a screen of 80 columns, whose middle is between the button and the list.
    private static let script: [(time: Double, event: InputEvent)] = [
        (0.10, InputEvent(.down, column: 10, row: 6)), (0.18, InputEvent(.up, column: 10, row: 6)),
        (0.50, InputEvent(.down, column: 60, row: 18)), // the first move makes it a drag
        (0.54, InputEvent(.move, column: 60, row: 16)), (0.58, InputEvent(.move, column: 60, row: 13)), (0.62, InputEvent(.move, column: 60, row: 9)),
        (0.68, InputEvent(.up, column: 60, row: 9)),
        (0.80, InputEvent(.down, column: 12, row: 7)), (0.86, InputEvent(.up, column: 12, row: 7)), // the loop is back in the default mode
    ]

    @inline(never)
    func run() {
        lab.note("main")
        let server = EventServer(), progress = Progress()
        let application = application(server.port, progress)
        lab.watch(.main, .common, [.entry, .beforeWaiting, .exit])
        let system = lab.startThread("system") { serve(server, progress) }
        application.run()
        lab.note("terminated")
        LayerTransaction.current.end()
        lab.waitUntil { system.isFinished }
    }

    // MARK: - The application

    private func application(_ port: Int32, _ progress: Progress) -> Application {
        nonisolated(unsafe) weak var application: Application?
        let window = FirstTouchWindow { view in
            lab.callout(.observer, "tap", "on \(view)")
        } scrolled: { state in
            lab.callout(.observer, "drag", "\(state)")
            if state == .began { application?.pushMode(.tracking) } else if state == .ended { application?.popMode() }
            progress.state.withLock { $0.mode = state == .ended ? .default : .tracking }
        }
        let made = Application(window: window, port: port)
        application = made
        lab.note("application object")
        made.didFinishLaunching = {
            lab.callout(.block, "did finish launching")
            progress.state.withLock { $0.isLaunched = true }
        }
        made.willReceive = { lab.callout(.source1, "event arrives", "\($0)") }
        made.willHandle = { _ in
            lab.callout(.source0, "event queue")
            AutoreleasePool.autorelease(Temporary { lab.note("event object is released") })
        }
        made.didHandle = { _ in progress.state.withLock { $0.handled += 1 } }
        LayerTransaction.current.begin { layers, activity in
            lab.activity(activity, "commit", layers.map { $0.contents.joined() }.joined(separator: ", "))
        }
        return made
    }

    // MARK: - The system

    /// How far the application has come. The system's thread looks at this before it sends the next event.
    private final class Progress: Sendable {
        let state = Mutex((isLaunched: false, handled: 0, mode: RunLoop.Mode.default))

        /// Whether the application has handled that many events and its loop sleeps again, in the mode that the last event asks for.
        func isDone(with events: Int) -> Bool {
            let now = state.withLock { $0 }
            return now.isLaunched && now.handled == events && RunLoop.main.currentMode == now.mode && RunLoop.main.isWaiting
        }
    }

    /// Sends each event at its time, but not before the application is done with the one before it: so it has the same effect on a busy machine.
    private func serve(_ server: EventServer, _ progress: Progress) {
        let start = now()
        for (number, (time, event)) in Self.script.enumerated() {
            lab.waitUntil { progress.isDone(with: number) && now() >= start + lab.wait(time) }
            lab.note(event.phase == .down ? "sends a touch" : "sends", "\(event)")
            server.send(event)
        }
        lab.waitUntil { progress.isDone(with: Self.script.count) }
        server.close()
    }

    // MARK: - What is expected

    func judge() {
        lab.expect(Text("the application object is created first, then it launches, then events arrive",
                        "先创建应用对象，再完成启动，然后事件到来"),
                   order: ["main", "application object", "did finish launching", "event arrives"], to: "event arrives")
        lab.expect(Text("the application launches in a mode of its own", "应用在单独的 mode 里启动"), each: "did finish launching", \.mode, is: "UIInitializationRunLoopMode")
        let modes = [RunLoop.Mode.default, .tracking, .initialization, .eventReceive]
        for mode in modes where RunLoop.main.allModes.contains(mode) { lab.observe("mode of the loop", mode.rawValue) }
        lab.expect(Text("the loop has the four modes of an application (kCFRunLoopCommonModes, the fifth name, is not a mode)",
                        "RunLoop 有应用的四个 mode（第五个名字 kCFRunLoopCommonModes 不是 mode）"),
                   of: "mode of the loop", is: modes.map(\.rawValue)) { $0.map(\.detail) }
        lab.expect(Text("an event arrives at a Source1", "事件经由 Source1 到来"), each: "event arrives", \.kind, is: "Source1")
        lab.expect(Text("an event is handled by a Source0", "事件由 Source0 处理"), each: "event queue", \.kind, is: "Source0")
        expectFirstTouch()
        lab.expect(Text("a tap is reported when the loop is about to sleep; then changes are committed", "RunLoop 即将休眠时报告点击，然后提交改动"),
                   order: ["touch ended", "BeforeWaiting", "tap", "commit"], from: "touch ended", to: "commit",
                   among: ["event object is released"])
        lab.expect(Text("the loop changes to the tracking mode when the user drags the list",
                        "用户拖动列表时，RunLoop 切换到 tracking mode"), order: ["drag", "Exit", "Entry"], from: "drag", to: "Entry")
    }

    private func expectFirstTouch() {
        lab.expect(Text("the first touch goes from the port to the queue, the hit test and the view",
                        "第一次触摸从端口到事件队列，再到命中测试和视图"),
                   order: ["event arrives", "event queue", "hit test", "touch began"], from: "sends a touch", to: "touch began",
                   among: ["tap"])
        lab.expect(Text("its changes are committed when the loop is about to sleep, and then the pool is drained",
                        "RunLoop 即将休眠时提交它的改动，然后清空自动释放池"),
                   order: ["touch began", "BeforeWaiting", "commit", "event object is released"],
                   from: "touch began", to: "event object is released")
        let way = ["Application.handleEventQueue", "__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__",
                   "__CFRunLoopDoSources0", "__CFRunLoopRun", "CFRunLoopRunSpecific", "CFRunLoopRunInMode",
                   "Application.runMainLoop", "Application.run", "main"]
        for frame in TouchedView.firstStack { lab.observe("frame of the touch", frame) }
        lab.expect(Text("the stack of the touch leads from main to the view", "触摸的调用栈从 main 一直到视图"), of: "frame of the touch", is: way) { frames in
            frames.compactMap { frame in way.first { frame.detail == $0 || frame.detail.hasPrefix($0 + "(") } }
        }
    }
}
