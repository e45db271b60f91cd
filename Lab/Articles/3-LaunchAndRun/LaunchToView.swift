// Article 3, 〈--零--从程序启动开始到view显示〉: 3.1.
//
// From main to the first touch. What to see: the order in which an application's objects appear, and when its loop begins to handle events.

import SwiftRunLoop

// MARK: - The listing

private final class AppDelegate {
    private let window: UIView
    private var rootViewController: RootViewController?

    init(_ window: UIView) { self.window = window }

    func applicationDidFinishLaunching() {
        lab.callout(.block, "launch")
        NSLog("key window")
        let controller = RootViewController()
        rootViewController = controller
        NSLog("rootViewController")
        window.subviews = [controller.view]
        controller.viewDidLoad()
    }
}

private final class RootViewController: UIViewController, @unchecked Sendable {
    override func viewDidLoad() {
        NSLog("view: viewDidLoad")
        view.subviews = [RootView("the root view", columns: 1...1, rows: 1...1)]
        view.subviews[0].setNeedsDisplay()
    }

    override func touchesBegan(_ touch: Touch) {
        lab.callout(.source0, "event")
        NSLog("Runloop开始处理事件")
    }
}

private final class RootView: UIView {
    override func draw() { layer.contents = ["根view"] }
}

// MARK: - Telling and judging

struct LaunchToView: Program {
    let about = About(article: "3.1", seconds: 0.1)

    func run() {
        NSLog("main函数")
        UIApplicationMain()
    }

    private func UIApplicationMain() {
        NSLog("UIApplicationMain函数")
        let server = EventServer(), window = UIView("the window", columns: 1...InputEvent.screenLimit, rows: 1...InputEvent.screenLimit)
        let application = Application(window: window, port: server.port)
        NSLog("初始化UIApplication单例对象")
        let delegate = AppDelegate(window)
        NSLog("初始化AppDelegate对象")
        application.didFinishLaunching = { delegate.applicationDidFinishLaunching() }
        LayerTransaction.current.begin { layers, activity in
            lab.activity(activity, "view显示")
            NSLog("view显示: \(layers.flatMap(\.contents).joined())")
        }
        let user = lab.startThread("user") {
            lab.waitUntil { lab.times("view显示") == 1 && RunLoop.main.isWaiting }
            server.send(InputEvent(.down, column: 5, row: 5))
            lab.waitForLine("处理事件")
            server.close()
        }
        application.run()
        LayerTransaction.current.end()
        lab.waitUntil { user.isFinished }
    }

    func judge() {
        lab.article.expect(Text("the objects appear in the article's order", "对象按文章所说的顺序出现"), lines: [
            "main函数", "UIApplicationMain函数", "初始化UIApplication单例对象", "初始化AppDelegate对象",
            "key window", "rootViewController", "view: viewDidLoad", "view显示: 根view", "Runloop开始处理事件",
        ])
        lab.expect(Text("the main loop calls the launch, in a mode of its own", "启动由主线程 RunLoop 在专门的 mode 里调用"), of: "launch", "view显示", "event",
                   is: ["launch UIInitializationRunLoopMode block", "view显示 default BeforeWaiting", "event default Source0"]) {
            $0.map { "\($0.name) \($0.mode) \($0.kind)" }
        }
    }
}
