// StackSymbols.swift: the names that belong to the addresses of a stack.

import FoundationEssentials

/// A frame of a stack, in words.
struct StackFrame: Sendable, Equatable {
    /// The function as it is written in its source: demangled, static functions of C included.
    var function: String
    /// The file and the line in it, if the program has debug information: "StallMonitor.swift:12".
    var place: String?
}

#if canImport(Runtime)
import Runtime

/// The frames that belong to return addresses, innermost first; glue between C and Swift is left out.
///
/// The toolchain's module Runtime reads symbols and lines from the program's files, but captures the calling thread's stack
/// only. It can read a stack that was saved, however, and the form in which it saves them is public
/// (docs/CompactBacktraceFormat.md of the Swift project): so the addresses are put into that form.
/// - Parameter places: whether to look for files and lines, and for functions that were inlined into others. It may take
///   seconds the first time.
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
    let isC = symbol.name == symbol.rawName // a library's function may have its version behind its name: "usleep@GLIBC_2.2.5"
    let name = isC ? symbol.name.prefix { $0 != "@" } : symbol.name.trimmingPrefix("specialized ") // by the optimiser
    return StackFrame(function: String(name), place: place)
}

private extension SymbolicatedBacktrace.Frame {
    var isGlue: Bool {
        guard let name = symbol?.name else { return false }
        return ["thunk for ", "partial apply ", "@objc "].contains { name.hasPrefix($0) }
    }
}

/// The addresses as a saved backtrace of this process. The first is where the thread was, all others are where calls will
/// return to.
private func saved(_ addresses: [UInt]) throws -> Data {
    var bytes: [UInt8] = [0x02] // version 0, addresses of 64 bits
    for (index, address) in addresses.enumerated() {
        bytes.append(index == 0 ? 0x1F : 0x2F) // a program counter, a return address; absolute, in 8 bytes
        bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: address >> ($0 * 8)) }
    }
    bytes.append(0) // the end
    let images = String(decoding: try JSONEncoder().encode(ImageMap.capture()), as: UTF8.self)
    let stack = Data(bytes).base64EncodedString()
    return Data(#"{"architecture":"\#(architecture)","backtrace":"\#(stack)","imageMap":\#(images)}"#.utf8)
}

#if arch(x86_64)
private let architecture = "x86_64"
#else
private let architecture = "arm64"
#endif
#else
/// The module Runtime came with Swift 6.2. Without it there are the names of the functions that the dynamic linker knows.
func stackFrames(of addresses: [UInt], places: Bool) -> [StackFrame] {
    addresses.map { StackFrame(function: ThreadSampler.exportedName(at: $0)) }
}
#endif
