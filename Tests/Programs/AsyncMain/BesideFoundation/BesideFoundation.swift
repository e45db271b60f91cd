import Foundation
import Shared
import SwiftRunLoop
import class SwiftRunLoop.RunLoop
import class SwiftRunLoop.Thread
import class SwiftRunLoop.Timer

@main @MainActor struct BesideFoundation {
    static var served = 0

    static func main() async throws {
        limitRunningTime()
        let begins = isOnMainThread()
        try await Task.sleep(nanoseconds: 1_000_000) // from now on, the main function is a job of the main queue
        runFoundationsLoop()
        while served < 6 { try await Task.sleep(nanoseconds: 1_000_000) }
        say("afterwards: \(served)")
        say("begins and ends on the main thread: \(begins && isOnMainThread())")
    }

    static func runFoundationsLoop() {
        for _ in 0..<3 {
            RunLoop.main.add(Timer(timeInterval: 0.001, repeats: false) { _ in MainActor.assumeIsolated { served += 1 } }, forMode: .default)
            DispatchQueue.main.async { served += 1 }
        }
        Foundation.RunLoop.main.add(Foundation.Timer(timeInterval: 0.02, repeats: false) { _ in say("Foundation's timer fires") }, forMode: .default)
        Foundation.RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.05))
        say("of ours and of the main queue meanwhile: \(served)")
    }
}
