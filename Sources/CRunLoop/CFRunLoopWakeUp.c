/// CFRunLoopWakeUp.c: reaching a loop from outside: the record that each run has for it, waking it
/// and stopping it. In all versions of the original both take the loop's lock, and on Apple's
/// systems send a mach message; here they take none, and write to an eventfd.

#define _GNU_SOURCE // pthread_getattr_np
#include "CFRunLoopProbes.h"
#include <CoreFoundation/ForSwiftFoundationOnly.h>
#include "Names/CFRunLoopWakeUp.h"

// MARK: - The data of a run

/// Takes a record from the loop's spares: see _per_run_data for why they are never freed. Returns
/// the record of the run around this one.
_per_run_data *__CFRunLoopPushPerRunData(CFRunLoopRef rl, CFRunLoopModeRef rlm, const void *frame) {
    _per_run_data *previous = atomic_load(&rl->_perRunData), *perRun = rl->_sparePerRunData;
    if (perRun) rl->_sparePerRunData = perRun->previous;
    else perRun = malloc(sizeof(*perRun));
    if (!perRun) __CF_HAS_NO_MEMORY_LEFT__("a run of a run loop");
    perRun->a = perRun->b = 0x4346524C; // 'CFRL'
    atomic_store(&perRun->stopped, 0);
    atomic_store(&perRun->ignoreWakeUps, 0);
    perRun->previous = previous;
    perRun->_frame = frame;
    perRun->_tookWakeUp = false;
    perRun->_isOwedWakeUp = false;
    __CFRunLoopClearPass(&perRun->pass);
    perRun->pass._mode = rlm;
    perRun->pass._depth = previous ? previous->pass._depth + 1 : 0;
    atomic_store(&rl->_perRunData, perRun);
    return previous;
}

static void __CFRunLoopSendWakeUp(CFRunLoopRef rl);

/// A nested run may have taken a wake-up for something that only a run around it serves: a block or
/// a source of another mode. So the run around it gets one, too, which is at worst one that nobody
/// needs. It is sent when that run is about to sleep and not before: until then it would keep the
/// descriptor of an embedded mode ready, and a host in the callback would serve in vain, for each
/// serve takes the wake-up and passes it on. If that run ignores wake-ups, it will look at
/// everything anyway, unless it ends: then the next one gets it. [D36] Call with rl locked, on the
/// loop's thread.
static void __CFRunLoopPassOnWakeUp(_per_run_data *outer) {
    if (!outer->previous) return; // no run: the next one begins with a look at everything
    outer->_tookWakeUp = true;
    if (!atomic_load(&outer->ignoreWakeUps)) outer->_isOwedWakeUp = true;
}

void __CFRunLoopSendOwedWakeUp(CFRunLoopRef rl) {
    atomic_load(&rl->_perRunData)->_isOwedWakeUp = false;
    __CFRunLoopSendWakeUp(rl);
}

/// Puts the record back among the spares. A thread that has found it before, and now finds that it
/// does not ignore wake-ups, sends one; one that has left it out before is found here.
void __CFRunLoopPopPerRunData(CFRunLoopRef rl, _per_run_data *previous) {
    CF_ASSERT_LOCKED(rl);
    CF_ASSERT_ON_THREAD(rl);
    _per_run_data *perRun = atomic_load(&rl->_perRunData);
    atomic_store(&rl->_perRunData, previous);
    Boolean leftOut = atomic_exchange(&perRun->ignoreWakeUps, 0) == __kCFRunLoopLeftOutWakeUp;
    if (leftOut || perRun->_tookWakeUp) __CFRunLoopPassOnWakeUp(previous);
    perRun->previous = rl->_sparePerRunData;
    rl->_sparePerRunData = perRun;
}

static void __CFRunLoopFreePerRunDataList(_per_run_data *perRun) {
    while (perRun) {
        _per_run_data *previous = perRun->previous;
        free(perRun);
        perRun = previous;
    }
}

/// Whether an address is on the calling thread's own stack. Slow.
static __attribute__((cold)) Boolean __CFIsOnOwnStack(const char *address) {
    pthread_attr_t attributes;
    void *start = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes)) return false;
    pthread_attr_getstack(&attributes, &start, &size);
    pthread_attr_destroy(&attributes);
    return address >= (char *)start && address < (char *)start + size;
}

