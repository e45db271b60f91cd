// Article 0, 〈注释掉得到的结果 / 不注释得到的结果〉: 0.3; the picture of the structure, read against it: 0.4.
//
// The loop of a thread, printed without a port and with one. What to see: the port is in two places.

import SwiftRunLoop

// MARK: - The listing

/// - Returns: the printed loop.
private func subThreadTodo(addsPort: Bool) -> String {
    let runLoop = NSRunLoop.current
    if addsPort { runLoop.add(NSMachPort(), forMode: .common) } // the line that the exercise takes out
    if !addsPort { NSLog("RunLoop:\(runLoop)") }
    return runLoop.description
}

// MARK: - Telling and judging

struct PrintedLoop: Program {
    let about = About(article: "0.3", seconds: 0.1)

    func run() {
        let texts = [false, true].map { addsPort in
            nonisolated(unsafe) var text = ""
            lab.onThread("subThread") { text = subThreadTodo(addsPort: addsPort) }
            return text
        }
        let (without, with) = (LoopPrint(texts[0]), LoopPrint(texts[1]))
        let marked = with.marked(against: without)
        NSLog("RunLoop:")
        for line in marked { lab.page.log("\(line.mark) \(line.text)") }
        for place in Set(marked.filter { $0.mark != " " }.map(\.place.description)).sorted() { lab.observe("differs", place) }
        lab.page.log("")

        let mode = NSRunLoop.Mode.default
        func count(_ field: String) -> Int { with.items(field, in: mode).count }
        NSLog("1. RunLoop: modes, common modes, common mode items")
        NSLog("2. modes count = \(with.modes.count)")
        NSLog("3. Mode: \(with.modes.joined(separator: ", "))")
        NSLog("4. Source: source0 \(count("sources0")) + source1 \(count("sources1"))")
        NSLog("5. Observer: \(count("observers"))")
        NSLog("6. Timer: \(count("timers"))")
        lab.observe("sources1", "\(without.items("sources1", in: mode).count), \(count("sources1"))")
    }

    func judge() {
        lab.article.expectFound(Text("sources1 is empty without the port, and holds it otherwise", "没有端口时 sources1 为空，有端口时端口在里面"), of: "sources1", ["0, 1"])
        for (line, claim) in [("2. modes count = 1", Text("the loop has one mode", "RunLoop 只有一个 mode")), ("3. Mode: kCFRunLoopDefaultMode", Text("the default mode", "默认 mode")),
                              ("4. Source: source0 0 + source1 1", Text("with one source", "里面有一个 source")), ("5. Observer: 0", Text("no observer", "没有 observer")),
                              ("6. Timer: 0", Text("and no timer", "没有 timer"))] {
            lab.article.expect(claim, oneLine: line)
        }
        lab.expect(Text("these places differ: the common mode items and the two sets of sources", "不同的地方：common mode items 和两个 Source 集合"), of: "differs",
                   is: ["common mode items", "kCFRunLoopDefaultMode sources0", "kCFRunLoopDefaultMode sources1"]) { $0.map(\.detail) }
    }
}
