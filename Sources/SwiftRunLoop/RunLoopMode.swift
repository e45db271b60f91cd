// RunLoopMode.swift: the names of modes.

internal import CRunLoop

extension RunLoop {
    /// The name of a mode of a loop: one of those below or one of your own (NSRunLoopMode). Two are the same mode if their characters are
    /// the same. A loop makes a mode when its name is first used with a timer, a port or another item, and keeps it for good. (S3, S8)
    public struct Mode: RawRepresentable, Equatable, Hashable, Sendable {
        /// The name.
        public let rawValue: String

        /// The mode of that name.
        public init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        /// The mode of that name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }
    }
}

extension RunLoop.Mode {
    /// The mode for ordinary work (NSDefaultRunLoopMode, kCFRunLoopDefaultMode). Every loop has it from the start. (S4)
    public static let `default` = RunLoop.Mode("kCFRunLoopDefaultMode")

    /// Not a mode, but a placeholder for all modes of a loop that have been declared common (NSRunLoopCommonModes). For adding to, not for
    /// running in. (S9, S10)
    public static let common = RunLoop.Mode("kCFRunLoopCommonModes")

    /// The mode in which an application runs its main loop while the user scrolls or drags (UITrackingRunLoopMode). (T2)
    ///
    /// It is a common mode of no loop by itself. On iOS neither CFRunLoop nor Foundation declares it one, but the application object does,
    /// for the main loop alone. A program that wants it so declares it: `RunLoop.main.addCommonMode(.tracking)`. (S11)
    public static let tracking = RunLoop.Mode("UITrackingRunLoopMode")

    /// The mode in which an iOS application starts, and to which it never returns (UIInitializationRunLoopMode). Nothing here runs in it by
    /// itself. (S8)
    public static let initialization = RunLoop.Mode("UIInitializationRunLoopMode")

    /// The mode in which iOS receives the system's events, inside the graphics services (GSEventReceiveRunLoopMode). Nothing here runs in it
    /// by itself. (S8)
    public static let eventReceive = RunLoop.Mode("GSEventReceiveRunLoopMode")

    /// The mode that a loop is running in; nil if it is in no run.
    static func current(of cfRunLoop: OpaquePointer) -> RunLoop.Mode? {
        guard let name = CFRunLoopCopyCurrentMode(cfRunLoop) else { return nil }
        defer { CFRelease(UnsafeRawPointer(name)) }
        return RunLoop.Mode(String(cfString: name))
    }

    /// The name as the C library wants it. It lives for good.
    var cfString: OpaquePointer {
        switch rawValue {
        case "kCFRunLoopDefaultMode": kCFRunLoopDefaultMode
        case "kCFRunLoopCommonModes": kCFRunLoopCommonModes
        default: CFStringCache.cfString(for: rawValue)
        }
    }
}
