/// CFInternal.h: what the files of this library share, but the public headers do not declare:
/// locks, thread-specific data, time, and the last message before an abort. Internal.
#if !defined(__COREFOUNDATION_CFINTERNAL__)
#define __COREFOUNDATION_CFINTERNAL__ 1

#include "CFRuntime.h"
#include <pthread.h>

// No array on the stack has a length that a client decides, because a thread may have a small
// stack, and a loop may have any number of modes.
#pragma GCC diagnostic error "-Wvla"

CF_EXTERN_C_BEGIN

#define CF_LIKELY(x) __builtin_expect(!!(x), 1)
#define CF_UNLIKELY(x) __builtin_expect(!!(x), 0)
/// A condition that is true half the time: the compiler should compute both results and choose.
#if defined(__clang__)
#define CF_UNPREDICTABLE(x) __builtin_unpredictable(!!(x))
#else
#define CF_UNPREDICTABLE(x) (x)
#endif

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

// MARK: - Thread numbers (CFPlatform.c)

/// The calling thread's number in the system; 0: it has not asked yet.
CF_PRIVATE __thread pid_t __CFKnownThreadNumber __attribute__((visibility("hidden")));
/// Asks the system for the calling thread's number, and keeps it for the next time.
CF_PRIVATE pid_t __CFThreadAskNumber(void);
/// Returns the calling thread's number in the system. Each thread makes the system call only once.
/// Safe in a signal handler.
CF_INLINE pid_t __CFThreadNumber(void) {
    return CF_LIKELY(__CFKnownThreadNumber) ? __CFKnownThreadNumber : __CFThreadAskNumber();
}

// MARK: - Locks (CFPlatform.c)

/// A lock of four bytes that says which thread holds it, as os_unfair_lock does on a Mac. A pthread
/// mutex has 40 bytes, and takes three times as many instructions. A thread that must wait for the
/// lock waits in the kernel (futex).
typedef struct {
    // The number of the thread that holds it, and __kCFLockIsAwaited; 0 if it is free.
    _Atomic(uint32_t) _owner;
} CFLock_t;
#define CF_LOCK_INITIALIZER {0}
/// In `_owner`: a thread may wait for the lock. No thread has a number with this bit.
#define __kCFLockIsAwaited 0x80000000u
/// A lock has nothing to destroy.
CF_INLINE void __CFLockInit(CFLock_t *lock) { atomic_init(&lock->_owner, 0); }
/// Waits for a lock that another thread holds, and takes it for the thread of this number.
CF_PRIVATE void __CFLockWait(CFLock_t *lock, uint32_t number) __attribute__((cold));
/// Wakes one of the threads that wait for the lock.
CF_PRIVATE void __CFLockWakeOne(CFLock_t *lock) __attribute__((cold));
/// Takes the lock if it is free, and returns whether it was. For tests.
CF_PRIVATE Boolean __CFTryLock(CFLock_t *lock) __attribute__((unused));
#if defined(CF_CHECK_LOCKS)
CF_PRIVATE void __CFLock(CFLock_t *lock);
CF_PRIVATE void __CFUnlock(CFLock_t *lock);
CF_PRIVATE void __CFLockWithin(CFLock_t *lock, const CFLock_t *outer);
CF_PRIVATE void __CFUnlockWithin(CFLock_t *lock);
/// Aborts unless the calling thread holds the lock of `owner`.
CF_PRIVATE void __CFAssertLocked(const CFLock_t *lock, const char *owner, const char *function);
/// Aborts unless the calling thread is `thread`.
CF_PRIVATE void __CFAssertOnThread(pthread_t thread, const char *function);
#else
/// Takes the lock. Neither this nor __CFUnlock is a cancellation point, and both leave errno alone.
/// Debug builds check the locks: if a thread takes a lock twice, or releases one that it does not
/// hold, the program aborts.
CF_INLINE void __CFLock(CFLock_t *lock) {
    uint32_t number = (uint32_t)__CFThreadNumber(), none = 0;
    if (CF_UNLIKELY(!atomic_compare_exchange_strong_explicit(
            &lock->_owner, &none, number, memory_order_acquire, memory_order_relaxed)))
        __CFLockWait(lock, number);
}
CF_INLINE void __CFUnlock(CFLock_t *lock) {
    uint32_t owner = atomic_exchange_explicit(&lock->_owner, 0, memory_order_release);
    if (CF_UNLIKELY(owner & __kCFLockIsAwaited)) __CFLockWakeOne(lock);
}
/// Takes a lock that every thread takes only while it holds `outer`. So the lock is free, and no
/// atomic exchange is needed.
CF_INLINE void __CFLockWithin(CFLock_t *lock, const CFLock_t *outer) {
    uint32_t owner = atomic_load_explicit(&outer->_owner, memory_order_relaxed);
    atomic_store_explicit(&lock->_owner, owner & ~__kCFLockIsAwaited, memory_order_relaxed);
}
CF_INLINE void __CFUnlockWithin(CFLock_t *lock) {
    atomic_store_explicit(&lock->_owner, 0, memory_order_relaxed);
}
#define __CFAssertLocked(lock, owner, function) ((void)(lock))
#define __CFAssertOnThread(thread, function) ((void)(thread))
#endif

