// Lines.swift: the lines of a descriptor as an asynchronous sequence.
//
// The loop's thread reads a piece when the descriptor is readable, and then stops waiting for it until the task has
// taken all lines of the piece. So a late task leaves the data where it is, and a pipe holds its writer up.

#if os(Linux)
public import SwiftRunLoop
import Synchronization

extension RunLoop {
    /// Returns a sequence of the lines of a descriptor, such as standard input.
    ///
    ///     for try await line in try RunLoop.main.lines(of: STDIN_FILENO) {
    ///         print("you wrote", line)
    ///     }
    ///
    /// The loop must run in the mode, on its own thread; the task that iterates may run anywhere. The descriptor is in
    /// the loop until the sequence ends: at the end of the input or after an error, when the task is cancelled, when
    /// the sequence and its iterators have gone, and when the loop's thread ends.
    ///
    /// A line ends with a line feed, which is not part of it, nor is a carriage return before it. The last line need
    /// not end with one. Bytes that are not UTF-8 are repaired. A late task holds nothing up but the writer: the loop
    /// reads on when it has taken the lines.
    ///
    /// The loop reads up to 64 KB at once. After a `break`, keep the sequence and iterate over it again: it goes on
    /// with the next line. A second call of `lines(of:mode:)` begins behind what the first sequence has read.
    /// - Parameters:
    ///   - fileDescriptor: an open descriptor; a regular file is read, too. It stays yours. The sequence has its own
    ///     duplicate.
    ///   - mode: the mode; `.common` stands for all common modes.
    /// - Returns: the sequence, for one task at a time. It throws an error when a read fails. It is empty if the loop's
    ///   thread has ended.
    /// - Throws: `EBADF` if the descriptor is not open, or not for reading, or is no file, such as an epoll instance:
    ///   if a program is started with its standard input closed, libdispatch may have the number 0 by now. `EMFILE` if
    ///   the process has no descriptor left.
    public func lines(
        of fileDescriptor: Int32, mode: Mode = .default
    ) throws(POSIXError) -> some AsyncSequence<String, POSIXError> & Sendable {
        try LineReader(fileDescriptor, in: self, mode: mode)
    }
}

/// The sequence, which is its own iterator: whoever iterates goes on with the next line.
private final class LineReader: AsyncSequence, AsyncIteratorProtocol, Sendable {
    /// What a read has found: an empty piece at the end of the input; nil if there is nothing to read yet.
    private typealias Piece = Result<[UInt8]?, POSIXError>

    private enum Input: Sendable {
        /// A descriptor for which no loop can wait, because it is always readable: that of a regular file.
        case file(OwnDescriptor)

        /// The pieces that the loop's thread reads, and the source that it waits for.
        case watched(AsyncStream<Piece>, Weak<RunLoop.Source>)
    }

    private let input: Input
    private let runLoop: RunLoop
    private let lines = Mutex(LineSplitter())

    init(_ fileDescriptor: Int32, in runLoop: RunLoop, mode: RunLoop.Mode) throws(POSIXError) {
        self.runLoop = runLoop
        let own = try OwnDescriptor(duplicating: fileDescriptor)
        if fcntl(own.number, F_GETFL) & O_ACCMODE == O_WRONLY || !hasFileType(own.number) { throw POSIXError(.EBADF) }
        do {
            let (pieces, source) = try runLoop.watch(own, mode) { (continuation: AsyncStream<Piece>.Continuation, _) in
                continuation.yield(Self.read(own))
            }
            input = .watched(pieces, source)
        } catch {
            guard error.code == .EPERM else { throw error }
            input = .file(own)
        }
    }

    private static func read(_ own: OwnDescriptor) -> Piece {
        if let piece = readBytes(from: own.number) { return .success(piece) }
        let error = POSIXError.last
        switch error.code {
        case .EAGAIN, .EINTR: return .success(nil)
        case .EIO where isatty(own.number) == 1: return .success([]) // so Linux reports the end of a terminal
        default: return .failure(error)
        }
    }

    func makeAsyncIterator() -> LineReader { self }

    func next(isolation: isolated (any Actor)?) async throws(POSIXError) -> String? {
        while true {
            if let line = lines.withLock({ $0.takeLine() }) { return line }
            if lines.withLock({ $0.isAtEnd }) { break }
            guard let piece = await nextPiece(), !Task.isCancelled else { break }
            lines.withLock { $0.append(piece) }
        }
        if case .watched(_, let source) = input { source.object?.invalidate() }
        if let error = lines.withLock({ $0.error.take() }) { throw error }
        return nil
    }

    /// Awaits what has been read; nil if nothing will come any more.
    private nonisolated(nonsending) func nextPiece() async -> Piece? {
        switch input {
        case .file(let own): return runLoop.hasEnded ? nil : Self.read(own)
        case .watched(let pieces, let source):
            source.object?.events = .readable
            var iterator = pieces.makeAsyncIterator()
            return await iterator.next()
        }
    }
}

/// Makes lines of pieces.
private struct LineSplitter {
    private var bytes: [UInt8] = []

    /// The beginning of the next line, and the place up to which there is no line feed.
    private var start = 0, searched = 0

    /// The error that has ended the input. It is thrown once.
    var error: POSIXError?

    /// Whether no piece will come any more. A terminal could be read on.
    private(set) var isAtEnd = false

    mutating func append(_ piece: Result<[UInt8]?, POSIXError>) {
        switch piece {
        case .success(nil): break
        case .success(let piece?):
            bytes.removeSubrange(..<start)
            (start, searched) = (0, searched - start)
            bytes += piece
            isAtEnd = piece.isEmpty
        case .failure(let error): (self.error, isAtEnd) = (error, true)
        }
    }

    /// The next line, or at the end the rest, which has no line feed; nil if there is none.
    mutating func takeLine() -> String? {
        if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) {
            defer { (start, searched) = (end + 1, end + 1) }
            return text(upTo: end)
        }
        searched = bytes.count
        guard isAtEnd, start < bytes.count else { return nil }
        defer { (bytes, start, searched) = ([], 0, 0) }
        return text(upTo: bytes.count)
    }

    private func text(upTo end: Int) -> String {
        var line = bytes[start..<end]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return String(decoding: line, as: UTF8.self)
    }
}
#endif
