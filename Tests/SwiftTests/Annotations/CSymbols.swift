import Foundation

/// The definitions in C files, found by reading them. This understands enough of C for code that is written like this project's.
struct CSymbols {
    enum Kind { case function, variable, macro, type, enumerator, field, declaration }

    struct Symbol: Hashable {
        var name: String
        var kind: Kind
        var file: String
        /// For a field, the struct or union that it is in.
        var owner: String?
    }

    private(set) var all: [Symbol] = []
    private(set) var byName: [String: [Symbol]] = [:]
    /// Every word of each file's code, without comments and string literals.
    private(set) var words: [String: Set<String>] = [:]

    init(_ files: [SourceFile]) {
        for file in files {
            let code = Self.withoutComments(file.text)
            words[file.name, default: []].formUnion(code.identifiers)
            scan(code, of: file.name)
        }
        byName = Dictionary(grouping: all, by: \.name)
    }

    /// Whether one of these files defines the name, or has a local variable of that name while no file defines it.
    func isDefined(_ name: String, in files: [String]) -> Bool {
        let definitions = (byName[name] ?? []).filter { $0.kind != .declaration }
        if definitions.isEmpty { return files.contains { words[$0]?.contains(name) ?? false } }
        return definitions.contains { files.contains($0.file) }
    }

    // MARK: - Reading

    /// Removes comments and the contents of string literals, and joins lines that end with a backslash.
    private static func withoutComments(_ text: String) -> String {
        var result = "", rest = Substring(text.replacingOccurrences(of: "\\\n", with: " "))
        while let character = rest.first {
            if rest.hasPrefix("//") {
                rest = rest.drop { $0 != "\n" }
            } else if rest.hasPrefix("/*") {
                rest = rest.range(of: "*/").map { rest[$0.upperBound...] } ?? ""
            } else if character == "\"" || character == "'" {
                rest = afterLiteral(rest, quote: character)
                result += "\"\""
            } else {
                result.append(character)
                rest.removeFirst()
            }
        }
        return result
    }

    private static func afterLiteral(_ text: Substring, quote: Character) -> Substring {
        var rest = text.dropFirst()
        while let character = rest.popFirst(), character != quote {
            if character == "\\" { rest = rest.dropFirst() }
        }
        return rest
    }

    private mutating func scan(_ code: String, of file: String) {
        var plain = ""
        for line in code.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("#") {
                let words = line.identifiers
                if words.first == "define", words.count > 1 { add(words[1], .macro, file) }
            } else if let match = line.firstMatch(of: /^CONST_STRING_DECL\((\w+)/) {
                add(String(match.1), .variable, file)
            } else if !line.hasPrefix("CF_EXTERN_C_") {
                plain += line + "\n"
            }
        }
        scanDeclarations(plain, of: file)
    }

    /// Reads the code outside of all braces: a definition is followed by its body, a declaration by a semicolon.
    private mutating func scanDeclarations(_ code: String, of file: String) {
        var head = "", rest = Substring(code)
        while let character = rest.first {
            switch character {
            case "{":
                let body = Self.block(rest)
                rest = rest.dropFirst(body.count + 2)
                if head.contains("=") { head += "0" } else { head = definition(head, body, file) }
            case ";":
                declaration(head, file)
                head = ""
                rest.removeFirst()
            default:
                head.append(character)
                rest.removeFirst()
            }
        }
    }

    /// The text between a brace and the one that closes it.
    private static func block(_ text: Substring) -> Substring {
        var depth = 0
        for index in text.indices {
            if text[index] == "{" { depth += 1 }
            if text[index] == "}" { depth -= 1 }
            if depth == 0 { return text[text.index(after: text.startIndex)..<index] }
        }
        return text.dropFirst()
    }

    /// Records a definition with a body. Returns how the declaration continues: for a type, `typedef` or not, the names after its body.
    private mutating func definition(_ head: String, _ body: Substring, _ file: String) -> String {
        let head = Self.withoutAttributes(head).trimmed
        let words = head.identifiers
        if head.contains("(") {
            if let name = Self.functionName(head) { add(name, .function, file) }
            return ""
        }
        if let keyword = words.firstIndex(where: { ["struct", "union", "enum"].contains($0) }) {
            let tag = words.count > keyword + 1 ? words[keyword + 1] : nil
            if let tag { add(tag, .type, file) }
            if words[keyword] == "enum" {
                for part in body.split(separator: ",") { part.identifiers.first.map { add($0, .enumerator, file) } }
            } else {
                fields(body, of: tag ?? "", file)
            }
            return words.first == "typedef" ? "typedef int " : ""
        }
        if words.first == "extern" { scanDeclarations(String(body), of: file) } // extern "C"
        return ""
    }

    private mutating func declaration(_ head: String, _ file: String) {
        let head = Self.withoutAttributes(head)
        guard let start = head.split(separator: "=", maxSplits: 1).first else { return }
        if head.identifiers.first == "typedef" {
            let pointer = head.firstMatch(of: /\(\s*[*^]\s*(\w+)\s*\)/).map { String($0.1) }
            (pointer ?? Self.lastName(start)).map { add($0, .type, file) }
        } else if let name = Self.functionName(String(start)) {
            add(name, .declaration, file)
        } else if let name = Self.lastName(start), head.identifiers.count > 1 {
            add(name, head.contains("extern") || head.contains("CF_EXPORT") ? .declaration : .variable, file)
        }
    }

    private mutating func fields(_ body: Substring, of owner: String, _ file: String) {
        var rest = String(body)
        while let open = rest.firstIndex(of: "{") { // a union's members are accessed through its own name
            let inner = Self.block(rest[open...])
            fields(inner, of: owner, file)
            rest.replaceSubrange(open...rest.index(open, offsetBy: inner.count + 1), with: " ")
        }
        for declaration in rest.split(separator: ";") {
            if let match = declaration.firstMatch(of: /\(\s*[*^]\s*(\w+)\s*\)\s*\(/) {
                add(String(match.1), .field, file, owner)
                continue
            }
            for (index, part) in Self.withoutAtomic(declaration).split(separator: ",").enumerated() {
                guard let name = Self.lastName(part), index > 0 || part.identifiers.count > 1 else { continue }
                add(name, .field, file, owner)
            }
        }
    }

    private static func withoutAtomic(_ text: Substring) -> String {
        String(text).replacing(/_Atomic\([^)]*\)/, with: "int ")
    }

    private static func withoutAttributes(_ head: String) -> String {
        head.replacing(/__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)/, with: "").replacing(/_Atomic\(([^()]*)\)/) { "\($0.1) " }
    }

    /// The name before the first parenthesis that follows a name.
    private static func functionName(_ head: String) -> String? {
        guard let match = head.firstMatch(of: /(\w+)\s*\(/), head.identifiers.count > 1 else { return nil }
        let name = String(match.1)
        return head.contains("=") || name.first!.isNumber ? nil : name
    }

    private static func lastName(_ text: some StringProtocol) -> String? {
        text.split(separator: "[").first?.split(separator: ":").first?.identifiers.last
    }

    private mutating func add(_ name: String, _ kind: Kind, _ file: String, _ owner: String? = nil) {
        all.append(Symbol(name: name, kind: kind, file: file, owner: owner))
    }
}
