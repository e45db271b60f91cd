// FactTable.swift: a table of Facts, which this program reads as the scripts do.

/// A row: its cells by the names of their columns. A cell that is empty is missing.
struct FactRow: Sendable {
    private let cells: [String: String]

    /// The rows of a table, by its name. Lines that begin with # explain its columns.
    static func all(of name: String) -> [FactRow] {
        let path = "\(SourceTree.root)Facts/\(name).tsv"
        guard let text = contents(of: path) else { fail(Text("cannot read \(path)", "无法读取 \(path)"), status: 1) }
        let lines = text.utf8.split(separator: UInt8(ascii: "\n")).filter { !$0.starts(with: [UInt8(ascii: "#")]) }
            .map { $0.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false).map { String($0)! } }
        return lines.dropFirst().map { line in FactRow(cells: Dictionary(uniqueKeysWithValues: zip(lines[0], line).filter { $1 != "" })) }
    }

    subscript(_ column: String) -> String? { cells[column] }

    /// A cell and the Chinese one.
    func text(_ column: String) -> Text? {
        cells[column].map { Text($0, cells[column + " in Chinese"] ?? $0) }
    }

    /// The words in a cell.
    func words(_ column: String) -> [String] { (cells[column] ?? "").split(separator: " ").map { String($0) } }

    /// The parts of a cell and of the Chinese one.
    func texts(_ column: String) -> [Text] {
        let parts = [column, column + " in Chinese"].map { (cells[$0] ?? "").split(separator: " ¦ ").map { String($0) } }
        return zip(parts[0], parts[1]).map { Text($0, $1) }
    }
}
