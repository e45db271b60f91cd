// lazy-loop: a loop is created when its thread first asks for it; the first request of all creates the main loop too.

import CRunLoop
import Glibc

struct LazyLoop: Experiment {
    let about = About(
        name: "lazy-loop", claims: ["R3", "R4"], group: .threads, seconds: 0.1,
        shows: Text("a thread has no loop until it asks for one; the first request also creates the main loop",
                    "线程不主动获取就没有 RunLoop；第一次获取还会创建主线程的 RunLoop"),
        setting: Text("""
            No thread of this process has asked for a loop yet. A thread looks into the dictionary of all loops, asks \
            for its own loop, and looks again. (It looks with _CFRunLoopGet0b, which creates nothing and is not \
            public.)
            """, """
            这个进程里还没有线程获取过 RunLoop。一个线程先查看保存所有 RunLoop 的 Dictionary，再获取自己的 \
            RunLoop，然后再看一次。（查看用的是 _CFRunLoopGet0b，它不创建任何东西，也不是公开的函数。）
            """),
        notice: Text("""
            The first look finds no loop, not even the main thread's. After the thread has asked, there are two loops. \
            A thread that ends without asking never has one.
            """, """
            第一次查看时一个 RunLoop 也没有，主线程的也没有。线程获取之后，就有了两个。线程如果直到结束都没\
            有获取，就从来没有 RunLoop。
            """),
        correction: Text("""
            Articles 2 and 4 say that the main thread has its loop from the start. That is true of an application, \
            whose framework asks early. The first request creates the main loop, whichever thread makes it. \
            (Correction 27 of corrections.md.)
            """, """
            文章 2 和文章 4 说主线程的 RunLoop 一开始就有。对 App 来说是这样，因为框架很早就获取了它。其实不\
            管哪个线程，第一次获取都会创建主线程的 RunLoop。（corrections.zh.md，更正 27。）
            """)
    )

    func run(_ lab: Lab) {
        let mainThread = pthread_self()
        lab.onThread("asks") {
            look(lab, mainThread)
            lab.note("CFRunLoopGetCurrent()")
            CFRunLoopGetCurrent()
            look(lab, mainThread)
        }
        lab.onThread("never asks") { look(lab, mainThread) }

        let none = "this thread: none", one = "this thread: a loop"
        lab.expect(Text("a thread has a loop from its first request on", "线程第一次获取之后才有 RunLoop"), order: [none, "CFRunLoopGetCurrent()", one], on: "asks",
                   among: [none, one])
        lab.expect(Text("the same request creates the main thread's loop", "同一次获取也创建了主线程的 RunLoop"),
                   order: ["main thread: none", "CFRunLoopGetCurrent()", "main thread: a loop"], on: "asks",
                   among: ["main thread: none", "main thread: a loop"])
        lab.expect(Text("a thread that does not ask has no loop", "不获取的线程没有 RunLoop"), order: [none], on: "never asks", among: [one])
    }

    private func look(_ lab: Lab, _ mainThread: pthread_t) {
        lab.note("this thread: " + (_CFRunLoopGet0b(pthread_self()) == nil ? "none" : "a loop"))
        lab.note("main thread: " + (_CFRunLoopGet0b(mainThread) == nil ? "none" : "a loop"))
    }
}
