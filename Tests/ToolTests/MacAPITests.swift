import Foundation
import TestSupport
import XCTest

/// The list of a Mac's APIs in the guide: the APIs that it lists as present must be declared, and those that it lists as absent must not
/// be.
final class MacAPITests: XCTestCase {
    private static let page = "Documentation/Guides/mac-apis.md"
    private static func rows(of path: String) throws -> [Document.Row] {
        try Facts.document(path).rows.filter { $0.cells.count == 3 && $0.cells[0].hasPrefix("`") }
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

    func testWhatIsThereIsDeclaredAndWhatIsAbsentIsNot() throws {
        let (rows, chinese) = try (Self.rows(of: Self.page), Self.rows(of: "Documentation/Guides/mac-apis.zh.md"))
        XCTAssertGreaterThan(rows.count, 40)
        XCTAssertEqual(rows.map { $0.cells[1] }, chinese.map { $0.cells[1] }, "both languages give the same verdicts")
        let foundations = ["NSWillBecomeMultiThreaded", "NSThreadWillExit", "NSDidBecomeSingleThreaded"] // Foundation declares them
        for row in rows {
            let file = SourceFile.root.appendingPathComponent(Self.page).path
            let names = Document.spans(in: row.cells[0]), note = row.cells[2]
            func miss(_ message: String) { recordFailure(withDescription: message, inFile: file, atLine: row.line, expected: true) }
            switch row.cells[1] {
            case "there": for name in names where !foundations.contains(name) && !isDeclared(name) { miss("\(name) is not declared") }
            case "absent":
                for name in names where isDeclared(name) { miss("\(name) is declared") }
                if note == "" { miss("the reason is missing") }
            case "differs":
                if note == "" { miss("the difference is missing") }
                for name in note.matches(of: /`([\w.]+\([^`]*\))`/).map({ String($0.1) }) where !isDeclared(name) { miss("\(name) is not declared") }
            default: miss("what is “\(row.cells[1])”?")
            }
        }
    }
}
