import Foundation
import XCTest

/// The package on Darwin, as far as Linux can check it: the other half of the manifest is read with its condition reversed.
final class DarwinTests: XCTestCase {
    func testThePackageOnDarwinHasTheSwiftModulesAndReexportsFoundation() throws {
        let directory = NSTemporaryDirectory() + "DarwinTests.\(getpid())"
        let files = FileManager.default
        try files.createDirectory(atPath: directory + "/Sources", withIntermediateDirectories: true)
        defer { try? files.removeItem(atPath: directory) }
        let manifest = try XCTUnwrap(SourceFile.read("Package.swift")).text
        XCTAssertEqual(manifest.ranges(of: "#if canImport(Darwin)").count, 1)
        try manifest.replacing("#if canImport(Darwin)", with: "#if !canImport(Darwin)")
            .write(toFile: directory + "/Package.swift", atomically: true, encoding: .utf8)
        try files.copyItem(atPath: SourceFile.root.path + "/Sources/OnDarwin", toPath: directory + "/Sources/OnDarwin")
        for module in ["SwiftRunLoop", "SwiftRunLoopFoundation"] {
            let path = "\(directory)/Sources/OnDarwin/\(module)/\(module).swift"
            let source = try String(contentsOfFile: path, encoding: .utf8)
            XCTAssert(source.contains("@_exported public import Foundation"), module)
            try source.replacing("canImport(Darwin)", with: "!canImport(Darwin)").write(toFile: path, atomically: true, encoding: .utf8)
        }
        try files.createDirectory(atPath: directory + "/Sources/Both", withIntermediateDirectories: true)
        try """
            import SwiftRunLoop
            let timer = Timer(timeInterval: 0.001, repeats: false) { _ in print("fired") }
            RunLoop.main.add(timer, forMode: .default)
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1))
            """.write(toFile: directory + "/Sources/Both/main.swift", atomically: true, encoding: .utf8)
        let described = try runProgram("/usr/bin/env", ["swift", "package", "--package-path", directory, "describe", "--type", "json"])
        XCTAssertEqual(described.status, 0, described.output)
        for module in ["SwiftRunLoop", "SwiftRunLoopFoundation"] { XCTAssert(described.output.contains("\"\(module)\""), described.output) }
        XCTAssertFalse(described.output.contains("CRunLoop\""), described.output)
        let compiled = try runProgram("/usr/bin/env", ["bash", "-c", """
            cd '\(directory)' && swiftc -swift-version 6 -parse-as-library -emit-module \
            -module-name SwiftRunLoop Sources/OnDarwin/SwiftRunLoop/*.swift && swiftc -swift-version 6 -I . Sources/Both/main.swift -o both && ./both
            """])
        XCTAssertEqual(compiled.output, "fired")
    }
}
