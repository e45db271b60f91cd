// Article 2, 〈RunLoop与线程的关系〉: 2.3.
//
// pthread_t and NSThread, on three threads. What to see: both views agree everywhere, and a bare pthread gets its object when it asks.

import CRunLoop
import Glibc
import SwiftRunLoop

struct TwoThreadObjects: Program {
    let about = About(article: "2.3", seconds: 0.1)

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
