// Article 4, 〈2.2 RunLoop线程管理机制〉: 4.6.
//
// A thread that stays, and tasks performed on it. What to see: the listing does not compile; with a static property it does its work.

import SwiftRunLoop
import Synchronization

// MARK: - The listing

private enum ThreadOwner {
    private static let thread = Mutex<NSThread?>(nil)
    /// The cure: both methods know it.
    static var permanentThread: NSThread? { thread.withLock { $0 } }

    static func createPermanentThread() {
        thread.withLock { thread in
            if thread != nil { return } // dispatch_once
            let new = NSThread { threadEntryPoint() }
            new.name = "PermanentThread"
            new.start()
            thread = new
        }
    }

    private static func threadEntryPoint() {
        autoreleasepool {
            let runLoop = NSRunLoop.current
            runLoop.add(NSMachPort(), forMode: .default)
            // 开启RunLoop
            runLoop.run()
        }
    }

    static func performTaskInPermanentThread(_ task: @escaping @Sendable () -> Void) {
        guard let permanentThread else { return }
        try? NSThread.perform(on: permanentThread, waitUntilDone: false) { executeTask(task) }
    }

    private static func executeTask(_ task: () -> Void) { task() }
}

// MARK: - Telling and judging

struct PermanentThread: Program {
    let about = About(article: "4.6", seconds: 0.1, isPair: true)

    private static let tasks = 100

    func run() {
        switch form {
        case .asWritten: lab.compile(Self.listing)
        case .cured:
            ThreadOwner.createPermanentThread()
            for number in 1...Self.tasks {
                ThreadOwner.performTaskInPermanentThread { lab.callout(.source0, "task", value: Double(number)) }
            }
            lab.waitUntil { lab.times("task") == Self.tasks }
            NSLog("\(lab.times("task"))个任务, 线程\(ThreadOwner.permanentThread?.name ?? "")")
            lab.observe("the thread", ThreadOwner.permanentThread?.isExecuting == true ? "stays" : "has ended")
        }
    }

    /// The listing, as far as its fault needs it.
    private static let listing = ObjectiveCListing("""
        @interface ThreadOwner : NSObject
        @end
        @implementation ThreadOwner
        + (void)createPermanentThread {
            static NSThread *permanentThread = 0;
            permanentThread = [[NSThread alloc] initWithTarget:self selector:@selector(threadEntryPoint) object:0];
            [permanentThread start];
        }
        + (void)threadEntryPoint {}
        + (void)performTaskInPermanentThread:(void (^)(void))task {
            [(NSObject *)self performSelector:@selector(executeTask:) onThread:permanentThread withObject:task waitUntilDone:NO];
        }
        + (void)executeTask:(void (^)(void))task {
            if (task) task();
        }
        @end
        """)

    func judge() {
        if form == .asWritten { return lab.expectRefusal(["use of undeclared identifier 'permanentThread'"]) }
        lab.expect(Text("all tasks are performed, in their order", "所有任务都执行了，顺序不变"), of: "task", is: Self.tasks) { tasks in
            tasks.values == (1...Self.tasks).map(Double.init) ? tasks.count : -1
        }
        lab.expect(Text("one thread performs them", "都在同一个线程上"), each: "task", \.thread, is: "PermanentThread")
        lab.expect(Text("a Source0 calls them", "由 Source0 调用"), each: "task", \.kind, is: "Source0")
        lab.expectFound(Text("the thread stays", "线程常驻"), of: "the thread", ["stays"])
    }
}
