// Article 0, 〈网上众说纷纭〉: 0.31.
//
// An object is autoreleased in four places. What to see: when it goes.

import SwiftRunLoop

struct WhoHasAPool: Program {
    let about = About(article: "0.31", seconds: 0.1)

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
