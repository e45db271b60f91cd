// Groups.swift: what is measured: groups of rows, each on several sides.

import CRunLoopBench

/// Who does the work of a row.
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

/// What the figures of a row count.
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
    /// The most that ours may be, as a part of the toolchain's.
    var goal: Double?
    /// The most that ours may be, as a multiple of the floor.
    var goalToFloor: Double?
}

/// How a group is measured on one side, once it is set up: a round does so many operations, and returns the cost of one, row by row.
typealias Round = (_ operations: Int) -> [Double]

/// Rows that are measured together.
struct Group {
    /// The rows can be asked for by this name too.
    var name: String
    var rows: [Row]
    var processors = 1
    var mostOperations: Int
    var leastOperations = 1
    /// Calls or bytes, which one round tells.
    var isCounted = false
    /// Why the toolchain's loop is left out where time is short.
    var slowThere: String?
    /// What is to be said of the figures.
    var notes: [String] = []
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
        processors = Int(c.processors)
        mostOperations = c.mostOperations
        leastOperations = max(1, c.leastOperations)
        isCounted = c.isCounted
        slowThere = c.slowThere.map { String(cString: $0) }
        open = { side in openInC(group, side) }
    }
}

extension Row {
    init(_ row: BenchRow) {
        self.init(name: String(cString: row.name), title: String(cString: row.title), unit: Unit(row.unit),
                  goal: row.goal > 0 ? row.goal : nil, goalToFloor: row.goalToFloor > 0 ? row.goalToFloor : nil)
    }
}

/// What is set up stays so until the process ends. `size`: unless it is the group's own.
func openInC(_ group: UnsafePointer<BenchGroup>, _ side: Side, size: Int? = nil) -> Round? {
    let method = BenchMethodFor(group, side.c)
    guard let round = method.round else { return nil }
    let bench = UnsafeMutablePointer<Bench>.allocate(capacity: 1)
    bench.initialize(to: Bench(side: side.c, loop: BenchTableFor(side.c), size: size ?? group.pointee.size,
                               processors: group.pointee.processors, count: 1, state: nil))
    method.setUp?(bench)
    return { operations in
        bench.pointee.count = operations
        var costs = [Double](repeating: 0, count: BenchMostRows)
        round(bench, &costs)
        return costs
    }
}

/// All of them, in the order of the table.
func allGroups() -> [Group] {
    let list = UnsafeBufferPointer(start: BenchGroupList(), count: Int(BenchGroupCount))
    return list.map { Group($0!) } + swiftGroups()
}
