import Glibc
import XCTest

/// `RunLoopLab first-touch` at a terminal: keys and the mouse are its events, and it restores the terminal, however it ends.
final class LabTerminalTests: TestCaseBeside {
    func testA11_KeysAndMouseOfATerminalReachTheViews() throws {
        let session = try TerminalSession("first-touch")
        XCTAssert(session.waits(for: "until Ctrl-D"), session.output)
        XCTAssert(session.modeDiffers, "keys come at once")
        session.type("\u{1B}[<0;5;5M\u{1B}[<0;5;5m")
        XCTAssert(session.waits(for: "the button is tapped"), session.output)
        session.type("\u{1B}[<0;60;10M")
        XCTAssert(session.waits(for: "the list is touched"), session.output)
        session.type("\u{1B}[<32;60;8M")
        XCTAssert(session.waits(for: "drag  began"), session.output)
        session.type("\u{1B}[<32;60;7M\u{1B}[<0;60;7m")
        XCTAssert(session.waits(for: "drag  ended"), session.output)
        session.type("hé")
        XCTAssert(session.waits(for: "the text is \"hé\""), session.output)
        session.type("\u{4}") // Ctrl-D
        XCTAssertEqual(session.end(), .exited(0), session.output)
        XCTAssert(session.output.contains("As claimed: "), session.output)
        XCTAssertFalse(session.modeDiffers)
        XCTAssert(session.mouseIsGivenBack, session.output)
    }

    func testA11_CtrlCGivesTheTerminalBack() throws {
        let session = try TerminalSession("first-touch")
        XCTAssert(session.waits(for: "until Ctrl-D"), session.output)
        session.type("a\u{3}")
        XCTAssertEqual(session.end(), .exited(130), session.output)
        XCTAssert(session.output.contains("Verdict: interrupted."), session.output)
        XCTAssertFalse(session.modeDiffers)
        XCTAssert(session.mouseIsGivenBack, session.output)
    }

    func testA11_ASignalThatEndsItGivesTheTerminalBack() throws {
        let session = try TerminalSession("first-touch")
        XCTAssert(session.waits(for: "until Ctrl-D"), session.output)
        XCTAssert(session.waitUntil { session.modeDiffers })
        session.kill(SIGTERM)
        XCTAssertEqual(session.end(), .killed(SIGTERM), session.output)
        XCTAssertFalse(session.modeDiffers)
        XCTAssert(session.mouseIsGivenBack, session.output)
    }

    // MARK: - app

    func testT2_A5_TheMouseDragsTheListOfTheAppAndAKeyStallsIt() throws {
        let session = try TerminalSession("app", "--lang", "en")
        XCTAssert(session.waits(for: "photo 1 "), session.output)
        session.type("\u{1B}[<0;10;20M\u{1B}[<32;10;15M")
        XCTAssert(session.waits(for: "mode      tracking"), session.output)
        XCTAssert(session.waits(for: "Worker thread: tracking"), session.output)
        session.type("\u{1B}[<32;10;12M\u{1B}[<0;10;12m")
        XCTAssert(session.waitUntil { session.lastScreen.contains("mode      default") }, session.lastScreen)
        session.type("s")
        XCTAssert(session.waits(for: "decodeHugeImage"), session.lastScreen)
        XCTAssert(session.waits(for: "Stalled for "), session.lastScreen)
        session.type("\u{1B}[B\u{1B}[B") // the key down, twice
        XCTAssert(session.waitUntil { session.lastScreen.contains("mode      tracking") }, session.lastScreen)
        XCTAssert(session.waitUntil { session.lastScreen.contains("mode      default") }, "the drag ends when no key comes: \(session.lastScreen)")
        session.type("q")
        XCTAssertEqual(session.end(), .exited(0), session.output)
        XCTAssert(session.screenIsGivenBack && session.mouseIsGivenBack && !session.modeDiffers, session.output)
        XCTAssert(session.output.contains("ticks in the default mode"), session.output)
    }

    /// The list, the mouse and the drag by keys follow the size of the terminal.
    func testTheAppTakesTheSizeOfATerminalThatIsResized() throws {
        let session = try TerminalSession("app", "--lang", "en", ownsTerminal: true)
        XCTAssert(session.waits(for: "photo 22 "), session.output)
        session.resize(columns: 100, rows: 40)
        XCTAssert(session.waitUntil { session.lastScreen.contains("photo 38 ") }, session.lastScreen)
        XCTAssert(session.waitUntil { session.lastScreen.contains(String(repeating: "─", count: 100)) }, session.lastScreen)
        session.type("\u{1B}[<0;10;39M\u{1B}[<32;10;33M") // rows that the terminal did not have before
        XCTAssert(session.waitUntil { session.lastScreen.contains("mode      tracking") && session.lastScreen.contains("photo 44 ") }, session.lastScreen)
        session.type("\u{1B}[<0;10;33m")
        XCTAssert(session.waitUntil { session.lastScreen.contains("mode      default") }, session.lastScreen)
        for (columns, rows) in [(60, 30), (50, 20), (44, 12)] { session.resize(columns: columns, rows: rows) } // as a window's edge is dragged
        XCTAssert(session.waitUntil { session.wholeScreen(columns: 44, rows: 12) }, session.lastScreen)
        XCTAssert(session.lastScreen.contains(" photo "), session.lastScreen)
        session.type("q")
        XCTAssertEqual(session.end(), .exited(0), session.output)
        XCTAssert(session.screenIsGivenBack && session.mouseIsGivenBack, session.output)
    }

