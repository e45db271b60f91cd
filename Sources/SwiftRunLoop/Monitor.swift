// Monitor.swift: a lock with a condition, for the two classes whose callers wait: MessageQueue and PerformQueue. All others use Mutex.

internal import CRunLoop
internal import FoundationEssentials
internal import Glibc

/// A mutex and a condition variable. No locked section of this library calls a client.
final class Monitor: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Calls `body` while no other thread is in a locked section of this monitor. Does not nest.
    func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Unlocks the monitor until another thread calls `wakeAll`, or until the date; it returns false at the date. Call this in a locked
    /// section. It may return true without cause, so the caller checks its condition again. The condition uses the same clock as dates, so
    /// a change of the clock counts.
    func wait(until date: Date) -> Bool {
        let seconds = date.timeIntervalSince1970
        guard seconds > 0 else { return false } // before 1970, or not a number
        guard seconds < Monitor.endOfTime else { return pthread_cond_wait(condition, mutex) == 0 }
        var deadline = timespec(tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1e9))
        return pthread_cond_timedwait(condition, mutex, &deadline) == 0
    }

    /// Ends the waits of all threads.
    func wakeAll() {
        pthread_cond_broadcast(condition)
    }

    private static let endOfTime = 9e9 // seconds since 1970: the kernel's clock ends in the year 2262
}
