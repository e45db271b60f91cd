// Article 0, 〈更正〉: 0.45.
//
// Where the performs go: the loop is printed after each. What to see: the common modes, the named modes, the default mode.

import SwiftRunLoop

// MARK: - The listing

private final class Worker: Performing, Sendable {
    func work() { NSLog("work") }
}

// MARK: - Telling and judging

struct WherePerformsGo: Program {
    let about = About(article: "0.45", seconds: 0.1)

    private static let other = NSRunLoop.Mode("MyMode")

    func run() {
        let worker = Worker(), other = Self.other
        look("performSelector:onThread:withObject:waitUntilDone:") { try? worker.perform(Worker.work, on: $0, waitUntilDone: false) }
        look("performSelector:onThread:withObject:waitUntilDone:modes:") { try? worker.perform(Worker.work, on: $0, waitUntilDone: false, modes: [other]) }
        look("performSelector:withObject:afterDelay:") { _ in worker.perform(Worker.work, afterDelay: 60) }
        look("performSelector:withObject:afterDelay:inModes:") { _ in worker.perform(Worker.work, afterDelay: 60, inModes: [other]) }

        let main = NSRunLoop.main
        main.addCommonMode(.tracking)
        lab.onThread("caller") { try? worker.performOnMainThread(Worker.work, waitUntilDone: false) }
        let first = Self.places(LoopPrint(main))
        report("performSelectorOnMainThread:withObject:waitUntilDone:", first)
        lab.onThread("caller") { try? worker.performOnMainThread(Worker.work, waitUntilDone: false, modes: [other]) }
        report("performSelectorOnMainThread:withObject:waitUntilDone:modes:", Self.places(LoopPrint(main)).filter { !first.contains($0) })
        for mode in [NSRunLoop.Mode.default, other] { main.run(mode: mode, before: Date()) }
    }

    /// Performs on a thread of its own, and reads where the call is.
    private func look(_ name: String, _ perform: @escaping @Sendable (NSThread) -> Void) {
        lab.onThread("subThread") {
            NSRunLoop.current.addCommonMode(.tracking)
            perform(NSThread.current)
            report(name, Self.places(LoopPrint(NSRunLoop.current)))
        }
    }

    private func report(_ name: String, _ places: [String]) {
        NSLog(([name] + places).joined(separator: "\n    "))
    }

    /// The fields and modes that have the source of the performs, or the timer of a delayed one.
    private static func places(_ print: LoopPrint) -> [String] {
        let functions = [("sources0", "__NSThreadPerformPerform"), ("timers", "__NSFireDelayedPerform")]
        return functions.flatMap { field, function in print.modes(where: field, has: function).map { "\(field): \($0)" } }
    }

    func judge() {
        let common = "sources0: UITrackingRunLoopMode\n    sources0: kCFRunLoopDefaultMode"
        lab.article.expect(Text("in the common modes, in the named modes, or in the default mode", "在 common modes、指定的 modes 或默认 mode 里"), lines: [
            "performSelector:onThread:withObject:waitUntilDone:\n    \(common)",
            "performSelector:onThread:withObject:waitUntilDone:modes:\n    sources0: MyMode",
            "performSelector:withObject:afterDelay:\n    timers: kCFRunLoopDefaultMode",
            "performSelector:withObject:afterDelay:inModes:\n    timers: MyMode",
            "performSelectorOnMainThread:withObject:waitUntilDone:\n    \(common)",
            "performSelectorOnMainThread:withObject:waitUntilDone:modes:\n    sources0: MyMode",
            "work", "work",
        ])
        lab.expect(Text("the main loop then makes both calls", "之后主线程的 RunLoop 执行这两次调用"), line: "work", times: 2...2)
    }
}
