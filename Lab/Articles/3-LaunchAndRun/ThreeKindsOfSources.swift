// Article 3, 〈A-- CFRunLoopSourceRef:事件来源〉: 3.11; the printed form of the two versions, 3.12.
//
// One source of each kind that Apple's guide names. What to see: three kinds by their use, two versions in the struct.

import CRunLoop
import Glibc
import SwiftRunLoop

struct ThreeKindsOfSources: Program {
    let about = About(article: "3.11", seconds: 0.1)

    func run() {
        let ends = makePipe()
        let readEnd = ends.readEnd
        lab.onThread("loop") {
            let loop = CFRunLoopGetCurrent()
            var context1 = CFRunLoopSourceContext1()
            context1.version = 1
            context1.info = UnsafeMutableRawPointer(bitPattern: UInt(readEnd))
            context1.getPort = { info in Int32(UInt(bitPattern: info)) }
            context1.perform = { _ in }
            let portBased = withUnsafeMutablePointer(to: &context1) {
                $0.withMemoryRebound(to: CFRunLoopSourceContext.self, capacity: 1) { CFRunLoopSourceCreate(nil, 0, $0) }
            }
            var context = CFRunLoopSourceContext()
            context.perform = { _ in }
            let custom = CFRunLoopSourceCreate(nil, 0, &context)
            CFRunLoopAddSource(loop, portBased, kCFRunLoopDefaultMode)
            CFRunLoopAddSource(loop, custom, kCFRunLoopDefaultMode)
            let own = [portBased!.description, custom!.description]
            try? NSThread.perform(on: .current, waitUntilDone: false) {}
            let perform = NSRunLoop.current.description.split(separator: "\n").map(String.init).first { $0.contains("__NSThreadPerformPerform") }
            for (kind, text) in zip(["Port-Based Sources", "Custom Input Sources", "Cocoa Perform Selector Sources"], own + [perform ?? ""]) {
                lab.observe("source", text)
                NSLog("\(kind): \(text.drop { $0 != "<" })")
            }
        }
    }

    func judge() {
        lab.article.expect(Text("three kinds, two versions", "三种用途，两个版本"), of: "source", is: ["version = 1", "version = 0", "version = 0"]) {
            $0.map { $0.detail.firstMatch(of: /version = [01]/).map { String($0.0) } ?? "-" }
        }
        lab.article.expect(Text("source0 prints order and callout, source1 prints order, port and callout", "source0 打印 order、callout；source1 打印 order、callout 和 port 字段"),
                   of: "source", is: ["order port callout", "order callout", "order callout"]) { sources in
            sources.map { source in ["order", "port", "callout"].filter { source.detail.contains("\($0) = ") }.joined(separator: " ") }
        }
        lab.expect(Text("the perform source has the callout that a Mac's has", "perform 的 Source 的回调与 Mac 上同名"), of: "source", is: 1) {
            $0.count { $0.detail.contains("callout = __NSThreadPerformPerform") }
        }
    }
}
