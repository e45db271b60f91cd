@testable import RunLoopLab
import SwiftRunLoop

// XCTest imports Foundation, which has types with these names. In the tests the names mean ours.
typealias MessagePort = RunLoopLab.MessagePort
typealias Port = SwiftRunLoop.Port
typealias PortDelegate = RunLoopLab.PortDelegate
typealias PortMessage = RunLoopLab.PortMessage
typealias RunLoop = SwiftRunLoop.RunLoop
typealias Thread = SwiftRunLoop.Thread
typealias Timer = SwiftRunLoop.Timer
