import Glibc

/// A program that a test runs to its end, and what came of it.
struct ProgramResult {
    var status: Int32
    /// Standard output and standard error as they were written, one among the other, without the newline at the end.
    var output: String
}

/// What kept a test from running a program.
struct CannotRun: Error, CustomStringConvertible {
    var description: String
}

/// Runs `path` with `arguments` until it ends. It gets no input. Blocks the calling thread.
///
/// With posix_spawn rather than Foundation's Process, which waits in a run loop of Foundation's: the tests of a run loop are to
/// need no other.
func runProgram(_ path: String, _ arguments: [String]) throws -> ProgramResult {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else {
        throw CannotRun(description: "no pipe: \(String(cString: strerror(errno)))")
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)

    var child = pid_t()
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    let problem = posix_spawn(&child, path, &actions, nil, words, environ)
    close(ends[1])
    defer { close(ends[0]) }
    guard problem == 0 else {
        throw CannotRun(description: "\(path) does not start: \(String(cString: strerror(problem)))")
    }
    let output = readAll(ends[0])
    return ProgramResult(status: exitStatus(of: child), output: output)
}

private func readAll(_ descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count > 0 { bytes += buffer[..<count] } else if count == 0 || errno != EINTR { break }
    }
    while bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
}

/// As the shell tells it: 128 and the signal's number for a program that a signal ended.
private func exitStatus(of child: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 && errno == EINTR {}
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
}

/// Another executable of this package. It stands beside the running test bundle, which on Linux is an executable itself: in the
/// products directory of the configuration that is being tested.
func productBeside(_ name: String) throws -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    guard readlink("/proc/self/exe", &buffer, Int(PATH_MAX)) > 0 else {
        throw CannotRun(description: "/proc/self/exe: \(String(cString: strerror(errno)))")
    }
    let bundle = buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    let path = String(bundle.prefix(through: bundle.lastIndex(of: "/")!)) + name
    guard access(path, X_OK) == 0 else {
        throw CannotRun(description: "there is no \(path); swift build --product \(name) makes it")
    }
    return path
}

/// The executable with the C tests.
struct CTestsProgram {
    var path: String

    static func beside() throws -> CTestsProgram {
        CTestsProgram(path: try productBeside("CTests"))
    }

    func run(_ arguments: [String]) throws -> ProgramResult {
        try runProgram(path, arguments)
    }
}
