// CObjects.swift: names and descriptions of the C library's objects, for programs that make these in C.

import CRunLoop
import SwiftRunLoop

extension RunLoop.Mode {
    /// The mode's name for the C library. It is never released.
    var cfName: CFRunLoopMode {
        switch self {
        case .default: kCFRunLoopDefaultMode
        case .common: kCFRunLoopCommonModes
        default: CFStringCreateWithCString(nil, rawValue, CFStringBuiltInEncodings.UTF8.rawValue)
        }
    }
}

/// The text that CFCopyDescription returns for an object.
func description(of object: CFTypeRef?) -> String {
    let text = CFCopyDescription(object)!
    defer { CFRelease(text) }
    var characters = [UniChar](repeating: 0, count: CFStringGetLength(text))
    CFStringGetCharacters(text, CFRange(location: 0, length: characters.count), &characters)
    return String(decoding: characters, as: UTF16.self)
}
