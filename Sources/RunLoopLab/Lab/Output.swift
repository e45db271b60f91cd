// Output.swift: standard output, through write(2). Swift's print keeps what it has for a reader that is a pipe until much has come
// together, and does not say when that reader has gone.

import Glibc
import Synchronization

/// Collects text and writes it when asked, or when there is much of it. May be used from any thread.
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

    /// Writes all there is.
    func flush() {
        text.withLock { writeAll(&$0) }
    }

    private func writeAll(_ text: inout [UInt8]) {
        var done = 0
        while done < text.count {
            let count = text[done...].withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count >= 0 { done += count } else { recover(from: errno) }
        }
        text.removeAll(keepingCapacity: true)
    }

    /// Returns if the write can be tried again. Nobody reading any more is the ordinary end of a program in a pipe: nothing is said.
    private func recover(from error: Int32) {
        switch error {
        case EINTR: break
        case EAGAIN: waitUntilWritable()
        case EPIPE: exit(128 + SIGPIPE)
        default: fail("standard output cannot be written: \(reason(error))", status: 1)
        }
    }

    private func waitUntilWritable() {
        var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        poll(&output, 1, -1)
    }
}

/// The descriptors of 0 to 2 that are closed when the program begins. At the first use they become /dev/null: what is opened next would
/// get their numbers otherwise, and a file would be taken for standard output.
enum ClosedDescriptors {
    static let atTheStart = (STDIN_FILENO...STDERR_FILENO).filter { descriptor in
        fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", O_RDWR) == descriptor // the lowest that is free
    }
}

/// The words for an errno.
func reason(_ error: Int32) -> String {
    String(cString: strerror(error))
}

/// Ends the program with one line on standard error.
func fail(_ message: String, status: Int32) -> Never {
    let line = Array("RunLoopLab: \(message)\n".utf8)
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    exit(status)
}
