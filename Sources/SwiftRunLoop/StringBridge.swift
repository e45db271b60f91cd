// StringBridge.swift: conversions between String and CFString.

internal import CRunLoop
import Synchronization

/// Makes a CFString, which the caller releases.
func makeCFString(_ string: String) -> CFString {
    var string = string
    return string.withUTF8 { bytes in
        CFStringCreateWithBytes(nil, bytes.baseAddress, bytes.count, CFStringBuiltInEncodings.utf8.rawValue, false)
    }
}

extension String {
    /// Copies the characters of a CFString. An unpaired surrogate becomes U+FFFD.
    init(cfString: CFString) {
        let length = CFStringGetLength(cfString)
        let characters = [UniChar](unsafeUninitializedCapacity: length) { buffer, count in
            CFStringGetCharacters(cfString, CFRange(location: 0, length: length), buffer.baseAddress)
            count = length
        }
        self.init(decoding: characters, as: UTF16.self)
    }

    /// The text that CFCopyDescription returns for a CF object.
    init(descriptionOf cfObject: CFTypeRef) {
        let description = CFCopyDescription(cfObject)!
        self.init(cfString: description)
        CFRelease(description)
    }
}

/// The CFStrings of mode names, one for each name, never released. A loop never removes a mode (S3), so programs use few names.
enum CFStringCache {
    /// A CFString does not change, so any thread may use it.
    private struct Entry: @unchecked Sendable {
        var cfString: CFString
    }

    private static let entries = Mutex<[String: Entry]>([:])

    static func cfString(for name: String) -> CFString {
        entries.withLock { entries in
            if let entry = entries[name] { return entry }
            let entry = Entry(cfString: makeCFString(name))
            entries[name] = entry
            return entry
        }.cfString
    }
}
