// SystemThread.swift: the threads of this process, by their ids in the system.

import Glibc

enum SystemThread {
    /// The id of the calling thread. The kernel does not reuse it for a long time.
    static var current: Int32 {
        var buffer = [CChar](repeating: 0, count: 64)
        let length = max(0, readlink("/proc/thread-self", &buffer, buffer.count)) // "123/task/456"
        return Int32(String(decoding: buffer.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self).split(separator: "/").last ?? "") ?? 0
    }

    /// The name of a thread; nil if it has no name of its own, or has ended.
    static func name(of thread: Int32) -> String? {
        if thread == getpid() { return "main" }
        guard let name = givenName(of: thread), name != givenName(of: getpid()) else { return nil }
        return name.contains("-qos") ? "dispatch" : name // the kernel keeps only 15 characters of the queue's name
    }

    /// An unnamed thread has the name of the thread that started it. The main thread has the program's name.
    private static func givenName(of thread: Int32) -> String? {
        guard let file = fopen("/proc/self/task/\(thread)/comm", "r") else { return nil }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 32)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
