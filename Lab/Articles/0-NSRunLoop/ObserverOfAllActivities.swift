// Article 0, 〈Observer是什么?〉: 0.6.
//
// An observer of all activities, made in C. What to see: the six values, in the order of a pass.

import CRunLoop
import SwiftRunLoop

// MARK: - The listing

private func observe() {
    let observer = CFRunLoopObserverCreateWithHandler(CFAllocatorGetDefault(), CFRunLoopActivity.allActivities.rawValue, true, 0) { _, activity in
        NSLog("----监听到RunLoop状态发生改变---\(activity.rawValue)")
    }
    CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, kCFRunLoopDefaultMode)
}

// MARK: - Telling and judging

struct ObserverOfAllActivities: Program {
    let about = About(
        name: "0.6", title: Text("An observer prints each activity of a loop", "用 Observer 打印 RunLoop 的每个状态"),
        says: Text("An observer listens to a loop and reports its state. NSRunLoop has no method for it; CFRunLoop has.", "Observer 相当于消息循环中的监听器，随时通知外部 RunLoop 的运行状态。NSRunLoop 没有相关方法，只能通过 CFRunLoop 创建。"),
        notice: Text("""
            The numbers are bits: Entry 1, BeforeTimers 2, BeforeSources 4, BeforeWaiting 32, AfterWaiting 64, Exit 128; 8 and 16 do not exist. The run is stopped while \
            it sleeps, so 128 follows on the first 64. The port only keeps the mode from being empty: without it there would be no line at all.
            """, "这些数字是位：Entry 1、BeforeTimers 2、BeforeSources 4、BeforeWaiting 32、AfterWaiting 64、Exit 128；没有 8 和 16。这次 run 在休眠时被 CFRunLoopStop 结束，所以第一个 64 之后就是 128。端口只是让 mode 不为空：没有它，一行也不会打印。"),
        verdict: .asTheArticleSays, seconds: 0.1)

    func run() {
        lab.onThread("subThread") {
            observe()
            NSRunLoop.current.add(NSMachPort(), forMode: .default)
            let runLoop = CFRunLoopGetCurrent()!
            let user = lab.startThread("user") {
                lab.waitUntil { CFRunLoopIsWaiting(runLoop) }
                CFRunLoopStop(runLoop)
            }
            NSRunLoop.current.run(mode: .default, before: .distantFuture)
            lab.waitUntil { user.isFinished }
        }
    }

    func judge() {
        lab.article.expect(Text("the six activities, in the order of a pass", "六个状态，顺序与一轮循环一致"), lines: [1, 2, 4, 32, 64, 128].map { "----监听到RunLoop状态发生改变---\($0)" })
        lab.expect(Text("the loop is in these steps when it notifies", "通知时 RunLoop 所在的步骤"), of: linesLogged, is: ["1", "2", "3", "6", "8", "10"]) { $0.map(\.step) }
    }
}
