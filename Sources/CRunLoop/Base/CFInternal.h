/// CFInternal.h: what the files of this library share, but the public headers do not declare:
/// locks, the check for a fork, time, and the last message before an abort. Internal.
#if !defined(__COREFOUNDATION_CFINTERNAL__)
#define __COREFOUNDATION_CFINTERNAL__ 1

#include "../Kernel/CFKernel.h"
#include "CFRuntime.h"

// No array on the stack has a length that a client decides, because a thread may have a small
// stack, and a loop may have any number of modes.
#pragma GCC diagnostic error "-Wvla"

CF_EXTERN_C_BEGIN

// MARK: - Diagnoses (CFRuntime.c)

/// Prints one line on stderr, prefixed with the program's name and pid, and aborts. The caller is a
/// function whose name is the diagnosis, so that the name is in the stack trace: see the uses.
CF_PRIVATE void __CFHalt(const char *format, ...)
    __attribute__((noreturn, cold, format(printf, 1, 2)));
/// Prints one line on stderr.
CF_PRIVATE void __CFWarn(const char *format, ...) __attribute__((cold, format(printf, 1, 2)));
/// Aborts: `function` was given NULL for an argument that must be an object.
CF_PRIVATE void __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(const char *function)
    __attribute__((noreturn, cold));
/// Aborts: there is no memory left for `what`.
CF_PRIVATE void __CF_HAS_NO_MEMORY_LEFT__(const char *what) __attribute__((noreturn, cold));

// MARK: - Blocks (CFRuntime.c)

/// Copies a client's block; the caller releases it with _Block_release. Aborts if there is no
/// memory for it, because an item without its block would do nothing, or crash when it is called.
/// It has the signature of a context's `retain`.
CF_PRIVATE const void *__CFBlockCopy(const void *block);

// MARK: - Locks (CFPlatform.c)

/// The lock of the registry and of port sets, as in CF-1153 and the current source: a mutex that is
/// not recursive. Debug builds abort if a thread takes it twice, or releases it without holding it.
typedef pthread_mutex_t CFLock_t;
#if defined(CF_CHECK_LOCKS) && defined(PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP) // glibc
#define CF_LOCK_INITIALIZER PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP
#elif defined(CF_CHECK_LOCKS) // musl, where the first number in a mutex is its type
#define CF_LOCK_INITIALIZER {{{PTHREAD_MUTEX_ERRORCHECK}}}
#else
#define CF_LOCK_INITIALIZER PTHREAD_MUTEX_INITIALIZER
#endif
#if defined(CF_CHECK_LOCKS)
CF_PRIVATE void __THIS_THREAD_HOLDS_THE_LOCK_ALREADY__(CFLock_t *lock)
    __attribute__((noreturn, cold));
CF_PRIVATE void __THIS_THREAD_DOES_NOT_HOLD_THE_LOCK__(CFLock_t *lock)
    __attribute__((noreturn, cold));
/// Aborts unless the calling thread holds the lock of `owner`.
CF_PRIVATE void __CFAssertLocked(pthread_mutex_t *lock, const char *owner, const char *function);
/// Aborts if the calling thread holds the lock of `owner`.
CF_PRIVATE void __CFAssertUnlocked(pthread_mutex_t *lock, const char *owner, const char *function);
/// Aborts unless the calling thread is `thread`; 0 means the main thread.
CF_PRIVATE void __CFAssertOnThread(pthread_t thread, const char *function);
#define CF_LOCK_TYPE PTHREAD_MUTEX_ERRORCHECK
#else
#define CF_LOCK_TYPE PTHREAD_MUTEX_DEFAULT
#define __THIS_THREAD_HOLDS_THE_LOCK_ALREADY__(lock) __builtin_unreachable()
#define __THIS_THREAD_DOES_NOT_HOLD_THE_LOCK__(lock) __builtin_unreachable()
#define __CFAssertLocked(lock, owner, function) ((void)(lock))
#define __CFAssertUnlocked(lock, owner, function) ((void)(lock))
#define __CFAssertOnThread(thread, function) ((void)(thread))
#endif
CF_INLINE void __CFLockInitWithType(pthread_mutex_t *lock, int type) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutex_init(lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}
CF_INLINE void __CFLockInit(CFLock_t *lock) { __CFLockInitWithType(lock, CF_LOCK_TYPE); }
/// Initializes the lock of a run loop, a mode or an item. It is recursive, as in the original: a
/// debugger that has stopped inside a step may call CFShow(rl), which locks the loop again.
CF_INLINE void __CFRunLoopLockInit(pthread_mutex_t *lock) {
    __CFLockInitWithType(lock, PTHREAD_MUTEX_RECURSIVE);
}
/// Neither of these is a cancellation point, and both leave errno alone.
CF_INLINE void __CFLock(CFLock_t *lock) {
    if (CF_UNLIKELY(pthread_mutex_lock(lock))) __THIS_THREAD_HOLDS_THE_LOCK_ALREADY__(lock);
}
CF_INLINE void __CFUnlock(CFLock_t *lock) {
    if (CF_UNLIKELY(pthread_mutex_unlock(lock))) __THIS_THREAD_DOES_NOT_HOLD_THE_LOCK__(lock);
}

/// A precondition, in the first lines of a function: the calling thread has locked this object, or
/// these two. Release builds do not check it.
#define CF_ASSERT_LOCKED(...) \
    __CF_CHOOSE_THIRD(__VA_ARGS__, __CF_ASSERT_BOTH_LOCKED, __CF_ASSERT_ONE_LOCKED, )(__VA_ARGS__)
