import TestSupport
import XCTest
@testable import RunLoopLab

/// Documentation/Readings, a page for each article, and the guide "Questions".
///
/// Below a command of RunLoopLab, a page shows lines that the command prints. Where others stand between two of them, the page has a line `…`,
/// and `…` at the end of a line stands for its rest. Addresses, times and counts differ from run to run.
final class ReadingsTests: TestCaseBeside {
    private static let pages = ["0-nsrunloop", "1-overview", "2-introduction", "3-launch-and-run", "4-core-mechanism", "other-articles"].map { "Documentation/Readings/\($0)" }
        + ["Documentation/Guides/questions"]

    /// What a page shows below a command.
    private struct Shown {
        var path: String, line: Int
        var command: String
        var lines: [Substring]
    }

    private func path(_ page: String, _ language: Language) -> String { page + (language == .chinese ? ".zh.md" : ".md") }

    private func shown(in path: String) throws -> [Shown] {
        var found: [Shown] = [], command = "", fence: String?
        for (index, line) in try XCTUnwrap(SourceTree.lines(of: path), path).enumerated() {
            if line.hasPrefix("```") {
                if fence == nil, line == "```" {
                    XCTAssertNotEqual(command, "", "\(path):\(index + 1): no command of RunLoopLab prints this")
                    found.append(Shown(path: path, line: index + 1, command: command, lines: []))
                }
                fence = fence == nil ? String(line) : nil
            } else if fence == "```" {
                found[found.count - 1].lines.append(line)
            } else if fence == nil, line.hasPrefix("    swift run RunLoopLab ") {
                command = String(line.dropFirst("    swift run RunLoopLab ".count))
            } else if line.hasPrefix("#") {
                command = ""
            }
        }
        return found
    }

    func testThePagesShowWhatTheProgramsPrint() throws {
        for language in Language.allCases {
            let shown = try Self.pages.flatMap { try self.shown(in: path($0, language)) }
            XCTAssertGreaterThan(shown.count, 80)
            let commands = Set(shown.map(\.command)).sorted()
            func run(_ command: String) throws -> String {
                let hasFast = !["play ", "tour", "explain "].contains { command.hasPrefix($0) }
                return try lab("printf 'one\\ntwo\\n' | $LAB \(command)\(hasFast ? " --fast" : "") --lang \(language.rawValue)").output
            }
            var printed = Dictionary(uniqueKeysWithValues: zip(commands, try concurrently(commands, run)))
            for block in shown {
                // Beside all the others, a program may miss its own time limit: then it runs once more, alone.
                if missing(block, in: printed[block.command]!) != nil { printed[block.command] = try run(block.command) }
                guard let line = missing(block, in: printed[block.command]!) else { continue }
                XCTFail("\(block.path):\(block.line): \(block.command) does not print “\(line)”; it prints\n\(printed[block.command]!.prefix(3000))")
            }
        }
    }

    /// The first line of a block that a command does not print.
    private func missing(_ block: Shown, in output: String) -> Substring? {
        var rest = output.split(separator: "\n").map { comparable($0) }
        return block.lines.first { line in
            if line.allSatisfy({ $0 == " " || $0 == "…" }) { return false } // lines that are left out
            let words = comparable(line.hasSuffix("…") ? line.dropLast() : line)
            guard let place = rest.firstIndex(where: { $0.hasPrefix(words) }) else { return true }
            rest.remove(at: place)
            return false
        }
    }

    /// Without what differs from run to run; in a line that says what was observed, any number but 0 is like any other.
    private func comparable(_ line: some StringProtocol) -> String {
        var text = String(line).replacing(/0x[0-9a-f]+/, with: "0x…").replacing(/\d+\.\d+( (µs|ms|s)\b)?|\d+ (µs|ms|s|MB)\b|\d{3,}/, with: "#")
        if text.hasPrefix("             ") { // a single line is quoted, or counted as one
            text = text.replacing(/observed  “.*/, with: "observed  # lines").replacing(/观察到  “.*/, with: "观察到  # 行")
            text = text.replacing(/\b1 line\b/, with: "# lines").replacing(/\bonce\b/, with: "# times")
            text = text.replacing(/[1-9]\d*/, with: "#")
        }
        return text.split(separator: " ").joined(separator: " ")
    }
}
