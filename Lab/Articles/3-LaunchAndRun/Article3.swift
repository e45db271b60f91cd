// Article3.swift: the programs and the items of article 3.

let article3 = Article(number: 3, title: "ios 程序启动与运转", programs: [
    LaunchToView(),
    PoolChain(),
    FourExits(),
    ThreeKindsOfSources(),
    TimerOfTheThread(),
    ObserverParameters(),
    OnePass(),
    Refresh(),
    GestureIsRecognised(),
    NetworkRequest(),
    StartKeepsTheLock(),
], items: [
    ArticleItem("3.1", "--零--从程序启动开始到view显示", .program("3.1")),
    ArticleItem("3.2", "UIApplication … view", .cannotBe(Text("""
        it is a table of UIKit's duties. What the run loop has to do with is in the components: UIApplication is Application.swift; UIWindow, UIView, nextResponder \
        and gestures are View.swift; the view controller is ViewController.swift; CALayer and its commits are BackgroundDrawing.swift. Left out, because they \
        need an iPhone: URLs, badges, the status bar, remote events and rotation; the five states of an application; navigation between controllers; \
        constraints, animations, masks and the GPU.
        """, "这是一张 UIKit 职责表。与 RunLoop 有关的部分在组件里：UIApplication 见 Application.swift；UIWindow、UIView、nextResponder 和手势见 View.swift；view controller 见 ViewController.swift；CALayer 及其提交见 BackgroundDrawing.swift。需要 iPhone 的部分没有：URL、图标警告、状态栏、远程事件、旋转；应用的五种状态；界面跳转；约束、动画、mask 和 GPU。"))),
    ArticleItem("3.3", "runloop:", .experiment("sleep-costs-nothing")),
    ArticleItem("3.4", "1、与线程和自动释放池相关", .program("3.4")),
    ArticleItem("3.5", "数据结构", .document("ANNOTATIONS.md#22-the-structs")),
    ArticleItem("3.6", "创建与退出", .program("3.6")),
    ArticleItem("3.7", "启动Runloop", .program("1.25")),
    ArticleItem("3.8", "添加mode", .program("1.12")),
    ArticleItem("3.9", "类型", .program("1.9")),
    ArticleItem("3.10", "modeItems", .program("1.12")),
    ArticleItem("3.11", "A-- CFRunLoopSourceRef", .program("3.11")),
    ArticleItem("3.12", "数据结构(source0/source1)", .program("3.11")),
    ArticleItem("3.13", "B-- CFRunLoopTimerRef", .program("3.13")),
    ArticleItem("3.14", "GCD的timer", .program("1.36")),
    ArticleItem("3.15", "CADisplayLink", .experiment("display-link-frames")),
    ArticleItem("3.16", "C--CFRunLoopObserverRef", .program("3.16")),
    ArticleItem("3.17", "监听的状态", .program("1.22")),
    ArticleItem("3.18", "3、Runloop内部逻辑 / 代码实现", .program("1.25")),
    ArticleItem("3.19", "函数作用栈显示", .program("1.26")),
    ArticleItem("3.20", "按Runloop状态大致分为 / 两个判断点", .experiment("ten-steps")),
    ArticleItem("3.21", "4、Runloop本质", .program("3.21")),
    ArticleItem("3.22", "界面刷新", .program("3.22")),
    ArticleItem("3.23", "事件响应", .experiment("event-to-source0")),
    ArticleItem("3.24", "手势识别", .program("3.24")),
    ArticleItem("3.25", "GCD任务", .experiment("main-queue")),
    ArticleItem("3.26", "网络请求", .program("3.26")),
    ArticleItem("3.27", "滑动与图片刷新", .program("0.28")),
    ArticleItem("3.28", "常驻子线程", .program("3.28")),
])
