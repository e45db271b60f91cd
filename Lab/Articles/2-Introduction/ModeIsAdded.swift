// Article 2, 〈修改模式〉, the method `timer2`: 2.14.
//
// A scheduled timer is added to the common modes, “to change its mode”. What to see: the timer stays in the mode it was in.

import CRunLoop
import SwiftRunLoop

// MARK: - The listing

private final class Ticks: Sendable {
    private let name: String

    init(_ name: String) { self.name = name }

    func run(_ timer: NSTimer) { lab.observe("ticks", "\(name) in \(NSRunLoop.current.currentMode?.rawValue ?? "no mode")") }
}

private func timer2(_ name: String, to mode: NSRunLoop.Mode) -> NSTimer {
    let timer = NSTimer.scheduledTimer(timeInterval: shortened(2), target: Ticks(name), action: Ticks.run, userInfo: nil, repeats: true)
    show("\(name): scheduledTimer", timer)

    if form == .cured { CFRunLoopRemoveTimer(CFRunLoopGetCurrent(), timer.cfTimer, kCFRunLoopDefaultMode) }
    NSRunLoop.current.add(timer, forMode: mode)
    show("\(name): 修改模式", timer)
    return timer
}

/// Prints where the timer is.
private func show(_ line: String, _ timer: NSTimer) {
    let modes = [NSRunLoop.Mode.default, .tracking, .common].filter { NSRunLoop.current.contains(timer, forMode: $0) }.map(\.rawValue)
    NSLog("\(line): \(modes.joined(separator: " "))")
}

// MARK: - Telling and judging

struct ModeIsAdded: Program {
    let about = About(article: "2.14", seconds: 12, isPair: true)

    func run() {
        NSRunLoop.current.addCommonMode(.tracking) // as UIKit does
        let common = timer2("common", to: .common)
        let tracking = timer2("tracking", to: .tracking)
        for mode in [NSRunLoop.Mode.default, .tracking] {
            lab.run(mode) { lab.events.count { $0.name == "ticks" && $0.detail == "common in \(mode.rawValue)" } >= 3 }
        }
        for timer in [common, tracking] { timer.invalidate() }
    }

    func judge() {
        let both = "kCFRunLoopDefaultMode UITrackingRunLoopMode kCFRunLoopCommonModes", alone = "kCFRunLoopDefaultMode"
        let last = form == .cured ? "UITrackingRunLoopMode" : "kCFRunLoopDefaultMode UITrackingRunLoopMode"
        lab.article.expect(Text("a timer whose mode was changed fires only in the new mode", "修改 mode 后，Timer 只在新的 mode 里触发"), of: "ticks",
                   is: ["tracking in UITrackingRunLoopMode"]) { Set($0.map(\.detail).filter { $0.hasPrefix("tracking") }).sorted() }
        lab.expect(Text("where the two timers are, after each line", "每一行之后，两个 Timer 在哪些 mode 里"), lines: [
            "common: scheduledTimer: \(alone)", "common: 修改模式: \(both)", "tracking: scheduledTimer: \(alone)", "tracking: 修改模式: \(last)",
        ])
        lab.expect(Text("the timer in the common modes fires in both", "common modes 里的 Timer 在两个 mode 里都触发"), of: "ticks",
                   is: ["common in UITrackingRunLoopMode", "common in kCFRunLoopDefaultMode"]) { Set($0.map(\.detail).filter { $0.hasPrefix("common") }).sorted() }
    }
}
