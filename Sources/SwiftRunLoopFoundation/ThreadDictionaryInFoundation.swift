// ThreadDictionaryInFoundation.swift: more of what NSMutableDictionary has, and keys that are NSStrings. On a Mac, NSMutableDictionary finds under "key" what was set for "key" as NSString. On
// Linux a String and an NSString are different keys for AnyHashable, so the methods here make a String of the other one.

#if os(Linux)
extension SwiftRunLoop.ThreadDictionary {
    /// The value of a key, or nil; the key is the same as the String.
    ///
    /// Setting nil removes the key.
    public subscript(key: NSString) -> Any? {
        get { object(forKey: String(key) as AnyHashable) }
        set { self[String(key) as AnyHashable] = newValue }
    }

    /// The value of a key, or nil; the key is the same as the String.
    public func object(forKey key: NSString) -> Any? {
        object(forKey: String(key) as AnyHashable)
    }

    /// Sets the value of a key, and releases the previous value; the key is the same as the String.
    public func setObject(_ object: Any, forKey key: NSString) {
        setObject(object, forKey: String(key) as AnyHashable)
    }

    /// Removes a key and releases its value; the key is the same as the String.
    public func removeObject(forKey key: NSString) {
        removeObject(forKey: String(key) as AnyHashable)
    }

    /// The value of a key, or nil (valueForKey:).
    public func value(forKey key: String) -> Any? { object(forKey: key) }

    /// Sets the value of a key, or removes the key if the value is nil (setValue:forKey:).
    public func setValue(_ value: Any?, forKey key: String) {
        self[key as AnyHashable] = value
    }

    /// The keys, in no particular order.
    public var allKeys: [Any] { contents.keys.map(\.base) }

    /// The values, in the order of `allKeys` as long as nothing changes in between.
    public var allValues: [Any] { Array(contents.values) }
}

extension SwiftRunLoop.ThreadDictionary: Sequence {
    /// The keys and values that there are now, in no particular order.
    ///
    /// The dictionary may change during the iteration.
    public func makeIterator() -> some IteratorProtocol<(key: Any, value: Any)> {
        contents.lazy.map { (key: $0.key.base, value: $0.value) }.makeIterator()
    }
}
#endif
