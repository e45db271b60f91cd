// ChildProcess.swift: runs a program and reads its output.

import Glibc

/// A program that has ended.
struct ChildProcess {
    enum End: Equatable {
        case exited(Int32), killed(Int32)
        case timedOut(after: Double)

        var words: Text {
            switch self {
            case .exited(let status): Text("exit status \(status)", "退出状态 \(status)")
            case .killed(let signal): Text("ended by signal \(signal), \(String(cString: strsignal(signal)))", "被信号 \(signal) 结束：\(String(cString: strsignal(signal)))")
            case .timedOut(let limit): Text("did not end within \(Int(limit)) s", "\(Int(limit)) 秒内没有结束")
            }
        }
    }

    /// Its standard output and standard error.
    let output: String
    let end: End

    /// Runs the program at `path` and returns when it has ended. Kills it after `limit` seconds.
    /// - Parameter inheritsInput: it reads this process's standard input; otherwise its own is empty.
    /// - Parameter running: called with the process id when the process has begun, and with nil when you may no longer signal it.
    static func run(_ path: String, _ arguments: [String], limit: Double, inheritsInput: Bool = false, running: (pid_t?) -> Void = { _ in }) -> ChildProcess {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { fail(Text("cannot create a pipe for \(path): \(reason(errno))", "无法为 \(path) 创建管道：\(reason(errno))"), status: 1) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let process = spawn(path, arguments, output: ends[1], inheritsInput: inheritsInput)
        running(process)
        close(ends[1])
        let (output, isInTime) = readAll(ends[0], until: now() + limit)
        close(ends[0])
        if !isInTime { kill(process, SIGKILL) }
        running(nil) // after waitpid, another process may get its id
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        let signal = status & 0x7F
        let end: End = !isInTime ? .timedOut(after: limit) : signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal)
        return ChildProcess(output: String(decoding: output, as: UTF8.self), end: end)
    }

    private static func spawn(_ path: String, _ arguments: [String], output: Int32, inheritsInput: Bool) -> pid_t {
        var actions = posix_spawn_file_actions_t(), attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        if !inheritsInput { posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0) }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO)
        posix_spawnattr_init(&attributes)
        var none = sigset_t() // this process blocks SIGINT for the thread that waits for it; the child must not
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var process = pid_t()
        let error = posix_spawn(&process, path, &actions, &attributes, &words, environ)
        if error != 0 { fail(Text("cannot run \(path): \(reason(error))", "无法运行 \(path)：\(reason(error))"), status: 1) }
        return process
    }

    /// Reads to the end, or until the deadline.
    private static func readAll(_ descriptor: Int32, until deadline: Double) -> (bytes: [UInt8], isInTime: Bool) {
        var bytes: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let left = deadline - now()
            guard left > 0 else { return (bytes, false) }
            guard poll(&ready, 1, Int32(left * 1000) + 1) > 0 else { continue }
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 { bytes += buffer[..<count] } else if count == 0 || errno != EINTR { return (bytes, true) }
        }
    }
}

/// The path of this program.
let ownProgram = target(ofLink: "/proc/self/exe")
