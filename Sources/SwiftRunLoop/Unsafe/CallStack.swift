// CallStack.swift: the calling thread's stack.

#if os(Linux)
internal import CRunLoop
internal import CSwiftRunLoop

extension Thread {
    /// The return addresses on the calling thread's stack, from the caller of this property outwards
    /// (callStackReturnAddresses).
    @inline(never) @available(*, noasync)
    public class var callStackReturnAddresses: [UInt] { ownStack(skipping: 3) }

    /// The calling thread's stack as text, innermost first, a line for each frame (callStackSymbols).
    ///
    /// A line has the columns of a Mac's: the frame's number, the file, the return address, and the function with an
    /// offset. A function that is static in C or private in Swift has a name, too, unless the program has been
    /// stripped. The form of the text may change.
    @inline(never) @available(*, noasync)
    public class var callStackSymbols: [String] {
        ownStack(skipping: 3).enumerated().map { index, address in
            let number = String(index), digits = String(address, radix: 16)
            let place = symbol(at: address - 1) // a function that does not return may end there, and another one begin
            let gap = String(repeating: " ", count: max(1, 4 - number.count))
            let zeros = String(repeating: "0", count: 16 - digits.count)
            let function = place.name.map { "\($0) + \(place.offset + 1)" } ?? "?"
            return "\(number)\(gap)\(place.file ?? "?")  0x\(zeros)\(digits) \(function)"
        }
    }
}

/// The return addresses on the calling thread's stack, innermost first, 512 at most.
/// - Parameter count: how many of the innermost frames are left out. The first is that of the C function, and the
///   second is this function's.
@inline(never)
private func ownStack(skipping count: Int) -> [UInt] {
    var addresses = [UInt](repeating: 0, count: 512)
    let depth = unsafe CRunLoopCopyCallStack(&addresses, addresses.count)
    return Array(addresses[min(count, depth)..<depth])
}

/// The function at an address, how many bytes of it are before the address, and the file. A name of Swift's is
/// demangled.
package func symbol(at address: UInt) -> (name: String?, offset: Int, file: String?) {
    let place = unsafe UnsafeRawPointer(bitPattern: address)
    guard let path = unsafe CRunLoopPathOfCode(place) else { return (nil, 0, nil) }
    let slash = unsafe strrchr(path, Int32(UInt8(ascii: "/")))
    let file = unsafe String(cString: slash.map { unsafe UnsafePointer($0 + 1) } ?? path)
    var start: UnsafeRawPointer?
    let name = unsafe _CFGetNameOfFunction(place, &start)
    return unsafe (name.map { unsafe demangled($0) }, name == nil ? 0 : Int(address - UInt(bitPattern: start)), file)
}

/// The name as Swift prints it, if it is a name of Swift's; otherwise the name itself.
private func demangled(_ name: UnsafePointer<CChar>) -> String {
    guard let demangled = unsafe swift_demangle(name, strlen(name), nil, nil, 0) else {
        return unsafe String(cString: name)
    }
    defer { unsafe free(demangled) }
    return unsafe String(cString: demangled)
}
#endif
