import Shared
import SwiftRunLoop

struct Problem: Error {}

@main struct Synchronous {
    static func main() throws {
        limitRunningTime()
        switch CommandLine.arguments.dropFirst().first {
        case "run": // the main loop, as in a program on a Mac
            Task {
                try await useMainThread()
                exit(5)
            }
            RunLoop.main.run()
        case "runMain":
            let answer = try RunLoop.runMain {
                try await useMainThread()
                RunLoop.main.stop()
                try await Task.sleep(nanoseconds: 1_000_000)
                return 42
            }
            say("returns: \(answer)")
            say("again: \(try RunLoop.runMain { 43 })")
            do { try RunLoop.runMain { throw Problem() } } catch { say("throws: \(error)") }
        case "runMain throws":
            try RunLoop.runMain {
                try await Task.sleep(nanoseconds: 1_000_000)
                throw Problem()
            }
        case "runMain nested":
            DispatchQueue.main.async { try? RunLoop.runMain {} }
            RunLoop.main.run()
        default: say("which?")
        }
    }
}
