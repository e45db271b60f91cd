// CallStack.swift: the calling thread's stack. The unwinder of the C++ runtime, which Swift's own runtime uses, follows
// it.

#if os(Linux)
internal import CRunLoop
internal import CSwiftRunLoop

extension Thread {
    /// The return addresses on the calling thread's stack, from the caller of this property outwards
    /// (callStackReturnAddresses).
    @inline(never) @available(*, noasync)
    public class var callStackReturnAddresses: [UInt] { ownStack(skipping: 2) }

    /// The calling thread's stack as text, innermost first, a line for each frame (callStackSymbols).
    ///
    /// A line has the columns of a Mac's: the frame's number, the file, the return address, and the function with an
    /// offset. A function that is static in C or private in Swift has a name, too, unless the program has been
    /// stripped. The form of the text may change.
    @inline(never) @available(*, noasync)
    public class var callStackSymbols: [String] {
        ownStack(skipping: 2).enumerated().map { index, address in
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
/// - Parameter count: how many of the innermost frames are left out. This function's is the first.
@inline(never)
private func ownStack(skipping count: Int) -> [UInt] {
    let stack = Stack()
    _ = unsafe _Unwind_Backtrace({ context, stack in
        let stack = unsafe Unmanaged<Stack>.fromOpaque(stack!).takeUnretainedValue()
        let address = unsafe UInt(_Unwind_GetIP(context))
        if address != 0 { stack.addresses.append(address) } // it is 0 in a thread's outermost frame
        return address != 0 && stack.addresses.count < 512 ? _URC_NO_REASON : _URC_END_OF_STACK
    }, Unmanaged.passUnretained(stack).toOpaque())
    return Array(stack.addresses.dropFirst(count))
}

private final class Stack {
    var addresses: [UInt] = []
}

/// The function at an address, how many bytes of it are before the address, and the file. A name of Swift's is
/// demangled.
package func symbol(at address: UInt) -> (name: String?, offset: Int, file: String?) {
    let place = unsafe UnsafeRawPointer(bitPattern: address)
    guard let path = unsafe CRunLoopPathOfCode(place) else { return (nil, 0, nil) }
    let file = unsafe String(cString: path).split(separator: "/").last.map(String.init)
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
