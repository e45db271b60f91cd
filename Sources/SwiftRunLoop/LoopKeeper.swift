// LoopKeeper.swift: what a RunLoop retains for its C loop: Timers, Ports and C observers. Each kind has its own keeper.

#if os(Linux)
/// Retains the objects of one kind that are in a loop, and takes them out when the loop's thread ends. May be used from any thread.
///
/// After that, a keeper refuses objects: another thread may add one at that moment, and then takes it out of the C loop again.
protocol LoopKeeper: AnyObject, Sendable {
    /// Takes all objects out of the loop, and releases them. The loop's thread calls this once, as it ends, after the C loop has given up
    /// its RunLoop and released its sources.
    func threadEnds(of runLoop: RunLoop)
}

/// The objects of a keeper, with the modes to which each was added.
///
/// The keeper's lock guards them. Releasing an object under the lock could run a deinitializer that needs the lock, so each method that
/// removes objects returns them, and the keeper releases them after it has unlocked.
struct KeptObjects<Key: Hashable & Sendable, Object>: Sendable {
    /// The lock guards only the reference to the object; no code uses the object itself under the lock.
    struct Entry: @unchecked Sendable {
        let object: Object
        fileprivate(set) var modes: Set<RunLoop.Mode> = []

        init(_ object: Object) {
            self.object = object
        }
    }

    enum Insertion { case refused, done, wasThere }

    private(set) var entries: [Key: Entry] = [:]
    private var isClosed = false

    subscript(key: Key) -> Entry? { entries[key] }

    /// Adds a mode to an object, and retains the object if it is new. Refused after `close()`.
    mutating func insert(_ object: Entry, _ key: Key, _ mode: RunLoop.Mode) -> Insertion {
        if isClosed { return .refused }
        return entries[key, default: object].modes.insert(mode).inserted ? .done : .wasThere
    }

    /// Removes a mode from an object. Returns the object if that was its last mode; otherwise nil.
    mutating func remove(_ key: Key, _ mode: RunLoop.Mode) -> Entry? {
        guard entries[key]?.modes.remove(mode) != nil, entries[key]!.modes.isEmpty else { return nil }
        return remove(key)
    }

    /// Removes an object from all its modes. Returns nil if it was in none.
    mutating func remove(_ key: Key) -> Entry? {
        entries.removeValue(forKey: key)
    }

    /// Removes and returns all objects. From now on, `insert` refuses.
    mutating func close() -> [Entry] {
        defer { (entries, isClosed) = ([:], true) }
        return Array(entries.values)
    }
}
#endif
