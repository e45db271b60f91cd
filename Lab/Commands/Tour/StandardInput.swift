// StandardInput.swift: standard input, made fit for a run loop to wait for.

import Dispatch
import Glibc

/// Reads lines from descriptor 0 as they arrive, without waiting: call `readAvailable` when the descriptor is ready.
@MainActor
final class StandardInput {
    /// What one read brought: whole lines, ready to show, and the reason if there will be no more.
    struct Arrival {
        var lines: [String] = []
        var end: Text?
    }

    /// The kind of standard input, as text.
    let kind: Text
    private var unfinished: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 65536)

    /// Makes sure that descriptor 0 can be read and waited for; otherwise ends the program.
    init() {
        let flags = fcntl(STDIN_FILENO, F_GETFL)
        let isClosed = flags < 0 || ClosedDescriptors.atTheStart.contains(STDIN_FILENO)
        if isClosed { Self.refuse(Text("standard input is closed", "标准输入已关闭")) }
        if flags & O_ACCMODE == O_WRONLY { Self.refuse(Text("standard input is open for writing only", "标准输入只能写")) }
        var status = stat()
        if fstat(STDIN_FILENO, &status) != 0 { Self.refuse(Text("standard input: \(reason(errno))", "标准输入：\(reason(errno))")) }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: Self.refuse(Text("standard input is a directory", "标准输入是一个目录"))
        case S_IFIFO: kind = Text("a pipe", "管道")
        case S_IFSOCK: kind = Text("a socket", "socket")
        case S_IFCHR where isatty(STDIN_FILENO) != 0: kind = Text("a terminal: type lines, and end with Ctrl-D", "终端：输入若干行，用 Ctrl-D 结束")
        default:
            let name = status.st_mode & S_IFMT == S_IFCHR ? Text("a device", "设备") : Text("a file", "文件")
            kind = Text("\(name); epoll cannot wait for it, so a thread copies it into a pipe", "\(name)；epoll 不能等待它，所以由一个线程把它写进管道")
            Self.putPipeInPlace()
        }
    }

    private static func refuse(_ why: Text) -> Never {
        fail(Text("\(why.english); give the tour a pipe, a file or a terminal, or </dev/null for a tour without input",
                  "\(why.chinese)；请给导览一个管道、文件或终端，不需要输入时用 </dev/null"), status: 1)
    }

    /// Reads once. Call it only when the descriptor is ready. The descriptor stays blocking, because that flag would change for every process
    /// that has the same terminal open.
    func readAvailable() -> Arrival {
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        if count > 0 { return Arrival(lines: takeLines(buffer[..<count])) }
        if count < 0 && (errno == EINTR || errno == EAGAIN) { return Arrival() }
        let end = count == 0 ? Text("end of input", "输入结束") : Text("cannot read further input: \(reason(errno))", "无法继续读取输入：\(reason(errno))")
        return Arrival(lines: unfinished.isEmpty ? [] : [text(unfinished)], end: end)
    }

    /// An unfinished line waits for its rest, unless it is longer than the buffer.
    private func takeLines(_ bytes: ArraySlice<UInt8>) -> [String] {
        var pieces = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let rest = pieces.removeLast()
        var lines: [String] = []
        for piece in pieces {
            lines.append(text(unfinished + piece))
            unfinished = []
        }
        unfinished += rest
        if unfinished.count > buffer.count {
            lines.append(text(unfinished))
            unfinished = []
        }
        return lines
    }

    /// The line in quotes, with control characters escaped, cut to the width of the page.
    private func text(_ line: [UInt8]) -> String {
        let limit = 54
        var shown = ""
        for scalar in String(decoding: line.prefix(4 * limit), as: UTF8.self).unicodeScalars {
            let piece = scalar.properties.generalCategory == .control ? scalar.escaped(asASCII: true) : String(scalar)
            if shown.count + piece.count > limit { return Text("\"\(shown)\" ... (\(line.count) bytes)", "\"\(shown)\" ...（\(line.count) 字节）").description }
            shown += piece
        }
        return "\"\(shown)\""
    }

    // MARK: - Files

    private static func putPipeInPlace() {
        var ends: [Int32] = [0, 0]
        let file = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
        guard file >= 0, pipe(&ends) == 0, dup2(ends[0], STDIN_FILENO) >= 0 else {
            refuse(Text("cannot create a pipe for the file on standard input: \(reason(errno))", "无法为标准输入的文件创建管道：\(reason(errno))"))
        }
        close(ends[0])
        let end = ends[1]
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        DispatchQueue.global().async { copyAll(from: file, to: end) }
    }
}

/// Copies until the end, and closes both.
private func copyAll(from file: Int32, to end: Int32) {
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
        let count = read(file, &buffer, buffer.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { break }
        var bytes = buffer[..<count]
        guard write(&bytes, to: end) else { break }
    }
    close(file)
    close(end)
}
