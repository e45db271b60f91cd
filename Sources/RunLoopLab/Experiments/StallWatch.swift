// stall-watch: a monitor reports when the main loop is stuck, and where; it is not deceived by a loop that sleeps.

import Glibc
import SwiftRunLoop
import Synchronization

struct StallWatch: Experiment {
    let about = About(
        name: "stall-watch", claims: ["A5"], group: .building, seconds: 3,
        shows: "an observer and a watching thread report a stalled main loop, with its stack at that moment",
        setting: """
            A monitor (Components/StallMonitor.swift) watches the main loop with a threshold of 0.25 s. The main loop \
            sleeps for twice that time. Then a timer's callback runs the loop in another mode, where it sleeps equally \
            long. The next callbacks work for a fifth of the threshold; work for twice the threshold, in \
            decodeImage(); and wait for twice the threshold, in readFile(). At the end the loop idles for a second.
            """,
        notice: """
            The monitor reports nothing while the loop sleeps, in either mode, or while a callback stays below the \
            threshold. It reports the other two callbacks while they still run, with the stack of the main thread: \
            from the current function through the callout and the steps of the loop out to CFRunLoopRunSpecific, where \
            a run begins. The monitor costs little, because its thread is awake only while the loop is, and then only \
            a few times a second.
            """,
        correction: """
            The article's monitor takes every silence of the loop for a stall, including sleep: it reports a loop that \
            waits for the user for 200 ms. And it has only a stub in place of the stack.
            """
    )

    private static let threshold = 0.25

    func run(_ lab: Lab) {
        let long = 2 * Self.threshold, short = Self.threshold / 5
        let monitor = StallMonitor(threshold: Self.threshold) { length in
            lab.note("stall over", "after \(seconds(length))", value: length)
        } onStall: { stall in
            let mode = stall.mode == .default ? "the default mode" : "another mode"
            lab.note("stall", "in \(mode), for \(seconds(stall.duration)) so far", value: stall.duration)
            let stack = stall.stack().map(\.function)
            lab.observe("stack", stack.joined(separator: stackSeparator))
            for frame in shown(stack) { lab.note("frame", frame) }
        }
        monitor.start()

        during(lab, "sleep") { RunLoop.main.run(until: Date(timeIntervalSinceNow: long)) }
        during(lab, "nested sleep") {
            callback(lab) {
                let nested = RunLoop.Mode("nested")
                RunLoop.main.add(Port(), forMode: nested)
                RunLoop.main.run(mode: nested, before: Date(timeIntervalSinceNow: long))
            }
        }
        during(lab, "short work") { callback(lab) { decodeImage(for: short) { true } } }
        during(lab, "long work") { callback(lab) { decodeImage(for: long) { lab.times("stall") == 1 } } }
        during(lab, "long wait") { callback(lab) { readFile(for: long) { lab.times("stall") == 2 } } }

        lab.waitUntil { lab.times("stall over") == 2 && lab.times("stack") == 2 }
        let before = monitor.cost
        during(lab, "idle") { idle(for: lab.wait(1)) }
        let cost = monitor.cost
        let observing = cost.observing - before.observing, watching = cost.watching - before.watching, time = lab.wait(1)
        let shares = [observing, watching].map { seconds($0 / time * 100, unit: " %") }
        lab.note("cost", "of the time, the observers take \(shares[0]), the watching thread \(shares[1])",
                 value: (observing + watching) / time * 100)
        monitor.stop()

        lab.expect("the monitor reports no stall while the loop sleeps", "stall", times: 0, from: "sleep", to: "sleep over")
        lab.expect("it reports no stall while the loop sleeps in a nested run", "stall", times: 0, from: "nested sleep", to: "nested sleep over")
        lab.expect("it reports no stall below the threshold", "stall", times: 0, from: "short work", to: "short work over")
        lab.expect("it reports one stall while a callback works too long", order: ["long work", "stall", "long work over"],
                   from: "long work", to: "long work over")
        lab.expect("it reports one stall while a callback waits too long", order: ["long wait", "stall", "long wait over"],
                   from: "long wait", to: "long wait over")
        lab.expect("the shortest time after which a stall is reported", of: "stall", isIn: Self.threshold...10) {
            $0.values.min()
        }
        lab.expect("the shortest whole length, reported when the stall is over", of: "stall over", isIn: long - 0.05...60) { $0.values.min() }
        let loop = ["__CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__", "__CFRunLoopDoTimers", "__CFRunLoopRun",
                    "CFRunLoopRunSpecific"]
        for (index, (name, function)) in [("first", "decodeImage"), ("second", "readFile")].enumerated() {
            lab.expect("the \(name) stack leads from the loop into \(function)", of: "stack", is: [function] + loop) { stacks in
                stacks.count == 2 ? found([function] + loop, in: frames(of: stacks[index])) : []
            }
        }
        lab.expect("the monitor's cost while the loop ticks 20 times a second", of: "cost", isIn: 0...5, unit: "% of a processor") {
            $0.values.first
        }
    }

    // MARK: - What the main loop does

    private func during(_ lab: Lab, _ name: String, _ body: () -> Void) {
        lab.note(name)
        body()
        lab.note("\(name) over")
    }

    /// Makes the main loop call `body` from a timer.
    private func callback(_ lab: Lab, _ body: @escaping () -> Void) {
        nonisolated(unsafe) let body = body // it stays on this thread
        nonisolated(unsafe) var isDone = false
        RunLoop.main.perform(afterDelay: 0) {
            body()
            isDone = true
        }
        lab.runMain { isDone }
    }

    private func idle(for time: Double) {
        let timer = Timer.scheduledTimer(withTimeInterval: 0.05, repeats: true) { _ in }
        RunLoop.main.run(until: Date(timeIntervalSinceNow: time))
        timer.invalidate()
    }

    // MARK: - What the stacks show

    /// The frames from the callback's own function out to the loop. The frames further in differ from moment to moment.
    private func shown(_ stack: [String]) -> ArraySlice<String> {
        let start = stack.firstIndex { $0.hasPrefix("decodeImage") || $0.hasPrefix("readFile") } ?? 0
        let end = stack.lastIndex(of: "CFRunLoopRunSpecific") ?? stack.count - 1
        return start <= end ? stack[start...end].filter { !$0.hasPrefix("closure") }[...] : []
    }

    private func frames(of event: Event) -> [String] { event.detail.split(separator: stackSeparator).map(String.init) }

    /// The names that begin a frame, in the order of the frames.
    private func found(_ names: [String], in stack: [String]) -> [String] {
        stack.compactMap { frame in names.first { frame == $0 || frame.hasPrefix($0 + "(") } }
    }
}

/// Computes for at least `time`, and until `hasHappened`; half a minute at most.
@inline(never)
private func decodeImage(for time: Double, and hasHappened: () -> Bool) {
    let start = now()
    var pixel = 1.0
    while now() < start + time || !hasHappened() && now() < start + 30 {
        pixel = (pixel * 1.000001).truncatingRemainder(dividingBy: 255)
    }
    withExtendedLifetime(pixel) {}
}

/// Waits in system calls for as long.
@inline(never)
private func readFile(for time: Double, and hasHappened: () -> Bool) {
    let start = now()
    repeat { Thread.sleep(forTimeInterval: time) } while !hasHappened() && now() < start + 30
    withExtendedLifetime(time) {}
}
