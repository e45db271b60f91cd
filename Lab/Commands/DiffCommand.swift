// DiffCommand.swift: `RunLoopLab diff`: two printed loops, with the differences marked that a reader of the articles marks by eye. (0.3, 0.41)

import Glibc
import SwiftRunLoop

/// Compares prints of loops, without addresses, descriptors and times.
struct DiffCommand {
    private let output = Output()
    private let hasColors = isatty(STDOUT_FILENO) == 1

    // MARK: - The articles' pairs

    /// Prints a thread's loop without a port and with one (0.3), and a loop before a perform and while it waits (0.41).
    func showPairs() -> Int32 {
        output.line(Text("0.3  The loop of a thread, without a port and with one", "0.3  子线程的 RunLoop：没有端口，有端口").description)
        show(LoopPrint(ofNewThreadAfter: { _ in }), LoopPrint(ofNewThreadAfter: { $0.add(Port(), forMode: .common) }))
        note(Text("The port is in two places: among the common mode items, and in sources1 of the default mode. sources0 differs as well: a mode makes both sets with its first source.",
                  "端口出现在两处：common mode items，以及默认 mode 的 sources1。sources0 也不同：mode 添加第一个 Source 时会同时创建两个集合。"))
        output.line("")
        output.line(Text("0.41  A loop with two common modes, before a perform and while the perform waits", "0.41  有两个 common mode 的 RunLoop：perform 之前，perform 等待执行时").description)
        let (before, after) = Self.printsAroundAPerform()
        show(before, after)
        note(Text("The source of the perform is a Source0 in both common modes; the callout is __NSThreadPerformPerform. It is signalled, and waits for a pass in one of these modes.",
                  "perform 的 Source 是 Source0，在两个 common mode 里都有；回调是 __NSThreadPerformPerform。它已标记为待处理，等待其中一个 mode 的一轮循环。"))
        output.flush()
        return 0
    }

    /// The prints of the calling thread's loop before a perform in the common modes, and after it has been asked for.
    private static func printsAroundAPerform() -> (before: LoopPrint, after: LoopPrint) {
        let loop = RunLoop.current
        loop.addCommonMode(.tracking)
        loop.add(Port(), forMode: .common)
        let before = LoopPrint(loop)
        try? Thread.performOnMainThread(waitUntilDone: false) {}
        return (before, LoopPrint(loop))
    }

    // MARK: - Two files

    /// Compares the prints in two files. Returns what diff(1) returns: 0 if they are the same, 1 if they differ.
    func compare(_ files: [String]) -> Int32 {
        let prints = files.map { LoopPrint(text(of: $0)) }
        for (file, print) in zip(files, prints) where print.modes.isEmpty {
            fail(Text("\(file) holds no printed loop: a print has a line with <CFRunLoopMode; write one with print(RunLoop.current) or CFShow",
                      "\(file) 里没有打印的 RunLoop：打印结果里应有 <CFRunLoopMode；可以用 print(RunLoop.current) 或 CFShow 打印"), status: 2)
        }
        let isSame = show(prints[0], prints[1])
        output.flush()
        return isSame ? 0 : 1
    }

    private func text(of file: String) -> String {
        guard let stream = fopen(file, "r") else { fail(Text("cannot read \(file): \(reason(errno))", "无法读取 \(file)：\(reason(errno))"), status: 2) }
        defer { fclose(stream) }
        var bytes: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 { bytes += buffer[..<count] }
        if ferror(stream) != 0 { fail(Text("cannot read \(file): \(reason(errno))", "无法读取 \(file)：\(reason(errno))"), status: 2) }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: - The marks

    /// Prints the second loop with its differences from the first, and lists the places that differ. Returns whether there are none.
    @discardableResult
    private func show(_ old: LoopPrint, _ new: LoopPrint) -> Bool {
        let marked = new.marked(against: old)
        for (mark, _, text) in marked {
            let line = trimmed("\(mark) \(text)")
            switch mark {
            case "+" where hasColors: output.line("\u{1B}[1;32m\(line)\u{1B}[0m")
            case "-" where hasColors: output.line("\u{1B}[31m\(line)\u{1B}[0m")
            default: output.line(line)
            }
        }
        output.line("")
        let places = Self.differences(in: marked)
        if places.isEmpty { output.line(Text("The two prints are the same.", "两次打印相同。").description) }
        else { output.line(Text("The prints differ in (+ is new in the second print, - has gone):", "两次打印的区别（+ 是第二次新增的，- 是消失的）：").description) }
        for (place, new, gone) in places { output.line("  \(padded("+\(new) -\(gone)", to: 8))\(place)") }
        return places.isEmpty
    }

    /// The places that differ, in the order of the print, with the numbers of new lines and of lines that have gone.
    static func differences(in marked: [(mark: Character, place: LoopPrint.Place, text: String)]) -> [(place: String, new: Int, gone: Int)] {
        marked.reduce(into: []) { places, line in
            guard line.mark != " " else { return }
            let name = line.place.description == "" ? Text("the loop", "RunLoop 本身").description : line.place.description
            let index = places.firstIndex { $0.place == name } ?? places.count
            if index == places.count { places.append((name, 0, 0)) }
            if line.mark == "+" { places[index].new += 1 } else { places[index].gone += 1 }
        }
    }

    private func note(_ text: Text) {
        for line in wrapped(text.description, to: 100) { output.line(line) }
    }
}
