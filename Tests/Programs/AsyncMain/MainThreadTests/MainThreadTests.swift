import Shared
import SwiftRunLoop
import Testing

/// Swift Testing's entry point is async, so the main loop runs on the main thread meanwhile.
@Suite struct OnTheMainThread {
    @Test @MainActor func aTimerOfTheMainLoopFires() async {
        await withCheckedContinuation { continuation in
            RunLoop.main.add(Timer(timeInterval: 0.001, repeats: false) { _ in continuation.resume() }, forMode: .default)
        }
        #expect(isOnMainThread())
    }

    @Test @MainActor func allThatNeedsTheMainThreadHasIt() async throws {
        try await useMainThread()
        #expect(isOnMainThread())
    }

    @Test func aTestElsewhereMayPerformOnTheMainThread() async throws {
        let isThere = try await Thread.main.run { isOnMainThread() }
        #expect(isThere)
    }
}
