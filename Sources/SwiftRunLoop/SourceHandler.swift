// SourceHandler.swift: the `info` of a C source made in Swift, and the C callbacks that call its closures.

#if os(Linux)
internal import CRunLoop
import Synchronization

/// The closures of a source and, for version 1, its descriptor. The C source owns the handler, through `release`. When the source is
/// invalidated, the closures are released earlier, because they may retain the source, which retains the C source.
final class SourceHandler: CallbackInfo, Sendable {
    /// The caller's closures. They are called without the lock.
    fileprivate struct Closures: Sendable {
        var perform: @Sendable () -> Void
        var schedule, cancel: RunLoop.Source.Change?
    }

    private struct State {
        var closures: Closures?
        /// The loops that the source is in, by the addresses of their C loops, with the number of its modes. `cancel` may be called on any
        /// thread, while the loop's own thread ends and the C loop gives up its RunLoop. So the RunLoop is retained here as long as the
        /// source is in it.
        var loops: [UInt: (runLoop: RunLoop.Remote, uses: Int)] = [:]
        var isInvalid = false

        /// Removes and returns the closures if no call can follow. An invalid source must still call `cancel` for the loops that it is in.
        mutating func takeDoneClosures() -> Closures? {
            guard isInvalid, loops.isEmpty else { return nil }
            defer { closures = nil }
            return closures
        }
    }

    fileprivate let fileDescriptor: Int32
    private let state: Mutex<State>

    /// Only version 1 sources have a `fileDescriptor`.
    init(fileDescriptor: Int32 = -1, perform: @escaping @Sendable () -> Void, schedule: RunLoop.Source.Change? = nil, cancel: RunLoop.Source.Change? = nil) {
        self.fileDescriptor = fileDescriptor
        state = Mutex(State(closures: Closures(perform: perform, schedule: schedule, cancel: cancel)))
    }

    /// Makes the C source of version 0, which owns this handler.
    /// - Parameter followsModes: whether there is a `schedule` or `cancel`.
    func makeCFSource(order: Int, followsModes: Bool) -> Reference<RunLoop.Source> {
        followsModes
            ? CFRunLoopSource.make(order: order, self, schedule: scheduleSource, cancel: cancelSource, perform: performSource)
            : CFRunLoopSource.make(order: order, self, perform: performSource)
    }

    /// Makes the C source of version 1, which owns this handler.
    func makeCFDescriptorSource(order: Int) -> Reference<RunLoop.Source> {
        CFRunLoopSource.make(order: order, self, getPort: portOfSource, perform: performSource)
    }

    /// For the name of the closure.
    @safe func makeDescription() -> CFString? {
        guard let closures else { return nil } // the source is invalid
        return makeClosureDescription(closures)
    }

    /// Nil when the source has been invalidated and has left all loops.
    fileprivate var closures: Closures? { state.withLock { $0.closures } }

    /// The `perform` closure; nil when `closures` is.
    fileprivate var perform: (@Sendable () -> Void)? { state.withLock { $0.closures?.perform } }

    /// Releases the closures as soon as no call can follow. Call this after the C source has been invalidated, and without a lock, because
    /// releasing a closure may run any deinitializer.
    func sourceIsInvalid() {
        let done = state.withLock { state in
            state.isInvalid = true
            return state.takeDoneClosures()
        }
        withExtendedLifetime(done) {}
    }

    // MARK: - The loops

    /// Retains the RunLoop at least until `body` returns.
    func keep(_ runLoop: RunLoop, while body: () -> Void) {
        retain(runLoop)
        body()
        release(runLoop.cfRunLoop)
    }

    fileprivate func retain(_ runLoop: RunLoop) {
        let key = UInt(bitPattern: runLoop.cfRunLoop), handle = runLoop.remote
        state.withLock { $0.loops[key, default: (handle, 0)].uses += 1 }
    }

    @safe fileprivate func release(_ loop: CFRunLoop?) {
        let key = UInt(bitPattern: loop)
        let left = state.withLock { state -> (RunLoop.Remote, Closures?)? in
            guard var entry = state.loops[key] else { return nil }
            entry.uses -= 1
            state.loops[key] = entry.uses > 0 ? entry : nil
            return (entry.runLoop, state.takeDoneClosures())
        }
        withExtendedLifetime(left) {} // released without the lock
    }

    /// The RunLoop of a C loop that the source is in.
    @safe fileprivate subscript(loop: CFRunLoop?) -> RunLoop? {
        let key = UInt(bitPattern: loop)
        return state.withLock { $0.loops[key]?.runLoop }?.runLoop
    }
}

/// Adds a C source to a loop, unless the loop's thread has ended: such a loop would keep the source forever.
@safe func addSource(_ source: CFRunLoopSource, _ runLoop: RunLoop, _ mode: RunLoop.Mode) {
    guard runLoop.isAlive else { return }
    runLoop.cfRunLoop.add(source, mode.cfString)
    guard !runLoop.isAlive else { return }
    runLoop.cfRunLoop.remove(source, mode.cfString) // the thread has ended meanwhile
}

/// A version 1 context's `getPort`.
@safe func portOfSource(_ info: UnsafeMutableRawPointer?) -> Int32 {
    SourceHandler.of(info).fileDescriptor
}

/// A context's `schedule`.
@safe func scheduleSource(_ info: UnsafeMutableRawPointer?, _ loop: CFRunLoop?, _ mode: CFRunLoopMode?) {
    let handler = SourceHandler.of(info)
    guard let runLoop = handler[loop] else { return }
    handler.retain(runLoop)
    handler.closures?.schedule?(runLoop, RunLoop.Mode(cfString: mode))
}

/// A context's `cancel`.
@safe func cancelSource(_ info: UnsafeMutableRawPointer?, _ loop: CFRunLoop?, _ mode: CFRunLoopMode?) {
    let handler = SourceHandler.of(info)
    guard let runLoop = handler[loop] else { return }
    handler.closures?.cancel?(runLoop, RunLoop.Mode(cfString: mode))
    handler.release(loop)
}

/// A context's `perform`: in a stack, the frame between the loop's callout and the closure. The loop retains the source, and so the
/// handler, until this returns, even if the closure invalidates the source. The statement after the call keeps this frame in the stack.
@inline(never)
@safe func performSource(_ info: UnsafeMutableRawPointer?) {
    let handler = SourceHandler.of(info)
    guard let perform = handler.perform else { return }
    perform()
    withExtendedLifetime((handler, perform)) {}
}
#endif
