// SystemThreads.swift: the names that the kernel has for threads.

internal import CRunLoop
import Glibc

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
