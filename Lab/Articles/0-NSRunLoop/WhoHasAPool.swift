// Article 0, 〈网上众说纷纭〉: 0.31.
//
// An object is autoreleased in four places. What to see: when it goes.

import SwiftRunLoop

struct WhoHasAPool: Program {
    let about = About(
        name: "0.31", title: Text("When an autoreleased object goes: on a thread with and without a pool, in a loop with and without one", "autorelease 的对象什么时候释放：线程和 RunLoop，各自有池和没有池"),
        says: Text("Only the main loop has a pool by itself. A thread that you make needs one of yours, or it leaks. Threads of NSThread and NSOperationQueue need it; GCD's queues make their own.",
                   "只有主线程的自动释放依赖 RunLoop 自动管理；子线程需要手动创建 autoreleasepool，否则会泄漏。NSThread 和 NSOperationQueue 需要手动创建，GCD 的队列会自行创建。"),
        notice: Text("""
            Without a pool the objects live until the thread ends: they do not leak, but a resident thread keeps them for ever. What the article says of queues cannot be shown here, because libdispatch \
            on Linux knows no Objective-C. On a Mac, both kinds of queues have pools around each piece of work, NSOperationQueue too. (Correction 43 of corrections.md.)
            """, "没有池，对象会活到线程结束：不算泄漏，但常驻线程会一直留着它们。文章关于队列的论断这里无法演示，因为 Linux 的 libdispatch 没有 Objective-C。在 Mac 上，两种队列都会为每个任务建池，NSOperationQueue 也一样。（见 corrections.zh.md 更正 43。）"),
        verdict: .roughly, seconds: 0.1)

    func run() {
        @Sendable func make(_ place: String) {
            AutoreleasePool.autorelease(Temporary { NSLog("\(place): 对象释放") })
        }
        lab.onThread("bare", untilGone: true) {
            make("线程")
            NSLog("线程: 任务结束")
        }
        lab.onThread("pool", untilGone: true) {
            autoreleasepool { make("线程，有池") }
            NSLog("线程，有池: 任务结束")
        }
        for (name, installs) in [("RunLoop", false), ("RunLoop，有池", true)] {
            lab.onThread(name, untilGone: true) {
                let runLoop = NSRunLoop.current
                runLoop.add(NSMachPort(), forMode: .default)
                if installs { AutoreleasePool.install(in: runLoop) }
                runLoop.perform { make(name) }
                runLoop.run(mode: .default, before: Date(timeIntervalSinceNow: lab.wait(0.05)))
                NSLog("\(name): run结束")
            }
        }
    }

    func judge() {
        func lines(_ claimant: some Claimant, _ name: String, _ first: String, _ second: String, _ claim: Text) {
            claimant.expect(claim, lines: ["\(name): \(first)", "\(name): \(second)"], with: "\(name): ")
        }
        lines(lab.article, "线程", "任务结束", "对象释放", Text("a thread without a pool keeps its objects", "没有池的线程留着对象"))
        lines(lab.article, "线程，有池", "对象释放", "任务结束", Text("a pool releases them", "有池就释放"))
        lines(lab.article, "RunLoop", "run结束", "对象释放", Text("a secondary thread's loop has no pool by itself", "子线程的 RunLoop 自己没有池"))
        lines(lab, "RunLoop，有池", "对象释放", "run结束", Text("with the two observers of the main loop it has", "装上主线程的那两个 Observer 就有了"))
    }
}
