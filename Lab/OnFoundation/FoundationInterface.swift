// FoundationInterface.swift: what the experiments use and Foundation on Linux does not make public, based on its CoreFoundation. Nothing here
// changes the behaviour of the loop.

import CoreFoundation
import Foundation

extension RunLoop {
    /// An observer of Foundation's loop, with the interface of SwiftRunLoop's observer.
    final class Observer: @unchecked Sendable {
        struct Activity: OptionSet, Sendable, CustomStringConvertible {
            let rawValue: UInt

            static let entry = Activity(rawValue: 1)
            static let beforeTimers = Activity(rawValue: 2)
            static let beforeSources = Activity(rawValue: 4)
            static let beforeWaiting = Activity(rawValue: 32)
            static let afterWaiting = Activity(rawValue: 64)
            static let exit = Activity(rawValue: 128)
            static let allActivities = Activity(rawValue: 0x0FFF_FFFF)

            var description: String {
                let names = [1: "Entry", 2: "BeforeTimers", 4: "BeforeSources", 32: "BeforeWaiting", 64: "AfterWaiting", 128: "Exit"]
                return names[Int(rawValue)] ?? "activity \(rawValue)"
            }
        }

        fileprivate let cfObserver: CFRunLoopObserver

        init(activities: Activity = .allActivities, order: Int = 0, repeats: Bool = true, handler: @escaping (Observer, Activity) -> Void) {
            nonisolated(unsafe) var observer: Observer!
            cfObserver = CFRunLoopObserverCreateWithHandler(nil, CFOptionFlags(activities.rawValue), repeats, order) { _, activity in
                handler(observer, Activity(rawValue: UInt(activity.rawValue)))
            }
            observer = self
        }

        func invalidate() {
            CFRunLoopObserverInvalidate(cfObserver)
        }
    }

    /// A version 0 source of Foundation's loop, with the interface of SwiftRunLoop's source.
    final class Source: @unchecked Sendable {
        fileprivate let cfSource: CFRunLoopSource

        init(order: Int = 0, perform: @escaping () -> Void) {
            var context = CFRunLoopSourceContext()
            context.info = Unmanaged.passRetained(Performer(perform)).toOpaque()
            context.release = { Unmanaged<Performer>.fromOpaque($0!).release() }
            context.perform = { Unmanaged<Performer>.fromOpaque($0!).takeUnretainedValue().perform() }
            cfSource = CFRunLoopSourceCreate(nil, order, &context)
        }

        func signal() {
            CFRunLoopSourceSignal(cfSource)
        }

        func invalidate() {
            CFRunLoopSourceInvalidate(cfSource)
        }
    }

    func add(_ observer: Observer, forMode mode: RunLoop.Mode) {
        CFRunLoopAddObserver(cfRunLoop, observer.cfObserver, mode.cfString)
    }

    func add(_ source: Source, forMode mode: RunLoop.Mode) {
        CFRunLoopAddSource(cfRunLoop, source.cfSource, mode.cfString)
    }

    func remove(_ source: Source, forMode mode: RunLoop.Mode) {
        CFRunLoopRemoveSource(cfRunLoop, source.cfSource, mode.cfString)
    }
}

private final class Performer {
    let perform: () -> Void

    init(_ perform: @escaping () -> Void) {
        self.perform = perform
    }
}

extension RunLoop {
    func stop() { CFRunLoopStop(cfRunLoop) }

    func wakeUp() { CFRunLoopWakeUp(cfRunLoop) }

    func runUntilStopped(in mode: RunLoop.Mode) {
        while true {
            let result = CFRunLoopRunInMode(mode.cfString, 1e10, false)
            if result == .stopped || result == .finished { return }
        }
    }

    var isWaiting: Bool { CFRunLoopIsWaiting(cfRunLoop) }

    func addCommonMode(_ mode: RunLoop.Mode) { CFRunLoopAddCommonMode(cfRunLoop, mode.cfString) }

    /// The loop's modes, under Foundation's names.
    var allModes: [RunLoop.Mode] {
        let names = CFRunLoopCopyAllModes(cfRunLoop)!
        return (0..<CFArrayGetCount(names)).map { index in
            let name = unsafeBitCast(CFArrayGetValueAtIndex(names, index), to: CFString.self)
            return RunLoop.Mode(rawValue: String(describing: name))
        }
    }

    /// Foundation does not expose it. CoreFoundation returns the main loop on any thread, and any other loop only on its own thread.
    fileprivate var cfRunLoop: CFRunLoop {
        if self === RunLoop.main { return CFRunLoopGetMain() }
        precondition(self === RunLoop.current, "a loop that is not the main one can be used on its own thread alone")
        return CFRunLoopGetCurrent()
    }
}

extension RunLoop.Mode {
    init(_ name: String) { self.init(rawValue: name) }

    /// Foundation on Linux declares this mode, but the module does not contain the extension.
    static let tracking = RunLoop.Mode("UITrackingRunLoopMode")

    fileprivate var cfString: CFString {
        switch rawValue {
        case "kCFRunLoopDefaultMode": kCFRunLoopDefaultMode
        case "kCFRunLoopCommonModes": kCFRunLoopCommonModes
        default: CFStringCreateWithCString(nil, rawValue, CFStringEncoding(0x0800_0100) /* UTF-8 */)
        }
    }
}
