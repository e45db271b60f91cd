// UsesCoreFoundation.swift: a module that knows nothing of this package and uses the toolchain's CoreFoundation, as RxBlocking and PromiseKit
// do. A program may link it beside SwiftRunLoop; each of its calls must reach the toolchain's functions.
import CoreFoundation

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
