// Article 1, 〈五种运行模式〉: 1.9; the same table in 3.9.
//
// The modes of a new loop, and of the main loop of an application. What to see: a new loop has one; the rest are the application's doing.

import SwiftRunLoop

struct FiveModes: Program {
    let about = About(article: "1.9", seconds: 0.2)

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
