import Foundation
import XCTest
@testable import RunLoopLab

/// ANNOTATIONS.md and the code name the same things, in both directions: whoever renames a function, adds a field or drops a test learns
/// here which line of the document to mend.
final class AnnotationsTests: XCTestCase {
    private static let annotations = "ANNOTATIONS.md"
    /// Without the files that Scripts/linker-names writes: they have every name again.
    private static let library = SourceFile.all(in: "Sources/CRunLoop", endings: ["c", "h"])
        .filter { !$0.path.contains("/Names/") && !$0.path.contains("LinkerNames") && !$0.path.contains("CFSwiftNames") }
    private static let c = CSymbols(library)
    private static let swiftFiles = SourceFile.all(in: "Sources", endings: ["swift"])
    private static let swift = SwiftSymbols(swiftFiles)
    private static let cTests = SourceFile.all(in: "Tests/CTests", endings: ["c", "h"])
    private static let swiftTests = SourceFile.all(in: "Tests/SwiftTests", endings: ["swift"])
    private static let fileNames = Set(["Sources", "Tests", "Scripts", "Debugging"].flatMap { folder in
        (FileManager.default.enumerator(atPath: SourceFile.root.appendingPathComponent(folder).path)?.compactMap { $0 as? String } ?? [])
            .map { ($0 as NSString).lastPathComponent }
    })
    /// The C tests and scenarios, and the Swift tests, by name.
    private static let testNames = Set(
        cTests.flatMap { $0.text.matches(of: /\b(?:TEST|SCENARIO)\(\s*(\w+),/).map { String($0.1) } }
            + swiftTests.flatMap { $0.text.matches(of: /func (test\w+)\(/).map { String($0.1) } })

    /// What Debugging adds to gdb and lldb.
    private static let debuggerCommands = Set(SourceFile.all(in: "Debugging/rlhelpers", endings: ["py"]).flatMap { file in
        file.text.matches(of: /(?m)^@command\("(rl-[\w-]+)"\)/).map { String($0.1) }
    })

    private var document: Document!

    override func setUpWithError() throws {
        document = try Document(path: Self.annotations)
    }

    /// A miss, at the line of the document that is to be mended.
    private func miss(_ message: String, line: Int, in path: String = annotations) {
        recordFailure(withDescription: message, inFile: SourceFile.root.appendingPathComponent(path).path, atLine: line, expected: true)
    }

    // MARK: - The readers themselves

    func testTheReaderOfCSeesWhatIsThere() {
        let file = SourceFile(path: "x.c", text: """
            #define LIMIT 3 // a comment with struct ghost { int none; };
            typedef struct _record *RecordRef;
            struct _record { int a, *b; _Atomic(uint32_t) c; void (*d)(int x); char e[3]; union { int f; long g; } h; };
            enum { first = 1, second };
            static _Atomic(Boolean) flag = false, *other;
            CF_EXPORT int declared(int);
            static __attribute__((noinline)) void defined(
                int x) { int inside; if (x) { call("} /* no comment */"); } }
            """)
        let symbols = CSymbols([file])
        func names(_ kind: CSymbols.Kind) -> [String] { symbols.all.filter { $0.kind == kind }.map(\.name) }
        XCTAssertEqual(names(.function), ["defined"])
        XCTAssertEqual(names(.declaration), ["declared"])
        XCTAssertEqual(names(.field).sorted(), ["a", "b", "c", "d", "e", "f", "g", "h"])
        XCTAssertEqual(names(.enumerator), ["first", "second"])
        XCTAssertEqual(names(.macro), ["LIMIT"])
        XCTAssertEqual(names(.type), ["RecordRef", "_record"])
        XCTAssertTrue(symbols.isDefined("inside", in: ["x.c"]))
        XCTAssertFalse(symbols.isDefined("ghost", in: ["x.c"]))
    }

    func testTheReaderOfSwiftSeesLabels() {
        let file = SourceFile(path: "x.swift", text: """
            func run(mode: Mode, before date: Date) -> Bool
            func perform<T>(_ body: @escaping (Int, T) -> Void, on thread: Thread = .main)
            convenience init?(at url: URL)
            """)
        XCTAssertEqual(SwiftSymbols([file]).signatures, ["run(mode:before:)", "perform(_:on:)", "init(at:)"])
    }

    // MARK: - From the document to the code

    func testEveryLinkLeadsSomewhere() {
        let anchors = Set(document.headings.map { Document.anchor($0.text) })
        for link in document.links {
            if link.text.hasPrefix("#") {
                if !anchors.contains(String(link.text.dropFirst())) { miss("there is no heading for the link \(link.text)", line: link.line) }
            } else if link.text.hasPrefix("[") {
                let name = String(link.text.dropFirst().dropLast())
                if document.references[name] == nil { miss("\(link.text) is not explained at the end of the document", line: link.line) }
            } else if !link.text.hasPrefix("http"), !SourceFile.exists(String(link.text.prefix { $0 != "#" })) {
                miss("there is no file \(link.text)", line: link.line)
            }
        }
        for (name, path) in document.references where !SourceFile.exists(path) || !path.hasSuffix("/" + name) {
            miss("[\(name)] stands for \(path), which is not there", line: 1)
        }
    }

    /// The words that say how a name here relates to the original's.
    private static let states: Set = ["same", "adapted", "absent", "ours"]

    /// The rows of the map: the names in the first cell, the word in one of the next.
    private func mapRows() -> [(row: Document.Row, names: [String], state: String)] {
        document.bodyRows.compactMap { row in
            guard row.headings.count > 1, row.headings[1].hasPrefix("2.") else { return nil }
            let state = row.cells.dropFirst().lazy.compactMap { cell in Self.states.first { cell == $0 || cell.hasPrefix($0 + ":") } }.first
            return state.map { (row, Document.spans(in: row.cells[0]), $0) }
        }
    }

    /// A word that is none of the four would take its row out of all that is checked here.
    func testEveryRowOfTheMapSaysHowItsNamesRelateToTheOriginals() {
        let read = Set(mapRows().map(\.row.line))
        for row in document.bodyRows where row.headings.count > 2 && row.headings[2].wholeMatch(of: /2\.([1-8]|11) .*/) != nil && !read.contains(row.line) {
            miss("\(row.cells[0]) is none of \(Self.states.sorted().joined(separator: ", "))", line: row.line)
        }
    }

    func testWhatTheMapSaysIsThereIsInTheFileThatItNames() {
        var checked = 0
        for (row, names, state) in mapRows() where state != "absent" {
            let named = Document.files(in: row.cells.joined(separator: " "))
            let files = named + Document.files(in: row.introduction) + (row.headings.last!.contains("struct") ? ["CFRunLoop_Internal.h"] : [])
            for name in names {
                checked += 1
                let plain = name.identifiers.last ?? name
                if !Self.c.isDefined(plain, in: files) { miss("\(name) is not in \(files.joined(separator: ", "))", line: row.line) }
            }
        }
        XCTAssertGreaterThan(checked, 250, "the map has been read")
    }

    func testWhatTheMapCallsAbsentIsNotThere() {
        for (row, names, _) in mapRows().filter({ $0.state == "absent" }) {
            for name in names.flatMap(\.identifiers) where Self.c.byName[name]?.contains(where: { $0.kind != .macro }) ?? false {
                miss("\(name) is there after all, in \(Self.c.byName[name]![0].file)", line: row.line)
            }
        }
    }

    /// Names that the document has because the code has not.
    private func absentNames() -> Set<String> {
        let elsewhere = document.bodyRows.filter { $0.headings.last!.hasPrefix("2.9") || $0.headings.last!.hasPrefix("2.10") }
        return Set(mapRows().filter { $0.state == "absent" }.flatMap { $0.names.flatMap(\.identifiers) }
            + elsewhere.flatMap { $0.cells[0].identifiers })
    }

    func testEveryNameInTheTextIsOneOfTheCode() {
        let absent = absentNames()
        let words = Self.c.words.values.reduce(into: Set<String>()) { $0.formUnion($1) }
            .union(Self.swift.words.values.reduce(into: Set<String>()) { $0.formUnion($1) })
        for span in document.spans {
            let text = span.text
            if Self.fileNames.contains((text as NSString).lastPathComponent) || SourceFile.exists(text) || Self.testNames.contains(text) { continue }
            if text.contains("("), text.wholeMatch(of: /\w+\((?:\w+:)*\)/) != nil {
                let initialiser = "init" + text.drop { $0 != "(" }
                let isThere = Self.swift.signatures.contains(text) || Self.c.byName[text.identifiers[0]] != nil
                    || Self.swift.names.contains(text.identifiers[0]) && Self.swift.signatures.contains(initialiser)
                if !isThere { miss("nothing is declared as \(text)", line: span.line) }
                continue
            }
            if Catalog.all.contains(where: { $0.about.name == text }) { continue }
            if text.hasPrefix("rl-") {
                let command = String(text.prefix { $0 != " " })
                if !Self.debuggerCommands.contains(command) { miss("no debugger has a command \(command)", line: span.line) }
                continue
            }
            if text.contains(" ") && text.contains("/") || text.hasPrefix("--") || text.hasPrefix("swift ") { continue } // a command
            for name in text.identifiers where !absent.contains(name) && !words.contains(name) && !Self.testNames.contains(name) {
                miss("there is no \(name), which stands in `\(text)`", line: span.line)
            }
        }
    }

    func testEveryTestThatIsNamedIsThere() {
        var named = 0
        for span in document.spans where span.text.wholeMatch(of: /(?:[A-Z]\d+|contract|stress|diagnosis|faults|interleaving)_\w+|test[A-Z]\w+/) != nil {
            named += 1
            if !Self.testNames.contains(span.text) { miss("there is no test \(span.text)", line: span.line) }
        }
        XCTAssertGreaterThan(named, 300)
    }

    // MARK: - The original's names

    private static let originals = OriginalNames(SourceFile.read("Documentation/Data/names.tsv")!)

    func testTheReaderOfVerdictsSeesVersions() {
        XCTAssertEqual(OriginalVersion.named(inVerdict: "same"), [.cf855, .cf1153, .current])
        XCTAssertEqual(OriginalVersion.named(inVerdict: "same: current"), [.current])
        XCTAssertEqual(OriginalVersion.named(inVerdict: "adapted: CF-855, CF-1153"), [.cf855, .cf1153])
        XCTAssertEqual(OriginalVersion.named(inVerdict: "adapted: no message, no reply"), [.cf855, .cf1153, .current])
        XCTAssertEqual(Self.originals.versions(of: "_unused", fieldOf: "__CFRunLoop"), [.cf855, .cf1153])
        XCTAssertEqual(Self.originals.versions(of: "_unused", fieldOf: "__CFRunLoopMode"), [])
        XCTAssertEqual(Self.originals.versions(of: "_unused", fieldOf: nil), [])
    }

    /// A verdict is about the original, so the original must have, or lack, the name: in each version that the verdict names.
    func testEveryVerdictIsTrueOfTheVersionsThatItNames() {
        XCTAssertGreaterThan(Self.originals.count, 500)
        var checked = 0
        for (row, names, state) in mapRows() {
            let verdict = row.cells.dropFirst().first { $0 == state || $0.hasPrefix(state + ":") }!
            let claimed = Set(OriginalVersion.named(inVerdict: verdict))
            let owner = structOfTable(row)
            for name in names.compactMap({ $0.identifiers.last }) {
                checked += 1
                let having = Self.originals.versions(of: name, fieldOf: owner)
                let list = OriginalVersion.allCases.filter(having.contains).map(\.rawValue).joined(separator: ", ")
                switch state {
                case "same", "adapted":
                    if !claimed.isSubset(of: having) { miss("“\(verdict)”, but \(name) is \(list == "" ? "in no version" : "in \(list)")", line: row.line) }
                case "absent":
                    if having.isEmpty { miss("“\(verdict)”, but no version has \(name)", line: row.line) }
                default:
                    if !having.isEmpty { miss("“\(verdict)”, but \(name) is in \(list)", line: row.line) }
                }
            }
        }
        XCTAssertGreaterThan(checked, 400)
    }

    /// What a reader of the sources meets there has its place, too: here, or among the names that are not here.
    func testEveryFunctionAndFieldOfTheOriginalHasItsPlace() {
        let named = Set(document.bodyRows.flatMap { $0.cells[0].identifiers } + document.spans.flatMap { $0.text.identifiers })
        let names = Self.originals.names(ofKinds: ["function", "static function", "breakpoint function", "probe (dtrace)",
            "field of __CFRunLoop", "field of __CFRunLoopMode", "field of __CFRunLoopSource", "field of __CFRunLoopObserver",
            "field of __CFRunLoopTimer", "field of _per_run_data"])
        XCTAssertGreaterThan(names.count, 250)
        for name in names where !named.contains(name) { miss("\(name), which the original has, has no place in the document", line: 1) }
    }

    // MARK: - From the code to the document

    /// What the reader of an article meets: the loop's own files, and its ports.
    private static func isOfTheRunLoop(_ file: String) -> Bool {
        file.hasPrefix("CFRunLoop") && (file.hasSuffix(".c") || file == "CFRunLoop_Internal.h" || file == "CFRunLoopProbes.h")
            || (file.hasPrefix("CFPort") && file != "CFPortSupport.h")
    }

    private func definitions(_ kinds: Set<CSymbols.Kind>) -> [CSymbols.Symbol] {
        Self.c.all.filter { kinds.contains($0.kind) && Self.isOfTheRunLoop($0.file) }
    }

    func testEveryFunctionOfTheRunLoopHasItsPlace() {
        let named = Set(document.spans.flatMap { $0.text.identifiers })
        let functions = definitions([.function, .variable])
        XCTAssertGreaterThan(functions.count, 200)
        for function in functions where !named.contains(function.name) {
            miss("\(function.name), in \(function.file), has no place in the document", line: lastLine(about: function.file))
        }
    }

    /// Where a new name of a file would be added: behind the last row of the map that names the file, or the last one under its heading.
    private func lastLine(about file: String) -> Int {
        let rows = document.bodyRows.filter { $0.headings.count > 1 && $0.headings[1].hasPrefix("2.") }
        let own = rows.filter { Document.files(in: $0.headings.last!).contains(file) }
        let named = rows.filter { Document.files(in: $0.cells.joined(separator: " ") + " " + $0.introduction).contains(file) }
        return (own.last ?? named.last ?? rows.last)?.line ?? 1
    }

    func testEveryFieldHasItsRow() {
        let fields = definitions([.field])
        XCTAssertGreaterThan(fields.count, 80)
        for field in fields {
            guard let owner = field.owner, owner != "" else { continue }
            let rows = document.bodyRows.filter { row in
                (row.headings.last!.contains("`struct \(owner)`") || row.introduction.contains("`\(owner)`") || row.cells[0].contains("struct \(owner)`"))
                    && Document.spans(in: row.cells.joined(separator: " ")).contains(field.name)
            }
            if rows.isEmpty { miss("the field \(field.name) of \(owner) has no row", line: line(of: owner)) }
        }
    }

    /// The struct whose fields a table lists: the one that the paragraph right above it begins with, or that of the heading.
    private func structOfTable(_ row: Document.Row) -> String? {
        let paragraph = row.introduction.split(separator: "\n").last { !$0.isEmpty } ?? ""
        if let match = paragraph.firstMatch(of: /^`(\w+)`,\s/), Self.c.byName[String(match.1)]?.contains(where: { $0.kind == .type }) ?? false {
            return String(match.1)
        }
        return row.headings.last!.wholeMatch(of: /`struct (\w+)`/).map { String($0.1) }
    }

    func testEveryRowOfAStructIsAboutAFieldOfIt() {
        var checked = 0
        for (row, names, state) in mapRows() where state != "absent" {
            guard let owner = structOfTable(row) else { continue }
            for name in names {
                checked += 1
                if Self.c.byName[name]?.contains(where: { $0.kind == .field && $0.owner == owner }) ?? false { continue }
                miss("\(name) is no field of \(owner)", line: row.line)
            }
        }
        XCTAssertGreaterThan(checked, 80)
    }

    private func line(of owner: String) -> Int {
        document.headings.first { $0.text.contains("`struct \(owner)`") || $0.text == "Other structs" }?.line ?? 1
    }

    // MARK: - Steps

    private static let steps = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "9.1", "9.2", "9.3", "10"]
    private static let run = RunSteps(SourceFile.read("Sources/CRunLoop/CFRunLoop.c")!)

    func testTheReaderOfStepsSeesWhichStepACallIsIn() {
        let read = RunSteps(SourceFile(path: "x.c", text: """
            static __attribute__((noinline)) int inner(int x,
                                                       int y) {
                return wait(x);
            }
            int outer(int x) {
                prepare(x);
                // 1. The first step, which tell(x) has no part in.
                if (tell(x)) {
                    // 1.1 A part of it.
                    inner(x);
                }
                done(x);
                // 2. The second.
                tell(x);
            }
            """))
        XCTAssertEqual(read.markers["outer"], ["1", "1.1", "2"])
        XCTAssertEqual(read.steps(of: "tell"), ["1", "2"])
        XCTAssertEqual(read.steps(of: "wait"), ["1.1"])
        XCTAssertEqual(read.steps(of: "done"), ["1"])
        XCTAssertEqual(read.steps(of: "prepare"), ["before 1"])
        XCTAssertEqual(read.steps(of: "outer"), [])
    }

    func testTheCodeCarriesTheTenStepsInTheirOrder() {
        XCTAssertEqual(Self.run.markers["CFRunLoopRunSpecific"], ["1", "10"])
        XCTAssertEqual(Self.run.markers["__CFRunLoopRun"], Self.steps.filter { $0 != "1" && $0 != "10" })
    }

    func testTheStoryOfOnePassTellsEveryStep() {
        let rows = document.bodyRows.filter { $0.headings.last!.hasPrefix("5.1 ") }
        var rest = rows.filter { $0.cells[0] != "" }[...]
        for step in ["before"] + Self.steps + ["after"] {
            if rest.first?.cells[0] == step { rest.removeFirst() } else {
                return miss("the step \(step) of one pass belongs here", line: rest.first?.line ?? rows.last?.line ?? 1)
            }
        }
        if let row = rest.first { miss("\(row.cells[0]) is no step of one pass", line: row.line) }
        for row in rows {
            for name in Document.spans(in: row.cells[1]) where !(Self.c.byName[name]?.contains { $0.kind == .function } ?? false) {
                miss("there is no function \(name)", line: row.line)
            }
        }
    }

    /// "1 2 3", "before 2, 9": what a row of the map says. Nothing for a stretch of steps, such as "2–9", which is no list of calls.
    private func stepsTold(_ cell: String) -> Set<String>? {
        cell.contains("–") ? nil : Set(cell.matches(of: /(?:before |after )?\d+(?:\.\d)?/).map { String($0.0) })
    }

    func testTheMapTellsInWhichStepsAFunctionIsCalled() {
        var checked = 0
        for (row, names, state) in mapRows() where state != "absent" && row.headings.last!.hasPrefix("2.5 ") {
            let functions = names.filter { Self.c.byName[$0]?.contains { $0.kind == .function } ?? false }
            let called = functions.reduce(into: Set<String>()) { $0.formUnion(Self.run.steps(of: $1)) }
            guard let told = stepsTold(row.cells[1]), !called.isEmpty else { continue }
            checked += 1
            if told != called {
                let steps = called.sorted { $0.compare($1, options: .numeric) == .orderedAscending }
                miss("\(functions.joined(separator: ", ")): called in \(steps.joined(separator: ", "))", line: row.line)
            }
        }
        XCTAssertGreaterThan(checked, 10)
    }

    // MARK: - Stacks

    /// The stacks that Scripts/check-stacks compares with a debugger's: each frame as the names that it may have.
    private static func comparedStacks() -> [[[String]]] {
        SourceFile.all(in: "Tests/Debugger", endings: ["gdb"]).flatMap { file in
            file.text.split(separator: "\n", omittingEmptySubsequences: false).reduce(into: [[[String]]]()) { stacks, line in
                guard let match = line.wholeMatch(of: /#   \[?([\w.|]+)\]?/) else {
                    if stacks.last?.isEmpty != true { stacks.append([]) }
                    return
                }
                if stacks.isEmpty { stacks.append([]) }
                stacks[stacks.count - 1].append(match.1.split(separator: "|").map(String.init))
            }
        }
    }

    private func isPart(_ names: [String], of stack: [[String]]) -> Bool {
        stack.indices.contains { start in
            // Three dots stand for any frames: they take what is left of the names' inner end.
            let inner = stack[start] == ["..."] ? 1 : 0
            return start + names.count <= stack.count
                && zip(names.dropFirst(inner), stack[(start + inner)...]).allSatisfy { $1.contains($0) }
        }
    }

    func testTheStacksAreThoseThatTheDebuggerShows() {
        let compared = Self.comparedStacks()
        XCTAssertGreaterThan(compared.count, 15)
        var groups: [[Document.Row]] = []
        for row in document.bodyRows where row.headings.contains(where: { $0.hasPrefix("6.") }) && row.cells[0].hasPrefix("#") {
            if row.cells[0] == "#0" { groups.append([]) }
            groups[groups.count - 1].append(row)
        }
        XCTAssertGreaterThan(groups.count, 8)
        for rows in groups {
            let names = rows.compactMap { Document.spans(in: $0.cells[1]).first { !$0.contains("(") } }
            if !compared.contains(where: { isPart(names, of: $0) }) {
                miss("no debugger is seen to show \(names.joined(separator: " < "))", line: rows[0].line)
            }
        }
        let nested = document.codeLines.compactMap { $0.text.wholeMatch(of: /\s+#\d+ +([\w.]+)/).map { String($0.1) } }
        XCTAssertGreaterThan(nested.count, 10)
        if !compared.contains(where: { isPart(nested, of: $0) }) {
            let line = document.codeLines.first { $0.text.contains("#0 ") }?.line ?? 1
            miss("no debugger is seen to show \(nested.joined(separator: " < "))", line: line)
        }
        // None may be left out: the six callouts, the wait, the perform family, and the run within a run (above).
        let shown = groups.map { rows in
            rows.compactMap { Document.spans(in: $0.cells[1]).first { !$0.contains("(") } }.first { !["_dispatch_main_queue_callback_4CF", "PerformQueue.performAll"].contains($0) }
        }
        let callouts = Self.c.all.filter { $0.kind == .function && ($0.name.contains("_IS_CALLING_OUT_TO_") || $0.name.contains("_IS_SERVICING_")) }
        XCTAssertEqual(callouts.count, 6)
        for name in callouts.map(\.name) + ["epoll_wait", "__NSThreadPerformPerform", "__NSFireDelayedPerform"] where !shown.contains(name) {
            miss("no stack shows \(name)", line: document.headings.first { $0.text.hasPrefix("6.") }?.line ?? 1)
        }
    }

    // MARK: - Ids

    private static let claims = ids("R", 8) + ids("S", 11) + ids("L", 10) + ids("I", 6) + ids("T", 9) + ids("O", 6) + ids("X", 8) + ids("A", 11)
    private static let differences = ids("D", 33) + ["D36"] + ((40...45) + [64, 65] + (67...72)).map { "D\($0)" }

    private static func ids(_ letter: String, _ count: Int) -> [String] { (1...count).map { "\(letter)\($0)" } }

    func testEveryIdHasOneRowAndIsKnownToTheCode() {
        let rows = Dictionary(grouping: document.bodyRows.filter { $0.cells[0].wholeMatch(of: /[A-Z]\d+/) != nil }, by: { $0.cells[0] })
        var inTests: Set<String> = []
        for name in Self.testNames {
            for part in name.split(separator: "_") { inTests.insert(part.hasPrefix("test") ? String(part.dropFirst(4)) : String(part)) }
        }
        for id in Self.claims + Self.differences {
            let kin = rows.filter { $0.key.first == id.first }.values.joined().map(\.line).min() ?? 1
            if rows[id]?.count != 1 { miss("the id \(id) has \(rows[id]?.count ?? 0) rows", line: rows[id]?.last?.line ?? kin) }
            let names = rows[id]?.first.map { Document.spans(in: $0.cells.joined(separator: " ")) } ?? []
            if !inTests.contains(id), let row = rows[id]?.first, !names.contains(where: Self.testNames.contains) {
                miss("no test shows \(id)", line: row.line)
            }
        }
        for id in rows.keys where !(Self.claims + Self.differences).contains(id) { miss("what is \(id)?", line: rows[id]![0].line) }
    }

    private static let corrections = 44

    func testTheCorrectionsAreNumberedWithoutAGap() {
        let rows = document.bodyRows.filter { $0.headings.last!.hasPrefix("3.2 ") }
        for (index, row) in rows.enumerated() where row.cells[0] != String(index + 1) {
            return miss("the correction \(index + 1) belongs here", line: row.line)
        }
        if rows.count != Self.corrections { miss("there are \(rows.count) corrections, not \(Self.corrections)", line: rows.last?.line ?? 1) }
    }

    /// The claims whose tests are those of what they rest on.
    private static let claimsWithoutTestOfTheirOwn: Set<String> = ["O4", "O5", "O6", "X8", "A11"]

    func testEveryClaimNamesATestThatCarriesItsId() {
        for row in document.bodyRows where Self.claims.contains(row.cells[0]) && row.cells.count == 5 {
            let id = row.cells[0]
            let tests = Document.spans(in: row.cells[3]).filter(Self.testNames.contains)
            let own = tests.filter { test in test.split(separator: "_").contains { $0 == id || $0 == "test" + id } }
            if tests.isEmpty {
                miss("\(id) names no test", line: row.line)
            } else if own.isEmpty != Self.claimsWithoutTestOfTheirOwn.contains(id) {
                miss(own.isEmpty ? "\(id) names no test that carries its id" : "\(id) has a test of its own after all", line: row.line)
            }
        }
    }

    /// The claims that CLAIMS.md does not ask an experiment for; the articles do not let themselves be shown there.
    private static let claimsWithoutExperiment: Set = ["R5", "R7", "R8", "S4", "S5", "S8", "L8", "L9", "L10", "O2", "X8"]

    func testEveryClaimHasItsExperiment() {
        let experiments = Dictionary(uniqueKeysWithValues: Catalog.all.map { ($0.about.name, $0.about.claims) })
        for row in document.bodyRows where Self.claims.contains(row.cells[0]) {
            let named = Document.spans(in: row.cells.last!)
            if named.isEmpty, !Self.claimsWithoutExperiment.contains(row.cells[0]) { miss("no experiment shows \(row.cells[0])", line: row.line) }
            let showing = Set(experiments.filter { $0.value.contains(row.cells[0]) }.keys)
            if Set(named) != showing { miss("\(row.cells[0]) is shown by \(showing.sorted().joined(separator: ", "))", line: row.line) }
        }
    }

    func testIdsInCommentsHaveTheirRows() {
        let known = Set(Self.claims + Self.differences)
        var found: Set<String> = []
        for file in Self.library + Self.swiftFiles {
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

/// In which steps the functions of CFRunLoop.c call what: a step begins at its comment, `// 7. It sleeps`, and ends at the next one or
/// where its block does.
private struct RunSteps {
    /// The steps that stand in each function, from top to bottom.
    private(set) var markers: [String: [String]] = [:]
    /// For each word of the code: the functions that it stands in, each with the step, "" in a function without any.
    private var places: [String: [(function: String, step: String)]] = [:]

    init(_ file: SourceFile) {
        var function: String?
        var open: [(step: String, indent: Int)] = []
        // The head of a function may go on in further lines.
        let text = file.text.replacing(/(?m)^([A-Za-z_][^\n;{}]*,)\n +/) { "\($0.1) " }
        for line in text.split(separator: "\n") {
            if let name = Self.functionBegun(by: line) {
                function = name
                open = []
            } else if line == "}" {
                function = nil
            } else if let function {
                let indent = line.prefix { $0 == " " }.count
                if let match = line.firstMatch(of: /^ *\/\/ (\d+(?:\.\d)?)\.? [A-Z]/) {
                    open = open.filter { $0.indent < indent } + [(String(match.1), indent)]
                    if markers[function] == nil { enter("before \(match.1)", before: function) }
                    markers[function, default: []].append(String(match.1))
                    continue
                }
                open = open.filter { $0.indent <= indent }
                for word in Self.code(of: line).identifiers { places[word, default: []].append((function, open.last?.step ?? "")) }
            }
        }
    }

    /// Gives what stands in a function above its first step its place.
    private mutating func enter(_ step: String, before function: String) {
        for word in places.keys {
            places[word] = places[word]!.map { $0.function == function ? (function, step) : $0 }
        }
    }

    private static func functionBegun(by line: Substring) -> String? {
        guard let first = line.first, first.isLetter || first == "_", line.hasSuffix("{") else { return nil }
        return line.replacing(/__attribute__\(\(.*?\)\)/, with: "").firstMatch(of: /(\w+)\(/).map { String($0.1) }
    }

    private static func code(of line: Substring) -> Substring {
        line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
    }

    /// The steps that a function is called in, by the run itself or by a function that the run calls.
    func steps(of function: String) -> Set<String> {
        var found: Set<String> = [], seen: Set = [function], left = [function]
        while let name = left.popLast() {
            for place in places[name] ?? [] {
                if place.step != "" { found.insert(place.step) } else if seen.insert(place.function).inserted { left.append(place.function) }
            }
        }
        return found
    }
}
