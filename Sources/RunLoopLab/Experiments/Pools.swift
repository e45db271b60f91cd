// pools: autorelease pools around and within a secondary thread's loop.

import SwiftRunLoop

struct Pools: Experiment {
    let about = About(
        name: "pools", claims: ["A10"], group: .building, seconds: 0.1,
        shows: "a pool around a thread's loop keeps all objects until the thread ends; a pool within it does not",
        setting: """
            Three threads (Components/PooledThread.swift) have a pool around their run loop. The second also has a \
            pool around each run, and the third has the two observers of a main loop. On each thread, two calls are \
            performed that autorelease an object. Then the thread is stopped.
            """,
        notice: """
            With only the pool around the loop, both objects live until the thread ends, and the newer one is released \
            first. On the other two threads, each object is released before the next call.
            """,
        correction: """
            Article 0 says that every loop manages a pool by itself, so that the pool around it is enough. In CF-855 \
            and CF-1153 the observers that do this belong to the main loop of an application, which installs them. On \
            other threads, the code that runs the loop is responsible for the pool. (Corrections 25 and 43 of \
            ANNOTATIONS.md.)
            """
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
        lab.expect("with a pool around the loop, all objects live until the end", order: atTheEnd, on: "one pool")
        lab.expect("with a pool around each run, objects are released after it", order: soon, on: "each run")
        lab.expect("with the two observers, they are released before the next call, too", order: soon, on: "observers")
    }
}
