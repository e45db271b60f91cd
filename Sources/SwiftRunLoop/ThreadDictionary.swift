// ThreadDictionary.swift: the replacement for the NSMutableDictionary of Foundation's Thread, which FoundationEssentials lacks.

/// A dictionary for the data of a thread, with the methods of NSMutableDictionary that are used with threads.
///
/// It is a class, so that `Thread.current.threadDictionary[key] = value` changes the thread's own dictionary. Keys are compared with `==`.
/// It has no lock: use it on its thread only. A removed or replaced value is released after the change, so its deinitializer may use the
/// dictionary.
public final class ThreadDictionary: CustomStringConvertible {
    private var values: [AnyHashable: Any] = [:]

    /// The value of a key, or nil.
    ///
    /// Setting nil removes the key.
    public subscript(key: AnyHashable) -> Any? {
        get { values[key] }
        set { if let newValue { setObject(newValue, forKey: key) } else { removeObject(forKey: key) } }
    }

    /// The value of a key, or nil.
    public func object(forKey key: AnyHashable) -> Any? { values[key] }

    /// Sets the value of a key, and releases the previous value.
    public func setObject(_ object: Any, forKey key: AnyHashable) {
        let old = values.updateValue(object, forKey: key)
        withExtendedLifetime(old) {}
    }

    /// Removes a key and releases its value.
    ///
    /// If the key is not there, nothing happens.
    public func removeObject(forKey key: AnyHashable) {
        guard let index = values.index(forKey: key) else { return }
        let old = values.remove(at: index)
        withExtendedLifetime(old) {}
    }

    /// Removes all keys and releases their values.
    public func removeAllObjects() {
        let old = values
        values = [:]
        withExtendedLifetime(old) {}
    }

    /// The number of keys.
    public var count: Int { values.count }

    /// The keys, in no particular order.
    public var allKeys: [Any] { values.keys.map(\.base) }

    /// The values, in the order of `allKeys` as long as nothing changes in between.
    public var allValues: [Any] { Array(values.values) }

    /// The keys and values, as Swift prints a dictionary.
    public var description: String {
        let values = values // a value's own description may change the dictionary
        return values.description
    }
}
