// StackSymbols.swift: finds the names for the addresses of a stack.

import FoundationEssentials

/// A frame of a stack as text.
struct StackFrame: Sendable, Equatable {
    /// The demangled name of the function. Static functions of C have one, too.
    var function: String
    /// The file and the line in it, if the program has debug information: "StallMonitor.swift:12".
    var place: String?
}

#if canImport(Runtime)
import Runtime

/// The frames for return addresses, innermost first, without the glue between C and Swift.
///
/// The toolchain's module Runtime reads symbols and lines from the program's files, but it captures only the calling thread's stack. It can
/// decode a saved stack, however, and that format is public (docs/CompactBacktraceFormat.md of the Swift project). So this encodes the
/// addresses in that format.
/// - Parameter places: whether to find files, lines and inlined functions. This may take seconds the first time.
func stackFrames(of addresses: [UInt], places: Bool) -> [StackFrame] {
    guard let backtrace = try? JSONDecoder().decode(Backtrace.self, from: saved(addresses)),
          let symbolicated = backtrace.symbolicated(options: places ? [.showInlineFrames, .showSourceLocations] : [])
    else { return addresses.map { StackFrame(function: ThreadSampler.exportedName(at: $0)) } }
    return symbolicated.frames.filter { !$0.isSwiftThunk && !$0.isGlue }.map(stackFrame)
}

private func stackFrame(_ frame: SymbolicatedBacktrace.Frame) -> StackFrame {
    guard let symbol = frame.symbol else {
        return StackFrame(function: ThreadSampler.exportedName(at: UInt(frame.captured.adjustedProgramCounter)!))
    }
    let place = symbol.sourceLocation.flatMap { $0.line > 0 ? "\($0.path.split(separator: "/").last ?? ""):\($0.line)" : nil }
    let isC = symbol.name == symbol.rawName // strips the version from a name such as "usleep@GLIBC_2.2.5"
    let name = isC ? symbol.name.prefix { $0 != "@" } : symbol.name.trimmingPrefix("specialized ") // by the optimiser
    return StackFrame(function: String(name), place: place)
}

private extension SymbolicatedBacktrace.Frame {
    var isGlue: Bool {
        guard let name = symbol?.name else { return false }
        return ["thunk for ", "partial apply ", "@objc "].contains { name.hasPrefix($0) }
    }
}

/// The addresses as a saved backtrace of this process: first the current instruction, then return addresses.
private func saved(_ addresses: [UInt]) throws -> Data {
    var bytes: [UInt8] = [0x02] // version 0, addresses of 64 bits
    for (index, address) in addresses.enumerated() {
        bytes.append(index == 0 ? 0x1F : 0x2F) // a program counter, a return address; absolute, in 8 bytes
        bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: address >> ($0 * 8)) }
    }
    bytes.append(0) // the end
    return try JSONEncoder().encode(SavedBacktrace(backtrace: Data(bytes), imageMap: ImageMap.capture()))
}

private struct SavedBacktrace: Encodable {
    var architecture = currentArchitecture
    var backtrace: Data // in base64, as JSONEncoder writes it
    var imageMap: ImageMap
}

#if arch(x86_64)
private let currentArchitecture = "x86_64"
#else
private let currentArchitecture = "arm64"
#endif
#else
/// The module Runtime exists since Swift 6.2. Without it, only functions that the dynamic linker knows have names.
func stackFrames(of addresses: [UInt], places: Bool) -> [StackFrame] {
    addresses.map { StackFrame(function: ThreadSampler.exportedName(at: $0)) }
}
#endif
