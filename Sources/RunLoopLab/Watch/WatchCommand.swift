// WatchCommand.swift: `RunLoopLab watch [NAME]`: all loops of an experiment, or of a small program, while they run.

import CRunLoop
import Glibc
import SwiftRunLoop
import Synchronization

/// Looks at all loops ten times a second, on a thread of its own, which has none, and shows them.
final class WatchCommand: Sendable {
    private struct State {
        var calls: [UInt: [Callout: Int]] = [:] // by the loop's address
        var written: [UInt: String] = [:] // what the last line said of each loop
        var names: [Int32: String] = [:]
        var isOver = false
    }

    private let title: String
    private let screen = WatchScreen()
    private let state = Mutex(State())
    private let start = now()
    private let lab: Lab? // knows what the threads of an experiment are called

    private init(title: String, lab: Lab?) {
        self.title = title
        self.lab = lab
    }

    // MARK: - What can be watched

    /// Watches an experiment; what it prints is left out, but for the verdict. Returns its exit status.
    @MainActor
    static func run(_ experiment: any Experiment, isFast: Bool) -> Int32 {
        var run = ExperimentRun(experiment, isFast: isFast)
        let watch = WatchCommand(title: "\(experiment.about.name): \(experiment.about.shows)", lab: run.lab)
        run.whenInterrupted = { watch.finish() }
        watch.begin()
        let status = run.perform()
        watch.finish()
        let checks = run.lab.checks.withLock { $0 }, output = Output()
        output.line(Verdict(checks).words)
        output.flush()
        return status
    }

    /// Watches a small program, until Ctrl-C or for some seconds.
    @MainActor
    static func runDemo(seconds: Double?) -> Int32 {
        let watch = WatchCommand(title: "a program with two loops; Ctrl-C ends it", lab: nil)
        onInterrupt {
            watch.finish()
            _exit(0) // it has no other end
        }
        watch.begin()
        WatchDemo().run(seconds: seconds)
        watch.finish()
        return 0
    }

    // MARK: - The watching thread

    private func begin() {
        _ = CFRunLoopTraceStart() // for the senders of wake-ups, and to count the calls
        var thread = pthread_t()
        let error = pthread_create(&thread, nil, { argument in
            Unmanaged<WatchCommand>.fromOpaque(argument!).takeRetainedValue().watch()
            return nil
        }, Unmanaged.passRetained(self).toOpaque())
        if error != 0 { fail("no thread to watch from: \(reason(error))", status: 1) }
        pthread_detach(thread)
    }

    private func watch() {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil) // signals are for the threads of the program
        while look() { usleep(100_000) }
    }

    /// Looks for the last time, and gives the terminal back.
    private func finish() {
        look()
        CFRunLoopTraceStop()
        state.withLock { $0.isOver = true }
        screen.close()
    }

    /// Shows what there is to see; false when it is over.
    @discardableResult
    private func look() -> Bool {
        state.withLock { state in
            if state.isOver { return false }
            receiveEvents(&state)
            let loops = LoopSnapshot.ofAllLoops().map { watched($0, &state) }, elapsed = now() - start
            if screen.isTerminal {
                let head = "RunLoopLab watch: \(title)"
                let lines = loops.flatMap { [""] + $0.lines }
                screen.show([head, "\(decimals(elapsed, 1)) s, \(count(loops.count, "loop"))"] + lines)
            } else {
                for loop in loops where state.written[loop.snapshot.address] != loop.essence {
                    state.written[loop.snapshot.address] = loop.essence
                    screen.add(loop.line(after: elapsed))
                }
            }
            return true
        }
    }

    private func receiveEvents(_ state: inout State) {
        withUnsafeMutablePointer(to: &state.calls) { calls in
            _ = CFRunLoopTraceReceive({ event, calls in
                let event = TraceEvent(event!.pointee), calls = calls!.assumingMemoryBound(to: [UInt: [Callout: Int]].self)
                if event.kind == .calloutBegins { calls.pointee[event.loop, default: [:]][event.callout, default: 0] += 1 }
            }, calls)
        }
    }

    private func watched(_ snapshot: LoopSnapshot, _ state: inout State) -> WatchedLoop {
        let name = name(of: snapshot.thread, &state)
        let sender = snapshot.lastReason == .wokenUp && snapshot.lastSender != 0 ? self.name(of: snapshot.lastSender, &state) : nil
        return WatchedLoop(snapshot: snapshot, name: name, calls: state.calls[snapshot.address] ?? [:], sender: sender)
    }

    /// A thread that has gone keeps the name that it had.
    private func name(of thread: Int32, _ state: inout State) -> String {
        if thread == getpid() { return "main" }
        if let known = lab?.threadNames[thread] ?? state.names[thread] { return known }
        guard let name = SystemThread.name(of: thread) else { return "thread \(thread)" }
        state.names[thread] = name
        return name
    }
}
