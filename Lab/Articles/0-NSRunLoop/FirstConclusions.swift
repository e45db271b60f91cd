// Article 0, 〈(6)初体验结论〉: 0.13.
//
// The article's five conclusions, and the programs that show each.

import SwiftRunLoop

struct FirstConclusions: Program {
    let about = About(
        name: "0.13", title: Text("The five conclusions, and where to see them", "五条结论，以及在哪里能看到"),
        says: Text("""
            A loop keeps its thread. Each thread has one loop and cannot create it. The main loop is run by itself, others are not. A loop runs in a mode with a source. It is started \
            in three ways: for ever, until a date, or in a mode until one source was handled.
            """, "①RunLoop 能保证线程存活。②线程与 RunLoop 一一对应，不能创建，只能获取。③子线程的 RunLoop 需要主动开启，主线程的自动开启。④要运行在添加了事件源的 mode 下。⑤有三种启动方式。"),
        notice: Text("Two of them are looser than they sound. The main loop is run by UIApplicationMain, not by itself. And run is not for ever: see 0.10.", "有两条没有听上去那么严格：主线程的 RunLoop 不是自己跑起来的，是 UIApplicationMain 启动的；run 也不是永远运行，见 0.10。"),
        verdict: .roughly, seconds: 0.1)

    private static let conclusions: [(String, [String])] = [
        ("①RunLoop是寄生于线程的消息循环机制，它能保证线程存活", ["0.2", "0.15"]),
        ("②每个线程只有唯一与之对应的一个RunLoop，只能获取", ["0.1"]),
        ("③子线程默认没有RunLoop，主线程自动开启", ["0.1", "0.5"]),
        ("④需要运行在添加了事件源的Mode下", ["0.2", "0.7", "0.8"]),
        ("⑤三种启动方式", ["0.10", "0.11", "0.12"]),
    ]

    func run() {
        for (words, ids) in Self.conclusions {
            NSLog("\(words)  article \(ids.joined(separator: ", "))")
            for id in ids { lab.observe("link", Articles.item(id)?.program == nil ? "\(id) leads nowhere" : "ok") }
        }
    }

    func judge() {
        lab.article.expect(Text("five conclusions", "五条结论"), line: "  article ", times: 5...5)
        lab.expectFound(Text("each names programs that show it", "每条都有演示它的程序"), of: "link", [String](repeating: "ok", count: 11))
    }
}
