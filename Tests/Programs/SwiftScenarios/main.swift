// main.swift: a program whose stacks Tests/Debugger/stacks.txt names. It makes each call of the Swift layer from a run loop, each into
// its own named function, so that a breakpoint there stops in exactly that callout: performs, a Timer, a source with a descriptor, a block,
// and a nested run.

import SwiftRunLoop

/// Counts the calls. An optimizing compiler may fold functions with the same body into one, so each callback here counts in its own place.
nonisolated(unsafe) var calls = [Int](repeating: 0, count: 6)

@_silgen_name("scenario_performed_on_thread") @inline(never)
func performedOnThread() { calls[0] += 1 }

@_silgen_name("scenario_performed_on_main_thread") @inline(never)
func performedOnMainThread() { calls[1] += 1 }

@_silgen_name("scenario_timer_fired") @inline(never)
func timerFired() { calls[2] += 1 }

@_silgen_name("scenario_descriptor_is_readable") @inline(never)
func descriptorIsReadable() { calls[3] += 1 }

@_silgen_name("scenario_block_performed") @inline(never)
func blockPerformed() { calls[4] += 1 }

@_silgen_name("scenario_nested_timer_fired") @inline(never)
func nestedTimerFired() { calls[5] += 1 }

/// A thread that runs its loop as long as the loop has items.
func startWorker() -> Thread {
    let worker = Thread {
        RunLoop.current.add(Port(), forMode: .default)
        RunLoop.current.run()
    }
    worker.name = "worker"
    worker.start()
    return worker
}

/// A timer whose callback runs the loop in another mode.
func addNestingTimer() {
    let nested = RunLoop.Mode("Nested")
    RunLoop.current.add(Timer(timeInterval: 0, repeats: false) { _ in
        RunLoop.current.add(Timer(timeInterval: 0, repeats: false) { _ in nestedTimerFired() }, forMode: nested)
        _ = RunLoop.current.run(mode: nested, before: .distantFuture)
        calls[5] += 1
    }, forMode: .default)
}

let worker = startWorker()
var ends: [Int32] = [0, 0]
precondition(pipe(&ends) == 0 && write(ends[1], "x", 1) == 1)
let source = try RunLoop.Source(fileDescriptor: ends[0]) { source, _ in
    descriptorIsReadable()
    source.invalidate()
}
RunLoop.current.add(Port(), forMode: .default)

worker.perform { performedOnThread() }
Thread.main.perform { performedOnMainThread() }
RunLoop.current.perform { blockPerformed() }
RunLoop.current.add(Timer(timeInterval: 0, repeats: false) { _ in timerFired() }, forMode: .default)
RunLoop.current.add(source, forMode: .default)
addNestingTimer()

let end = Date(timeIntervalSinceNow: 60)
while calls.contains(0), end > Date() { // the limit is short because a timer does not end such a run (L6)
    _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
}
precondition(!calls.contains(0), "not everything was called: \(calls)")
