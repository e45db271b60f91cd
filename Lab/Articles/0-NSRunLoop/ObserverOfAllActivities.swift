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
    let about = About(article: "0.6", seconds: 0.1)

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
