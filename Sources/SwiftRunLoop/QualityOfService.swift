// QualityOfService.swift: a type that Foundation declares and FoundationEssentials lacks.

/// The urgency of a thread's work (NSQualityOfService). Linux schedules all threads alike, so it has no effect; it exists for source
/// compatibility.
public enum QualityOfService: Int, Sendable {
    /// Work for which the user waits, frame by frame.
    case userInteractive
    /// Work that the user has requested and is waiting for.
    case userInitiated
    /// Work whose progress the user may watch.
    case utility
    /// Work of which the user is not aware.
    case background
    /// No particular urgency.
    case `default`
}
