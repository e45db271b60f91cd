// SourceHandler.swift: what a C source made in Swift has as its `info`, and the C functions that lead from there to the closures.

internal import CRunLoop
import Synchronization

/// The closures of a source, and for version 1 the descriptor. The C source owns it and lets it go through `release`. The closures go earlier if
/// the source is invalidated: they may hold the source, which holds the C source.
final class SourceHandler: Sendable {
    /// What the client gave. A closure is called outside the lock.
    struct Closures: Sendable {
        var perform: @Sendable () -> Void
        var schedule, cancel: Source.Change?
    }

    private struct State: @unchecked Sendable {
        var closures: Closures?
        /// The loops that the source is in, by their C loops, and in how many modes. `cancel` may come on any thread, while the loop's own ends
        /// and the C loop lets go of its RunLoop; so it is kept here as long as the source is in it.
        var loops: [OpaquePointer: (runLoop: RunLoop, uses: Int)] = [:]
        var isInvalid = false

        /// What nobody will call any more: an invalid source is still to `cancel` what it is in.
        mutating func takeDoneClosures() -> Closures? {
            guard isInvalid, loops.isEmpty else { return nil }
            defer { closures = nil }
            return closures
        }
    }

    let fileDescriptor: Int32
    private let state: Mutex<State>

    /// `fileDescriptor` is asked for by version 1 sources alone.
    init(fileDescriptor: Int32 = -1, perform: @escaping @Sendable () -> Void, schedule: Source.Change? = nil, cancel: Source.Change? = nil) {
        self.fileDescriptor = fileDescriptor
        state = Mutex(State(closures: Closures(perform: perform, schedule: schedule, cancel: cancel)))
    }

    func retainedForContext() -> UnsafeMutableRawPointer {
        Unmanaged.passRetained(self).toOpaque()
    }

    /// nil when the source has been invalidated and has left all loops.
    var closures: Closures? { state.withLock { $0.closures } }

    /// The same of one of them.
    var perform: (@Sendable () -> Void)? { state.withLock { $0.closures?.perform } }

    /// The C source has been invalidated. Call with nothing locked: the closures may be the last to hold something.
    func sourceIsInvalid() {
        let done = state.withLock { state in
            state.isInvalid = true
            return state.takeDoneClosures()
        }
        withExtendedLifetime(done) {}
    }

    // MARK: - The loops

    /// The loop is known at least until `body` has returned.
    func keep(_ runLoop: RunLoop, while body: () -> Void) {
        retain(runLoop)
        body()
        release(runLoop.cfRunLoop)
    }

    func retain(_ runLoop: RunLoop) {
        nonisolated(unsafe) let runLoop = runLoop
        state.withLock { $0.loops[runLoop.cfRunLoop, default: (runLoop, 0)].uses += 1 }
    }

    func release(_ loop: OpaquePointer) {
        nonisolated(unsafe) let loop = loop
        nonisolated(unsafe) var known: RunLoop?
        let done = state.withLock { state in
            guard var entry = state.loops[loop] else { return nil as Closures? }
            entry.uses -= 1
            state.loops[loop] = entry.uses > 0 ? entry : nil
            known = entry.runLoop
            return state.takeDoneClosures()
        }
        withExtendedLifetime((known, done)) {} // their end comes with nothing locked
    }

    subscript(loop: OpaquePointer) -> RunLoop? {
        nonisolated(unsafe) let loop = loop
        nonisolated(unsafe) var runLoop: RunLoop?
        state.withLock { runLoop = $0.loops[loop]?.runLoop }
        return runLoop
    }
}

/// Adds a C source to a loop, unless the loop's thread has ended: such a loop would keep it for good.
func addSource(_ source: OpaquePointer, _ runLoop: RunLoop, _ mode: RunLoop.Mode) {
    guard runLoop.isAlive else { return }
    CFRunLoopAddSource(runLoop.cfRunLoop, source, mode.cfString)
    guard !runLoop.isAlive else { return }
    CFRunLoopRemoveSource(runLoop.cfRunLoop, source, mode.cfString) // it has ended meanwhile
}

private func handler(_ info: UnsafeRawPointer?) -> Unmanaged<SourceHandler> {
    Unmanaged.fromOpaque(info!)
}

/// A context's `release`: the C source is gone.
func releaseSource(_ info: UnsafeRawPointer?) {
    handler(info).release()
}

/// A context's `copyDescription`.
func describeSource(_ info: UnsafeRawPointer?) -> OpaquePointer? {
    handler(info).takeUnretainedValue().closures.flatMap { makeClosureDescription($0) } // none when it has been invalidated
}

/// A version 1 context's `getPort`.
func portOfSource(_ info: UnsafeMutableRawPointer?) -> Int32 {
    handler(info).takeUnretainedValue().fileDescriptor
}

/// A context's `schedule`.
func scheduleSource(_ info: UnsafeMutableRawPointer?, _ loop: OpaquePointer?, _ mode: OpaquePointer?) {
    let handler = handler(info).takeUnretainedValue()
    guard let loop, let mode, let runLoop = handler[loop] else { return }
    handler.retain(runLoop)
    handler.closures?.schedule?(runLoop, RunLoop.Mode(String(cfString: mode)))
}

/// A context's `cancel`.
func cancelSource(_ info: UnsafeMutableRawPointer?, _ loop: OpaquePointer?, _ mode: OpaquePointer?) {
    let handler = handler(info).takeUnretainedValue()
    guard let loop, let mode, let runLoop = handler[loop] else { return }
    handler.closures?.cancel?(runLoop, RunLoop.Mode(String(cfString: mode)))
    handler.release(loop)
}

/// A context's `perform`; in a stack, the frame between the loop's callout and the closure. The loop holds the source, and so the
/// handler, until this has returned, whatever the closure does. Something must follow the call, or this frame would be gone by then.
@inline(never)
func performSource(_ info: UnsafeMutableRawPointer?) {
    let handler = handler(info).takeUnretainedValue()
    guard let perform = handler.perform else { return }
    perform()
    withExtendedLifetime((handler, perform)) {}
}
