/// CFRunLoopRegistry.c: which thread has which run loop.
///
/// One global dictionary maps each pthread to its run loop, and one lock guards it (R2). The first
/// call that asks for a thread's loop creates it (R3). The first such call in the process also
/// creates the main thread's loop (R4). When a thread ends, a finalizer in its thread-specific data
/// removes its loop from the dictionary and ends it (R6).

#include "CFRunLoop_Internal.h"

#include <limits.h>
#include <signal.h>
#include <sys/syscall.h>

#define kNilPthreadT ((pthread_t)0)

// pthread_t → CFRunLoopRef, retained; guarded by loopsLock
static CFMutableDictionaryRef __CFRunLoops = NULL;
static CFLock_t loopsLock = CF_LOCK_INITIALIZER; // guards every loop's _counterpart as well
#define ASSERT_LOOPS_LOCKED() __CFAssertLocked(&loopsLock, "the registry", __func__)

static const void *pthreadPointer(pthread_t t) { return (const void *)(uintptr_t)t; }

// MARK: - Getting a loop (R1–R5)

static __thread Boolean __CFThreadIsEnding = false; // the finalizer has ended the thread's loop
static void __CFFinalizeRunLoop(void *data);
static void __CFRunLoopEndOrphans(void);
static void __CFOrphanAdd(CFRunLoopRef rl);

/// Returns the loop of thread `t`. NULL (kNilPthreadT) means the main thread.
///
/// In CF-855, which article 1 shows, the lock is a spin lock, and a thread should not hold a spin
/// lock while it allocates memory. So that version creates the dictionary with the lock released,
/// and installs it with compare-and-swap. CF-1153 still does so with a mutex. The current source
/// holds its mutex throughout, and so does this function. Call with nothing locked. DOES CALLOUT,
/// if it must end a loop whose thread is gone: cancel, getPort, release
CFRunLoopRef _CFRunLoopGet0(pthread_t t) {
    CHECK_FOR_FORK();
    __CFForbidUseAfterFork();
    if (pthread_equal(t, kNilPthreadT)) t = pthread_main_thread_np();
    __CFRunLoopEndOrphans(); // [D5]
    __CFLock(&loopsLock);
    if (!__CFRunLoops) {
        __CFRunLoops = CFDictionaryCreateMutable(kCFAllocatorSystemDefault, 0, NULL,
                                                 &kCFTypeDictionaryValueCallBacks);
        CFRunLoopRef mainLoop = __CFRunLoopCreate(pthread_main_thread_np());
        mainLoop->_tid = getpid(); // another thread may watch it before the main thread gets it
        CFDictionarySetValue(__CFRunLoops, pthreadPointer(pthread_main_thread_np()), mainLoop);
        CFRelease(mainLoop);
    }
    CFRunLoopRef loop = (CFRunLoopRef)CFDictionaryGetValue(__CFRunLoops, pthreadPointer(t));
    if (!loop) {
        loop = __CFRunLoopCreate(t);
        CFDictionarySetValue(__CFRunLoops, pthreadPointer(t), loop);
        CFRelease(loop); // the dictionary retains it
    }
    __CFUnlock(&loopsLock);
    if (pthread_equal(t, pthread_self())) {
        loop->_tid = __CFThreadNumber();
        if (__CFThreadIsEnding) __CFOrphanAdd(loop);
        _CFSetTSD(__CFTSDKeyRunLoop, loop, NULL);
        if (!_CFGetTSD(__CFTSDKeyRunLoopCntr)) {
            uintptr_t rounds = __CFThreadIsEnding ? 1 : PTHREAD_DESTRUCTOR_ITERATIONS - 1;
            _CFSetTSD(__CFTSDKeyRunLoopCntr, (void *)rounds, __CFFinalizeRunLoop);
        }
    }
    return loop;
}

CFRunLoopRef CFRunLoopGetMain(void) {
    CHECK_FOR_FORK();
    // Not retained, because the main loop is never deallocated.
    static _Atomic(CFRunLoopRef) __main = NULL;
    CFRunLoopRef rl = atomic_load_explicit(&__main, memory_order_acquire);
    if (CF_UNLIKELY(!rl)) {
        rl = _CFRunLoopGet0(pthread_main_thread_np());
        atomic_store_explicit(&__main, rl, memory_order_release);
    }
    return rl;
}

CFRunLoopRef CFRunLoopGetCurrent(void) {
    CHECK_FOR_FORK();
    CFRunLoopRef rl = (CFRunLoopRef)_CFGetTSD(__CFTSDKeyRunLoop);
    if (rl) return rl;
    return _CFRunLoopGet0(pthread_self());
}

CFRunLoopRef _CFRunLoopGet0b(pthread_t t) {
    CHECK_FOR_FORK();
    // If the process has no loop yet, the lock stays unused, and a forked child may use it.
    if (!__CFUseAfterForkIsForbidden()) return NULL;
    if (pthread_equal(t, kNilPthreadT)) t = pthread_main_thread_np();
    __CFLock(&loopsLock);
    CFRunLoopRef loop = __CFRunLoops
        ? (CFRunLoopRef)CFDictionaryGetValue(__CFRunLoops, pthreadPointer(t)) : NULL;
    __CFUnlock(&loopsLock);
    return loop;
}

