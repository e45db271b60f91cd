import Foundation
import Synchronization
import XCTest

/// The result of a program that a test has run to its end.
package struct ProgramResult {
    package var status: Int32
    /// Standard output and standard error, mixed as they were written, without the final newline.
    package var output: String

    package init(status: Int32, output: String) { (self.status, self.output) = (status, output) }
}

/// The reason why a test could not run a program.
package struct CannotRun: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) { self.description = description }
}

/// Runs `path` with `arguments` until it ends. It gets no input. Blocks the calling thread. Throws if it has not ended after the limit: then the
/// program is killed, and the error has what it wrote.
///
/// Uses posix_spawn and not Foundation's Process, which waits in a run loop of Foundation's: the tests of a run loop should not depend on
/// another one.
package func runProgram(_ path: String, _ arguments: [String], limit: Duration = .seconds(1800)) throws -> ProgramResult {
    // One thread at a time starts a child, because a child that inherited another one's pipe would keep it open.
    let (child, pipe) = try starting.withLock { _ in try startProgram(path, arguments) }
    defer { close(pipe) }
    let (output, isWhole) = readAll(pipe, until: .now + limit)
    guard isWhole else {
        kill(child, SIGKILL)
        _ = exitStatus(of: child)
        throw CannotRun(description: "\(path) \(arguments.joined(separator: " ")) has not ended in \(limit). It wrote:\n\(output)")
    }
    return ProgramResult(status: exitStatus(of: child), output: output)
}

/// The same, but gives each line to `body` as soon as the program has written it. Returns the status.
package func runProgram(_ path: String, _ arguments: [String], eachLine body: (String) -> Void) throws -> Int32 {
    let (child, pipe) = try starting.withLock { _ in try startProgram(path, arguments) }
    guard let lines = fdopen(pipe, "r") else { throw CannotRun(description: "no stream for the output of \(path)") }
    defer { fclose(lines) }
    var line: UnsafeMutablePointer<CChar>?, capacity = 0
    defer { free(line) }
    while getline(&line, &capacity, lines) >= 0 {
        let text = String(cString: line!)
        body(text.hasSuffix("\n") ? String(text.dropLast()) : text)
    }
    return exitStatus(of: child)
}

private let starting = Mutex<Void>(())

/// Lets children find the toolchain's clang where only its `swift` is in the search path, as with Debian's package.
private let toolchainInSearchPath: Void = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    guard let swift = folders.map({ $0 + "/swift" }).first(where: { access($0, X_OK) == 0 }) else { return }
    setenv("PATH", (folders + [URL(fileURLWithPath: swift).resolvingSymlinksInPath().deletingLastPathComponent().path]).joined(separator: ":"), 1)
}()

/// The child, and the end of a pipe from which its output can be read.
private func startProgram(_ path: String, _ arguments: [String]) throws -> (child: pid_t, pipe: Int32) {
    toolchainInSearchPath
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
    guard problem == 0 else {
        close(ends[0])
        throw CannotRun(description: "\(path) does not start: \(String(cString: strerror(problem)))")
    }
    return (child, ends[0])
}

/// What comes from a pipe until its end, or until that moment, without the newlines at its end; and whether the end has come.
private func readAll(_ descriptor: Int32, until last: ContinuousClock.Instant) -> (text: String, isWhole: Bool) {
    var bytes: [UInt8] = [], isWhole = false
    var buffer = [UInt8](repeating: 0, count: 65536)
    while !isWhole, case let left = last - .now, left > .zero {
        var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&input, 1, Int32(left / .milliseconds(1)) + 1) > 0 else { continue }
        let count = read(descriptor, &buffer, buffer.count)
        if count > 0 { bytes += buffer[..<count] } else { isWhole = count == 0 || errno != EINTR }
    }
    while bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    return (String(decoding: bytes, as: UTF8.self), isWhole)
}

/// Applies `body` to each item, and returns the results in the order of the items. If calls throw, this throws the error of the first of these
/// items, after all calls. There are two threads a processor, because most of the programs that the tests run sleep more than they compute.
/// `body` only runs programs and reads files: assert on the results, because XCTest expects assertions on the test's own thread.
package func concurrently<Item, Result>(_ items: [Item], _ body: @escaping (Item) throws -> Result) throws -> [Result] {
    nonisolated(unsafe) let items = items, body = body
    nonisolated(unsafe) let results = UnsafeMutableBufferPointer<Swift.Result<Result, any Error>?>.allocate(capacity: items.count)
    results.initialize(repeating: nil)
    defer { results.deinitialize().deallocate() }
    let next = Atomic(0), group = DispatchGroup()
    for _ in 0..<min(items.count, 2 * ProcessInfo.processInfo.activeProcessorCount) {
        group.enter()
        Foundation.Thread.detachNewThread {
            while case let index = next.wrappingAdd(1, ordering: .relaxed).oldValue, index < items.count {
                results[index] = Swift.Result { try body(items[index]) }
            }
            group.leave()
        }
    }
    group.wait()
    return try results.map { try $0!.get() }
}

/// The status as a shell reports it: 128 plus the signal's number for a program that a signal ended.
private func exitStatus(of child: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 && errno == EINTR {}
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
}

/// Another executable of this package. It is beside the running test bundle, which on Linux is an executable itself, in the products
/// directory of the configuration that is being tested.
package func productBeside(_ name: String) throws -> String {
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

/// Runs Python in the package's folder, where it finds the modules of Facts. Skips the test if Python is not installed.
package func runPython(_ arguments: [String]) throws -> ProgramResult {
    let environment = ["-C", SourceFile.root.path, "PYTHONPATH=Facts", "PYTHONDONTWRITEBYTECODE=1"]
    let result = try runProgram("/usr/bin/env", environment + ["python3"] + arguments)
    if result.status == 127 { throw XCTSkip("python3 is not installed; on Debian and Ubuntu: apt install python3") }
    return result
}

/// The executable with the C tests.
package struct CTestsProgram {
    package var path: String

    package static func beside() throws -> CTestsProgram {
        CTestsProgram(path: try productBeside("CTests"))
    }

    package func run(_ arguments: [String]) throws -> ProgramResult {
        try runProgram(path, arguments)
    }
}
