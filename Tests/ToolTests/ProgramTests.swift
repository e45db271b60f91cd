import TestSupport
import XCTest

/// Programs that the tests run.
final class ProgramTests: XCTestCase {
    func testAProgramThatDoesNotEndIsKilledAndWhatItWroteIsSaid() throws {
        let start = ContinuousClock.now
        XCTAssertThrowsError(try runProgram("/bin/sh", ["-c", "echo before; exec sleep 1000"], limit: .seconds(1))) { error in
            XCTAssertEqual("\(error)", "/bin/sh -c echo before; exec sleep 1000 has not ended in 1.0 seconds. It wrote:\nbefore")
        }
        XCTAssertLessThan(ContinuousClock.now - start, .seconds(100))
    }

    func testAProgramIsReadToItsEnd() throws {
        let result = try runProgram("/bin/sh", ["-c", "seq 100000; echo wrong >&2; exit 3"])
        XCTAssertEqual(result.status, 3)
        XCTAssertTrue(result.output.hasSuffix("\n100000\nwrong"))
        XCTAssertEqual(result.output.utf8.count, 588_895 + 5)
    }
}
