// FormerNames.swift: the names that earlier versions used. The next version removes them.

/// The former name of `RunLoop.Source`.
@available(*, deprecated, renamed: "RunLoop.Source")
public typealias Source = RunLoop.Source

/// The former name of `RunLoop.DescriptorSource`.
@available(*, deprecated, renamed: "RunLoop.DescriptorSource")
public typealias FileDescriptorSource = RunLoop.DescriptorSource

/// The former name of `RunLoop.Observer`.
@available(*, deprecated, renamed: "RunLoop.Observer")
public typealias Observer = RunLoop.Observer

extension RunLoop.Source {
    /// The former spelling of `RunLoop.add(_:forMode:)`.
    @available(*, deprecated, message: "use RunLoop.add(_:forMode:)")
    public func add(to runLoop: RunLoop, forMode mode: RunLoop.Mode) { runLoop.add(self, forMode: mode) }

    /// The former spelling of `RunLoop.remove(_:forMode:)`.
    @available(*, deprecated, message: "use RunLoop.remove(_:forMode:)")
    public func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) { runLoop.remove(self, forMode: mode) }

    /// The former spelling of `RunLoop.contains(_:forMode:)`.
    @available(*, deprecated, message: "use RunLoop.contains(_:forMode:)")
    public func isIn(_ runLoop: RunLoop, forMode mode: RunLoop.Mode) -> Bool { runLoop.contains(self, forMode: mode) }
}

extension RunLoop.DescriptorSource {
    /// The former spelling of `RunLoop.add(_:forMode:)`.
    @available(*, deprecated, message: "use RunLoop.add(_:forMode:)")
    public func add(to runLoop: RunLoop, forMode mode: RunLoop.Mode) { runLoop.add(self, forMode: mode) }

    /// The former spelling of `RunLoop.remove(_:forMode:)`.
    @available(*, deprecated, message: "use RunLoop.remove(_:forMode:)")
    public func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) { runLoop.remove(self, forMode: mode) }

    /// The former spelling of `RunLoop.contains(_:forMode:)`.
    @available(*, deprecated, message: "use RunLoop.contains(_:forMode:)")
    public func isIn(_ runLoop: RunLoop, forMode mode: RunLoop.Mode) -> Bool { runLoop.contains(self, forMode: mode) }
}

extension RunLoop.Observer {
    /// The former spelling of `RunLoop.add(_:forMode:)`.
    @available(*, deprecated, message: "use RunLoop.add(_:forMode:)")
    public func add(to runLoop: RunLoop, forMode mode: RunLoop.Mode) { runLoop.add(self, forMode: mode) }

    /// The former spelling of `RunLoop.remove(_:forMode:)`.
    @available(*, deprecated, message: "use RunLoop.remove(_:forMode:)")
    public func remove(from runLoop: RunLoop, forMode mode: RunLoop.Mode) { runLoop.remove(self, forMode: mode) }

    /// The former spelling of `RunLoop.contains(_:forMode:)`.
    @available(*, deprecated, message: "use RunLoop.contains(_:forMode:)")
    public func isIn(_ runLoop: RunLoop, forMode mode: RunLoop.Mode) -> Bool { runLoop.contains(self, forMode: mode) }
}
