// Invocation.swift: a message kept as an object, as NSInvocation, for the two timer factories that take one. (T1)

import SwiftRunLoop

/// A method call that can be made later. On a Mac it is built at run time from a selector and arguments; here from a closure.
final class Invocation: Sendable {
    private let call: @Sendable () -> Void

    init(_ call: @escaping @Sendable () -> Void) {
        self.call = call
    }

    func invoke() { call() }
}

extension Timer {
    /// Makes a timer without adding it to a loop (timerWithTimeInterval:invocation:repeats:).
    convenience init(timeInterval interval: TimeInterval, invocation: Invocation, repeats: Bool) {
        self.init(timeInterval: interval, repeats: repeats) { _ in invocation.invoke() }
    }

    /// Makes a timer and adds it to the default mode of the current loop (scheduledTimerWithTimeInterval:invocation:repeats:).
    class func scheduledTimer(timeInterval interval: TimeInterval, invocation: Invocation, repeats: Bool) -> Timer {
        scheduledTimer(withTimeInterval: interval, repeats: repeats) { _ in invocation.invoke() }
    }
}
