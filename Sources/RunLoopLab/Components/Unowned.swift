/// An object on its way into a callback that does not hold it. Sources and observers may be in any thread's loop, so the compiler
/// lets nothing into their closures that this thread goes on using; here it is known that the loop is this thread's.
struct Unowned<Object: AnyObject>: @unchecked Sendable {
    unowned let object: Object

    init(_ object: Object) {
        self.object = object
    }
}
