// ThreadDictionaryKeys.swift: keys that are NSStrings. On a Mac, NSMutableDictionary finds under "key" what was set for "key" as NSString. On
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
}
#endif
