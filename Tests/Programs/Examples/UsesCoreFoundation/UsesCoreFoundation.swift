// UsesCoreFoundation.swift: a module that knows nothing of this package and uses the toolchain's CoreFoundation, as RxBlocking and PromiseKit
// do. A program may link it beside SwiftRunLoop; each of its calls must reach the toolchain's functions. OnlyTheImport uses it with this loop.
import CoreFoundation
import Dispatch

/// The toolchain's string, and the toolchain's answer: 5.
public func lettersOfHello() -> Int {
    CFStringGetLength(CFStringCreateWithCString(nil, "hello", CFStringBuiltInEncodings.UTF8.rawValue))
}

/// Waits as RxBlocking waits: in a run that a block stops.
public func runsABlock() -> Bool {
    let loop = CFRunLoopGetCurrent()!
    nonisolated(unsafe) var hasRun = false
    CFRunLoopPerformBlock(loop, kCFRunLoopDefaultMode) {
        hasRun = true
        CFRunLoopStop(CFRunLoopGetCurrent())
    }
    CFRunLoopWakeUp(loop)
    CFRunLoopRun()
    return hasRun
}

/// What callbacks have seen.
private final class Seen: @unchecked Sendable { // the main thread alone uses it
    var words: [String] = []
}

/// Waits as PromiseKit waits: a source that does nothing keeps the mode from being empty until a block of the main queue stops the run. Returns
/// what its own observer, timer and block have seen.
public func waitsForAQueue() -> [String] {
    let loop = CFRunLoopGetCurrent(), seen = Seen()
    var context = CFRunLoopSourceContext()
    let source = CFRunLoopSourceCreate(nil, 0, &context)
    CFRunLoopAddSource(loop, source, kCFRunLoopDefaultMode)
    let observer = CFRunLoopObserverCreateWithHandler(nil, CFRunLoopActivity.entry.rawValue, false, 0) { _, _ in seen.words.append("entry") }
    CFRunLoopAddObserver(loop, observer, kCFRunLoopCommonModes)
    let timer = CFRunLoopTimerCreateWithHandler(nil, CFAbsoluteTimeGetCurrent() + 0.05, 0, 0, 0) { _ in
        seen.words.append("timer")
        DispatchQueue.main.async {
            seen.words.append("block")
            CFRunLoopStop(CFRunLoopGetMain())
        }
    }
    CFRunLoopAddTimer(loop, timer, kCFRunLoopDefaultMode)
    CFRunLoopRun()
    CFRunLoopRemoveSource(loop, source, kCFRunLoopDefaultMode)
    return seen.words
}
