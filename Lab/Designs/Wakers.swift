// Wakers.swift: which threads wake the loops. The library knows it while it records a trace. (I6, A8)

import CRunLoop

/// Makes the library know who wakes a loop, from the creation to `end()`. A command such as `trace` may record a trace already.
struct Wakers {
    /// The thread of all CFSockets, com.apple.CFSocket.private. Linux keeps 15 bytes of its name.
    static let socketThread = "com.apple.CFSoc"

    private let records = CFRunLoopTraceStart()

    func end() {
        if records { CFRunLoopTraceStop() }
    }

    /// The name of the thread that last woke the calling thread's loop, as the system knows it; "" if none did.
    static var last: String {
        var state = CFRunLoopTraceState()
        CFRunLoopTraceGetState(CFRunLoopGetCurrent(), &state)
        return SystemThread.name(of: state.lastSender) ?? ""
    }
}
