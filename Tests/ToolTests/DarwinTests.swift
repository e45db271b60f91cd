import Foundation
import TestSupport
import XCTest

/// The package on Darwin, as far as Linux can check it. CoreFoundation's API of the loop, the Objective-C bridge and SwiftPM's choice of
/// dependencies are not checked here.
final class DarwinTests: TestCaseBeside {
    private static let modules = ["SwiftRunLoop", "SwiftRunLoopAsync", "SwiftRunLoopFoundation", "RunLoopDiagnostics"]

    /// A condition in the manifest (`#if`) is about the host: on a Mac, a product for Linux must not get the wrong half. So what the products
    /// need stands before it, and what is left on a Mac is whole.
    func testTheProductsAreTheSameOnAllHosts() throws {
        let parts = try XCTUnwrap(SourceFile.read("Package.swift")).text.components(separatedBy: "#if os(Linux)\n")
        XCTAssertEqual(parts.count, 2)
        for target in ["CRunLoop", "CSwiftRunLoop", "CRunLoopFoundationHook", "CRunLoopDiagnostics"] {
            XCTAssert(parts[0].contains("onLinux(\"\(target)\")"), target)
        }
        let files = FileManager.default, folder = NSTemporaryDirectory() + "DarwinTests.manifest.\(getpid())"
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(atPath: folder) }
        try files.createSymbolicLink(atPath: folder + "/Sources", withDestinationPath: SourceFile.root.appendingPathComponent("Sources").path)
        try parts[0].write(toFile: folder + "/Package.swift", atomically: true, encoding: .utf8)
        let result = try runProgram("/usr/bin/env", ["swift", "build", "--package-path", folder, "--print-manifest-job-graph"])
        XCTAssertEqual(result.status, 0, result.output)
        XCTAssert(result.output.contains("SwiftRunLoopFoundation.swiftmodule"), result.output)
        XCTAssertFalse(result.output.contains("RunLoopLab"))
    }

    /// For a Darwin target, the preprocessor leaves nothing of the products' C files, and needs no header of the system's.
    func testTheFilesInCAreEmptyForDarwin() throws {
        let files = try XCTUnwrap(SourceFile.read("Sources/CRunLoop/CRunLoop.c")).path
        let support = ["CSwiftRunLoop", "CRunLoopFoundationHook", "CRunLoopDiagnostics"].flatMap { SourceFile.all(in: "Sources/\($0)", endings: ["c"]) }
        XCTAssertGreaterThan(support.count, 5)
        for path in [files] + support.map(\.path) {
            let full = SourceFile.root.appendingPathComponent(path).path
            let result = try runProgram("/usr/bin/env", ["clang", "-target", "arm64-apple-macosx15", "-E", "-P", full])
            XCTAssertEqual(result.status, 0, result.output)
            XCTAssertEqual(result.output, "", path)
        }
    }

    /// For a Darwin target, the parser sees nothing in the files of the layer but the exports.
    func testTheFilesAreEmptyForDarwin() throws {
        let exports = ["SwiftRunLoopFoundation.swift": ["import_decl", "import_decl"], "SwiftRunLoopAsync.swift": ["import_decl"]]
        for module in Self.modules {
            let files = SourceFile.all(in: "Sources/\(module)", endings: ["swift"])
            XCTAssertFalse(files.isEmpty)
            let results = try concurrently(files) { file in
                try runProgram("/usr/bin/env", [
                    "swiftc", "-frontend", "-dump-parse", "-swift-version", "6", "-enable-bare-slash-regex", "-target", "arm64-apple-macosx15",
                    SourceFile.root.appendingPathComponent(file.path).path,
                ])
            }
            for (file, parsed) in zip(files, results) {
                let declarations = parsed.output.matches(of: /\((\w+_decl)/).map { String($0.1) }
                XCTAssertEqual(parsed.status, 0, parsed.output)
                XCTAssertEqual(declarations, exports[file.name, default: []], file.path)
            }
        }
    }

    /// The half for Darwin is compiled against Foundation on Linux, whose `getCFRunLoop()` is not public.
    func testTheAsyncFormsExtendFoundationsRunLoop() throws {
        let directory = NSTemporaryDirectory() + "DarwinTests.\(getpid())"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let source = try ["SwiftRunLoop/OnDarwin", "SwiftRunLoopAsync/OnDarwin"].map {
            try XCTUnwrap(SourceFile.read("Sources/\($0).swift")).text
        }.joined()
        XCTAssert(source.contains("@_exported public import Foundation"))
        try (source.replacing("canImport(Darwin)", with: "!canImport(Darwin)").replacing("getCFRunLoop()", with: "mainLoop()")
            + "extension RunLoop { fileprivate func mainLoop() -> CFRunLoop { CFRunLoopGetMain() } }\n")
            .write(toFile: directory + "/Layer.swift", atomically: true, encoding: .utf8)
        try """
            import SwiftRunLoop
            Task.detached {
                print("run", try! await RunLoop.main.run { Thread.isMainThread })
                var count = 0
                for await _ in RunLoop.main.ticks(every: .milliseconds(5)) {
                    count += 1
                    if count == 3 { break }
                }
                print("ticks", count)
                let cancelled = Task { try await RunLoop.main.run(inModes: [RunLoop.Mode("never")]) { print("called") } }
                cancelled.cancel()
                do { try await cancelled.value } catch { print("cancelled", error is CancellationError) }
                exit(0)
            }
            RunLoop.main.add(Timer(fire: Date(timeIntervalSinceNow: 60), interval: 0, repeats: false) { _ in exit(1) }, forMode: .default)
            while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
            """.write(toFile: directory + "/main.swift", atomically: true, encoding: .utf8)
        let result = try runProgram("/usr/bin/env", ["bash", "-c", """
            cd '\(directory)' && swiftc -swift-version 6 -warnings-as-errors -parse-as-library -emit-module -emit-library -package-name runloop -Xcc -fblocks \
            -module-name SwiftRunLoop Layer.swift && swiftc -swift-version 6 -I . -L . -lSwiftRunLoop -Xlinker -rpath -Xlinker . \
            main.swift -o both && ./both
            """])
        XCTAssertEqual(result.output, "run true\nticks 3\ncancelled true")
    }
}
