// Figures.swift: the figures that `draw` knows.

/// A figure: what it shows, and how it is drawn.
struct Figure: Sendable, Encodable {
    let id: String
    /// The articles' items that it belongs to.
    let items: String
    let title: Text
    /// What to see.
    let caption: Text
    /// Draws below the title. It may run a program first, and does so once in a process, on the main thread.
    let draw: @MainActor @Sendable (inout Drawing) -> Void

    private enum CodingKeys: String, CodingKey { case id, title, caption }

    static let all = ofTheArticles + ofTheBook

    static let ofTheBook = [
        Figure(id: "B2", items: "", title: Text("Three threads, and one that never ends", "三个线程，以及永远不结束的那个"), caption: Text(
            "A bar is a run. In it the thread sleeps, except at the dots. A run in an empty mode ends at once, and one with a source in its mode lasts as long as it may. A stop (red) ends one run. A thread that runs its loop again does not notice.",
            "一条横条是一次运行。除了圆点处，线程都在休眠。mode 为空，运行立刻结束；mode 里有 Source，运行能持续到超时。停止（红色）只结束一次运行，接着再运行的线程察觉不到。"),
            draw: drawThreads),
        Figure(id: "B3", items: "", title: Text("What is called, through which frame", "调用什么，经过哪个栈帧"), caption: Text(
            "A colour is a kind of item. Its small names are the frames that a stack has above __CFRunLoopRun, the callout first. A callout's name begins with __CFRUNLOOP_IS_CALLING_OUT_TO_; that of the main queue with __CFRUNLOOP_IS_SERVICING_. In steps 1 and 10 an observer has no __CFRunLoopRun below it.",
            "一种颜色是一种 item。小字是调用栈里 __CFRunLoopRun 之上的栈帧，callout 在最前。callout 的名字以 __CFRUNLOOP_IS_CALLING_OUT_TO_ 开头，主队列的以 __CFRUNLOOP_IS_SERVICING_ 开头。第 1 步和第 10 步的 Observer 下面没有 __CFRunLoopRun。"),
            draw: drawStack),
        Figure(id: "B7", items: "", title: Text("A stop, in a run in a run", "嵌套运行里的一次停止"), caption: Text(
            "The outer run waits while a callback of it runs the loop again. In that time only the inner run's mode is served: the wake-up for S ends a sleep, but S has to wait. The stop ends the inner run alone. Grey: the thread sleeps.",
            "外层运行的一个回调又运行了 RunLoop，外层就停在那里。这段时间只处理内层的 mode：为 S 而来的唤醒确实叫醒了线程，S 却还得等。停止只结束内层。灰色：线程在休眠。"),
            draw: drawNestedRun),
        Figure(id: "B8", items: "", title: Text("What your loop holds", "你的 RunLoop 里有什么"), caption: Text(
            "The numbers are those of “An order that works”. A field of a source, timer or observer is in YourLoop.h. Those of a loop and of a run are yours to name.",
            "数字是“一种写法的次序”里的编号。Source、Timer、Observer 的字段在 YourLoop.h 里。RunLoop 和运行记录的字段，名字由你定。"),
            draw: drawYourLoop),
    ]

