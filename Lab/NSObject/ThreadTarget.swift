// ThreadTarget.swift: threads that call a method of an object, as NSThread's target and selector.

import SwiftRunLoop

extension Thread {
    /// Makes a thread that calls a method of an object with an argument and then ends (initWithTarget:selector:object:).
    convenience init<Target: AnyObject & Sendable, Argument: Sendable>(
        target: Target, action: @escaping @Sendable (Target) -> (Argument) -> Void, object argument: Argument
    ) {
        self.init { action(target)(argument) }
    }

    /// Makes a thread that calls a method without an argument and then ends (initWithTarget:selector:object:).
    convenience init<Target: AnyObject & Sendable>(
        target: Target, action: @escaping @Sendable (Target) -> () -> Void
    ) {
        self.init { action(target)() }
    }
}
