// LoopEnd.swift: how other objects learn that no thread will run a loop any more.

#if os(Linux)
import Synchronization

/// The closures to be called when a loop's thread ends. May be used from any thread.
final class EndHandlerKeeper: LoopKeeper {
    private struct State {
        var handlers: [Int: @Sendable () -> Void] = [:]
        var lastNumber = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Retains a handler, and returns its number. Returns nil if the loop's thread has ended.
    fileprivate func add(_ handler: @escaping @Sendable () -> Void) -> Int? {
        state.withLock { state in
            guard !state.isClosed else { return nil }
            state.lastNumber += 1
            state.handlers[state.lastNumber] = handler
            return state.lastNumber
        }
    }

    fileprivate func remove(_ number: Int) {
        let handler = state.withLock { $0.handlers.removeValue(forKey: number) }
        withExtendedLifetime(handler) {} // released without the lock
    }

    func threadEnds(of runLoop: RunLoop) {
        let handlers = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.handlers
        }
        for (_, handler) in handlers.sorted(by: { $0.key < $1.key }) { handler() }
    }
}

/// A handler that waits for the end of a loop.
package struct EndHandler: Sendable {
    fileprivate enum Place {
        case loop(EndHandlerKeeper)
        case mainThread
    }

    fileprivate let place: Place
    fileprivate let number: Int

    /// Removes the handler, unless it has been called.
    package func remove() {
        switch place {
        case .loop(let keeper): keeper.remove(number)
        case .mainThread: MainThreadEnd.removeHandler(number)
        }
    }
}

extension RunLoop {
    /// Calls a handler once when the loop's thread ends, on that thread, after the loop's items have left it. The main loop's thread ends
    /// for this purpose when its code has ended, although the loop and its items stay.
    /// - Returns: nil, without a call, if the thread has ended.
    package func addEndHandler(_ handler: @escaping @Sendable () -> Void) -> EndHandler? {
        if self === RunLoop.main {
            if MainThreadEnd.hasOccurred { return nil }
            return EndHandler(place: .mainThread, number: MainThreadEnd.addHandler(handler))
        }
        return endHandlers.add(handler).map { EndHandler(place: .loop(endHandlers), number: $0) }
    }

    /// Whether a thread can run the loop.
    var hasThread: Bool { self === RunLoop.main ? !MainThreadEnd.hasOccurred : isAlive }
}
#endif
