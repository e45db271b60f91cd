// Shared.swift: what the programs of AsyncMainTests share: what each does on its main thread, and how it prints the result.

import SwiftRunLoop
import Synchronization

/// Prints a line at once, from any thread.
public func say(_ line: String) {
    print(line)
    fflush(nil)
}

/// Ends a program that hangs, because a test that hangs reports nothing.
public func limitRunningTime() {
    Thread.detachNewThread {
        Thread.sleep(forTimeInterval: 60)
        say("not within a minute")
        exit(3)
    }
}

@_silgen_name("gettid") private func gettid() -> Int32

/// The kernel's number of the main thread is that of the process. This asks no library which thread is the main one.
public func isOnMainThread() -> Bool {
    gettid() == getpid() && Thread.isMainThread && Thread.current === Thread.main
}

/// The seconds of processor time that the process has used.
public func processorTime() -> Double {
    Double(clock()) / Double(CLOCKS_PER_SEC)
}

/// A descriptor that is ready to read.
private func endedPipe() -> Int32 {
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0)
    close(ends[1])
    return ends[0]
}

private func currentMode() -> String { RunLoop.main.currentMode.map { $0 == .default ? "default" : "another" } ?? "none" }

/// Waits until a closure calls its argument.
@MainActor private func wait(for start: (@escaping @Sendable () -> Void) -> Void) async {
    await withCheckedContinuation { continuation in start { continuation.resume() } }
}

/// Uses everything that needs the main thread, and prints on which thread it came and in which mode of the main loop.
@MainActor public func useMainThread() async throws {
    func report(_ what: String) { say("\(what): \(isOnMainThread() ? "main thread" : "another thread"), mode \(currentMode())") }
    let timerTicks = Mutex(0)
    await wait { done in
        RunLoop.main.add(Timer(timeInterval: 0.001, repeats: true) { timer in
            let ticks = timerTicks.withLock { $0 += 1; return $0 }
            if ticks < 3 { return }
            timer.invalidate()
            say("timer: \(isOnMainThread() ? "main thread" : "another thread"), mode \(currentMode())")
            done()
        }, forMode: .common)
    }
    report("main actor after it")
    try await Task.sleep(nanoseconds: 1_000_000)
    report("after a sleep")
    await wait { done in DispatchQueue.main.async { done() } }
    report("after a block of the main queue")
    await wait { done in
        DispatchQueue.main.async {
            say("the block itself: \(isOnMainThread() ? "main thread" : "another thread")")
            done()
        }
    }
    await Task.detached {
        say("detached: \(await offMainThread() ? "another thread" : "main thread")")
        await MainActor.run { say("MainActor.run: \(isOnMainThread() ? "main thread" : "another thread")") }
    }.value
    await wait { done in
        Thread.detachNewThread {
            try! Thread.main.performAndWait { say("performed: \(isOnMainThread() ? "main thread" : "another thread")") }
            done()
        }
    }
    say("awaited perform: \(try await Thread.main.run { isOnMainThread() } ? "main thread" : "another thread")")
    await wait { done in RunLoop.main.perform { done() } }
    let source = try! RunLoop.Source(fileDescriptor: endedPipe()) { source, _ in source.invalidate() }
    RunLoop.main.add(source, forMode: .default)
    while source.isValid { try await Task.sleep(nanoseconds: 1_000_000) }
    report("after a block and a source of the loop")
    say("main thread executing: \(Thread.main.isExecuting)")
}

private func offMainThread() async -> Bool { !isOnMainThread() }
