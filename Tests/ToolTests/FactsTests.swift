import TestSupport
import XCTest

/// The tests of the documents and of the tables that they are made from. They are in Python, as what they ask is: Tests/Facts.
final class FactsTests: TestCaseBeside {
    func testDocumentsAndTablesHold() throws {
        let result = try runPython(["-m", "unittest", "discover", "--quiet", "--start-directory", "Tests/Facts"])
        XCTAssertEqual(result.status, 0, result.output)
    }
}
