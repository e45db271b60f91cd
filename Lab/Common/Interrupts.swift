// Interrupts.swift: Ctrl-C, received by a thread of its own, whatever the loops are doing at that moment.

import Glibc

/// Calls `handler` on a thread of its own when SIGINT arrives. Call this before you create other threads: only later threads have the signal
/// blocked. If SIGINT is ignored, as in a shell's background jobs, it stays ignored.
func onInterrupt(_ handler: @escaping @Sendable () -> Void) {
    var action = sigaction()
    sigaction(SIGINT, nil, &action)
    let isIgnored = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    if isIgnored { return }
    var interrupt = onlyInterrupt()
    pthread_sigmask(SIG_BLOCK, &interrupt, nil)
    startThread {
        var interrupt = onlyInterrupt(), signal: Int32 = 0
        while sigwait(&interrupt, &signal) == 0 { handler() }
    }
}

/// Calls `handler` after some seconds, on a thread of its own, whatever the loops are doing then.
func after(_ seconds: Double, _ handler: @escaping @Sendable () -> Void) {
    startThread {
        usleep(useconds_t(seconds * 1e6))
        handler()
    }
}

/// A thread without a loop, which is none of the program's.
private func startThread(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let argument = Unmanaged.passRetained(Handler(call: body)).toOpaque()
    let error = pthread_create(&thread, nil, { argument in
        Unmanaged<Handler>.fromOpaque(argument!).takeRetainedValue().call()
        return nil
    }, argument)
    if error != 0 { fail(Text("cannot create a thread: \(reason(error))", "无法创建线程：\(reason(error))"), status: 1) }
    pthread_detach(thread)
}

private final class Handler: Sendable {
    let call: @Sendable () -> Void

    init(call: @escaping @Sendable () -> Void) {
        self.call = call
    }
}

private func onlyInterrupt() -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGINT)
    return set
}
