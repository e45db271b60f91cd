@testable import RunLoopLab
import XCTest

/// Recordings of events, and the input from a terminal: whatever the bytes are, reading them ends, with events or with an error message.
final class LabEventTests: XCTestCase {
    private let good = "RunLoopLab events 1\n# a tap\n0.000 down 10 4\n0.080 move 11 4\n0.080 up 11 4\n\n3600.000 key é\n"

    private func read(_ text: String) -> Result<EventFile, EventFile.Failure> {
        Result { () throws(EventFile.Failure) in try EventFile(bytes: Array(text.utf8)) }
    }

    // MARK: - Recordings

    func testA11_ARecordingIsRead() throws {
        let file = try read(good).get()
        XCTAssertEqual(file.entries.map(\.time), [0, 80, 80, 3_600_000])
        XCTAssertEqual(file.entries.map(\.event), [
            .touch(.down, column: 10, row: 4), .touch(.move, column: 11, row: 4), .touch(.up, column: 11, row: 4), .key("é"),
        ])
        XCTAssertEqual(try read("RunLoopLab events 1").get().entries, [], "the last line needs no newline")
    }

    func testWhatIsWrittenIsReadBack() throws {
        let file = try read(good + "3600.000 size 60 20\n").get()
        XCTAssertEqual(file.entries.last?.event, .size(columns: 60, rows: 20))
        XCTAssertEqual(file.entries.last.flatMap { InputEvent($0.event.description) }, .size(columns: 60, rows: 20))
        XCTAssertEqual(try read(file.text).get(), file)
    }

    func testTheRecordingInDocumentationIsTheBuiltInOne() throws {
        let path = #filePath.components(separatedBy: "/Tests/")[0] + "/Lab/UIKit/Recordings/first-touch.events"
        XCTAssertEqual(try String(contentsOfFile: path, encoding: .utf8), builtInRecording)
        XCTAssertEqual(try read(builtInRecording).get().entries.count, 11)
    }

    func testWhatIsWrongIsSaidWithItsLine() {
        let header = "RunLoopLab events 1\n"
        let cases = [
            ("", 1, "empty"), ("RunLoopLab events 2\n", 1, "begins with"), ("RunLoopLab events 1\r\n", 1, "begins with"),
            (" " + header, 1, "begins with"),
            (header + "0.5 key a", 2, "three decimals"), (header + "-1.000 key a", 2, "three decimals"),
            (header + "1e3 key a", 2, "three decimals"),
            (header + "0000001.000 key a", 2, "three decimals"), (header + "3600.001 key a", 2, "at most"),
            (header + "999999.000 key a", 2, "at most"),
            (header + "1.000 key a\n\n0.999 key b", 4, "before"),
            (header + "1.000  key a", 2, "one space"), (header + "1.000 key a ", 2, "one space"),
            (header + " 1.000 key a", 2, "one space"), (header + "x", 2, "one space"),
            (header + "1.000 key", 2, "one key"), (header + "1.000 key ab", 2, "printable"),
            (header + "1.000 key \u{1B}", 2, "printable"),
            (header + "1.000 key a\u{301}", 2, "printable"), (header + "1.000 key a\t", 2, "printable"),
            (header + "1.000 Key a", 2, "an event is"), (header + "1.000 wheel 1", 2, "an event is"),
            (header + "1.000 down 0 1", 2, "column"), (header + "1.000 down 1 10000", 2, "column"),
            (header + "1.000 down 1", 2, "column"),
            (header + "1.000 size 80", 2, "columns and rows"), (header + "1.000 size 80 0", 2, "columns and rows"),
            (header + "1.000 down 1 1 1", 2, "column"), (header + "1.000 down ٣ 1", 2, "column"),
            (header + "1.000 move 1 1", 2, "not down"), (header + "1.000 up 1 1", 2, "not down"),
            (header + "1.000 down 1 1\n1.000 down 1 1", 3, "since line 2"), (header + "#\n1.000 down 1 1\n#", 3, "never lifted"),
            (header + "#" + String(repeating: "x", count: 200), 2, "200 bytes"),
            (header + String(repeating: "\n", count: EventFile.mostLines) + "#\n", EventFile.mostLines + 1, "lines"),
        ]
        for (text, line, words) in cases {
            guard case .failure(let failure) = read(text) else { XCTFail("\(text) was read"); continue }
            XCTAssertEqual(failure.line, line, "\(text): \(failure)")
            XCTAssert(failure.message.english.contains(words), "\(text): \(failure)")
        }
        XCTAssertThrowsError(try EventFile(bytes: Array(header.utf8) + [0x23, 0xFF])) {
            XCTAssertEqual("\($0)", "line 2: this is not UTF-8")
        }
    }

