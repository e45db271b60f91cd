// Article 4, 〈简化为以下伪代码〉: 4.9.
//
// The article's three functions, made to run, beside the real ones. What to see: what their trace lacks.

import CRunLoop
import Dispatch
import SwiftRunLoop

// MARK: - The listing

/// The article's functions over a model of a loop: one block, one Source0 that is signalled, and a timer whose port gets a message.
private final class PseudoCode {
    var block: (() -> Void)?, source0: (() -> Void)?, timer: (() -> Void)?
    /// How long the wait may take, because the model has no port that anyone could write to.
    var longestWait = 10.0

    private enum Port { case timerPort, dispatchPort, source1 }

    private let name: String
    private let messages = DispatchSemaphore(value: 0)
    private var isStopped = false

    init(records name: String = "pseudo code") { self.name = name }

    func run() { _ = CFRunLoopRun() }

    private func CFRunLoopRun() -> Int32 {
        _ = CFRunLoopRunSpecific(1.0e10, false)
        return 0
    }

    private func CFRunLoopRunSpecific(_ seconds: Double, _ returnAfterSourceHandled: Bool) -> Int {
        __CFRunLoopDoObservers("Entry")
        // RunLoop主循环
        let result = __CFRunLoopRun(seconds, returnAfterSourceHandled)
        __CFRunLoopDoObservers("Exit")
        return result
    }

    private func __CFRunLoopRun(_ seconds: Double, _ stopAfterHandle: Bool) -> Int {
        var retVal = 0
        repeat {
            // 1
            __CFRunLoopDoObservers("BeforeTimers")
            // 2
            __CFRunLoopDoObservers("BeforeSources")
            // 3. 处理Blocks
            __CFRunLoopDoBlocks()
            // 4. 处理Source0(非端口)
            let sourceHandledThisLoop = __CFRunLoopDoSources0()
            // 5. 处理Source1(端口)
            if sourceHandledThisLoop { __CFRunLoopDoBlocks() }
            let livePort = __CFRunLoopServiceMachPort(timeout: sourceHandledThisLoop ? 0 : longestWait)
            // 10
            if livePort == .timerPort { __CFRunLoopDoTimers() }
            // 11. 处理Blocks
            __CFRunLoopDoBlocks()
            if sourceHandledThisLoop && stopAfterHandle {
                retVal = 4 // kCFRunLoopRunHandledSource
            } else if isStopped {
                retVal = 2 // kCFRunLoopRunStopped
            } else if timer == nil {
                retVal = 1 // kCFRunLoopRunFinished
            }
        } while retVal == 0
        return retVal
    }

    private func __CFRunLoopDoObservers(_ activity: String) { lab.observe(name, activity) }

    private func __CFRunLoopDoBlocks() {
        block?()
        block = nil
    }

    private func __CFRunLoopDoSources0() -> Bool {
        guard let source0 else { return false }
        source0()
        self.source0 = nil
        return true
    }

    /// Sends the timer's message itself, when it would sleep.
    private func __CFRunLoopServiceMachPort(timeout: Double) -> Port? {
        if timeout == 0 { return nil }
        if timer != nil { messages.signal() } else { lab.observe(name, "waits") }
        return messages.wait(timeout: .now() + timeout) == .success ? .timerPort : nil
    }

    private func __CFRunLoopDoTimers() {
        timer?()
        isStopped = true // the callback calls CFRunLoopStop
    }
}

// MARK: - Telling and judging

struct SimplifiedRun: Program {
    let about = About(article: "4.9", seconds: 0.1)

