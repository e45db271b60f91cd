// TestSentences.swift: the tests, and what each of them shows.

/// The tests in C and in Swift, found by the form of their lines.
struct TestSentences {
    private struct Test {
        var sentence: String
        var place: Place
    }

    private let all: [String: Test]
    /// The names in the order of the files and their lines.
    private let order: [String]

    init() {
        var all: [String: Test] = [:], order: [String] = []
        for path in SourceTree.files(in: "Tests/CTests", endings: [".c"]) + SourceTree.files(in: "Tests/SwiftTests", endings: [".swift"]) {
            let lines = SourceTree.lines(of: path) ?? []
            for (index, line) in lines.enumerated() {
                let code = line.drop { $0 == " " }
                guard ["TEST(", "SCENARIO(", "func test"].contains(where: code.hasPrefix) else { continue }
                let name = words(of: code)[1], test = Test(sentence: Self.sentence(name, lines[index...].prefix(4)), place: Place(path: path, line: index + 1))
                if all.updateValue(test, forKey: name) == nil { order.append(name) }
            }
        }
        (self.all, self.order) = (all, order)
    }

    /// The tests among these names.
    func named(_ names: Set<String>) -> [(name: String, sentence: String, place: Place)] {
        let wanted = names.filter { all[$0] != nil }
        return order.filter(wanted.contains).map { ($0, all[$0]!.sentence, all[$0]!.place) }
    }

    /// A C test has its sentence in quotes, over several lines if it is long. A Swift test has it in its name: testL7_AStopEndsTheRun is "A stop ends the run".
    private static func sentence(_ name: String, _ lines: ArraySlice<Substring>) -> String {
        if !name.hasPrefix("test") {
            // Between the pieces of one text there is only white space.
            let quoted = lines.joined(separator: " ").split(separator: "\"", omittingEmptySubsequences: false)
            var pieces: [Substring] = [], next = 1
            while next < quoted.count, pieces.isEmpty || quoted[next - 1].allSatisfy({ $0 == " " }) {
                pieces.append(quoted[next])
                next += 2
            }
            if !pieces.isEmpty { return pieces.joined() }
        }
        let letters = Array(name.split(separator: "_").map { $0.hasPrefix("test") ? $0.dropFirst(4) : $0 }.filter { !isID($0) && !$0.isEmpty }.joined(separator: " "))
        var sentence = ""
        for (index, letter) in letters.enumerated() {
            let isFollowedByLower = index + 1 < letters.count && letters[index + 1].isLowercase
            guard index > 0, letter.isUppercase, letters[index - 1] != " " else {
                sentence.append(letter)
                continue
            }
            let beginsWord = !letters[index - 1].isUppercase || isFollowedByLower
            sentence += (beginsWord ? " " : "") + (beginsWord && (isFollowedByLower || letter == "A") ? letter.lowercased() : String(letter))
        }
        return sentence
    }
}