    func testAnyBytesCanBeRead() throws {
        var random = Xorshift(state: 0x5DEE_CE66)
        for _ in 0..<20_000 {
            var bytes = Array(good.utf8)
            for _ in 0...random.next(below: 4) {
                let place = random.next(below: bytes.count)
                switch random.next(below: 3) {
                case 0: bytes[place] = UInt8(random.next(below: 256))
                case 1: bytes.insert(UInt8(random.next(below: 256)), at: place)
                default: bytes.remove(at: place)
                }
            }
            guard let file = try? EventFile(bytes: bytes) else { continue }
            XCTAssertEqual(try EventFile(bytes: Array(file.text.utf8)), file)
        }
    }

    // MARK: - The terminal

    private let typed = "aé \u{1B}[A\u{1B}OB\r\u{7F}"
        + "\u{1B}[<0;10;4M\u{1B}[<35;1;1M\u{1B}[<32;11;4M\u{1B}[<2;1;1M\u{1B}[<0;11;4m\u{1B}[<0;11;4m\u{1B}xq"
    private let meant: [InputEvent] = [
        .key("a"), .key("é"), .key("space"), .key("up"), .key("down"), .key("return"), .key("backspace"),
        .touch(.down, column: 10, row: 4), .touch(.move, column: 11, row: 4), .touch(.up, column: 11, row: 4), .key("q"),
    ]

    func testA11_KeysAndMouseOfATerminalAreEvents() {
        var parser = TerminalParser()
        XCTAssertEqual(parser.parse(Array(typed.utf8)), meant)
    }

    func testTheTerminalsBytesMayComeInPiecesOfAnySize() {
        let bytes = Array(typed.utf8)
        for size in 1...bytes.count {
            var parser = TerminalParser(), events: [InputEvent] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                events += parser.parse(bytes[start..<min(start + size, bytes.count)])
            }
            XCTAssertEqual(events, meant, "in pieces of \(size)")
        }
    }

    func testWhatIsTooLongIsDroppedTheSameInPiecesOfAnySize() {
        let bytes = Array("\u{1B}[".utf8) + Array(repeating: 0xFF, count: 80) + Array("\u{1B}OBa".utf8)
        for size in [1, 7, 33, bytes.count] {
            var parser = TerminalParser(), events: [InputEvent] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                events += parser.parse(bytes[start..<min(start + size, bytes.count)])
            }
            XCTAssertEqual(events, [.key("down"), .key("a")], "in pieces of \(size)")
        }
    }

    func testAnEscapeThatNothingFollowsIsTheKey() {
        var parser = TerminalParser()
        XCTAssertEqual(parser.parse([0x1B]), [])
        XCTAssert(parser.isWaiting)
        XCTAssertEqual(parser.pause(), [.key("escape")])
        XCTAssertEqual(parser.parse(Array("\u{1B}\u{1B}[A".utf8)), [.key("escape"), .key("up")])
        XCTAssertEqual(parser.parse(Array("\u{1B}[".utf8)) + parser.pause() + parser.parse(Array("A".utf8)), [.key("A")])
    }

    func testAnyBytesMayComeFromTheTerminal() {
        var random = Xorshift(state: 0x2545_F491), parser = TerminalParser(), isDown = false
        let likely = Array("\u{1B}[<0;2M32;m9é~O".utf8)
        for _ in 0..<50_000 {
            let bytes = (0...random.next(below: 8)).map { _ in
                random.next(below: 4) > 0 ? likely[random.next(below: likely.count)] : UInt8(random.next(below: 256))
            }
            for event in parser.parse(bytes) + (random.next(below: 50) == 0 ? parser.pause() : []) {
                guard case .touch(let phase, let column, let row) = event else { continue }
                XCTAssertEqual(phase == .down, !isDown, "the finger is put down, moved and lifted in turn")
                XCTAssert((1...InputEvent.screenLimit).contains(column) && (1...InputEvent.screenLimit).contains(row))
                isDown = phase != .up
            }
        }
    }
}

/// The same numbers in every run.
private struct Xorshift {
    var state: UInt64

    mutating func next(below limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state >> 33) % limit
    }
}
