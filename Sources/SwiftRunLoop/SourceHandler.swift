// SourceHandler.swift: what a C source made in Swift has as its `info`, and the C functions that lead from there to the closures.

internal import CRunLoop

/// The closures of a source, and for version 1 the descriptor. The C source owns it and lets it go through `release`.
final class SourceHandler {
    let fileDescriptor: Int32
    let perform: @Sendable () -> Void
    var schedule, cancel: Source.Change? // set before the C source is made
    let loops = LoopsOfSource()

    /// `fileDescriptor` is asked for by version 1 sources alone.
    init(fileDescriptor: Int32 = -1, perform: @escaping @Sendable () -> Void) {
        self.fileDescriptor = fileDescriptor
        self.perform = perform
    }

    func retainedForContext() -> UnsafeMutableRawPointer {
        Unmanaged.passRetained(self).toOpaque()
    }
}

/// The loops that a source is in, by their C loops. `cancel` may come on any thread, while the loop's own ends and the C loop lets go of its
/// RunLoop; so it is kept here as long as the source is in it.
final class LoopsOfSource: @unchecked Sendable {
    private let monitor = Monitor()
    private var loops: [OpaquePointer: (runLoop: RunLoop, uses: Int)] = [:]

    /// The loop is known at least until `body` has returned.
    func keep(_ runLoop: RunLoop, while body: () -> Void) {
        retain(runLoop)
        body()
        release(runLoop.cfRunLoop)
    }

    func retain(_ runLoop: RunLoop) {
        monitor.locked { loops[runLoop.cfRunLoop, default: (runLoop, 0)].uses += 1 }
    }

    func release(_ loop: OpaquePointer) {
        let known = monitor.locked {
            guard var known = loops[loop] else { return nil as RunLoop? }
            known.uses -= 1
            loops[loop] = known.uses > 0 ? known : nil
            return known.runLoop
        }
        withExtendedLifetime(known) {} // its end comes with nothing locked
    }

    subscript(loop: OpaquePointer) -> RunLoop? {
        monitor.locked { loops[loop]?.runLoop }
    }
}

/// Adds a C source to a loop, unless the loop's thread has ended: such a loop would keep it for good.
func addSource(_ source: OpaquePointer, _ runLoop: RunLoop, _ mode: RunLoop.Mode) {
    guard ScheduledPorts.isAlive(runLoop.cfRunLoop) else { return }
    CFRunLoopAddSource(runLoop.cfRunLoop, source, mode.cfString)
    guard !ScheduledPorts.isAlive(runLoop.cfRunLoop) else { return }
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
    struct Perform {
        let perform: () -> Void
    }
    return makeClosureDescription(Perform(perform: handler(info).takeUnretainedValue().perform))
}

/// A version 1 context's `getPort`.
func portOfSource(_ info: UnsafeMutableRawPointer?) -> Int32 {
    handler(info).takeUnretainedValue().fileDescriptor
}

/// A context's `schedule`.
func scheduleSource(_ info: UnsafeMutableRawPointer?, _ loop: OpaquePointer?, _ mode: OpaquePointer?) {
    let handler = handler(info).takeUnretainedValue()
    guard let loop, let mode, let runLoop = handler.loops[loop] else { return }
    handler.loops.retain(runLoop)
    handler.schedule?(runLoop, RunLoop.Mode(String(cfString: mode)))
}

/// A context's `cancel`.
func cancelSource(_ info: UnsafeMutableRawPointer?, _ loop: OpaquePointer?, _ mode: OpaquePointer?) {
    let handler = handler(info).takeUnretainedValue()
    guard let loop, let mode, let runLoop = handler.loops[loop] else { return }
    handler.cancel?(runLoop, RunLoop.Mode(String(cfString: mode)))
    handler.loops.release(loop)
}

/// A context's `perform`; in a stack, the frame between the loop's callout and the closure. The loop holds the source, and so the
/// handler, until this has returned, whatever the closure does. Something must follow the call, or this frame would be gone by then.
@inline(never)
func performSource(_ info: UnsafeMutableRawPointer?) {
    let handler = handler(info).takeUnretainedValue()
    handler.perform()
    withExtendedLifetime(handler) {}
}
