// pools: autorelease pools around, and within, a secondary thread's loop.

import SwiftRunLoop

struct Pools: Experiment {
    let about = About(
        name: "pools", claims: ["A10"], group: .building, seconds: 0.1,
        shows: "a pool around a thread's loop keeps everything until the thread ends; one within lets go",
        setting: """
            Three threads (Components/PooledThread.swift) have a pool around their run loop. The second has another pool \
            around each run, the third has the two observers of a main loop instead. On each, two pieces of work are performed \
            that autorelease an object. Then it is stopped.
            """,
        notice: """
            With the pool around the loop alone, both objects live until the thread ends, the newer one going first. In the \
            other two, each object has gone before the next piece of work.
            """,
        correction: """
            Article 0 holds that every loop looks after a pool by itself, so that the one around it is enough. In CF-855 and \
            CF-1153 the observers that do so belong to the main loop of an application, which puts them there; on other \
            threads the pool is up to the code that runs the loop. (Corrections 25 and 43 of ANNOTATIONS.md.)
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
                    AutoreleasePool.autorelease(Temporary { lab.note("object \(piece) goes") })
                }
            }
            thread.stop()
            lab.waitUntil { thread.thread.isFinished && lab.events.count { $0.thread == name } == 4 }
        }

        let atTheEnd = ["work 1", "work 2", "object 2 goes", "object 1 goes"]
        let soon = ["work 1", "object 1 goes", "work 2", "object 2 goes"]
        lab.expect("with a pool around the loop, all objects stay until the end", order: atTheEnd, on: "one pool")
        lab.expect("with a pool around each run, they go after it", order: soon, on: "each run")
        lab.expect("with the observers, too", order: soon, on: "observers")
    }
}
