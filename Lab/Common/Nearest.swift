// Nearest.swift: finds the word that the user may have meant. RunLoopBench compiles this file, too.

/// The number of characters to insert, delete or replace to turn one word into the other.
func distance<One: Sequence, Other: Sequence>(_ one: One, _ other: Other) -> Int where One.Element == Other.Element, One.Element: Equatable {
    let other = Array(other)
    var row = Array(0...other.count) // distances from the part of `one` read so far to each prefix of `other`
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

/// The word that is nearest to the typed one.
func nearest(to word: String, among words: [String]) -> String {
    /// A prefix of a long name counts as much as a whole short name.
    func farness(_ name: String) -> Int { min(distance(name, word), distance(String(name.prefix(word.count)), word) + 1) }
    return words.min { farness($0) < farness($1) }!
}
