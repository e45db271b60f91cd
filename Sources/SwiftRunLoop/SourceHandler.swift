// SourceHandler.swift: what a C source made in Swift has as its `info`, and the C functions that lead from there to the closure.

/// The closure of a source, and for version 1 the descriptor. The C source owns it and lets it go through `release`.
final class SourceHandler {
    let fileDescriptor: Int32
    let perform: () -> Void

    /// `fileDescriptor` is asked for by version 1 sources alone.
    init(fileDescriptor: Int32 = -1, perform: @escaping () -> Void) {
        self.fileDescriptor = fileDescriptor
        self.perform = perform
    }

    func retainedForContext() -> UnsafeMutableRawPointer {
        Unmanaged.passRetained(self).toOpaque()
    }
}

private func handler(_ info: UnsafeRawPointer?) -> Unmanaged<SourceHandler> {
    Unmanaged.fromOpaque(info!)
}

/// A context's `release`: the C source is gone.
func releaseSource(_ info: UnsafeRawPointer?) {
    handler(info).release()
}

/// A version 1 context's `getPort`.
func portOfSource(_ info: UnsafeMutableRawPointer?) -> Int32 {
    handler(info).takeUnretainedValue().fileDescriptor
}

/// A context's `perform`; in a stack, the frame between the loop's callout and the closure. The loop holds the source, and so the
/// handler, until this has returned, whatever the closure does. Something must follow the call, or this frame would be gone by then.
@inline(never)
func performSource(_ info: UnsafeMutableRawPointer?) {
    let handler = handler(info).takeUnretainedValue()
    handler.perform()
    withExtendedLifetime(handler) {}
}
