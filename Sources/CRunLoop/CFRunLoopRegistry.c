/// CFRunLoopRegistry.c: which thread has which run loop.
///
/// One global dictionary maps each pthread to its run loop, and one lock guards it (R2). The first
/// call that asks for a thread's loop creates it (R3). The first such call in the process also
/// creates the main thread's loop (R4). When a thread ends, a finalizer in its thread-specific data
/// removes its loop from the dictionary and ends it (R6).

#include "CFRunLoop_Internal.h"
#include <CoreFoundation/ForSwiftFoundationOnly.h>

#define kNilPthreadT ((pthread_t)0)

// pthread_t → CFRunLoopRef, retained; guarded by loopsLock
static CFMutableDictionaryRef __CFRunLoops = NULL;
static CFLock_t loopsLock = CF_LOCK_INITIALIZER;
#define ASSERT_LOOPS_LOCKED() __CFAssertLocked(&loopsLock, "the registry", __func__)

/// Returns the key of a thread's loop. The main thread has one of its own, because another thread
/// may load this library as part of a plug-in, and then the main thread's pthread_t is not known
/// until the main thread asks.
static const void *pthreadPointer(pthread_t t) {
    static const char mainThread;
    Boolean isMain = pthread_equal(t, kNilPthreadT) || pthread_equal(t, pthread_main_thread_np());
    return isMain ? &mainThread : (const void *)(uintptr_t)t;
}

// MARK: - Getting a loop (R1–R5)

static void __CFFinalizeRunLoop(void *data); // takes a uintptr_t in the original
static void __CFRunLoopEndPredecessor(void);