/// A precondition, in the first lines of a function: the calling thread has locked this object, or
/// these two. Release builds do not check it.
#define CF_ASSERT_LOCKED(...) \
    __CF_CHOOSE_THIRD(__VA_ARGS__, __CF_ASSERT_BOTH_LOCKED, __CF_ASSERT_ONE_LOCKED, )(__VA_ARGS__)
#define __CF_CHOOSE_THIRD(first, second, third, ...) third
#define __CF_ASSERT_ONE_LOCKED(object) __CFAssertLocked(&(object)->_lock, #object, __func__)
#define __CF_ASSERT_BOTH_LOCKED(outer, inner) \
    (__CF_ASSERT_ONE_LOCKED(outer), __CF_ASSERT_ONE_LOCKED(inner))
/// A precondition: the calling thread is the one that runs this loop.
#define CF_ASSERT_ON_THREAD(rl) __CFAssertOnThread((rl)->_pthread, __func__)

// MARK: - Thread-specific data (CFPlatform.c)

/// The slots of a thread's table.
enum {
    __CFTSDKeyAllocator = 1,
    __CFTSDKeyIsInGCDMainQ = 2,
    __CFTSDKeyMainThread = 3,
    __CFTSDKeyAutorelease = 4,
    __CFTSDKeyRunLoop = 10,
    __CFTSDKeyRunLoopCntr = 11,
    CF_TSD_MAX_SLOTS = 12
};
/// One value of a thread, and the function that it is given to when the thread ends.
struct __CFTSDSlot {
    void *value;
    void (*destructor)(void *);
};
/// The calling thread's table. It is part of the thread itself, so even a destructor that runs
/// after everything else is gone can use it, and it never leaks. [D5]
CF_PRIVATE __thread struct __CFTSDSlot __CFTSDTable[CF_TSD_MAX_SLOTS]
    __attribute__((visibility("hidden")));
/// Returns the calling thread's value in `slot`, or NULL if there is none.
CF_INLINE void *_CFGetTSD(uint32_t slot) {
    return slot < CF_TSD_MAX_SLOTS ? __CFTSDTable[slot].value : NULL;
}
/// Sets the calling thread's value in `slot`, and returns the old one. When the thread ends, it
/// calls `destructor` (which may be NULL) with the value. If the destructor sets the slot again,
/// the thread calls it again in the next destructor round.
CF_PRIVATE void *_CFSetTSD(uint32_t slot, void *newVal, void (*destructor)(void *));
/// The number of the process's first thread.
CF_PRIVATE pid_t __CFMainThreadNumber;
/// Returns whether the caller runs on the process's first thread: 1 or 0.
CF_INLINE int pthread_main_np(void) { return __CFThreadNumber() == __CFMainThreadNumber; }

// MARK: - Fork (CFPlatform.c)

