import Foundation
import XCTest
@testable import RunLoopLab

/// `RunLoopLab diff`: two printed loops, their differences marked.
final class DiffTests: XCTestCase {
    func testS2_ThePortIsMarkedInTwoPlacesAndThePerformInBothCommonModes() throws {
        for (language, port, perform) in [("en", "0.3  The loop of a thread", "0.41  A loop with two common modes"), ("zh", "0.3  子线程", "0.41  有两个")] {
            let result = try lab("$LAB diff --lang \(language)")
            XCTAssertEqual(result.status, 0, result.output)
            let parts = result.output.components(separatedBy: "\n0.41")
            XCTAssertEqual(parts.count, 2)
            XCTAssert(parts[0].hasPrefix(port) && ("0.41" + parts[1]).hasPrefix(perform), result.output)
            let places = parts[0].matches(of: /\n\ \ \+\d+ -\d+ +(.*)/).map { String($0.1) }
            XCTAssertEqual(places, ["common mode items", "kCFRunLoopDefaultMode sources0", "kCFRunLoopDefaultMode sources1"])
            let performs = parts[1].split(separator: "\n").filter { $0.hasPrefix("+") && $0.contains("__NSThreadPerformPerform") }
            XCTAssertEqual(performs.count, 3, "the common mode items, and two modes: \(parts[1])")
            XCTAssertNil(result.output.firstMatch(of: /0x[0-9a-f]/), "an address")
        }
    }

    private static func print(port: Int, isWithTimer: Bool) -> String {
        """
        <CFRunLoop 0x\(port)ab [0x1]>{wakeup port = 0x\(port), stopped = false, ignoreWakeUps = true,
        current mode = (none),
        common modes = <CFBasicHash 0x\(port)1 [0x1]>{type = mutable set, count = 1},
        modes = <CFBasicHash 0x\(port)2 [0x1]>{type = mutable set, count = 1,
        \t0 : <CFRunLoopMode 0x\(port)3 [0x1]>{name = kCFRunLoopDefaultMode, port set = 0x\(port), timer port = 0x\(port),
        \tsources0 = (null),
        \tsources1 = (null),
        \tobservers = (null),
        \ttimers = \(isWithTimer ? "<CFArray 0x1 [0x1]>{type = mutable-small, count = 1, values = (" : "(null),")
        \(isWithTimer ? "\t0 : <CFRunLoopTimer 0x\(port)4 [0x1]>{valid = Yes, next fire date = 8.1e8 (0.\(port) @ 12\(port)), callout = tick}\n)}," : "")
        \tcurrently 8101\(port) (99\(port)) / soft deadline in: 1.8e+10 sec (@ -1) / hard deadline in: 1.8e+10 sec (@ -1)
        },
        }
        """
    }

    func testTwoFilesAreComparedWithoutAddressesPortsAndTimes() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("DiffTests-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in [("one", Self.print(port: 7, isWithTimer: true)), ("same", Self.print(port: 9, isWithTimer: true)),
                             ("without", Self.print(port: 8, isWithTimer: false)), ("other", "not a loop\n")] {
            try text.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
        }
        func diff(_ one: String, _ other: String) throws -> ProgramResult { try lab("cd \(folder.path); LC_ALL=C $LAB diff \(one) \(other)") }
        let same = try diff("one", "same")
        XCTAssertEqual(same.status, 0, same.output)
        XCTAssert(same.output.hasSuffix("The two prints are the same."), same.output)
        let changed = try diff("without", "one")
        XCTAssertEqual(changed.status, 1)
        XCTAssert(changed.output.contains("\n+ \t0 : <CFRunLoopTimer 0x… [0x…]>{valid = Yes, next fire date = #, callout = tick}"), changed.output)
        XCTAssert(changed.output.contains("kCFRunLoopDefaultMode timers"), changed.output)
        XCTAssert(try diff("one", "other").output.contains("other holds no printed loop"))
        XCTAssertEqual(try diff("one", "missing").status, 2)
        XCTAssertEqual(try lab("$LAB diff one").status, 2)
    }
}
