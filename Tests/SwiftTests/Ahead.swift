import Foundation

/// Programs that tests run for many seconds and then look at. Where all tests run, these programs start with the first tests, on the processors
/// that those leave idle. A test that needs a result before it is there waits for it; where only some tests run, each starts what it needs.
enum Ahead {
    /// Each list one after another, in the order in which the tests need them: what computes, and what mostly sleeps.
    private static let work: [[@Sendable () -> Void]] = [
        [{ _ = ExamplesTests.built }, { CTest.runAll() }, { _ = ConformanceTests.results }, { _ = DebuggerTests.sessions }],
        [{ _ = AppTests.outputs }, { _ = ArticleTests.records }, { _ = ArticleTests.falsifiedRecords }, { _ = DrawTests.drawn }, { _ = LabTests.all }],
    ]

    /// Tests that are chosen are arguments of this process.
    static func startIfAllTestsRun() {
        if CommandLine.arguments.contains(where: { $0.contains("SwiftTests.") }) { return }
        for list in work { Foundation.Thread.detachNewThread { for each in list { each() } } }
    }
}
