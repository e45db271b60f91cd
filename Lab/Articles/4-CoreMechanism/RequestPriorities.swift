// Article 4, 〈请求优先级管理〉: 4.22.
//
// Requests of two priorities wait for a network thread. What to see: the modes make no difference as long as the thread stays in the default one.

import Dispatch
import SwiftRunLoop
import Synchronization

// MARK: - The listing

private final class Sender: Performing, Sendable {
    private let waitingHigh = Atomic(0) // only the cure looks at it
    private static let busy = RunLoop.Mode("busy")

    func willSendHigh() { waitingHigh.wrappingAdd(1, ordering: .relaxed) }

    /// As the article has it.
    func networkThreadEntryPoint() {
        let runLoop = NSRunLoop.current
        runLoop.add(NSMachPort(), forMode: .default)
        runLoop.run()
    }

    /// The thread chooses the mode of its next run. A request that arrives during a run of the default mode ends that run.
    func curedEntryPoint() {
        let runLoop = NSRunLoop.current
        runLoop.addCommonMode(Self.busy)
        runLoop.add(NSMachPort(), forMode: .common)
        while true { runLoop.run(mode: waitingHigh.load(ordering: .relaxed) > 0 ? Self.busy : .default, before: .distantFuture) }
    }

    func sendHighPriorityRequest() {
        waitingHigh.wrappingSubtract(1, ordering: .relaxed)
        NSLog("sendHighPriorityRequest")
        lab.callout(.source0, "sendHighPriorityRequest")
    }

    func sendLowPriorityRequest() {
        NSLog("sendLowPriorityRequest")
        lab.callout(.source0, "sendLowPriorityRequest")
    }
}

// MARK: - Telling and judging

struct RequestPriorities: Program {
    let about = About(
        name: "4.22", claims: ["A6"], title: Text("Requests of two priorities on the network thread", "网络线程上两种优先级的请求"),
        says: Text("Requests of high priority are performed in the common modes, at any time; those of low priority in the default mode, only when the system is idle.",
                   "高优先级请求用 common modes，无论何时都会处理；低优先级请求用默认 mode，只在系统空闲时处理。"),
        notice: Text("""
            The network thread runs its loop in the default mode and in no other, and there both kinds are served in the order in which they came. A secondary thread has no \
            tracking mode either, and a mode says nothing about idleness. The cure gives the thread a second common mode, “busy”, and runs it there as long as high ones wait: \
            the low ones are not in that mode. (The listing's networkThread is also not declared; it is a method of the class.)
            """, """
            网络线程一直运行在默认 mode，在这里两种请求按到来的顺序处理。子线程没有 tracking mode，mode 也与系统是否空闲无关。改正：给线程再加一个 common mode，叫 busy，\
            只要还有高优先级请求，就运行在 busy 里，低优先级请求不在这个 mode 中。（代码里的 networkThread 也没有声明，它是类方法。）
            """),
        verdict: .otherwise, seconds: 0.1, isPair: true)

    private static let requests = 3

    func run() {
        let sender = Sender()
        let thread = NSThread { form == .asWritten ? sender.networkThreadEntryPoint() : sender.curedEntryPoint() }
        thread.name = "NetworkThread"
        thread.start()

        let gate = DispatchSemaphore(value: 0)
        try? NSThread.perform(on: thread, waitUntilDone: false) { // the thread is busy until all requests wait
            lab.note("gate")
            gate.wait()
        }
        lab.waitUntil { lab.times("gate") == 1 }
        for _ in 1...Self.requests {
            try? sender.perform(Sender.sendLowPriorityRequest, on: thread, waitUntilDone: false, modes: [.default])
            sender.willSendHigh()
            try? sender.perform(Sender.sendHighPriorityRequest, on: thread, waitUntilDone: false, modes: [.common])
        }
        gate.signal()
        lab.waitUntil { lab.lines(with: "").count == 2 * Self.requests }
    }

    func judge() {
        let high = "sendHighPriorityRequest", low = "sendLowPriorityRequest"
        let sorted = Array(repeating: high, count: Self.requests) + Array(repeating: low, count: Self.requests)
        let claimant: any Claimant = form == .cured ? lab : lab.article
        claimant.expect(Text("all of high priority come first", "高优先级的全部先处理"), lines: sorted)
        if form == .cured {
            lab.expect(Text("those are performed in the mode “busy”", "它们在 busy 里执行"), each: high, \.mode, is: "busy")
            return lab.expect(Text("the others in the default mode", "其余的在默认 mode 里执行"), each: low, \.mode, is: "default")
        }
        lab.expect(Text("they are performed in the order in which they came", "按到来的顺序执行"), lines: Array(repeating: [low, high], count: Self.requests).flatMap { $0 })
        lab.expect(Text("all in the default mode, also those of high priority", "全部在默认 mode 里，高优先级的也一样"), each: high, \.mode, is: "default")
    }
}
