/// CFRunLoopRegistry.c: which thread has which run loop.
///
/// One global dictionary, pthread → run loop, behind one lock (R2). A loop is made when it is first
/// asked for (R3), the main thread's along with whichever is asked for first (R4), and it ends with
/// its thread: a finalizer in the thread-specific data takes it out of the dictionary in the last
/// round of destructors but one (R6). In CF-855, which article 1 shows, the lock is a spin lock:
/// see _CFRunLoopGet0.

#include "CFRunLoop_Internal.h"

#include <limits.h>
#include <signal.h>
#include <sys/syscall.h>
#include "Names/CFRunLoopRegistry.h"

#define kNilPthreadT ((pthread_t)0)

// pthread_t → CFRunLoopRef, retained; guarded by loopsLock
static CFMutableDictionaryRef __CFRunLoops = NULL;
static CFLock_t loopsLock = CF_LOCK_INITIALIZER; // guards every loop's _counterpart as well

static const void *pthreadPointer(pthread_t t) { return (const void *)(uintptr_t)t; }

// MARK: - Loops of threads that end while their destructors still ask for one
//
// A destructor of thread-specific data that runs after ours may ask for the loop once more. The
// loop is gone by then; it gets a new one [D5], and the finalizer is due again in the next round of
// destructors. In the very last round there is no next one: such a loop stays until the next loop
// is made by anybody, when its thread is found to be gone.

struct __CFStray {
    struct __CFStray *next;
    pid_t tid;
    CFRunLoopRef rl;
};
static struct __CFStray *__CFStrays = NULL;                  // guarded by loopsLock
static __thread Boolean __CFThreadIsEnding = false;

/// Call with loopsLock held, on the loop's thread.
static void __CFStrayAdd(CFRunLoopRef rl) {
    struct __CFStray *stray = malloc(sizeof(*stray));
    if (!stray) __CF_HAS_NO_MEMORY_LEFT__("a run loop");
    *stray = (struct __CFStray){__CFStrays, __CFThreadNumber(), rl};
    __CFStrays = stray;
}

/// Whether a stray is `rl`; with NULL, whether its thread is gone. Call with loopsLock held.
static Boolean __CFStrayIsOf(const struct __CFStray *stray, CFRunLoopRef rl) {
    if (rl) return stray->rl == rl;
    return syscall(SYS_tgkill, getpid(), stray->tid, 0) < 0 && errno == ESRCH; // its thread is gone
}

/// Forgets the stray `rl`; with NULL, finds one whose thread is gone, and returns it. Call with
/// loopsLock held.
static CFRunLoopRef __CFStrayTake(CFRunLoopRef rl) {
    for (struct __CFStray **link = &__CFStrays; *link; link = &(*link)->next) {
        struct __CFStray *stray = *link;
        if (!__CFStrayIsOf(stray, rl)) continue;
        CFRunLoopRef found = stray->rl;
        *link = stray->next;
        free(stray);
        return found;
    }
    return NULL;
}

// MARK: - The finalizer (R6)

/// Takes a loop out of the dictionary; the reference that the dictionary had is now the caller's.
/// Call with loopsLock held.
static CFRunLoopRef __CFRunLoopUnregister(pthread_t t) {
    CFRunLoopRef rl = __CFRunLoops
        ? (CFRunLoopRef)CFDictionaryGetValue(__CFRunLoops, pthreadPointer(t)) : NULL;
    if (!rl) return NULL;
    CFRetain(rl);
    CFDictionaryRemoveValue(__CFRunLoops, pthreadPointer(t));
    return rl;
}

/// The counterpart, which is now the caller's to release with `release`. Call with nothing locked.
static CFTypeRef __CFRunLoopTakeCounterpart(CFRunLoopRef rl,
                                            void (**release)(CFTypeRef counterpart)) {
    __CFLock(&loopsLock);
    CFTypeRef counterpart = rl->_counterpart;
    *release = rl->_releaseCounterpart;
    rl->_counterpart = NULL;
    __CFUnlock(&loopsLock);
    return counterpart;
}

/// Ends a loop that is no longer in the dictionary. Sources retain the loops that they are in, and
/// loops their sources: the sources must be taken out by hand, or neither would ever go. Their
/// callbacks may still ask for the counterpart, and have one made: it goes after them. Call with
/// nothing locked. DOES CALLOUT: cancel, getPort, release
static void __CFRunLoopEnd(CFRunLoopRef rl) {
    __CFRunLoopLock(rl);
    rl->_hasEnded = true; // so that one sweep is enough, whatever a `cancel` adds again
    __CFRunLoopUnlock(rl);
    CFArrayRef modeNames = CFRunLoopCopyAllModes(rl);
    for (CFIndex idx = CFArrayGetCount(modeNames); idx--;) {
        __CFRunLoopRemoveAllSources(rl, CFArrayGetValueAtIndex(modeNames, idx));
    }
    CFRelease(modeNames);
    __CFRunLoopRemoveAllSources(rl, kCFRunLoopCommonModes);
    __CFRunLoopDropBlocks(rl);
    CFTypeRef counterpart;
    void (*release)(CFTypeRef counterpart);
    while ((counterpart = __CFRunLoopTakeCounterpart(rl, &release))) release(counterpart);
    CFRelease(rl);
}

