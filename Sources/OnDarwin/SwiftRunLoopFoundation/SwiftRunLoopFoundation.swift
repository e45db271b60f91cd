// SwiftRunLoopFoundation.swift: this module on Darwin, where Foundation has the system's run loop.

#if canImport(Darwin)
@_exported public import Foundation
#else
#error("Sources/OnDarwin is for Darwin; Package.swift takes Sources/SwiftRunLoopFoundation on other systems.")
#endif
