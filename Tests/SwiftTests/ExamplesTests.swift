import TestSupport
import XCTest

/// The programs in the documents, and those in Tests/Programs/Examples, are built and run as a user would. Their output is compared with the output
/// that they state.
///
/// A block of code is a program if it is in README, Documentation, ANNOTATIONS or Debugging's README, or in a comment of the public headers
/// or of SwiftRunLoop, and is marked `swift` and begins with `import`, or is marked `c` and has a `main`. It ends with comments that show
/// its output: `// prints: ours`. One that imports XCTest or Testing is a test, and must pass. How often a timer ticks depends on the
/// machine, so successive equal lines count as one, and any number equals any other. Scripts/check-hosts does the same for the programs in
/// Examples/Hosts. The Chinese documents have the same programs: facts.languages compares them.
final class ExamplesTests: TestCaseBeside {
    private static let documents = SourceFile.guides + ["ANNOTATIONS.md", "Debugging/README.md", "Programs/Conformance/README.md"]

    /// A block of code in a document, and the line at which it begins.
    private struct Block {
        var path: String, line: Int
        var language: String // as the fence has it; "comment" for one in a comment
        var lines: [String]

        var text: String { lines.joined(separator: "\n") + "\n" }
        var isSwift: Bool { language == "swift" && lines.first?.hasPrefix("import ") == true }
        var isTest: Bool { isSwift && (lines.contains("import XCTest") || lines.contains("import Testing")) }
        /// A file with its own main function must not be named main.swift.
        var file: String { isTest ? "Tests.swift" : text.contains("@main") ? "Program.swift" : "main.swift" }
        var isC: Bool { language == "c" && text.contains("int main(") }
        /// Lines for a package's manifest.
        var isManifest: Bool { language == "swift" && lines.first?.firstMatch(of: /^(dependencies|targets):/) != nil }
        var isWholeManifest: Bool { language == "swift" && lines.first?.hasPrefix("// swift-tools-version:") == true }
        var looksLikeAProgram: Bool { lines.contains { $0.firstMatch(of: /^\s*(import \w|#include [<"]|int main\()/) != nil } }
        var place: String { "\(path):\(line)" }
    }

    /// The text of each file in Examples/Hosts. Scripts/check-hosts builds these, because they need the host's library.
    private static let hosted = Dictionary(uniqueKeysWithValues: SourceFile.all(in: "Examples/Hosts", endings: ["c"]).map { ($0.path, $0.text) })

    private static let blocks: [Block] = documents.flatMap(fenced) + comments()

    private static func fenced(in path: String) -> [Block] {
        var found: [Block] = [], open: Block?
        for (index, line) in (SourceFile.read(path)?.text ?? "").split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("```") {
                if let block = open { found.append(block) }
                open = open == nil ? Block(path: path, line: index + 1, language: String(line.dropFirst(3)), lines: []) : nil
            } else {
                open?.lines.append(String(line))
            }
        }
        return found
    }

    /// In a comment, code stands four columns to the right of the text.
    private static func comments() -> [Block] {
        let files = SourceFile.all(in: "Sources/CRunLoop/include", endings: ["h"]) + SourceFile.all(in: "Programs/CRunLoopTable", endings: ["h"])
            + SourceFile.all(in: "Sources/SwiftRunLoop", endings: ["swift"])
        var found: [Block] = []
        for file in files {
            var open: Block?
            for (index, line) in (file.text + "\n").split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
                let comment = line.drop { $0 == " " }
                if comment.hasPrefix("///     ") {
                    open = open ?? Block(path: file.path, line: index + 1, language: "comment", lines: [])
                    open?.lines.append(String(comment.dropFirst(8)))
                } else if let block = open {
                    found.append(block)
                    open = nil
                }
            }
        }
        return found
    }

    /// A block that is no program is a shell command, a tool's output, or a fragment; none of them may look like a program.
    func testEveryBlockThatLooksLikeAProgramIsOne() {
        XCTAssertGreaterThan(Self.blocks.count, 20)
        for block in Self.blocks {
            switch block.language {
            case "swift": XCTAssert(block.isSwift || block.isManifest || block.isWholeManifest, "\(block.place): neither a program nor a part of a manifest")
            case "c": XCTAssert(block.isC, "\(block.place): a program in C has a main; a fragment is not marked c")
            default: XCTAssertFalse(block.looksLikeAProgram, "\(block.place): a program is marked swift or c, so that it is tried")
            }
        }
        XCTAssertGreaterThanOrEqual(Self.blocks.filter(\.isC).count, 2)
        XCTAssertGreaterThanOrEqual(Self.blocks.filter(\.isSwift).count, 5)
    }

    /// What the guide shows of the hosts' programs stands there, apart from the indentation.
    func testTheGuideToEmbeddingShowsPartsOfTheHostsPrograms() throws {
        func flat(_ text: String) -> String { text.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }.joined(separator: "\n") }
        for guide in ["Documentation/Guides/embedding.md", "Documentation/Guides/embedding.zh.md"] {
            let shown = Self.fenced(in: guide).filter { $0.language == "" }.map { flat($0.text) }
            for file in ["Examples/Hosts/glib.c", "Examples/Hosts/libuv.c"] {
                let text = flat(try XCTUnwrap(Self.hosted[file]))
                XCTAssertEqual(shown.filter(text.contains).count, 2, "\(guide) does not show two parts of \(file) as they are")
            }
        }
    }