/// Stacks grow down, so the frame of a run that goes on is above that of one nested in it. A thread
/// may also run on stacks of its own making, which say nothing about each other: they are left
/// alone.
void __CFRunLoopDropLeftRuns(CFRunLoopRef rl, const void *frame) {
    for (;;) {
        _per_run_data *perRun = atomic_load(&rl->_perRunData);
        if (CF_LIKELY(!perRun->previous || perRun->_frame > (const char *)frame)) return;
        if (!__CFIsOnOwnStack(perRun->_frame) || !__CFIsOnOwnStack(frame)) return;
        __CFRunLoopPopPerRunData(rl, perRun->previous);
        rl->_currentMode = atomic_load(&rl->_perRunData)->pass._mode;
    }
}

/// Frees the record that stands for "no run", and the spares, when the loop dies: from here on
/// nobody wakes it. There are also the records of runs that have never ended, if the thread was
/// cancelled or has called pthread_exit in one.
void __CFRunLoopFreePerRunData(CFRunLoopRef rl) {
    __CFRunLoopFreePerRunDataList(atomic_exchange(&rl->_perRunData, NULL));
    __CFRunLoopFreePerRunDataList(rl->_sparePerRunData);
}

// MARK: - Waking and stopping, from any thread and from signal handlers

static void __CFRunLoopSendWakeUp(CFRunLoopRef rl) {
    __CFSendTrivialMachMessage(rl->_wakeUpPort);
    atomic_store(&rl->_wakeUpSent, true);
}

/// Whether a wake-up need not be sent; if so, the innermost run has it noted. Lock-free.
static Boolean __CFRunLoopLeaveOutWakeUp(CFRunLoopRef rl) {
    _per_run_data *perRun = atomic_load(&rl->_perRunData);
    uint32_t ignores = atomic_load(&perRun->ignoreWakeUps);
    if (ignores != __kCFRunLoopIgnoresWakeUps) return ignores != 0;
    return atomic_compare_exchange_strong(&perRun->ignoreWakeUps, &ignores,
                                          __kCFRunLoopLeftOutWakeUp)
           || ignores;
}

/// Why no wake-up is lost, and none is sent that nobody needs. [D4]
///
/// A message sent to the wake-up port stays there until the loop's thread receives it, and it
/// receives it only when the wait returns (step 7). So a message sent at any time before the thread
/// sleeps ends that sleep at once. The question is when it may be left out. It may as long as the
/// thread is sure to look at everything again before it sleeps: that is what `ignoreWakeUps` says.
/// The thread sets it when it has woken up, and clears it at the end of the pass, before it looks
/// at the reasons to end, the blocks, and the sources 0 again. Here the caller has first made its
/// change (signalled a source, queued a block, said stop) and then reads `ignoreWakeUps`; there the
/// thread first clears `ignoreWakeUps` and then looks for changes. All four are sequentially
/// consistent, so either this function finds it cleared and sends the message, or the thread finds
/// the change.
///
/// A wake-up reaches the innermost run. What it is about may concern a run around that one, so a
/// wake-up that is left out is noted, in the same step that finds 'WAKE': see
/// __CFRunLoopPassOnWakeUp. In all versions of the original the run around is not woken.
void CFRunLoopWakeUp(CFRunLoopRef rl) {
    CHECK_FOR_FORK();
    if (__CFRunLoopLeaveOutWakeUp(rl)) {
        CFRL_DONT_WAKEUP(rl);
    } else {
        CFRL_WAKEUP(rl);
        __CFRunLoopSendWakeUp(rl);
    }
}

/// `_wakeUpSent` tells a pass that only looks whether it must ask the kernel. It is set after the
/// message is sent and cleared before it is received, so whenever a message waits that
/// CFRunLoopWakeUp has returned from sending, it is set. It may be set without a message: the loop's
/// thread has received the message before the sender came to set it. Then the run takes no wake-up,
/// and owes none to the run around it. [D36]
void __CFRunLoopReceiveWakeUp(CFRunLoopRef rl) {
    atomic_store(&rl->_wakeUpSent, false);
    if (__CFPortReceive(rl->_wakeUpPort)) atomic_load(&rl->_perRunData)->_tookWakeUp = true;
}

