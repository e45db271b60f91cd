// mode-switch: a secondary thread changes the mode of its loop while "the user scrolls", in two ways that work and in one that
// does not.

import Dispatch
import SwiftRunLoop
import Synchronization

struct ModeSwitch: Experiment {
    let about = About(
        name: "mode-switch", claims: ["A3"], group: .building, seconds: 1.7,
        shows: "a secondary thread can switch between modes if the call that switches can arrive in both",
        setting: """
            A thread (Components/ModeSwitchingThread.swift) runs its loop in the default mode, where a port keeps it \
            waiting. There is a timer in its tracking mode. When the user begins to scroll, the main thread performs a \
            call on that thread that chooses the tracking mode; when the user stops, it performs one that chooses the \
            default mode. Three threads do this, one after the other. The first gets both calls in the common modes. \
            So does the second, but it has declared the tracking mode common. The third gets the call back in the \
            tracking mode by name.
            """,
        notice: """
            Each call ends the run, and the thread begins the next run in the chosen mode; from then on the timer \
            ticks. On the first thread it still ticks after the user has stopped: on a secondary thread only the \
            default mode is common, so the call back waits in a mode that the loop does not run in. The second and the \
            third thread go back and then track again. (The transcript shows the first ticks of each.)
            """,
        correction: """
            The article first says that the tracking mode does not work on secondary threads, and then corrects \
            itself: a mode is a name, and works on any thread. Which modes are common differs from loop to loop.
            """
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
        lab.expect("in the common modes, the call back never arrives, and the timer still ticks", order: [begins, to] + ticks + [ends],
                   from: "common modes", to: "tracking declared common", among: [back])
        let thereAndBack = [begins, to] + ticks + [back, to] + ticks + [back, ends]
        lab.expect("with the tracking mode declared common, the loop goes there and back twice", order: thereAndBack,
                   from: "tracking declared common", to: "tracking named")
        lab.expect("with the tracking mode named, it does so too", order: thereAndBack, from: "tracking named", to: "over")
        lab.expect("the timer ticks only in the tracking mode", each: tick, \.mode, is: "tracking")
        lab.expect("the call back is performed while the loop tracks", each: back, \.mode, is: "tracking")
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
