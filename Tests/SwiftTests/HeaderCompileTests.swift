import Foundation
import TestSupport
import XCTest

/// The public headers, compiled without a warning in each language and standard, with clang and gcc, with and without blocks.
final class HeaderCompileTests: TestCaseBeside {
    private static let headers = SourceFile.root.appendingPathComponent("Sources/CRunLoop/include")

    private func all(_ names: [String]) -> String { names.map { "#include <\($0)>\n" }.joined() }

    /// Every public header that is not generated.
    private var includes: String {
        let directory = Self.headers.appendingPathComponent("CoreFoundation").path
        let names = try! FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".h") }.sorted()
        XCTAssertGreaterThan(names.count, 12)
        return all(["TargetConditionals.h"] + names.map { "CoreFoundation/" + $0 })
    }

    /// Declarations that a client makes with the macros, and uses of the enumerations.
    private let client = """
        typedef CF_ENUM(CFIndex, Color) { kColorRed, kColorGreen };
        typedef CF_CLOSED_ENUM(CFIndex, Side) { kSideLeft, kSideRight };
        typedef CF_OPTIONS(CFOptionFlags, Option) { kOptionOne = 1, kOptionTwo = 2 };
        CF_ENUM(CFIndex) { kAnswer = 42 };
        typedef CF_ERROR_ENUM(domain, Code) { kCodeOne };
        CF_ERROR_ENUM(domain) { kCodeTwo };
        typedef struct CF_BRIDGED_TYPE(NSThing) __Thing *ThingRef;
        typedef CFStringRef ThingName CF_EXTENSIBLE_STRING_ENUM;
        CF_ASSUME_NONNULL_BEGIN
        CF_IMPLICIT_BRIDGING_ENABLED
        CF_EXPORT CFStringRef thing(CFTypeRef object CF_CONSUMED, void (*call)(void) CF_NOESCAPE) CF_RETURNS_RETAINED
            CF_AVAILABLE(10_0, 2_0) CF_SWIFT_NAME(thing(object:call:)) CF_WARN_UNUSED_RESULT;
        CF_EXPORT CFStringRef old(void) CF_RETURNS_NOT_RETAINED CF_DEPRECATED(10_0, 10_4, 2_0, 4_0, "use thing")
            CF_SWIFT_UNAVAILABLE("use thing") API_AVAILABLE(macos(10.0), ios(2.0));
        CF_IMPLICIT_BRIDGING_DISABLED
        CF_ASSUME_NONNULL_END
        CF_EXPORT CFIndex use(Color color, Side side, CFRunLoopActivity activities);
        CFIndex use(Color color, Side side, CFRunLoopActivity activities) {
            Option options = kOptionOne | kOptionTwo;
            activities |= kCFRunLoopEntry;
            return kAnswer + (CFIndex)color + (CFIndex)side + (CFIndex)options + (CFIndex)activities + CFStringGetLength(CFSTR("text"));
        }

        """

    private let clientInCPlusPlus = """
        static const CFStringRef name = CFSTR("at namespace scope");
        struct Named { CFStringRef name = CFSTR("in a class"); };
        CF_EXPORT CFIndex length();
        CFIndex length() { Named named; return CFStringGetLength(name) + CFStringGetLength(named.name); }

        """

    private func check(_ program: String, _ ending: String, standards: [String], compilers: [[String]]) throws {
        let file = NSTemporaryDirectory() + "HeaderCompileTests.\(getpid()).\(ending)"
        try program.write(toFile: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: file) }
        let strict = ["-Wall", "-Wextra", "-Wpedantic", "-Wundef", "-Werror", "-fsyntax-only", "-I", Self.headers.path]
        var tried = 0
        for compiler in compilers {
            guard try runProgram("/usr/bin/env", ["which", compiler[0]]).status == 0 else { continue }
            for standard in standards {
                let result = try runProgram("/usr/bin/env", compiler + ["-std=\(standard)"] + strict + [file])
                XCTAssertEqual(result.status, 0, "\(compiler) \(standard): \(result.output.prefix(2000))")
                tried += 1
            }
        }
        XCTAssertGreaterThanOrEqual(tried, standards.count, "clang is there; gcc may be missing")
    }

    func testTheHeadersCompileAsEveryC() throws {
        try check(includes + client, "c", standards: ["c99", "c11", "c17", "c2x", "gnu17"],
                  compilers: [["clang"], ["clang", "-fblocks"], ["gcc"]])
    }

    func testTheHeadersCompileAsEveryCPlusPlus() throws {
        try check(includes + client + clientInCPlusPlus, "cc", standards: ["c++11", "c++14", "c++17", "c++20", "c++23", "gnu++17"],
                  compilers: [["clang++"], ["clang++", "-fblocks"], ["g++"]])
    }

    func testEachHeaderCompilesAlone() throws {
        for line in includes.split(separator: "\n") {
            try check(line + "\nextern int declaration;\n", "c", standards: ["c99"], compilers: [["clang"], ["gcc"]])
        }
    }

    /// The toolchain's headers take our TargetConditionals.h for their own if they find it, so it must define what they ask for.
    func testTheToolchainsHeadersFindTheirTargets() throws {
        let swift = try runProgram("/usr/bin/env", ["bash", "-c", "readlink -f \"$(command -v swift)\""]).output
        let toolchain = URL(fileURLWithPath: swift).deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("lib/swift/CoreFoundation")
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: toolchain.path) else {
            throw XCTSkip("the toolchain has no CoreFoundation headers")
        }
        func targets(_ file: URL, _ pattern: Regex<(Substring, Substring)>) throws -> Set<Substring> {
            try Set(String(contentsOf: file, encoding: .utf8).matches(of: pattern).map { $0.output.1 })
        }
        let ours = try targets(Self.headers.appendingPathComponent("TargetConditionals.h"), /#define (TARGET_\w+)/)
        var theirs: Set<Substring> = []
        for name in names where name != "CFTargetConditionals.h" && name.hasSuffix(".h") {
            theirs.formUnion(try targets(toolchain.appendingPathComponent(name), /\b(TARGET_[A-Z]+_\w+)/))
        }
        XCTAssertGreaterThan(theirs.count, 5)
        XCTAssertEqual(theirs.subtracting(ours).sorted(), [])
    }
}
