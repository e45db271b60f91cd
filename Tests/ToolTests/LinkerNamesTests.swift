import TestSupport
import XCTest

/// Every function and variable that the C library's files share has a linker name of its own, so that none of them receives the calls of a
/// module that uses the toolchain's CoreFoundation. Scripts/linker-names writes the lists; here it checks that they are complete.
final class LinkerNamesTests: XCTestCase {
    func testNoFunctionShowsItsPlainNameToTheLinker() throws {
        let result = try runProgram("/bin/bash", [SourceFile.root.path + "/Scripts/linker-names", "--check"])
        XCTAssertEqual(result.status, 0, result.output)
    }
}