/// It points to 1, or to 0 in a child of a process that had used a run loop. On a Mac a handler of
/// pthread_atfork sets a flag, __CF120293, in the child.
CF_PRIVATE _Atomic(uint8_t) *_Atomic __CFForkMark;
/// It points here as long as the process has used no run loop.
CF_PRIVATE _Atomic(uint8_t) __CFNoForkMark;
/// Returns whether this process is a child that may not use run loops. Two loads, no system call.
CF_INLINE Boolean __CFHasForked(void) {
    _Atomic(uint8_t) *mark = atomic_load_explicit(&__CFForkMark, memory_order_relaxed);
    return atomic_load_explicit(mark, memory_order_relaxed) == 0;
}
/// Returns whether __CFForbidUseAfterFork was called, in this process or in one that it was forked
/// from.
CF_INLINE Boolean __CFUseAfterForkIsForbidden(void) {
    return atomic_load_explicit(&__CFForkMark, memory_order_acquire) != &__CFNoForkMark;
}
CF_PRIVATE void
__THE_PROCESS_HAS_FORKED_AND_YOU_CANNOT_USE_THIS_COREFOUNDATION_FUNCTIONALITY___YOU_MUST_EXEC__(
    void) __attribute__((noreturn, cold));
/// The first statement of every public function of the run loop. [D3]
#define CHECK_FOR_FORK() do { \
        if (CF_UNLIKELY(__CFHasForked())) \
            __THE_PROCESS_HAS_FORKED_AND_YOU_CANNOT_USE_THIS_COREFOUNDATION_FUNCTIONALITY___YOU_MUST_EXEC__( \
            ); \
    } while (0)
/// Makes every child of this process notice that it was forked, however it is created. Call it
/// before any thread takes a lock that all threads share for the first time. Otherwise a child that
/// may use run loops could find such a lock held by a thread that does not exist in it. Any thread
/// may call it. The second call does nothing.
CF_PRIVATE void __CFForbidUseAfterFork(void);

// MARK: - Time (CFDate.c)
//
// TSR ("time since reset") is CoreFoundation's word for the clock that never jumps. One TSR unit is
// one tick of mach_absolute_time on a Mac, and one nanosecond of CLOCK_MONOTONIC here. The tick
// rate is a constant, and this library never asks clock_getres for it. [D1]

/// Returns the time of the monotonic clock, in nanoseconds. Safe in a signal handler.
CF_PRIVATE uint64_t mach_absolute_time(void);
/// Converts seconds to TSR units. Rounds up what is less than a unit. A negative number and NaN
/// give 0, and a number that is too large gives UINT64_MAX.
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

/// Returns the wall clock minus the monotonic clock, in nanoseconds. The result stays the same
/// until the wall clock is set, so that equal dates are the same moment, whenever they are
/// converted. [D21]
CF_PRIVATE int64_t __CFClockOffset(void);
/// Returns the time of the monotonic clock, to compare it with `tsr`. If that is more than a second
/// away, the result may be some milliseconds behind.
CF_PRIVATE uint64_t __CFTSRNowNear(uint64_t tsr);
/// Returns `tsr`, or the time of the monotonic clock if that is later.
CF_PRIVATE uint64_t __CFTSRNotBeforeNow(uint64_t tsr);
/// Returns the moment of a date, given such an offset. Returns UINT64_MAX for a date that is too
/// far off, and 0 for one before the monotonic clock began.
CF_PRIVATE uint64_t __CFTSROfDate(CFAbsoluteTime date, int64_t clockOffset);
/// Returns the date of a moment, given such an offset.
CF_PRIVATE CFAbsoluteTime __CFDateOfTSR(uint64_t tsr, int64_t clockOffset);

/// A length of time in TSR units, exact to 1/2^64 of a unit.
struct __CFTicks {
    uint64_t whole;
    uint64_t fraction;
};
/// Converts an interval in seconds to such a length. It is at least one TSR unit.
CF_PRIVATE struct __CFTicks __CFTicksOfTimeInterval(CFTimeInterval ti);
/// Returns the moment `beat` intervals after `first`. It is rounded once, at the end, to the
/// nearest TSR unit. Returns UINT64_MAX if it is too far off.
CF_PRIVATE uint64_t __CFTSROfBeat(uint64_t first, struct __CFTicks interval, uint64_t beat);
/// Returns the number of the first beat after `beat` that is still to come at `tsr`.
CF_PRIVATE uint64_t __CFBeatAfter(uint64_t first, struct __CFTicks interval, uint64_t beat,
                                 uint64_t tsr);

