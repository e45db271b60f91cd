import Foundation
import XCTest

/// “The original” is several programs, so a statement about it must say of which versions it is true.
///
/// The rule: if a row of a table, a paragraph, an item of a list, or a comment of the run loop's own files says “the original” or “on a
/// Mac”, then it, or the text above it in its section, names a version: CF-855, CF-1153, current, Linux build, or all.
final class VersionsTests: XCTestCase {
    /// Words by which a text speaks of the original.
    private static func speaksOfTheOriginal(_ text: some StringProtocol) -> Bool {
        String(text).firstMatch(of: /\b[Tt]he original(?!'s \||s\b)|\b[Oo]n a Mac\b(?! \|)|\b[Nn]ewer Macs\b|\b[Aa] Mac's (?:loop|version|kernel|print)\b|toolchain's (?:loop|port)\b/) != nil
    }

    /// Whether a text says of which versions it is true.
    private static func areVersionsNamed(in text: String) -> Bool {
        text.firstMatch(of: /CF-\d+|Linux build|\((?:all|current)\b|\b(?:all|all three|any|[Nn]o) versions?\b|\b[Cc]urrent(?:'s| source| alone| only| has| also| first| refuses| holds| makes|:|;|,|\))|\bin current\b|\*\*all\b|\*\*current\b/) != nil
    }

    private func miss(_ text: some StringProtocol, line: Int, in path: String) {
        let file = SourceFile.root.appendingPathComponent(path).path
        let message = "which version? “\(text.trimmed.prefix(120))”"
        recordFailure(withDescription: message, inFile: file, atLine: line, expected: true)
    }

    func testTheRuleCanTellAStatementThatNamesAVersionFromOneThatDoesNot() {
        for text in ["In CF-855 the lock spins.", "As on a Mac (all).", "Current's has no field.", "**all:** it wakes", "the Linux build hangs",
                     "true in all versions", "not in any version of it", "the current source has another"] {
            XCTAssertTrue(Self.areVersionsNamed(in: text), text)
        }
        for text in ["On a Mac the lock is recursive.", "The current loop is found.", "currentMode", "all of them", "newer Macs show it"] {
            XCTAssertFalse(Self.areVersionsNamed(in: text), text)
        }
        XCTAssertTrue(Self.speaksOfTheOriginal("as in the original"))
        XCTAssertFalse(Self.speaksOfTheOriginal("| the original's | here |"))
    }

    // MARK: - Documents

    /// The parts of a document that are checked separately: rows, paragraphs, items of lists; each with the text above it in its section.
    private func parts(of path: String) throws -> [(line: Int, text: String, above: String)] {
        let document = try Facts.document(path), code = Set(document.code.map(\.line))
        return document.sections.flatMap { section in
            let parts = section.parts.filter { !code.contains($0.line) }
            return parts.indices.map { index in
                let above = parts[..<index].filter { $0.kind == .paragraph }.map(\.text)
                return (parts[index].line, parts[index].text, ([section.heading] + above).joined(separator: "\n"))
            }
        }
    }

    /// Conformance compares with the Linux build throughout, and says so at its beginning.
    /// The list of a Mac's APIs is about what is documented of Foundation, not about the sources of the run loop.
    private static let documents = ["ANNOTATIONS.md", "Debugging/README.md"] + SourceFile.guides.filter { !$0.hasSuffix("/mac-apis.md") }

    /// The section that defines “the original” and its versions.
    private static let definitions = "1. How to find a name"

    func testEveryStatementOfTheDocumentsAboutTheOriginalNamesAVersion() throws {
        var statements = 0
        for path in Self.documents {
            for part in try parts(of: path) where Self.speaksOfTheOriginal(part.text) && !part.above.hasPrefix(Self.definitions) {
                statements += 1
                if !Self.areVersionsNamed(in: part.text), !Self.areVersionsNamed(in: part.above) { miss(part.text, line: part.line, in: path) }
            }
        }
        XCTAssertGreaterThan(statements, 50)
    }

    /// A difference is from certain versions: the cell that describes the original begins with them.
    func testEveryDifferenceBeginsWithTheVersionsThatItIsTo() throws {
        for path in ["Documentation/Reference/differences.md", "Documentation/Reference/differences.zh.md"] {
            let rows = try Facts.document(path).rows.filter {
                $0.cells[0].wholeMatch(of: /D\d+/) != nil && $0.headings.last!.prefixMatch(of: /[12]\.\s/) != nil
            }
            XCTAssertGreaterThan(rows.count, 25)
            for row in rows where row.cells[1].firstMatch(of: /^\*\*(?:all|current|Linux build|CF-\d|全部版本|现行版|Linux 构建)/) == nil {
                miss("\(row.cells[0]) \(row.cells[1])", line: row.line, in: path)
            }
        }
    }

    // MARK: - Comments

    /// The comments of a file: successive comment lines are one comment, and a comment after code is one, too.
    private func comments(in file: SourceFile) -> [(line: Int, text: String)] {
        var comments: [(line: Int, text: String)] = []
        var isOpen = false
        for (index, content) in file.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if let match = content.firstMatch(of: /^\s*\/\/[\/!]?<?(.*)$/) {
                if isOpen { comments[comments.count - 1].text += " " + match.1.trimmed } else { comments.append((index + 1, match.1.trimmed)) }
                isOpen = true
            } else {
                isOpen = false
                if let match = content.firstMatch(of: /\/\/[\/!]?<?(.*)$/) { comments.append((index + 1, match.1.trimmed)) }
            }
        }
        return comments
    }

    func testEveryCommentOfTheRunLoopAboutTheOriginalNamesAVersion() {
        let files = SourceFile.all(in: "Sources/CRunLoop", endings: ["c", "h"]).filter {
            ["CFRunLoop", "CFPort", "ForFoundation", "ForSwiftFoundation"].contains(where: $0.name.hasPrefix)
        }
        XCTAssertGreaterThan(files.count, 15)
        var statements = 0
        for file in files + SourceFile.all(in: "Sources/CRunLoop/Base", endings: ["c", "h"]) {
            // What the base files say of a Mac concerns types outside the run loop, whose sources were not compared.
            let isBase = file.path.contains("/Base/")
            for comment in comments(in: file) where isBase ? comment.text.contains(/[Tt]he original\b/) : Self.speaksOfTheOriginal(comment.text) {
                statements += 1
                if !Self.areVersionsNamed(in: comment.text) { miss(comment.text, line: comment.line, in: file.path) }
            }
        }
        XCTAssertGreaterThan(statements, 20)
    }
}
