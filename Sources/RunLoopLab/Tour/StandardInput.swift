// StandardInput.swift: standard input, made fit for a run loop to wait for.

import Dispatch
import Glibc

/// Reads lines from descriptor 0 as they arrive, without waiting: call `readAvailable` when the descriptor is ready.
@MainActor
final class StandardInput {
    /// What one read brought: whole lines, ready to show, and the reason if there will be no more.
    struct Arrival {
        var lines: [String] = []
        var end: String?
    }

    /// The reason why standard input cannot be used.
    struct Unreadable: Error {
        var message: String
    }

    /// The kind of standard input, as text.
    let kind: String
    private var unfinished: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 65536)

    /// Makes sure that descriptor 0 can be read and waited for. Throws `Unreadable`.
    init() throws(Unreadable) {
        let flags = fcntl(STDIN_FILENO, F_GETFL)
        let isClosed = flags < 0 || ClosedDescriptors.atTheStart.contains(STDIN_FILENO)
        guard !isClosed else { throw Unreadable(message: "standard input is closed") }
        guard flags & O_ACCMODE != O_WRONLY else { throw Unreadable(message: "standard input is open for writing only") }
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0 else { throw Unreadable(message: "standard input: \(reason(errno))") }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: throw Unreadable(message: "standard input is a directory")
        case S_IFIFO: kind = "a pipe"
        case S_IFSOCK: kind = "a socket"
        case S_IFCHR where isatty(STDIN_FILENO) != 0: kind = "a terminal: type lines, and end with Ctrl-D"
        default:
            let name = status.st_mode & S_IFMT == S_IFCHR ? "a device" : "a file"
            kind = "\(name); epoll cannot wait for it, so a thread copies it into a pipe"
            try Self.putPipeInPlace()
        }
    }

    /// Reads once. Call it only when the descriptor is ready. The descriptor stays blocking, because that flag would change for every process
    /// that has the same terminal open.
    func readAvailable() -> Arrival {
        let count = read(STDIN_FILENO, &buffer, buffer.count)
        if count > 0 { return Arrival(lines: takeLines(buffer[..<count])) }
        if count < 0 && (errno == EINTR || errno == EAGAIN) { return Arrival() }
        let end = count == 0 ? "end of input" : "cannot read further input: \(reason(errno))"
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
            if shown.count + piece.count > limit { return "\"\(shown)\" ... (\(line.count) bytes)" }
            shown += piece
        }
        return "\"\(shown)\""
    }

    // MARK: - Files

    private static func putPipeInPlace() throws(Unreadable) {
        var ends: [Int32] = [0, 0]
        let file = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
        guard file >= 0, pipe(&ends) == 0, dup2(ends[0], STDIN_FILENO) >= 0 else {
            throw Unreadable(message: "cannot create a pipe for the file on standard input: \(reason(errno))")
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
        guard count > 0, writeAll(buffer[..<count], to: end) else { break }
    }
    close(file)
    close(end)
}

private func writeAll(_ bytes: ArraySlice<UInt8>, to end: Int32) -> Bool {
    var left = bytes
    while !left.isEmpty {
        let count = left.withUnsafeBytes { write(end, $0.baseAddress, $0.count) }
        if count >= 0 { left = left.dropFirst(count) } else if errno != EINTR { return false }
    }
    return true
}
