// SystemThread.swift: the threads of this process, by their ids in the system.

import Glibc
import RunLoopDiagnostics
import SwiftRunLoop

enum SystemThread {
    /// The id of the calling thread. The kernel does not reuse it for a long time.
    static var current: Int32 {
        Int32(target(ofLink: "/proc/thread-self").split(separator: "/").last ?? "") ?? 0 // of "123/task/456"
    }

    /// The name of a thread; nil if it has no name of its own, or has ended.
    static func name(of thread: Int32) -> String? {
        if thread == getpid() { return "main" }
        guard let name = givenName(of: thread), name != givenName(of: getpid()) else { return nil }
        return name.contains("-qos") ? "dispatch" : name // the kernel keeps only 15 characters of the queue's name
    }

    /// Whether libdispatch has started the calling thread, which is not the main thread. In Swift 6.2 such a thread has no name of its own.
    static var isDispatchs: Bool {
        Thread.callStackReturnAddresses.suffix(6).contains { StackFrame(address: $0, isReturnAddress: true).file == "libdispatch.so" }
    }

    /// An unnamed thread has the name of the thread that started it. The main thread has the program's name.
    private static func givenName(of thread: Int32) -> String? {
        contents(of: "/proc/self/task/\(thread)/comm").map { $0.trimming("\n") }
    }

    /// The kernel's letter for the state of the main thread: it stands after the program's name.
    static var stateOfMain: String {
        contents(of: "/proc/self/task/\(getpid())/stat")?.split(separator: ") ").last?.prefix(1).description ?? "?"
    }
}
