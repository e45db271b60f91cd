// Article 0, 〈<4>…题外话〉, 〈改〉: 0.34, 0.35.
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
    let about = About(
        name: "0.34", title: Text("A long loop that makes strings, and the same with a pool in each turn", "很长的循环里创建字符串；每次循环加一个池"),
        says: Text("The strings are not released at the end of each turn, but after the pass of the main loop, so memory grows until there is a warning or a crash. With a pool in each turn, they go at once.",
                   "这些变量不是每次循环结束就释放，而要等到主线程 RunLoop 的一次迭代以后才一起释放；这期间会积累足够多的变量，导致内存警告或崩溃。手动添加 autoreleasepool，让对象尽快释放。"),
        notice: Text("""
            The listing does not compile: stringByAppendingFormat: is no class method, and the stars between the numbers are lost. \
            Without a pool of its own, no turn releases its string: all live until the pass of the main loop is over. With a pool in each turn, one lives at a time. \
            The memory is what the kernel counts (/proc/self/statm). On a Mac, ARC may take a returned object over before it reaches the pool, so less may remain. Here each object is given to the pool explicitly.
            """, "代码无法编译：stringByAppendingFormat: 不是类方法，数字之间的乘号也丢了。循环里没有池，每次创建的字符串都要等主线程 RunLoop 的这一轮结束才释放；每次循环加一个池，同时只有一个字符串。内存取自内核的统计（/proc/self/statm）。在 Mac 上，ARC 可能在返回值进入池之前就接管它，留下的会少一些。这里每个对象都明确交给池。"),
        verdict: .roughly, seconds: 10, isPair: true)

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
