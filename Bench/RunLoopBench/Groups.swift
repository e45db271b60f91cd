// Groups.swift: what is measured: groups of rows, each on several sides.

import CRunLoopBench

/// The side that does the work of a row.
typealias Side = BenchSide

extension Side {
    static let all: [Side] = [.ours, .toolchain, .floor, .gLib, .libuv]

    var name: String { String(cString: BenchSideName(self)) }
}

/// The unit of a row's figures.
enum Unit: String {
    /// Most are processor time; the row's title says so where it matters.
    case nanoseconds
    /// Those outside of the kernel.
    case instructions
    /// Of the heap.
    case bytes
}

/// A row of the table.
struct Row {
    /// Its name on the command line.
    var name: String
    var title: String
    var unit = Unit.nanoseconds
    /// The upper limit for ours, as a multiple of each side's figure.
    var goals: [Side: Double] = [:]
}

/// How a group is measured on one side after the set-up: a round does this many operations, and returns the cost of one operation for each
/// row.
typealias Round = (_ operations: Int) -> [Double]

/// Rows that are measured together.
struct Group {
    /// On the command line, this name selects the rows, too.
    var name: String
    var rows: [Row]
    var processors = 1
    /// A round does at most this many operations, and fewer if they take long,
    var mostOperations = 1
    /// but at least this many.
    var leastOperations = 1
    /// Instructions or bytes, for which one round is enough.
    var isCounted = false
    /// Sets a side up; nil if the group is not measured there.
    var open: (Side) -> Round?
    /// How many operations to count the instructions of; 0: they are not counted.
    var stepped = 0
    /// Sets a side up for rounds that count instructions.
    var openStepped: (Side) -> Round? = { _ in nil }
}

extension Group {
    /// A group whose work is in C, in a loop with `size` other items.
    init(_ name: String, _ rows: [Row], size: Int = 0, processors: Int = 1, most: Int = 1, least: Int = 1, isCounted: Bool = false,
         stepped: Int = 0, setUp: BenchSetUp? = nil, _ round: @escaping BenchRound) {
        self.init(name: name, rows: rows, processors: processors, mostOperations: most, leastOperations: least, isCounted: isCounted) { side in
            guard let bench = BenchMake(side, size, processors) else { return nil }
            setUp?(bench)
            return { operations in
                bench.pointee.count = operations
                var costs = [Double](repeating: .nan, count: rows.count)
                round(bench, &costs)
                return costs
            }
        }
        self.stepped = stepped
        openStepped = { side in
            guard let bench = BenchMake(side, size, processors) else { return nil }
            return { operations in
                bench.pointee.count = operations
                return [BenchCountInstructions(bench, setUp, round)]
            }
        }
    }

    /// The instructions of the same operations.
    var instructions: Group {
        let rows = rows.map { row in
            Row(name: "instructions-\(row.name)", title: "instructions: \(row.title.replacing(" (CPU)", with: ""))", unit: .instructions)
        }
        return Group(name: "instructions", rows: rows, leastOperations: stepped, isCounted: true, open: openStepped)
    }
}

/// All of them, in the order of the table.
var allGroups: [Group] { groupsInC + groupsInC.filter { $0.stepped > 0 }.map(\.instructions) + groupsInSwift }
