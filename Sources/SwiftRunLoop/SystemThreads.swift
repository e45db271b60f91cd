// SystemThreads.swift: the system's threads: their handles, their names in the kernel, their data and their limits.

internal import CRunLoop
internal import Glibc

/// A thread that has begun and has not ended.
enum RunningThread {
    case main
    case thread(pthread_t)

    var isMainThread: Bool {
        if case .main = self { true } else { false }
    }

    var isCaller: Bool {
        switch self {
        case .main: _CFIsMainThread()
        case .thread(let thread): pthread_equal(thread, pthread_self()) != 0
        }
    }

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
        unsafe _CFThreadGetKernelName(thread, buffer.baseAddress!, Int32(buffer.count)) == 0 ? String(cString: buffer.baseAddress!) : ""
    }
}

/// Sets a living thread's name in the kernel: as many whole characters as fit into 15 bytes.
func setKernelName(of thread: pthread_t, to name: String) {
    var fitting = "", room = 15
    for character in name {
        room -= character.utf8.count
        if room < 0 { break }
        fitting.append(character)
    }
    _ = unsafe _CFThreadSetName(thread, fitting)
}

/// The system's text for an error number.
func text(ofError number: Int32) -> String { unsafe String(cString: strerror(number)) }

/// Makes a key for thread-specific data. The system calls the destructor on an ending thread whose value is not null.
@safe func makeThreadKey(destructor: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?) -> pthread_key_t {
    var key = pthread_key_t()
    let error = unsafe pthread_key_create(&key, destructor)
    if error != 0 { fatalError("The system cannot create a key for thread-specific data: \(text(ofError: error)).") }
    return key
}

/// Sets the calling thread's value of a key.
func setThreadData(_ key: pthread_key_t, to value: UnsafeMutableRawPointer?) {
    if unsafe pthread_setspecific(key, value) != 0 { fatalError("The system has no memory left for thread-specific data.") }
}

/// Returns the object of which the calling thread's value of a key is a reference. If there is no value, it makes the object, and the key
/// retains it: the key's destructor must release it.
func threadObject<Object: AnyObject>(_ key: pthread_key_t, make: () -> Object) -> Object {
    if let known = unsafe pthread_getspecific(key) { return unsafe Unmanaged.fromOpaque(known).takeUnretainedValue() }
    let made = make()
    unsafe setThreadData(key, to: Unmanaged.passRetained(made).toOpaque())
    return made
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
