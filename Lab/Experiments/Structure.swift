// structure: a loop holds modes; a mode holds sources of two kinds, observers and timers. The loop's description shows them.

import Glibc
import SwiftRunLoop

struct Structure: Experiment {
    let about = About(
        name: "structure", claims: ["S1", "S2"], group: .structure, seconds: 0.1,
        shows: Text("a loop holds modes, a mode holds four kinds of items, and printing shows them",
                    "RunLoop 里有 mode，mode 里有四种 mode item，打印出来就能看到"),
        setting: Text("""
            The loop of a thread gets one item of each kind in the mode "work", and a timer in the common modes. Then \
            the thread prints its loop. The transcript is a digest of that: the number of things in each field.
            """, """
            一个线程的 RunLoop 在 mode “work” 里每种 mode item 各有一个，在 commonModes 里有一个 Timer。然后\
            线程打印自己的 RunLoop。下面的记录是它的摘要：每个字段里有几个。
            """),
        notice: Text("""
            You see the counts of the fields of __CFRunLoop and, indented, of each __CFRunLoopMode. The timer of the \
            common modes is counted twice: among the common mode items, and in the default mode, which is common.
            """, """
            可以看到 __CFRunLoop 各字段的个数，缩进的是各个 __CFRunLoopMode 的。commonModes 里的 Timer 计了\
            两次：一次在 commonModeItems 里，一次在默认 mode 里，因为默认 mode 是 common mode。
            """)
    )

    func run(_ lab: Lab) {
        let ends = makePipe()
        let readable = ends.readEnd
        lab.onThread("loop") {
            let loop = RunLoop.current, work = RunLoop.Mode("work")
            loop.add(RunLoop.Source {}, forMode: work)
            loop.add(RunLoop.Source(fileDescriptor: readable) { _, _ in }, forMode: work)
            loop.add(RunLoop.Observer { _, _ in }, forMode: work)
            loop.add(Timer(timeInterval: 60, repeats: true) { _ in }, forMode: work)
            loop.add(Timer(timeInterval: 60, repeats: true) { _ in }, forMode: .common)
            for line in frame(of: loop.description) { lab.note(line) }
        }

        let work = "  mode work", fallback = "  mode kCFRunLoopDefaultMode"
        lab.expect(Text("\"work\" holds one item of each kind", "“work” 里每种 mode item 各有一个"),
                   order: [work, "    sources0: 1", "    sources1: 1", "    observers: 1",
                           "    timers: 1"], from: work, to: "    timers: 1",
                   among: ["    sources0: 0", "    sources1: 0", "    observers: 0", "    timers: 0"])
        lab.expect(Text("one mode is common, and the loop remembers one item for the common modes",
                        "有一个 common mode，commonModeItems 里记着一个 item"),
                   order: ["common modes: 1", "common mode items: 1"])
        lab.expect(Text("the loop has two modes", "RunLoop 有两个 mode"), "modes: 2", times: 1)
        lab.expect(Text("one of them is the default mode", "其中一个是默认 mode"), fallback, times: 1)
    }

    /// "name: count" for each field that holds things, indented as in the description.
    private func frame(of description: String) -> [String] {
        description.split(separator: "\n").compactMap { line in
            if let mode = line.firstMatch(of: /{name = ([^,]+),/) { return "  mode \(mode.1)" }
            let names = /^(\t?)(common modes|common mode items|modes|sources0|sources1|observers|timers) = (.*)/
            guard let field = line.firstMatch(of: names) else { return nil }
            let count = field.3.firstMatch(of: /count = ([0-9]+)/).map { String($0.1) } ?? "0"
            return (field.1.isEmpty ? "" : "    ") + "\(field.2): \(count)"
        }
    }
}
