// loop-ends: a loop ends with its thread, after the other data of that thread.

import CRunLoop
import Glibc
import SwiftRunLoop

struct LoopEnds: Program {
    let about = About(
        name: "loop-ends", claims: ["R6"], group: .threads,
        title: Text("a loop ends with its thread, after the thread's other data", "RunLoop 随线程结束而销毁，而且在线程的其他数据之后"),
        setting: Text("""
            A thread puts a source into its loop and stores a value as thread-specific data, with a destructor that \
            asks for the loop. Then the thread ends. The source's cancel callback reports when it leaves the loop.
            """, """
            一个线程在自己的 RunLoop 里放一个 Source，又存一个线程私有数据，它的析构函数会获取 RunLoop。然后\
            线程结束。Source 离开 RunLoop 时，它的 cancel 回调会报告。
            """),
        notice: Text("""
            The destructor is called first and still gets the same loop, with the source in it: the loop's finalizer \
            puts itself off until one of the last destructor rounds. Then the source leaves the loop, and the loop is \
            deallocated.
            """, """
            先调用析构函数，它拿到的还是同一个 RunLoop，Source 也还在里面，因为 RunLoop 的终结函数会推迟到最\
            后几遍析构。然后 Source 离开 RunLoop，RunLoop 销毁。
            """),
        correction: Text("""
            Article 2 says that the finalizer is registered once for the thread. What is registered is a countdown of \
            destructor rounds. (Correction 24 of corrections.md.)
            """, """
            文章 2 说终结函数只为线程注册一次。实际注册的是一个计数，每一遍析构减一。（corrections.zh.md，更\
            正 24。）
            """),
        seconds: 0.1
    )

    func run() {
        RunLoop.main.wakeUp() // creates the library's pthread key before the key below, so its destructor is the first in each round
        var key = pthread_key_t()
        pthread_key_create(&key, isDestroyed)
        let data = key

        lab.onThread("mortal", untilGone: true) {
            let loop = RunLoop.current
            ScheduledSource(cancel: { _, _ in lab.note("the source leaves its loop") }).add(to: loop, forMode: .default)
            pthread_setspecific(data, UnsafeRawPointer(bitPattern: address(of: loop.getCFRunLoop())))
            lab.note("the thread's function returns")
        }
    }

    func judge() {
        lab.expect(Text("the loop ends after the thread's function, and after the other destructors",
                        "RunLoop 在线程函数返回、其他析构函数执行之后才销毁"),
                   order: ["the thread's function returns", "destructor: still the same loop", "the source leaves its loop"],
                   among: ["destructor: another loop"])
        lab.expect(Text("the loop ends on its own thread", "RunLoop 在自己的线程上销毁"), each: "the source leaves its loop", \.thread, is: "mortal")
    }
}

/// The destructor of the thread's data, which is the address of its loop.
private func isDestroyed(_ value: UnsafeMutableRawPointer?) {
    let isSame = address(of: CFRunLoopGetCurrent()!) == Int(bitPattern: value)
    lab.note(isSame ? "destructor: still the same loop" : "destructor: another loop")
}
