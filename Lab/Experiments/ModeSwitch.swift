// mode-switch: a secondary thread changes the mode of its loop while "the user scrolls", in two ways that work and in one that
// does not.

import Dispatch
import SwiftRunLoop
import Synchronization

struct ModeSwitch: Experiment {
    let about = About(
        name: "mode-switch", claims: ["A3"], group: .building, seconds: 1.7,
        shows: Text("a secondary thread can switch between modes if the call that switches can arrive in both",
                    "子线程也可以切换 mode，只要负责切换的调用在两个 mode 里都能到达"),
        setting: Text("""
            A thread (Lab/Designs/ModeSwitchingThread.swift) runs its loop in the default mode, where a port keeps it \
            waiting. There is a timer in its tracking mode. When the user begins to scroll, the main thread performs a \
            call on that thread that chooses the tracking mode; when the user stops, it performs one that chooses the \
            default mode. Three threads do this, one after the other. The first gets both calls in the common modes. \
            So does the second, but it has declared the tracking mode common. The third gets the call back in the \
            tracking mode by name.
            """, """
            一个线程（Lab/Designs/ModeSwitchingThread.swift）让 RunLoop 在默认 mode 里运行，那里有一个 \
            端口让它一直等待；它的 tracking mode 里有一个 Timer。用户开始滑动时，主线程在这个线程上执行一次\
            调用，选择 tracking mode；用户停下时，再执行一次，选择默认 mode。依次有三个线程这样做。第一\
            个线程的两次调用都用 commonModes；第二个也是，但它把 tracking mode 声明成了 common mode；第三个\
            线程切换回来的那次调用，直接指定 tracking mode。
            """),
        notice: Text("""
            Each call ends the run, and the thread begins the next run in the chosen mode; from then on the timer \
            ticks. On the first thread it still ticks after the user has stopped: on a secondary thread only the \
            default mode is common, so the call back waits in a mode that the loop does not run in. The second and the \
            third thread go back and then track again. (The transcript shows the first ticks of each.)
            """, """
            每次调用都结束当前这次运行，线程随后在选定的 mode 里开始下一次运行，从这时起 Timer 触发。在第一\
            个线程上，用户停下之后 Timer 还在触发：子线程上只有默认 mode 是 common mode，切换回来的调用\
            所在的 mode，RunLoop 并没有在运行，所以一直等着。第二和第三个线程切换回来，之后又进入 tracking \
            mode。（记录里只列出各自最初几次触发。）
            """),
        correction: Text("""
            The article first says that the tracking mode does not work on secondary threads, and then corrects \
            itself: a mode is a name, and works on any thread. Which modes are common differs from loop to loop.
            """, """
            文章先说 tracking mode 在子线程上不起作用，后来又自己更正了：mode 只是一个名字，在哪个线程上都能\
            用。哪些 mode 是 common mode，则每个 RunLoop 各不相同。
            """)
    )

    private static let ticksShown = 4

    func run(_ lab: Lab) {
        lab.note("common modes")
        track(lab, tracksCommonly: false, isToFail: true)
        lab.note("tracking declared common")
        track(lab, tracksCommonly: true)
        lab.note("tracking named")
        track(lab, tracksCommonly: false, backIn: [.tracking])
        lab.note("over")

        let tick = "timer", to = "goes to tracking", back = "goes to default", begins = "begins", ends = "ends"
        let ticks = Array(repeating: tick, count: Self.ticksShown)
        lab.expect(Text("in the common modes, the call back never arrives, and the timer still ticks",
                        "用 commonModes：切换回来的调用一直没有到达，Timer 还在触发"), order: [begins, to] + ticks + [ends],
                   from: "common modes", to: "tracking declared common", among: [back])
        let thereAndBack = [begins, to] + ticks + [back, to] + ticks + [back, ends]
        lab.expect(Text("with the tracking mode declared common, the loop goes there and back twice",
                        "把 tracking mode 声明为 common mode：RunLoop 来回切换两次"), order: thereAndBack,
                   from: "tracking declared common", to: "tracking named")
        lab.expect(Text("with the tracking mode named, it does so too", "直接指定 tracking mode：也是如此"), order: thereAndBack, from: "tracking named", to: "over")
        lab.expect(Text("the timer ticks only in the tracking mode", "Timer 只在 tracking mode 里触发"), each: tick, \.mode, is: "tracking")
        lab.expect(Text("the call back is performed while the loop tracks", "RunLoop 在 tracking mode 里执行切换回来的调用"), each: back, \.mode, is: "tracking")
    }

    /// The user scrolls for a while and stops; twice, if that works.
    private func track(_ lab: Lab, tracksCommonly: Bool, backIn modes: [RunLoop.Mode] = [.common], isToFail: Bool = false) {
        let ticks = Ticks()
        let half = DispatchSemaphore(value: 0), all = DispatchSemaphore(value: 0), hasChanged = DispatchSemaphore(value: 0)
        let thread = ModeSwitchingThread(tracksCommonly: tracksCommonly, interval: lab.wait(0.08)) { event in
            switch event {
            case .begins: lab.note("begins")
            case .ends: lab.note("ends")
            case .changes(let mode):
                lab.callout(.source0, mode == .tracking ? "goes to tracking" : "goes to default")
                ticks.count.withLock { $0 = mode == .tracking ? 0 : .max } // in the pass of the change, the timer may still be due
                hasChanged.signal()
            case .timerFires:
                let tick = ticks.count.withLock { count in
                    count = min(count, Self.ticksShown) + 1
                    return count
                }
                if tick <= Self.ticksShown { lab.callout(.timer, "timer") }
                if tick == Self.ticksShown / 2 { half.signal() }
                if tick == Self.ticksShown { all.signal() }
            }
        }
        thread.name = "subThread"
        thread.start()
        for _ in 1...(isToFail ? 1 : 2) {
            lab.note("the user scrolls")
            thread.change(to: .tracking)
            wait(hasChanged)
            wait(isToFail ? half : all)
            lab.note("the user stops")
            thread.change(to: .default, performedIn: modes)
            wait(isToFail ? all : hasChanged)
        }
        thread.stop()
        lab.waitUntil { thread.isFinished }
    }

    /// How often the timer has ticked since the loop went into the tracking mode.
    private final class Ticks: Sendable {
        let count = Mutex(0)
    }

    /// Waits half a minute at most. If nothing has come by then, an expectation fails.
    private func wait(_ semaphore: DispatchSemaphore) {
        _ = semaphore.wait(timeout: .now() + 30)
    }
}
