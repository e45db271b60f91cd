/// CFInternal.h: what the files of this library share beyond the public headers: locks,
/// thread-specific data, time, the last words before a halt. Internal.
#if !defined(__COREFOUNDATION_CFINTERNAL__)
#define __COREFOUNDATION_CFINTERNAL__ 1

#include "CFRuntime.h"
#include <pthread.h>

// No array on the stack has a length that a client decides on: a thread may have a small stack, and
// a loop any number of modes.
#pragma GCC diagnostic error "-Wvla"

CF_EXTERN_C_BEGIN

#define CF_PRIVATE
#define CF_LIKELY(x) __builtin_expect(!!(x), 1)
#define CF_UNLIKELY(x) __builtin_expect(!!(x), 0)

// MARK: - Diagnoses (CFRuntime.c)

/// Prints one line on stderr, prefixed with the program's pid, and stops the program. Called from
/// inside a function whose name is the diagnosis, so that the name stands in the stack trace: see
/// the uses.
CF_EXPORT void __CFHalt(const char *format, ...)
    __attribute__((noreturn, cold, format(printf, 1, 2)));
/// Prints one line on stderr.
CF_EXPORT void __CFWarn(const char *format, ...) __attribute__((cold, format(printf, 1, 2)));
/// Stops the program: `function` was given NULL for an argument that must be an object.
CF_EXPORT void __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(const char *function)
    __attribute__((noreturn, cold));
/// Stops the program: there is no memory left for what `what` names.
CF_EXPORT void __CF_HAS_NO_MEMORY_LEFT__(const char *what) __attribute__((noreturn, cold));

// MARK: - Blocks (CFRuntime.c)

/// Copies a client's block, to be released with _Block_release; halts when there is no memory for
/// it: an item without its block would do nothing, or crash when it is called. Has the form of a
/// context's `retain`.
CF_EXPORT const void *__CFBlockCopy(const void *block);

// MARK: - Locks

typedef pthread_mutex_t CFLock_t;
/// What a static lock is initialized with, in place of __CFLockInit.
/// (PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP by its definition: the name is for _GNU_SOURCE alone.)
#if defined(CF_CHECK_LOCKS) && defined(__PTHREAD_MUTEX_INITIALIZER)
#define CF_LOCK_INITIALIZER {{__PTHREAD_MUTEX_INITIALIZER(PTHREAD_MUTEX_ERRORCHECK_NP)}}
#else
#define CF_LOCK_INITIALIZER PTHREAD_MUTEX_INITIALIZER
#endif
/// Debug builds use error-checking mutexes: a lock taken twice or given back by one who does not
/// hold it stops the program.
CF_EXPORT void __CFLockInit(pthread_mutex_t *lock);
#if defined(CF_CHECK_LOCKS)
CF_EXPORT void __CFLock(pthread_mutex_t *lock);
CF_EXPORT void __CFUnlock(pthread_mutex_t *lock);
#else
CF_INLINE void __CFLock(pthread_mutex_t *lock) { pthread_mutex_lock(lock); }
CF_INLINE void __CFUnlock(pthread_mutex_t *lock) { pthread_mutex_unlock(lock); }
#endif

// MARK: - Thread-specific data (CFPlatform.c)

/// The slots of a thread's table.
enum {
    __CFTSDKeyAllocator = 1,
    __CFTSDKeyIsInGCDMainQ = 2,
    __CFTSDKeyMainThread = 3,
    __CFTSDKeyRunLoop = 10,
    __CFTSDKeyRunLoopCntr = 11,
    CF_TSD_MAX_SLOTS = 12
};
/// What the calling thread keeps in `slot`; NULL when nothing.
CF_EXPORT void *_CFGetTSD(uint32_t slot);
/// Keeps `newVal` in `slot`. When the thread ends, `destructor` (which may be NULL) is called with
/// it; if it sets the slot again, it is called again in the next round of destructors. Returns the
/// old value.
CF_EXPORT void *_CFSetTSD(uint32_t slot, void *newVal, void (*destructor)(void *));
/// The calling thread's number in the system, asked of it once. Safe in a signal handler.
CF_EXPORT pid_t __CFThreadNumber(void);
/// The process's first thread.
CF_EXPORT pthread_t pthread_main_thread_np(void);
/// Whether the caller runs on the process's first thread: 1 or 0.
CF_EXPORT int pthread_main_np(void);