#define __CF_CHOOSE_THIRD(first, second, third, ...) third
#define __CF_ASSERT_ONE_LOCKED(object) __CFAssertLocked(&(object)->_lock, #object, __func__)
#define __CF_ASSERT_BOTH_LOCKED(outer, inner) \
    (__CF_ASSERT_ONE_LOCKED(outer), __CF_ASSERT_ONE_LOCKED(inner))
/// No callback of a step runs while its thread holds one of these two locks.
#define CF_ASSERT_UNLOCKED(outer, inner) \
    (__CFAssertUnlocked(&(outer)->_lock, #outer, __func__), \
     __CFAssertUnlocked(&(inner)->_lock, #inner, __func__))
/// A precondition: the calling thread is the one that runs this loop.
#define CF_ASSERT_ON_THREAD(rl) __CFAssertOnThread((rl)->_pthread, __func__)

// MARK: - Fork (CFPlatform.c)

/// A function of a run loop has been called in this process.
CF_PRIVATE _Atomic(Boolean) __CF120290;
/// This process was forked from such a process, so it may not use run loops.
CF_PRIVATE _Atomic(Boolean) __CF120293;
CF_PRIVATE void
__THE_PROCESS_HAS_FORKED_AND_YOU_CANNOT_USE_THIS_COREFOUNDATION_FUNCTIONALITY___YOU_MUST_EXEC__(
    void) __attribute__((noreturn, cold));
/// The first statement of every public function of the run loop. [D3]
#if !defined(CHECK_FOR_FORK) // the simulated kernel has another
#define CHECK_FOR_FORK() do { \
        if (CF_UNLIKELY(!atomic_load_explicit(&__CF120290, memory_order_relaxed))) \
            atomic_store(&__CF120290, true); \
        if (CF_UNLIKELY(atomic_load_explicit(&__CF120293, memory_order_relaxed))) \
__THE_PROCESS_HAS_FORKED_AND_YOU_CANNOT_USE_THIS_COREFOUNDATION_FUNCTIONALITY___YOU_MUST_EXEC__(); \
    } while (0)
/// The same in a function that a signal handler may call. In a forked child it does nothing: a
/// signal may reach the child between its fork and its exec.
#define CHECK_FOR_FORK_IN_SIGNAL_HANDLER() do { \
        if (CF_UNLIKELY(atomic_load_explicit(&__CF120293, memory_order_relaxed))) return; \
        CHECK_FOR_FORK(); \
    } while (0)
#endif

// MARK: - Time (CFDate.c)
//
// TSR ("time since reset") is CoreFoundation's word for the clock that never jumps. One TSR unit is
// one tick of mach_absolute_time (CFKernel.h): a nanosecond here. [D1]

/// Converts seconds to TSR units, and cuts off what is less than a unit, as on a Mac. A negative
/// number and NaN give 0, and a number that is too large gives UINT64_MAX.
CF_PRIVATE uint64_t __CFTimeIntervalToTSR(CFTimeInterval ti);
/// Converts TSR units to seconds.
CF_PRIVATE CFTimeInterval __CFTSRToTimeInterval(uint64_t tsr);
/// Returns whether the time has come. 0 always has, and UINT64_MAX never has, so for these two it
/// does not read the clock.
CF_INLINE Boolean __CFTSRHasCome(uint64_t tsr) {
    return tsr == 0 || (tsr != UINT64_MAX && tsr <= mach_absolute_time());
}
/// Returns the seconds from now until `tsr`. The result is negative if `tsr` has passed.
CF_PRIVATE CFTimeInterval __CFTimeIntervalUntilTSR(uint64_t tsr);

// MARK: - Names of functions (CFSymbols.c)

/// Returns the name of the function at or around an address, for descriptions. It finds the
/// program's static functions and closures too, and returns Swift names as the source spells them.
/// Returns "???" if the name is not known: see CFCopyDescription. The caller releases it.
CF_PRIVATE CFStringRef __CFCopyNameOfFunction(const void *function);
/// Returns a description of a block, with the name of its function, or NULL for NULL. It has the
/// signature of a context's `copyDescription`. The caller releases it.
CF_PRIVATE CFStringRef __CFBlockCopyDescription(const void *block);

// MARK: - Collections (CFCollections.c)

/// Copies a set or an array that may change, for __CFCollectionCopyDescriptionAs. Returns NULL for
/// NULL.
CF_PRIVATE CFTypeRef __CFCollectionCopy(CFTypeRef collection);
/// Describes that copy under the address of the collection itself, which need not exist any more:
/// the description of an item may call the client, and then nothing may be locked. Returns "(null)"
/// for NULL. The caller releases it.
CF_PRIVATE CFStringRef __CFCollectionCopyDescriptionAs(CFTypeRef copy, const void *original);

// MARK: - Strings (CFString.c, CFStringEncodings.c)

/// Returns an empty string to write a description into. Aborts if there is no memory for it. The
/// caller releases it.
CF_PRIVATE CFMutableStringRef __CFDescriptionCreateMutable(CFAllocatorRef allocator);
/// Copies a string in UTF-8, for a message or a trace, and truncates it if it does not fit. NULL
/// becomes an empty text.
CF_PRIVATE void __CFStringCopyTruncated(CFStringRef string, char *text, CFIndex size);

/// A constant string at file scope:
///
///     CONST_STRING_DECL(kCFRunLoopDefaultMode, "kCFRunLoopDefaultMode")
#define CONST_STRING_DECL(S, V) \
    static const struct __CFConstStr __ ## S = { \
        {(uintptr_t)&__CFStringClass, 0, UINT32_MAX}, (const uint8_t *)(V), sizeof(V) - 1}; \
    static const CFStringRef S = (CFStringRef)&__ ## S;

CF_EXTERN_C_END

#endif