    func run() {
        lab.compile(Self.listing)

        let pseudo = PseudoCode()
        pseudo.block = { lab.observe("pseudo code", "block") }
        pseudo.source0 = { lab.observe("pseudo code", "Source0") }
        pseudo.timer = { lab.observe("pseudo code", "timer") }
        pseudo.run()

        fillMainLoop()
        CFRunLoopRun()
        for name in ["pseudo code", "CFRunLoopRun"] {
            NSLog("\(name == "CFRunLoopRun" ? "真实的" : "伪代码"): \(lab.events.filter { $0.name == name }.map(\.detail).joined(separator: " "))")
        }

        let empty = PseudoCode(records: "pseudo code, empty mode")
        empty.longestWait = 0.05
        empty.run()
        lab.onThread("empty") { // a secondary thread's loop has nothing in it
            NSRunLoop.current.add(RunLoop.Observer { _, activity in lab.observe("CFRunLoopRun, empty mode", "\(activity)") }, forMode: .default)
            CFRunLoopRun()
            lab.observe("CFRunLoopRun, empty mode", "returns")
        }
    }

    /// The same contents in the real loop.
    private func fillMainLoop() {
        let loop = NSRunLoop.main
        loop.add(RunLoop.Observer { _, activity in lab.observe("CFRunLoopRun", "\(activity)") }, forMode: .default)
        loop.add(RunLoop.Observer(activities: .beforeWaiting, order: 1) { _, _ in
            NSRunLoop.main.add(NSTimer(timeInterval: 0.01, repeats: false) { _ in
                lab.observe("CFRunLoopRun", "timer")
                CFRunLoopStop(CFRunLoopGetMain())
            }, forMode: .default)
        }, forMode: .default)
        let source = RunLoop.Source { lab.observe("CFRunLoopRun", "Source0") }
        loop.add(source, forMode: .default)
        source.signal()
        loop.perform { lab.observe("CFRunLoopRun", "block") }
    }

    /// The statements in which undeclared names stand.
    private static let listing = ObjectiveCListing("""
        void __CFRunLoopDoObservers(CFRunLoopRef rl, CFRunLoopModeRef mode, int activity);
        int32_t __CFRunLoopServiceMachPort(int set, void *msg, unsigned long size, int *livePort, int timeout);
        int32_t __CFRunLoopRun(CFRunLoopRef rl, CFRunLoopModeRef mode, CFTimeInterval seconds, Boolean stopAfterHandle, Boolean *stopped) {
            int waitSet = 0, livePort = 0; char msg_buffer[16];
            poll = __CFRunLoopServiceMachPort(waitSet, &msg, sizeof(msg_buffer), &livePort, timeout);
            return 0;
        }
        int CFRunLoopRunSpecific(CFRunLoopRef rl, CFStringRef modeName, CFTimeInterval seconds, Boolean returnAfterSourceHandled) {
            __CFRunLoopDoObservers(rl, currentMode, 1);
            return 0;
        }
        """)

    func judge() {
        let steps = lab.events.filter { $0.name == "CFRunLoopRun" }.map(\.detail), pseudo = "pseudo code"
        lab.article.expect(Text("the listing compiles", "代码可以编译"), compilerError, times: 0)
        lab.article.expectFound(Text("its trace is that of CFRunLoopRun", "它的执行过程与 CFRunLoopRun 相同"), of: pseudo, steps)
        lab.expectFound(Text("four names are not declared", "有四个名字没有声明"), of: compilerError,
                        ["poll", "msg", "timeout", "currentMode"].map { "use of undeclared identifier '\($0)'" })
        lab.expectFound(Text("it lacks BeforeWaiting and AfterWaiting, and nothing else", "只缺少 BeforeWaiting 和 AfterWaiting"), of: pseudo,
                        steps.filter { !["BeforeWaiting", "AfterWaiting"].contains($0) })
        lab.expectFound(Text("in an empty mode it notifies Entry and waits", "空 mode 时，它通知 Entry 然后等待"), of: "pseudo code, empty mode",
                        ["Entry", "BeforeTimers", "BeforeSources", "waits", "Exit"])
        lab.expectFound(Text("the real one returns before Entry", "真实的在 Entry 之前就返回"), of: "CFRunLoopRun, empty mode", ["returns"])
    }
}
