// SystemCalls.swift: the system calls that take pointers, as functions of strings and numbers. Each gives the system
// the address and the size of memory that exists until the call returns, so all arguments are safe.

#if os(Linux)
package import FoundationEssentials

package func writeToStandardError(_ text: String) { _ = unsafe write(STDERR_FILENO, text, text.utf8.count) }

/// Reads once, up to 64 KB. Returns nil after an error, whose number is in `errno`, and nothing at the end.
package func readBytes(from descriptor: Int32) -> [UInt8]? {
    unsafe withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
        let count = unsafe read(descriptor, buffer.baseAddress!, buffer.count)
        return count < 0 ? nil : unsafe [UInt8](buffer[..<count])
    }
}

extension POSIXError {
    /// The error of the system call that has just failed.
    package static var last: POSIXError { POSIXError(number: errno) }

    package init(number: Int32) { self.init(POSIXErrorCode(rawValue: number) ?? .EIO) }
}

extension timespec {
    /// The time of a clock of the system.
    package init(now clock: clockid_t) {
        self.init()
        unsafe clock_gettime(clock, &self)
    }

    /// The same time as a number of seconds, which is not negative.
    init(seconds: TimeInterval) {
        let whole = seconds.rounded(.down)
        self.init(tv_sec: Int(whole), tv_nsec: min(Int((seconds - whole) * 1e9), 999_999_999))
    }
}

/// The monotonic clock's time in seconds (CLOCK_MONOTONIC).
func monotonicTime() -> TimeInterval {
    let time = timespec(now: CLOCK_MONOTONIC)
    return TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1e9
}

/// Blocks the calling thread until a clock has counted some seconds, if they are not over.
func sleepUntil(_ seconds: TimeInterval, of clock: clockid_t) {
    guard seconds > 0 else { return } // nor is it a number
    var time = timespec(seconds: min(seconds, 1e10)) // 300 years, more than the kernel's clock can count
    while unsafe clock_nanosleep(clock, Int32(TIMER_ABSTIME), &time, nil) == EINTR {}
}

/// Whether a descriptor is that of a file, pipe, terminal or socket, from which bytes come. What the kernel makes
/// without a file, such as an epoll instance, has no type.
package func hasFileType(_ fileDescriptor: Int32) -> Bool {
    var status = stat()
    return unsafe fstat(fileDescriptor, &status) == 0 && status.st_mode & S_IFMT != 0
}
#endif
