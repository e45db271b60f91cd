// main.swift: SwiftRunLoop beside a module that imports CoreFoundation. Each runs its own loop on the main thread.
import SwiftRunLoop
import UsesCoreFoundation

Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in print("a timer of ours") }
_ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1))
print(lettersOfHello(), "letters")
print("a block of theirs:", runsABlock())

// prints: a timer of ours
// prints: 5 letters
// prints: a block of theirs: true