// MARK: - Fork (CFPlatform.c)

/// What it points to is 1, or 0 in a child of a process that had used a run loop. On a Mac there is
/// a flag, __CF120293, which a handler of pthread_atfork sets in the child.
CF_EXPORT _Atomic(uint8_t) *_Atomic __CFForkMark;
/// Where it points as long as the process has used no run loop.
CF_EXPORT _Atomic(uint8_t) __CFNoForkMark;
/// Whether this process is a child that may not use run loops. Two loads; no system call.
CF_INLINE Boolean __CFHasForked(void) {
    _Atomic(uint8_t) *mark = atomic_load_explicit(&__CFForkMark, memory_order_relaxed);
    return atomic_load_explicit(mark, memory_order_relaxed) == 0;
}
/// Whether __CFForbidUseAfterFork was called, in this process or in one that it was forked from.
CF_INLINE Boolean __CFUseAfterForkIsForbidden(void) {
    return atomic_load_explicit(&__CFForkMark, memory_order_acquire) != &__CFNoForkMark;
}
CF_EXPORT void
__THE_PROCESS_HAS_FORKED_AND_YOU_CANNOT_USE_THIS_COREFOUNDATION_FUNCTIONALITY___YOU_MUST_EXEC__(
    void) __attribute__((noreturn, cold));
/// The first statement of every public function of the run loop. [D3]
#define CHECK_FOR_FORK() do { \
        if (CF_UNLIKELY(__CFHasForked())) \
            __THE_PROCESS_HAS_FORKED_AND_YOU_CANNOT_USE_THIS_COREFOUNDATION_FUNCTIONALITY___YOU_MUST_EXEC__( \
            ); \
    } while (0)
/// Has children of this process find that they have forked, however they are made. Call it before a
/// lock that all threads share is taken for the first time: a child that may use run loops must not
/// find such a lock held by a thread that it does not have. Any thread; does nothing the second
/// time.
CF_EXPORT void __CFForbidUseAfterFork(void);

// MARK: - Time (CFDate.c)
//
// TSR is CoreFoundation's word for the clock that never jumps ("time since reset"). One TSR unit is
// one tick of mach_absolute_time on a Mac, one nanosecond of CLOCK_MONOTONIC here; the tick rate is
// a constant, never asked of clock_getres. [D1]

/// The monotonic clock, in nanoseconds. Safe in a signal handler.
CF_EXPORT uint64_t mach_absolute_time(void);
/// Seconds to TSR units. Rounds up what is less than a unit; negative and NaN give 0, what does not
/// fit gives UINT64_MAX.
CF_EXPORT uint64_t __CFTimeIntervalToTSR(CFTimeInterval ti);
/// TSR units to seconds.
CF_EXPORT CFTimeInterval __CFTSRToTimeInterval(uint64_t tsr);
/// Seconds from now until `tsr`; negative when it has passed.
CF_EXPORT CFTimeInterval __CFTimeIntervalUntilTSR(uint64_t tsr);

/// The wall clock minus the monotonic one, in nanoseconds: the same number at each call until
/// somebody sets the wall clock, so that equal dates are one moment, whenever they are asked about.
/// [D21]
CF_EXPORT int64_t __CFClockOffset(void);
/// The moment of a date, by such an offset; UINT64_MAX for one that is too far off, 0 for one
/// before the monotonic clock began.
CF_EXPORT uint64_t __CFTSROfDate(CFAbsoluteTime date, int64_t clockOffset);
/// The reverse.
CF_EXPORT CFAbsoluteTime __CFDateOfTSR(uint64_t tsr, int64_t clockOffset);

