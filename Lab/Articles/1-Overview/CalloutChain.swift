// Article 1, 〈RunLoop回调流程〉: 1.26; the same chain in 3.19.
//
// A run of the main loop, as the functions through which it calls. What to see: the article's chain, spread over four passes; the pool's observers.

import CRunLoop
import CRunLoopDiagnostics
import Glibc
import SwiftRunLoop
import Synchronization

struct CalloutChain: Program {
    let about = About(article: "1.26", seconds: 0.2, tracesItself: true)

    func run() {
        let loop = NSRunLoop.main
        let (port, other) = makePipe()
        AutoreleasePool.install(in: loop, forMode: .default)
        nonisolated(unsafe) var isTimerThere = false
        let observer = NSRunLoop.Observer(activities: .allActivities) { _, activity in
            if activity != .beforeWaiting || isTimerThere { return } // so that the timer cannot be due in the first pass, which does not sleep
            isTimerThere = true
            NSRunLoop.main.add(NSTimer(timeInterval: 0.01, repeats: false) { _ in
                DispatchQueue.main.async { _ = write(other, "x", 1) }
            }, forMode: .default)
        }
        loop.add(observer, forMode: .default)
        let source1 = try! NSRunLoop.Source(fileDescriptor: port) { _, _ in NSRunLoop.main.stop() }
        let source0 = NSRunLoop.Source {
            AutoreleasePool.autorelease(Temporary { lab.observe("pool popped", NSRunLoop.main.currentMode == nil ? "outside" : "in the run") })
            NSRunLoop.main.perform {}
        }
        loop.add(source0, forMode: .default)
        loop.add(source1, forMode: .default)
        loop.perform {}
        source0.signal()

        guard CRunLoopTraceStart() else { return NSLog("another trace is on") }
        CFRunLoopRunInMode(kCFRunLoopDefaultMode, 10, false)
        CRunLoopTraceReceive({ event, _ in
            guard let event, event.pointee.kind == .calloutBegins, Int(bitPattern: event.pointee.loop) == address(of: CFRunLoopGetMain()!) else { return }
            calls.withLock { $0.append(TraceEvent(event.pointee)) }
        }, nil)
        CRunLoopTraceStop()
        source0.invalidate()
        source1.invalidate()
        show()
        close(port)
        close(other)
    }

    /// Logs the chain. Observers that follow each other for one activity are one line; how many there were is recorded.
    private func show() {
        var last = ""
        for call in calls.withLock({ $0 }) {
            let activity = call.callout == .observer ? call.activity : ""
            if activity != "" { lab.observe("observers of \(activity)") }
            if activity == "" || activity != last { NSLog(Self.name(call.callout, activity)) }
            last = activity
        }
    }

    private static func name(_ callout: Callout, _ activity: String = "") -> String {
        switch callout {
        case .observer: "__CFRUNLOOP_IS_CALLING_OUT_TO_AN_OBSERVER_CALLBACK_FUNCTION__(kCFRunLoop\(activity));"
        case .block: "__CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__(block);"
        case .source0: "__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__(source0);"
        case .source1: "__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE1_PERFORM_FUNCTION__(source1);"
        case .timer: "__CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__(timer);"
        case .mainQueue: "__CFRUNLOOP_IS_SERVICING_THE_MAIN_DISPATCH_QUEUE__(dispatched_block);"
        }
    }

    func judge() {
        func observers(_ activities: String...) -> [String] { activities.map { Self.name(.observer, $0) } }
        let begin = observers("BeforeTimers", "BeforeSources"), sleep = observers("BeforeWaiting", "AfterWaiting")
        lab.article.expect(Text("the callouts of a run, in the article's order within each pass", "一次 run 的 callout，每一轮里的先后与文章一致"), lines:
            observers("Entry") + begin + [.block, .source0, .block].map { Self.name($0) } + begin + sleep + [Self.name(.timer)]
            + begin + [Self.name(.mainQueue)] + begin + sleep + [Self.name(.source1)] + observers("Exit"))
        for (activity, count) in [("Entry", 2), ("BeforeWaiting", 4), ("Exit", 2), ("AfterWaiting", 2)] {
            lab.article.expect(Text("at \(activity) the pool has \(activity == "AfterWaiting" ? "no observer" : "its observer")",
                            "\(activity) 时\(activity == "AfterWaiting" ? "没有" : "有") AutoreleasePool 的 Observer"),
                       of: "observers of \(activity)", is: count) { $0.count }
        }
        lab.expectFound(Text("what the Source0 autoreleased goes within the run", "Source0 中 autorelease 的对象在 run 之内释放"), of: "pool popped", ["in the run"])
    }
}

private let calls = Mutex<[TraceEvent]>([])
