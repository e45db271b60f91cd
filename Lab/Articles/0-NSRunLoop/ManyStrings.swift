// Article 0, 〈<4>关于主线程中autoreleasepool的题外话〉, 〈改〉: 0.34, 0.35.
//
// Two million turns of a loop that make autoreleased strings. What to see: the memory, with one pool around all of it and with one in each turn.

import Glibc
import SwiftRunLoop

// MARK: - The listing

/// An event of the main loop.
private func appendStrings(_ largerNum: Int, _ turn: (Int) -> Void) {
    for i in 0..<largerNum {
        switch form {
        case .asWritten: make()
        case .cured: autoreleasepool { make() }
        }
        turn(i)
    }
}

private func make() {
    var str = NSString.stringWithFormat("Hello")
    str = str.uppercaseString()
    str = str.stringByAppendingFormat("-World!")
    withExtendedLifetime(str) {}
}

/// A string that is an object. Each of its methods returns a new one, autoreleased.
private final class NSString {
    private let characters: String

    /// How many there are, and how many there were at most; on the main thread alone.
    nonisolated(unsafe) static var alive = 0, most = 0

    private init(_ characters: String) {
        self.characters = characters
        NSString.alive += 1
        NSString.most = max(NSString.most, NSString.alive)
    }

    deinit { NSString.alive -= 1 }

    static func stringWithFormat(_ format: String) -> NSString { AutoreleasePool.autorelease(NSString(format)) }
    func uppercaseString() -> NSString { AutoreleasePool.autorelease(NSString(characters.uppercased())) }
    func stringByAppendingFormat(_ format: String) -> NSString { AutoreleasePool.autorelease(NSString(characters + format)) }
}

// MARK: - Telling and judging

struct ManyStrings: Program {
    let about = About(article: "0.34", seconds: 10, isPair: true)

    func run() {
        let largerNum = lab.isFast ? 1024 * 1024 / 16 : 1024 * 1024 * 2
        let before = Self.residentMegabytes()
        nonisolated(unsafe) var peak = before
        AutoreleasePool.install(in: NSRunLoop.main)
        NSRunLoop.main.perform { @Sendable in
            appendStrings(largerNum) { if $0 % 4096 == 0 { peak = max(peak, Self.residentMegabytes()) } }
            peak = max(peak, Self.residentMegabytes())
        }
        NSRunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
        NSLog("循环 \(largerNum) 次，内存从 \(Int(before)) MB 到 \(Int(peak)) MB")
        lab.observe("strings a turn, at most", value: Double(NSString.most) / Double(form == .asWritten ? largerNum : 1))
        lab.observe("strings after the pass", value: Double(NSString.alive))
        lab.observe("bytes a turn", value: (peak - before) * 1_048_576 / Double(largerNum))
    }

    func judge() {
        let unit = Text("bytes a turn", "字节/次"), name = "bytes a turn"
        switch form {
        case .asWritten:
            lab.article.expect(Text("memory grows with each turn: three objects and their places in the pool", "每次循环内存都增长：三个对象和它们在池里的位置"), of: name, isIn: 100...1000, unit: unit, places: 1) { $0.values.first }
        case .cured:
            lab.article.expect(Text("memory does not grow", "内存不增长"), of: name, isIn: 0...30, unit: unit, places: 1) { $0.values.first }
        }
        func strings(_ claim: Text, _ name: String, _ count: Double) {
            lab.expect(claim, of: name, isIn: count...count, unit: Text("strings", "个字符串"), places: 0) { $0.values.first }
        }
        strings(form == .asWritten ? Text("all three strings of each turn are there at once in the end", "最后，每次循环的三个字符串全都还在")
            : Text("there are never more than the three strings of one turn", "同时存在的从不超过一次循环的三个字符串"), "strings a turn, at most", 3)
        strings(Text("after the pass of the main loop none is left", "主线程 RunLoop 的这次迭代之后一个也不剩"), "strings after the pass", 0)
    }

    /// The memory that the process has in RAM.
    private static func residentMegabytes() -> Double {
        let fields = contents(of: "/proc/self/statm")?.split(separator: " ") ?? []
        return fields.isEmpty ? 0 : Double(fields[1])! * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
    }
}
