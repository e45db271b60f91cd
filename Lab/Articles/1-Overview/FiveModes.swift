// Article 1, 〈五种运行模式〉: 1.9; the same table in 3.9.
//
// The modes of a new loop, and of the main loop of an application. What to see: a new loop has one; the rest are the application's doing.

import SwiftRunLoop

struct FiveModes: Program {
    let about = About(
        name: "1.9", title: Text("The modes of a new loop, and of an application's main loop", "新建的 RunLoop 有哪些 mode；应用主线程的 RunLoop 有哪些 mode"),
        says: Text("The system registers five modes by default: default, tracking, initialization, event receive, and the common modes, which are no mode but a mark.",
                   "系统默认注册五个 mode：默认、UITracking、UIInitialization、GSEventReceive，以及 kCFRunLoopCommonModes（不是 mode，只是标记）。"),
        notice: Text("""
            A new loop has the default mode alone. A mode comes to be when an item is added to it, so the others are in a loop because UIKit has put items \
            there. On an iPhone a printed main loop shows all five, the common one empty, because something has asked for it by that name; here the common \
            modes are never a mode.
            """, "新建的 RunLoop 只有默认 mode。往一个 mode 里加 item 时才会创建它，所以其他 mode 是 UIKit 往里加了 item 才有的。iPhone 上打印主线程的 RunLoop 能看到五个，其中 common 是空的，因为有代码用过这个名字；这里 common modes 从来不是一个 mode。"),
        verdict: .otherwise, seconds: 0.2)

    func run() {
        lab.onThread("new") { show("new loop", .current) }
        Stage.run(UIViewController(), script: [.other { show("launched", .main) }])
    }

    private func show(_ name: String, _ loop: NSRunLoop) {
        let modes = loop.allModes.map(\.rawValue).sorted().joined(separator: ", ")
        lab.observe(name, modes)
        NSLog("\(name): \(modes)")
    }

    func judge() {
        let four = "GSEventReceiveRunLoopMode, UIInitializationRunLoopMode, UITrackingRunLoopMode, kCFRunLoopDefaultMode"
        lab.article.expectFound(Text("a loop has these modes by default", "RunLoop 默认就有这些 mode"), of: "new loop", [four])
        lab.expectFound(Text("a new loop has the default mode alone", "新建的 RunLoop 只有默认 mode"), of: "new loop", ["kCFRunLoopDefaultMode"])
        lab.expectFound(Text("when the application has launched, its main loop has the four; the common modes are none", "应用启动后，主线程的 RunLoop 有四个；common modes 不是 mode"),
                        of: "launched", [four])
    }
}
