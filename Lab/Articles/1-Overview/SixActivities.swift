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
    let about = About(
        name: "1.23", claims: ["O1"], title: Text("An observer prints the six activities of a run", "Observer 打印一次 run 的六种状态"),
        says: Text("All six activities can be observed: Entry, BeforeTimers, BeforeSources, BeforeWaiting, AfterWaiting, Exit.",
                   "六种状态都可以被 Observer 观察到：Entry、BeforeTimers、BeforeSources、BeforeWaiting、AfterWaiting、Exit。"),
        notice: Text("""
            One run with one pass and one sleep prints each once. CFRelease gives up the program's reference; the loop has its own, so the observer stays. \
            The enum has gaps, 8 and 16, which no version uses. In the listing the masks are shifts: 1 << 0, 1 << 1, 1 << 2, 1 << 5, 1 << 6, 1 << 7.
            """, "一次 run、一轮循环、一次休眠，六种状态各打印一次。CFRelease 放弃的是程序自己的引用；RunLoop 另有一份，所以 Observer 还在。枚举中的 8 和 16 没有版本使用。代码里的值是移位：1 << 0、1 << 1、1 << 2、1 << 5、1 << 6、1 << 7。"),
        verdict: .asTheArticleSays, seconds: 0.1)

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
    let about = About(
        name: "1.21", title: Text("Two observers of one activity, and one observer in three modes", "两个 Observer 观察同一状态；一个 Observer 加入三个 mode"),
        says: Text("An observer has an activity mask and a callback. _rlCount is the number of loops that it was added to. (At _order:) at most one can observe at the same time.",
                   "每个 Observer 有状态掩码和回调。_rlCount 是添加该 Observer 的 RunLoop 对象个数。（_order 处：）同时间最多只能监听一个。"),
        notice: Text("""
            All observers of an activity are notified; _order sorts them, the lower one first. _rlCount counts the modes: an observer is in one loop at most, \
            and adding it to a second loop has no effect. The fields of the struct are in ANNOTATIONS.md, 2.2.
            """, "同一状态的所有 Observer 都会收到通知，_order 决定先后，小的在前。_rlCount 计的是 mode 的个数：一个 Observer 最多在一个 RunLoop 里，加到第二个 RunLoop 没有效果。结构体字段见 ANNOTATIONS.md 2.2。"),
        verdict: .otherwise, seconds: 0.1)

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
