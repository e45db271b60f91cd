import Foundation
import XCTest

/// “The original” is several programs, so a statement about it must say of which versions it is true.
///
/// The rule for documents: if a row of a table, a paragraph, or an item of a list says “the original” or “on a Mac”, then it, or the text
/// above it in its section, names a version: CF-855, CF-1153, current, Linux build, or all. The comments of the library define “the
/// original” as all three versions, and name one only where the versions differ.
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
        let message = "which versions? “\(text.trimmed.prefix(120))”"
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
        let map = try Facts.document("ANNOTATIONS.md"), texts = map.rows.filter { $0.table == 0 }.map { ($0.line, $0.cells.last!) } + map.items.map { ($0.line, $0.text) } // Facts/map.tsv, Facts/notes.tsv
        XCTAssertGreaterThan(texts.count, 400)
        for (line, text) in texts where Self.speaksOfTheOriginal(text) && !Self.areVersionsNamed(in: text) { miss(text, line: line, in: "ANNOTATIONS.md") }
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

    /// The two headers where a reader begins, of a program and of the library, define “the original” as all three versions. Every other
    /// comment relies on that, so one that is true of all versions does not say so again.
    func testTheCommentsOfTheLibraryDefineTheOriginalOnceAndDoNotRepeatThatAllVersionsAgree() {
        let files = SourceFile.all(in: "Sources/CRunLoop", endings: ["c", "h"])
        XCTAssertGreaterThan(files.count, 50)
        let definition = /[“"]The original[”"] is Apple's CFRunLoop, of which there are three published versions/
        var definitions: [String] = [], statements = 0
        for file in files {
            let comments = file.text.replacing(/\n\s*\/\/[\/!]?<?\s*/, with: " ")
            definitions += comments.matches(of: definition).map { _ in file.name }
            statements += comments.matches(of: /[Tt]he original\b/).count
            for (index, line) in file.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            where line.contains(/\(all(?: versions)?\)|all versions of the original/) {
                miss(line, line: index + 1, in: file.path)
            }
        }
        XCTAssertEqual(definitions.sorted(), ["CFRunLoop.h", "CFRunLoop_Internal.h"])
        XCTAssertGreaterThan(statements, 50)
    }
}
