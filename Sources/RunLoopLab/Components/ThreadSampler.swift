// ThreadSampler.swift: takes the stack of another thread while that thread runs.

import CThreadSampler
import Glibc

/// Samples the stacks of threads. CThreadSampler.h says how, and what it costs the sampled thread.
enum ThreadSampler {
    /// The return addresses on the stack of a thread, innermost first. The first is the instruction that the thread is at.
    /// - Parameter thread: a thread that is alive, and not the calling one.
    /// - Returns: no addresses if the thread blocks SIGURG or gets no processor for a second.
    static func addresses(of thread: pthread_t) -> [UInt] {
        [UInt](unsafeUninitializedCapacity: 256) { buffer, count in
            count = Int(CThreadSamplerTake(thread, buffer.baseAddress, Int32(buffer.count), 1000))
        }
    }

    /// The function at an address if the dynamic linker knows it, otherwise the address and its file.
    static func exportedName(at address: UInt) -> String {
        var file: UnsafePointer<CChar>?
        if let name = CThreadSamplerName(address, &file) { return String(cString: name) }
        let place = file.flatMap { String(cString: $0).split(separator: "/").last }.map { " in \($0)" } ?? ""
        return "0x\(String(address, radix: 16))\(place)"
    }
}
