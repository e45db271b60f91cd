import XCTest

/// The programs in this folder are compiled by themselves, as a package of other people would be: with the imports that they have here, and
/// with those of Foundation and CoreFoundation instead. Nothing else in them is changed.
final class OutsiderCompileTests: TestCaseBeside {
    private static let programs = ["BlockingSequence", "Expectations", "Promise"]
    private static let theirImports = ["import SwiftRunLoopFoundation\n": "import Foundation\n", "import CRunLoop\n": "import CoreFoundation\n"]

    /// Compiles the programs into one module, and fails with what the compiler says.
    private func compile(languageMode: String, changing imports: [String: String], flags: [String], line: UInt = #line) throws {
        let directory = NSTemporaryDirectory() + "OutsiderCompileTests.\(getpid())"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let files = try Self.programs.map { name in
            var text = try XCTUnwrap(SourceFile.read("Tests/SwiftTests/Outsiders/\(name).swift")).text
            for (ours, theirs) in imports {
                XCTAssert(text.contains(ours), "\(name) has no \(ours)", line: line)
                text.replace(ours, with: theirs)
            }
            try text.write(toFile: "\(directory)/\(name).swift", atomically: true, encoding: .utf8)
            return "\(directory)/\(name).swift"
        }
        let result = try runProgram("/usr/bin/env", [
            "swiftc", "-swift-version", languageMode, "-emit-sil", "-whole-module-optimization", "-o", "/dev/null", "-parse-as-library",
            "-module-name", "Outsiders",
        ] + files + flags)
        XCTAssertEqual(result.status, 0, result.output, line: line)
        XCTAssertFalse(result.output.contains("warning: "), result.output, line: line)
    }

    func testTheProgramsCompileWithOurImportsInBothLanguageModes() throws {
        let modules = String(try productBeside("CTests").dropLast("CTests".count)) + "Modules"
        let headers = ["CRunLoop", "Support/CRunLoopMainHook", "Support/CRunLoopSignals", "Support/CRunLoopFoundationHook"].map { "-I\(SourceFile.root.path)/Sources/\($0)/include" }
        for mode in ["5", "6"] {
            try compile(languageMode: mode, changing: [:], flags: ["-I", modules, "-module-cache-path", modules + ".cache"] + headers)
        }
    }

    /// If this fails, the programs are written for this library, and the other tests of this folder say nothing about other people's code.
    func testTheProgramsCompileWithFoundationsImportsInBothLanguageModes() throws {
        for mode in ["5", "6"] { try compile(languageMode: mode, changing: Self.theirImports, flags: []) }
    }
}
