// callouts: a loop calls everything through one of six functions, and the stack shows the step.

import Dispatch
import Glibc
import SwiftRunLoop

struct Callouts: Experiment {
    let about = About(
        name: "callouts", claims: ["X2", "X3"], group: .run, seconds: 0.2,
        shows: "a loop calls everything through one of six functions; the stack shows the step",
        setting: """
            The main loop has one of each: an observer of Entry, a block, a Source0, a Source1 on a pipe, a timer, and \
            work on the main dispatch queue. Each callback records its stack, from the callout out to \
            CFRunLoopRunSpecific. A debugger shows the same frames.
            """,
        notice: """
            There are six callout functions, and the name of each says what it calls. Each is called by the function \
            that carries out its step. Entry and Exit are sent from CFRunLoopRunSpecific; every other callout stands \
            above __CFRunLoopRun.
            """
    )

    func run(_ lab: Lab) {
        var ends: [Int32] = [0, 0]
        pipe(&ends)
        let (readEnd, writeEnd) = (ends[0], ends[1]), loop = RunLoop.main

        loop.add(RunLoop.Observer(activities: .entry) { _, _ in called(.observer, lab) }, forMode: .default)
        lab.watch(loop, .default, .beforeSources)
        loop.perform { called(.block, lab) }
        let source0 = RunLoop.Source { called(.source0, lab) }
        let source1 = RunLoop.DescriptorSource(fileDescriptor: readEnd) {
            called(.source1, lab)
            close(writeEnd)
            RunLoop.main.stop()
        }
        loop.add(source0, forMode: .default)
        loop.add(source1, forMode: .default)
        source0.signal()
        loop.add(RunLoop.Observer(activities: .beforeWaiting, repeats: false) { _, _ in // fires when the loop is asleep or about to sleep
            RunLoop.main.add(Timer(timeInterval: 0.02, repeats: false) { _ in
                called(.timer, lab)
                DispatchQueue.main.async {
                    called(.mainQueue, lab)
                    write(writeEnd, "x", 1)
                }
            }, forMode: .default)
        }, forMode: .default)
        loop.runUntilStopped()

        let expected: KeyValuePairs<Callout, [String]> = [
            .observer: ["CALLING_OUT_TO_AN_OBSERVER_CALLBACK_FUNCTION", "__CFRunLoopDoObservers"],
            .block: ["CALLING_OUT_TO_A_BLOCK", "__CFRunLoopDoBlocks", "__CFRunLoopRun"],
            .source0: ["CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION", "__CFRunLoopDoSource0", "__CFRunLoopDoSources0",
                       "__CFRunLoopRun"],
            .timer: ["CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION", "__CFRunLoopDoTimer", "__CFRunLoopDoTimers", "__CFRunLoopRun"],
            .mainQueue: ["SERVICING_THE_MAIN_DISPATCH_QUEUE", "__CFRunLoopRun"],
            .source1: ["CALLING_OUT_TO_A_SOURCE1_PERFORM_FUNCTION", "__CFRunLoopDoSource1", "__CFRunLoopRun"],
        ]
        lab.expect("all six are called", order: expected.map { "\($0.key.rawValue) called" })
        for (kind, frames) in expected where canReadStacks {
            let all = ["__CFRUNLOOP_IS_\(frames[0])__"] + frames.dropFirst() + ["CFRunLoopRunSpecific"]
            lab.expect("\(kind.rawValue): the frames of its stack", each: "\(kind.rawValue) called", \.detail,
                       is: all.joined(separator: stackSeparator))
        }
    }

    @inline(never)
    private func called(_ callout: Callout, _ lab: Lab) {
        let frames = stack(from: "called(_:_:)"), first = frames.firstIndex { $0.hasPrefix("__CFRUNLOOP_IS_") } ?? 0
        let last = frames.firstIndex(of: "CFRunLoopRunSpecific") ?? frames.count - 1
        lab.callout(callout, "\(callout.rawValue) called", frames[first...max(first, last)].joined(separator: stackSeparator))
    }
}