    /// SwiftPM reads each whole manifest beside a clone of this package, and finds its dependency and its products. README and the guide to Swift have one, which is the same.
    func testTheManifestsInTheDocumentsFindThisPackage() throws {
        let manifests = Self.blocks.filter(\.isWholeManifest), manager = FileManager.default
        let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("manifests-\(getpid())")
        defer { try? manager.removeItem(at: folder) }
        XCTAssertEqual(manifests.map(\.path).sorted(), ["Documentation/Guides/swift.md", "README.md"])
        XCTAssertEqual(Set(manifests.map(\.text)).count, 1)
        let chinese = ["README.zh.md", "Documentation/Guides/swift.zh.md"].flatMap(Self.fenced).filter(\.isWholeManifest)
        XCTAssertEqual(chinese.map(\.text), manifests.map(\.text))
        let sources = folder.appendingPathComponent("Program/Sources/Program")
        try manager.createDirectory(at: sources, withIntermediateDirectories: true)
        try manager.createSymbolicLink(at: folder.appendingPathComponent("RunLoop"), withDestinationURL: SourceFile.root)
        try "import SwiftRunLoopFoundation\nprint(RunLoop.main)\n".write(to: sources.appendingPathComponent("main.swift"), atomically: true, encoding: .utf8)
        let manifest = folder.appendingPathComponent("Program/Package.swift")
        for (text, isRight) in [(manifests[0].text, true), (manifests[0].text.replacing("\"SwiftRunLoopFoundation\"", with: "\"SwiftRunLoopFundation\""), false)] {
            try text.write(to: manifest, atomically: true, encoding: .utf8)
            // It plans the build, and so loads the graph of the packages with their products.
            let result = try runProgram("/usr/bin/env", ["swift", "build", "--package-path", folder.appendingPathComponent("Program").path, "--print-manifest-job-graph"])
            XCTAssertEqual(result.status == 0, isRight, result.output)
            if !isRight { XCTAssert(result.output.contains("SwiftRunLoopFundation"), result.output) }
        }
    }

    /// A client's graph has the products and what they need, and a target of the client's may have the name of any target that none of them needs.
    func testTheGraphOfAClientHasOnlyWhatItNeeds() throws {
        let result = try runProgram("/bin/bash", [SourceFile.root.path + "/Scripts/check-client", "--graph"])
        if result.status == 77 { throw XCTSkip(result.output) }
        XCTAssertEqual(result.status, 0, result.output)
    }

    // MARK: - Building them

    private static let directory = SourceFile.root.appendingPathComponent(".build/examples")

    struct Program {
        var name: String, place: String
        var expected: [String] // what `// prints:` says
        var kind = "executableTarget"
        var dependencies: [String] = []
        var products: [String] = [] // of this package, beside SwiftRunLoop and CRunLoop

