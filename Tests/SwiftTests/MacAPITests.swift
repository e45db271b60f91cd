import Foundation
import XCTest

/// The list of a Mac's APIs in the guide: the APIs that it lists as present must be declared, and those that it lists as absent must not
/// be.
final class MacAPITests: XCTestCase {
    private struct Row {
        var line: Int, names: [String], verdict: String, note: String
    }

    private static let page = "Documentation/Guides/mac-apis.md"

    private static func rows(of path: String) -> [Row] {
        (SourceFile.read(path)?.text ?? "").split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 5, cells[1].hasPrefix("`") else { return nil }
            return Row(line: index + 1, names: cells[1].matches(of: /`([^`]+)`/).map { String($0.1) }, verdict: cells[2], note: cells[3])
        }
    }

    private static let sources = (SourceFile.all(in: "Sources/SwiftRunLoop", endings: ["swift"])
        + SourceFile.all(in: "Sources/SwiftRunLoopAsync", endings: ["swift"])
        + SourceFile.all(in: "Sources/SwiftRunLoopFoundation", endings: ["swift"])
        + SourceFile.all(in: "Sources/RunLoopDiagnostics", endings: ["swift"])).map(\.text).joined(separator: "\n")

    /// Whether there is a function with that name and these labels or, without labels, a type, property or case of that name.
    private func isDeclared(_ name: String) -> Bool {
        let path = name.prefix { $0 != "(" }.split(separator: "."), base = NSRegularExpression.escapedPattern(for: String(path.last!))
        guard name.contains("(") else {
            return Self.sources.range(of: "\\b(var|let|case|class|struct|enum|protocol|typealias) `?\(base)`?\\b", options: .regularExpression) != nil
        }
        let labels = name.drop { $0 != "(" }.dropFirst().dropLast().split(separator: ":").map(String.init)
        let start = base == "init" ? "\\binit\\??" : "\\bfunc \(base)\\b"
        let arguments = labels.map { "[^{}]*?\\b\($0)\\b(?: \\w+)?:" }.joined()
        let generics = "(?:<[^>]*>)?"
        return Self.sources.range(of: "\(start)\(generics)\\(\(arguments)", options: .regularExpression) != nil
            || labels.isEmpty && Self.sources.range(of: "\(start)\(generics)\\(\\)", options: .regularExpression) != nil
    }

    func testWhatIsThereIsDeclaredAndWhatIsAbsentIsNot() {
        let rows = Self.rows(of: Self.page)
        XCTAssertGreaterThan(rows.count, 40)
        let foundations = ["NSWillBecomeMultiThreaded", "NSThreadWillExit", "NSDidBecomeSingleThreaded"] // Foundation declares them
        for row in rows {
            let file = SourceFile.root.appendingPathComponent(Self.page).path
            func miss(_ message: String) { recordFailure(withDescription: message, inFile: file, atLine: row.line, expected: true) }
            switch row.verdict {
            case "there": for name in row.names where !foundations.contains(name) && !isDeclared(name) { miss("\(name) is not declared") }
            case "absent":
                for name in row.names where isDeclared(name) { miss("\(name) is declared") }
                if row.note.isEmpty { miss("the reason is missing") }
            case "differs":
                if row.note.isEmpty { miss("the difference is missing") }
                for name in row.note.matches(of: /`([\w.]+\([^`]*\))`/).map({ String($0.1) }) where !isDeclared(name) { miss("\(name) is not declared") }
            default: miss("what is “\(row.verdict)”?")
            }
        }
    }

    func testBothLanguagesGiveTheSameVerdicts() {
        let english = Self.rows(of: Self.page), chinese = Self.rows(of: "Documentation/Guides/mac-apis.zh.md")
        XCTAssertEqual(english.map { "\($0.names) \($0.verdict)" }, chinese.map { "\($0.names) \($0.verdict)" })
    }
}
