// EventInput.swift: where an experiment's events come from.

import Glibc

/// The terminal if there is one, otherwise a recording.
enum EventInput: Sendable {
    case terminal(Terminal)
    case recording(EventFile, name: String)

    /// Uses the named file; otherwise the terminal; otherwise standard input, if anything arrives there; otherwise the built-in recording. An
    /// unreadable or malformed file ends the program.
    init(file: String? = nil, builtIn: String = builtInRecording) {
        if let file {
            let descriptor = open(file, O_RDONLY | O_CLOEXEC)
            if descriptor < 0 { fail(Text("cannot read \(file): \(reason(errno))", "无法读取 \(file)：\(reason(errno))"), status: 1) }
            self = .recording(Self.recording(from: Self.bytes(of: descriptor, file), file), name: file)
            close(descriptor)
        } else if let terminal = Terminal() {
            self = .terminal(terminal)
        } else if Self.inputArrives, case let bytes = Self.bytes(of: STDIN_FILENO, shown("standard input")), !bytes.isEmpty {
            self = .recording(Self.recording(from: bytes, shown("standard input")), name: "standard input")
        } else {
            let recording = Self.recording(from: Array(builtIn.utf8), shown("a built-in recording"))
            self = .recording(recording, name: "a built-in recording")
        }
    }

    private static func recording(from bytes: [UInt8], _ name: String) -> EventFile {
        do throws(EventFile.Failure) {
            return try EventFile(bytes: bytes)
        } catch {
            fail(Text("\(name), \(error)", "\(name)，\(error)"), status: 1)
        }
    }

    private static func bytes(of descriptor: Int32, _ name: String) -> [UInt8] {
        var bytes: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 65536)
        let limit = EventFile.mostLines * (EventFile.longestLine + 1) // anything longer is not a recording
        while bytes.count <= limit {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0 && errno != EINTR { fail(Text("cannot read \(name): \(reason(errno))", "无法读取 \(name)：\(reason(errno))"), status: 1) }
            if count == 0 { break }
            bytes += buffer[..<max(0, count)]
        }
        return bytes
    }

    /// Whether input arrives within a second. Nothing may ever be written to a pipe that this process inherited.
    private static var inputArrives: Bool {
        var status = stat(), input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        let isFileOrPipe = fstat(STDIN_FILENO, &status) == 0 && [S_IFREG, S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
        return isFileOrPipe && poll(&input, 1, 1000) > 0
    }

    /// The size of the screen that the events are for.
    var screen: (columns: Int, rows: Int) {
        switch self {
        case .terminal(let terminal): terminal.size
        case .recording: (80, 24)
        }
    }
}

/// As in Lab/UIKit/Recordings/first-touch.events.
let builtInRecording = """
RunLoopLab events 1
# A tap on the button, on the left of the screen.
0.100 down 10 6
0.180 up 10 6
# Two keys.
0.300 key h
0.360 key i
# The list on the right is dragged upwards; the first move makes it a drag.
0.500 down 60 18
0.540 move 60 16
0.580 move 60 13
0.620 move 60 9
0.680 up 60 9
# Another tap, now that the loop is back in the default mode.
0.800 down 12 7
0.860 up 12 7

"""

/// As in Lab/UIKit/Recordings/app.events.
let appRecording = """
RunLoopLab events 1
# The list on the left is dragged upwards.
0.800 down 20 20
0.900 move 20 18
1.100 move 20 15
1.300 move 20 12
1.500 move 20 9
1.700 move 20 7
1.800 up 20 7
# A stall of the main thread.
3.200 key s
# A drag by keys: it ends when no key has come for a while.
4.600 key down
4.700 key down
4.800 key down
4.900 key down
5.000 key down

"""
