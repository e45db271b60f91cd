import Glibc
import XCTest

/// The sanitizer of the tests' build, by Scripts/sanitize.
package enum Sanitizer: String {
    case thread = "ThreadSanitizer"
    case address = "AddressSanitizer"

    /// Whether this process was built with it.
    package var isHere: Bool { dlsym(nil, self == .thread ? "__tsan_init" : "__asan_init") != nil }
}

/// Skips a test that cannot run under these sanitizers; the log shows the reason.
package func skip(under sanitizers: Sanitizer..., because reason: String) throws {
    for sanitizer in sanitizers where sanitizer.isHere { throw XCTSkip("\(sanitizer.rawValue): \(reason)") }
}
