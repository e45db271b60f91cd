import XCTest
@testable import RunLoopLab

/// `RunLoopLab predict`.
final class PredictTests: XCTestCase {
    func testALessonIsTheSameForItsSeedAndLevel() {
        for level in 1...3 {
            for seed in 1...200 as ClosedRange<UInt64> {
                let lesson = Lesson(seed: seed, level: level)
                XCTAssertEqual(lesson.log, Lesson(seed: seed, level: level).log)
                let events = lesson.log.filter(\.isEvent).map(\.text)
                XCTAssert(events.contains("~ Entry") && events.contains { $0.hasPrefix("run ") }, "\(level), \(seed): \(lesson.log)")
            }
        }
    }

    func testLevelsGrow() {
        func length(_ level: Int) -> Int { (1...100 as ClosedRange<UInt64>).map { Lesson(seed: $0, level: level).program.count }.reduce(0, +) }
        XCTAssertLessThan(length(1), length(2))
        XCTAssert((1...100 as ClosedRange<UInt64>).contains { seed in Lesson(seed: seed, level: 3).log.contains { $0.text.hasSuffix(": Stopped") } })
    }

    /// Answers with the letters of the model's answers: the first run of the program shows the letters, the second run gets them.
    func testWhoKnowsTheTenStepsGetsEverythingRight() throws {
        let lesson = Lesson(seed: 11, level: 2), events = lesson.log.filter(\.isEvent).map(\.text)
        let dry = try lab("yes a | head -200 | $LAB predict --seed 11 --level 2 --lang en").output
        let questions = dry.split(separator: "\n").filter { $0.contains("What comes next?") }
        XCTAssertEqual(questions.count, events.count)
        let answers = try zip(questions, events).map { question, event in
            let choices = question.matches(of: /([a-d])\) (.*?)(?:   |$)/)
            return String(try XCTUnwrap(choices.first { $0.2 == event[...] }, "\(question): \(event)").1)
        }
        let played = try lab("printf '\(answers.joined(separator: "\\n"))\\n' | $LAB predict --seed 11 --level 2 --lang en")
        XCTAssertEqual(played.status, 0)
        XCTAssert(played.output.contains("\(events.count) of \(events.count) right, 0 hints."), played.output)
    }

    func testAHintNamesTheStepAndTheEndOfTheInputShowsTheScore() throws {
        let result = try lab("printf 'h\\n' | $LAB predict --seed 3 --level 1 --lang en")
        XCTAssertEqual(result.status, 0)
        XCTAssert(result.output.contains("    step 1\n"), result.output)
        XCTAssert(result.output.contains("0 of 0 right, 1 hint."), result.output)
    }
}
