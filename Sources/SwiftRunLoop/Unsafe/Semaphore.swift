// Semaphore.swift: the system's semaphore.

#if os(Linux)
internal import FoundationEssentials

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
