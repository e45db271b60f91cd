// Output.swift: descriptors, in and out.

import Glibc

/// Writes all of it; the end of the program if nobody reads it.
func writeAll(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count >= 0 { bytes = bytes.dropFirst(count) } else if errno != EINTR { exit(1) }
    }
}

/// All lines until the end.
func readLines(_ descriptor: Int32) -> [Substring] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count > 0 { bytes += buffer[..<count] } else if count == 0 || errno != EINTR { break }
    }
    close(descriptor)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
}

/// The words for an errno.
func reason(_ error: Int32) -> String { String(cString: strerror(error)) }

/// Ends the program with one line on standard error.
func fail(_ message: String, status: Int32) -> Never {
    writeAll("RunLoopBench: \(message)\n", to: STDERR_FILENO)
    exit(status)
}

/// What is being measured, on standard error: one line that changes if that is a terminal, a line each otherwise.
struct Progress {
    private let isTerminal = isatty(STDERR_FILENO) == 1

    func show(_ text: String) { writeAll(isTerminal ? "\r\u{1B}[K\(text)" : "\(text)\n", to: STDERR_FILENO) }

    func clear() {
        if isTerminal { writeAll("\r\u{1B}[K", to: STDERR_FILENO) }
    }
}
