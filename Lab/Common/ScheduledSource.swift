// ScheduledSource.swift: a version 0 source with all three of its callbacks. A RunLoop.Source has `perform` alone. (I1)

import CRunLoop
import SwiftRunLoop

/// A source that is told of each mode that it joins or leaves.
final class ScheduledSource: @unchecked Sendable { // any thread may use the C source
    typealias Change = @Sendable (CFRunLoop, RunLoop.Mode) -> Void

    let cfSource: CFRunLoopSource

    /// - Parameters:
    ///   - schedule: called on the thread that adds the source.
    ///   - cancel: called on the thread that removes or invalidates the source, or on the loop's thread when that ends.
    init(schedule: @escaping Change = { _, _ in }, cancel: @escaping Change = { _, _ in }, perform: @escaping @Sendable () -> Void = {}) {
        let callbacks = Callbacks(schedule: schedule, cancel: cancel, perform: perform)
        var context = CFRunLoopSourceContext(
            version: 0, info: Unmanaged.passUnretained(callbacks).toOpaque(),
            retain: { UnsafeRawPointer(Unmanaged<Callbacks>.fromOpaque($0!).retain().toOpaque()) },
            release: { Unmanaged<Callbacks>.fromOpaque($0!).release() }, copyDescription: nil, equal: nil, hash: nil,
            schedule: scheduleSource, cancel: cancelSource, perform: { Callbacks.of($0).perform() })
        cfSource = withExtendedLifetime(callbacks) { CFRunLoopSourceCreate(nil, 0, &context)! }
    }

    func add(to loop: RunLoop, forMode mode: RunLoop.Mode) { mode.withCFName { CFRunLoopAddSource(loop.getCFRunLoop(), cfSource, $0) } }
    func remove(from loop: RunLoop, forMode mode: RunLoop.Mode) { mode.withCFName { CFRunLoopRemoveSource(loop.getCFRunLoop(), cfSource, $0) } }
    func isIn(_ loop: RunLoop, _ mode: RunLoop.Mode) -> Bool { mode.withCFName { CFRunLoopContainsSource(loop.getCFRunLoop(), cfSource, $0) } }
    func signal() { CFRunLoopSourceSignal(cfSource) }
    func invalidate() { CFRunLoopSourceInvalidate(cfSource) }
}

/// The `info` of the C source, which retains it until the source is deallocated.
private final class Callbacks {
    let schedule, cancel: ScheduledSource.Change
    let perform: @Sendable () -> Void

    init(schedule: @escaping ScheduledSource.Change, cancel: @escaping ScheduledSource.Change, perform: @escaping @Sendable () -> Void) {
        (self.schedule, self.cancel, self.perform) = (schedule, cancel, perform)
    }

    static func of(_ info: UnsafeMutableRawPointer?) -> Callbacks { Unmanaged.fromOpaque(info!).takeUnretainedValue() }
}

/// The statement after the call keeps this frame in the stack.
@inline(never)
private func scheduleSource(_ info: UnsafeMutableRawPointer?, _ loop: CFRunLoop?, _ mode: CFRunLoopMode?) {
    let callbacks = Callbacks.of(info)
    callbacks.schedule(loop!, RunLoop.Mode(cfName: mode!))
    withExtendedLifetime(callbacks) {}
}

private func cancelSource(_ info: UnsafeMutableRawPointer?, _ loop: CFRunLoop?, _ mode: CFRunLoopMode?) {
    Callbacks.of(info).cancel(loop!, RunLoop.Mode(cfName: mode!))
}
