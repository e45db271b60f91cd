import TestSupport
import XCTest

/// The library in a plug-in that the main thread or another thread loads, and that is unloaded while a thread has a run loop.
final class PlugInTests: XCTestCase {
    /// The end of the thread calls destructors in the plug-in, so the plug-in stays loaded. The main thread's loop is the main loop, also if
    /// another thread has loaded the plug-in and used a loop first.
    func testAThreadWithARunLoopEndsAfterItsPlugInWasUnloaded() throws {
        try skip(under: .thread, .address, because: "its runtime would have to be in the program that loads the plug-in")
        let result = try runProgram("/bin/bash", [SourceFile.root.path + "/Scripts/check-plugin", try productBeside("CRunLoop.build")])
        XCTAssertEqual(result.status, 0, result.output)
    }
}
