// QualityOfService.swift: a type that Foundation declares and FoundationEssentials lacks.

#if os(Linux)
/// The urgency of a thread's work (NSQualityOfService), which has no effect on Linux. It exists only for source compatibility.
public enum QualityOfService: Int, Sendable {
    /// Work for which the user waits, frame by frame.
    case userInteractive
    /// Work that the user has requested and is waiting for.
    case userInitiated
    /// Work whose progress the user may watch.
    case utility
    /// Work that the user does not notice.
    case background
    /// No particular urgency.
    case `default`
}
#endif
