import Foundation

/// A file of this repository, read.
package struct SourceFile {
    /// Its path from the repository's root.
    package let path: String
    package let text: String

    package var name: String { (path as NSString).lastPathComponent }

    /// The repository's root: this file is three folders below it.
    package static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// All files below a folder whose names have one of these endings, in the order of their paths.
    package static func all(in folder: String, endings: Set<String>) -> [SourceFile] {
        let paths = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)?.compactMap { $0 as? String } ?? []
        return paths.sorted().filter { endings.contains(($0 as NSString).pathExtension) }.compactMap { read("\(folder)/\($0)") }
    }

    package static func read(_ path: String) -> SourceFile? {
        guard let text = try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8) else { return nil }
        return SourceFile(path: path, text: text)
    }

    /// The documents in English that users read, without ANNOTATIONS.md. Each has a translation beside it.
    /// (Documentation/Reference/api.zh is the translation of the doc comments.)
    package static let guides = ["README.md"] + all(in: "Documentation", endings: ["md"]).map(\.path).filter {
        !$0.hasSuffix(".zh.md") && !$0.hasPrefix("Documentation/Reference/api.zh/")
    }
}
