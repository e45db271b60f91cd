// StallFrames.swift: the stack of a stall, as the lab shows it. RunLoopDiagnostics, which samples it, is a product of its own. (A5)

import RunLoopDiagnostics
import SwiftRunLoop

extension StallWatch.Stall {
    /// The functions from the innermost one out to the run, without their parameters and without the glue between C and Swift.
    var functions: [String] {
        let names = stack.compactMap(\.function), end = names.firstIndex(of: "CFRunLoopRunSpecific") ?? names.count - 1
        return shortFunctions(Array(names.prefix(end + 1)))
    }
}

/// The functions of a stack without their parameters, and without the glue between C and Swift.
func shortFunctions(_ names: [String]) -> [String] {
    names.filter { name in
        !["closure", "implicit closure", "reabstraction", "partial apply", "@objc", "_Z"].contains { name.hasPrefix($0) } // _Z: Swift's runtime, which is C++
    }.reduce(into: []) { functions, name in
        let short = String(name.replacing(/^(static )?(\(extension in \w+\):)?(RunLoopLab|SwiftRunLoop)\./, with: "").prefix { $0 != "(" })
        if functions.last != short { functions.append(short) }
    }
}

extension Lab {
    /// Lets a timer of the main loop call `body`, and returns when it has.
    func inCallback(_ name: String, _ body: @escaping () -> Void) {
        nonisolated(unsafe) let body = body // it stays on this thread
        RunLoop.main.perform(afterDelay: 0) { [self] in
            callout(.timer, name)
            body()
            note("\(name) over")
        }
        run { times("\(name) over") == 1 }
    }
}

/// Computes for at least `time`, and until `hasHappened`; half a minute at most.
@inline(never)
func decodeImage(for time: Double, and hasHappened: () -> Bool) {
    let start = now()
    var pixel = 1.0
    while now() < start + time || !hasHappened() && now() < start + 30 {
        pixel = (pixel * 1.000001).truncatingRemainder(dividingBy: 255)
    }
    withExtendedLifetime(pixel) {}
}
