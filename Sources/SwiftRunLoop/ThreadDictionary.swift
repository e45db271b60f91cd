// ThreadDictionary.swift: what stands in for the NSMutableDictionary of Foundation's Thread, which FoundationEssentials does not have.

/// A dictionary with the identity of an object, so that `Thread.current.threadDictionary[key] = value` changes the thread's own. It has the
/// methods of NSMutableDictionary that are used with threads, under their names; keys are compared as Swift compares them.
///
/// It has no lock. It is meant for its thread alone. A value that is taken out or replaced is released after the change: its deinitializer
/// may use the dictionary.
public final class ThreadDictionary: CustomStringConvertible {
    private var values: [AnyHashable: Any] = [:]

    /// The value of a key, or nil; setting nil takes the key out.
    public subscript(key: AnyHashable) -> Any? {
        get { values[key] }
        set { if let newValue { setObject(newValue, forKey: key) } else { removeObject(forKey: key) } }
    }

    /// The value of a key, or nil.
    public func object(forKey key: AnyHashable) -> Any? { values[key] }
    /// Gives a key a value; what it had before is released.
    public func setObject(_ object: Any, forKey key: AnyHashable) {
        let old = values.updateValue(object, forKey: key)
        withExtendedLifetime(old) {}
    }

    /// Takes a key out; if it is not there, nothing happens.
    public func removeObject(forKey key: AnyHashable) {
        guard let index = values.index(forKey: key) else { return }
        let old = values.remove(at: index)
        withExtendedLifetime(old) {}
    }

    /// Takes all keys out.
    public func removeAllObjects() {
        let old = values
        values = [:]
        withExtendedLifetime(old) {}
    }

    /// The number of keys.
    public var count: Int { values.count }
    /// The keys, in no particular order.
    public var allKeys: [Any] { values.keys.map(\.base) }
    /// The values, in the order of `allKeys` as long as nothing is changed in between.
    public var allValues: [Any] { Array(values.values) }
    /// The keys and values as Swift prints a dictionary.
    public var description: String {
        let values = values // a value's own description may change the dictionary
        return values.description
    }
}
