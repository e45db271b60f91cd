import Foundation
import TestSupport
import XCTest
@testable import RunLoopLab

/// ANNOTATIONS.md, its pages in Documentation/Reference, the four stories and the code name the same things, in both directions. If you
/// rename a function, add a field or remove a test, these tests show which line of which document to change.
final class AnnotationsTests: XCTestCase {
    private static let annotations = "ANNOTATIONS.md"
    private static let pages = ["claims", "corrections", "differences", "stacks"].map { "Documentation/Reference/\($0).md" }
    private static let onePass = "Documentation/Explanation/one-pass.md"
    private static let stories = [onePass] + ["a-wake-up", "a-timer", "the-end-of-a-loop"].map { "Documentation/Explanation/\($0).md" }
        + chapters
    /// The chapters of the book, in English.
    private static let chapters = try! FileManager.default.contentsOfDirectory(atPath: SourceFile.root.appendingPathComponent("Documentation/Book").path)
        .filter { $0.first!.isNumber && !$0.hasSuffix(".zh.md") }.sorted().map { "Documentation/Book/\($0)" }
    private static let fileNames = Set(["Sources", "Programs", "Facts", "Lab", "Bench", "Tests", "Scripts", "Edition", "Debugging"].flatMap { folder in
        (FileManager.default.enumerator(atPath: SourceFile.root.appendingPathComponent(folder).path)?.compactMap { $0 as? String } ?? [])
            .map { ($0 as NSString).lastPathComponent }
    })
    private static let testNames = Facts.all.tests
    /// The commands and types that Debugging adds to gdb and lldb.
    private static let debuggerCommands = Set(SourceFile.all(in: "Debugging/rlhelpers", endings: ["py"]).flatMap { file in
        file.text.matches(of: /(?m)^@command\("(rl-[\w-]+)"/).map { String($0.1) }
    })

    private var document: Document!
    /// What makes each claim true; where an article is wrong; where this loop differs from the original; and the stacks.
    private var claims: Document!, corrections: Document!, differences: Document!, stacks: Document!
    /// How the names work together.
    private var stories: [Document] = []

    override func setUpWithError() throws {
        document = try Facts.document(Self.annotations)
        let pages = try Self.pages.map(Facts.document)
        (claims, corrections, differences, stacks) = (pages[0], pages[1], pages[2], pages[3])
        stories = try Self.stories.map(Facts.document)
    }

    /// A miss, at the line of the document that must change.
    private func miss(_ message: String, line: Int, in path: String = annotations) {
        recordFailure(withDescription: message, inFile: SourceFile.root.appendingPathComponent(path).path, atLine: line, expected: true)
    }

    private var all: [Document] { [document, claims, corrections, differences, stacks] + stories }

    // MARK: - The readers themselves

    func testTheReaderOfCAndSwiftSeesWhatIsThere() throws {
        func read(_ name: String, _ text: String) throws -> [String] {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appendingPathComponent(name)
            try text.write(to: file, atomically: true, encoding: .utf8)
            let program = """
                import sys
                from facts import definitions
                for symbol in definitions.symbols_of(sys.argv[1]):
                    print(symbol.kind, symbol.name if symbol.kind not in ("func", "init") else definitions.signature(symbol), *[symbol.scope] * bool(symbol.scope))
                """
            let result = try runPython(["-c", program, file.path])
            XCTAssertEqual(result.status, 0, result.output)
            return result.output.split(separator: "\n").map(String.init)
        }
        XCTAssertEqual(try read("x.c", """
            #define LIMIT 3 // a comment with struct ghost { int none; };
            typedef struct _record *RecordRef;
            struct _record { int a, *b; _Atomic(uint32_t) c; void (*d)(int x); char e[3]; union { int f; long g; } h; };
            enum { first = 1, second };
            static _Atomic(Boolean) flag = false, *other;
            CF_EXPORT int declared(int);
            static __attribute__((noinline)) void defined(
                int x) { int inside; if (x) { call("} /* no comment */"); } }
            """), ["macro LIMIT", "typedef RecordRef", "struct _record"] + ["a", "b", "c", "d", "e", "f", "g", "h"].map { "member \($0) _record" }
            + ["enumerator first", "enumerator second", "variable flag", "variable other", "prototype declared", "function defined"])
        XCTAssertEqual(try read("x.swift", """
            func run(mode: Mode, before date: Date) -> Bool
            func perform<T>(_ body: @escaping (Int, T) -> Void, on thread: Thread = .main)
            convenience init?(at url: URL)
            """), ["func run(mode:before:)", "func perform(_:on:)", "init init(at:)"])
    }

    /// ANNOTATIONS and the index name the programs of the lab by it.
    func testTheReaderOfTheLabSeesAnExperimentInOneLanguageAndInTwo() throws {
        struct About: Decodable, Equatable { var name: String, shows: [String: String], claims: [String] }
        func read(_ title: String) throws -> About {
            try answerOfPython(["-c", """
                import json, sys
                from facts import cards
                print(json.dumps(dict(zip(("name", "shows", "claims"), cards.about_of(sys.argv[1])))))
                """, "static let about = About(\n    name: \"new\", claims: [\"L7\", \"X1\"], group: .run,\n    title: Text(\(title)))"])
        }
        XCTAssertEqual(try read(#""A stop""#), About(name: "new", shows: ["en": "A stop", "zh": "A stop"], claims: ["L7", "X1"]))
        XCTAssertEqual(try read(#""A stop", "停止""#), About(name: "new", shows: ["en": "A stop", "zh": "停止"], claims: ["L7", "X1"]))
    }

    // MARK: - From the document to the code

    /// The words that say how a name here relates to the original's.
    private static let states: Set = ["same", "adapted", "absent", "ours"]

    /// What the documents say of a name: a row of the map, or one of its items that has a verdict in italics.
    private struct Entry {
        var line: Int
        var names: [String]
        var state: String
        /// The files that must define the names.
        var files: [String]
        var headings: [String]
        /// The struct that has the names as fields, or "".
        var owner = ""
        /// The steps in which it has its part, or is called.
        var steps = ""
    }

    private func map() -> [Entry] {
        let rows = document.rows.compactMap { row -> Entry? in
            guard row.headings.count > 1, row.headings[1].hasPrefix("2."), let state = row.cells.first(where: Self.states.contains) else { return nil }
            return Entry(
                line: row.line, names: Document.spans(in: row.cells[0]), state: state,
                files: Document.files(in: row.cells.joined(separator: " ") + row.introduction), headings: row.headings, owner: row.owner,
                steps: row.heads.firstIndex(of: "step").map { row.cells[$0] } ?? "")
        }
        let items = document.items.compactMap { item -> Entry? in
            guard let state = item.text.firstMatch(of: #/\*\*, \*(\w+)\*, /#) else { return nil }
            return Entry(line: item.line, names: item.names, state: String(state.1), files: Document.files(in: item.text), headings: item.headings)
        }
        return rows + items
    }

    /// A word that is none of the four would exclude its row from all checks here.
    func testEveryRowOfTheMapSaysHowItsNamesRelateToTheOriginals() {
        let read = Set(map().map(\.line))
        for row in document.rows where row.headings.count > 2 && row.headings[2].wholeMatch(of: /2\.([1-8]|11) .*/) != nil && !read.contains(row.line) {
            miss("\(row.cells[0]) is none of \(Self.states.sorted().joined(separator: ", "))", line: row.line)
        }
    }

    /// One name a row of Facts/map.tsv. What ANNOTATIONS and Facts/notes.tsv tell is about names there.
    func testEveryRowOfTheMapIsAboutOneNameAndEveryNoteAboutARow() {
        let entries = map()
        for entry in entries where entry.names.count > 1 { miss("one name a row", line: entry.line) }
        let named = Set(entries.flatMap(\.names)), subjects = Set(document.rows.map { $0.cells[0] })
        for item in document.items where item.headings.count > 2 && item.headings[2].wholeMatch(of: /2\.([1-8]|11) .*/) != nil && !entries.contains(where: { $0.line == item.line }) {
            for name in item.names where !named.contains(name) && !subjects.contains("`\(name)`") { miss("\(name) is not in Facts/map.tsv", line: item.line) }
        }
    }

    func testWhatTheMapSaysIsThereIsInTheFileThatItNames() {
        var checked = 0
        for entry in map() where entry.state != "absent" {
            let files = entry.files + (entry.headings.last!.contains("struct") || entry.owner != "" ? ["CFRunLoop_Internal.h"] : [])
            for name in entry.names {
                checked += 1
                let plain = name.identifiers.last ?? name
                if !Facts.isDefined(plain, in: files) { miss("\(name) is not in \(files.joined(separator: ", "))", line: entry.line) }
            }
        }
        XCTAssertGreaterThan(checked, 280, "the map has been read")
    }

    func testWhatTheMapCallsAbsentIsNotThere() {
        for entry in map() where entry.state == "absent" {
            // A field may be absent from one struct although another has one of that name.
            for name in entry.names.flatMap(\.identifiers)
            where Facts.byName[name]?.contains(where: { $0.kind != .macro && (entry.owner == "" || $0.scope == entry.owner) }) ?? false {
                miss("\(name) is there after all, in \(Facts.byName[name]![0].file)", line: entry.line)
            }
        }
    }

    /// Names that the document has because the code does not.
    private func absentNames() -> Set<String> {
        let rows = document.rows.filter { row in ["2.9", "2.10"].contains { row.headings.last!.hasPrefix($0) } }.map { $0.cells[0] }
        let items = document.items.filter { $0.headings.last!.hasPrefix("2.9") }.map(\.subject)
        return Set(map().filter { $0.state == "absent" }.flatMap { $0.names.flatMap(\.identifiers) } + (rows + items).flatMap(\.identifiers))
    }

    func testEveryNameInTheTextIsOneOfTheCode() {
        let absent = absentNames()
        let swift = Facts.all.swift, words = Facts.all.words.values.reduce(into: swift.words) { $0.formUnion($1) }
        for (path, span) in all.flatMap({ document in document.spans.map { (document.path, $0) } }) {
            let text = span.text
            if Self.fileNames.contains((text as NSString).lastPathComponent) || SourceFile.exists(text) || Self.testNames.contains(text) { continue }
            if text.contains("("), text.wholeMatch(of: /\w+\((?:\w+:)*\)/) != nil {
                let initialiser = "init" + text.drop { $0 != "(" }
                let isThere = swift.signatures.contains(text) || Facts.byName[text.identifiers[0]] != nil
                    || swift.names.contains(text.identifiers[0]) && swift.signatures.contains(initialiser)
                if !isThere { miss("nothing is declared as \(text)", line: span.line, in: path) }
                continue
            }
            if Catalog.experiments.contains(where: { $0.about.name == text }) { continue }
            if text.hasPrefix("rl-") {
                let command = String(text.prefix { $0 != " " })
                if !Self.debuggerCommands.contains(command) { miss("no debugger has a command \(command)", line: span.line, in: path) }
                continue
            }
            if text.contains(" ") && text.contains("/") || text.hasPrefix("--") || text.hasPrefix("swift ") { continue } // a command
            for name in text.identifiers where !absent.contains(name) && !words.contains(name) && !Self.testNames.contains(name) {
                miss("there is no \(name), which stands in `\(text)`", line: span.line, in: path)
            }
        }
    }

    // MARK: - The original's names

    func testTheReaderOfNamesSeesVersionsAndSystems() {
        XCTAssertEqual(Facts.versions(of: "_unused", fieldOf: "__CFRunLoop"), ["CF-855", "CF-1153"])
        XCTAssertEqual(Facts.versions(of: "_unused", fieldOf: "__CFRunLoopMode"), [])
        XCTAssertEqual(Facts.versions(of: "_unused", fieldOf: ""), [])
        XCTAssertTrue(Facts.versions(of: "__CFRunLoopServiceFileDescriptors", fieldOf: "").contains("Linux build"))
        XCTAssertFalse(Facts.versions(of: "_msgQMask", fieldOf: "__CFRunLoopMode").contains("Linux build"))
    }

    /// A verdict is about the original, so the original must have the name, or lack it. Facts/annotations writes in which versions.
    func testEveryVerdictIsTrueOfTheOriginal() {
        XCTAssertGreaterThan(Facts.all.originals.count, 500)
        var checked = 0
        for entry in map() {
            for name in entry.names.compactMap({ $0.identifiers.last }) {
                checked += 1
                let having = Facts.versions(of: name, fieldOf: entry.owner)
                if entry.state == "ours", !having.isEmpty { miss("“ours”, but \(name) is in \(having.sorted().joined(separator: ", "))", line: entry.line) }
                if entry.state != "ours", having.isEmpty { miss("“\(entry.state)”, but no version has \(name)", line: entry.line) }
            }
        }
        XCTAssertGreaterThan(checked, 300)
    }

    /// The columns of the versions, the links of tests and ids, and where they lead.
    func testTheGeneratedPartsAreThoseThatTheScriptWrites() throws {
        let result = try runPython(["Facts/annotations", "--check"])
        XCTAssertEqual(result.status, 0, result.output)
    }

    /// The limits of a page on a code host: a table is as wide as the longest words of its columns, and a reader can take in a cell at a
    /// glance.
    func testNoRowIsWiderThanThePage() throws {
        for path in ([Self.annotations] + Self.pages + Self.stories).flatMap({ [$0, $0.replacing(/\.md$/, with: ".zh.md")] }) {
            func shown(_ cell: String) -> String { cell.replacing(/\]\([^)]*\)|\]\[[^\]]*\]|[`*\[\]]/, with: "") }
            for (line, rows) in Dictionary(grouping: try Facts.document(path).rows.filter { $0.table != 0 }, by: \.table) { // 0: of map.tsv
                for row in rows {
                    let length = row.cells.map { shown($0).count }.max() ?? 0
                    if length > 200 { miss("a cell of \(length) characters: put it below the table", line: row.line, in: path) }
                }
                let widths = rows[0].heads.indices.map { column in
                    ([rows[0].heads] + rows.map(\.cells)).flatMap { shown($0[column]).split { $0 == " " || !$0.isASCII } }.map(\.count).max() ?? 0
                }
                let width = widths.reduce(0) { $0 + $1 + 3 }
                if width > 150 { miss("the table is \(width) characters wide: put the longest name below it", line: line, in: path) }
            }
        }
    }

    /// It is a map: what needs more than a few sentences has a page of its own.
    func testTheMapStaysShort() {
        let text = SourceFile.read(Self.annotations)!.text, list = text.firstMatch(of: /<!-- generated names(.|\n)*?```\n(.|\n)*?```\n/)!
        XCTAssertGreaterThan(list.output.0.split(separator: "\n").count, 500, "the list of the names")
        let words = text.replacing(list.output.0, with: "").split(whereSeparator: \.isWhitespace).count
        XCTAssertLessThanOrEqual(words, 7000, "words in \(Self.annotations), without the list of the names")
    }

    /// A name that readers meet in the original's sources has its place here, too, or among the names that this project lacks.
    func testEveryFunctionAndFieldOfTheOriginalHasItsPlace() {
        let named = Set((document.rows.flatMap(\.cells) + document.items.map(\.text)).flatMap(Document.spans).flatMap(\.identifiers) + document.items.map(\.subject).flatMap(\.identifiers))
            .union(document.spans.flatMap { $0.text.identifiers })
        let names = Facts.originals(ofKinds: ["function", "static function", "breakpoint function", "probe (dtrace)",
            "field of __CFRunLoop", "field of __CFRunLoopMode", "field of __CFRunLoopSource", "field of __CFRunLoopObserver",
            "field of __CFRunLoopTimer", "field of _per_run_data"])
        XCTAssertGreaterThan(names.count, 250)
        for name in names where !named.contains(name) { miss("\(name), which the original has, has no place in the document", line: 1) }
    }

    // MARK: - From the code to the document

    /// The names that readers of an article meet: those of the loop's own files, and of its ports.
    private static func isOfTheRunLoop(_ file: String) -> Bool {
        file.hasPrefix("CFRunLoop") && (file.hasSuffix(".c") || file == "CFRunLoop_Internal.h" || file == "CFRunLoopProbes.h")
            || (file.hasPrefix("CFPort") && file != "CFPortSupport.h")
    }

    private func definitions(_ kinds: Set<Facts.Kind>) -> [Facts.Symbol] {
        Facts.all.symbols.filter { kinds.contains($0.kind) && Self.isOfTheRunLoop($0.file) }
    }

    /// In the documents, or in a comment at its definition. A function that one file alone uses needs neither.
    func testEveryFunctionThatTheFilesOfTheRunLoopShareIsExplained() throws {
        let named = Set(all.flatMap(\.spans).flatMap { $0.text.identifiers } + document.rows.flatMap { $0.cells[0].identifiers } + document.items.map(\.text).flatMap(Document.spans).flatMap(\.identifiers))
        let declared = Set(Facts.all.symbols.filter(\.kind.isDeclaration).map(\.name))
        let functions = definitions([.function, .variable]).filter { declared.contains($0.name) || $0.file.hasSuffix(".h") }
        XCTAssertGreaterThan(functions.count, 150)
        for function in functions where !named.contains(function.name) && !Facts.isExplained(function) {
            try missExplanation(of: function)
        }
    }

    /// Neither ANNOTATIONS nor a comment at the definition says what the name is.
    private func missExplanation(of symbol: Facts.Symbol) throws {
        let file = try XCTUnwrap(SourceFile.all(in: "Sources/CRunLoop", endings: ["c", "h"]).first { $0.path.hasSuffix("/" + symbol.file) })
        miss("no row of the map and no comment here says what \(symbol.name) is", line: symbol.line, in: file.path)
    }

    func testEveryFieldHasItsRowOrAComment() throws {
        let fields = definitions([.member])
        XCTAssertGreaterThan(fields.count, 80)
        for (owner, fields) in Dictionary(grouping: fields, by: \.scope) where owner != "" {
            let rows = document.rows.filter { $0.headings.last!.contains("`struct \(owner)`") || $0.introduction.contains("`\(owner)`") }
            let items = document.items.filter {
                $0.headings.last!.contains("`struct \(owner)`") || $0.subject.contains("struct \(owner)`")
            }
            let named = Set((rows.map { $0.cells.joined(separator: " ") } + items.map(\.text)).flatMap(Document.spans))
            for field in fields where !named.contains(field.name) && !Facts.isExplained(field) { try missExplanation(of: field) }
        }
    }

    func testEveryRowOfAStructIsAboutAFieldOfIt() {
        var checked = 0
        for entry in map() where entry.state != "absent" {
            for name in entry.names where entry.owner != "" {
                checked += 1
                if Facts.byName[name]?.contains(where: { $0.kind == .member && $0.scope == entry.owner }) ?? false { continue }
                miss("\(name) is no field of \(entry.owner)", line: entry.line)
            }
        }
        XCTAssertGreaterThan(checked, 55)
    }

    // MARK: - Steps

    /// Facts/steps.tsv.
    private static let steps = SourceFile.read("Facts/steps.tsv")!.text.split(separator: "\n").dropFirst().map { String($0.prefix { $0 != "\t" }) }

    func testTheReaderOfStepsSeesWhichStepACallIsIn() {
        XCTAssertEqual(Facts.steps(of: "__CFRunLoopDoBlocks"), ["3", "4", "9"])
        XCTAssertEqual(Facts.steps(of: "__CFRunLoopDoSource1"), ["9.3"])
        XCTAssertEqual(Facts.steps(of: "__CFRunLoopHasNewWork"), ["7"])
        XCTAssertEqual(Facts.steps(of: "__CFRunLoopIsStopped"), ["before 2", "7", "9"], "in step 7 through __CFRunLoopHasNewWork")
        XCTAssertEqual(Facts.steps(of: "__CFRunLoopRun"), ["1"])
    }

    func testTheCodeCarriesTheTenStepsInTheirOrder() {
        XCTAssertEqual(Self.steps.count, 13, "the ten, and three parts of step 9")
        XCTAssertEqual(Facts.all.steps["CFRunLoopRunSpecific"]?.markers, ["1", "10"])
        XCTAssertEqual(Facts.all.steps["__CFRunLoopRun"]?.markers, Self.steps.filter { $0 != "1" && $0 != "10" })
    }

    func testTheStoryOfOnePassTellsEveryStep() {
        let rows = stories[0].rows
        var rest = rows.filter { $0.cells[0] != "" }[...]
        for step in ["before"] + Self.steps + ["after"] {
            if rest.first?.cells[0] == step { rest.removeFirst() } else {
                return miss("the step \(step) of one pass belongs here", line: rest.first?.line ?? rows.last?.line ?? 1, in: Self.onePass)
            }
        }
        if let row = rest.first { miss("\(row.cells[0]) is no step of one pass", line: row.line, in: Self.onePass) }
        for row in rows {
            for name in Document.spans(in: row.cells[1]) where !Facts.isFunction(name) {
                miss("there is no function \(name)", line: row.line, in: Self.onePass)
            }
        }
    }

    /// A link from a name to a file leads to the file that has the name.
    func testEveryNameThatTheStoriesLinkIsInItsFile() throws {
        var checked = 0
        for path in Self.stories {
            for (index, line) in try XCTUnwrap(SourceFile.read(path)).text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                for match in line.matches(of: /\[`(\w+)`\]\[(\w+\.[ch])\]/) where !Self.testNames.contains(String(match.1)) {
                    checked += 1
                    if !Facts.isDefined(String(match.1), in: [String(match.2)]) { miss("\(match.1) is not in \(match.2)", line: index + 1, in: path) }
                }
            }
        }
        XCTAssertGreaterThan(checked, 10)
    }

    /// "1 2 3", "before 2, 9": the steps in a row of the map. Nil for a range such as "2–9", which is no list of calls.
    private func stepsTold(_ cell: String) -> Set<String>? {
        cell.contains("–") ? nil : Set(cell.matches(of: /(?:before |after )?\d+(?:\.\d)?/).map { String($0.0) })
    }

    func testTheMapTellsInWhichStepsAFunctionIsCalled() {
        var checked = 0
        for entry in map() where entry.state != "absent" && entry.steps != "" {
            let functions = entry.names.filter(Facts.isFunction)
            let called = functions.reduce(into: Set<String>()) { $0.formUnion(Facts.steps(of: $1)) }
            guard let told = stepsTold(entry.steps), !called.isEmpty else { continue }
            checked += 1
            if told != called {
                let steps = called.sorted { $0.compare($1, options: .numeric) == .orderedAscending }
                miss("\(functions.joined(separator: ", ")): called in \(steps.joined(separator: ", "))", line: entry.line)
            }
        }
        XCTAssertGreaterThan(checked, 10)
    }

    // MARK: - Stacks

    /// The stacks that Scripts/check-stacks compares with a debugger's; each frame has the names that it may have. A name in brackets may be
    /// missing, so such a stack is here with it and without it.
    private static func comparedStacks() throws -> [[[String]]] {
        let lines = try XCTUnwrap(SourceFile.read("Tests/Debugger/stacks.txt")).text.split(separator: "\n")
        return stacks(in: lines) + stacks(in: lines.filter { !$0.hasPrefix("    [") })
    }

    private static func stacks(in lines: [Substring]) -> [[[String]]] {
        var frames: [Substring: [Substring]] = [:], title = Substring()
        for line in lines {
            if line.hasPrefix(" ") { frames[title]!.append(line.dropFirst(4)) }
            else if line.hasSuffix(":") { (title, frames[line.dropLast()]) = (line.dropLast(), []) }
        }
        func whole(_ title: Substring) -> [[String]] {
            frames[title]!.flatMap { $0.hasPrefix("(") ? whole($0) : [$0.trimmingPrefix("[").split(separator: "|").map { String($0.prefix { $0 != "]" }) }] }
        }
        return frames.keys.filter { !$0.hasPrefix("(") }.map { $0.contains(" ") ? whole($0) : [[String($0)]] + whole($0) }
    }

    private func isPart(_ names: [String], of stack: [[String]]) -> Bool {
        stack.indices.contains { start in
            // Three dots stand for any frames: they match the remaining inner names.
            let inner = stack[start] == ["..."] ? 1 : 0
            return start + names.count <= stack.count
                && zip(names.dropFirst(inner), stack[(start + inner)...]).allSatisfy { $1.contains($0) }
        }
    }

    func testTheStacksAreThoseThatTheDebuggerShows() throws {
        let compared = try Self.comparedStacks()
        XCTAssertGreaterThan(compared.count, 15)
        var groups: [[Document.Row]] = []
        for row in stacks.rows where row.cells[0].hasPrefix("#") {
            if row.cells[0] == "#0" { groups.append([]) }
            groups[groups.count - 1].append(row)
        }
        XCTAssertGreaterThan(groups.count, 8)
        for rows in groups {
            let names = rows.compactMap { Document.spans(in: $0.cells[1]).first { !$0.contains("(") } }
            if !compared.contains(where: { isPart(names, of: $0) }) {
                miss("no debugger is seen to show \(names.joined(separator: " < "))", line: rows[0].line, in: stacks.path)
            }
        }
        let nested = stacks.code.compactMap { $0.text.wholeMatch(of: /\s+#\d+ +([\w.]+)/).map { String($0.1) } }
        XCTAssertGreaterThan(nested.count, 10)
        if !compared.contains(where: { isPart(nested, of: $0) }) {
            let line = stacks.code.first { $0.text.contains("#0 ") }?.line ?? 1
            miss("no debugger is seen to show \(nested.joined(separator: " < "))", line: line, in: stacks.path)
        }
        // None may be missing: the six callouts, the wait, the perform family, and the nested run (above).
        let shown = groups.map { rows in
            rows.compactMap { Document.spans(in: $0.cells[1]).first { !$0.contains("(") } }.first { !["_dispatch_main_queue_callback_4CF", "CallQueue.makeCalls"].contains($0) }
        }
        let callouts = Facts.all.symbols.filter { $0.kind == .function && ($0.name.contains("_IS_CALLING_OUT_TO_") || $0.name.contains("_IS_SERVICING_")) }
        XCTAssertEqual(callouts.count, 6)
        for name in callouts.map(\.name) + ["epoll_wait", "__NSThreadPerformPerform", "__NSFireDelayedPerform"] where !shown.contains(name) {
            miss("no stack shows \(name)", line: 1, in: stacks.path)
        }
    }

    // MARK: - Ids

    /// Facts/claims.tsv: the id of each claim and difference, and the reason of a difference.
    private static let table = SourceFile.read("Facts/claims.tsv")!.text.split(separator: "\n").dropFirst()
        .map { $0.split(separator: "\t", omittingEmptySubsequences: false) }.map { (id: String($0[0]), reason: String($0[6])) }
    private static let idsOfClaims = table.map(\.id).filter { !$0.hasPrefix("D") }
    private static let idsOfDifferences = table.map(\.id).filter { $0.hasPrefix("D") }

    /// The document with the row of an id, and the one with the item that says where its code and its tests are.
    private func homes(of id: String) -> (row: Document, item: Document) { id.hasPrefix("D") ? (differences, differences) : (document, claims) }

    /// The names in that item.
    private func evidence(of id: String) -> [String] {
        homes(of: id).item.items.filter { $0.subject == id }.flatMap { Document.spans(in: $0.text) }
    }

    func testEveryIdHasOneRowAndIsKnownToTheCode() {
        let rows = Dictionary(grouping: [document, differences].flatMap { $0!.rows }.filter { $0.cells[0].wholeMatch(of: /[A-Z]\d+/) != nil }, by: { $0.cells[0] })
        var inTests: Set<String> = []
        for name in Self.testNames {
            for part in name.split(separator: "_") { inTests.insert(part.hasPrefix("test") ? String(part.dropFirst(4)) : String(part)) }
        }
        for id in Self.idsOfClaims + Self.idsOfDifferences {
            let (home, list) = homes(of: id)
            let lineOfTheTable = rows.filter { $0.key.first == id.first }.values.joined().map(\.line).min() ?? 1
            if rows[id]?.count != 1 { miss("the id \(id) has \(rows[id]?.count ?? 0) rows", line: rows[id]?.last?.line ?? lineOfTheTable, in: home.path) }
            let names = evidence(of: id)
            if list.items.filter({ $0.subject == id }).count != 1 { miss("the id \(id) has no item with its tests in \(list.path), or several", line: rows[id]?.first?.line ?? lineOfTheTable, in: home.path) }
            if !inTests.contains(id), let row = rows[id]?.first, !names.contains(where: Self.testNames.contains) {
                miss("no test shows \(id)", line: row.line, in: home.path)
            }
        }
        for id in rows.keys where !(Self.idsOfClaims + Self.idsOfDifferences).contains(id) { miss("what is \(id)?", line: rows[id]![0].line, in: homes(of: id).row.path) }
    }

    /// The reasons for which this loop may differ from the original.
    private static let classes = ["Linux", "safety", "invisible"]

    func testEveryDifferenceNamesItsReason() {
        XCTAssertGreaterThan(Self.idsOfClaims.count, 60)
        for (id, reason) in Self.table where (reason == "") != Self.idsOfClaims.contains(id) || reason != "" && !Self.classes.contains(reason) {
            XCTFail("\(id): “\(reason)” is none of \(Self.classes.joined(separator: ", "))")
        }
    }

    private static let numberOfCorrections = 46

    func testTheCorrectionsAreNumberedWithoutAGap() {
        let rows = corrections.rows
        for (index, row) in rows.enumerated() where row.cells[0] != "[\(index + 1)](#correction-\(index + 1))" {
            return miss("the correction \(index + 1) belongs here", line: row.line, in: corrections.path)
        }
        XCTAssertEqual(rows.count, Self.numberOfCorrections)
    }

    /// The claims whose tests are those of the claims that they rest on.
    private static let claimsWithoutTestOfTheirOwn: Set<String> = ["O4", "O5", "O6", "X8", "A3", "A4", "A6", "A7", "A9", "A11"]

    func testEveryClaimNamesATestThatCarriesItsId() {
        for row in document.rows where Self.idsOfClaims.contains(row.cells[0]) {
            let id = row.cells[0]
            let tests = evidence(of: id).filter(Self.testNames.contains)
            let own = tests.filter { test in test.split(separator: "_").contains { $0 == id || $0 == "test" + id } }
            if tests.isEmpty {
                miss("\(id) names no test", line: row.line)
            } else if own.isEmpty != Self.claimsWithoutTestOfTheirOwn.contains(id) {
                miss(own.isEmpty ? "\(id) names no test that carries its id" : "\(id) has a test of its own after all", line: row.line)
            }
        }
    }

    /// The claims that need no program, because a program cannot show them.
    private static let claimsWithoutProgram: Set = ["R5", "R7", "R8", "S4", "S5", "L8", "L9", "L10", "O2"]

    func testEveryClaimHasItsProgram() {
        let programs = (Catalog.experiments + Articles.programs).map { ($0.about.command, $0.about.claims) }
        for row in document.rows where Self.idsOfClaims.contains(row.cells[0]) {
            let named = Document.spans(in: row.cells.last!)
            if named.isEmpty != Self.claimsWithoutProgram.contains(row.cells[0]) {
                miss(named.isEmpty ? "no program shows \(row.cells[0])" : "a program shows \(row.cells[0]) after all", line: row.line)
            }
            let showing = Set(programs.filter { $0.1.contains(row.cells[0]) }.map(\.0))
            if Set(named) != showing { miss("\(row.cells[0]) is shown by \(showing.sorted().joined(separator: ", "))", line: row.line) }
        }
    }

    func testIdsInCommentsHaveTheirRows() {
        let known = Set(Self.idsOfClaims + Self.idsOfDifferences)
        var found: Set<String> = []
        for file in ["Sources/CRunLoop", "Sources", "Programs", "Lab", "Bench"].flatMap({ SourceFile.all(in: $0, endings: $0.contains("/") ? ["c", "h"] : ["swift"]) }) {
            for match in file.text.matches(of: /[\[(]([RSLITOXAD]\d+(?:[,–] ?[RSLITOXAD]\d+)*)[\])]/) {
                let line = file.text[..<match.range.lowerBound].count { $0 == "\n" } + 1
                for id in match.1.split(whereSeparator: { ",– ".contains($0) }).map(String.init) {
                    found.insert(id)
                    if !known.contains(id) { miss("what is \(id)?", line: line, in: file.path) }
                }
            }
        }
        XCTAssertGreaterThan(found.count, 40)
    }
}
