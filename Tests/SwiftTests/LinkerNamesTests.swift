import XCTest

/// Every function and variable that the C library's files share has a linker name of its own, so that none of them receives the calls of a
/// module that uses the toolchain's CoreFoundation. Scripts/linker-names writes the lists; here it checks that they are complete.
final class LinkerNamesTests: XCTestCase {
    func testNoFunctionShowsItsPlainNameToTheLinker() throws {
        let script = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/Scripts/linker-names"
        let result = try runProgram("/bin/bash", [script, "--check"])
        XCTAssertEqual(result.status, 0, result.output)
    }
}
