// SwiftRunLoopFoundation.swift: Foundation with this run loop. A file that says `import SwiftRunLoopFoundation` instead
// of `import Foundation` gets all of Foundation, but RunLoop, Timer, Thread, Port and the types around them are ours.
//
// The names below make that so: a module's own names hide those of the modules that it exports. A file that also
// imports Foundation, itself or through XCTest, sees both and must choose, as with SwiftRunLoop alone.

@_exported public import Foundation
@_exported public import SwiftRunLoop
#if os(Linux)
// As on a Mac, where Foundation exports CoreFoundation: a file calls CFRunLoopRun() without another import.
@_exported public import CRunLoop
// Exported by name, for the same reason as in SwiftRunLoop.
@_exported public import typealias FoundationEssentials.TimeInterval

/// SwiftRunLoop's run loop.
public typealias RunLoop = SwiftRunLoop.RunLoop

/// SwiftRunLoop's timer.
public typealias Timer = SwiftRunLoop.Timer

/// SwiftRunLoop's thread.
public typealias Thread = SwiftRunLoop.Thread

/// SwiftRunLoop's port.
public typealias Port = SwiftRunLoop.Port

extension SwiftRunLoop.Thread {
    /// A dictionary for this thread's data, which is released when the thread ends (threadDictionary).
    ///
    /// Once the thread has been started, only the thread itself may ask for it; another thread traps.
    @available(*, noasync, message: "the thread may change at each await: use a task-local value")
    public var threadDictionary: NSMutableDictionary {
        require(!runsElsewhere, "Thread.threadDictionary: only the thread itself may use it while it runs")
        if let dictionary { return dictionary as! NSMutableDictionary }
        let made = NSMutableDictionary()
        dictionary = made
        return made
    }

    /// Stored only for source compatibility: Linux has no such classes of threads (qualityOfService).
    public var qualityOfService: QualityOfService {
        get { qualityOfServiceValue.flatMap(QualityOfService.init) ?? .default }
        set { qualityOfServiceValue = newValue.rawValue }
    }
}
#endif
