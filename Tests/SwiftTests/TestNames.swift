import SwiftRunLoop

// XCTest imports Foundation, which has types with these names. In the tests the names mean ours.
typealias NotificationQueue = SwiftRunLoop.NotificationQueue
typealias Port = SwiftRunLoop.Port
typealias PortDelegate = SwiftRunLoop.PortDelegate
typealias PortMessage = SwiftRunLoop.PortMessage
typealias QualityOfService = SwiftRunLoop.QualityOfService
typealias RunLoop = SwiftRunLoop.RunLoop
typealias Thread = SwiftRunLoop.Thread
typealias Timer = SwiftRunLoop.Timer
