// SystemCalls.swift: the system calls that take pointers, as functions of strings and numbers. Each gives the system the address and the size
// of memory that exists until the call returns, so all arguments are safe.

#if os(Linux)
package func writeToStandardError(_ text: String) { _ = unsafe write(STDERR_FILENO, text, text.utf8.count) }

/// Reads once, up to 64 KB. Returns nil after an error, whose number is in `errno`, and nothing at the end.
package func readBytes(from descriptor: Int32) -> [UInt8]? {
    var count = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, length in
        count = unsafe read(descriptor, buffer.baseAddress!, buffer.count)
        length = max(0, count)
    }
    return count < 0 ? nil : bytes
}

extension timespec {
    /// The time of a clock of the system.
    package init(now clock: clockid_t) {
        self.init()
        unsafe clock_gettime(clock, &self)
    }
}

/// Blocks the calling thread until a time of a clock.
func sleepUntil(_ time: timespec, of clock: clockid_t) {
    var time = time
    while unsafe clock_nanosleep(clock, Int32(TIMER_ABSTIME), &time, nil) == EINTR {}
}
#endif