/// Returns the loop of thread `t`. NULL (kNilPthreadT) means the main thread.
///
/// In CF-855, which article 1 shows, the lock is a spin lock, and a thread should not hold a spin
/// lock while it allocates memory. So that version creates the dictionary with the lock released,
/// and installs it with compare-and-swap. CF-1153 still does so with a mutex. The current source
/// holds its mutex throughout, and so does this function. Call with nothing locked. DOES CALLOUT,
/// if it must end a loop whose thread is gone: cancel, getPort, release
CFRunLoopRef _CFRunLoopGet0(pthread_t t) {
    CHECK_FOR_FORK();
    if (pthread_equal(t, kNilPthreadT)) t = pthread_main_thread_np();
    if (pthread_equal(t, pthread_self())) __CFRunLoopEndPredecessor(); // [D5]
    __CFLock(&loopsLock);
    if (!__CFRunLoops) {
        __CFRunLoops = CFDictionaryCreateMutable(kCFAllocatorSystemDefault, 0, NULL,
                                                 &kCFTypeDictionaryValueCallBacks);
        CFRunLoopRef mainLoop = __CFRunLoopCreate(pthread_main_thread_np());
        // Another thread may watch it before the main thread gets it.
        mainLoop->_tid = __CFMainThreadNumber;
        CFDictionarySetValue(__CFRunLoops, pthreadPointer(kNilPthreadT), mainLoop);
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
        _CFSetTSD(__CFTSDKeyRunLoop, loop, NULL);
        if (!_CFGetTSD(__CFTSDKeyRunLoopCntr)) {
            _CFSetTSD(__CFTSDKeyRunLoopCntr, (void *)(PTHREAD_DESTRUCTOR_ITERATIONS - 1),
                      __CFFinalizeRunLoop);
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
        rl = _CFRunLoopGet0(kNilPthreadT);
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
    return rl && rl == (mine ? mine : _CFRunLoopGet0b(pthread_self()));
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

// MARK: - The counterpart of the layer above: NSRunLoop in the original

CFTypeRef _CFRunLoopGet2(CFRunLoopRef rl) {
    CHECK_FOR_FORK();
    return _CFGetTwin(rl);
}

CFTypeRef _CFRunLoopGet2b(CFRunLoopRef rl) { return _CFRunLoopGet2(rl); }

Boolean _CFRunLoopHasEnded(CFRunLoopRef rl) {
    CHECK_FOR_FORK();
    __CFRunLoopLock(rl);
    Boolean hasEnded = __CFRunLoopIsEnded(rl);
    __CFRunLoopUnlock(rl);
    return hasEnded || (_CFMainThreadHasEnded() && __CFRunLoopIsMain(rl));
}

// MARK: - The end of a loop (R6)

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

/// Removes the sources of a loop that no thread will run again. Sources and loops retain each
/// other; otherwise neither would ever be deallocated. A loop with a twin also gives up its timers
/// and observers: whoever holds the twin holds the loop, too. (In the original they leave when the
/// loop is deallocated.) Call with nothing locked. DOES CALLOUT: cancel, getPort, release
static void __CFRunLoopRemoveAllItems(CFRunLoopRef rl) {
    __CFRunLoopLock(rl);
    __CFRunLoopSetEnded(rl); // from here on no `cancel` can add a source again
    __CFRunLoopUnlock(rl);
    const void *twin = _CFGetTwin(rl);
    if (twin) atomic_load(&__CFTwinFunctions)->loopHasEnded(twin);
    CFArrayRef modeNames = CFRunLoopCopyAllModes(rl);
    for (CFIndex idx = CFArrayGetCount(modeNames); idx--;) {
        CFStringRef name = CFArrayGetValueAtIndex(modeNames, idx);
        __CFRunLoopRemoveAllSources(rl, name);
        if (_CFGetTwin(rl)) __CFRunLoopRemoveAllTimersAndObservers(rl, name);
    }
    CFRelease(modeNames);
    __CFRunLoopRemoveAllSources(rl, kCFRunLoopCommonModes);
    if (_CFGetTwin(rl)) __CFRunLoopRemoveAllTimersAndObservers(rl, kCFRunLoopCommonModes);
    __CFRunLoopDropBlocks(rl); // [D45]
}

/// Ends a loop that is no longer in the dictionary. Call with nothing locked. DOES CALLOUT: cancel,
/// getPort, release
static void __CFRunLoopEnd(CFRunLoopRef rl) {
    __CFRunLoopRemoveAllItems(rl);
    CFRelease(rl);
}

/// The main loop is not deallocated, because other threads may still use it, but no thread will run
/// it again. A layer above learns of that by the end of its items.
void __CFRunLoopMainThreadHasExited(void) {
    if (atomic_exchange(&__CFMainThreadHasExited, true)) return;
    CFRunLoopRef rl = _CFRunLoopGet0b(kNilPthreadT);
    if (rl && _CFGetTwin(rl)) __CFRunLoopRemoveAllItems(rl);
}

/// A thread that is cancelled, or calls pthread_exit in a callback, does not come back to the end
/// of its runs.
static void __CFRunLoopLeaveRuns(CFRunLoopRef rl) {
    if (!rl) return;
    __CFRunLoopLock(rl);
    rl->_currentMode = NULL;
    __CFRunLoopUnsetSleeping(rl);
    __CFRunLoopUnlock(rl);
}

/// The destructor of the thread-specific counter. When a thread ends, the C library calls the
/// destructors of its data in rounds: if a destructor sets a slot again, the slot has another
/// round, up to PTHREAD_DESTRUCTOR_ITERATIONS rounds. This destructor sets its slot again until the
/// last round but one. So the destructors of other data can still use the loop. Called with nothing
/// locked. DOES CALLOUT: cancel, getPort, release
static void __CFFinalizeRunLoop(void *data) {
    uintptr_t roundsLeft = (uintptr_t)data;
    if (__CF120293) return; // in a forked child the state of the parent's locks is unknown
    __CFRunLoopLeaveRuns(_CFGetTSD(__CFTSDKeyRunLoop));
    if (roundsLeft > 1) {
        _CFSetTSD(__CFTSDKeyRunLoopCntr, (void *)(roundsLeft - 1), __CFFinalizeRunLoop);
        return;
    }
    if (pthread_main_np()) { // the main loop stays, because other threads may use it at any time
        __CFRunLoopMainThreadHasExited();
        return;
    }
    __CFLock(&loopsLock);
    CFRunLoopRef rl = __CFRunLoopUnregister(pthread_self());
    __CFUnlock(&loopsLock);
    if (rl) __CFRunLoopRemoveAllItems(rl); // its callbacks still get it as the current loop
    _CFSetTSD(__CFTSDKeyRunLoop, NULL, NULL);
    if (rl) CFRelease(rl); // what this releases must not get a loop that is being deallocated
}

/// Ends the loop of an earlier thread that had this thread's pthread_t. A destructor of other
/// thread-specific data may run after __CFFinalizeRunLoop and ask for the loop again. Then the
/// thread gets a new loop, and the finalizer runs again in the next round. After the last round
/// there is no next one, so no finalizer ends the loop. [D5] It stays in the dictionary until
/// another thread gets the same pthread_t and asks for its loop. Call with nothing locked. DOES
/// CALLOUT: cancel, getPort, release
static void __CFRunLoopEndPredecessor(void) {
    CFRunLoopRef rl = NULL;
    if (_CFGetTSD(__CFTSDKeyRunLoop)) return;
    __CFLock(&loopsLock);
    if (__CFRunLoops)
        rl = (CFRunLoopRef)CFDictionaryGetValue(__CFRunLoops, pthreadPointer(pthread_self()));
    // 0: another thread has created the loop for this one.
    if (rl && rl->_tid && rl->_tid != __CFThreadNumber()) __CFRunLoopUnregister(pthread_self());
    else rl = NULL;
    __CFUnlock(&loopsLock);
    if (rl) __CFRunLoopEnd(rl);
}
