// SideBySide.swift: what several programs did, in columns.

/// Gives rows that are the same in several logs a line that they share.
enum SideBySide {
    /// Returns lines with a place for each log, which is nil if that log has no such row.
    /// - Parameter same: a text that two rows share if they are the same.
    static func align<Row>(_ logs: [[Row]], by same: (Row) -> String) -> [[Row?]] {
        var lines: [(same: String, rows: [Row?])] = []
        for (column, log) in logs.enumerated() {
            var gone = Set<Int>(), new = Set<Int>()
            for change in log.map(same).difference(from: lines.map(\.same)) {
                switch change {
                case .remove(let offset, _, _): gone.insert(offset)
                case .insert(let offset, _, _): new.insert(offset)
                }
            }
            var next = 0, merged: [(same: String, rows: [Row?])] = []
            func take(_ row: Row?) {
                merged.append((lines[next].same, lines[next].rows + [row]))
                next += 1
            }
            for (offset, row) in log.enumerated() {
                while gone.contains(next) { take(nil) }
                if new.contains(offset) { merged.append((same(row), Array(repeating: nil, count: column) + [row])) } else { take(row) }
            }
            while next < lines.count { take(nil) }
            lines = merged
        }
        return lines.map(\.rows)
    }

    /// A line with a column for each text. A text that is too long is cut.
    static func line(_ texts: [String], width: Int) -> String {
        trimmed(texts.map { padded(columns(of: $0) < width ? $0 : cut($0, to: width - 4) + "...", to: width) }.joined())
    }
}
