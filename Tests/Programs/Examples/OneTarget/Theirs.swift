// Theirs.swift: the file that imports CoreFoundation.
import CoreFoundation

func theirs() {
    CFRunLoopPerformBlock(CFRunLoopGetCurrent(), kCFRunLoopDefaultMode) { print("theirs") }
    print(CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, false) != .stopped)
}
