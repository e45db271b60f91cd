// Article 1, 〈Source1〉: 1.15; 〈举例说明source0和source1〉: 1.16.
//
// A CFRunLoopSourceContext1 on a pipe. What to see: what arrives at the port wakes the loop, and the callback passes the work to a Source0.

import CRunLoop
import Glibc
import SwiftRunLoop

// MARK: - The listing

private final class Info {
    let port: Int32, source0: CFRunLoopSource
    init(_ port: Int32, _ source0: CFRunLoopSource) { (self.port, self.source0) = (port, source0) }
}

private func makeSource0() -> CFRunLoopSource {
    var context = CFRunLoopSourceContext()
    context.perform = { _ in
        lab.callout(.source0, "source0")
        NSLog(Text("source0 handles the event", "source0 处理事件").description)
        CFRunLoopStop(CFRunLoopGetCurrent())
    }
    return CFRunLoopSourceCreate(nil, 0, &context)
}

private func makeSource1(_ info: Info) -> CFRunLoopSource {
    var context1 = CFRunLoopSourceContext1()
    context1.version = 1
    context1.info = Unmanaged.passUnretained(info).toOpaque()
    context1.getPort = { Unmanaged<Info>.fromOpaque($0!).takeUnretainedValue().port }
    context1.perform = { info in
        let info = Unmanaged<Info>.fromOpaque(info!).takeUnretainedValue()
        var byte: UInt8 = 0
        read(info.port, &byte, 1)
        lab.callout(.source1, "source1")
        NSLog(Text("source1 receives the event", "source1 收到事件").description)
        CFRunLoopSourceSignal(info.source0)
    }
    return withUnsafeMutablePointer(to: &context1) {
        $0.withMemoryRebound(to: CFRunLoopSourceContext.self, capacity: 1) { CFRunLoopSourceCreate(nil, 0, $0)! }
    }
}

// MARK: - Telling and judging

struct PortThenSource0: Program {
    let about = About(article: "1.15", seconds: 0.2)

    func run() {
        lab.onThread("worker") {
            let (port, other) = makePipe(), loop = CFRunLoopGetCurrent()
            let source0 = makeSource0(), info = Info(port, source0), source1 = makeSource1(info)
            for source in [source0, source1] { CFRunLoopAddSource(loop, source, kCFRunLoopDefaultMode) }
            lab.watch(.current, .default, [.beforeTimers, .afterWaiting])
            let asleep = loop
            let sender = lab.startThread("sender") {
                lab.waitUntil { CFRunLoopIsWaiting(asleep) }
                lab.note("the event")
                write(other, "x", 1)
            }
            CFRunLoopRun()
            lab.waitUntil { sender.isFinished }
            for source in [source0, source1] { CFRunLoopSourceInvalidate(source) }
            withExtendedLifetime(info) {}
            close(port)
            close(other)
        }
    }

    func judge() {
        lab.article.expect(Text("the port wakes the loop; source1 is handled, then source0 in the next pass", "端口唤醒 RunLoop，先处理 source1，下一轮再处理 source0"),
                   order: ["the event", "AfterWaiting", "source1", "BeforeTimers", "source0"], from: "the event", to: "source0")
        lab.expect(Text("source1 is handled in step 9.3", "source1 在第 9.3 步处理"), each: "source1", \.step, is: "9.3")
        lab.expect(Text("source0 in step 4", "source0 在第 4 步"), each: "source0", \.step, is: "4")
    }
}
