// Article 1, 〈CFRunLoopRef源码部分〉: 1.6, 1.10; 〈其底层原理如下〉: 1.11.
//
// An item of the common modes that is taken out of one mode, and a mode that becomes common later. What to see: the loop serves what is in the
// mode that runs; it never looks into _commonModeItems for something to serve.

import CRunLoop
import SwiftRunLoop

// MARK: - The listing

/// The two fields that the struct (1.6, 1.10) has for common modes, of a loop whose default mode is the only one; and the statements of
/// CFRunLoopAddCommonMode (1.11). The library's own stands in Sources/CRunLoop/CFRunLoopCommonModes.c, with the lock.
private struct Common {
    let rl: NSRunLoop
    var _commonModes: Set<NSRunLoop.Mode> = [.default]
    var _commonModeItems: [NSTimer] = []

    mutating func addCommonMode(_ modeName: NSRunLoop.Mode) {
        if !_commonModes.contains(modeName) { // CFSetContainsValue
            let set = _commonModeItems // CFSetCreateCopy
            _commonModes.insert(modeName) // CFSetAddValue
            for item in set { rl.add(item, forMode: modeName) } // CFSetApplyFunction, with __CFRunLoopAddItemsToCommonMode
        }
    }
}

// MARK: - Telling and judging

struct CommonItems: Program {
    let about = About(article: "1.6", seconds: 0.4)

    func run() {
        lab.onThread("worker") {
            let loop = NSRunLoop.current, late = NSRunLoop.Mode("late")
            let timer = NSTimer(timeInterval: 0.01, repeats: true) { _ in lab.callout(.timer, "the timer") }
            loop.add(NSMachPort(), forMode: .default)
            loop.add(timer, forMode: .common)
            lab.observe("added to the common modes", modes(of: timer, loop, late))
            loop.remove(timer, forMode: .default)
            lab.observe("taken out of the default mode", modes(of: timer, loop, late))
            lab.note("the default mode runs")
            loop.run(mode: .default, before: Date(timeIntervalSinceNow: lab.wait(0.2)))
            lab.observe("ticks in the default mode", value: Double(lab.times("the timer")))
            CFRunLoopAddCommonMode(CFRunLoopGetCurrent(), late.cfName)
            lab.observe("another mode becomes common", modes(of: timer, loop, late))
            var listed = Common(rl: loop, _commonModeItems: [timer])
            let third = NSRunLoop.Mode("third")
            listed.addCommonMode(third)
            lab.observe("a mode becomes common by the listing", modes(of: timer, loop, third))
            let before = lab.times("the timer")
            lab.run(late) { lab.times("the timer") > before }
            lab.observe("ticks in the other mode", value: Double(lab.times("the timer")) - lab.events.values(of: "ticks in the default mode")[0])
            timer.invalidate()
            for name in ["added to the common modes", "taken out of the default mode", "another mode becomes common", "a mode becomes common by the listing"] {
                NSLog("\(shown(name)): \(shown(lab.events.last { $0.name == name }!.detail))")
            }
        }
    }

    private func modes(of timer: NSTimer, _ loop: NSRunLoop, _ late: NSRunLoop.Mode) -> String {
        [(NSRunLoop.Mode.common, "_commonModeItems"), (.default, "the default mode"), (late, "the other mode")]
            .filter { loop.contains(timer, forMode: $0.0) }.map(\.1).joined(separator: ", ")
    }

    func judge() {
        lab.article.expect(Text("an item of _commonModeItems is served in a common mode", "_commonModeItems 里的 item 在 common mode 中得到处理"),
                   of: "ticks in the default mode", isIn: 1...1000, unit: .none, places: 0) { $0.values.first }
        lab.expect(Text("the default mode, which is common, does not serve the timer that was taken out of it", "默认 mode 是 common 的，却不处理已从中移除的 Timer"),
                   of: "ticks in the default mode", is: [0]) { $0.values }
        lab.expectFound(Text("adding an item to the common modes puts it into each", "加入 common modes 的 item 进入每个 common mode"),
                        of: "added to the common modes", ["_commonModeItems, the default mode"])
        lab.expectFound(Text("taking it out of one mode leaves it remembered", "从一个 mode 移除后仍被记住"), of: "taken out of the default mode", ["_commonModeItems"])
        lab.expectFound(Text("a mode that becomes common gets the remembered items; the others get nothing", "mode 变成 common 时得到记住的 item，其他 mode 不变"),
                        of: "another mode becomes common", ["_commonModeItems, the other mode"])
        lab.expectFound(Text("the listing's statements do the same", "代码里的语句做的是同一件事"), of: "a mode becomes common by the listing",
                        ["_commonModeItems, the other mode"])
        lab.expect(Text("it is served there", "在那里得到处理"), of: "ticks in the other mode", isIn: 1...1000, unit: .none, places: 0) { $0.values.first }
    }
}
