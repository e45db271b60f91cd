// ThreadSampler.swift: the stack of another thread, taken while that thread runs.
//
// On a Mac a program suspends the thread (thread_suspend), reads its registers (thread_get_state) and follows the frame pointers. Linux lets
// no thread read the registers of another one of its process. But a signal makes a thread stop where it is and call a function on top of
// its stack; that function looks down the stack, and the thread goes on. So the stack is the thread's own, at the instant of the signal.

import Glibc
import Synchronization

/// Takes stacks of a thread, from another.
///
/// The signal is SIGURG, which a program does not notice otherwise: it is ignored by default, and debuggers let it pass without a word. As
/// with any signal, a call of the thread that sleeps (`sleep`, `poll`) may return early with EINTR; reads, writes and locks are resumed.
enum ThreadSampler {
    /// Sampling is done by one thread at a time.
    private static let turn = Mutex(())

    /// The return addresses on the stack of a thread, innermost first. The first is where the thread is.
    /// - Parameter thread: a thread that is alive; not the calling one.
    /// - Returns: no addresses if the thread blocks the signal, or gets no processor, for a second.
    static func addresses(of thread: pthread_t) -> [UInt] {
        guard let backtrace, installHandler else { return [] }
        return turn.withLock { _ in
            let sample = UnsafeMutablePointer<Sample>.allocate(capacity: 1)
            sample.initialize(to: Sample(backtrace: backtrace))
            sem_init(&sample.pointee.isTaken, 0, 0)
            defer { sample.pointee.end(); sample.deallocate() }
            wanted.store(sample, ordering: .releasing)
            if pthread_kill(thread, SIGURG) == 0, wait(for: sample) { return sample.pointee.addresses }
            // Nobody has come for the sample: nobody will, once it is taken back. If that fails, the handler is at work, and soon done.
            if wanted.exchange(nil, ordering: .acquiring) == nil { while sem_wait(&sample.pointee.isTaken) != 0 {} }
            return []
        }
    }

    private static func wait(for sample: UnsafeMutablePointer<Sample>) -> Bool {
        var limit = timespec()
        clock_gettime(CLOCK_REALTIME, &limit)
        limit.tv_sec += 1
        while sem_timedwait(&sample.pointee.isTaken, &limit) != 0 {
            if errno != EINTR { return false }
        }
        return true
    }

    /// backtrace(3), which the module Glibc leaves out. It follows the unwind tables, so it also gets through functions of the system, which
    /// keep no frame pointers.
    fileprivate typealias Backtrace = @convention(c) (UnsafeMutablePointer<UnsafeMutableRawPointer?>, Int32) -> Int32
    private static let backtrace = dlsym(nil, "backtrace").map { unsafeBitCast($0, to: Backtrace.self) }

    /// The handler is put in place once, for the whole process, and stays.
    private static let installHandler: Bool = {
        var address: UnsafeMutableRawPointer?
        _ = backtrace?(&address, 1) // the first call loads the unwinder, which a signal handler must not do
        var action = sigaction()
        action.__sigaction_handler.sa_sigaction = takeSample
        action.sa_flags = SA_SIGINFO | SA_RESTART
        return sigaction(SIGURG, &action, nil) == 0
    }()
}

/// What a handler fills in. All memory is there beforehand: the handler calls neither malloc nor Swift's runtime.
private struct Sample {
    let backtrace: ThreadSampler.Backtrace
    let frames = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: mostFrames)
    var count: Int32 = 0
    var instruction: UInt = 0 // where the thread was when the signal came
    var isTaken = sem_t()
    static let mostFrames = 256

    /// The frames of the handler itself stand before the one that the signal has interrupted.
    var addresses: [UInt] {
        let all = (0..<Int(count)).map { UInt(bitPattern: frames[$0]) }
        return Array(all[(all.firstIndex(of: instruction) ?? 0)...])
    }

    mutating func end() {
        sem_destroy(&isTaken)
        frames.deallocate()
    }
}

/// The sample that the next handler is to take. It belongs to who takes it out of here.
nonisolated(unsafe) private let wanted = Atomic<UnsafeMutablePointer<Sample>?>(nil)

/// The handler, on the thread whose stack it is. It calls only what may be called in a handler. A SIGURG that is somebody else's finds no
/// sample to take.
private func takeSample(_ signal: Int32, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?) {
    guard let sample = wanted.exchange(nil, ordering: .acquiringAndReleasing) else { return }
    let savedError = errno
    sample.pointee.count = sample.pointee.backtrace(sample.pointee.frames, Int32(Sample.mostFrames))
    sample.pointee.instruction = instruction(in: context!.assumingMemoryBound(to: ucontext_t.self))
    sem_post(&sample.pointee.isTaken)
    errno = savedError
}

private func instruction(in context: UnsafeMutablePointer<ucontext_t>) -> UInt {
    #if arch(x86_64)
    UInt(bitPattern: Int(context.pointee.uc_mcontext.gregs.16)) // REG_RIP
    #elseif arch(arm64)
    UInt(context.pointee.uc_mcontext.pc)
    #else
    0
    #endif
}
