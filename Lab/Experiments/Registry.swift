// registry: each thread has one loop; four functions return loops.

import CRunLoop
import SwiftRunLoop

struct Registry: Experiment {
    let about = About(
        name: "registry", claims: ["R1", "R2"], group: .threads, seconds: 0.1,
        shows: Text("four getters return loops; each thread has a loop of its own", "四个函数可以获取 RunLoop；每个线程都有自己的 RunLoop"),
        setting: Text("""
            The main thread and two other threads ask for loops: with CFRunLoopGetCurrent, CFRunLoopGetMain, \
            RunLoop.current and RunLoop.main. There is no fifth function, and no function that creates a loop.
            """, """
            主线程和另外两个线程分别用 CFRunLoopGetCurrent、CFRunLoopGetMain、RunLoop.current 和 \
            RunLoop.main 获取 RunLoop。没有第五个函数，也没有创建 RunLoop 的函数。
            """),
        notice: Text("""
            Asking twice returns the same loop. Every thread gets the same main loop, and its own loop as the current \
            one; on the main thread both are the same. RunLoop is a wrapper of CFRunLoop.
            """, """
            获取两次，得到的是同一个 RunLoop。每个线程得到的主 RunLoop 都一样，当前 RunLoop 则是各自的；在主\
            线程上两者相同。RunLoop 是对 CFRunLoop 的封装。
            """)
    )

    func run(_ lab: Lab) {
        ask(lab)
        lab.onThread("one") {
            ask(lab)
            lab.onThread("other") { ask(lab) } // while the first thread is alive, because its loop ends with it
        }

        let current = "CFRunLoopGetCurrent", main = "CFRunLoopGetMain"
        lab.expect(Text("on the main thread the current loop is the main loop", "在主线程上，当前 RunLoop 就是主 RunLoop"), of: current, main, is: 1) {
            Set($0.filter { $0.thread == "main" }.map(\.detail)).count
        }
        lab.expect(Text("all three threads get the same main loop", "三个线程得到的主 RunLoop 都一样"), of: main, is: [3, 1]) { [$0.count, Set($0.map(\.detail)).count] }
        lab.expect(Text("three threads have three loops", "三个线程有三个 RunLoop"), of: current, is: 3) { Set($0.map(\.detail)).count }
        lab.expect(Text("asking again returns the same loops, and RunLoop wraps the same CFRunLoop",
                        "再次获取，得到的还是这些；RunLoop 封装的也是同一个 CFRunLoop"), "the same loops again", times: 3)
    }

    /// Asks all four getters, the first two twice.
    private func ask(_ lab: Lab) {
        let loops = (current: CFRunLoopGetCurrent(), main: CFRunLoopGetMain())
        lab.note("CFRunLoopGetCurrent, CFRunLoopGetMain", loops.current == loops.main ? "the same loop" : "two loops")
        lab.observe("CFRunLoopGetCurrent", "\(address(of: loops.current!))")
        lab.observe("CFRunLoopGetMain", "\(address(of: loops.main!))")
        _CFRunLoopRetain(loops.current) // permanently: another loop may get the address of one that is gone
        let again = (CFRunLoopGetCurrent(), CFRunLoopGetMain())
        let wrapped = (RunLoop.current.getCFRunLoop(), RunLoop.main.getCFRunLoop())
        let isSame = loops == again && loops == wrapped
        lab.note(isSame ? "the same loops again" : "other loops", "from RunLoop.current and RunLoop.main, too")
    }
}
