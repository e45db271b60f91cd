// Nearest.swift: the word that somebody may have meant. RunLoopBench compiles this file, too.

/// How many characters have to be put in, taken out or replaced to make one word of the other.
private func distance(_ one: String, _ other: String) -> Int {
    let other = Array(other)
    var row = Array(0...other.count) // distances from what has been read of `one` to each beginning of `other`
    for (index, letter) in one.enumerated() {
        var diagonal = row[0]
        row[0] = index + 1
        for column in other.indices {
            let change = diagonal + (letter == other[column] ? 0 : 1)
            diagonal = row[column + 1]
            row[column + 1] = min(change, diagonal + 1, row[column] + 1)
        }
    }
    return row[other.count]
}

/// The word that is nearest to what somebody has typed.
func nearest(to word: String, among words: [String]) -> String {
    /// The beginning of a long name counts as much as the whole of a short one.
    func farness(_ name: String) -> Int { min(distance(name, word), distance(String(name.prefix(word.count)), word) + 1) }
    return words.min { farness($0) < farness($1) }!
}
