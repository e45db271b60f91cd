/// CFRunLoopEmbedding.c: a run loop inside another event loop.
///
/// A mode's port set is an epoll instance, and an epoll instance can itself be waited for. Three things a loop does only on its
/// way to sleep must then be done at once, since its host sleeps in its place: arming the timer port, keeping wake-ups, and
/// having the main queue's port in the set. Nothing in the original (all versions)
/// does this: on a Mac the application's own event loop is a run loop already.

#include "CFRunLoop_Internal.h"
#include <CoreFoundation/CFRunLoopEmbedding.h>
#include "Names/CFRunLoopEmbedding.h"

/// Outside a run a loop ignores wake-ups; one that is embedded keeps them. The record that stands for "no run" is the outermost.
/// Call with rl locked.
static void __CFRunLoopKeepWakeUps(CFRunLoopRef rl) {
    _per_run_data *perRun = atomic_load(&rl->_perRunData);
    while (perRun->previous) perRun = perRun->previous;
    atomic_store(&perRun->ignoreWakeUps, 0);
}

/// The host gets a set that holds the mode's port set, so that this can be made anew behind it, and a bell. Call with rl and rlm
/// locked.
static void __CFRunLoopModeEmbed(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    if (rlm->_hostSet) return;
    __CFRunLoopModeOpenPortSet(rl, rlm);
    rlm->_hostSet = __CFPortSetAllocate();
    __CFPortSetInsertOwn(__CFPortSetGetDescriptor(rlm->_portSet), rlm->_hostSet);
    rlm->_hostBell = __CFPortAllocate();
    __CFPortSetInsertOwn(rlm->_hostBell, rlm->_hostSet);
    rl->_isHosted = true;
    __CFRunLoopModePrepareToSleep(rl, rlm);
}

int CFRunLoopGetDescriptor(CFRunLoopRef rl, CFStringRef modeName) {
    CHECK_FOR_FORK();
    int descriptor = -1;
    __CFRunLoopLock(rl);
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, true);
    if (rlm) {
        __CFRunLoopKeepWakeUps(rl);
        __CFRunLoopModeEmbed(rl, rlm);
        descriptor = __CFPortSetGetDescriptor(rlm->_hostSet);
        __CFRunLoopModeUnlock(rlm);
    }
    __CFRunLoopUnlock(rl);
    return descriptor;
}

/// A run that finds the mode empty does not get as far as receiving the wake-up that the host was woken by. Call with nothing
/// locked.
static void __CFRunLoopReceiveHostsWakeUp(CFRunLoopRef rl) {
    __CFRunLoopLock(rl);
    if (__CFPortIsReady(rl->_wakeUpPort)) __CFRunLoopReceiveWakeUp(rl);
    if (rl->_isHosted) __CFRunLoopTellHosts(rl);
    __CFRunLoopUnlock(rl);
}

CFRunLoopRunResult CFRunLoopServe(CFRunLoopRef rl, CFStringRef modeName) {
    CHECK_FOR_FORK();
    CFRunLoopRunResult result = CFRunLoopRunSpecific(rl, modeName, 0.0, false);
    if (result == kCFRunLoopRunFinished) __CFRunLoopReceiveHostsWakeUp(rl);
    return result;
}

/// Without the mark the run would take the main queue's message, and get nothing for it: the queue
/// is being served already, and the loop that serves it would sleep on with the rest.
CFRunLoopRunResult _CFRunLoopServeFromMainQueue(CFRunLoopRef rl, CFStringRef modeName) {
    void *mark = _CFGetTSD(__CFTSDKeyIsInGCDMainQ);
    _CFSetTSD(__CFTSDKeyIsInGCDMainQ, (void *)6, NULL);
    CFRunLoopRunResult result = CFRunLoopServe(rl, modeName);
    _CFSetTSD(__CFTSDKeyIsInGCDMainQ, mark, NULL);
    return result;
}
