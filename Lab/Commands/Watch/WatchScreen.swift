// WatchScreen.swift: the terminal that `watch` draws on, or the file or pipe that it writes lines to.

import Glibc
import Synchronization

/// Standard output, reserved for the watch: what the rest of the program prints meanwhile goes to /dev/null.
final class WatchScreen: Sendable {
    let isTerminal: Bool
    private let descriptor: Int32
    private let isOpen = Mutex(true)
    private let page = Mutex([String]()) // the whole page that is shown

    /// Takes standard output over, until `close`.
    init() {
        isTerminal = isatty(STDOUT_FILENO) == 1
        descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        if descriptor < 0 || nowhere < 0 { fail(Text("cannot take over standard output: \(reason(errno))", "无法接管标准输出：\(reason(errno))"), status: 1) }
        dup2(nowhere, STDOUT_FILENO)
        Glibc.close(nowhere)
        if isTerminal { put("\u{1B}[?1049h\u{1B}[?25l") } // the alternate screen, without a cursor
    }

    /// Replaces the page with these lines. For a terminal.
    func show(_ lines: [String]) {
        page.withLock { $0 = lines }
        let (columns, rows) = size
        let visible = lines.prefix(rows).map { cut($0, to: columns) + "\u{1B}[K" }
        isOpen.withLock { if $0 { put("\u{1B}[H" + visible.joined(separator: "\r\n") + "\u{1B}[J") } }
    }

    /// Adds a line. For a file or a pipe.
    func add(_ line: String) {
        isOpen.withLock { if $0 { put(line + "\n") } }
    }

    /// Restores standard output and the terminal. The last page is printed again, because it would vanish with the alternate screen.
    func close() {
        isOpen.withLock { isOpen in
            guard isOpen else { return }
            isOpen = false
            if isTerminal { put("\u{1B}[?25h\u{1B}[?1049l" + page.withLock { $0 }.map { $0 + "\n" }.joined()) }
            dup2(descriptor, STDOUT_FILENO)
        }
    }

    private var size: (columns: Int, rows: Int) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// A closed pipe ends the program, as in `Output`.
    private func put(_ text: String) {
        let bytes = Array(text.utf8)
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 { done += count }
            else if errno == EPIPE { exit(128 + SIGPIPE) }
            else if errno != EINTR && errno != EAGAIN { return }
        }
    }
}
