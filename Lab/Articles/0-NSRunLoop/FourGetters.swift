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
    let about = About(
        name: "0.1", claims: ["R1", "R2", "R3", "R4"], title: Text("The four functions that return a loop, on the main thread and on another", "获取 RunLoop 的四个函数，分别在主线程和子线程调用"),
        says: Text("""
            A loop cannot be created directly; four functions return one. Each thread has one, from the first call to the thread's end, and a thread that never asks has \
            none. A thread can get its own loop and the main loop, no other. The main loop exists whichever thread asks first.
            """, "不能直接创建 RunLoop，只有四个获取的函数。线程和 RunLoop 一一对应：第一次获取时创建，线程结束时销毁；不获取就一直没有。线程只能获取自己的 RunLoop 和主线程的 RunLoop。任意一个子线程的 RunLoop 都会保证主线程的 RunLoop 存在。"),
        notice: Text("""
            The two Swift properties and the two C functions return the same loop: an NSRunLoop stands for a CFRunLoop. Here the second thread asks first, before the main \
            thread has a loop, and the main loop is made by that call.
            """, "两个 Swift 属性和两个 C 函数返回的是同一个 RunLoop：NSRunLoop 是对 CFRunLoop 的封装。这里由子线程先获取，此时主线程还没有 RunLoop，主线程的 RunLoop 就是由这次调用创建的。"),
        verdict: .asTheArticleSays, seconds: 0.1)

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
