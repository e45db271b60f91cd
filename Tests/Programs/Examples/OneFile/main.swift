// main.swift: everything in one file. A name that both modules have is written with its module's name; one that only one of them has, without.
import CRunLoop
import CoreFoundation
import Foundation
import SwiftRunLoop

let ours = CRunLoop.CFRunLoopGetCurrent()!
let theirs = CoreFoundation.CFRunLoopGetCurrent()!
print("one loop:", unsafeBitCast(ours, to: UInt.self) == UInt(bitPattern: Unmanaged.passUnretained(theirs).toOpaque()))

nonisolated(unsafe) var log: [String] = []
CRunLoop.CFRunLoopPerformBlock(ours, UnsafeRawPointer(CRunLoop.kCFRunLoopDefaultMode)) { log.append("ours") }
CoreFoundation.CFRunLoopPerformBlock(theirs, CoreFoundation.kCFRunLoopDefaultMode) { log.append("theirs") }
_ = CRunLoop.CFRunLoopRunInMode(CRunLoop.kCFRunLoopDefaultMode, 0, false)
_ = CoreFoundation.CFRunLoopRunInMode(CoreFoundation.kCFRunLoopDefaultMode, 0, false)
print(log)

let range = CRunLoop.CFRangeMake(1, 2), theirRange = CoreFoundation.CFRangeMake(1, 2)
print(range.length == theirRange.length, SwiftRunLoop.RunLoop.current.getCFRunLoop() == ours)
print(CFRunLoopGetDescriptor(ours, CRunLoop.kCFRunLoopDefaultMode) >= 0)

// prints: one loop: false
// prints: ["ours", "theirs"]
// prints: true true
// prints: true
