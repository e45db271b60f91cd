/// Carries an object into a callback that does not retain it. Sources and observers may be in any thread's loop, so the compiler rejects
/// closures that share an object with this thread. Use this only if the loop belongs to this thread.
struct Unowned<Object: AnyObject>: @unchecked Sendable {
    unowned let object: Object

    init(_ object: Object) {
        self.object = object
    }
}
