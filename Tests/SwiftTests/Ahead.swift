import Foundation

/// Programs that tests run for many seconds and then look at. Where all tests run, these programs start with the first tests, on the processors
/// that those leave idle. A test that needs a result before it is there waits for it; where only some tests run, each starts what it needs.
enum Ahead {
    /// In the order in which the tests need them.
    private static let work: [@Sendable () -> Void] = [
        { _ = ExamplesTests.built }, { CTest.runAll() }, { _ = ConformanceTests.results }, { _ = DebuggerTests.sessions },
    ]

    /// Tests that are chosen are arguments of this process.
    static func startIfAllTestsRun() {
        if CommandLine.arguments.contains(where: { $0.contains("SwiftTests.") }) { return }
        Foundation.Thread.detachNewThread { for each in work { each() } }
    }
}