    static let ofTheArticles = [
        Figure(id: "G1", items: "0.4 1.7 2.6", title: Text("What a run loop holds", "RunLoop 的结构"), caption: Text(
            "Drawn from a printed loop, whose thread has added a port in the common modes, and a source, an observer and a timer in one mode. The numbers stand for parts of the print: 1 the loop, 2 its modes, 3 a mode, 4 sources, 5 observers, 6 timers. Green: what the port adds, once among the common mode items and once in each common mode.",
            "由打印的 RunLoop 画出：线程向 common modes 添加了一个端口，向一个 mode 添加了 Source、Observer 和 Timer。数字对应打印结果的各部分：1 RunLoop，2 modes，3 mode，4 source，5 observer，6 timer。绿色是端口带来的：在 common mode items 里一次，在每个 common mode 里各一次。"),
            draw: drawStructure),
        Figure(id: "G2", items: "1.2 3.11", title: Text("What can be in a thread's loop", "线程的 RunLoop 里可以有什么"), caption: Text(
            "Drawn from a printed mode. Three kinds of sources by their use, two versions in the struct: a port is a version 1 source, your own source and the source of a perform are version 0.",
            "由打印的 mode 画出。Source 按用途有三种，结构体里只有两个版本：端口是 version 1；自定义的 Source 和 perform 的 Source 是 version 0。"),
            draw: drawModel),
        Figure(id: "G3", items: "1.24 3.20 4.7", title: Text("The ten steps of a run", "一次运行的十个步骤"), caption: Text(
            "Steps 1 and 10 come once a run, 2 to 9 once a pass. Two decisions: does the thread sleep, and does the run end. The small names are the six callouts. Articles 1 and 2 have these numbers; at the right, those of articles 3 and 4. Article 0 has none.",
            "第 1 步和第 10 步每次运行各一次，第 2 到 9 步每轮一次。两个判断：是否休眠，是否结束。小字是六个 callout。文章 1 和文章 2 用的就是这些编号；右边是文章 3 和文章 4 的编号。文章 0 没有编号。"),
            draw: drawSteps),
        Figure(id: "G4", items: "1.16 3.23 3.24", title: Text("The way of a touch", "一次触摸的路径"), caption: Text(
            "One recorded touch. In one pass of the main loop, the Source1 takes the event from its port; in the next, the Source0 finds the view. That pass only polls, so the third one comes before the sleep: the gesture is reported, layers are committed and the pool is drained. Below each part stands what iOS calls it.",
            "一次录制的触摸。主线程 RunLoop 的一轮里，Source1 从端口取出事件；下一轮里，Source0 找到 view。那一轮只轮询，所以再有一轮才休眠，休眠之前报告手势、提交 layer、释放池。每一项下面是 iOS 上的名字。"),
            draw: drawTouch),
        Figure(id: "G5", items: "1.27", title: Text("Asleep in the kernel", "在内核里休眠"), caption: Text(
            "The main loop sleeps six times. Each time something else ends the wait: a port, a timer, the main queue, a wake-up, a stop, the time limit. Grey: the thread is in the kernel, in one call (epoll_pwait2 here, mach_msg on a Mac), and takes no processor time.",
            "主线程 RunLoop 休眠六次，每次由不同的事件结束：端口、timer、主队列、唤醒、停止、时间限制。灰色：线程在内核里，在一次系统调用中（这里是 epoll_pwait2，Mac 上是 mach_msg），不占用处理器时间。"),
            draw: drawSleep),
        Figure(id: "G6", items: "2.2 3.1", title: Text("main, and what follows", "main 函数及之后"), caption: Text(
            "A main function without a loop returns. With a loop it returns when the loop ends; an application's never does. Below: a recorded start, from main to the first touch.",
            "没有 RunLoop 的 main 函数会返回；有 RunLoop 时，RunLoop 结束才返回；应用的不返回。下面是一次录制的启动，从 main 到第一次触摸。"),
            draw: drawStart),
        Figure(id: "G7", items: "0.24 2.15", title: Text("Dragging stops a timer", "拖动时 Timer 停止"), caption: Text(
            "Three timers of one interval while a list is dragged. The one in the default mode does not fire while the loop runs in the tracking mode. Its missed date is made up for once, late (red), and then it ticks in its old rhythm.",
            "拖动列表时，三个间隔相同的 Timer。RunLoop 在 tracking mode 里运行期间，只在默认 mode 里的那个不触发；错过的时间点迟到补一次（红色），之后恢复原来的节奏。"),
            draw: drawTracking),
        Figure(id: "G8", items: "0.30 3.4", title: Text("The main thread's autorelease pools", "主线程的自动释放池"), caption: Text(
            "Two observers keep the pool. The first of all (order -2147483647) pushes one at Entry. The last of all (order 2147483647) pops it and pushes another at BeforeWaiting, and pops the last at Exit. An autoreleased object lives until then.",
            "两个 Observer 管理释放池：最先的（order -2147483647）在 Entry 时 push；最后的（order 2147483647）在 BeforeWaiting 时 pop 再 push，在 Exit 时 pop。autorelease 的对象活到那时。"),
            draw: drawPools),
        Figure(id: "G9", items: "3.26 4.21", title: Text("The threads of a network request", "网络请求的线程"), caption: Text(
            "The first connection of one recorded run. The private thread waits for the socket. It signals a Source0 of the loader's thread and wakes it. The loader signals another Source0, in the main loop, which calls the delegate.",
            "一次录制里的第 1 个连接。私有线程等待 socket，它标记 loader 线程的 Source0 并唤醒它；loader 再标记主线程 RunLoop 里的另一个 Source0，由它调用 delegate。"),
            draw: drawNetwork),
        Figure(id: "G10", items: "2.1 4.8", title: Text("Two event loops, two orders", "两种事件循环，两种顺序"), caption: Text(
            "One script on both: tasks A and B are due; A adds m1, and m1 adds m2. The run loop performs its blocks one generation at a time; JavaScript empties its microtasks before the next task. (The boxes stand for the recorded order, not for time.)",
            "同一个脚本：任务 A、B 都已到期；A 添加 m1，m1 添加 m2。RunLoop 每次执行一代 block；JavaScript 在下一个任务之前清空微任务。（方框表示录制到的顺序，不表示时间。）"),
            draw: drawLoops),
        Figure(id: "G11", items: "4.17", title: Text("Frames", "帧"), caption: Text(
            "The display has 60 frames a second, and at each the display link calls the app. What the callback changes is committed when the loop is about to sleep. The display shows it at its own next frame, whether or not the app is called then. One callback is busy too long (red): the display has frames without a callback, and nothing new to show.",
            "显示器每秒 60 帧，每一帧 display link 回调一次应用。回调里的改动在 RunLoop 即将休眠时提交，显示器在自己的下一帧显示它，与那时有没有回调无关。有一次回调占用太久（红色）：有的帧没有回调，显示器也没有新内容可显示。"),
            draw: drawFrames),
        Figure(id: "G12", items: "0.36-0.46", title: Text("A thread that switches modes", "切换 mode 的线程"), caption: Text(
            "Three programs on one scale. The user drags and lets go; each time a perform asks the thread to change its mode. In the common modes, the way back is never performed (red), because the tracking mode is not common on that thread. Declaring it common cures it, and so does naming it: the thread is back in the default mode while nothing is dragged.",
            "三个程序，同一比例。用户拖动，然后松手；每次都用 perform 请求线程切换 mode。perform 加在 common modes 里时，切回的请求永远不执行（红色），因为在这个线程上 tracking mode 不是 common。把它标记为 common，或者指名 tracking mode，都能解决：不拖动时线程回到默认 mode。"),
            draw: drawModeSwitch),
        Figure(id: "G13", items: "0.1 1.5", title: Text("Threads and their loops", "线程与 RunLoop"), caption: Text(
            "What the first and the second request for a loop do, and what happens when the thread ends. The names are those of Sources/CRunLoop/CFRunLoopRegistry.c.",
            "第一次和第二次获取 RunLoop 时发生什么，线程结束时又发生什么。名字取自 Sources/CRunLoop/CFRunLoopRegistry.c。"),
            draw: drawRegistry),
        Figure(id: "G14", items: "4.12", title: Text("A stall, and two monitors", "卡顿与两种监控"), caption: Text(
            "The main loop sleeps, works for a moment, and stalls (red). The article's monitor also takes sleep for a stall: its false alarms are marked. The other monitor reports the stall alone, once, with the stack below.",
            "主线程 RunLoop 休眠、短暂工作、卡住（红色）。文章里的监控把休眠也当作卡顿，误报标为红色。另一个监控只报告真正的卡顿，一次，并带有下面的堆栈。"),
            draw: drawStall),
        Figure(id: "G15", items: "0.15-0.19 0.26", title: Text("A perform on another thread", "在另一个线程上 perform"), caption: Text(
            "A touch performs wantTodo on a thread that sleeps: a Source0 is signalled and the loop is woken. wantTodo adds a delayed perform of 0 s. The run ends with this pass, but first the pass looks at its ports, and finds that timer due.",
            "触摸在一个休眠的线程上 perform wantTodo：标记 Source0，唤醒 RunLoop。wantTodo 又添加了延迟为 0 的 perform。这次运行随这一轮结束，但结束前会查看端口，发现那个 Timer 已到期。"),
            draw: drawPerform),
    ]

    /// Whether an item is one of `items`, which may have ranges: "0.36-0.46".
    func belongs(to id: String) -> Bool {
        func number(_ id: some StringProtocol) -> (article: Int, item: Int)? {
            let parts = id.split(separator: ".").compactMap { Int($0) }
            return parts.count == 2 ? (parts[0], parts[1]) : nil
        }
        guard let own = number(id) else { return false }
        return items.split(separator: " ").contains { range in
            let ends = range.split(separator: "-").compactMap { number($0) }
            return ends.allSatisfy { $0.article == own.article } && ends[0].item <= own.item && own.item <= ends.last!.item
                && (ends.count == 2 || ends[0].item == own.item)
        }
    }

    /// The picture in the chosen language.
    @MainActor
    var text: String {
        var page = Drawing()
        page.y = 8
        page.paragraph("\(id)  \(title)", size: 14, isBold: true)
        page.y += 4
        draw(&page)
        page.y += 4
        page.paragraph(caption.description, .quiet, size: 11.5)
        return page.document(title: title.description, description: caption.description, maker: "RunLoopLab draw \(id)")
    }
}
