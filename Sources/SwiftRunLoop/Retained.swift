// Retained.swift: a reference to a C object, for a Swift object that keeps it.

internal import CRunLoop

/// Adds a reference to a C object, which the caller releases with CFRelease.
/// - Returns: the object.
func retained<Object>(_ object: UnsafeMutablePointer<Object>) -> UnsafeMutablePointer<Object> {
    CFRetain(object)
    return object
}