/// The destructor of the thread-specific counter. It counts the rounds of destructors down by
/// setting its slot again, so that the loop is still there for the destructors of others, and takes
/// the loop down in the last round but the spare one. Called with nothing locked. DOES CALLOUT:
/// cancel, getPort, release
static void __CFFinalizeRunLoop(void *data) {
    uintptr_t roundsLeft = (uintptr_t)data;
    if (roundsLeft > 1) {
        _CFSetTSD(__CFTSDKeyRunLoopCntr, (void *)(roundsLeft - 1), __CFFinalizeRunLoop);
        return;
    }
    if (__CFHasForked())
        return; // a thread of a forked child: the parent's locks are not to be trusted
    __CFThreadIsEnding = true;
    if (pthread_main_np()) { // the main loop stays: other threads may hold it for good
        __CFRunLoopMainThreadHasExited();
        return;
    }
    __CFLock(&loopsLock);
    CFRunLoopRef rl = __CFRunLoopUnregister(pthread_self());
    if (rl) __CFStrayTake(rl);
    __CFUnlock(&loopsLock);
    if (rl) __CFRunLoopEnd(rl); // to its callbacks it is still the current one
    _CFSetTSD(__CFTSDKeyRunLoop, NULL, NULL);
}

// MARK: - Asking for a loop (R1–R5)

/// Takes down the loops that ended threads have left behind. Call with nothing locked. DOES
/// CALLOUT: cancel, getPort, release
static void __CFRunLoopEndStrays(void) {
    for (;;) {
        __CFLock(&loopsLock);
        CFRunLoopRef rl = __CFStrays ? __CFStrayTake(NULL) : NULL;
        if (rl) rl = __CFRunLoopUnregister(rl->_pthread);
        __CFUnlock(&loopsLock);
        if (!rl) return;
        __CFRunLoopEnd(rl);
    }
}

/// The loop of `t`, made and put into the dictionary if there is none. Call with loopsLock held.
static CFRunLoopRef __CFRunLoopRegister(pthread_t t) {
    CFRunLoopRef loop = (CFRunLoopRef)CFDictionaryGetValue(__CFRunLoops, pthreadPointer(t));
    if (loop) return loop;
    loop = __CFRunLoopCreate(t);
    // Others may ask for it first, and watch it.
    if (pthread_equal(t, pthread_main_thread_np())) loop->_tid = getpid();
    CFDictionarySetValue(__CFRunLoops, pthreadPointer(t), loop);
    CFRelease(loop);
    return loop;
}

/// Takes down the loop of a thread that first asked for it in its last round of destructors, and so
/// was never told that it ended: its pthread_t is the calling thread's now, and so would its loop
/// be. Call with nothing locked. DOES CALLOUT: cancel, getPort, release
static void __CFRunLoopEndPredecessor(void) {
    __CFLock(&loopsLock);
    CFRunLoopRef rl = __CFRunLoops
        ? (CFRunLoopRef)CFDictionaryGetValue(__CFRunLoops, pthreadPointer(pthread_self())) : NULL;
    Boolean isAnothers = rl && rl->_tid && rl->_tid != __CFThreadNumber();
    if (isAnothers) rl = __CFRunLoopUnregister(pthread_self());
    __CFUnlock(&loopsLock);
    if (isAnothers) __CFRunLoopEnd(rl);
}

/// Has the calling thread remember its loop, and see to its end. Needs no lock.
static void __CFRunLoopRemember(CFRunLoopRef loop) {
    loop->_tid = __CFThreadNumber();
    _CFSetTSD(__CFTSDKeyRunLoop, loop, NULL);
    if (_CFGetTSD(__CFTSDKeyRunLoopCntr)) return;
    uintptr_t rounds = __CFThreadIsEnding ? 1 : PTHREAD_DESTRUCTOR_ITERATIONS - 1;
    _CFSetTSD(__CFTSDKeyRunLoopCntr, (void *)rounds, __CFFinalizeRunLoop);
}

/// The loop of thread `t`; NULL (kNilPthreadT) means the main thread, whose loop is made along with
/// the first one asked for (R4). In CF-855 the lock is a spin lock, which must not be held while
/// memory is allocated: there the dictionary is made unlocked and put in place with
/// compare-and-swap. CF-1153 still does so with a mutex; the current source holds its mutex
/// throughout. So does this, and simply makes it. May end strays. Call with nothing locked. DOES
/// CALLOUT: cancel, getPort, release
CFRunLoopRef _CFRunLoopGet0(pthread_t t) {
    CHECK_FOR_FORK();
    __CFForbidUseAfterFork();
    if (pthread_equal(t, kNilPthreadT)) t = pthread_main_thread_np();
    Boolean isCurrent = pthread_equal(t, pthread_self());
    __CFRunLoopEndStrays();
    if (isCurrent && !_CFGetTSD(__CFTSDKeyRunLoop)) __CFRunLoopEndPredecessor();
    __CFLock(&loopsLock);
    if (!__CFRunLoops) {
        __CFRunLoops = CFDictionaryCreateMutable(kCFAllocatorSystemDefault, 0, NULL,
                                                 &kCFTypeDictionaryValueCallBacks);
        __CFRunLoopRegister(pthread_main_thread_np());
    }
    CFRunLoopRef loop = __CFRunLoopRegister(t);
    if (isCurrent && __CFThreadIsEnding && !pthread_main_np() && !_CFGetTSD(__CFTSDKeyRunLoop))
        __CFStrayAdd(loop);
    __CFUnlock(&loopsLock);
    if (isCurrent) __CFRunLoopRemember(loop);
    return loop;
}

