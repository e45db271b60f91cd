/// CFRunLoopPerRunData.c: the record of each run, through which other threads reach it.
///
/// Runs nest, and CFRunLoopStop and CFRunLoopWakeUp concern the innermost one. Both may be called
/// in a signal handler, so they take no lock. They find the record of the innermost run in
/// `_perRunData`, and all that they touch in it is atomic. In all versions of the original both
/// functions take the run loop's lock.

#define _GNU_SOURCE // pthread_getattr_np
#include "CFRunLoopProbes.h"
#include "Names/CFRunLoopPerRunData.h"

// MARK: - Beginning and ending a run

/// Takes a record from the loop's spares. Records are never freed before the loop is: see
/// _per_run_data.
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

/// A nested run may have received a wake-up for something that only the run around it serves: a
/// block or a source of another mode. So that run gets a wake-up, too; at worst it needs none. It is
/// sent when that run is about to sleep. If it were sent at once, it would keep the descriptor of an
/// embedded mode ready, and a host in the callback would serve the mode again and again, because
/// each serve receives the wake-up and passes it on. A run that ignores wake-ups looks at everything
/// again anyway; if it ends instead, the next one out gets the wake-up. [D36]
static void __CFRunLoopPassOnWakeUp(_per_run_data *outer) {
    if (!outer->previous) return; // no run: the next one begins with a look at everything
    outer->_tookWakeUp = true;
    if (!atomic_load(&outer->ignoreWakeUps)) outer->_isOwedWakeUp = true;
}

/// Puts the record back among the spares. A thread that has found the record before, and finds now
/// that it does not ignore wake-ups, sends one. A thread that has left one out before has noted it
/// in the record.
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

/// Frees the record that stands for "no run", the spares, and the records of runs that never ended
/// because the thread was cancelled or called pthread_exit in a callback. Nobody has the loop any
/// more.
void __CFRunLoopFreePerRunData(CFRunLoopRef rl) {
    __CFRunLoopFreePerRunDataList(atomic_exchange(&rl->_perRunData, NULL));
    __CFRunLoopFreePerRunDataList(rl->_sparePerRunData);
}

// MARK: - Runs that a callback has left

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

/// A callback has left its run by longjmp or by an exception if the frame of that run is deeper on
/// the stack than the frame of the run that begins now. (Stacks grow down.) Frames on a stack that
/// the program has made itself, for a coroutine, cannot be compared, so such runs stay.
void __CFRunLoopDropLeftRuns(CFRunLoopRef rl, const void *frame) {
    CF_ASSERT_LOCKED(rl);
    CF_ASSERT_ON_THREAD(rl);
    for (;;) {
        _per_run_data *perRun = atomic_load(&rl->_perRunData);
        if (CF_LIKELY(!perRun->previous || perRun->_frame > (const char *)frame)) return;
        if (!__CFIsOnOwnStack(perRun->_frame) || !__CFIsOnOwnStack(frame)) return;
        __CFRunLoopPopPerRunData(rl, perRun->previous);
        rl->_currentMode = atomic_load(&rl->_perRunData)->pass._mode;
    }
}

// MARK: - Wake-ups

/// Sends before it sets the flag, so that whenever the flag is false, no message waits that a
/// sender has returned from sending.
void __CFRunLoopSendWakeUp(CFRunLoopRef rl) {
    __CFSendTrivialMachMessage(rl->_wakeUpPort);
    atomic_store(&rl->_wakeUpSent, true);
}

void __CFRunLoopSendOwedWakeUp(CFRunLoopRef rl) {
    atomic_load(&rl->_perRunData)->_isOwedWakeUp = false;
    __CFRunLoopSendWakeUp(rl);
}

Boolean __CFRunLoopLeaveOutWakeUp(CFRunLoopRef rl) {
    _per_run_data *perRun = atomic_load(&rl->_perRunData);
    uint32_t ignores = atomic_load(&perRun->ignoreWakeUps);
    if (ignores != __kCFRunLoopIgnoresWakeUps) return ignores != 0;
    return atomic_compare_exchange_strong(&perRun->ignoreWakeUps, &ignores,
                                          __kCFRunLoopLeftOutWakeUp)
           || ignores;
}

/// Only the loop's own thread begins and ends runs, so it reads its record without a lock.
CFIndex _CFRunLoopGetDepth(void) {
    CFRunLoopRef rl = (CFRunLoopRef)_CFGetTSD(__CFTSDKeyRunLoop);
    return rl ? (CFIndex)atomic_load(&rl->_perRunData)->pass._depth : 0;
}
