/// CFPlatform.c: the data of each thread, locks, the check for the main thread, and the check for a
/// forked child, in which the library cannot be used.
///
/// All of the library's thread-specific data is in one small `__thread` table, which a thread
/// reaches with one instruction. The pthread key exists only so that pthread calls this file when
/// the thread ends. A Mac reserves slots in the thread itself for this.
#include "CFInternal.h"
#include <CoreFoundation/ForSwiftFoundationOnly.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

// MARK: - Thread-specific data

CF_SHARED __thread struct __CFTSDSlot __CFTSDTable[CF_TSD_MAX_SLOTS];
/// Whether the key is set for this thread, so that pthread will call __CFTSDFinalize.
static __thread Boolean __CFTSDIsAnnounced;
/// How many destructor rounds the ending thread has completed.
static __thread int __CFTSDRounds;

static pthread_key_t __CFTSDKey;
static pthread_once_t __CFTSDKeyOnce = PTHREAD_ONCE_INIT;

/// Calls the destructor of each filled slot. It empties the slot first, so that the destructor may
/// fill it again.
static void __CFTSDCallDestructors(void) {
    for (int i = 0; i < CF_TSD_MAX_SLOTS; i++) {
        struct __CFTSDSlot slot = __CFTSDTable[i];
        if (!slot.value || !slot.destructor) continue;
        __CFTSDTable[i] = (struct __CFTSDSlot){NULL, NULL};
        slot.destructor(slot.value);
    }
}

/// Returns whether a destructor must still be called.
static Boolean __CFTSDHasWork(void) {
    for (int i = 0; i < CF_TSD_MAX_SLOTS; i++) {
        if (__CFTSDTable[i].value && __CFTSDTable[i].destructor) return true;
    }
    return false;
}

static void __CFTSDFinalize(void *unused);

/// Makes the loader keep the library or plug-in that contains this code, even if the program calls
/// dlclose. From now on threads call __CFTSDFinalize when they end, and there is no way to tell
/// when the last of them has ended. An executable is never unloaded, and has no name here.
static void __CFImagePin(void) {
#if defined(__GLIBC__) // musl never unloads a library
    Dl_info info;
    struct link_map *image = NULL;
    if (!dladdr1((const void *)__CFImagePin, &info, (void **)&image, RTLD_DL_LINKMAP)) return;
    if (!image || !image->l_name || !image->l_name[0]) return;
    // Looks dlopen up by name, because the linker of a static program warns about every call of it.
    __typeof__(&dlopen) open = (__typeof__(&dlopen))dlsym(RTLD_DEFAULT, "dlopen");
    void *itself = open ? open(image->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) : NULL;
    if (itself) dlclose(itself); // RTLD_NODELETE remains in effect
#endif
}

static void __CFTSDCreateKey(void) {
    __CFImagePin();
    int error = pthread_key_create(&__CFTSDKey, __CFTSDFinalize);
    if (error)
        __CFHalt("There is no pthread key left for the data of threads (%s).", strerror(error));
}

/// Makes pthread call __CFTSDFinalize in the next destructor round.
static void __CFTSDAnnounce(void) {
    pthread_once(&__CFTSDKeyOnce, __CFTSDCreateKey);
    if (pthread_setspecific(__CFTSDKey, __CFTSDTable) != 0)
        __CF_HAS_NO_MEMORY_LEFT__("the data of a thread");
    __CFTSDIsAnnounced = true;
}

