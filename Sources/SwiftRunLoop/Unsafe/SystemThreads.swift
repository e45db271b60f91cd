// SystemThreads.swift: the system's threads: their handles, their names in the kernel, their data and their limits.

#if os(Linux)
internal import CRunLoop

/// A thread that has begun and has not ended.
enum RunningThread: @unchecked Sendable { // a pthread_t of musl is a pointer, which any thread may pass on
    case main
    case thread(pthread_t)

    var isMainThread: Bool { if case .main = self { true } else { false } }

    /// Whether it is the main thread, and that has ended, although the process continues.
    var isEndedMainThread: Bool { isMainThread && _CFMainThreadHasEnded() }

    var pthread: pthread_t {
        switch self {
        case .main: pthread_main_thread_np()
        case .thread(let thread): thread
        }
    }
}

/// The kernel's name of a living thread.
func kernelName(of thread: pthread_t) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { buffer in
        let name = buffer.baseAddress!
        return unsafe _CFThreadGetKernelName(thread, name, Int32(buffer.count)) == 0 ? String(cString: name) : ""
    }
}

/// Sets a living thread's name in the kernel: as many whole characters as fit into 15 bytes.
func setKernelName(of thread: pthread_t, to name: String) {
    var fitting = name
    while fitting.utf8.count > 15 { fitting.removeLast() }
    _ = unsafe _CFThreadSetName(thread, fitting)
}

/// The system's text for an error number.
func text(ofError number: Int32) -> String { unsafe String(cString: strerror(number)) }

/// Starts a detached thread.
/// - Parameters:
///   - body: the thread's function. It receives a reference to the object, which it takes over (ThreadKey.adopt).
///   - object: retained until the thread releases it, or until this fails.
/// - Returns: 0, or an error number.
@safe func startDetachedThread(
    _ body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?,
    with object: AnyObject, stackSize: Int
) -> Int32 {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    unsafe pthread_attr_setstacksize(&attributes, stackSize)
    var thread = pthread_self() // of the type that pthread_create takes: with musl, an optional pointer
    let reference = unsafe Unmanaged.passRetained(object)
    let error = unsafe pthread_create(&thread, &attributes, body, reference.toOpaque())
    if error != 0 { unsafe reference.release() }
    return error
}

/// A key for thread-specific data: one object for each thread that has set one. The key retains the object until the
/// thread ends.
package struct ThreadKey<Object: AnyObject>: Sendable {
    private let key: pthread_key_t

    /// Makes a key.
    /// - Parameter destructor: the system calls it on an ending thread that has an object. It calls `threadEnds` of
    ///   this key.
    @safe package init(destructor: @convention(c) (UnsafeMutableRawPointer?) -> Void) {
        key = makeThreadKey(destructor)
    }

    /// The calling thread's object.
    package var object: Object? {
        unsafe pthread_getspecific(key).map { unsafe Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    /// The calling thread's object, which is made if there is none.
    package func object(make: () -> Object) -> Object {
        if let object { return object }
        let made = make()
        keep(made)
        return made
    }

    /// Sets the calling thread's object. It must not have one.
    func keep(_ object: Object) { unsafe setThreadData(key, to: Unmanaged.passRetained(object).toOpaque()) }

    /// Sets the calling thread's object to the one with which startDetachedThread has started the thread.
    @safe func adopt(_ startedWith: UnsafeMutableRawPointer?) { setThreadData(key, to: startedWith) }

    /// Call this in the destructor. While `body` runs, the object is set.
    /// - Parameter body: returns true to have the object released. If it returns false, the object stays set, and the
    ///   system calls the destructor in the next round again.
    @safe package func threadEnds(_ value: UnsafeMutableRawPointer?, _ body: (Object) -> Bool) {
        let reference = unsafe Unmanaged<Object>.fromOpaque(value!)
        setThreadData(key, to: value)
        guard unsafe body(reference.takeUnretainedValue()) else { return }
        setThreadData(key, to: nil)
        unsafe reference.release()
    }
}

/// A flag that each thread has for itself. It is not set at first.
struct ThreadFlag: Sendable {
    private let key = makeThreadKey(nil)

    /// The calling thread's flag.
    var isSet: Bool { unsafe pthread_getspecific(key) != nil }

    func set() { unsafe setThreadData(key, to: UnsafeMutableRawPointer(bitPattern: 1)) }
}

/// Makes the key that the C library has for its loops, if there is none. The system calls destructors in the order of
/// the keys.
func makeThreadKeyOfCLibrary() { _ = unsafe CFAutorelease(kCFAllocatorSystemDefault) }

@safe private func makeThreadKey(_ destructor: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?) -> pthread_key_t {
    var key = pthread_key_t()
    let error = unsafe pthread_key_create(&key, destructor)
    if error != 0 { fatalError("The system cannot create a key for thread-specific data: \(text(ofError: error)).") }
    return key
}

@safe private func setThreadData(_ key: pthread_key_t, to value: UnsafeMutableRawPointer?) {
    if unsafe pthread_setspecific(key, value) != 0 {
        fatalError("The system has no memory left for thread-specific data.")
    }
}

/// The number of rounds in which the system calls the destructors of an ending thread's data.
let destructorRounds = sysconf(Int32(_SC_THREAD_DESTRUCTOR_ITERATIONS))

let leastStackSize = sysconf(Int32(_SC_THREAD_STACK_MIN))

let defaultStackSize: Int = {
    var attributes = pthread_attr_t()
    unsafe pthread_attr_init(&attributes)
    defer { unsafe pthread_attr_destroy(&attributes) }
    var size = 0
    unsafe pthread_attr_getstacksize(&attributes, &size)
    return size
}()
#endif