// MARK: - Names of functions (CFSymbols.c)

/// Returns the name of the function at or around an address, for descriptions. It finds the
/// program's static functions and closures too, and returns Swift names as the source spells them.
/// Returns "???" if the name is not known: see CFCopyDescription. The caller releases it.
CF_PRIVATE CFStringRef __CFCopyNameOfFunction(const void *function);
/// Returns a description of a block, with the name of its function, or NULL for NULL. It has the
/// signature of a context's `copyDescription`. The caller releases it.
CF_PRIVATE CFStringRef __CFBlockCopyDescription(const void *block);

// MARK: - Collections (CFCollections.c)

/// Describes the copy of a set or an array under the address of the collection that it was made
/// from, which need not exist any more. Returns "(null)" for NULL. The caller releases it.
CF_PRIVATE CFStringRef __CFCollectionCopyDescriptionAs(CFTypeRef copy, const void *original);

// MARK: - Memory

/// Asks the processor to fetch an object from memory, all of it at once. The lines of the cache
/// would come one after the other otherwise, each when it is first used. Any address will do.
CF_INLINE void __CFPrefetch(const void *object, size_t size) {
    for (size_t offset = 0; offset < size; offset += 64)
        __builtin_prefetch((const char *)object + offset, 1);
}

// MARK: - Arrays (CFArray.c)

/// What the values of a sorted array are sorted by: first by one number, then by another one.
typedef struct {
    uint64_t first, second;
} CFArrayKey;

/// Creates an empty array whose values are sorted by a key. Searches are much faster if there are
/// many values: CFArrayTree.h says why. `keyOf` returns a value's key, which must not change while
/// the value is in the array. Call CFArrayBSearchValues only with a value that also has a key, and
/// with a comparator by which a value with a lesser key is less.
CF_PRIVATE CFMutableArrayRef __CFArrayCreateMutableWithKeys(CFAllocatorRef allocator,
                                                           const CFArrayCallBacks *callBacks,
                                                           CFArrayKey (*keyOf)(const void *value));
/// Inserts a value where it belongs, in an array with keys that is sorted by this comparator, and
/// without finding an index first.
CF_PRIVATE void __CFArrayInsertSorted(CFMutableArrayRef array, const void *value,
                                     CFComparatorFunction comparator, void *context);
/// Removes a value from such an array, and returns whether it was there. No other value may compare
/// as equal to it.
CF_PRIVATE Boolean __CFArrayRemoveSorted(CFMutableArrayRef array, const void *value,
                                        CFComparatorFunction comparator, void *context);
/// Inserts a value as __CFArrayInsertSorted does, but does not retain it: the array owns the
/// caller's reference afterwards.
CF_PRIVATE void __CFArrayPutSorted(CFMutableArrayRef array, const void *value,
                                  CFComparatorFunction comparator, void *context);
/// Removes a value that is in such an array, but does not release it: the caller owns the array's
/// reference afterwards. A key is either the value's alone for as long as the program runs, or its
/// first number is 0.
CF_PRIVATE void __CFArrayTakeUnique(CFMutableArrayRef array, const void *value,
                                   CFComparatorFunction comparator, void *context);

// MARK: - Strings (CFString.c)

/// Returns an empty string to write a description into. Aborts if there is no memory for it. The
/// caller releases it.
CF_PRIVATE CFMutableStringRef __CFDescriptionCreateMutable(CFAllocatorRef allocator);

/// A constant string at file scope:
///
///     CONST_STRING_DECL(kCFRunLoopDefaultMode, "kCFRunLoopDefaultMode")
#define CONST_STRING_DECL(S, V) \
    static const struct __CFConstStr __ ## S = { \
        {(uintptr_t)&__CFStringClass, 0, UINT32_MAX, NULL}, (const uint8_t *)(V), sizeof(V) - 1}; \
    static const CFStringRef S = (CFStringRef)&__ ## S;

CF_EXTERN_C_END

#endif
