// Stack.swift: the stack of the calling thread, as a debugger would show it. The toolchain's module Runtime reads it; its symbols
// include static functions in C, such as the loop's callouts.

import Runtime

/// The frames from the function named `callback` out to main. Frames further in belong to the tour and are left out, like the glue that the
/// Swift compiler puts between C and Swift.
@inline(never)
func stack(from callback: String) -> [String] {
    guard let stack = try? Backtrace.capture().symbolicated(options: []) else { return [Text("(the stack cannot be read)", "（无法读取调用栈）").description] }
    let names = stack.frames.compactMap { $0.symbol?.name }
    let start = names.firstIndex { $0.hasSuffix(".\(callback)") } ?? names.firstIndex { $0.hasPrefix("__CFRUNLOOP_IS_") } ?? 0
    return names[start...].filter { !isGlue($0) }.map(shownName)
}

private func isGlue(_ name: String) -> Bool {
    ["thunk for ", "partial apply ", "@objc "].contains { name.hasPrefix($0) }
}

/// The package manager compiles a program's main under another name, so that tests can link the program; `main` is an alias.
private func shownName(_ name: String) -> String {
    name == "RunLoopLab_main" ? "main" : name
}
