// main.swift: SwiftRunLoop beside a module that imports CoreFoundation. Each runs its own loop on the main thread.
import SwiftRunLoop
import UsesCoreFoundation

Timer.scheduledTimer(withTimeInterval: 0.001, repeats: false) { _ in print("a timer of ours") }
_ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1))
print(lettersOfHello(), "letters")
print("a block of theirs:", runsABlock())

nonisolated(unsafe) var ticks = 0
let ticking = Timer.scheduledTimer(withTimeInterval: 0.001, repeats: true) { _ in ticks += 1 }
print("a wait of theirs:", waitsForAQueue(), "without a tick of ours:", ticks == 0)
while ticks == 0 { _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1)) }
print("ours ticks again")

// prints: a timer of ours
// prints: 5 letters
// prints: a block of theirs: true
// prints: a wait of theirs: ["entry", "timer", "block"] without a tick of ours: true
// prints: ours ticks again
