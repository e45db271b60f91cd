/// CFRunLoopRegistry.c: which thread has which run loop.
///
/// One global dictionary maps each pthread to its run loop. One lock guards it (R2). The first call
/// that asks for a loop creates it (R3). The first such call in the process also creates the main
/// thread's loop (R4). A loop ends with its thread: a finalizer in the thread-specific data removes
/// it from the dictionary in the last round of destructors but one (R6). In CF-855, which article 1
/// shows, the lock is a spin lock: see _CFRunLoopGet0.

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
// loop is gone by then, so the thread gets a new one [D5], and the finalizer runs again in the next
// destructor round. After the last round there is no next one. A loop that is created in the last
// round is an orphaned loop: it stays until some thread creates the next loop, and finds that the
// orphan's thread is gone.

struct __CFStray {
    struct __CFStray *next;
    pid_t tid;
    CFRunLoopRef rl;
};
static struct __CFStray *__CFStrays = NULL; // guarded by loopsLock
static __thread Boolean __CFThreadIsEnding = false;

/// Call with loopsLock held, on the loop's thread.
static void __CFStrayAdd(CFRunLoopRef rl) {
    struct __CFStray *stray = malloc(sizeof(*stray));
    if (!stray) __CF_HAS_NO_MEMORY_LEFT__("a run loop");
    *stray = (struct __CFStray){__CFStrays, __CFThreadNumber(), rl};
    __CFStrays = stray;
}

/// Returns whether an orphaned loop is `rl`. If `rl` is NULL, returns whether its thread is gone.
/// Call with loopsLock held.
static Boolean __CFStrayIsOf(const struct __CFStray *stray, CFRunLoopRef rl) {
    if (rl) return stray->rl == rl;
    return syscall(SYS_tgkill, getpid(), stray->tid, 0) < 0 && errno == ESRCH;
}

/// Removes the orphaned loop `rl` from the list, and returns it. If `rl` is NULL, removes one whose
/// thread is gone. Call with loopsLock held.
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

/// Removes a loop from the dictionary. The caller now owns the reference that the dictionary had.
/// Call with loopsLock held.
static CFRunLoopRef __CFRunLoopUnregister(pthread_t t) {
    CFRunLoopRef rl = __CFRunLoops
        ? (CFRunLoopRef)CFDictionaryGetValue(__CFRunLoops, pthreadPointer(t)) : NULL;
    if (!rl) return NULL;
    CFRetain(rl);
    CFDictionaryRemoveValue(__CFRunLoops, pthreadPointer(t));
    return rl;
}

/// Removes and returns the loop's counterpart. The caller must release it with `release`. Call with
/// nothing locked.
static CFTypeRef __CFRunLoopTakeCounterpart(CFRunLoopRef rl,
                                            void (**release)(CFTypeRef counterpart)) {
    __CFLock(&loopsLock);
    CFTypeRef counterpart = rl->_counterpart;
    *release = rl->_releaseCounterpart;
    rl->_counterpart = NULL;
    __CFUnlock(&loopsLock);
    return counterpart;
}

/// Ends a loop that is no longer in the dictionary. Sources and loops retain each other, so this
/// function must remove the sources explicitly. Otherwise neither would ever be deallocated. Their
/// callbacks may still ask for the counterpart, and have one created, so it is released after them.
/// Call with nothing locked. DOES CALLOUT: cancel, getPort, release
static void __CFRunLoopEnd(CFRunLoopRef rl) {
    __CFRunLoopLock(rl);
    rl->_hasEnded = true; // so that one sweep is enough, even if a `cancel` adds sources again
    __CFRunLoopUnlock(rl);
    CFArrayRef modeNames = CFRunLoopCopyAllModes(rl);
    for (CFIndex idx = CFArrayGetCount(modeNames); idx--;) {
        __CFRunLoopRemoveAllSources(rl, CFArrayGetValueAtIndex(modeNames, idx));
    }
    CFRelease(modeNames);
    __CFRunLoopRemoveAllSources(rl, kCFRunLoopCommonModes);
    __CFRunLoopDropBlocks(rl); // [D45]
    CFTypeRef counterpart;
    void (*release)(CFTypeRef counterpart);
    while ((counterpart = __CFRunLoopTakeCounterpart(rl, &release))) release(counterpart);
    CFRelease(rl);
}