CFRunLoopRef _CFRunLoopGet0b(pthread_t t) {
    CHECK_FOR_FORK();
    if (!__CFUseAfterForkIsForbidden())
        return NULL; // nobody has made a loop, and loopsLock is left alone
    if (pthread_equal(t, kNilPthreadT)) t = pthread_main_thread_np();
    __CFLock(&loopsLock);
    CFRunLoopRef loop = __CFRunLoops
        ? (CFRunLoopRef)CFDictionaryGetValue(__CFRunLoops, pthreadPointer(t)) : NULL;
    __CFUnlock(&loopsLock);
    return loop;
}

CFRunLoopRef CFRunLoopGetCurrent(void) {
    CHECK_FOR_FORK();
    CFRunLoopRef rl = (CFRunLoopRef)_CFGetTSD(__CFTSDKeyRunLoop);
    if (rl) return rl;
    return _CFRunLoopGet0(pthread_self());
}

CFRunLoopRef CFRunLoopGetMain(void) {
    CHECK_FOR_FORK();
    static _Atomic(CFRunLoopRef) __main = NULL; // no retain needed: the main loop never goes
    CFRunLoopRef rl = atomic_load_explicit(&__main, memory_order_acquire);
    if (CF_UNLIKELY(!rl)) {
        rl = _CFRunLoopGet0(pthread_main_thread_np());
        atomic_store_explicit(&__main, rl, memory_order_release);
    }
    return rl;
}

/// Call with loopsLock held.
static void __CFRunLoopAppendLoop(const void *thread, const void *loop, void *loops) {
    (void)thread;
    if (loop != CFArrayGetValueAtIndex(loops, 0)) CFArrayAppendValue(loops, loop);
}

CFArrayRef CFRunLoopTraceCopyAllLoops(void) {
    CHECK_FOR_FORK();
    CFMutableArrayRef loops = CFArrayCreateMutable(kCFAllocatorSystemDefault, 0,
                                                   &kCFTypeArrayCallBacks);
    if (!__CFUseAfterForkIsForbidden()) return loops; // none was ever made
    __CFLock(&loopsLock);
    if (__CFRunLoops) { // the main one was made along with the first
        CFArrayAppendValue(loops,
                           CFDictionaryGetValue(__CFRunLoops,
                                                pthreadPointer(pthread_main_thread_np())));
        CFDictionaryApplyFunction(__CFRunLoops, __CFRunLoopAppendLoop, loops);
    }
    __CFUnlock(&loopsLock);
    return loops;
}

pthread_t _CFRunLoopGet1(CFRunLoopRef rl) {
    CHECK_FOR_FORK();
    return rl->_pthread;
}

CFTypeRef _CFRunLoopGet2(CFRunLoopRef rl) {
    CHECK_FOR_FORK();
    __CFLock(&loopsLock);
    CFTypeRef counterpart = rl->_counterpart;
    __CFUnlock(&loopsLock);
    return counterpart;
}

CFTypeRef _CFRunLoopSetCounterpart(CFRunLoopRef rl, CFTypeRef counterpart,
                                   void (*release)(CFTypeRef counterpart)) {
    CHECK_FOR_FORK();
    __CFLock(&loopsLock);
    if (!rl->_counterpart) {
        rl->_counterpart = counterpart;
        rl->_releaseCounterpart = release;
    }
    counterpart = rl->_counterpart;
    __CFUnlock(&loopsLock);
    return counterpart;
}

CFTypeRef _CFRunLoopGet2b(CFRunLoopRef rl) {
    CHECK_FOR_FORK();
    __CFLock(&loopsLock);
    CFTypeRef counterpart = rl->_counterpart;
    __CFUnlock(&loopsLock);
    return counterpart;
}

/// The loop's pthread_t does not decide: when a thread has ended, a new one may be given the same.
/// A thread that has not asked for its loop may have one all the same, which another thread asked
/// for.
Boolean _CFRunLoopIsCurrent(CFRunLoopRef rl) {
    CHECK_FOR_FORK();
    CFRunLoopRef mine = (CFRunLoopRef)_CFGetTSD(__CFTSDKeyRunLoop);
    if (mine) return rl == mine;
    return pthread_equal(rl->_pthread, pthread_self()) && rl == _CFRunLoopGet0b(pthread_self());
}
