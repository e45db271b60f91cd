import Shared

@main @MainActor final class OnMainActor {
    private var count = 0

    static func main() async throws {
        limitRunningTime()
        say("begins: \(isOnMainThread())")
        let own = OnMainActor()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { await own.add() } }
        }
        say("counted: \(own.count)")
        try await useMainThread()
        say("ends: \(isOnMainThread())")
    }

    private func add() {
        precondition(isOnMainThread())
        count += 1
    }
}
