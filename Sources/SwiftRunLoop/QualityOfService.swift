// QualityOfService.swift: the type that Foundation declares and FoundationEssentials leaves out.

/// How urgent a thread's work is (NSQualityOfService). Linux schedules all threads alike, so nothing comes of it here: it exists for
/// programs that set it.
public enum QualityOfService: Int, Sendable {
    /// Work that the user waits for, frame by frame.
    case userInteractive
    /// Work that the user has asked for and waits for.
    case userInitiated
    /// Work whose progress the user may watch.
    case utility
    /// Work that the user does not know of.
    case background
    /// None of these in particular.
    case `default`
}