/// The key's destructor, which is one destructor round. pthread empties the key and calls this
/// function. If the function sets the key again, pthread calls it again in the next round, at most
/// PTHREAD_DESTRUCTOR_ITERATIONS times.
///
/// It sets the key even if no work is left, so that it counts the rounds correctly for code that
/// fills a slot late. It does not set it for the last round, because sanitizers have left the
/// thread by then. After the last round there is no next one, so a destructor that asks for another
/// round gets it at once. The second count stops a destructor that would ask forever.
static void __CFTSDFinalize(void *unused) {
    (void)unused;
    __CFTSDIsAnnounced = false;
    __CFTSDRounds++;
    __CFTSDCallDestructors();
    if (__CFTSDRounds < PTHREAD_DESTRUCTOR_ITERATIONS - 1
        || (__CFTSDRounds < PTHREAD_DESTRUCTOR_ITERATIONS && __CFTSDHasWork())) {
        __CFTSDAnnounce();
        return;
    }
    for (int i = 0; i < PTHREAD_DESTRUCTOR_ITERATIONS && __CFTSDHasWork(); i++)
        __CFTSDCallDestructors();
}

void *_CFSetTSD(uint32_t slot, void *newVal, void (*destructor)(void *)) {
    if (slot >= CF_TSD_MAX_SLOTS)
        __CFHalt("There is no slot %u for the data of threads; the last one is %d.", slot,
                 CF_TSD_MAX_SLOTS - 1);
    void *oldVal = __CFTSDTable[slot].value;
    __CFTSDTable[slot] = (struct __CFTSDSlot){newVal, destructor};
    if (newVal && !__CFTSDIsAnnounced) __CFTSDAnnounce();
    return oldVal;
}

// MARK: - Thread numbers

CF_SHARED __thread pid_t __CFKnownThreadNumber;

pid_t __CFThreadAskNumber(void) {
    return __CFKnownThreadNumber = (pid_t)syscall(SYS_gettid);
}

// MARK: - Locks
//
//     _owner                   the lock is
//     0                        free
//     number                   held, and no thread waits
//     number + IsAwaited       held, and a thread waits in the kernel, or may be about to
//
// A thread that has waited takes the lock with IsAwaited, because it does not know whether other
// threads wait, too. So the last of them wakes a thread that does not exist, which costs one system
// call, and no thread is forgotten.

#if defined(__has_feature) && defined(CF_CHECK_LOCKS)
#if __has_feature(thread_sanitizer)
/// ThreadSanitizer learns here that these functions are a lock, so that it also checks the order in
/// which threads take locks. In a release build it sees only the atomic word of a lock.
extern void __tsan_mutex_pre_lock(void *lock, unsigned flags);
extern void __tsan_mutex_post_lock(void *lock, unsigned flags, int recursion);
extern int __tsan_mutex_pre_unlock(void *lock, unsigned flags);
extern void __tsan_mutex_post_unlock(void *lock, unsigned flags);
enum { __kCFTSanTryLock = 1 << 4, __kCFTSanTryLockFailed = 1 << 5 };
#define __CFTellTSan(what, ...) ((void)__tsan_mutex_##what(__VA_ARGS__))
#endif
#endif
#if !defined(__CFTellTSan)
#define __CFTellTSan(what, ...) ((void)0)
#endif

#if defined(CF_CHECK_LOCKS)

static __attribute__((noinline, noreturn, cold))
void __THIS_THREAD_HOLDS_THE_LOCK_ALREADY__(CFLock_t *lock) {
    __CFHalt("A thread takes the lock %p, which it already holds. It would wait for itself "
             "forever.", (void *)lock);
}

static __attribute__((noinline, noreturn, cold))
void __THIS_THREAD_DOES_NOT_HOLD_THE_LOCK__(CFLock_t *lock) {
    __CFHalt("A thread releases the lock %p, which it does not hold.", (void *)lock);
}

static __attribute__((noinline, noreturn, cold))
void __A_FUNCTION_WAS_CALLED_WITHOUT_ITS_LOCK__(const char *owner, const char *function) {
    __CFHalt("%s was called by a thread that has not locked its argument %s. Lock it before the "
             "call.", function, owner);
}

static __attribute__((noinline, noreturn, cold))
void __A_FUNCTION_WAS_CALLED_ON_THE_WRONG_THREAD__(const char *function) {
    __CFHalt("%s was called on a thread other than the run loop's. Only the run loop's thread may "
             "call it.", function);
}

