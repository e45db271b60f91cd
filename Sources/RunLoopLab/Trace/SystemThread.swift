// SystemThread.swift: what threads are called.

import Glibc

enum SystemThread {
    /// What a thread of this process is called, by its number; nil if it has no name of its own, or is gone already.
    static func name(of thread: Int32) -> String? {
        if thread == getpid() { return "main" }
        guard let name = givenName(of: thread), name != givenName(of: getpid()) else { return nil }
        return name.hasSuffix("-qos") ? "dispatch thread" : name // the system has room for the end of the queue's name alone
    }

    /// A thread that was given no name has that of the thread that started it: the main thread's is the program's.
    private static func givenName(of thread: Int32) -> String? {
        guard let file = fopen("/proc/self/task/\(thread)/comm", "r") else { return nil }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 32)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
