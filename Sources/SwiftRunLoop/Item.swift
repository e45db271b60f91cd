// Item.swift: what the modes of a loop consist of.

#if os(Linux)
internal import CRunLoop

extension RunLoop {
    /// An item of a mode: a Timer, a Port, a `RunLoop.Source` or a `RunLoop.Observer`.
    ///
    /// A loop retains its items: each stays until it is removed or invalidated, or the loop's thread ends, also when
    /// your last reference is gone. The item's object of the C library (`cfTimer`, `cfSource`, `cfObserver`) and the
    /// item keep each other alive, too.
    ///
    /// The end of a loop's thread invalidates ports alone. Other items leave the loop and stay valid, as on a Mac: you
    /// may add them to another one.
    @safe open class Item: RunLoopObject, @unchecked Sendable {
        /// What kind of object the C library has for the item.
        enum Kind { case source, observer, timer }

        final let kind: Kind
        private var twin: Twin // set before other threads know the object

        /// Makes the item of a C object. A subclass has set its own properties before.
        @safe init(_ kind: Kind, _ object: some Any) {
            self.kind = kind
            twin = Twin(object)
            _ = twin.bind(to: self)
        }

        /// The C object, which must be of the item's kind.
        @safe final func object<CObject>() -> CObject { twin.object() }

        /// The item as CFCopyDescription shows it.
        public var description: String { twin.description }

        /// Removes the item from all loops permanently, and releases its closure (invalidate).
        ///
        /// If the closure is being called at this moment, it is released when it returns. On another thread than the
        /// loop's, that call may still be in progress afterwards.
        public func invalidate() {
            switch kind {
            case .source: CFRunLoopSourceInvalidate(object())
            case .observer: CFRunLoopObserverInvalidate(object())
            case .timer: CFRunLoopTimerInvalidate(object())
            }
            hasBeenInvalidated()
        }

        /// Whether the item can still be called (isValid).
        ///
        /// It is false after `invalidate()`, after a one-shot timer has fired, and after the call of an observer that
        /// does not repeat. While the closure of such a timer is being called, it is true.
        public var isValid: Bool {
            switch kind {
            case .source: CFRunLoopSourceIsValid(object())
            case .observer: CFRunLoopObserverIsValid(object())
            case .timer: CFRunLoopTimerIsValid(object())
            }
        }

        func hasBeenInvalidated() {}

        func join(_ runLoop: RunLoop, _ mode: Mode) {
            let loop = runLoop.cfRunLoop, name = mode.cfString
            switch kind {
            case .source: CFRunLoopAddSource(loop, object(), name)
            case .observer: CFRunLoopAddObserver(loop, object(), name)
            case .timer: CFRunLoopAddTimer(loop, object(), name)
            }
        }

        func leave(_ runLoop: RunLoop, _ mode: Mode) {
            let loop = runLoop.cfRunLoop, name = mode.cfString
            switch kind {
            case .source: CFRunLoopRemoveSource(loop, object(), name)
            case .observer: CFRunLoopRemoveObserver(loop, object(), name)
            case .timer: CFRunLoopRemoveTimer(loop, object(), name)
            }
        }

        func isIn(_ runLoop: RunLoop, _ mode: Mode) -> Bool {
            let loop = runLoop.cfRunLoop, name = mode.cfString
            return switch kind {
            case .source: CFRunLoopContainsSource(loop, object(), name)
            case .observer: CFRunLoopContainsObserver(loop, object(), name)
            case .timer: CFRunLoopContainsTimer(loop, object(), name)
            }
        }
    }

    /// Adds an item to a mode of the loop (addTimer:forMode:, addPort:forMode:, CFRunLoopAddSource).
    ///
    /// Nothing happens if the item is invalid or is in the mode already, if it is a timer or observer of another loop,
    /// or if the loop's thread has ended.
    public func add(_ item: Item, forMode mode: Mode) { item.join(self, mode) }

    /// Removes an item from a mode of the loop (removePort:forMode:, CFRunLoopRemoveTimer, CFRunLoopRemoveSource).
    ///
    /// The item stays valid. A timer or observer that is in no mode any more may be added to another loop.
    public func remove(_ item: Item, forMode mode: Mode) { item.leave(self, mode) }

    /// Returns whether an item is in a mode of the loop (CFRunLoopContainsTimer, CFRunLoopContainsSource).
    ///
    /// For `.common`, this is whether the item was added to the common modes.
    public func contains(_ item: Item, forMode mode: Mode) -> Bool { item.isIn(self, mode) }
}
#endif