/// Another thread may take or release the lock meanwhile, but only this thread changes the answer.
static Boolean __CFHoldsLock(const CFLock_t *lock) {
    uint32_t owner = atomic_load_explicit(&lock->_owner, memory_order_relaxed);
    return (owner & ~__kCFLockIsAwaited) == (uint32_t)__CFThreadNumber();
}

void __CFAssertLocked(const CFLock_t *lock, const char *owner, const char *function) {
    if (CF_UNLIKELY(!__CFHoldsLock(lock)))
        __A_FUNCTION_WAS_CALLED_WITHOUT_ITS_LOCK__(owner, function);
}

void __CFLockWithin(CFLock_t *lock, const CFLock_t *outer) {
    if (__CFHoldsLock(lock)) __THIS_THREAD_HOLDS_THE_LOCK_ALREADY__(lock);
    __CFAssertLocked(outer, "outer", __func__);
    atomic_store_explicit(&lock->_owner, (uint32_t)__CFThreadNumber(), memory_order_relaxed);
}

void __CFUnlockWithin(CFLock_t *lock) {
    if (CF_UNLIKELY(!__CFHoldsLock(lock))) __THIS_THREAD_DOES_NOT_HOLD_THE_LOCK__(lock);
    atomic_store_explicit(&lock->_owner, 0, memory_order_relaxed);
}

void __CFAssertOnThread(pthread_t thread, const char *function) {
    if (pthread_equal(thread, pthread_self())) return;
    __A_FUNCTION_WAS_CALLED_ON_THE_WRONG_THREAD__(function);
}

#else
#define __CFHoldsLock(lock) ((void)(lock), false)
#define __THIS_THREAD_HOLDS_THE_LOCK_ALREADY__(lock) ((void)(lock))
#endif

/// The kernel lets the thread wait only if `_owner` still has the value `seen`.
__attribute__((noinline)) void __CFLockWait(CFLock_t *lock, uint32_t number) {
    int savedErrno = errno;
    if (__CFHoldsLock(lock)) __THIS_THREAD_HOLDS_THE_LOCK_ALREADY__(lock);
    for (;;) {
        uint32_t seen = atomic_load_explicit(&lock->_owner, memory_order_relaxed);
        uint32_t next = seen ? seen | __kCFLockIsAwaited : number | __kCFLockIsAwaited;
        if (seen != next
            && !atomic_compare_exchange_weak_explicit(&lock->_owner, &seen, next,
                                                      memory_order_acquire, memory_order_relaxed))
            continue;
        if (!seen) break;
        syscall(SYS_futex, &lock->_owner, FUTEX_WAIT_PRIVATE, next, NULL, NULL, 0);
    }
    errno = savedErrno;
}

