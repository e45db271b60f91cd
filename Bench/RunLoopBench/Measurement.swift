// Measurement.swift: measures each group in its own process, one side after another in each round.

import CRunLoopBench
import Foundation

/// How long to measure.
struct Plan {
    /// How many turns each side has.
    var rounds: Int
    /// How long a turn should take, in nanoseconds.
    var turn: Double
    /// After this time, in nanoseconds, a group makes fewer rounds, but at least three.
    var group: Double
    /// Divides the number of operations that a group requires.
    var haste = 1
    /// The sides to measure.
    var sides = Set(Side.all)

    static let thorough = Plan(rounds: 21, turn: 8e6, group: 8e9)
    static let fast = Plan(rounds: 5, turn: 1e6, group: 0.5e9, haste: 5)
}

/// The figures of one row on one side, one for each round.
struct Figures {
    var values: [Double]

    var median: Double {
        let sorted = values.sorted(), middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

/// The result of a row.
struct Result {
    var row: Row
    var figures: [Side: Figures] = [:]
    var notes: [String] = []
    /// The measurement has failed, or a signal ended it.
    var hasFailed = false

    func median(_ side: Side) -> Double? { figures[side]?.median }

    /// Ours as a multiple of another side's.
    func ratio(to side: Side) -> Double? {
        guard let ours = median(.ours), let theirs = median(side), theirs > 0 else { return nil }
        return ours / theirs
    }

    /// Whether the goals are reached; nil if there are none, or if they cannot be judged.
    var isReached: Bool? {
        let reached = row.goals.compactMap { side, goal in ratio(to: side).map { $0 <= goal } }
        return reached.isEmpty ? nil : reached.allSatisfy { $0 }
    }

    /// The other loops that cost less than ours, with ours as a multiple of theirs.
    var losses: [(side: Side, ratio: Double)] {
        [Side.toolchain, .gLib, .libuv].compactMap { side in
            ratio(to: side).flatMap { $0 > 1 ? (side, $0) : nil }
        }
    }
}

/// Measures a group in a child process. If the child fails or dies, the result has a note.
func measure(_ group: Group, _ plan: Plan) -> [Result] {
    var results = group.rows.map { Result(row: $0) }
    guard BenchProcessorCount() >= group.processors else {
        return results.map { Result(row: $0.row, notes: ["needs \(group.processors) processors"]) }
    }
    var child: Int32 = 0
    let input = BenchStartChild({ output in takeTurns(group, plan, output) }, &child)
    guard input >= 0 else { fail("no process: \(String(cString: strerror(errno)))", status: 1) }
    let output = try? FileHandle(fileDescriptor: input, closeOnDealloc: true).readToEnd()
    for line in String(decoding: output ?? Data(), as: UTF8.self).split(separator: "\n") {
        let words = line.split(separator: " ")
        guard words.count == 3, let side = UInt32(words[0]).flatMap(Side.init), let row = Int(words[1]), let value = Double(words[2]), !value.isNaN
        else { continue }
        results[row].figures[side, default: Figures(values: [])].values.append(value)
    }
    let status = BenchWaitForChild(child)
    guard status != 0 else { return results }
    let problem = status > 128 ? "was ended by signal \(status - 128)" : "has failed"
    return results.map { Result(row: $0.row, notes: $0.notes + ["the measurement \(problem)"], hasFailed: true) }
}

/// In the child: in each round, each side has a turn. Writes the costs to `output`, one figure a line.
private func takeTurns(_ group: Group, _ plan: Plan, _ output: Int32) {
    BenchPin(0)
    let sides = Side.all.filter(plan.sides.contains).compactMap { side in group.open(side).map { (side, $0) } }
    let turns = sides.map { side, round in Turn(side: side, round: round, group, plan) }
    let time = turns.map(\.time).reduce(0, +)
    let rounds = group.isCounted ? 1 : max(3, Int(min(Double(plan.rounds), plan.group / time)))
    for _ in 0..<rounds {
        var lines = ""
        for turn in turns {
            for (row, cost) in turn.take().prefix(group.rows.count).enumerated() { lines += "\(turn.side.rawValue) \(row) \(cost)\n" }
        }
        FileHandle(fileDescriptor: output).write(Data(lines.utf8))
    }
}

/// One side after its set-up, with the number of operations that it does in a turn.
private struct Turn {
    var side: Side
    var round: Round
    var operations: Int
    /// The duration of a turn, including what is not measured, in nanoseconds.
    private(set) var time = 0.0
    /// Meanwhile the other sides have used the processor's caches. If a round is short, one that does not count fills the caches again.
    private var warmsUp = false

    /// Tries more and more operations, which also warms everything up.
    init(side: Side, round: @escaping Round, _ group: Group, _ plan: Plan) {
        self.side = side
        self.round = round
        operations = max(1, group.leastOperations / plan.haste)
        guard !group.isCounted else { return }
        while true {
            let start = BenchWallTime()
            _ = round(operations)
            time = BenchWallTime() - start
            if time >= plan.turn / 2 || operations >= group.mostOperations { break }
            operations = min(group.mostOperations, operations * (time < plan.turn / 8 ? 4 : 2))
        }
        warmsUp = time < 100e6
        if warmsUp { time *= 2 }
    }

    func take() -> [Double] {
        if warmsUp { _ = round(operations) }
        return round(operations)
    }
}