        static func expected(in text: String) -> [String] { text.matches(of: /\/\/ prints: (.*)/).map { String($0.1) } }
    }

    private static func products(importedBy text: String) -> [String] {
        ["SwiftRunLoopAsync", "SwiftRunLoopFoundation", "RunLoopDiagnostics"].filter { text.contains("import \($0)") }
    }

    /// The package of the examples, which is built.
    struct Package {
        let directory = ExamplesTests.directory
        /// The programs of the documents and of Tests/Programs/Examples. Those of Tests/Programs/AsyncMain are not among them: AsyncMainTests says what they print.
        var programs: [Program] = []
        fileprivate var targets: [String] = []
        /// The text of each file.
        fileprivate var files: [String: String] = [:]

        func path(of program: String) -> String { directory.appendingPathComponent(".build/debug/\(program)").path }

        fileprivate mutating func addTarget(_ kind: String, _ name: String, _ dependencies: [String], settings: String = "linkerSettings: []") {
            targets.append("    .\(kind)(name: \"\(name)\", dependencies: [\(dependencies.joined(separator: ", "))], path: \"Sources/\(name)\", \(settings)),")
        }

        fileprivate mutating func add(_ program: Program, settings: String = "linkerSettings: []") {
            programs.append(program)
            addTarget(program.kind, program.name, program.dependencies.map { "\"\($0)\"" } + (program.kind == "target" ? [] : ["ours[0]", "ours[1]"])
                + program.products.map { ".product(name: \"\($0)\", package: \"RunLoop\")" }, settings: settings)
        }

        /// The Swift files of a folder, as those of the package.
        fileprivate mutating func copyFiles(from folder: String) {
            for file in SourceFile.all(in: folder, endings: ["swift"]) { files["Sources" + file.path.dropFirst(folder.count)] = file.text }
        }

        /// Does not touch a file that already has the same text, so that only changed programs are built again.
        fileprivate func write() throws {
            let manager = FileManager.default
            let known = manager.enumerator(atPath: directory.appendingPathComponent("Sources").path)?.compactMap { $0 as? String } ?? []
            for name in known where name.contains(".") && files["Sources/\(name)"] == nil {
                try manager.removeItem(at: directory.appendingPathComponent("Sources/\(name)"))
            }
            for (name, text) in files {
                let file = directory.appendingPathComponent(name)
                if (try? String(contentsOf: file, encoding: .utf8)) == text { continue }
                try manager.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try text.write(to: file, atomically: true, encoding: .utf8)
            }
        }
    }

    private static func makePackage() throws -> Package {
        var package = Package()
        func add(_ name: String, _ file: String, _ block: Block) {
            package.files["Sources/\(name)/\(file)"] = block.text
            package.add(.init(name: name, place: block.place, expected: Program.expected(in: block.text),
                              kind: block.isTest ? "testTarget" : "executableTarget", products: products(importedBy: block.text)))
        }
        for (index, block) in blocks.enumerated() {
            if block.isSwift { add("Swift\(index)", block.file, block) }
            if block.isC {
                add("C\(index)", "main.c", block)
                add("CXX\(index)", "main.cpp", block)
            }
        }
        package.copyFiles(from: "Tests/Programs/Examples")
        func path(_ folder: String, _ file: String) -> String { "Sources/\(folder)/\(file).swift" }
        package.files[path("OnlyTheImport", "UsesCoreFoundation")] = package.files[path("UsesCoreFoundation", "UsesCoreFoundation")]!
            .replacing("import CoreFoundation", with: "import CRunLoop")
        // FoundationOnThisLoop before its import was changed is only compiled: the toolchain's Foundation prints less, in another order.
        package.files[path("FoundationAsItWas", "main")] = package.files[path("FoundationOnThisLoop", "main")]!
            .replacing("import SwiftRunLoopFoundation", with: "import Foundation")
        package.addTarget("executableTarget", "FoundationAsItWas", [])
        for name in try FileManager.default.contentsOfDirectory(atPath: SourceFile.root.appendingPathComponent("Tests/Programs/Examples").path).sorted() {
            let main = package.files[path(name, "main")]
            package.add(.init(name: name, place: "Tests/Programs/Examples/\(name)", expected: Program.expected(in: main ?? ""),
                              kind: main != nil ? "executableTarget" : "target",
                              dependencies: main?.contains("import UsesCoreFoundation") == true ? ["UsesCoreFoundation"] : [],
                              products: products(importedBy: main ?? "")),
                        settings: "swiftSettings: [.swiftLanguageMode(.v\(name == "OnlyTheImport" ? 5 : 6))], linkerSettings: [.linkedLibrary(\"Foundation\")]")
        }
        package.copyFiles(from: "Tests/Programs/AsyncMain")
        package.addTarget("target", "Shared", ["ours[0]"])
        for name in ["AtMain", "TopLevel", "OnMainActor", "Synchronous", "Command", "BesideFoundation"] {
            package.addTarget("executableTarget", name, ["\"Shared\"", "ours[0]"])
        }
        package.addTarget("testTarget", "MainThreadTests", ["\"Shared\"", "ours[0]"])
        package.files["Package.swift"] = """
            // swift-tools-version: 6.1
            import PackageDescription
            let ours: [Target.Dependency] = [.product(name: "SwiftRunLoop", package: "RunLoop"), .product(name: "CRunLoop", package: "RunLoop")]
            let package = Package(name: "Examples", dependencies: [.package(name: "RunLoop", path: "\(SourceFile.root.path)")], targets: [
            \(package.targets.joined(separator: "\n"))
            ], cLanguageStandard: .c17, cxxLanguageStandard: .cxx17) // in C++20, SwiftPM lets no target include the headers of another

            """
        try package.write()
        return package
    }

