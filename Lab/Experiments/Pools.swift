// pools: autorelease pools around and within a secondary thread's loop.

import SwiftRunLoop

struct Pools: Experiment {
    let about = About(
        name: "pools", claims: ["A10"], group: .building, seconds: 0.1,
        shows: Text("a pool around a thread's loop keeps all objects until the thread ends; a pool within it does not",
                    "只在 RunLoop 外面套自动释放池，所有对象要到线程结束才释放；放在里面就不会"),
        setting: Text("""
            Three threads (Lab/Designs/PooledThread.swift) have a pool around their run loop. The second also has a \
            pool around each run, and the third has the two observers of a main loop. On each thread, two calls are \
            performed that autorelease an object. Then the thread is stopped.
            """, """
            三个线程（Lab/Designs/PooledThread.swift）都在 RunLoop 外面套了自动释放池。第二个线程还在每次运行\
            外面套一个，第三个有主线程 RunLoop 的那两个 Observer。在每个线程上执行两次调用，各 autorelease \
            一个对象，然后停止线程。
            """),
        notice: Text("""
            With only the pool around the loop, both objects live until the thread ends, and the newer one is released \
            first. On the other two threads, each object is released before the next call.
            """, """
            只在 RunLoop 外面套池时，两个对象都活到线程结束，后创建的先释放。在另外两个线程上，每个对象都在\
            下一次调用之前释放。
            """),
        correction: Text("""
            Article 0 says that every loop manages a pool by itself, so that the pool around it is enough. In CF-855 \
            and CF-1153 the observers that do this belong to the main loop of an application, which installs them. On \
            other threads, the code that runs the loop is responsible for the pool. (Corrections 25 and 43 of \
            corrections.md.)
            """, """
            文章 0 说每个 RunLoop 都自己管理自动释放池，所以在外面套一个就够了。在 CF-855 和 CF-1153 里，做\
            这件事的 Observer 属于应用主线程的 RunLoop，由应用注册。在其他线程上，由运行 RunLoop 的代码负责。\
            （corrections.zh.md，更正 25 和 43。）
            """)
    )

    func run(_ lab: Lab) {
        let kinds: [(String, PooledThread.Pools)] = [
            ("one pool", .aroundTheLoop), ("each run", .aroundEachRun), ("observers", .byObservers),
        ]
        for (name, pools) in kinds {
            let thread = PooledThread(name: name, pools: pools)
            for piece in 1...2 {
                try? thread.perform {
                    lab.callout(.source0, "work \(piece)")
                    AutoreleasePool.autorelease(Temporary { lab.note("object \(piece) is released") })
                }
            }
            thread.stop()
            lab.waitUntil { thread.thread.isFinished && lab.events.count { $0.thread == name } == 4 }
        }

        let atTheEnd = ["work 1", "work 2", "object 2 is released", "object 1 is released"]
        let soon = ["work 1", "object 1 is released", "work 2", "object 2 is released"]
        lab.expect(Text("with a pool around the loop, all objects live until the end", "在 RunLoop 外面套池：所有对象活到最后"), order: atTheEnd, on: "one pool")
        lab.expect(Text("with a pool around each run, objects are released after it", "在每次运行外面套池：对象在这次运行之后释放"), order: soon, on: "each run")
        lab.expect(Text("with the two observers, they are released before the next call, too",
                        "装上两个 Observer：对象也在下一次调用之前释放"), order: soon, on: "observers")
    }
}
