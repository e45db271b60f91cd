// StandIns.swift: names of the articles that this project has not, and what stands in their place.

/// Names that the articles mention, and what a reader uses here instead, or why there is nothing: Documentation/Data/stand-ins.tsv.
enum StandIns {
    static let all: [String: Text] = {
        let rows = SourceTree.required("Documentation/Data/stand-ins.tsv").dropFirst().map { $0.split(separator: "\t").map(String.init) }
        return Dictionary(rows.filter { $0.count == 3 }.map { ($0[0], Text($0[1], $0[2])) }) { first, _ in first }
    }()
}
