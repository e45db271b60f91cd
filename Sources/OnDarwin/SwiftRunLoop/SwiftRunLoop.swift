// SwiftRunLoop.swift: this module on Darwin, where the system has this run loop. `import SwiftRunLoop` is `import Foundation` there, so one
// line serves a program that is built for both.

#if canImport(Darwin)
@_exported public import Foundation
#else
#error("Sources/OnDarwin is for Darwin; Package.swift takes Sources/SwiftRunLoop on other systems.")
#endif
