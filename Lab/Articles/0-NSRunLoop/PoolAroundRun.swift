// Article 0, 〈<3>不需要用while〉: 0.33.
//
// A pool around run, which does not return; cured: the main loop's two observers. What to see: when ten objects go.

import SwiftRunLoop

// MARK: - The listing

private func subThreadTodo() {
    autoreleasepool {
        let runLoop = NSRunLoop.current
        runLoop.add(NSMachPort(), forMode: .default)
        if form == .cured { AutoreleasePool.install(in: runLoop) }
        runLoop.run()
    }
}

// MARK: - Telling and judging

struct PoolAroundRun: Program {
    let about = About(article: "0.33", seconds: 0.1, isPair: true)

    func run() {
        let thread = NSThread { subThreadTodo() }
        thread.start()
        tenEvents(on: thread)
        usleep(useconds_t(lab.wait(0.05) * 1e6))
        lab.note("the end of the demo")
    }

    func judge() {
        expectReleases(before: "the end of the demo")
    }
}
