/// The declarations in Swift files: names, and functions with their labels, as in `perform(on:waitUntilDone:modes:_:)`.
struct SwiftSymbols {
    private(set) var names: Set<String> = []
    private(set) var signatures: Set<String> = []
    /// Every word of the code, including comments, for names that are spelled in strings only.
    private(set) var words: [String: Set<String>] = [:]

    init(_ files: [SourceFile]) {
        for file in files {
            words[file.name, default: []].formUnion(file.text.identifiers)
            for match in file.text.matches(of: /\b(?:class|struct|enum|protocol|actor|typealias|var|let|case|func)\s+`?(\w+)/) {
                names.insert(String(match.1))
            }
            for match in file.text.matches(of: /\b(?:func\s+(\w+)|(init)[?!]?)(?:<[^>]*>)?\(/) {
                let name = match.1 ?? match.2 ?? ""
                signatures.insert("\(name)(\(Self.labels(file.text[match.range.upperBound...])))")
            }
        }
    }

    /// The labels of a parameter list, given the text after its opening parenthesis.
    private static func labels(_ text: Substring) -> String {
        var depth = 0, isAtStart = true, label = "", labels = "", previous: Character = " "
        for character in text {
            if depth == 0, character == ")" { break }
            if "([{<".contains(character) { depth += 1 }
            if ")]}".contains(character) || character == ">" && previous != "-" { depth -= 1 }
            previous = character
            if depth == 0, character == "," {
                isAtStart = true
            } else if isAtStart, character == " " || character == ":" || character == "\n", label != "" {
                labels += "\(label):"
                (label, isAtStart) = ("", false)
            } else if isAtStart, character != " ", character != "\n" {
                label.append(character)
                if label.hasPrefix("@") && label.hasSuffix(")") { label = "" }
            }
        }
        return labels
    }
}