/// The destructor of the thread-specific counter. It counts the destructor rounds by setting its
/// slot again, so that the loop still exists for the destructors of other data. It ends the loop in
/// the last round but one, because the last round is the spare one. Called with nothing locked.
/// DOES CALLOUT: cancel, getPort, release
static void __CFFinalizeRunLoop(void *data) {
    uintptr_t roundsLeft = (uintptr_t)data;
    if (roundsLeft > 1) {
        _CFSetTSD(__CFTSDKeyRunLoopCntr, (void *)(roundsLeft - 1), __CFFinalizeRunLoop);
        return;
    }
    if (__CFHasForked())
        return; // in a forked child the state of the parent's locks is unknown
    __CFThreadIsEnding = true;
    if (pthread_main_np()) { // the main loop stays, because other threads may keep it permanently
        __CFRunLoopMainThreadHasExited();
        return;
    }
    __CFLock(&loopsLock);
    CFRunLoopRef rl = __CFRunLoopUnregister(pthread_self());
    if (rl) __CFStrayTake(rl);
    __CFUnlock(&loopsLock);
    if (rl) __CFRunLoopEnd(rl); // its callbacks still see it as the current loop
    _CFSetTSD(__CFTSDKeyRunLoop, NULL, NULL);
}

// MARK: - Asking for a loop (R1–R5)

/// Ends the orphaned loops, whose threads are gone. Call with nothing locked. DOES CALLOUT: cancel,
/// getPort, release
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

/// Returns the loop of `t`. Creates it and adds it to the dictionary if there is none. Call with
/// loopsLock held.
static CFRunLoopRef __CFRunLoopRegister(pthread_t t) {
    CFRunLoopRef loop = (CFRunLoopRef)CFDictionaryGetValue(__CFRunLoops, pthreadPointer(t));
    if (loop) return loop;
    loop = __CFRunLoopCreate(t);
    // Another thread may be the first to ask for the main loop, and may watch it.
    if (pthread_equal(t, pthread_main_thread_np())) loop->_tid = getpid();
    CFDictionarySetValue(__CFRunLoops, pthreadPointer(t), loop);
    CFRelease(loop);
    return loop;
}

/// Ends the orphaned loop of an earlier thread that had the same pthread_t as the calling thread.
/// That thread first asked for its loop in its last destructor round, so its finalizer never ran.
/// Without this, the calling thread would get its loop. Call with nothing locked. DOES CALLOUT:
/// cancel, getPort, release
static void __CFRunLoopEndPredecessor(void) {
    __CFLock(&loopsLock);
    CFRunLoopRef rl = __CFRunLoops
        ? (CFRunLoopRef)CFDictionaryGetValue(__CFRunLoops, pthreadPointer(pthread_self())) : NULL;
    Boolean isAnothers = rl && rl->_tid && rl->_tid != __CFThreadNumber();
    if (isAnothers) rl = __CFRunLoopUnregister(pthread_self());
    __CFUnlock(&loopsLock);
    if (isAnothers) __CFRunLoopEnd(rl);
}

/// Stores the loop in the calling thread's data, and sets up the finalizer. Needs no lock.
static void __CFRunLoopRemember(CFRunLoopRef loop) {
    loop->_tid = __CFThreadNumber();
    _CFSetTSD(__CFTSDKeyRunLoop, loop, NULL);
    if (_CFGetTSD(__CFTSDKeyRunLoopCntr)) return;
    uintptr_t rounds = __CFThreadIsEnding ? 1 : PTHREAD_DESTRUCTOR_ITERATIONS - 1;
    _CFSetTSD(__CFTSDKeyRunLoopCntr, (void *)rounds, __CFFinalizeRunLoop);
}

/// Returns the loop of thread `t`. NULL (kNilPthreadT) means the main thread, whose loop is created
/// along with the first one (R4).
///
/// In CF-855 the lock is a spin lock, which a thread must not hold while it allocates memory. So
/// that version creates the dictionary with the lock released, and installs it with
/// compare-and-swap. CF-1153 still does so with a mutex. The current source holds its mutex
/// throughout, and so does this function. It may end orphaned loops. Call with nothing locked. DOES
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
        return NULL; // no loop exists, so loopsLock is not touched
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
    // Not retained, because the main loop never goes away.
    static _Atomic(CFRunLoopRef) __main = NULL;
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
    if (!__CFUseAfterForkIsForbidden()) return loops; // no loop was ever created
    __CFLock(&loopsLock);
    if (__CFRunLoops) { // the main loop was created along with the first one
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

/// The loop's pthread_t alone does not decide, because a new thread may get the pthread_t of one
/// that has ended. A thread that has not asked for its loop may have one all the same, if another
/// thread asked for it.
Boolean _CFRunLoopIsCurrent(CFRunLoopRef rl) {
    CHECK_FOR_FORK();
    CFRunLoopRef mine = (CFRunLoopRef)_CFGetTSD(__CFTSDKeyRunLoop);
    if (mine) return rl == mine;
    return pthread_equal(rl->_pthread, pthread_self()) && rl == _CFRunLoopGet0b(pthread_self());
}
