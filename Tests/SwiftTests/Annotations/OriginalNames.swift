import Foundation

/// What the annotations call “the original”: three published sources, and the Linux build of the last one.
enum OriginalVersion: String, CaseIterable {
    case cf855 = "CF-855", cf1153 = "CF-1153", current

    /// Whether a text says of which versions it is true.
    static func areNamed(in text: String) -> Bool {
        text.firstMatch(of: /CF-\d+|Linux build|\((?:all|current)\b|\b(?:all|all three|any|[Nn]o) versions?\b|\b[Cc]urrent(?:'s| source| alone| only| has| also| first| refuses| holds| makes|:|;|,|\))|\bin current\b|\*\*all\b|\*\*current\b/) != nil
    }
}

/// The names of the original, by version: Documentation/Data/names.tsv.
struct OriginalNames {
    struct Entry {
        var kind: String
        var versions: Set<OriginalVersion>
        /// Whether the Linux toolchain's build of current has it, too.
        var isOnLinux: Bool
    }

    private let entries: [String: [Entry]]

    init(_ file: SourceFile) {
        var entries: [String: [Entry]] = [:]
        for line in file.text.split(separator: "\n") where !line.hasPrefix("#") && !line.hasPrefix("name\t") {
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard cells.count == 2 + OriginalVersion.allCases.count else { preconditionFailure("\(file.path): \(line)") }
            let versions = zip(OriginalVersion.allCases, cells.dropFirst(2)).filter { $0.1.hasPrefix("y") }.map(\.0)
            let remark = cells.last!.wholeMatch(of: /y: (.*) only.*/)?.1
            let isOnLinux = cells.last!.hasPrefix("y") && (remark.map { $0.contains("Linux") || $0.contains("Swift runtime") } ?? true)
            entries[cells[0], default: []].append(Entry(kind: cells[1], versions: Set(versions), isOnLinux: isOnLinux))
        }
        self.entries = entries
    }

    /// The versions that have a name: as a field of a struct or, without a struct, as anything but a field or a local variable.
    func versions(of name: String, fieldOf owner: String?) -> Set<OriginalVersion> {
        all(name, fieldOf: owner).reduce(into: []) { $0.formUnion($1.versions) }
    }

    func isOnLinux(_ name: String, fieldOf owner: String?) -> Bool { all(name, fieldOf: owner).contains(where: \.isOnLinux) }

    private func all(_ name: String, fieldOf owner: String?) -> [Entry] {
        (entries[name] ?? []).filter { entry in
            if let owner { return entry.kind.split(separator: " ").starts(with: ["field", "of", owner[...]]) }
            return !entry.kind.hasPrefix("field of")
        }
    }

    /// The names of some kinds, without remarks in parentheses: `function` stands for `function (CFPriv.h)` as well.
    func names(ofKinds kinds: Set<String>) -> [String] {
        entries.filter { entry in
            entry.value.contains { kinds.contains($0.kind) || kinds.contains($0.kind.replacing(#/ \(.*\)$/#, with: "")) }
        }.keys.sorted()
    }

    var count: Int { entries.count }
}
