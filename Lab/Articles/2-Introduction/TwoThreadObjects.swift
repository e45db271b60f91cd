// Article 2, 〈RunLoop与线程的关系〉: 2.3.
//
// pthread_t and NSThread, on three threads. What to see: both views agree everywhere, and a bare pthread gets its object when it asks.

import CRunLoop
import Glibc
import SwiftRunLoop

struct TwoThreadObjects: Program {
    let about = About(
        name: "2.3", title: Text("pthread_t and NSThread: four ways to get them, on three threads", "pthread_t 与 NSThread：四种获取方式，在三个线程上"),
        says: Text("pthread_t and NSThread correspond one to one. You get the main one with pthread_main_thread_np or mainThread, the current one with pthread_self or currentThread. No function converts one into the other. The loops belong to pthreads.",
                   "pthread_t 和 NSThread 一一对应：pthread_main_thread_np 或 mainThread 获取主线程，pthread_self 或 currentThread 获取当前线程。没有提供相互转换的接口。CFRunLoop 是基于 pthread 管理的。"),
        notice: Text("""
            A thread that pthread_create has made has no NSThread at first. The first call of currentThread makes one, and the second returns the same. \
            So the correspondence is one to one only among the threads that have asked. The loop needs no NSThread at all: the bare pthread has its \
            loop before it has the object.
            """, "用 pthread_create 创建的线程起初没有 NSThread；第一次调用 currentThread 时才创建，第二次返回同一个对象。所以“一一对应”只对询问过的线程成立。RunLoop 根本不需要 NSThread：裸 pthread 在得到对象之前就有了 RunLoop。"),
        verdict: .roughly, seconds: 0.1)

    func run() {
        ask("main")
        lab.onThread("NSThread") { ask("NSThread") }
        var thread = pthread_t()
        pthread_create(&thread, nil, { _ in
            lab.observe("a loop before the NSThread", CFRunLoopGetCurrent() == CFRunLoopGetMain() ? "the main loop" : "its own")
            ask("pthread")
            return nil
        }, nil)
        pthread_join(thread, nil)
    }

    func judge() {
        lab.article.expect(Text("both views agree on each thread", "两种视角对每个线程的判断一致"), of: "is main by pthread_t, by NSThread",
                   is: ["main true true", "NSThread false false", "pthread false false"]) { $0.map(\.detail) }
        lab.article.expect(Text("three pthreads have three NSThreads", "三个 pthread 有三个 NSThread"), of: "NSThread asked for twice",
                   is: [3, 3]) { [$0.count, Set($0.map(\.detail)).count] }
        lab.article.expect(Text("the loop belongs to the pthread", "RunLoop 属于 pthread"), each: "a loop before the NSThread", \.detail, is: "its own")
        lab.expect(Text("asking a second time gives the same object", "再问一次得到同一个对象"), each: "the same object again", \.detail, is: "true")
        lab.expect(Text("all threads name the same main thread", "所有线程得到的主线程都相同"), of: "main thread", is: [3, 1]) {
            [$0.count, Set($0.map(\.detail)).count]
        }
    }
}

/// Asks in the four ways.
private func ask(_ name: String) {
    let current = NSThread.current, main = NSThread.mainThread
    let byPthread = pthread_equal(pthread_self(), pthread_main_thread_np()) != 0, byObject = current === main
    lab.observe("is main by pthread_t, by NSThread", "\(name) \(byPthread) \(byObject)")
    // The objects live on, so that no two get the same address.
    let kept = Unmanaged.passRetained(current)
    lab.observe("NSThread asked for twice", "\(kept.toOpaque())")
    lab.observe("the same object again", "\(NSThread.current === current)")
    lab.observe("main thread", "\(Unmanaged.passUnretained(main).toOpaque())")
    NSLog("\(name): pthread_self() == pthread_main_thread_np(): \(byPthread)\n    \(current)")
}
