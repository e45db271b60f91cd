// SystemThreads.swift: what the kernel knows of threads.

internal import CRunLoop
internal import Glibc

/// The name that the kernel has for a living thread.
func kernelName(of thread: pthread_t) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { buffer in
        _CFThreadGetKernelName(thread, buffer.baseAddress!, Int32(buffer.count)) == 0 ? String(cString: buffer.baseAddress!) : ""
    }
}

/// Gives a living thread its name in the kernel: as many whole characters as fit into 15 bytes.
func setKernelName(of thread: pthread_t, to name: String) {
    var fitting = "", room = 15
    for character in name {
        room -= character.utf8.count
        if room < 0 { break }
        fitting.append(character)
    }
    _ = _CFThreadSetName(thread, fitting)
}

/// Whether the main thread has ended while the process goes on. The kernel keeps it as a zombie then: "PID (NAME) Z …".
func mainThreadHasEnded() -> Bool {
    guard let file = fopen("/proc/self/stat", "re") else { return false }
    defer { fclose(file) }
    var line = [UInt8](repeating: 0, count: 256)
    let count = fread(&line, 1, line.count, file)
    guard let end = line[..<count].lastIndex(of: UInt8(ascii: ")")), end + 2 < count else { return false }
    return line[end + 2] == UInt8(ascii: "Z")
}
