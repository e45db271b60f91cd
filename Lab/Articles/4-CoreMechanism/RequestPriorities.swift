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
    let about = About(article: "4.22", seconds: 0.1, isPair: true)

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
