// ClosureDescription.swift: the name of a closure in a printed loop. The C library knows only the callback that calls the closure, which is
// the same for all timers. The reader of a printed loop looks for the closure itself.

internal import CRunLoop

/// Returns a CFString, which the caller releases, for the closure at the beginning of a structure: "<closure 0x…: closure #1 in main>". The
/// parameter is a structure because the compiler wraps a closure in another function when it is passed as a generic argument.
///
/// A closure is the address of its function, followed by its captured values; the Swift ABI fixes this.
@safe func makeClosureDescription<Holder>(_ holder: Holder) -> CFString? {
    precondition(MemoryLayout<Holder>.size >= 2 * MemoryLayout<UInt>.size, "the structure must begin with a closure")
    let function = unsafe withUnsafeBytes(of: holder) { unsafe $0.load(as: UnsafeRawPointer.self) }
    return unsafe _CFCopyClosureDescription(function)
}
