// SourceHandler.swift: the `info` of a C source made in Swift, and the C callbacks that call its closures.

internal import CRunLoop
import Synchronization

/// The closures of a source and, for version 1, its descriptor. The C source owns the handler, through `release`. When the source is
/// invalidated, the closures are released earlier, because they may retain the source, which retains the C source.
final class SourceHandler: Sendable {
    /// The caller's closures. They are called without the lock.
    fileprivate struct Closures: Sendable {
        var perform: @Sendable () -> Void
        var schedule, cancel: RunLoop.Source.Change?
    }

    private struct State: @unchecked Sendable {
        var closures: Closures?
        /// The loops that the source is in, by their C loops, with the number of its modes. `cancel` may be called on any thread, while the
        /// loop's own thread ends and the C loop gives up its RunLoop. So the RunLoop is retained here as long as the source is in it.
        var loops: [CFRunLoop: (runLoop: RunLoop, uses: Int)] = [:]
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

    /// Returns the handler of a C source by what its context has, or nil if the C source was made in C.
    static func handler(info: UnsafeMutableRawPointer?, release: (@convention(c) (UnsafeRawPointer?) -> Void)?) -> SourceHandler? {
        guard let info, isSameFunction(release, releaseSource) else { return nil }
        return Unmanaged.fromOpaque(info).takeUnretainedValue()
    }

    func retainedForContext() -> UnsafeMutableRawPointer {
        Unmanaged.passRetained(self).toOpaque()
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
        nonisolated(unsafe) let runLoop = runLoop
        state.withLock { $0.loops[runLoop.cfRunLoop, default: (runLoop, 0)].uses += 1 }
    }

    fileprivate func release(_ loop: CFRunLoop) {
        nonisolated(unsafe) let loop = loop
        nonisolated(unsafe) var known: RunLoop?
        let done = state.withLock { state in
            guard var entry = state.loops[loop] else { return nil as Closures? }
            entry.uses -= 1
            state.loops[loop] = entry.uses > 0 ? entry : nil
            known = entry.runLoop
            return state.takeDoneClosures()
        }
        withExtendedLifetime((known, done)) {} // released without the lock
    }

    /// The RunLoop of a C loop that the source is in.
    fileprivate subscript(loop: CFRunLoop) -> RunLoop? {
        nonisolated(unsafe) let loop = loop
        nonisolated(unsafe) var runLoop: RunLoop?
        state.withLock { runLoop = $0.loops[loop]?.runLoop }
        return runLoop
    }
}

/// Adds a C source to a loop, unless the loop's thread has ended: such a loop would keep the source forever.
func addSource(_ source: CFRunLoopSource, _ runLoop: RunLoop, _ mode: RunLoop.Mode) {
    guard runLoop.isAlive else { return }
    CFRunLoopAddSource(runLoop.cfRunLoop, source, mode.cfString)
    guard !runLoop.isAlive else { return }
    CFRunLoopRemoveSource(runLoop.cfRunLoop, source, mode.cfString) // the thread has ended meanwhile
}

private func handler(_ info: UnsafeRawPointer?) -> Unmanaged<SourceHandler> {
    Unmanaged.fromOpaque(info!)
}

/// A context's `release`, called when the C source is deallocated.
func releaseSource(_ info: UnsafeRawPointer?) {
    handler(info).release()
}

/// A context's `copyDescription`.
func describeSource(_ info: UnsafeRawPointer?) -> CFString? {
    handler(info).takeUnretainedValue().closures.flatMap { makeClosureDescription($0) } // nil when the source is invalid
}

/// A version 1 context's `getPort`.
func portOfSource(_ info: UnsafeMutableRawPointer?) -> Int32 {
    handler(info).takeUnretainedValue().fileDescriptor
}

/// A context's `schedule`.
func scheduleSource(_ info: UnsafeMutableRawPointer?, _ loop: CFRunLoop?, _ mode: CFRunLoopMode?) {
    let handler = handler(info).takeUnretainedValue()
    guard let loop, let mode, let runLoop = handler[loop] else { return }
    handler.retain(runLoop)
    handler.closures?.schedule?(runLoop, RunLoop.Mode(String(cfString: mode)))
}

/// A context's `cancel`.
func cancelSource(_ info: UnsafeMutableRawPointer?, _ loop: CFRunLoop?, _ mode: CFRunLoopMode?) {
    let handler = handler(info).takeUnretainedValue()
    guard let loop, let mode, let runLoop = handler[loop] else { return }
    handler.closures?.cancel?(runLoop, RunLoop.Mode(String(cfString: mode)))
    handler.release(loop)
}

/// A context's `perform`: in a stack, the frame between the loop's callout and the closure. The loop retains the source, and so the
/// handler, until this returns, even if the closure invalidates the source. The statement after the call keeps this frame in the stack.
@inline(never)
func performSource(_ info: UnsafeMutableRawPointer?) {
    let handler = handler(info).takeUnretainedValue()
    guard let perform = handler.perform else { return }
    perform()
    withExtendedLifetime((handler, perform)) {}
}