/// A length of time in TSR units, exact to a 2^64th of one.
struct __CFTicks {
    uint64_t whole;
    uint64_t fraction;
};
/// A length of time in such units: at least one of them.
CF_EXPORT struct __CFTicks __CFTicksOfTimeInterval(CFTimeInterval ti);
/// The moment `beat` intervals after `first`, rounded to the nearest TSR unit once, at the end;
/// UINT64_MAX if it is too far off.
CF_EXPORT uint64_t __CFTSROfBeat(uint64_t first, struct __CFTicks interval, uint64_t beat);
/// The number of the next beat after `beat` whose moment has not come at `tsr`.
CF_EXPORT uint64_t __CFBeatAfter(uint64_t first, struct __CFTicks interval, uint64_t beat,
                                 uint64_t tsr);

// MARK: - Allocators (CFAllocator.c)

/// Frees an allocator that lives in memory of its own; only for the runtime, as the last act of
/// CFRelease.
CF_EXPORT void __CFAllocatorFreeItself(CFAllocatorRef allocator);

// MARK: - Names of functions (CFSymbols.c)

/// The name of the function at or around an address, for descriptions: static functions and
/// closures, too, and Swift's names as the source has them. "???" where it cannot be known: see
/// CFCopyDescription. The caller releases it.
CF_EXPORT CFStringRef __CFCopyNameOfFunction(const void *function);
/// A block in words, with the name of its function; NULL for NULL. Has the form of a context's
/// `copyDescription`. The caller releases it.
CF_EXPORT CFStringRef __CFBlockCopyDescription(const void *block);
/// Finds the name of the function at an address, as an ELF file counts, in the file's symbol tables
/// or in those of its debug file; false if there is none. The file may be any file. For tests.
CF_EXPORT Boolean __CFSymbolFind(int file, uintptr_t address, char *name, size_t size);
/// Where debug files are, by build id. For tests.
CF_EXPORT const char *__CFDebugFileDirectory;

// MARK: - Collections (CFCollections.c)

/// Describes the copy of a set or an array as that from which it was made: under the address
/// `original`, which need not be there any more. "(null)" for NULL. The caller releases it.
CF_EXPORT CFStringRef __CFCollectionCopyDescriptionAs(CFTypeRef copy, const void *original);

// MARK: - Arrays (CFArray.c)

/// Makes an empty array whose values are sorted by a number in the first place, and are searched
/// for much faster once they are many: CFArrayTree.h has the reason. `keyOf` tells a value's
/// number, which must not change while the value is in the array. CFArrayBSearchValues may then be
/// called only with a value that has such a number, too, and a comparator by which a lesser number
/// compares less.
CF_EXPORT CFMutableArrayRef __CFArrayCreateMutableWithKeys(CFAllocatorRef allocator,
                                                           const CFArrayCallBacks *callBacks,
                                                           uint64_t (*keyOf)(const void *value));

// MARK: - Strings (CFString.c)

/// An empty string for a description to be written into; halts when there is no memory for it. The
/// caller releases it.
CF_EXPORT CFMutableStringRef __CFDescriptionCreateMutable(CFAllocatorRef allocator);

/// A constant string at file scope:
///
///     CONST_STRING_DECL(kCFRunLoopDefaultMode, "kCFRunLoopDefaultMode")
#define CONST_STRING_DECL(S, V) \
    static const struct __CFConstStr __ ## S = { \
        {(uintptr_t)&__CFStringClass, 0, UINT32_MAX, NULL}, (const uint8_t *)(V), sizeof(V) - 1}; \
    CF_SHARED const CFStringRef S = (CFStringRef)&__ ## S;

CF_EXTERN_C_END

#endif
