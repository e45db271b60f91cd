// Article 3, 〈4、Runloop本质:mach port和mach_msg()〉: 3.21, a question that the article asks.
//
// Passes with a block and one item of each kind. What to see: which function of the loop calls each of them.

import Dispatch
import Glibc
import SwiftRunLoop

struct OnePass: Program {
    let about = About(
        name: "3.21", title: Text("Who handles an event: DoBlock, or the callback?", "事件是在 DoBlock 里处理，还是在回调里处理？"),
        says: Text("The loop waits for messages. It looks at the kind of a message, handles the event, and calls the mode item's callback back. (Whether the event is handled in DoBlock or in the callback, the author does not know yet.)",
                   "Runloop 通过 mach_msg() 等消息；有消息时判断类型、处理事件，并通过 modeItem 的 callback 回调。（处理事件的具体执行是在 DoBlock 里还是在回调里，作者还不明白???）"),
        notice: Text("""
            In the callback. Each kind of item has a function that calls it, and a callout of its own, which stands in the stack. __CFRunLoopDoBlocks \
            performs what CFRunLoopPerformBlock has queued, and nothing else. An event of the main queue is the queue's own code.
            """, "在回调里。每种 item 都有负责调用它的函数和自己的 callout，在调用栈里看得到。__CFRunLoopDoBlocks 只执行 CFRunLoopPerformBlock 放进来的 block，别的都不做。主队列的任务由队列自己的代码执行。"),
        verdict: .question, seconds: 0.3)

    func run() {
        let (readEnd, writeEnd) = makePipe(), loop = RunLoop.main, soon = lab.wait(0.03)
        loop.perform { handled(.block) }
        let source0 = RunLoop.Source { handled(.source0) }
        let source1 = RunLoop.Source(fileDescriptor: readEnd) { _, _ in
            handled(.source1)
            close(writeEnd)
            RunLoop.main.stop()
        }
        loop.add(source0, forMode: .default)
        loop.add(source1, forMode: .default)
        source0.signal()
        loop.add(NSTimer(timeInterval: soon, repeats: false) { _ in
            handled(.timer)
            DispatchQueue.main.async {
                handled(.mainQueue)
                write(writeEnd, "x", 1)
            }
        }, forMode: .default)
        loop.runUntilStopped()
    }

    func judge() {
        let kinds: [Callout] = [.block, .source0, .timer, .mainQueue, .source1]
        lab.article.expect(Text("each event is handled in a callback of its kind", "每个事件都在自己那一类的回调里处理"), of: "handled",
                   is: kinds.map(\.rawValue)) { $0.map(\.kind) }
        lab.expect(Text("the steps: blocks, Source0, then one port a pass", "步骤：block、Source0，然后每轮处理一个端口"), of: "handled",
                   is: ["3", "4", "9.1", "9.2", "9.3"]) { $0.map(\.step) }
        lab.expect(Text("__CFRunLoopDoBlocks has called the block alone", "__CFRunLoopDoBlocks 只调用了 block"), of: "stack",
                   is: ["block"]) { $0.filter { $0.detail.contains("__CFRunLoopDoBlocks") }.map { String($0.detail.prefix { $0 != ":" }) } }
        lab.expect(Text("each callback stands above the callout of its kind", "每个回调都在自己那一类 callout 之上"), of: "stack",
                   is: ["BLOCK", "SOURCE0", "TIMER", "DISPATCH", "SOURCE1"]) { stacks in
            stacks.map { stack in
                stack.detail.firstMatch(of: /__CFRUNLOOP_IS_[A-Z_]*?(BLOCK|SOURCE0|TIMER|DISPATCH|SOURCE1)/).map { String($0.1) } ?? "-"
            }
        }
    }
}

@inline(never)
private func handled(_ callout: Callout) {
    lab.callout(callout, "handled")
    let frames = stack(from: "handled(_:)").filter { $0.hasPrefix("__CFR") }
    lab.observe("stack", "\(callout.rawValue): \(frames.joined(separator: stackSeparator))")
    NSLog("\(callout.rawValue)")
    for frame in frames { NSLog("    \(frame)") }
}
