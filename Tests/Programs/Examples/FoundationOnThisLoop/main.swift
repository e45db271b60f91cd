// main.swift: a program that says `import SwiftRunLoopFoundation` instead of `import Foundation`. All else is as it was for Foundation.
import SwiftRunLoopFoundation

let center = NotificationCenter.default
let token = center.addObserver(forName: .NSWillBecomeMultiThreaded, object: nil, queue: nil) { _ in print("the process will become multi-threaded") }
for _ in 1...2 {
    let thread = Thread { print("a thread") }
    thread.start()
    while !thread.isFinished { Thread.sleep(forTimeInterval: 0.001) }
}

final class Clock: NSObject {
    let saved = Notification.Name("saved")

    func run() {
        let token = center.addObserver(forName: saved, object: nil, queue: nil) { note in print("saved", (note.object as? String) ?? "") }
        NotificationQueue.default.enqueue(Notification(name: saved, object: "first"), postingStyle: .whenIdle)
        NotificationQueue.default.enqueue(Notification(name: saved, object: "second"), postingStyle: .asap)
        let timer = Timer(timeInterval: 0.01, repeats: false) { _ in print("timer at", RunLoop.current.currentMode?.rawValue ?? "none") }
        RunLoop.current.add(timer, forMode: .common)
        RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.05))
        center.removeObserver(token)
    }
}

Clock().run()
print([TimeInterval]().count, String(format: "%.1f", 1.5), RunLoop.current === RunLoop.main)

// prints: the process will become multi-threaded
// prints: a thread
// prints: saved second
// prints: saved first
// prints: timer at kCFRunLoopDefaultMode
// prints: 0 1.5 true