    func testTheAppGivesTheTerminalBackHoweverItEnds() throws {
        for (end, expected) in [("\u{3}", TerminalSession.End.exited(0)), ("\u{4}", .exited(0)), ("", .killed(SIGTERM))] {
            let session = try TerminalSession("app", "--lang", "en")
            XCTAssert(session.waits(for: "photo 1 "), session.output)
            if end == "" { session.kill(SIGTERM) } else { session.type(end) }
            XCTAssertEqual(session.end(), expected, session.output)
            XCTAssert(session.screenIsGivenBack && session.mouseIsGivenBack && !session.modeDiffers, session.output)
            XCTAssertEqual(session.output.components(separatedBy: "\u{1B}[?1049l").count, 2, "a second one moves the cursor onto the summary")
        }
    }
}

/// RunLoopLab with its own terminal.
private final class TerminalSession {
    enum End: Equatable {
        case exited(Int32), killed(Int32), hangs
    }

    private let master: Int32, terminal: Int32
    private var process = pid_t()
    private var original = termios()
    private var bytes: [UInt8] = []

    var output: String { String(decoding: bytes, as: UTF8.self) }

    /// - Parameter ownsTerminal: whether the program leads its own session, so that it gets SIGWINCH. The terminal hangs up when it ends.
    init(_ words: String..., ownsTerminal: Bool = false) throws {
        // The module Glibc lacks posix_openpt, unlockpt and ptsname.
        var number: Int32 = 0, isLocked: Int32 = 0
        let unlock: UInt = 0x4004_5431, getNumber: UInt = 0x8004_5430 // TIOCSPTLCK, TIOCGPTN
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard master >= 0, ioctl(master, unlock, &isLocked) == 0, ioctl(master, getNumber, &number) == 0 else {
            throw CannotRun(description: "no terminal: \(String(cString: strerror(errno)))")
        }
        terminal = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        tcgetattr(terminal, &original)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The leader of a session that opens a terminal gets it as its controlling terminal.
        if ownsTerminal { posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/pts/\(number)", O_RDWR, 0) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where !(ownsTerminal && descriptor == STDIN_FILENO) {
            posix_spawn_file_actions_adddup2(&actions, terminal, descriptor)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        if ownsTerminal { posix_spawnattr_setflags(&attributes, 0x80) } // POSIX_SPAWN_SETSID, which the module Glibc leaves out
        let tests = try CTestsProgram.beside().path
        let program = tests.prefix(through: tests.lastIndex(of: "/")!) + "RunLoopLab"
        let words = ([String(program)] + words).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        let error = posix_spawn(&process, String(program), &actions, &attributes, words, environ)
        guard error == 0 else { throw CannotRun(description: "\(program) does not start: \(String(cString: strerror(error)))") }
    }

    deinit {
        close(master)
        close(terminal)
    }

    func type(_ text: String) {
        XCTAssertEqual(write(master, text, text.utf8.count), text.utf8.count)
    }

    func resize(columns: Int, rows: Int) {
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        XCTAssertEqual(ioctl(master, UInt(TIOCSWINSZ), &size), 0)
    }

    func kill(_ signal: Int32) {
        Glibc.kill(process, signal)
    }

    /// Whether the text appears within half a minute.
    func waits(for text: String) -> Bool {
        waitUntil { output.contains(text) }
    }

    func waitUntil(_ condition: () -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: 30)
        while Date() < end {
            readOutput()
            if condition() { return true }
        }
        return false
    }

    /// Waits for the program's end.
    func end() -> End {
        var status: Int32 = 0
        guard waitUntil({ waitpid(process, &status, WNOHANG) == process }) else {
            kill(SIGKILL)
            waitpid(process, &status, 0)
            return .hangs
        }
        readOutput()
        return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(status & 0x7F)
    }

    /// Whether the terminal's mode differs from the initial one.
    var modeDiffers: Bool {
        var now = termios()
        tcgetattr(terminal, &now)
        return now.c_lflag != original.c_lflag || now.c_iflag != original.c_iflag || now.c_oflag != original.c_oflag
    }

    /// Whether the program has switched the mouse reports on, and off again afterwards.
    var mouseIsGivenBack: Bool {
        guard let asked = output.range(of: "\u{1B}[?1002h"), let ended = output.range(of: "\u{1B}[?1002l") else { return false }
        return asked.upperBound <= ended.lowerBound
    }

    /// Whether the program has left the alternate screen, and the cursor is visible again.
    var screenIsGivenBack: Bool {
        guard let asked = output.range(of: "\u{1B}[?1049h\u{1B}[?25l"), let ended = output.range(of: "\u{1B}[?25h\u{1B}[?1049l") else { return false }
        return asked.upperBound <= ended.lowerBound
    }

    /// The output since the cursor last moved to the top.
    var lastScreen: String { output.components(separatedBy: "\u{1B}[H").last! }

    /// Whether the last screen has so many lines, one of which has the width of the screen and none more.
    func wholeScreen(columns: Int, rows: Int) -> Bool {
        let lines = String(decoding: lastScreen.utf8.filter { $0 != 13 }, as: UTF8.self).components(separatedBy: "\n").map { $0.replacing("\u{1B}[K", with: "").replacing("\u{1B}[J", with: "") }
        return lines.count == rows && lines.map(\.count).max() == columns
    }

    private func readOutput() {
        var ready = pollfd(fd: master, events: Int16(POLLIN), revents: 0), buffer = [UInt8](repeating: 0, count: 65536)
        while poll(&ready, 1, 10) > 0, case let count = read(master, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
    }
}
