// Monitor.swift: a lock with a condition, and a semaphore. Only the classes whose callers wait use the lock,
// MessageQueue and ThreadCalls; all others use the standard library's Mutex, which has no condition.

#if os(Linux)
internal import CRunLoop
internal import FoundationEssentials

/// A mutex and a condition variable. No locked section calls a client.
@safe final class Monitor: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(condition, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Calls `body` while no other thread is in a locked section of this monitor. Does not nest.
    func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Unlocks the monitor and waits until another thread calls `wakeAll`, or until the date. Call this in a locked
    /// section.
    ///
    /// The condition uses the same clock as dates, so setting the system's clock makes a wait longer or shorter.
    /// - Returns: false at the date. It may return true without a call of `wakeAll`, so the caller must check its
    ///   condition again.
    func wait(until date: Date) -> Bool {
        let seconds = date.timeIntervalSince1970
        guard seconds > 0 else { return false } // before 1970, or not a number
        guard seconds < Monitor.endOfTime else { return unsafe pthread_cond_wait(condition, mutex) == 0 }
        var deadline = timespec(seconds: seconds)
        return unsafe pthread_cond_timedwait(condition, mutex, &deadline) == 0
    }

    /// Ends the waits of all threads.
    func wakeAll() { unsafe pthread_cond_broadcast(condition) }
    private static let endOfTime = 9e9 // seconds since 1970: the kernel's clock ends in the year 2262
}

/// A semaphore for two threads, one of which waits once. It costs less than a DispatchSemaphore.
@safe struct Semaphore: ~Copyable, @unchecked Sendable {
    private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

    init() { unsafe sem_init(semaphore, 0, 0) }

    deinit {
        unsafe sem_destroy(semaphore)
        unsafe semaphore.deallocate()
    }

    func signal() { unsafe sem_post(semaphore) }

    /// Waits until another thread has called `signal`.
    func wait() {
        while unsafe sem_wait(semaphore) != 0 {} // a signal handler has run
    }
}
#endif
