// Article 1, 〈// 创建observer〉: 1.23; 〈Runloop的六种状态〉: 1.22 (also 2.7, 3.17); 〈CFRunLoopObserverRef类〉: 1.21.
//
// An observer with a switch over the six activities, on the main loop. What to see: their order in a run, and that the release ends nothing.

import CRunLoop
import SwiftRunLoop

// MARK: - The listing

private func observe() {
    // 创建observer
    var ob = CFRunLoopObserverCreateWithHandler(kCFAllocatorDefault, CFRunLoopActivity.allActivities.rawValue, true, 0) { _, activity in
        lab.observe("activity", value: Double(activity.rawValue))
        switch activity {
        case .entry: NSLog("kCFRunLoopEntry")
        case .beforeTimers: NSLog("kCFRunLoopBeforeTimers")
        case .beforeSources: NSLog("kCFRunLoopBeforeSources")
        case .beforeWaiting: NSLog("kCFRunLoopBeforeWaiting")
        case .afterWaiting: NSLog("kCFRunLoopAfterWaiting")
        case .exit: NSLog("kCFRunLoopExit")
        default: break
        }
    }
    CFRunLoopAddObserver(CFRunLoopGetMain(), ob, kCFRunLoopCommonModes)
    CFRelease(&ob)
}

// MARK: - Telling and judging

struct SixActivities: Program {
    let about = About(article: "1.23", seconds: 0.1)

    func run() {
        observe()
        NSRunLoop.main.add(NSTimer(timeInterval: 0.05, repeats: false) { _ in NSRunLoop.main.stop() }, forMode: .default)
        CFRunLoopRunInMode(kCFRunLoopDefaultMode, 10, false)
    }

    func judge() {
        lab.article.expect(Text("a run with one sleep goes through the six", "一次 run、一次休眠经过这六种状态"), lines: [
            "kCFRunLoopEntry", "kCFRunLoopBeforeTimers", "kCFRunLoopBeforeSources", "kCFRunLoopBeforeWaiting", "kCFRunLoopAfterWaiting", "kCFRunLoopExit",
        ])
        lab.expect(Text("their values are as in the enum", "它们的值与枚举一致"), of: "activity", is: [1, 2, 4, 32, 64, 128]) { $0.values }
    }
}

// 〈CFRunLoopObserverRef类〉: what the comments at two of its fields say.

struct ObserversTogether: Program {
    let about = About(article: "1.21", seconds: 0.1)

    func run() {
        let loop = NSRunLoop.main
        let observers = [2, 1].map { order in NSRunLoop.Observer(activities: .beforeTimers, order: order) { _, _ in lab.activity(.beforeTimers, "order \(order)") } }
        let modes = ["one", "two", "three"].map { NSRunLoop.Mode($0) }
        for mode in modes {
            loop.add(NSMachPort(), forMode: mode)
            for observer in observers { loop.add(observer, forMode: mode) }
        }
        for mode in modes {
            loop.run(mode: mode, before: Date(timeIntervalSinceNow: 0))
            NSLog(Text("the mode \(mode.rawValue): \(lab.times("order 1")) and \(lab.times("order 2")) notifications", "mode \(mode.rawValue)：通知 \(lab.times("order 1")) 次和 \(lab.times("order 2")) 次").description)
        }
        lab.onThread("other") {
            NSRunLoop.current.add(observers[0], forMode: .default)
            lab.observe("second loop", NSRunLoop.current.contains(observers[0], forMode: .default) ? "has it, too" : "does not get it")
        }
    }

    func judge() {
        lab.article.expect(Text("at most one observer at a time is notified", "同时间最多只通知一个"), order: ["order 1", "order 1", "order 1"], among: ["order 2"])
        lab.article.expectFound(Text("an observer can be in several loops", "一个 Observer 可以加入多个 RunLoop"), of: "second loop", ["has it, too"])
        lab.expect(Text("both are notified in each of the three modes, in their order", "三个 mode 里两个都收到通知，按 order 先后"),
                   order: ["order 1", "order 2", "order 1", "order 2", "order 1", "order 2"])
        lab.expectFound(Text("a second loop does not get the observer", "第二个 RunLoop 得不到这个 Observer"), of: "second loop", ["does not get it"])
    }
}
