// StringBridge.swift: conversions between String and CFString.

#if os(Linux)
internal import CRunLoop
import Synchronization

/// Makes a CFString, which the caller releases.
@safe func makeCFString(_ string: String) -> CFString {
    unsafe CFStringCreateWithBytes(nil, string, string.utf8.count, CFStringBuiltInEncodings.UTF8.rawValue, false)
}

extension String {
    /// Copies the characters of a CFString. An unpaired surrogate becomes U+FFFD.
    @safe init(cfString: CFString) {
        let length = unsafe CFStringGetLength(cfString)
        let characters = unsafe [UniChar](unsafeUninitializedCapacity: length) { buffer, count in
            unsafe CFStringGetCharacters(cfString, CFRange(location: 0, length: length), buffer.baseAddress)
            count = length
        }
        self.init(decoding: characters, as: UTF16.self)
    }

    /// Copies the characters of a CFString that a Copy function has returned, and releases it.
    @safe init(taking cfString: CFString) {
        self.init(cfString: cfString)
        unsafe CFRelease(cfString)
    }

    /// The text that CFCopyDescription returns for a CF object.
    @safe init(descriptionOf object: some Any) { unsafe self.init(taking: CFCopyDescription(address(of: object))!) }
}

extension RunLoop.Mode {
    /// The name for the C library. It is never released.
    @safe var cfString: CFRunLoopMode {
        switch rawValue {
        case "kCFRunLoopDefaultMode": unsafe kCFRunLoopDefaultMode
        case "kCFRunLoopCommonModes": unsafe kCFRunLoopCommonModes
        default: CFStringCache.cfString(for: rawValue)
        }
    }
}

/// The CFStrings of mode names, one for each name, never released. A loop never removes a mode (S3), so programs use
/// few names.
private enum CFStringCache {
    /// A CFString does not change, so any thread may use it.
    @safe private struct Entry: @unchecked Sendable {
        let name: String
        @safe let cfString: CFString
    }

    private static let entries = Mutex<[Entry]>([])

    @safe static func cfString(for name: String) -> CFString {
        entries.withLock { entries in
            if let entry = entries.first(where: { $0.name == name }) { return entry }
            let entry = unsafe Entry(name: name, cfString: makeCFString(name))
            entries.append(entry)
            return entry
        }.cfString
    }
}
#endif
