/// CFRunLoopMainThread.c: what only the main thread's loop has: the main dispatch queue, which it
/// serves, and an end at which it stays.

#include "CFRunLoop_Internal.h"
#include <CoreFoundation/ForSwiftFoundationOnly.h>

Boolean __CFRunLoopIsMain(CFRunLoopRef rl) {
    return !rl->_pthread || pthread_equal(rl->_pthread, pthread_main_thread_np());
}

// MARK: - The main dispatch queue (X6)
//
// libdispatch offers the main run loop a port that is ready while the main queue has blocks, and a
// function that performs them. Steps 5, 7 and 9.2 in CFRunLoop.c use them.

extern int _dispatch_get_main_queue_port_4CF(void);

/// libdispatch creates the port at the first call, and traps without a message if it cannot. [D6]
__CFPort __CFMainQueueGetPort(void) {
    static __CFPort port = CFPORT_NULL; // only the main thread asks
    if (port == CFPORT_NULL)
        port = __CFPortMake(_dispatch_get_main_queue_port_4CF, "the main dispatch queue's port");
    return port;
}

// MARK: - The end of the main thread
//
// No thread will run the main loop again, so nothing can be added to it from then on. The process
// does not abort: on a Mac it keeps running as well.

static _Atomic(Boolean) __CFMainThreadHasExited = false;

Boolean _CFMainThreadHasEnded(void) { return atomic_load(&__CFMainThreadHasExited); }

/// The destructor of the main thread's slot, in the first round of destructors. A later round would
/// be too late: an async main and dispatchMain() call pthread_exit, too, but libdispatch has set a
/// destructor that never returns, so that the process does not become a zombie. The thread sleeps
/// in sigsuspend from then on and runs no second round. libdispatch creates its key after ours, and
/// the C library calls the destructors in the order in which the keys were created.
static void __CFMainThreadEnds(void *unused) {
    (void)unused;
    if (!__CF120293) __CFRunLoopMainThreadHasExited(); // a forked child has no loop to end (R8)
}

static void __CFMainThreadSetSlot(void) {
    _CFSetTSD(__CFTSDKeyMainThread, &__CFMainThreadHasExited, __CFMainThreadEnds);
}

/// In the child of a fork, the thread that called fork is the main thread.
static void __CFMainThreadWatchInChild(void) {
    atomic_store(&__CFMainThreadHasExited, false);
    __CFMainThreadSetSlot();
}

/// Runs when the program is loaded, on the main thread. If another thread loads this library as
/// part of a plug-in, the slot is not set. Then the finalizer of the main loop notices the end of
/// the main thread, if that thread uses its loop.
__attribute__((constructor)) static void __CFMainThreadWatch(void) {
    if (pthread_main_np()) __CFMainThreadSetSlot();
    pthread_atfork(NULL, NULL, __CFMainThreadWatchInChild);
}

// MARK: - Refusing

/// Set a breakpoint here to find the code that adds something to the main loop too late, or wakes
/// it.
static __attribute__((noinline)) void _CFRunLoopError_MainThreadHasExited(void) {
    __asm__ volatile("/* the main thread has exited */");
}

Boolean __CFRunLoopIsRefusing(CFRunLoopRef rl, const char *what) {
    static _Atomic(Boolean) hasWarned;
    if (CF_LIKELY(!atomic_load(&__CFMainThreadHasExited))) return false;
    // A destructor of the main thread may still run the loop.
    if (pthread_main_np() || !__CFRunLoopIsMain(rl)) return false;
    if (!atomic_exchange(&hasWarned, true))
        __CFWarn("%s, but the main thread has exited: nothing will ever run that loop, so the call "
                 "does nothing. This message is printed only once; break on "
                 "_CFRunLoopError_MainThreadHasExited to find each caller.", what);
    _CFRunLoopError_MainThreadHasExited();
    return true;
}
