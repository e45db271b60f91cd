// main.swift: RunLoopLab, the executable to see run loops at work with.

let words = CommandLine.arguments.dropFirst()
let helpWords: Set = ["help", "--help", "-h"]

if words.isEmpty || helpWords.contains(words.first!) {
    Command.help()
} else {
    let command = Command.named(words.first!)
    switch words.dropFirst().first {
    case nil: command.run()
    case let word? where helpWords.contains(word): Command.help()
    case let word?: fail("'\(command.rawValue)' takes nothing more, but there is '\(word)'; did you mean '--help'?", status: 2)
    }
}
