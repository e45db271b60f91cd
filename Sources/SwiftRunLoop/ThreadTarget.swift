// ThreadTarget.swift: threads that call a method of an object. On a Mac they take a selector; here they take a method.

#if os(Linux)
extension Thread {
    /// Makes a thread that calls a method of an object with an argument and then ends (initWithTarget:selector:object:).
    ///
    ///     let thread = Thread(target: loader, action: Loader.load, object: "a")
    ///     thread.start()
    ///
    /// - Parameters:
    ///   - target: the object, retained until the method has returned. It must be Sendable, because the new thread uses it.
    ///   - action: a method of the target's class: `Loader.load` for `func load(_ name: String)`.
    ///   - argument: the method's argument. If it is not Sendable, you give it away.
    public convenience init<Target: AnyObject & Sendable, Argument>(
        target: Target, action: @escaping @Sendable (Target) -> (Argument) -> Void, object argument: sending Argument
    ) {
        let argument = Transferred(argument) // the caller has given it away, and only the thread uses it
        self.init { action(target)(argument.value) }
    }

    /// Makes a thread that calls a method without an argument and then ends: see `init(target:action:object:)`.
    public convenience init<Target: AnyObject & Sendable>(target: Target, action: @escaping @Sendable (Target) -> () -> Void) {
        self.init { action(target)() }
    }

    /// Starts a new thread that calls a method of an object with an argument (detachNewThreadSelector:toTarget:withObject:).
    ///
    /// See `init(target:action:object:)`.
    public class func detachNewThread<Target: AnyObject & Sendable, Argument>(
        _ action: @escaping @Sendable (Target) -> (Argument) -> Void, toTarget target: Target, with argument: sending Argument
    ) {
        Thread(target: target, action: action, object: argument).start()
    }

    /// Starts a new thread that calls a method without an argument: see `detachNewThread(_:toTarget:with:)`.
    public class func detachNewThread<Target: AnyObject & Sendable>(
        _ action: @escaping @Sendable (Target) -> () -> Void, toTarget target: Target
    ) {
        Thread(target: target, action: action).start()
    }
}
#endif
