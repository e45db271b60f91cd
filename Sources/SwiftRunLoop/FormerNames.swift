// FormerNames.swift: the names that earlier versions used. The next version removes them.

public import Dispatch

/// The former name of `RunLoop.Source`.
@available(*, deprecated, renamed: "RunLoop.Source")
public typealias Source = RunLoop.Source

/// The former name of `RunLoop.DescriptorSource`.
@available(*, deprecated, renamed: "RunLoop.DescriptorSource")
public typealias FileDescriptorSource = RunLoop.DescriptorSource

/// The former name of `RunLoop.Observer`.
@available(*, deprecated, renamed: "RunLoop.Observer")
public typealias Observer = RunLoop.Observer

/// The former name of `RunLoop.Executor`. Swift's standard library has a protocol of this name.
@available(*, deprecated, renamed: "RunLoop.Executor")
public typealias RunLoopExecutor = RunLoop.Executor

extension RunLoop {
    /// The former spelling of `attach(to:forMode:)`.
    @available(*, noasync)
    @available(*, deprecated, message: "use RunLoop.attach(to: .main, forMode:)")
    @discardableResult
    public static func attachMainToMainQueue(forMode mode: RunLoop.Mode = .default) -> any DispatchSourceRead {
        attach(to: .main, forMode: mode)
    }
}

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
