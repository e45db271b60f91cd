// StringBridge.swift: conversions between String and CFString.

internal import CRunLoop
import Synchronization

/// Makes a CFString, which the caller releases.
func makeCFString(_ string: String) -> OpaquePointer {
    var string = string
    return string.withUTF8 { bytes in
        CFStringCreateWithBytes(nil, bytes.baseAddress, bytes.count, CFStringEncoding(kCFStringEncodingUTF8), false)
    }
}

extension String {
    /// Copies the characters of a CFString. An unpaired surrogate becomes U+FFFD.
    init(cfString: OpaquePointer) {
        let length = CFStringGetLength(cfString)
        let characters = [UniChar](unsafeUninitializedCapacity: length) { buffer, count in
            CFStringGetCharacters(cfString, CFRange(location: 0, length: length), buffer.baseAddress)
            count = length
        }
        self.init(decoding: characters, as: UTF16.self)
    }

    /// The text that CFCopyDescription returns for a CF object.
    init(describing cfObject: OpaquePointer) {
        let description = CFCopyDescription(UnsafeRawPointer(cfObject))!
        self.init(cfString: description)
        CFRelease(UnsafeRawPointer(description))
    }
}

/// The CFStrings of mode names, one for each name, never released. A loop never removes a mode (S3), so programs use few names.
enum CFStringCache {
    /// A CFString does not change, so any thread may use it.
    private struct Entry: @unchecked Sendable {
        var cfString: OpaquePointer
    }

    private static let entries = Mutex<[String: Entry]>([:])

    static func cfString(for name: String) -> OpaquePointer {
        entries.withLock { entries in
            if let entry = entries[name] { return entry }
            let entry = Entry(cfString: makeCFString(name))
            entries[name] = entry
            return entry
        }.cfString
    }
}
