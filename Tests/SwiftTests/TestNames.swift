import SwiftRunLoop
import SwiftRunLoopFoundation

// XCTest imports Foundation, which has types with these names. In the tests the names mean ours.
typealias NotificationQueue = SwiftRunLoopFoundation.NotificationQueue
typealias Port = SwiftRunLoop.Port
typealias RunLoop = SwiftRunLoop.RunLoop
typealias Thread = SwiftRunLoop.Thread
typealias Timer = SwiftRunLoop.Timer
