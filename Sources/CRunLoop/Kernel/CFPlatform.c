/// CFPlatform.c: the data of each thread, the checks of locks, the main thread, and the check for a
/// forked child, in which the library cannot be used. It serves both kernels.
///
/// All of the library's thread-specific data is in one small `__thread` table, which a thread
/// reaches with one instruction. The pthread key exists only so that pthread calls this file when
/// the thread ends. A Mac reserves slots in the thread itself for this.
#include "../Base/CFInternal.h"
#include <CoreFoundation/ForSwiftFoundationOnly.h>

// MARK: - Thread-specific data

CF_SHARED __thread struct __CFTSDSlot __CFTSDTable[CF_TSD_MAX_SLOTS];
CF_SHARED __thread Boolean __CFTSDKeyIsSet;
CF_SHARED __thread int __CFTSDRounds;

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

static void __CFTSDCreateKey(void) {
    int error = __CFThreadKeyCreate(&__CFTSDKey, __CFTSDFinalize);
    if (error)
        __CFHalt("There is no pthread key left for the data of threads (%s).", strerror(error));
}

/// Makes pthread call __CFTSDFinalize in the next destructor round.
static void __CFTSDSetKey(void) {
    pthread_once(&__CFTSDKeyOnce, __CFTSDCreateKey);
    if (pthread_setspecific(__CFTSDKey, __CFTSDTable) != 0)
        __CF_HAS_NO_MEMORY_LEFT__("the data of a thread");
    __CFTSDKeyIsSet = true;
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
    __CFTSDKeyIsSet = false;
    __CFTSDRounds++;
    __CFTSDCallDestructors();
    if (__CFTSDRounds < PTHREAD_DESTRUCTOR_ITERATIONS - 1
        || (__CFTSDRounds < PTHREAD_DESTRUCTOR_ITERATIONS && __CFTSDHasWork())) {
        __CFTSDSetKey();
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
    if (newVal && !__CFTSDKeyIsSet) __CFTSDSetKey();
    return oldVal;
}

// MARK: - Locks

#if defined(CF_CHECK_LOCKS)

__attribute__((noinline))
void __THIS_THREAD_HOLDS_THE_LOCK_ALREADY__(CFLock_t *lock) {
    __CFHalt("A thread takes the lock %p, which it already holds. It would wait for itself "
             "forever.", (void *)lock);
}

__attribute__((noinline))
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

void __CFAssertLocked(pthread_mutex_t *lock, const char *owner, const char *function) {
    if (CF_UNLIKELY(!__CFThreadHoldsLock(lock)))
        __A_FUNCTION_WAS_CALLED_WITHOUT_ITS_LOCK__(owner, function);
}

static __attribute__((noinline, noreturn, cold))
void __A_CALLBACK_IS_CALLED_WITH_A_LOCK_HELD__(const char *owner, const char *function) {
    __CFHalt("%s calls a callback while its thread holds the lock of %s. Unlock it before the "
             "call.", function, owner);
}

void __CFAssertUnlocked(pthread_mutex_t *lock, const char *owner, const char *function) {
    if (CF_UNLIKELY(__CFThreadHoldsLock(lock)))
        __A_CALLBACK_IS_CALLED_WITH_A_LOCK_HELD__(owner, function);
}

void __CFAssertOnThread(pthread_t thread, const char *function) {
    if (thread ? pthread_equal(thread, pthread_self()) : pthread_main_np()) return;
    __A_FUNCTION_WAS_CALLED_ON_THE_WRONG_THREAD__(function);
}

#endif

// MARK: - The main thread

/// The process's first thread; 0 until that thread itself has asked for its number. Only if another
/// thread has loaded this library, as part of a plug-in, has it not done so yet.
static _Atomic(pthread_t) __CFMainPThread;
CF_SHARED __thread pid_t __CFKnownThreadNumber;
CF_SHARED pid_t __CFMainThreadNumber;

void __CFMainThreadIsThisOne(void) {
    atomic_store(&__CFMainPThread, pthread_self());
    __CFMainThreadNumber = __CFKnownThreadNumber = __CFThreadAskFirstNumber();
}

static void __CFChildOfFork(void);

static void __CFMainThreadLearnNumber(void) {
    __CFMainThreadNumber = __CFThreadAskFirstNumber();
    pthread_atfork(NULL, NULL, __CFMainThreadIsThisOne);
    pthread_atfork(NULL, NULL, __CFChildOfFork);
}

void __CFThreadLearnNumbers(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, __CFMainThreadLearnNumber);
    __CFKnownThreadNumber = __CFThreadAskNumber();
    if (__CFKnownThreadNumber == __CFMainThreadNumber) __CFMainThreadIsThisOne();
}

/// Makes the first thread known, if it is the one that loads the library.
__attribute__((constructor)) static void __CFPlatformInitialize(void) { (void)pthread_main_np(); }

pthread_t pthread_main_thread_np(void) {
    (void)pthread_main_np();
    return atomic_load(&__CFMainPThread);
}

// MARK: - Fork (R8)

CF_SHARED _Atomic(Boolean) __CF120290 = false;
CF_SHARED _Atomic(Boolean) __CF120293 = false;

/// The child has inherited descriptors that it shares with the parent, so a timer armed here would
/// be armed there. It has also inherited locks that other threads may have held. So the
/// child cannot use run loops; it must exec. [D3]
__attribute__((noinline, unused)) void
__THE_PROCESS_HAS_FORKED_AND_YOU_CANNOT_USE_THIS_COREFOUNDATION_FUNCTIONALITY___YOU_MUST_EXEC__(
    void) {
    __CFHalt("this process was forked from one that had used a run loop, and did not exec. Run "
             "loops cannot be used here: call exec, or start the child with posix_spawn.");
}

/// pthread_atfork reaches the children of fork. A child made by a bare clone is not noticed.
static void __CFChildOfFork(void) {
    if (atomic_load(&__CF120290)) atomic_store(&__CF120293, true);
}
