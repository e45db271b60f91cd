// DrawCommand.swift: `RunLoopLab draw`: the figures of the articles, drawn from a print or from a recording.

import Glibc

/// `draw`, `draw G4 [FILE]` and `draw all DIR`.
struct DrawCommand {
    private let output = Output()

    /// Lists the figures.
    func list() -> Int32 {
        output.line(Text("The figures. Draw one with: swift run RunLoopLab draw G4 FILE.svg. All of them: draw all DIR",
                         "图。画其中一张：swift run RunLoopLab draw G4 文件.svg。全部：draw all 目录").description)
        for figure in Figure.all { output.line("  \(padded(figure.id, to: 5))\(padded(figure.items, to: 17))\(figure.title)") }
        output.flush()
        return 0
    }

    /// Draws a figure into a file, or on standard output.
    @MainActor
    func draw(_ name: String, into file: String?) -> Int32 {
        guard let figure = Figure.all.first(where: { $0.id == name.uppercased() }) else {
            Command.refuse(Text("figure", "图"), name.uppercased(), among: Figure.all.map(\.id), Text("'draw' lists the figures", "draw 会列出所有的图"))
        }
        let text = figure.text
        guard let file else {
            output.line(String(text.dropLast()))
            output.flush()
            return 0
        }
        write(text, to: file)
        return 0
    }

    /// Draws all figures into a folder, as G1.svg and so on, or G1.zh.svg in Chinese. Each is drawn by a process of its own, because a program
    /// needs an unused main loop.
    func drawAll(into folder: String) -> Int32 {
        if mkdir(folder, 0o755) != 0 && errno != EEXIST { fail(Text("cannot create '\(folder)': \(reason(errno))", "无法创建“\(folder)”：\(reason(errno))"), status: 1) }
        var status: Int32 = 0
        for figure in Figure.all {
            let file = "\(folder)/\(figure.id)\(Language.current == .chinese ? ".zh" : "").svg"
            let words = ["draw", figure.id, file, "--lang", Language.current.rawValue]
            var child = ChildProcess.run(ownProgram, words, limit: 60)
            for _ in 1...2 where child.end != .exited(0) { child = ChildProcess.run(ownProgram, words, limit: 60) } // a busy machine
            output.line(child.end == .exited(0) ? "\(file)  \(figure.title)" : "FAIL  \(figure.id): \(child.end.words) \(child.output)")
            output.flush()
            if child.end != .exited(0) { status = 1 }
        }
        return status
    }
}
