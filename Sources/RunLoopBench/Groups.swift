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
    case nanoseconds, calls, instructions, bytes, descriptors, times

    init(_ unit: BenchUnit) {
        switch unit {
        case BenchCalls: self = .calls
        case BenchInstructionCount: self = .instructions
        case BenchBytes: self = .bytes
        case BenchDescriptors: self = .descriptors
        case BenchTimes: self = .times
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
    /// Calls or bytes, for which one round is enough.
    var isCounted = false
    /// Why the toolchain's loop is left out if time is short.
    var slowThere: String?
    /// Notes about the figures.
    var notes: [String] = []
    /// The same work with a tenth of the load: the rows are this group's figures as multiples of that group's.
    var tenth: (() -> Group)?
    /// Sets a side up; nil if the group is not measured there.
    var open: (Side) -> Round?
}

extension Group {
    /// A group whose inner loops are in C. `size` replaces the group's own.
    init(_ group: UnsafePointer<BenchGroup>, size: Int? = nil) {
        let c = group.pointee
        name = String(cString: c.name)
        rows = withUnsafeBytes(of: c.rows) { bytes in
            bytes.bindMemory(to: BenchRow.self).prefix(Int(c.rowCount)).map(Row.init)
        }
        processors = Int(c.processors)
        mostOperations = c.mostOperations
        leastOperations = max(1, c.leastOperations)
        isCounted = c.isCounted
        slowThere = c.slowThere.map { String(cString: $0) }
        open = { side in openInC(group, side, size: size) }
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
            guard BenchMethodFor(group, side.c).round != nil else { return nil }
            return { _ in
                var bench = bench(group, side)
                bench.count = operations
                return costs { BenchCountInstructions(group, &bench, $0) }
            }
        }
    }

    /// The same rows with ten times the load.
    init(growthOf group: UnsafePointer<BenchGroup>) {
        self.init(group, size: 10 * group.pointee.size)
        name = "growth"
        rows = rows.map { Row(name: "growth-\($0.name)", title: "10 × the load: \($0.title)", unit: .times) }
        tenth = { Group(group) }
        slowThere = slowThere ?? "what takes it long takes it ten or a hundred times as long here"
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

/// The set-up stays until the process ends. `size` replaces the group's own.
func openInC(_ group: UnsafePointer<BenchGroup>, _ side: Side, size: Int? = nil) -> Round? {
    let method = BenchMethodFor(group, side.c)
    guard let round = method.round else { return nil }
    let made = UnsafeMutablePointer<Bench>.allocate(capacity: 1)
    made.initialize(to: bench(group, side, size: size))
    method.setUp?(made)
    return { operations in
        made.pointee.count = operations
        return costs { round(made, $0) }
    }
}

/// The argument of a group's functions.
private func bench(_ group: UnsafePointer<BenchGroup>, _ side: Side, size: Int? = nil) -> Bench {
    Bench(side: side.c, loop: BenchTableFor(side.c), size: size ?? group.pointee.size,
          processors: group.pointee.processors, count: 1, state: nil)
}

/// The costs that a function in C sets.
private func costs(_ set: (UnsafeMutablePointer<Double>) -> Void) -> [Double] {
    var costs = [Double](repeating: 0, count: Int(BenchMostRows))
    set(&costs)
    return costs
}

/// All of them, in the order of the table.
func allGroups() -> [Group] {
    let list = UnsafeBufferPointer(start: BenchGroupList(), count: Int(BenchGroupCount))
    let groups = list.map { $0! }
    return groups.map { Group($0) } + groups.filter { $0.pointee.steppedOperations > 0 }.map(Group.init(instructionsOf:))
        + groups.filter(\.pointee.growsWithSize).map(Group.init(growthOf:)) + swiftGroups()
}
