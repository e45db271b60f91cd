// Wakers.swift: which threads wake the loops. A trace knows it. (I6, A8)

import CRunLoop

/// Records a trace, from the creation to `end()`, to know who wakes a loop. A command such as `trace` may record one already.
struct Wakers {
    /// The thread of Lab/CFSocket, com.apple.CFSocket.private. Linux keeps 15 bytes of its name.
    static let socketThread = "com.apple.CFSoc"

    private let recorder = TraceRecorder.current.withLock { $0 } == nil ? TraceRecorder() : nil

    func end() {
        _ = recorder?.finish("")
    }

    /// The name of the thread that last woke the calling thread's loop, as the system knows it; "" if none has.
    static var last: String {
        let thread = TraceRecorder.current.withLock { $0 }?.waker(of: CFRunLoopGetCurrent()) ?? 0
        return SystemThread.name(of: thread) ?? ""
    }
}
