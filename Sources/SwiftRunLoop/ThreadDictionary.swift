// ThreadDictionary.swift: the replacement for the NSMutableDictionary of Foundation's Thread, which FoundationEssentials lacks.

#if os(Linux)
import Synchronization

/// A dictionary for the data of a thread, with the methods of NSMutableDictionary that are used with threads.
///
/// With SwiftRunLoopFoundation it has more of them, such as `allKeys` and `setValue(_:forKey:)`, and takes an NSString for a String.
///
/// It is a class, so that `Thread.current.threadDictionary[key] = value` changes the thread's own dictionary. Keys are compared with `==`.
/// Any thread may call the methods. The values need not be Sendable, so use them on the dictionary's thread only. A removed or replaced
/// value is released after the change, so its deinitializer may use the dictionary.
public final class ThreadDictionary: CustomStringConvertible {
    /// The lock guards the dictionary, and not what its values refer to.
    private struct Values: @unchecked Sendable {
        var dictionary: [AnyHashable: Any] = [:]
    }

    private let values = Mutex(Values())

    private func locked<Result>(_ body: (inout [AnyHashable: Any]) -> Result) -> Result {
        values.withLock { Transferred(body(&$0.dictionary)) }.value
    }

    /// The value of a key, or nil. Setting nil removes the key.
    public subscript(key: AnyHashable) -> Any? {
        get { object(forKey: key) }
        set { if let newValue { setObject(newValue, forKey: key) } else { removeObject(forKey: key) } }
    }

    /// The value of a key, or nil.
    public func object(forKey key: AnyHashable) -> Any? { locked { $0[key] } }

    /// Sets the value of a key, and releases the previous value.
    public func setObject(_ object: Any, forKey key: AnyHashable) {
        let old = locked { $0.updateValue(object, forKey: key) }
        withExtendedLifetime(old) {} // released without the lock
    }

    /// Removes a key, if it is there, and releases its value.
    public func removeObject(forKey key: AnyHashable) {
        let old = locked { values in values.index(forKey: key).map { values.remove(at: $0) } }
        withExtendedLifetime(old) {} // released without the lock
    }

    /// Removes all keys and releases their values.
    public func removeAllObjects() {
        let old = locked { values in
            defer { values = [:] }
            return values
        }
        withExtendedLifetime(old) {} // released without the lock
    }

    /// The number of keys.
    public var count: Int { locked(\.count) }
    /// The keys and values that there are now.
    package var contents: [AnyHashable: Any] { locked { $0 } }
    /// The keys and values, as Swift prints a dictionary.
    public var description: String { contents.description } // without the lock: a value's own description may change the dictionary
}

@available(*, unavailable)
extension ThreadDictionary: @unchecked Sendable {}
#endif
