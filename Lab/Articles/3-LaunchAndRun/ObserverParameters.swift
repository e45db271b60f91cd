// Article 3, 〈C--CFRunLoopObserverRef:监听runloop状态〉: 3.16.
//
// An observer with the article's comments about its parameters. What to see: what the third parameter decides, and how many there are.

import CRunLoop
import SwiftRunLoop

// MARK: - The listing

private func observe() -> CFRunLoopObserver? {
    // 1: the allocator
    // 2: what it watches
    // 第三个参数: as written, NO for the first entry alone; really, whether it is called more than once
    // 4: its order among the observers, 0 as a rule
    // 5: the block
    let repeats = form == .cured
    let observer = CFRunLoopObserverCreateWithHandler(CFAllocatorGetDefault(), CFRunLoopActivity.allActivities.rawValue, repeats, 0) { observer, activity in
        let name = RunLoop.Observer.Activity(rawValue: activity.rawValue).description
        lab.observe("activity", name)
        NSLog("----监听到\(name)")
        if form == .cured && activity == .exit { CFRunLoopObserverInvalidate(observer) }
    }
    CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, kCFRunLoopDefaultMode)
    return observer
}

// MARK: - Telling and judging

struct ObserverParameters: Program {
    let about = About(article: "3.16", seconds: 0.2, isPair: true)

    func run() {
        let observer = observe()
        lab.observe("parameters", value: Double(Self.parameters(of: "\(type(of: CFRunLoopObserverCreateWithHandler as Any))")))
        lab.observe("print", observer!.description)
        let timer = NSTimer.scheduledTimer(withTimeInterval: lab.wait(0.02), repeats: true) { _ in CFRunLoopStop(CFRunLoopGetCurrent()) }
        for run in 1...2 {
            lab.observe("run", "\(run)")
            CFRunLoopRun()
        }
        timer.invalidate()
        lab.observe("afterwards", CFRunLoopObserverIsValid(observer) ? "valid" : "invalid")
    }

    /// Counts the parameters in the description of a function's type, "(A, (B, C) -> D, E<F, G>) -> H": its outer commas, and one.
    private static func parameters(of type: String) -> Int {
        var depth = 0, count = 1
        for character in type.replacing("->", with: "") {
            if "(<".contains(character) { depth += 1 }
            if ")>".contains(character) { depth -= 1 }
            if character == "," && depth == 1 { count += 1 }
            if character == ")" && depth == 0 { break }
        }
        return count
    }

    func judge() {
        let all = ["Entry", "BeforeTimers", "BeforeSources", "BeforeWaiting", "AfterWaiting", "Exit"]
        lab.article.judge(Text("the observer is called in the whole of the first run, and not in the second", "Observer 在第一次 run 的全过程被调用，第二次不再调用"),
                  all.joined(separator: " "), looksAt: ["activity", "run"]) { events in
            let second = events.lastIndex { $0.name == "run" && $0.detail == "2" } ?? events.startIndex
            let first = events[..<second].filter { $0.name == "activity" }.map(\.detail), later = events[second...].count { $0.name == "activity" }
            return (all.allSatisfy(first.contains) && later == 0, "\(first.joined(separator: " ")), \(later)")
        }
        if form == .asWritten {
            lab.article.expectCount(Text("the function has six parameters", "函数有六个参数"), of: "parameters", isIn: 6...6, unit: Text("parameters", "个参数")) { Int($0.values.first ?? -1) }
        }
        lab.article.expect(Text("order, activities and callout are printed", "打印出 order、activities、callout"), of: "print", is: "order activities callout") { prints in
            ["order", "activities", "callout"].filter { field in prints.contains { $0.detail.contains("\(field) = ") } }.joined(separator: " ")
        }
        lab.expectCount(Text("it has five", "是五个"), of: "parameters", isIn: 5...5, unit: Text("parameters", "个参数")) { Int($0.values.first ?? -1) }
        if form == .asWritten {
            lab.expectFound(Text("it is called once", "它只被调用一次"), of: "activity", ["Entry"])
        }
        lab.expect(Text("afterwards it is invalid", "之后它已失效"), each: "afterwards", \.detail, is: "invalid")
    }
}