__attribute__((noinline)) void __CFLockWakeOne(CFLock_t *lock) {
    int savedErrno = errno;
    syscall(SYS_futex, &lock->_owner, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = savedErrno;
}

Boolean __CFTryLock(CFLock_t *lock) {
    uint32_t number = (uint32_t)__CFThreadNumber(), none = 0;
    __CFTellTSan(pre_lock, lock, __kCFTSanTryLock);
    Boolean isTaken = atomic_compare_exchange_strong_explicit(
        &lock->_owner, &none, number, memory_order_acquire, memory_order_relaxed);
    __CFTellTSan(post_lock, lock, isTaken ? __kCFTSanTryLock
                                          : __kCFTSanTryLock | __kCFTSanTryLockFailed, 0);
    return isTaken;
}

#if defined(CF_CHECK_LOCKS)

void __CFLock(CFLock_t *lock) {
    uint32_t number = (uint32_t)__CFThreadNumber(), none = 0;
    __CFTellTSan(pre_lock, lock, 0);
    if (CF_UNLIKELY(!atomic_compare_exchange_strong_explicit(
            &lock->_owner, &none, number, memory_order_acquire, memory_order_relaxed)))
        __CFLockWait(lock, number);
    __CFTellTSan(post_lock, lock, 0, 0);
}

void __CFUnlock(CFLock_t *lock) {
    if (CF_UNLIKELY(!__CFHoldsLock(lock))) __THIS_THREAD_DOES_NOT_HOLD_THE_LOCK__(lock);
    __CFTellTSan(pre_unlock, lock, 0);
    uint32_t owner = atomic_exchange_explicit(&lock->_owner, 0, memory_order_release);
    if (CF_UNLIKELY(owner & __kCFLockIsAwaited)) __CFLockWakeOne(lock);
    __CFTellTSan(post_unlock, lock, 0);
}

#endif

// MARK: - The main thread

/// The process's first thread. It is set before main, and again in the child of a fork, whose first
/// thread is the one that forked.
static pthread_t __CFMainPThread;
CF_SHARED pid_t __CFMainThreadNumber;

/// The first thread's number is that of the process.
static void __CFMainThreadIsThisOne(void) {
    __CFMainPThread = pthread_self();
    __CFMainThreadNumber = __CFKnownThreadNumber = getpid();
}

static void __CFChildOfFork(void);

/// Runs while the program is loaded, on the first thread, unless this code is part of a plug-in.
__attribute__((constructor)) static void __CFPlatformInitialize(void) {
    __CFMainThreadNumber = getpid();
    if (pthread_main_np()) __CFMainThreadIsThisOne();
    pthread_atfork(NULL, NULL, __CFMainThreadIsThisOne);
    pthread_atfork(NULL, NULL, __CFChildOfFork);
}

pthread_t pthread_main_thread_np(void) {
    return __CFMainPThread;
}

// MARK: - Fork (R8)

// The mark is a byte in its own page. The kernel fills that page with zeros in every child that
// gets a copy of the process's memory, whether by fork, _Fork, clone or a bare system call. A
// handler of pthread_atfork would run only in children of fork. A stored process identifier would
// cost a system call at each check, because the C library does not cache it.

CF_SHARED _Atomic(uint8_t) __CFNoForkMark = 1;
CF_SHARED _Atomic(uint8_t) *_Atomic __CFForkMark = &__CFNoForkMark;
/// For a kernel that cannot fill the page (before Linux 4.14). There the library notices only
/// children of fork.
static _Atomic(uint8_t) __CFPlainForkMark = 1;

/// The child has inherited descriptors that it shares with the parent, so a timer armed here would
/// be armed there. It has also inherited locks that other threads may have held. So it can use none
/// of this, and must exec. [D3]
__attribute__((noinline))
void __THE_PROCESS_HAS_FORKED_AND_YOU_CANNOT_USE_THIS_COREFOUNDATION_FUNCTIONALITY___YOU_MUST_EXEC__(
    void) {
    __CFHalt("this process was forked from one that had used a run loop or a CFSocket, and did not "
             "exec. Neither can be used here: call exec, or start the child with posix_spawn.");
}

static void __CFChildOfFork(void) {
    if (__CFUseAfterForkIsForbidden()) atomic_store(atomic_load(&__CFForkMark), 0);
}

/// Returns the page that contains the mark. Returns NULL if there is none, or if it cannot be
/// distinguished from a parent's.
static _Atomic(uint8_t) *__CFMakeForkMark(size_t size) {
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return NULL;
    _Atomic(uint8_t) *mark = page;
    if (madvise(page, size, MADV_WIPEONFORK) == 0) {
        atomic_store(mark, 1);
        return mark;
    }
    munmap(page, size);
    return NULL;
}

/// A child forked before the mark is set finds no lock held. A child forked after it finds the
/// mark.
void __CFForbidUseAfterFork(void) {
    if (CF_LIKELY(__CFUseAfterForkIsForbidden())) return;
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    _Atomic(uint8_t) *page = __CFMakeForkMark(size), *none = &__CFNoForkMark;
    Boolean isFirst =
        atomic_compare_exchange_strong(&__CFForkMark, &none, page ? page : &__CFPlainForkMark);
    if (!isFirst && page) munmap((void *)page, size);
}
