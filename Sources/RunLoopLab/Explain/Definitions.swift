// Definitions.swift: finds where the sources define a name.

/// A place in the sources.
struct Place: Equatable {
    var path: String
    /// From 1.
    var line: Int

    var words: String { "\(path):\(line)" }
}

/// Finds definitions by the form of their lines. That is enough for code that is written as this project's is.
struct Definitions {
    private struct File {
        var path: String
        var lines: [Substring]
        /// For each line, whether it is in the body of a type of C.
        var isInBody: [Bool]
    }

    private let files: [File]
    /// For each word, the lines that have it.
    private let index: [String: [(file: Int, line: Int)]]

    /// - Parameter folders: in the order in which a definition is preferred.
    init(in folders: [String]) {
        let files = folders.flatMap { folder in
            SourceTree.files(in: folder, endings: [".c", ".h", ".swift"]).filter { !$0.contains("LinkerNames") && !$0.contains("CFSwiftNames") }
                .map { Self.file($0) }
        }
        var index: [String: [(file: Int, line: Int)]] = [:]
        for (number, file) in files.enumerated() {
            for (line, text) in file.lines.enumerated() {
                for word in Set(words(of: text)) { index[word, default: []].append((number, line)) }
            }
        }
        (self.files, self.index) = (files, index)
    }

    private static func file(_ path: String) -> File {
        let lines = SourceTree.lines(of: path) ?? []
        var isInBody = false
        let inBody = lines.map { line in
            if !line.hasPrefix(" ") { isInBody = line.hasSuffix("{") && ["struct", "typedef", "enum", "union"].contains { line.hasPrefix($0) } }
            return isInBody
        }
        return File(path: path, lines: lines, isInBody: inBody)
    }

    /// The places that define a name: bodies before declarations, and no more than three.
    func places(of name: String) -> [Place] {
        var bodies: [Place] = [], declarations: [Place] = []
        for (number, index) in index[name] ?? [] {
            let file = files[number], line = file.lines[index], next = file.lines[min(index + 1, file.lines.count - 1)]
            switch file.path.hasSuffix(".swift") ? kindInSwift(line, name) : kindInC(line, next: next, name, file.isInBody[index]) {
            case .body: bodies.append(Place(path: file.path, line: index + 1))
            case .declaration: declarations.append(Place(path: file.path, line: index + 1))
            case nil: break
            }
        }
        return Array((bodies.isEmpty ? declarations : bodies).prefix(3))
    }

    private enum Kind { case body, declaration }

    private func kindInSwift(_ line: Substring, _ name: String) -> Kind? {
        let code = line.drop { $0 == " " }
        if code.hasPrefix("//") { return nil }
        let words = code.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
        guard let place = words.firstIndex(of: name), place > 0 else { return nil }
        let keywords: Set = ["class", "struct", "enum", "protocol", "actor", "typealias", "func", "case", "var", "let"]
        guard keywords.contains(words[place - 1]) else { return nil }
        return ["var", "let"].contains(words[place - 1]) && line.prefix(while: { $0 == " " }).count > 4 ? nil : .body // a local variable is none
    }

    private func kindInC(_ line: Substring, next: Substring, _ name: String, _ isInBody: Bool) -> Kind? {
        if line.hasPrefix("#define \(name)") { return isWhole(name, in: line) ? .body : nil }
        let comment = line.firstRange(of: "//")?.lowerBound ?? line.endIndex, code = line[..<comment]
        guard isWhole(name, in: code) else { return nil }
        if line.hasPrefix("CONST_STRING_DECL(\(name)") { return .body }
        if line.hasPrefix(" ") {
            return isInBody && (code.contains(";") || code.contains(",") || code.contains("=")) && !code.contains("return") ? .body : nil // a field, an enumerator
        }
        if line.hasPrefix("struct \(name)") || line.hasPrefix("enum \(name)") || line.hasPrefix("typedef") || line.hasPrefix("} \(name)") {
            return code.contains(";") && line.hasPrefix("struct") ? .declaration : .body
        }
        if code.contains("\(name)(") {
            if code.hasSuffix("{") { return .body }
            if code.contains(";") { return .declaration }
            return next.hasSuffix(";") ? .declaration : .body // the parameters go on
        }
        return code.contains("=") || code.hasSuffix(";") ? (code.hasPrefix("CF_EXPORT") || code.hasPrefix("extern") ? .declaration : .body) : nil
    }

    /// Whether the name stands there as a word.
    private func isWhole(_ name: String, in text: Substring) -> Bool {
        func isPart(_ character: Character?) -> Bool { character.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false }
        return text.ranges(of: name).contains { range in
            !isPart(text[..<range.lowerBound].last) && !isPart(text[range.upperBound...].first)
        }
    }
}

/// The identifiers, keywords and numbers of a line.
func words(of line: Substring) -> [String] {
    line.utf8.split { byte in
        !(UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "_"))
    }.map { String(Substring($0)) }
}
