// FoundationFace.swift: what the experiments use and Foundation on Linux does not make public, on the functions of its CoreFoundation.
// Nothing here changes what the loop does.

import CoreFoundation
import Foundation

/// An observer of Foundation's own loop, with the face of SwiftRunLoop's.
final class Observer: @unchecked Sendable {
    struct Activity: OptionSet, Sendable, CustomStringConvertible {
        let rawValue: UInt

        static let entry = Activity(rawValue: 1)
        static let beforeTimers = Activity(rawValue: 2)
        static let beforeSources = Activity(rawValue: 4)
        static let beforeWaiting = Activity(rawValue: 32)
        static let afterWaiting = Activity(rawValue: 64)
        static let exit = Activity(rawValue: 128)
        static let all = Activity(rawValue: 0x0FFF_FFFF)

        var description: String {
            let names = [1: "Entry", 2: "BeforeTimers", 4: "BeforeSources", 32: "BeforeWaiting", 64: "AfterWaiting", 128: "Exit"]
            return names[Int(rawValue)] ?? "activity \(rawValue)"
        }
    }

    private let observer: CFRunLoopObserver

    init(activities: Activity = .all, order: Int = 0, repeats: Bool = true, handler: @escaping (Observer, Activity) -> Void) {
        nonisolated(unsafe) var face: Observer!
        observer = CFRunLoopObserverCreateWithHandler(nil, CFOptionFlags(activities.rawValue), repeats, order) { _, activity in
            handler(face, Activity(rawValue: UInt(activity.rawValue)))
        }
        face = self
    }

    func add(to runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        CFRunLoopAddObserver(runLoop.cfRunLoop, observer, mode.cfString)
    }

    func invalidate() {
        CFRunLoopObserverInvalidate(observer)
    }
}

/// A version 0 source of Foundation's own loop, with the face of SwiftRunLoop's.
final class Source: @unchecked Sendable {
    private let source: CFRunLoopSource

    init(order: Int = 0, perform: @escaping () -> Void) {
        var context = CFRunLoopSourceContext()
        context.info = Unmanaged.passRetained(Performer(perform)).toOpaque()
        context.release = { Unmanaged<Performer>.fromOpaque($0!).release() }
        context.perform = { Unmanaged<Performer>.fromOpaque($0!).takeUnretainedValue().perform() }
        source = CFRunLoopSourceCreate(nil, order, &context)
    }

    func add(to runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        CFRunLoopAddSource(runLoop.cfRunLoop, source, mode.cfString)
    }

    func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) {
        CFRunLoopRemoveSource(runLoop.cfRunLoop, source, mode.cfString)
    }

    func signal() {
        CFRunLoopSourceSignal(source)
    }

    func invalidate() {
        CFRunLoopSourceInvalidate(source)
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

    var isWaiting: Bool { CFRunLoopIsWaiting(cfRunLoop) }

    func addCommonMode(_ mode: RunLoop.Mode) { CFRunLoopAddCommonMode(cfRunLoop, mode.cfString) }

    /// The loop's modes, by Foundation's names for them.
    var allModes: [RunLoop.Mode] {
        let names = CFRunLoopCopyAllModes(cfRunLoop)!
        return (0..<CFArrayGetCount(names)).map { index in
            let name = unsafeBitCast(CFArrayGetValueAtIndex(names, index), to: CFString.self)
            return RunLoop.Mode(rawValue: String(describing: name))
        }
    }

    /// Foundation does not hand it out, so it can be had where CoreFoundation does: the main loop's everywhere, another one's on its thread.
    fileprivate var cfRunLoop: CFRunLoop {
        if self === RunLoop.main { return CFRunLoopGetMain() }
        precondition(self === RunLoop.current, "a loop that is not the main one can be used on its own thread alone")
        return CFRunLoopGetCurrent()
    }
}

extension RunLoop.Mode {
    init(_ name: String) { self.init(rawValue: name) }

    /// Foundation on Linux has its name, but the extension is not in the module.
    static let tracking = RunLoop.Mode("UITrackingRunLoopMode")

    fileprivate var cfString: CFString {
        switch rawValue {
        case "kCFRunLoopDefaultMode": kCFRunLoopDefaultMode
        case "kCFRunLoopCommonModes": kCFRunLoopCommonModes
        default: CFStringCreateWithCString(nil, rawValue, CFStringEncoding(0x0800_0100) /* UTF-8 */)
        }
    }
}
