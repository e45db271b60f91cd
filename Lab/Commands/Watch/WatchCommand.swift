// WatchCommand.swift: `RunLoopLab watch [NAME]`: all loops of an experiment, or of a small program, while they run.

import CRunLoop
import Glibc
import SwiftRunLoop
import Synchronization

/// Shows all loops ten times a second, from a thread without a loop.
final class WatchCommand: Sendable {
    private struct State {
        var calls: [UInt: [Callout: Int]] = [:] // by the loop's address
        var written: [UInt: String] = [:] // the last line for each loop
        var names: [Int32: String] = [:]
        var isOver = false
    }

    private let title: String
    private let screen = WatchScreen()
    private let state = Mutex(State())
    private let start = now()
    private let lab: Lab? // knows the names of an experiment's threads

    private init(title: String, lab: Lab?) {
        self.title = title
        self.lab = lab
    }

    // MARK: - The two programs

    /// Watches an experiment. Of its output, only the verdict is printed. Returns its exit status.
    @MainActor
    static func run(_ experiment: any Experiment, isFast: Bool) -> Int32 {
        var run = ExperimentRun(experiment, isFast: isFast)
        let watch = WatchCommand(title: "\(experiment.about.name): \(experiment.about.shows)", lab: run.lab)
        run.whenInterrupted = { watch.finish() }
        watch.begin()
        let status = run.perform()
        watch.finish()
        let checks = run.lab.checks.withLock { $0 }, output = Output()
        output.line(Verdict(checks).words.description)
        output.flush()
        return status
    }

    /// Watches a demo program until Ctrl-C, or for some seconds.
    @MainActor
    static func runDemo(seconds: Double?) -> Int32 {
        let watch = WatchCommand(title: Text("a program with two loops; press Ctrl-C to end it", "有两个 RunLoop 的程序；按 Ctrl-C 结束").description, lab: nil)
        onInterrupt {
            watch.finish()
            _exit(0) // Ctrl-C is its normal end
        }
        watch.begin()
        WatchDemo().run(seconds: seconds)
        watch.finish()
        return 0
    }

    // MARK: - The watching thread

    private func begin() {
        _ = CFRunLoopTraceStart() // to know the senders of wake-ups, and to count callouts
        var thread = pthread_t()
        let error = pthread_create(&thread, nil, { argument in
            Unmanaged<WatchCommand>.fromOpaque(argument!).takeRetainedValue().watch()
            return nil
        }, Unmanaged.passRetained(self).toOpaque())
        if error != 0 { fail(Text("cannot create a thread for the watch: \(reason(error))", "无法创建负责观察的线程：\(reason(error))"), status: 1) }
        pthread_detach(thread)
    }

    private func watch() {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil) // leaves signals to the threads of the program
        while look() { usleep(100_000) }
    }

    /// Shows the loops for the last time, and restores the terminal.
    private func finish() {
        look()
        CFRunLoopTraceStop()
        state.withLock { $0.isOver = true }
        screen.close()
    }

    /// Shows the loops. Returns false when the watch is over.
    @discardableResult
    private func look() -> Bool {
        state.withLock { state in
            if state.isOver { return false }
            receiveEvents(&state)
            let loops = LoopSnapshot.ofAllLoops().map { watched($0, &state) }, elapsed = now() - start
            if screen.isTerminal {
                let head = Text("RunLoopLab watch: \(title)", "RunLoopLab watch：\(title)").description
                let lines = loops.flatMap { [""] + $0.lines }
                screen.show([head, Text("\(decimals(elapsed, 1)) s, \(count(loops.count, "loop"))", "\(decimals(elapsed, 1)) 秒，\(loops.count) 个 RunLoop").description] + lines)
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

    /// An ended thread keeps its name.
    private func name(of thread: Int32, _ state: inout State) -> String {
        if thread == getpid() { return "main" }
        if let known = lab?.threadNames[thread] ?? state.names[thread] { return known }
        guard let name = SystemThread.name(of: thread) else { return shown("thread \(thread)") }
        state.names[thread] = name
        return name
    }
}
