// CObjects.swift: what programs that use the C library need besides it.

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

    /// The mode that a callback of the C library has got.
    init(cfName name: CFRunLoopMode) {
        var characters = [UniChar](repeating: 0, count: CFStringGetLength(name))
        CFStringGetCharacters(name, CFRange(location: 0, length: characters.count), &characters)
        self.init(String(decoding: characters, as: UTF16.self))
    }

    /// Calls a function of the C library with the mode's name, which is released then.
    func withCFName<Result>(_ body: (CFRunLoopMode) -> Result) -> Result {
        let name = CFStringCreateWithCString(nil, rawValue, CFStringBuiltInEncodings.UTF8.rawValue)!
        defer { CFRelease(name) }
        return body(name)
    }
}

/// Gives up the program's reference to an object, as CFRelease does in C. In Swift the variable is the reference.
func CFRelease<Object>(_ reference: inout Object?) { reference = nil }

/// The address of a C object, as a number.
func address(of object: some Any) -> Int { Int(bitPattern: unsafeBitCast(object, to: UnsafeRawPointer.self)) }
