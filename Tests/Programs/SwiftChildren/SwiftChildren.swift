// SwiftChildren.swift: programs that ChildTests runs, one for each argument. Each changes its process in a way that a test must not: it
// ends the main thread, or uses up the system's resources. It prints its observations, one line each.
//
// The main function is async, and leaves the main thread to Swift's runtime. So the main thread runs it up to its first suspension and is
// parked by libdispatch then.

import FoundationEssentials
import RunLoopDiagnostics
import SwiftRunLoopAsync
import Synchronization

/// Prints a line at once, from any thread.
func say(_ line: String) {
    print(line)
    fflush(nil)
}

/// Waits up to ten seconds, then gives up and ends the process, because a test that hangs reports nothing.
func waitUntil(_ what: String, _ isTrue: () -> Bool) {
    for _ in 0..<10_000 {
        if isTrue() { return }
        usleep(1000)
    }
    say("not within ten seconds: \(what)")
    exit(3)
}

/// The description of the error that `body` throws.
func outcome(_ body: () throws -> Void) -> String {
    do { try body() } catch PerformError.mainThreadHasEnded { return "mainThreadHasEnded" } catch { return "\(error)" }
    return "no error"
}

final class Counter: Sendable {
    private let number = Mutex(0)
    var value: Int { number.withLock { $0 } }
    func add() { number.withLock { $0 += 1 } }
}

/// An actor on the main loop.
actor Counting {
    nonisolated var unownedExecutor: UnownedSerialExecutor { RunLoop.main.asUnownedSerialExecutor() }
    var count = 0
    func add() { count += 1 }
    func isOnMainThread() -> Bool { Thread.isMainThread }
}

final class Dropped: Sendable {
    let counter: Counter
    init(_ counter: Counter) { self.counter = counter }
    deinit { counter.add() }
}

/// Other threads perform on the main thread before and after its end.
func performOnMainThread(waiting started: DispatchSemaphore) {
    started.signal()
    say("waiting: " + outcome { try Thread.main.performAndWait { say("performed") } })
    waitUntil("the end of the main thread") { Thread.main.isFinished }
    say("waiting, later: " + outcome { try Thread.main.performAndWait { say("performed") } })
    say("not waiting: \(Thread.main.perform { say("performed") })")
}

/// Two threads: one waits before the main thread ends, the other finds it ended.
func observePerforms() {
    let started = DispatchSemaphore(value: 0), dropped = Counter()
    let token = Dropped(dropped)
    Thread.main.perform { withExtendedLifetime(token) { say("performed") } }
    Thread.detachNewThread {
        performOnMainThread(waiting: started)
        waitUntil("the release of what is never performed") { dropped.value == 1 }
        exit(0)
    }
    started.wait()
}

/// Jobs wait for the main loop when the main thread ends.
func observeJobs() {
    let actor = Counting()
    for _ in 0..<100 { Task.detached { await actor.add() } }
    Task.detached {
        while await actor.count < 100 { await Task.yield() }
        say("all jobs have run")
        say("the last one on the main thread: \(await actor.isOnMainThread())")
        await Counting().add()
        say("a new actor's, too")
        exit(0)
    }
}

/// The main thread ends before anything has asked for its loop's jobs.
func observeLateJobs() {
    Thread.detachNewThread {
        waitUntil("the end of the main thread") { Thread.main.isFinished }
        Task.detached {
            await Counting().add()
            say("a late job has run")
            exit(0)
        }
    }
}

/// A forked child has the handler and the pipe of its parent. It gets a signal, and then the parent does.
func signalAForkedChild() {
    let received = Counter()
    let source = try! RunLoop.Source(signals: SIGUSR1) { _ in received.add() }
    RunLoop.main.add(source, forMode: .default)
    let fork = unsafeBitCast(dlsym(nil, "fork")!, to: (@convention(c) () -> pid_t).self) // Swift has no other way
    let child = fork()
    if child == 0 {
        kill(getpid(), SIGUSR1)
        _exit(0)
    }
    waitpid(child, nil, 0)
    RunLoop.main.run(mode: .default, before: Date())
    say("after the child's: \(received.value)")
    kill(getpid(), SIGUSR1)
    RunLoop.main.run(mode: .default, before: Date())
    say("after its own: \(received.value)")
    exit(0)
}

/// The lines of standard input, whatever that is, while a timer of the same loop ticks.
func readLinesWhileATimerTicks() {
    let ticks = Counter()
    RunLoop.main.add(Timer(timeInterval: 0.001, repeats: true) { _ in ticks.add() }, forMode: .default)
    Task.detached {
        do throws(POSIXError) {
            for try await line in try RunLoop.main.lines(of: STDIN_FILENO) { say("line: \(line)") }
            say("end")
        } catch { say("error \(error.code.rawValue)") }
        let before = ticks.value
        while ticks.value < before + 3 { try? await Task.sleep(for: .milliseconds(1)) }
        say("the timer ticks")
        exit(0)
    }
    RunLoop.main.run()
}

