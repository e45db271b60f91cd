// main.swift: this file imports CRunLoop, another file of the same module CoreFoundation. Each writes the plain names.
import CRunLoop

CFRunLoopPerformBlock(CFRunLoopGetCurrent(), UnsafeRawPointer(kCFRunLoopDefaultMode)) { print("ours") }
print(CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false) == .timedOut)
theirs()

// prints: ours
// prints: true
// prints: theirs
// prints: true
