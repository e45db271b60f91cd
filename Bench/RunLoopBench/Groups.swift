// Groups.swift: what is measured: groups of rows, each on several sides.

import CRunLoopBench

/// The side that does the work of a row.
enum Side: UInt32, CaseIterable {
    case ours, toolchain, floor, glib, libuv

    var title: String {
        switch self {
        case .ours: "ours"
        case .toolchain: "toolchain"
        case .floor: "floor"
        case .glib: "GLib"
        case .libuv: "libuv"
        }
    }

    var c: BenchSide { BenchSide(rawValue: rawValue) }
}

/// The unit of a row's figures.
enum Unit: String {
    case nanoseconds, instructions, bytes

    init(_ unit: BenchUnit) {
        switch unit {
        case BenchInstructionCount: self = .instructions
        case BenchBytes: self = .bytes
        default: self = .nanoseconds
        }
    }
}

/// A row of the table.
struct Row {
    var name: String
    var title: String
    var unit: Unit
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
    var mostOperations: Int
    var leastOperations = 1
    /// Instructions or bytes, for which one round is enough.
    var isCounted = false
    /// Sets a side up; nil if the group is not measured there.
    var open: (Side) -> Round?
}

extension Group {
    /// A group whose inner loops are in C.
    init(_ group: UnsafePointer<BenchGroup>) {
        let c = group.pointee
        name = String(cString: c.name)
        rows = withUnsafeBytes(of: c.rows) { bytes in
            bytes.bindMemory(to: BenchRow.self).prefix(Int(c.rowCount)).map(Row.init)
        }
        processors = max(1, Int(c.processors))
        mostOperations = c.mostOperations
        leastOperations = max(1, c.leastOperations)
        isCounted = c.isCounted
        open = { side in openInC(group, side) }
    }

    /// The instructions of the same operations.
    init(instructionsOf group: UnsafePointer<BenchGroup>) {
        self.init(group)
        name = "instructions"
        rows = rows.map { row in
            Row(name: "instructions-\(row.name)", title: "instructions: \(row.title.replacing(" (CPU)", with: ""))", unit: .instructions)
        }
        (mostOperations, leastOperations, isCounted) = (1, 1, true)
        let operations = group.pointee.steppedOperations
        open = { side in
            guard BenchIsMeasured(group, side.c) else { return nil }
            return { _ in
                var bench = bench(group, side)
                bench.count = operations
                return costs { BenchCountInstructions(group, &bench, $0) }
            }
        }
    }
}

extension Row {
    init(_ row: BenchRow) {
        self.init(name: String(cString: row.name), title: String(cString: row.title), unit: Unit(row.unit),
                  goals: withUnsafeBytes(of: row.goals) { bytes in
                      let goals = zip(Side.allCases, bytes.bindMemory(to: Double.self)).filter { $0.1 > 0 }
                      return Dictionary(uniqueKeysWithValues: goals.map { ($0, $1) })
                  })
    }
}

/// The set-up stays until the process ends.
func openInC(_ group: UnsafePointer<BenchGroup>, _ side: Side) -> Round? {
    guard BenchIsMeasured(group, side.c), let round = group.pointee.round else { return nil }
    let made = UnsafeMutablePointer<Bench>.allocate(capacity: 1)
    made.initialize(to: bench(group, side))
    group.pointee.setUp?(made)
    return { operations in
        made.pointee.count = operations
        return costs { round(made, $0) }
    }
}

/// The argument of a group's functions.
private func bench(_ group: UnsafePointer<BenchGroup>, _ side: Side) -> Bench {
    Bench(side: side.c, loop: BenchTableFor(side.c), size: group.pointee.size,
          processors: max(1, group.pointee.processors), count: 1, state: nil)
}

/// The costs that a function in C sets.
private func costs(_ set: (UnsafeMutablePointer<Double>) -> Void) -> [Double] {
    var costs = [Double](repeating: 0, count: Int(BenchMostRows))
    set(&costs)
    return costs
}

/// All of them, in the order of the table.
func allGroups() -> [Group] {
    let groups = (0..<Int(BenchGroupCount)).map { BenchGroupList()! + $0 }
    return groups.map { Group($0) } + groups.filter { $0.pointee.steppedOperations > 0 }.map(Group.init(instructionsOf:)) + swiftGroups()
}