/// Only the loop's own thread begins and ends runs: it reads its record without a lock.
CFIndex _CFRunLoopGetDepth(void) {
    CFRunLoopRef rl = (CFRunLoopRef)_CFGetTSD(__CFTSDKeyRunLoop);
    return rl ? (CFIndex)atomic_load(&rl->_perRunData)->pass._depth : 0;
}

void CFRunLoopStop(CFRunLoopRef rl) {
    CHECK_FOR_FORK();
    CFRL_STOP(rl);
    atomic_store(&atomic_load(&rl->_perRunData)->stopped, 0x53544F50); // 'STOP'
    // As CFRunLoopWakeUp; but a stop is for the innermost run alone, so it is not noted if it is
    // left out.
    if (__CFRunLoopIsIgnoringWakeUps(rl)) {
        CFRL_DONT_WAKEUP(rl);
    } else {
        CFRL_WAKEUP(rl);
        __CFRunLoopSendWakeUp(rl);
    }
}

// MARK: - The loop that nobody can wake any more

static _Atomic(Boolean) __CFMainThreadHasExited = false;

/// The place to stop at in a debugger for the message below.
static __attribute__((noinline)) void _CFRunLoopError_MainThreadHasExited(void) {
    __asm__ volatile("/* the main thread has exited */");
}

/// What the layer above wants to be told.
static _Atomic(void (*)(void)) __CFMainThreadEndHandler = NULL;

void __CFRunLoopMainThreadHasExited(void) {
    if (atomic_exchange(&__CFMainThreadHasExited, true)) return;
    void (*handler)(void) = atomic_load(&__CFMainThreadEndHandler);
    if (handler) handler();
}

/// Sequentially consistent, like the exchange and the load above: either the caller finds that the
/// main thread has ended, or the main thread finds the handler. Both may happen.
Boolean _CFMainThreadSetEndHandler(void (*handler)(void)) {
    atomic_store(&__CFMainThreadEndHandler, handler);
    return !atomic_load(&__CFMainThreadHasExited);
}

Boolean _CFMainThreadHasEnded(void) { return atomic_load(&__CFMainThreadHasExited); }

/// The destructor of the main thread's slot, in the first round of destructors. It must not wait
/// for a later one: an async main and dispatchMain() call pthread_exit as well, but libdispatch has
/// set a destructor that never returns, so that the process does not become a zombie. That thread
/// sleeps in sigsuspend from then on and runs no second round. libdispatch makes its key after
/// ours, and the C library calls destructors in the order in which the keys were made.
static void __CFMainThreadEnds(void *unused) {
    (void)unused;
    __CFRunLoopMainThreadHasExited();
}

static void __CFMainThreadSetSlot(void) {
    _CFSetTSD(__CFTSDKeyMainThread, &__CFMainThreadHasExited, __CFMainThreadEnds);
}

/// In the child of a fork the main thread is the one that forked, whatever it was before.
static void __CFMainThreadWatchInChild(void) {
    atomic_store(&__CFMainThreadHasExited, false);
    __CFMainThreadSetSlot();
}

/// Runs while the program is loaded, on its first thread. A plug-in may be loaded by another
/// thread; then the finalizer of the main loop notices the main thread's end, if the thread uses
/// its loop.
__attribute__((constructor)) static void __CFMainThreadWatch(void) {
    if (pthread_main_np()) __CFMainThreadSetSlot();
    pthread_atfork(NULL, NULL, __CFMainThreadWatchInChild);
}

Boolean __CFRunLoopRefusesItems(CFRunLoopRef rl, const char *what) {
    static _Atomic(Boolean) said;
    if (CF_LIKELY(!atomic_load(&__CFMainThreadHasExited))) return false;
    // A destructor of the main thread may still run the loop.
    if (pthread_main_np() || !pthread_equal(rl->_pthread, pthread_main_thread_np())) return false;
    if (atomic_exchange(&said, true)) return true;
    __CFWarn("%s is being added to the main run loop, but the main thread has exited: nothing "
             "will ever run that loop, so it is not added. This message is printed only once; break "
             "on _CFRunLoopError_MainThreadHasExited to find the caller.", what);
    _CFRunLoopError_MainThreadHasExited();
    return true;
}
