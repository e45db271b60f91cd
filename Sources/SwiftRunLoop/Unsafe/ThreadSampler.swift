// ThreadSampler.swift: the stacks of threads as addresses, and the names of the functions there.

internal import CThreadSampler
internal import Glibc

/// The return addresses on the calling thread's stack, innermost first.
/// - Parameter count: how many of the innermost frames are left out. This function's is the first.
@inline(never)
func ownStack(skipping count: Int) -> [UInt] {
    var addresses = [UInt](repeating: 0, count: 512)
    let taken = unsafe Int(CThreadSamplerTakeOwn(&addresses, Int32(addresses.count)))
    return Array(addresses[..<taken].dropFirst(count))
}

/// The addresses on the stack of another thread, which must not end meanwhile; none if it does not answer in time.
func sampleStack(of thread: pthread_t, mostFrames: Int, milliseconds: Int32) -> [UInt] {
    unsafe [UInt](unsafeUninitializedCapacity: mostFrames) { buffer, count in
        count = unsafe Int(CThreadSamplerTake(thread, buffer.baseAddress, Int32(buffer.count), milliseconds))
    }
}

/// The function at an address, how many bytes of it are before the address, and the file. A name of Swift's is demangled.
func symbol(at address: UInt) -> (name: String?, offset: Int, file: String?) {
    var offset: UInt = 0, file: UnsafeMutablePointer<CChar>?
    let name = unsafe CThreadSamplerCopyName(address, &offset, &file)
    defer {
        unsafe free(name)
        unsafe free(file)
    }
    return unsafe (name.map(demangled), Int(offset), file.map { unsafe String(cString: $0) })
}

private func demangled(_ name: UnsafeMutablePointer<CChar>) -> String {
    guard let demangled = unsafe swiftDemangle(name, strlen(name), nil, nil, 0) else { return unsafe String(cString: name) }
    defer { unsafe free(demangled) }
    return unsafe String(cString: demangled)
}

/// The standard library's function, which prints the names in a crash.
@_silgen_name("swift_demangle")
private func swiftDemangle(
    _ name: UnsafePointer<CChar>, _ length: Int, _ buffer: UnsafeMutablePointer<CChar>?, _ size: UnsafeMutablePointer<Int>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?
