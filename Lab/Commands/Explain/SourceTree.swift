// SourceTree.swift: the sources and documents of this project.

import Glibc

/// The folder that this program was built from.
enum SourceTree {
    /// Ends with a slash.
    static let root = {
        let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast(4).joined(separator: "/") + "/"
    }()

    /// The lines of a file; nil if it cannot be read.
    static func lines(of path: String) -> [Substring]? {
        contents(of: root + path)?.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// A place in the documents, in the reader's language: a heading has another anchor there, so the file alone.
    static func inLanguage(_ path: String) -> String {
        Language.current == .chinese ? String(path.prefix { $0 != "#" }).replacing(".md", with: ".zh.md") : path
    }

    /// The files below a folder whose names end like this, in the order of their paths, from the root.
    static func files(in folder: String, endings: [String]) -> [String] {
        guard let directory = opendir(root + folder) else { return [] }
        defer { closedir(directory) }
        var found: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) } }
            if name.hasPrefix(".") { continue }
            let path = "\(folder)/\(name)"
            if entry.pointee.d_type == UInt8(DT_DIR) { found += files(in: path, endings: endings) }
            else if endings.contains(where: name.hasSuffix) { found.append(path) }
        }
        return found.sorted()
    }
}
