// Article 0, 〈②如何创建RunLoop?〉: 0.1.
//
// Four functions give a loop, none creates one on request. What to see: the first call of a thread makes its loop; the main loop comes along.

import CRunLoop
import SwiftRunLoop

// MARK: - The listing

/// Calls the four functions, and logs which of the loops are one.
private func ask(_ thread: String) {
    let current = NSRunLoop.current
    let main = NSRunLoop.main
    let cfMain = CFRunLoopGetMain()
    let cfCurrent = CFRunLoopGetCurrent()
    NSLog("\(thread): currentRunLoop == CFRunLoopGetCurrent() \(current.getCFRunLoop() == cfCurrent)")
    NSLog("\(thread): mainRunLoop == CFRunLoopGetMain() \(main.getCFRunLoop() == cfMain)")
    NSLog("\(thread): currentRunLoop == mainRunLoop \(current === main)")
    NSLog("\(thread): 再次获取 \(current === NSRunLoop.current && cfMain == CFRunLoopGetMain())")
}

// MARK: - Telling and judging

struct FourGetters: Program {
    let about = About(article: "0.1", seconds: 0.1)

    func run() {
        let mainThread = pthread_self()
        lab.observe("before", loops(mainThread))
        nonisolated(unsafe) weak var loop: NSRunLoop?
        nonisolated(unsafe) var mainOfOther: CFRunLoop?
        lab.onThread("subThread", untilGone: true) {
            lab.observe("not asked", loops(mainThread))
            _ = CFRunLoopGetCurrent() // this call alone
            lab.observe("asked", loops(mainThread))
            ask("子线程")
            loop = NSRunLoop.current
            mainOfOther = CFRunLoopGetMain()
        }
        lab.observe("the thread's loop", loop == nil ? "has gone with its thread" : "is still there")
        ask("主线程")
        lab.observe("the main loop", mainOfOther == CFRunLoopGetCurrent() ? "the same" : "another")
    }

    /// Which of the two threads have a loop. _CFRunLoopGet0b looks, and creates none.
    private func loops(_ mainThread: pthread_t) -> String {
        "\(_CFRunLoopGet0b(mainThread) == nil ? "no" : "a") main loop, \(_CFRunLoopGet0b(pthread_self()) == nil ? "no" : "a") loop of this thread"
    }

    func judge() {
        lab.article.expectFound(Text("a thread that has not asked has no loop", "没有获取过的线程没有 RunLoop"), of: "not asked", ["no main loop, no loop of this thread"])
        lab.article.expectFound(Text("the first call makes the thread's loop, and the main loop with it", "第一次获取时创建，主线程的 RunLoop 一并创建"), of: "asked", ["a main loop, a loop of this thread"])
        lab.article.expect(Text("each thread has one loop, the same at each call; the main loop is the same for both", "每个线程一个 RunLoop，每次获取都相同；两个线程得到同一个主线程 RunLoop"), lines: [
            "子线程: currentRunLoop == CFRunLoopGetCurrent() true", "子线程: mainRunLoop == CFRunLoopGetMain() true",
            "子线程: currentRunLoop == mainRunLoop false", "子线程: 再次获取 true",
            "主线程: currentRunLoop == CFRunLoopGetCurrent() true", "主线程: mainRunLoop == CFRunLoopGetMain() true",
            "主线程: currentRunLoop == mainRunLoop true", "主线程: 再次获取 true",
        ])
        lab.article.expectFound(Text("the loop ends with its thread", "线程结束时 RunLoop 销毁"), of: "the thread's loop", ["has gone with its thread"])
        lab.expectFound(Text("at the start no thread has a loop, not even the main thread", "一开始谁都没有 RunLoop，主线程也没有"), of: "before", ["no main loop, no loop of this thread"])
        lab.expectFound(Text("the main loop that the thread got is the main thread's", "子线程得到的主线程 RunLoop 就是主线程自己的"), of: "the main loop", ["the same"])
    }
}
