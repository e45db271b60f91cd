// SystemTime.swift: the system's clocks in seconds. The standard library's clocks do not show the time that they read.

#if os(Linux)
internal import FoundationEssentials

/// The monotonic clock's time in seconds (CLOCK_MONOTONIC).
func monotonicTime() -> TimeInterval {
    let time = timespec(now: CLOCK_MONOTONIC)
    return TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1e9
}

extension timespec {
    /// The same time as a number of seconds, which is not negative.
    init(seconds: TimeInterval) {
        let whole = seconds.rounded(.down)
        self.init(tv_sec: Int(whole), tv_nsec: min(Int((seconds - whole) * 1e9), 999_999_999))
    }
}
#endif
