// RunLoopMode.swift: the names of modes.
//
// Claims in ANNOTATIONS.md: (S3, S4, S8, S9, S10, S11, T2)

#if os(Linux)
internal import CRunLoop

extension RunLoop {
    /// The name of a mode of a loop: one of the names below or your own (NSRunLoopMode).
    ///
    /// Two names are equal if their characters are. A loop makes a mode when its name is first used with a timer, port
    /// or other item, and keeps it permanently.
    public struct Mode: RawRepresentable, Equatable, Hashable, Sendable {
        /// The characters of the name.
        public let rawValue: String

        /// Makes the name of a mode.
        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// Makes the name of a mode.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

extension RunLoop.Mode {
    /// The mode for ordinary work (NSDefaultRunLoopMode, kCFRunLoopDefaultMode).
    ///
    /// Every loop has it from the start.
    public static let `default` = RunLoop.Mode("kCFRunLoopDefaultMode")

    /// A placeholder for all modes of a loop that have been declared common (NSRunLoopCommonModes).
    ///
    /// You can add items to it, but a loop cannot run in it.
    public static let common = RunLoop.Mode("kCFRunLoopCommonModes")

    /// The mode in which an application runs its main loop while the user scrolls or drags (UITrackingRunLoopMode).
    ///
    /// No loop declares it common by itself: on iOS the application object does so, for the main loop only. Your
    /// program can do the same: `RunLoop.main.addCommonMode(.tracking)`.
    public static let tracking = RunLoop.Mode("UITrackingRunLoopMode")

    /// The mode in which a Mac application runs its main loop while the user drags in a window
    /// (NSEventTrackingRunLoopMode).
    ///
    /// AppKit's name of what iOS calls `tracking`. It is not common by itself either.
    public static let eventTracking = RunLoop.Mode("NSEventTrackingRunLoopMode")

    /// The mode in which a Mac application runs its main loop while a modal panel is open (NSModalPanelRunLoopMode).
    ///
    /// It is not common by itself either.
    public static let modalPanel = RunLoop.Mode("NSModalPanelRunLoopMode")
}
#endif
