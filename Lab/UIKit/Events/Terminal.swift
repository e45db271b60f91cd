// Terminal.swift: uses the terminal as a touch screen: it delivers each key at once, and reports the mouse.

import Glibc
import Synchronization

/// The terminal on standard input and output, while it is used as a screen.
final class Terminal: Sendable {
    /// Presses, releases and moves with a button held (1002), as text of any length (1006): SGR mouse reporting.
    private static let begin: StaticString = "\u{1B}[?1002h\u{1B}[?1006h", end: StaticString = "\u{1B}[?1006l\u{1B}[?1002l"
    /// The alternate screen, without a cursor.
    private static let beginScreen: StaticString = "\u{1B}[?1049h\u{1B}[?25l", endScreen: StaticString = "\u{1B}[?25h\u{1B}[?1049l"
    nonisolated(unsafe) private static var hasScreen = false // set before the handlers are installed, and by `restore`
    /// The original settings, for signal handlers, which cannot use an object. Set once, before the handlers are installed. It has memory of its
    /// own: in Swift the struct ends with its last field, but the C library also writes its padding.
    nonisolated(unsafe) private static let original = UnsafeMutablePointer<termios>.allocate(capacity: 1)
    /// A pipe that the handler of SIGWINCH writes to, so that `read` returns; -1 without a screen. Set once, before the handler is installed.
    nonisolated(unsafe) private static var sizeChanges: (output: Int32, input: Int32) = (-1, -1)

    /// Returns nil if standard input or output is not a terminal.
    init?() {
        guard isatty(STDIN_FILENO) != 0, isatty(STDOUT_FILENO) != 0, tcgetattr(STDIN_FILENO, Self.original) == 0
        else { return nil }
    }

    /// Columns and rows.
    var size: (columns: Int, rows: Int) {
        var size = winsize()
        let isKnown = ioctl(STDIN_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 1 && size.ws_row > 1
        return isKnown ? (Int(size.ws_col), Int(size.ws_row)) : (80, 24)
    }

    /// Delivers each key at once and without echo, including Ctrl-C, and reports the mouse. The terminal is restored when the process ends,
    /// except by SIGKILL.
    /// - Parameter withScreen: whether to draw on a screen that goes when the terminal is restored.
    func takeOver(withScreen: Bool = false) {
        var raw = Self.original.pointee
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw)
        Self.hasScreen = withScreen
        if withScreen {
            Self.write(Self.beginScreen)
            Self.watchSize()
        }
        Self.write(Self.begin)
        atexit { Terminal.restore() }
        for signal in [SIGTERM, SIGHUP, SIGQUIT] {
            Glibc.signal(signal) { signal in
                Terminal.restore()
                Glibc.signal(signal, SIG_DFL)
                raise(signal)
            }
        }
    }

    /// The handler writes to a pipe, and the thread that reads the terminal does the rest, because a signal handler may call next to nothing.
    private static func watchSize() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return } // no descriptors are left: the size stays as it is
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        sizeChanges = (ends[0], ends[1])
        Glibc.signal(SIGWINCH) { _ in
            let error = errno
            var byte: UInt8 = 0
            _ = Glibc.write(Terminal.sizeChanges.input, &byte, 1) // a full pipe says enough
            errno = error
        }
    }

    /// What `read` has found.
    enum Input {
        case bytes([UInt8])
        /// Nothing has arrived in time.
        case nothing
        /// The user has resized the terminal, once or several times: ask for `size`.
        case anotherSize
        /// There is no more input.
        case closed
    }

    /// Waits for the user.
    /// - Parameter patience: how many milliseconds to wait; forever if it is negative.
    func read(patience: Int32) -> Input {
        let end = now() + Double(patience) / 1000
        while true {
            let left = patience < 0 ? -1 : Int32(max(0, (end - now()) * 1000).rounded(.up))
            var inputs = [STDIN_FILENO, Self.sizeChanges.output].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) } // poll ignores -1
            let ready = poll(&inputs, 2, left)
            if ready == 0 { return .nothing }
            if ready < 0 && errno != EINTR { return .closed }
            if ready < 0 { continue } // a signal: the next poll finds what its handler has written
            var bytes = [UInt8](repeating: 0, count: 64)
            if inputs[1].revents != 0, Glibc.read(Self.sizeChanges.output, &bytes, bytes.count) > 0 { return .anotherSize }
            if inputs[0].revents != 0, let input = readBytes() { return input }
        }
    }

    /// Returns nil if there is nothing yet.
    private func readBytes() -> Input? {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0 && (errno == EINTR || errno == EAGAIN) { return nil }
        return count > 0 ? .bytes(Array(bytes[..<count])) : .closed
    }

    /// Sends SIGINT, as a terminal does on Ctrl-C. Returns if the signal does not end the process within a second.
    func interrupt() {
        Self.restore()
        kill(getpid(), SIGINT)
        sleep(1)
    }

    /// Restores the terminal. You may call this in a signal handler, and twice.
    static func restore() {
        write(end)
        if hasScreen { write(endScreen) } // once: the sequence also puts the cursor where it was, above what has been printed since
        hasScreen = false
        tcsetattr(STDIN_FILENO, TCSANOW, original)
    }

    private static func write(_ text: StaticString) {
        _ = Glibc.write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    }
}