    /// Successive equal lines as one, numbers as `#`.
    private func shape(_ lines: [String]) -> [String] {
        lines.reduce(into: []) { shape, line in
            let line = line.replacing(/[0-9]+/, with: "#")
            if shape.last != line { shape.append(line) }
        }
    }

    private static func run(_ program: String) throws -> ProgramResult { try runProgram("/usr/bin/env", ["timeout", "60", program]) }

    private func check(_ result: ProgramResult, prints expected: [String], as place: String) {
        XCTAssertEqual(result.status, 0, "\(place): \(result.output)")
        let printed = result.output.split(separator: "\n").map(String.init)
        XCTAssertEqual(shape(printed), shape(expected), "\(place) prints this: \(printed)")
    }

    override class var programs: [@Sendable () -> Void] { [{ _ = built }] }

    /// The first test that needs it builds it.
    static let built = Result {
        let package = try makePackage()
        try build("swift", "build", "--build-tests", "--package-path", package.directory.path)
        return package
    }

    private static func build(_ command: String...) throws {
        let result = try runProgram("/usr/bin/env", command)
        if result.status != 0 { throw CannotRun(description: "\(command.joined(separator: " ")):\n\(result.output)") }
    }

    /// Among these are programs with a module that imports CoreFoundation. Although they are linked with this library, that module's calls
    /// reach the toolchain's functions.
    func testEveryProgramInTheDocumentsPrintsWhatItSays() throws {
        try skip(under: .thread, .address, because: "it builds programs that have no sanitizer")
        let package = try Self.built.get()
        try Self.build("swift", "test", "--skip-build", "--skip", "MainThreadTests", "--package-path", package.directory.path)
        let programs = package.programs.filter { $0.kind == "executableTarget" }
        for (program, result) in zip(programs, try concurrently(programs) { try Self.run(package.path(of: $0.name)) }) {
            check(result, prints: program.expected, as: program.place)
        }
    }

