// Output.swift: standard output through write(2). If standard output is a pipe, Swift's print buffers a lot of text, and does not report that
// the reader has closed the pipe.

import Glibc
import Synchronization

/// Collects text and writes it on `flush`, or when there is a lot of it. You may use it from any thread.
final class Output: Sendable {
    private let text = Mutex<[UInt8]>([])

    /// Adds a line.
    func line(_ line: String) {
        text.withLock { text in
            text += line.utf8
            text.append(UInt8(ascii: "\n"))
            if text.count > 16384 { writeAll(&text) }
        }
    }

    /// Writes the collected text.
    func flush() {
        text.withLock { writeAll(&$0) }
    }

    private func writeAll(_ text: inout [UInt8]) {
        var rest = text[...]
        while !write(&rest, to: STDOUT_FILENO) { recover(from: errno) }
        text.removeAll(keepingCapacity: true)
    }

    /// Returns if the write can be tried again. A closed pipe is the normal end of a program in a pipeline, so it gets no message.
    private func recover(from error: Int32) {
        switch error {
        case EAGAIN: waitUntilWritable()
        case EPIPE: exit(128 + SIGPIPE)
        default: fail(Text("cannot write to standard output: \(reason(error))", "无法写到标准输出：\(reason(error))"), status: 1)
        }
    }

    private func waitUntilWritable() {
        var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        poll(&output, 1, -1)
    }
}

/// Writes all bytes, and removes those that are written. If it cannot go on, it returns false, and errno says why.
func write(_ bytes: inout ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
    while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        if count >= 0 { bytes = bytes.dropFirst(count) } else if errno != EINTR { return false }
    }
    return true
}

/// The descriptors of 0 to 2 that are closed when the program begins. On first use they are opened on /dev/null. Otherwise the next file that
/// the program opens would get such a number, and become its standard output.
enum ClosedDescriptors {
    static let atTheStart = (STDIN_FILENO...STDERR_FILENO).filter { descriptor in
        fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", O_RDWR) == descriptor // open returns the lowest free number
    }
}

/// Replaces the text of a file. If that cannot be done, the program ends.
func write(_ text: String, to path: String) {
    guard let file = fopen(path, "w") else { cannotWrite(path) }
    let isWritten = fputs(text, file) >= 0
    if fclose(file) != 0 || !isWritten { cannotWrite(path) }
}

/// Ends the program, because of errno.
func cannotWrite(_ path: String) -> Never {
    let why = reason(errno)
    fail(Text("cannot write '\(path)': \(why)", "无法写入“\(path)”：\(why)"), status: 1)
}

/// The text of a file; nil if it cannot be read, and errno says why.
func contents(of path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    if file < 0 { return nil }
    defer { close(file) }
    return contents(from: file)
}

/// The text up to the end of what a descriptor reads.
func contents(from descriptor: Int32) -> String? {
    var bytes: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 65536)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count > 0 {
            bytes += buffer[..<count]
        } else if count == 0 {
            return String(decoding: bytes, as: UTF8.self)
        } else if errno != EINTR {
            return nil
        }
    }
}

/// Where a symbolic link leads.
func target(ofLink path: String) -> String {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let length = buffer.withUnsafeMutableBytes { readlink(path, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count) }
    return String(decoding: buffer.prefix(max(0, length)), as: UTF8.self)
}

/// The text for an errno.
func reason(_ error: Int32) -> String {
    String(cString: strerror(error))
}

/// Ends the program with one line on standard error.
func fail(_ message: Text, status: Int32) -> Never {
    let line = Array("RunLoopLab: \(message)\n".utf8)
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(status)
}
