// Stack.swift: the stack of the calling thread, as a debugger would show it, with static functions in C, such as the loop's callouts. The
// toolchain's module Runtime demangles Swift's names to the short form. Its own unwinder would need frame pointers in every library, and
// not every build of libdispatch has them.

import CRunLoop
import Runtime
import SwiftRunLoop

/// The frames from the function named `callback` out to main. Frames further in belong to the tour and are left out, like the glue that the
/// Swift compiler puts between C and Swift, and frames without a name.
@inline(never)
func stack(from callback: String) -> [String] {
    let names = Thread.callStackReturnAddresses.compactMap(nameOfFunction)
    let start = names.firstIndex { $0.hasSuffix(".\(callback)") } ?? names.firstIndex { $0.hasPrefix("__CFRUNLOOP_IS_") } ?? 0
    let shown = names[start...].filter { !isGlue($0) }.map(shownName)
    return Array(shown.prefix { $0 != "main" }) + (shown.contains("main") ? ["main"] : []) // what calls main belongs to the C library
}

/// The function that a call returns to.
private func nameOfFunction(returnAddress: UInt) -> String? {
    var start: UnsafeRawPointer?
    guard let name = _CFGetNameOfFunction(UnsafeRawPointer(bitPattern: returnAddress - 1), &start) else { return nil }
    return SymbolicatedBacktrace.Symbol(imageIndex: 0, imageName: "", rawName: String(cString: name), offset: 0, sourceLocation: nil).name
}

private func isGlue(_ name: String) -> Bool {
    ["thunk for ", "partial apply ", "@objc "].contains { name.hasPrefix($0) }
}

/// The package manager compiles a program's main under another name, so that tests can link the program; `main` is an alias.
private func shownName(_ name: String) -> String {
    name == "RunLoopLab_main" ? "main" : name
}
