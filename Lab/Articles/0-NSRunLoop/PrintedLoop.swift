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
    let about = About(
        name: "0.3", claims: ["S1", "S2"], title: Text("The printed loop of a thread, without the port and with it", "打印子线程的 RunLoop：没有端口，有端口"),
        says: Text("""
            The two prints differ in the marked part, the sources. The picture of the structure can be read off the print: a loop holds modes (modes, count = 1), \
            and each mode holds sources0 and sources1, observers and timers.
            """, "两次打印的区别就在标注的部分：source。结构图可以和打印结果对照：RunLoop 里有多个 mode（modes = …count = 1），每个 mode 里有 source0 和 source1、observers、timers。"),
        notice: Text("""
            The port is in two places: in sources1 of the default mode, and in the common mode items, where the loop remembers it for modes that are declared common later. sources0 \
            differs as well, although it is empty in both: a mode makes both sets with its first source, and an empty set prints differently from none. The second print stands here with its \
            differences marked: + is new, - has gone. Addresses and times are left out.
            """, "端口出现在两处：默认 mode 的 sources1，以及 common mode items（RunLoop 在那里记住它，以后标记为 common 的 mode 也会得到它）。sources0 也不同，虽然两次都是空的：mode 添加第一个 Source 时会同时创建两个集合，空集合和没有集合打印出来不一样。第二次打印标出了区别：+ 是新增的，- 是消失的。地址和时间省略了。"),
        verdict: .asTheArticleSays, seconds: 0.1)

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
