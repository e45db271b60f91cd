import Shared
import SwiftRunLoop
import Synchronization

struct Problem: Error {}

@main struct AtMain {
    static func main() async throws {
        limitRunningTime()
        say("begins: \(isOnMainThread())")
        switch CommandLine.arguments.dropFirst().first {
        case "works": try await useMainThread()
        case "throws":
            try await Task.sleep(nanoseconds: 1_000_000)
            throw Problem()
        case "exits": // within a timer of the main loop
            RunLoop.main.add(Timer(timeInterval: 0.001, repeats: false) { _ in exit(7) }, forMode: .default)
            try await Task.sleep(nanoseconds: 60_000_000_000)
        case "exits elsewhere":
            Thread.detachNewThread { exit(8) }
            try await Task.sleep(nanoseconds: 60_000_000_000)
        case "signal": // another thread sends it when the main thread is asleep in the main loop
            let signal = Int32(CommandLine.arguments[2])!
            Thread.detachNewThread {
                while !RunLoop.main.isWaiting { usleep(1000) }
                kill(getpid(), signal)
            }
            try await Task.sleep(nanoseconds: 60_000_000_000)
        case "idle": try await idle()
        case "stopped": // a stop ends one run of the main loop, and the next one begins
            for _ in 0..<3 {
                RunLoop.main.stop()
                try await Task.sleep(nanoseconds: 1_000_000)
            }
            say("still on the main thread: \(isOnMainThread())")
        case "without": // as without this library
            say("enabled: \(RunLoop.runsInAsyncMain)")
            RunLoop.runsInAsyncMain = false
            say("enabled: \(RunLoop.runsInAsyncMain)")
            RunLoop.main.add(Timer(timeInterval: 0.001, repeats: false) { _ in say("timer") }, forMode: .default)
            try await Task.sleep(nanoseconds: 20_000_000)
            say("still on the main thread: \(isOnMainThread()), finished: \(Thread.main.isFinished)")
        default: say("which?")
        }
        say("ends")
    }

    /// The main loop has a distant timer and a port, and nothing is due.
    @MainActor private static func idle() async throws {
        RunLoop.main.add(Timer(timeInterval: 1000, repeats: true) { _ in }, forMode: .default)
        RunLoop.main.add(Port(), forMode: .default)
        try await Task.sleep(nanoseconds: 10_000_000)
        let passes = Mutex(0)
        let observer = RunLoop.Observer(activities: .beforeWaiting) { _, _ in passes.withLock { $0 += 1 } }
        RunLoop.main.add(observer, forMode: .common)
        let before = processorTime()
        try await Task.sleep(nanoseconds: 1_000_000_000)
        let used = processorTime() - before, count = passes.withLock { $0 }
        say("idle: \(used < 0.3 && count < 20 ? "yes" : "no, \(used) s and \(count) passes in a second")")
    }
}