    /// CFRunLoop.h says what is left if an exception passes through a run: the next run does the rest, but the current mode outside a run is
    /// that of the run that was left, as in the original.
    private static let throwing = """
        #include <CoreFoundation/CoreFoundation.h>
        #include <cstdio>
        #include <stdexcept>

        static void performs(void *) { throw std::runtime_error("thrown by a source"); }
        static void fails(CFRunLoopTimerRef, void *) { throw std::runtime_error("thrown by a timer"); }
        static void fires(CFRunLoopTimerRef, void *) { std::puts("the other timer fires"); }

        int main() {
            CFRunLoopRef loop = CFRunLoopGetCurrent();
            CFRunLoopSourceContext context = {};
            context.perform = performs;
            CFRunLoopSourceRef source = CFRunLoopSourceCreate(NULL, 0, &context);
            CFRunLoopAddSource(loop, source, kCFRunLoopDefaultMode);
            CFRunLoopSourceSignal(source);
            for (CFRunLoopTimerCallBack callBack : {fails, fires}) {
                CFRunLoopTimerRef timer = CFRunLoopTimerCreate(NULL, 0, 0, 0, 0, callBack, NULL);
                CFRunLoopAddTimer(loop, timer, kCFRunLoopDefaultMode);
                CFRelease(timer);
            }
            for (int i = 0; i < 3; i++) {
                try {
                    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0.01, false);
                    std::puts("the run returns");
                } catch (const std::exception &thrown) { std::puts(thrown.what()); }
            }
            CFRunLoopMode mode = CFRunLoopCopyCurrentMode(loop);
            std::puts(mode ? "a current mode without a run" : "no current mode");
            // prints: thrown by a source
            // prints: thrown by a timer
            // prints: the other timer fires
            // prints: the run returns
            // prints: a current mode without a run
        }

        """

    /// Without SwiftPM: with clang and, where it is installed, gcc, against the library that Scripts/build-c-library makes.
    func testTheProgramsInCAreBuiltWithoutSwiftPM() throws {
        try skip(under: .thread, .address, because: "it builds programs that have no sanitizer")
        let made = Self.directory.appendingPathComponent("c").path
        try Self.build("bash", SourceFile.root.appendingPathComponent("Scripts/build-c-library").path, made)
        let description = try String(contentsOfFile: made + "/lib/pkgconfig/CRunLoop.pc", encoding: .utf8).replacing("${prefix}", with: made)
        /// The output of pkg-config or, where it is not installed, the line of its file.
        func flags(_ name: String) throws -> [String] {
            let printed = try runProgram("/usr/bin/env", ["PKG_CONFIG_PATH=\(made)/lib/pkgconfig", "pkg-config", "--\(name.lowercased())", "CRunLoop"])
            if printed.status == 0 { return printed.output.split(separator: " ").map(String.init) }
            return description.split(separator: "\n").first { $0.hasPrefix("\(name): ") }!.split(separator: " ").dropFirst().map(String.init)
        }
        let strict = ["-Wall", "-Wextra", "-Wpedantic", "-Wundef", "-Wno-unused-parameter", "-Werror"]
        let clang = try runProgram("/usr/bin/env", ["which", "clang"]).output
        let compilers = try [(name: clang, standard: "c17"), (clang + "++", "c++20"), ("gcc", "c17"), ("g++", "c++20")].filter {
            try runProgram("/usr/bin/env", ["which", $0.name]).status == 0
        }
        let (compile, link) = try (flags("Cflags"), flags("Libs"))
        let texts = Self.blocks.filter(\.isC).map { (text: $0.text, place: $0.place) } + [(text: Self.throwing, place: "a program that throws in callbacks")]
        let builds = texts.enumerated().flatMap { index, text in
            compilers.filter { text.text != Self.throwing || $0.standard.hasPrefix("c++") }.map {
                (block: text, compiler: $0, program: "\(made)/main\(index)-\($0.name.split(separator: "/").last!)")
            }
        }
        let results = try concurrently(builds) { build -> (build: ProgramResult, run: ProgramResult?) in
            let source = build.program + (build.compiler.standard.hasPrefix("c++") ? ".cpp" : ".c")
            try build.block.text.write(toFile: source, atomically: true, encoding: .utf8)
            let options = ["-std=\(build.compiler.standard)", "-g"] + strict + compile
            let result = try runProgram("/usr/bin/env", [build.compiler.name] + options + [source, "-o", build.program] + link)
            return (result, result.status == 0 ? try Self.run(build.program) : nil)
        }
        for (build, result) in zip(builds, results) {
            let place = "\(build.block.place) with \(build.compiler.name)"
            guard let run = result.run else { XCTFail("\(place): \(result.build.output)"); continue }
            check(run, prints: Program.expected(in: build.block.text), as: place)
        }
    }
}
