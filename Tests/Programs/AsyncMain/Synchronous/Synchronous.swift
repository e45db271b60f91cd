import Shared
import SwiftRunLoop

/// The main loop runs in a synchronous main, as in a program on a Mac.
@main struct Synchronous {
    static func main() {
        limitRunningTime()
        Task {
            try await useMainThread()
            exit(5)
        }
        RunLoop.main.run()
    }
}
