// run-results: one of four results says why a run has ended; the loop looks for the reasons in a fixed order.

import CRunLoop
import SwiftRunLoop

struct RunResults: Program {
    let about = About(
        name: "run-results", claims: ["L4"], group: .leaving,
        title: Text("a run ends for one of four reasons, checked in a fixed order", "运行结束有四种原因，按固定的顺序检查"),
        setting: Text("""
            A thread calls CFRunLoopRunInMode so that the run ends for each reason alone. Then it does so with all \
            reasons at once: a source is handled, the limit passes, the run is stopped and the mode becomes empty. \
            After that it removes the reasons one by one.
            """, """
            一个线程调用 CFRunLoopRunInMode，先让运行因每种原因单独结束；再让所有原因同时出现：处理了 Source、\
            时间到了、被停止、mode 变空。之后一个一个去掉。
            """),
        notice: Text("""
            If there are several reasons, the result is the first of HandledSource, TimedOut, Stopped and Finished, in \
            this order.
            """, """
            如果同时有几种原因，返回 HandledSource、TimedOut、Stopped、Finished 中排在最前的一个。
            """),
        seconds: 0.1
    )

    func run() {
        lab.onThread("loop") {
            run([.emptied])
            run([.stopped])
            run([.limit])
            run([.source])
            run([.source, .limit, .stopped, .emptied])
            run([.limit, .stopped, .emptied])
            run([.stopped, .emptied])
        }
    }

    func judge() {
        lab.expect(Text("each single reason has its result; of several, the first one counts",
                        "单独一种原因返回它自己的结果；几种同时出现，返回最前的一个"), order: [
            "Finished", "Stopped", "TimedOut", "HandledSource", "HandledSource", "TimedOut", "Stopped",
        ])
    }

    private enum Reason: String {
        case source = "a source is handled", limit = "the limit passes", stopped = "CFRunLoopStop is called"
        case emptied = "the mode becomes empty"
    }

    /// The source's callback makes the reasons true, and the loop checks all of them at the end of that pass. The limit is either so near
    /// that it has passed by then, or so far that it does not pass.
    private func run(_ reasons: [Reason]) {
        let loop = RunLoop.current
        lab.note(reasons.map(\.rawValue).joined(separator: ", "))
        let limit = reasons.contains(.limit) ? 0.001 : 10
        let own = OwnSource()
        let source = RunLoop.Source {
            lab.callout(.source0, "source")
            if reasons.contains(.limit) { Thread.sleep(forTimeInterval: 2 * limit) }
            if reasons.contains(.stopped) { loop.stop() }
            if reasons.contains(.emptied) { own.source?.invalidate() }
        }
        own.source = source
        loop.add(source, forMode: .default)
        source.signal()
        let result = CFRunLoopRunInMode(kCFRunLoopDefaultMode, limit, reasons.contains(.source))
        lab.note(resultName(Int32(result.rawValue)))
        source.invalidate()
    }

    /// Lets the source's closure refer to the source. Used only on one thread.
    private final class OwnSource: @unchecked Sendable {
        weak var source: RunLoop.Source?
    }
}