pthread_t _CFRunLoopGet1(CFRunLoopRef rl) {
    CHECK_FOR_FORK();
    return rl->_pthread;
}

/// Comparing the loop's pthread_t is not enough, because a new thread may get the pthread_t of one
/// that has ended. If the calling thread has not asked for its loop, another thread may have asked
/// for it.
Boolean _CFRunLoopIsCurrent(CFRunLoopRef rl) {
    CHECK_FOR_FORK();
    CFRunLoopRef mine = (CFRunLoopRef)_CFGetTSD(__CFTSDKeyRunLoop);
    if (mine) return rl == mine;
    return pthread_equal(rl->_pthread, pthread_self()) && rl == _CFRunLoopGet0b(pthread_self());
}

static void __CFRunLoopAppendLoop(const void *thread, const void *loop, void *loops) {
    (void)thread;
    if (loop != CFArrayGetValueAtIndex(loops, 0)) CFArrayAppendValue(loops, loop);
}

/// The main loop comes first.
CFArrayRef CFRunLoopTraceCopyAllLoops(void) {
    CHECK_FOR_FORK();
    CFMutableArrayRef loops = CFArrayCreateMutable(kCFAllocatorSystemDefault, 0,
                                                   &kCFTypeArrayCallBacks);
    CFRunLoopRef mainLoop = _CFRunLoopGet0b(kNilPthreadT);
    if (!mainLoop) return loops; // the first loop is created together with it
    CFArrayAppendValue(loops, mainLoop);
    __CFLock(&loopsLock);
    CFDictionaryApplyFunction(__CFRunLoops, __CFRunLoopAppendLoop, loops);
    __CFUnlock(&loopsLock);
    return loops;
}

// MARK: - The counterpart of the layer above: NSRunLoop in all versions of the original

CFTypeRef _CFRunLoopGet2(CFRunLoopRef rl) {
    CHECK_FOR_FORK();
    __CFLock(&loopsLock);
    CFTypeRef counterpart = rl->_counterpart;
    __CFUnlock(&loopsLock);
    return counterpart;
}

CFTypeRef _CFRunLoopGet2b(CFRunLoopRef rl) { return _CFRunLoopGet2(rl); }

CFTypeRef _CFRunLoopCopyCounterpart(CFRunLoopRef rl, void (*retain)(CFTypeRef counterpart)) {
    CHECK_FOR_FORK();
    __CFLock(&loopsLock);
    CFTypeRef counterpart = rl->_counterpart;
    if (counterpart) retain(counterpart);
    __CFUnlock(&loopsLock);
    return counterpart;
}

CFTypeRef _CFRunLoopSetCounterpart(CFRunLoopRef rl, CFTypeRef counterpart,
                                   void (*release)(CFTypeRef counterpart)) {
    CHECK_FOR_FORK();
    __CFLock(&loopsLock);
    if (!rl->_counterpart && !rl->_counterpartHasGone) {
        rl->_counterpart = counterpart;
        rl->_releaseCounterpart = release;
    }
    counterpart = rl->_counterpart;
    __CFUnlock(&loopsLock);
    return counterpart;
}

/// Removes the loop's counterpart and returns it. The caller must release it with `release`. If
/// there is none, the loop takes none from now on: no thread would release it. Call with nothing
/// locked.
static CFTypeRef __CFRunLoopTakeCounterpart(CFRunLoopRef rl,
                                            void (**release)(CFTypeRef counterpart)) {
    __CFLock(&loopsLock);
    CFTypeRef counterpart = rl->_counterpart;
    *release = rl->_releaseCounterpart;
    rl->_counterpart = NULL;
    rl->_counterpartHasGone = !counterpart;
    __CFUnlock(&loopsLock);
    return counterpart;
}

// MARK: - The end of a loop (R6)

static CFRunLoopRef __CFOrphanTake(CFRunLoopRef rl);

/// Removes the loop of a thread from the dictionary. The caller now owns the reference that the
/// dictionary had.
static CFRunLoopRef __CFRunLoopUnregister(pthread_t t) {
    ASSERT_LOOPS_LOCKED();
    CFRunLoopRef rl = __CFRunLoops
        ? (CFRunLoopRef)CFDictionaryGetValue(__CFRunLoops, pthreadPointer(t)) : NULL;
    if (!rl) return NULL;
    CFRetain(rl);
    CFDictionaryRemoveValue(__CFRunLoops, pthreadPointer(t));
    return rl;
}

