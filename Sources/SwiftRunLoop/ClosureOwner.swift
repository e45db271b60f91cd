// ClosureOwner.swift: the actor that a closure belongs to. The compiler lets `{ @MainActor timer in … }` use the main
// actor's state. The loop calls the closure as a plain function, so it checks first that its thread may do so.

#if os(Linux)
internal import CRunLoop
internal import Dispatch

/// The actor whose state a closure may use.
enum ClosureOwner: Sendable {
    case nobody
    case mainActor
    case actor(any Actor)

    init(_ isolation: (any Actor)?) {
        self = isolation.map { $0 === MainActor.shared ? .mainActor : .actor($0) } ?? .nobody
    }

    /// Traps, and says why, unless the calling thread may call the closure.
    /// - Parameter what: what has the closure, for the message.
    @inline(__always)
    func check(of what: @autoclosure () -> Any) {
        if case .nobody = self { return }
        checkActor(of: what())
    }

    private func checkActor(of what: Any) {
        switch self {
        case .nobody: break
        case .mainActor:
            if _CFIsMainThread() || MainQueue.isCurrent { return }
            fatalError("""
                The closure of \(what) belongs to the main actor, but a thread other than the main thread calls it. \
                Use RunLoop.main, or a closure that is not the main actor's.
                """)
        case .actor(let actor):
            actor.preconditionIsolated(
                "The closure of \(what) belongs to this actor, but the calling thread does not run its jobs.")
        }
    }
}

/// The `info` of a C timer or observer, and what the `info` of a source consists of: a closure, and the actor that it
/// belongs to. A C timer or observer releases its info when it is invalidated.
///
/// The two parameters are structures that consist of the closure: as its maker has given it, and as the loop calls it
/// (`callable`).
final class ClosureInfo<Block>: CallbackInfo {
    let block: Block
    private let owner: ClosureOwner

    init<Given>(_ given: Given, _ isolation: (any Actor)?) {
        block = callable(given)
        owner = ClosureOwner(isolation)
    }

    /// Traps, and says why, unless the calling thread may call the closure: see `ClosureOwner.check`.
    @inline(__always)
    func check(of what: @autoclosure () -> Any) { owner.check(of: what()) }

    /// For the name of the closure: see makeClosureDescription.
    @safe func makeDescription() -> CFString? { makeClosureDescription(block) }
}

/// Whether the calling thread serves the main queue. After `dispatchMain()` other threads do so, and run the main
/// actor's jobs.
private enum MainQueue {
    private static let key = {
        let key = DispatchSpecificKey<Void>()
        DispatchQueue.main.setSpecific(key: key, value: ())
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) != nil }
}
#endif
