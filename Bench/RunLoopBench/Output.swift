// Output.swift: descriptors, in and out.

import Glibc

/// Writes all of the text; ends the program if the reader has closed the pipe.
func writeAll(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count >= 0 { bytes = bytes.dropFirst(count) } else if errno != EINTR { exit(1) }
    }
}

/// All lines up to the end.
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

/// The message for an errno.
func reason(_ error: Int32) -> String { String(cString: strerror(error)) }

/// Ends the program with one line on standard error.
func fail(_ message: String, status: Int32) -> Never {
    writeAll("RunLoopBench: \(message)\n", to: STDERR_FILENO)
    exit(status)
}
