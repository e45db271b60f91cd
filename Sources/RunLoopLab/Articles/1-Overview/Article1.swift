// Article1.swift: the programs and the items of article 1.

let article1 = Article(number: 1, title: "Runloop概述", programs: [
    SleepAndWait(),
    TheGetters(),
    TheSecondLook(),
    CommonItems(),
    FiveModes(),
    ModeInterface(),
    SignalThenWake(),
    PortThenSource0(),
    ScheduledTimer(),
    ScrollAndCount(),
    ObserversTogether(),
    SixActivities(),
    SimplifiedLoop(),
    CalloutChain(),
    ThreeStarts(),
    RemovingIsNotEnough(),
    DelayedImage(),
    RunThread(),
    KeptAlive(),
    TimerInTime(),
], items: [
    ArticleItem("1.1", "Runloop伪代码", .program("1.1")),
    ArticleItem("1.2", "Runloop模型图", .experiment("callouts")),
    ArticleItem("1.3", "Runloop对象的获取", .program("1.3")),
    ArticleItem("1.4", "两个函数的具体实现", .program("1.3")),
    ArticleItem("1.5", "_CFRunLoopGet0方法", .program("1.5")),
    ArticleItem("1.6", "CFRunLoopRef源码部分", .program("1.6")),
    ArticleItem("1.7", "RunLoop的结构 / RunLoop机制", .experiment("structure")),
    ArticleItem("1.8", "CFRunLoopModeRef类", .document("ANNOTATIONS.md#struct-__cfrunloopmode")),
    ArticleItem("1.9", "五种运行模式", .program("1.9")),
    ArticleItem("1.10", "CommonModes", .program("1.6")),
    ArticleItem("1.11", "其底层原理如下", .program("1.6")),
    ArticleItem("1.12", "管理Mode接口只有下面两个", .program("1.12")),
    ArticleItem("1.13", "CFRunLoopSourceRef类", .program("1.14")),
    ArticleItem("1.14", "Source0", .program("1.14")),
    ArticleItem("1.15", "Source1", .program("1.15")),
    ArticleItem("1.16", "举例说明source0和source1", .experiment("event-to-source0")),
    ArticleItem("1.17", "CFRunLoopTimerRef类", .program("1.18")),
    ArticleItem("1.18", "scheduledTimerWithTimeInterval和RunLoop的关系", .program("1.18")),
    ArticleItem("1.19", "NSTimer在滑动时停止工作的问题", .program("1.19")),
    ArticleItem("1.20", "想要解决这个问题也很简单", .program("1.19")),
    ArticleItem("1.21", "CFRunLoopObserverRef类", .program("1.21")),
    ArticleItem("1.22", "Runloop的六种状态", .program("1.23")),
    ArticleItem("1.23", "// 创建observer", .program("1.23")),
    ArticleItem("1.24", "Runloop的内部逻辑", .experiment("ten-steps")),
    ArticleItem("1.25", "__CFRunLoopRun源码实现", .program("1.25")),
    ArticleItem("1.26", "RunLoop回调流程", .program("1.26")),
    ArticleItem("1.27", "RunLoop休眠的实现原理", .experiment("sleep-costs-nothing")),
    ArticleItem("1.28", "RunLoop启动方法", .program("1.28")),
    ArticleItem("1.29", "RunLoop关闭方法", .program("1.29")),
    ArticleItem("1.30", "CFRunLoopStop()方法只会结束当前", .program("1.28")),
    ArticleItem("1.31", "ImageView延迟显示", .program("1.31")),
    ArticleItem("1.32", "常驻线程", .program("1.32")),
    ArticleItem("1.33", "runTest", .program("1.32")),
    ArticleItem("1.34", "线程保活", .program("1.34")),
    ArticleItem("1.35", "线程是否销毁和页面的销毁没有任何关系", .program("1.34")),
    ArticleItem("1.36", "定时器NSTimer", .program("1.36")),
])

extension Lab {
    /// Expects the details of the events with this name, in their order.
    func expectFound(_ claim: Text, of name: String, _ details: [String], or others: [String]...) {
        judge(claim, details.joined(separator: " | "), looksAt: [name]) { events in
            let found = events.filter { $0.name == name }.map(\.detail)
            return (found == details || others.contains(found), found.joined(separator: " | "))
        }
    }
}
