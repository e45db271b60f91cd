// ThreadSampler.swift: threads, their stacks as addresses, and what a loop has counted.

#if os(Linux)
internal import CRunLoop
internal import CRunLoopDiagnostics
internal import SwiftRunLoop

/// A thread of the system.
@safe struct SystemThread: @unchecked Sendable {
    private let thread: pthread_t

    /// The calling thread.
    static var current: SystemThread { SystemThread(thread: pthread_self()) }

    /// Whether this is the calling thread. Ask a thread that has ended no more.
    var isCaller: Bool { pthread_equal(thread, pthread_self()) != 0 }

    /// The addresses on the stack of the thread, which must be another one and not end meanwhile; none if it does not
    /// answer in time.
    func stack(mostFrames: Int, milliseconds: Int32) -> [UInt] {
        unsafe [UInt](unsafeUninitializedCapacity: mostFrames) { buffer, count in
            count = unsafe Int(CThreadSamplerTake(thread, buffer.baseAddress, Int32(buffer.count), milliseconds))
        }
    }
}

/// The monotonic clock's time.
func nanoseconds() -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
#endif
