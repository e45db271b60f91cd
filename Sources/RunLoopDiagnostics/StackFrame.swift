// StackFrame.swift: the frames of a stack, with the names of their functions.

#if os(Linux)
internal import SwiftRunLoop

/// A frame of a stack: a function that is being called.
public struct StackFrame: Sendable, Hashable, CustomStringConvertible {
    /// The return address. In the innermost frame of another thread's stack, the instruction that the thread is at.
    public let address: UInt

    /// The function's name, demangled if it is Swift's; nil if it is not known.
    ///
    /// Functions that are static in C or private in Swift have names, too, unless the program has been stripped.
    public let function: String?

    /// How many bytes of the function are before the address; 0 if its name is not known.
    public let offset: Int

    /// The program's or the library's file, without its directory; nil if the address is in none.
    public let file: String?

    /// Makes the frame of an address, and finds its function.
    ///
    /// `Thread.callStackReturnAddresses.map { StackFrame(address: $0, isReturnAddress: true) }` is the calling thread's
    /// stack with all names.
    /// - Parameters:
    ///   - address: an address in a function.
    ///   - isReturnAddress: whether the call is just before the address. A function that does not return may end there,
    ///     and another one begin.
    public init(address: UInt, isReturnAddress: Bool) {
        self.address = address
        let place = symbol(at: isReturnAddress ? address - 1 : address)
        file = place.file
        // A private name carries a number for its file: "(work in _03CEBDA42992C111B867AC3DDB2DE81E)".
        function = place.name?.replacing(/\(([^()\s]+) in _[0-9A-F]{32}\)/) { $0.1 }
        offset = place.name == nil ? 0 : place.offset + (isReturnAddress ? 1 : 0)
    }

    /// The frame as it appears in a list: "program  0x000055d0c0ffee00 work() + 24".
    public var description: String {
        let digits = String(address, radix: 16), place = function.map { "\($0) + \(offset)" } ?? "?"
        return "\(file ?? "?")  0x\(String(repeating: "0", count: 16 - digits.count))\(digits) \(place)"
    }
}
#endif
