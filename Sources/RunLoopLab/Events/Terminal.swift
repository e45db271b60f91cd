// Terminal.swift: uses the terminal as a touch screen: it delivers each key at once, and reports the mouse.

import Glibc
import Synchronization

/// The terminal on standard input and output, while it is used as a screen.
final class Terminal: Sendable {
    static let controlC: UInt8 = 3, controlD: UInt8 = 4
    /// Presses, releases and moves with a button held (1002), as text of any length (1006): SGR mouse reporting.
    private static let begin: StaticString = "\u{1B}[?1002h\u{1B}[?1006h", end: StaticString = "\u{1B}[?1006l\u{1B}[?1002l"
    /// The alternate screen, without a cursor.
    private static let beginScreen: StaticString = "\u{1B}[?1049h\u{1B}[?25l", endScreen: StaticString = "\u{1B}[?25h\u{1B}[?1049l"
    nonisolated(unsafe) private static var hasScreen = false // set before the handlers are installed
    /// The original settings, for signal handlers, which cannot use an object. Set once, before the handlers are installed. It has memory of its
    /// own: in Swift the struct ends with its last field, but the C library also writes its padding.
    nonisolated(unsafe) private static let original = UnsafeMutablePointer<termios>.allocate(capacity: 1)

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
        if withScreen { Self.write(Self.beginScreen) }
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

    /// Reads the bytes that have arrived; none if nothing arrives in time; nil at the end.
    /// - Parameter patience: how many milliseconds to wait; forever if it is negative.
    func read(patience: Int32) -> [UInt8]? {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&input, 1, patience) > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0 && (errno == EINTR || errno == EAGAIN) { return [] }
        return count > 0 ? Array(bytes[..<count]) : nil
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
        if hasScreen { write(endScreen) }
        tcsetattr(STDIN_FILENO, TCSANOW, original)
    }

    private static func write(_ text: StaticString) {
        _ = Glibc.write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    }
}