/// Ends a loop that is no longer in the dictionary. Sources and loops retain each other, so this
/// function must remove the sources explicitly; otherwise neither would ever be deallocated. The
/// callbacks of the sources may still ask for the counterpart, or create one, so it is released
/// after them. Call with nothing locked. DOES CALLOUT: cancel, getPort, release
static void __CFRunLoopEnd(CFRunLoopRef rl) {
    __CFRunLoopLock(rl);
    rl->_hasEnded = true; // from here on no `cancel` can add a source again
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

/// The destructor of the thread-specific counter. When a thread ends, the C library calls the
/// destructors of its data in rounds: if a destructor sets a slot again, the slot has another
/// round, up to PTHREAD_DESTRUCTOR_ITERATIONS rounds. This destructor sets its slot again until the
/// last round but one. So the destructors of other data can still use the loop. Called with nothing
/// locked. DOES CALLOUT: cancel, getPort, release
static void __CFFinalizeRunLoop(void *data) {
    uintptr_t roundsLeft = (uintptr_t)data;
    if (roundsLeft > 1) {
        _CFSetTSD(__CFTSDKeyRunLoopCntr, (void *)(roundsLeft - 1), __CFFinalizeRunLoop);
        return;
    }
    if (__CFHasForked()) return; // in a forked child the state of the parent's locks is unknown
    __CFThreadIsEnding = true;
    if (pthread_main_np()) { // the main loop stays, because other threads may use it at any time
        __CFRunLoopMainThreadHasExited();
        return;
    }
    __CFLock(&loopsLock);
    CFRunLoopRef rl = __CFRunLoopUnregister(pthread_self());
    if (rl) __CFOrphanTake(rl);
    __CFUnlock(&loopsLock);
    if (rl) __CFRunLoopEnd(rl); // its callbacks still get it as the current loop
    _CFSetTSD(__CFTSDKeyRunLoop, NULL, NULL);
}

// MARK: - Loops that a thread gets while it ends [D5]
//
// A destructor of other thread-specific data may run after __CFFinalizeRunLoop and ask for the loop
// again. Then the thread gets a new loop, and the finalizer runs again in the next round. After the
// last round there is no next one, so no finalizer ends the loop: it is an orphan. After the
// orphan's thread has gone, the next call of _CFRunLoopGet0, on any thread, ends the loop.

struct __CFOrphan {
    struct __CFOrphan *next;
    pid_t tid;
    CFRunLoopRef rl;
};
static struct __CFOrphan *__CFOrphans = NULL; // guarded by loopsLock

/// Adds the loop that the calling thread has just got to the list, because it may become an orphan.
static void __CFOrphanAdd(CFRunLoopRef rl) {
    if (pthread_main_np() || _CFGetTSD(__CFTSDKeyRunLoop)) return;
    struct __CFOrphan *orphan = malloc(sizeof(*orphan));
    if (!orphan) __CF_HAS_NO_MEMORY_LEFT__("a run loop");
    __CFLock(&loopsLock);
    *orphan = (struct __CFOrphan){__CFOrphans, __CFThreadNumber(), rl};
    __CFOrphans = orphan;
    __CFUnlock(&loopsLock);
}

/// Returns whether this is the entry of `rl` or, if `rl` is NULL, whether the entry's thread is
/// gone.
static Boolean __CFOrphanIsOf(const struct __CFOrphan *orphan, CFRunLoopRef rl) {
    if (rl) return orphan->rl == rl;
    return syscall(SYS_tgkill, getpid(), orphan->tid, 0) < 0 && errno == ESRCH;
}

/// Removes the loop `rl` from the list or, if `rl` is NULL, a loop whose thread is gone. Returns
/// the loop, or NULL if there is none.
static CFRunLoopRef __CFOrphanTake(CFRunLoopRef rl) {
    ASSERT_LOOPS_LOCKED();
    for (struct __CFOrphan **link = &__CFOrphans; *link; link = &(*link)->next) {
        struct __CFOrphan *orphan = *link;
        if (!__CFOrphanIsOf(orphan, rl)) continue;
        CFRunLoopRef found = orphan->rl;
        *link = orphan->next;
        free(orphan);
        return found;
    }
    return NULL;
}

/// Returns whether the dictionary has a loop under the calling thread's pthread_t that belongs to
/// an earlier thread. That thread first asked for its loop in its last round of destructors, so no
/// finalizer has ended the loop.
static Boolean __CFRunLoopHasPredecessor(void) {
    ASSERT_LOOPS_LOCKED();
    if (!__CFRunLoops || _CFGetTSD(__CFTSDKeyRunLoop)) return false;
    CFRunLoopRef rl = (CFRunLoopRef)CFDictionaryGetValue(__CFRunLoops,
                                                         pthreadPointer(pthread_self()));
    return rl && rl->_tid && rl->_tid != __CFThreadNumber();
}

/// Ends the loops whose threads are gone. Call with nothing locked. DOES CALLOUT: cancel, getPort,
/// release
static void __CFRunLoopEndOrphans(void) {
    CFRunLoopRef rl;
    do {
        __CFLock(&loopsLock);
        rl = __CFOrphanTake(NULL);
        if (rl) rl = __CFRunLoopUnregister(rl->_pthread);
        else if (__CFRunLoopHasPredecessor()) rl = __CFRunLoopUnregister(pthread_self());
        __CFUnlock(&loopsLock);
        if (rl) __CFRunLoopEnd(rl);
    } while (rl);
}
