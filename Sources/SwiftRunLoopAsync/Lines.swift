// Lines.swift: the lines of a descriptor as an asynchronous sequence.
//
// The loop's thread reads a piece when the descriptor is readable, and then stops waiting for it until the task has taken all lines of the
// piece. So a late task leaves the data where it is, and a pipe holds its writer up.

#if os(Linux)
internal import CRunLoop
public import SwiftRunLoop
import Synchronization

extension RunLoop {
    /// Returns a sequence of the lines of a descriptor, such as standard input.
    ///
    ///     for await line in RunLoop.main.lines(of: STDIN_FILENO) {
    ///         print("you wrote", line)
    ///     }
    ///
    /// The loop must run in the mode, on its own thread; the task that iterates may run anywhere. The descriptor is in the loop until the
    /// sequence ends: at the end of the input or after an error, when the task is cancelled, when the sequence and its iterators have gone
    /// (after a `break` for example), and when the loop's thread ends.
    ///
    /// A line ends with a line feed, which is not part of it, nor is a carriage return before it. The last line need not end with one. Bytes
    /// that are not UTF-8 are repaired. A late task holds nothing up but the writer: the loop reads on when it has taken the lines.
    /// - Parameters:
    ///   - fileDescriptor: an open descriptor; a regular file is read, too. It stays yours. The sequence has its own duplicate.
    ///   - mode: the mode; `.common` stands for all common modes.
    /// - Returns: the sequence, for one task at a time. It is empty if the descriptor cannot be read.
    public func lines(of fileDescriptor: Int32, mode: Mode = .default) -> AsyncStream<String> {
        let reader = LineReader(fileDescriptor, in: self, mode: mode)
        return AsyncStream(unfolding: { await reader.next() })
    }
}

/// What the sequence retains until it ends.
private final class LineReader: Sendable {
    /// The pieces that the loop's thread reads. An empty piece is the end of the input; nil means that there was nothing to read.
    private let pieces: AsyncStream<[UInt8]?>
    private let source: Weak<RunLoop.Source>
    /// A descriptor for which no loop can wait, because it is always readable: that of a regular file.
    private let file: OwnDescriptor?
    private let runLoop: RunLoop
    private let lines = Mutex(LineSplitter())

    init(_ fileDescriptor: Int32, in runLoop: RunLoop, mode: RunLoop.Mode) {
        self.runLoop = runLoop
        let own = OwnDescriptor(duplicating: fileDescriptor)
        guard let own, fcntl(own.number, F_GETFL) & O_ACCMODE != O_WRONLY, CFWatchIsPossible(own.number) else {
            file = errno == EPERM ? own : nil
            let (nothing, continuation) = AsyncStream.makeStream(of: [UInt8]?.self)
            continuation.finish()
            (pieces, source) = (nothing, Weak(object: nil))
            return
        }
        file = nil
        (pieces, source) = runLoop.watch(own, mode) { continuation, _ in
            if let piece = readBytes(from: own.number) {
                continuation.yield(piece)
            } else if errno == EAGAIN || errno == EINTR {
                continuation.yield(nil)
            } else {
                continuation.yield([]) // the end of a terminal is an error
            }
        }
    }

    /// Awaits a line; nil at the end of the sequence.
    func next() async -> String? {
        while true {
            if let line = lines.withLock({ $0.takeLine() }) { return line }
            if lines.withLock({ $0.isAtEnd }) { return nil }
            guard let read = await nextPiece(), !Task.isCancelled else { return nil }
            guard let piece = read else { continue }
            if piece.isEmpty { return lines.withLock { $0.takeRest() } }
            lines.withLock { $0.append(piece) }
        }
    }

    /// Awaits what the loop's thread has read; nil if nothing will come any more.
    private func nextPiece() async -> [UInt8]?? {
        if let file {
            return runLoop.hasEnded ? .none : readBytes(from: file.number) ?? []
        }
        source.object?.events = .readable
        var iterator = pieces.makeAsyncIterator()
        return await iterator.next()
    }
}

/// Makes lines of pieces.
private struct LineSplitter {
    private var bytes: [UInt8] = []
    /// The beginning of the next line, and the place up to which there is no line feed.
    private var start = 0, searched = 0
    /// Whether the rest has been taken. A terminal could be read on.
    private(set) var isAtEnd = false

    mutating func append(_ piece: [UInt8]) {
        bytes.removeSubrange(..<start)
        (start, searched) = (0, searched - start)
        bytes += piece
    }

    mutating func takeLine() -> String? {
        guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = bytes.count
            return nil
        }
        defer { (start, searched) = (end + 1, end + 1) }
        return text(upTo: end)
    }

    /// The last line, which has no line feed; nil if there is none.
    mutating func takeRest() -> String? {
        defer { (bytes, start, searched, isAtEnd) = ([], 0, 0, true) }
        return start < bytes.count ? text(upTo: bytes.count) : nil
    }

    private func text(upTo end: Int) -> String {
        var line = bytes[start..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return String(decoding: line, as: UTF8.self)
    }
}
#endif
