/// CFRunLoopEmbedding.c: a run loop inside another event loop, its host.
///
/// A mode's port set is an epoll instance, and another epoll instance can wait for it. A run arms
/// the timer port and inserts the main queue's port before it sleeps, and outside a run a loop
/// ignores wake-ups. A host sleeps in the loop's place. So for an embedded mode the end of each run
/// does the first two (__CFRunLoopNotifyHosts), and an embedded loop never ignores wake-ups.
/// Nothing in the original (all versions) does this: on a Mac the application's own event loop is a
/// run loop already.

#include "CFRunLoop_Internal.h"
#include <CoreFoundation/CFRunLoopEmbedding.h>

/// Outside a run a loop ignores wake-ups, but an embedded loop must receive them. The record that
/// stands for "no run" is the outermost.
static void __CFRunLoopKeepWakeUps(CFRunLoopRef rl) {
    CF_ASSERT_LOCKED(rl);
    _per_run_data *perRun = atomic_load(&rl->_perRunData);
    while (perRun->previous) perRun = perRun->previous;
    atomic_store(&perRun->ignoreWakeUps, 0);
}

/// Prints why a mode cannot be embedded.
static __attribute__((cold)) void __CFRunLoopModeRefuseHost(CFRunLoopModeRef rlm, int error) {
    char name[256];
    if (!CFStringGetCString(rlm->_name, name, sizeof(name), kCFStringEncodingUTF8))
        strcpy(name, "?");
    __CFWarn("the mode %s of a run loop cannot be embedded: %s. CFRunLoopGetDescriptor returned "
             "-1. %s", name, strerror(error), error == EINVAL
                 ? "The kernel lets a loop have no more than 500 embedded modes."
                 : "The descriptor of a source in it is an epoll instance that holds others, and "
                   "the kernel nests them only a few deep.");
}

/// The host waits for a set that contains the mode's port set and an eventfd. So the mode can
/// replace its port set (__CFPortSetRenew) while the host's descriptor stays the same. The eventfd
/// is readable while a run has left work to do. Returns false if the kernel does not allow it.
static Boolean __CFRunLoopModeEmbed(CFRunLoopModeRef rlm) {
    CF_ASSERT_LOCKED(rlm);
    if (rlm->_hostSet) return true;
    __CFPortSet hostSet = __CFPortSetAllocate();
    int error = __CFPortSetInsertSet(rlm->_portSet, hostSet);
    if (error) {
        __CFPortSetFree(hostSet);
        __CFRunLoopModeRefuseHost(rlm, error);
        return false;
    }
    rlm->_hostSet = hostSet;
    rlm->_hostEvent = __CFPortAllocate();
    __CFPortSetInsertOwn(rlm->_hostEvent, rlm->_hostSet);
    return true;
}

/// From __CFRunLoopKeepWakeUps on, no wake-up is ignored. Earlier ones were, so the check for work
/// comes last.
int CFRunLoopGetDescriptor(CFRunLoopRef rl, CFStringRef modeName) {
    CHECK_FOR_FORK();
    int descriptor = -1;
    __CFRunLoopLock(rl);
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, true);
    if (rlm) {
        Boolean isNew = !rlm->_hostSet;
        if (__CFRunLoopModeEmbed(rlm)) descriptor = __CFPortSetGetDescriptor(rlm->_hostSet);
        __CFRunLoopModeUnlock(rlm);
        if (isNew && descriptor >= 0) {
            rl->_isHosted = true;
            __CFRunLoopKeepWakeUps(rl);
            __CFRunLoopNotifyHosts(rl);
        }
    }
    __CFRunLoopUnlock(rl);
    return descriptor;
}

/// A run that finds the mode empty ends before it looks at any port. So this function deals with
/// what has woken the host. First it receives a wake-up. If the mode's port set is still ready
/// after that, the kernel reports a closed descriptor, because an empty mode has no source. Call
/// with nothing locked.
static void __CFRunLoopReceiveForEmptyMode(CFRunLoopRef rl, CFStringRef modeName) {
    __CFRunLoopLock(rl);
    if (__CFPortIsReady(rl->_wakeUpPort)) __CFRunLoopReceiveWakeUp(rl);
    if (rl->_isHosted) __CFRunLoopNotifyHosts(rl);
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, false);
    if (rlm) {
        if (rlm->_hostSet && __CFPortIsReady(__CFPortSetGetDescriptor(rlm->_portSet)))
            __CFRunLoopModeRenewPortSet(rlm);
        __CFRunLoopModeUnlock(rlm);
    }
    __CFRunLoopUnlock(rl);
}

CFRunLoopRunResult CFRunLoopServe(CFRunLoopRef rl, CFStringRef modeName) {
    CHECK_FOR_FORK();
    CFRunLoopRunResult result = CFRunLoopRunSpecific(rl, modeName, 0.0, false);
    if (result == kCFRunLoopRunFinished) __CFRunLoopReceiveForEmptyMode(rl, modeName);
    return result;
}

/// Code on the main queue calls this. The mark keeps the run from serving the main queue. Without
/// it, the run would receive the message of the queue's port, but libdispatch would perform no
/// block, because it is performing one already. The blocks behind it would then wait, because the
/// loop that serves the queue would find no message.
CFRunLoopRunResult _CFRunLoopServeFromMainQueue(CFRunLoopRef rl, CFStringRef modeName) {
    void *mark = _CFGetTSD(__CFTSDKeyIsInGCDMainQ);
    _CFSetTSD(__CFTSDKeyIsInGCDMainQ, (void *)6, NULL);
    CFRunLoopRunResult result = CFRunLoopServe(rl, modeName);
    _CFSetTSD(__CFTSDKeyIsInGCDMainQ, mark, NULL);
    return result;
}
