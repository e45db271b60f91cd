// ClosureDescription.swift: what a printed loop says of a closure. The C library sees only the function that leads to it, the same for
// all timers; the name to look for is the closure's own.

internal import CRunLoop

/// The closure that a structure begins with, as a CFString, which the caller releases: "<closure 0x…: closure #1 in
/// main>". A structure, because a closure that is passed as a generic argument is wrapped in a function of the compiler's.
///
/// A closure is the address of its function, and then what it has captured: an order that the Swift ABI fixes on Linux, too.
func makeClosureDescription<Holder>(_ holder: Holder) -> OpaquePointer? {
    precondition(MemoryLayout<Holder>.size >= 2 * MemoryLayout<UnsafeRawPointer>.size, "a structure that begins with a closure")
    let function = withUnsafeBytes(of: holder) { $0.load(as: UnsafeRawPointer.self) }
    return _CFCopyClosureDescription(function)
}