/// Tasks await the main loop while the main thread does something else.
func observeAMainLoopThatNobodyRuns(_ wait: String) {
    if wait == "attached" { RunLoop.main.attachToMainQueue() }
    if ["all", "attached", "ticks"].contains(wait) { Task.detached { for await _ in RunLoop.main.ticks(every: .milliseconds(1)) {} } }
    if ["all", "attached", "run"].contains(wait) { for _ in 0..<2 { Task.detached { try await Thread.main.run {} } } }
    if ["all", "attached", "attached later", "job"].contains(wait) { Task.detached { await Counting().add() } }
    usleep(200_000)
    if wait == "attached later" { RunLoop.main.attachToMainQueue() }
    Thread.sleep(forTimeInterval: 4)
    exit(0)
}

/// A thread is made before anything has asked for the main thread, and another one afterwards.
func observeNumbers() {
    let before = Thread {}, main = Thread.main, after = Thread {}
    for thread in [before, main, after] { say(String(thread.description.firstMatch(of: /number = \d+/)!.0)) }
    exit(0)
}

@MainActor var mainActorsCount = 0

/// The loop of another thread gets a closure of the main actor.
func callAClosureOfAnotherActor(_ item: String) {
    Thread.detachNewThread {
        let loop = RunLoop.current
        loop.add(Port(), forMode: .default)
        switch item {
        case "timer": loop.add(Timer(timeInterval: 0.001, repeats: false) { @MainActor _ in mainActorsCount += 1 }, forMode: .default)
        case "fire": Timer(timeInterval: 1, repeats: false) { @MainActor _ in mainActorsCount += 1 }.fire()
        case "observer": loop.add(RunLoop.Observer { @MainActor _, _ in mainActorsCount += 1 }, forMode: .default)
        case "source":
            let source = RunLoop.Source { @MainActor in mainActorsCount += 1 }
            loop.add(source, forMode: .default)
            source.signal()
        case "descriptor":
            var ends: [Int32] = [0, 0]
            precondition(pipe(&ends) == 0)
            try! loop.add(RunLoop.Source(fileDescriptor: ends[1], events: .writable) { @MainActor _, _ in mainActorsCount += 1 }, forMode: .default)
        case "signal":
            try! loop.add(RunLoop.Source(signals: SIGUSR1) { @MainActor _ in mainActorsCount += 1 }, forMode: .default)
            kill(getpid(), SIGUSR1)
        default: loop.perform { @MainActor in mainActorsCount += 1 }
        }
        loop.run(mode: .default, before: Date(timeIntervalSinceNow: 10))
        say("called")
        exit(0)
    }
}

/// Another loop than the main one, or another thread.
func attachWhatCannotBeAttached(_ loop: String) {
    if loop == "common" { RunLoop.main.attachToMainQueue(forMode: .common) }
    Thread.detachNewThread {
        (loop == "main" ? RunLoop.main : RunLoop.current).attachToMainQueue()
        say("attached")
        exit(0)
    }
    sleep(10)
}

/// After `dispatchMain()`, a thread that is not the main one serves the main queue.
func callAClosureOfTheMainActorOnTheMainQueue() {
    DispatchQueue.main.async {
        Timer(timeInterval: 1, repeats: false) { @MainActor _ in say("called on the main thread: \(Thread.isMainThread)") }.fire()
        exit(0)
    }
}

/// Tasks wait for the main loop when the main thread ends, and others find it ended.
func observeSequences() {
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0)
    let events = try! RunLoop.main.events(of: ends[0])
    Task.detached {
        let sequences = [
            ("ticks", Task { for await _ in RunLoop.main.ticks(every: .seconds(1000)) {} }),
            ("descriptor's events", Task { for await _ in events {} }),
        ]
        for (name, task) in sequences {
            await task.value
            say("the \(name) end")
        }
        for await _ in RunLoop.main.ticks(every: .milliseconds(1)) { say("a tick") }
        for await _ in try! RunLoop.main.events(of: ends[1], for: .writable) { say("an event") }
        say("later sequences end, too")
        exit(0)
    }
}

/// The order of first uses differs: when the main thread ends, no code has asked for its object or its loop.
func observeFirstUseAfterTheEnd() {
    Thread.detachNewThread {
        usleep(20_000)
        waitUntil("the end of the main thread") { Thread.main.isFinished }
        say("waiting: " + outcome { try Thread.main.performAndWait {} })
        say("executing: \(Thread.main.isExecuting)")
        exit(0)
    }
}

/// In a program with a synchronous main, the main thread is alive and runs its loop for long, so it must not count as ended.
func observeAMainThreadThatLives() {
    Thread.detachNewThread {
        say("waiting: " + outcome { try Thread.main.performAndWait { say("performed") } })
        say("finished: \(Thread.main.isFinished)")
        exit(0)
    }
    while true { RunLoop.main.run(mode: .default, before: .distantFuture) }
}

