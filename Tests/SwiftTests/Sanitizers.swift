import Glibc
import XCTest

/// The sanitizer of the tests' build, by Scripts/sanitize.
enum Sanitizer: String {
    case thread = "ThreadSanitizer"
    case address = "AddressSanitizer"

    /// Whether this process was built with it.
    var isHere: Bool { dlsym(nil, self == .thread ? "__tsan_init" : "__asan_init") != nil }
}

/// Skips a test that cannot run under a sanitizer; the log shows the reason.
func skip(under sanitizer: Sanitizer, because reason: String) throws {
    if sanitizer.isHere { throw XCTSkip("\(sanitizer.rawValue): \(reason)") }
}
