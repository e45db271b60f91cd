import XCTest

/// The library in a plug-in that the main thread or another thread loads, and that is unloaded while a thread has a run loop.
final class PlugInTests: XCTestCase {
    /// The end of the thread calls destructors in the plug-in, so the plug-in stays loaded. The main thread's loop is the main loop, also if
    /// another thread has loaded the plug-in and used a loop first.
    func testAThreadWithARunLoopEndsAfterItsPlugInWasUnloaded() throws {
        for sanitizer in [Sanitizer.thread, .address] {
            try skip(under: sanitizer, because: "its runtime would have to be in the program that loads the plug-in")
        }
        let script = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/") + "/Scripts/check-plugin"
        let result = try runProgram("/bin/bash", [script, try productBeside("CRunLoop.build")])
        XCTAssertEqual(result.status, 0, result.output)
    }
}