/// There is address space for small stacks, but not for one of 1 GB.
func observeAThreadWithoutRoom() {
    var limit = rlimit(rlim_cur: 1 << 30, rlim_max: 1 << 30)
    precondition(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
    let released = Counter(), performed = Counter()
    func start() -> Thread {
        let token = Dropped(released), waits = Dropped(performed)
        let thread = Thread { withExtendedLifetime(token) { say("never") } }
        thread.stackSize = 1 << 30
        thread.perform { withExtendedLifetime(waits) { say("never") } }
        thread.start()
        return thread
    }
    func observe() {
        let thread = start()
        thread.join()
        say("finished: \(thread.isFinished), executing: \(thread.isExecuting), EAGAIN: \(thread.startError == EAGAIN)")
        say("block released: \(released.value == 1)")
        say("waiting: " + outcome { try thread.performAndWait { say("never") } })
        say("performed before: \(performed.value) released")
    }
    observe()
    func observeASmallOne() {
        let thread = Thread {}
        thread.stackSize = 1 << 20
        thread.start()
        waitUntil("the end of a small thread") { thread.isFinished }
        say("a smaller one: finished \(thread.isFinished), error \(thread.startError)")
    }
    observeASmallOne()
    observeAMonitorWithoutRoom()
    exit(0)
}

/// A worker cannot be without its thread.
func observeAWorkerWithoutRoom() {
    var limit = rlimit(rlim_cur: 1 << 30, rlim_max: 1 << 30)
    precondition(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
    let worker = RunLoop.Worker(stackSize: 1 << 30)
    say("there is a worker: \(worker)")
    exit(0)
}

/// The watching thread of a monitor has the default stack of 8 MB, for which there is no room now. There is some for other memory.
func observeAMonitorWithoutRoom() {
    let pages = try! String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ").first.flatMap { UInt($0) }!
    var limit = rlimit(rlim_cur: pages * UInt(getpagesize()) + 4 << 20, rlim_max: 1 << 30)
    precondition(setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0)
    let diagnostics = StallWatch { _ in say("never") }
    diagnostics.start()
    diagnostics.stop()
    say("a monitor stops")
}

@main
struct SwiftChildren {
    static func main() async {
        RunLoop.runsInAsyncMain = false
        if CommandLine.arguments.dropFirst().first == "no-threads" { return observeAThreadWithoutRoom() }
        begin()
        try? await Task.sleep(nanoseconds: 60_000_000_000) // the main thread goes to libdispatch here
    }

    /// The second start comes before the thread's first statement, or after it.
    private static func startAThreadTwice() {
        let thread = Thread { sleep(10) }
        thread.start()
        if CommandLine.arguments.count > 2 { while !thread.isExecuting { usleep(1000) } }
        thread.start()
    }

    private static func waitForASignalWithoutADescriptor() {
        var limit = rlimit(), action = sigaction()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        var none = rlimit(rlim_cur: 0, rlim_max: limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
        let result = Result { try RunLoop.Source(signals: SIGUSR1) { _ in } }
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        if case .failure(let error) = result { say("EMFILE: \((error as? POSIXError)?.code == .EMFILE)") }
        sigaction(SIGUSR1, nil, &action)
        say("the action is the default one: \(action.__sigaction_handler.sa_handler == nil)")
        exit(0)
    }

    /// On the main thread, before its first suspension.
    static func begin() {
        precondition(Thread.isMainThread)
        let words = CommandLine.arguments.dropFirst()
        switch words.first {
        case "performs": observePerforms()
        case "jobs": observeJobs()
        case "late-jobs": observeLateJobs()
        case "sequences": observeSequences()
        case "first-use": observeFirstUseAfterTheEnd()
        case "no-worker": observeAWorkerWithoutRoom()
        case "lives": observeAMainThreadThatLives()
        case "fork": signalAForkedChild()
        case "started-twice": startAThreadTwice()
        case "impossible-signal": _ = try? RunLoop.Source(signals: Int32(CommandLine.arguments[2])!) { _ in }
        case "no-descriptor": waitForASignalWithoutADescriptor()
        case "input": readLinesWhileATimerTicks()
        case "unserved": observeAMainLoopThatNobodyRuns(CommandLine.arguments[2])
        case "numbers": observeNumbers()
        case "dictionary": useAnotherThreadsDictionary()
        case "no-number":
            let isDate = CommandLine.arguments[2] == "date"
            _ = Timer(fire: isDate ? Date(timeIntervalSinceReferenceDate: .nan) : Date(), interval: isDate ? 1 : .nan, repeats: true) { _ in }
        case "wrong-actor": callAClosureOfAnotherActor(CommandLine.arguments[2])
        case "main-actor": callAClosureOfTheMainActorOnTheMainQueue()
        case "attach": attachWhatCannotBeAttached(CommandLine.arguments[2])
        default: fatalError("which program?")
        }
        switch words.last {
        case "dispatchMain": dispatchMain()
        case "pthread_exit": pthread_exit(nil)
        case "Thread.exit": Thread.exit()
        default: break // the async main itself
        }
    }
}
