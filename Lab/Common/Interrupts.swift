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
    var thread = pthread_t()
    let argument = Unmanaged.passRetained(Handler(call: handler)).toOpaque()
    let error = pthread_create(&thread, nil, { argument in
        let handler = Unmanaged<Handler>.fromOpaque(argument!).takeRetainedValue()
        var interrupt = onlyInterrupt(), signal: Int32 = 0
        while sigwait(&interrupt, &signal) == 0 { handler.call() }
        return nil
    }, argument)
    if error != 0 { fail(Text("cannot create a thread for Ctrl-C: \(reason(error))", "无法为 Ctrl-C 创建线程：\(reason(error))"), status: 1) }
    pthread_detach(thread)
}

/// Calls `handler` after some seconds, on a thread of its own, whatever the loops are doing then.
func after(_ seconds: Double, _ handler: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let argument = Unmanaged.passRetained(Handler { usleep(useconds_t(seconds * 1e6)); handler() }).toOpaque()
    let error = pthread_create(&thread, nil, { argument in
        Unmanaged<Handler>.fromOpaque(argument!).takeRetainedValue().call()
        return nil
    }, argument)
    if error != 0 { fail(Text("cannot create a thread for the time limit: \(reason(error))", "无法为超时创建线程：\(reason(error))"), status: 1) }
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
