/// CFRunLoopEmbedding.c: a run loop inside another event loop, its host.
///
/// A mode's port set is an epoll instance, and another epoll instance can wait for it. A host
/// sleeps in the loop's place. So the end of each run prepares the embedded modes for that sleep as
/// step 7 does: it inserts the main queue's port into the set if a run of the mode would serve the
/// queue. (The timer port is armed whenever a timer changes.) And an embedded loop never ignores
/// wake-ups, not even outside a run. Nothing in the original does this: on a Mac the application's
/// own event loop is a run loop already.
///
/// A host serves a mode in single passes. If a callback of the pass signals a source or queues a
/// block, and does not wake the loop, no second pass finds it. Also, a run of another mode may have
/// received a wake-up that was meant for this mode. So at the end of each run, the loop makes the
/// eventfd of each embedded mode that has work readable. It does not send a wake-up instead,
/// because that would keep the hosts of the other modes awake until this mode is served.

#include "CFRunLoop_Internal.h"
#include <CoreFoundation/CFRunLoopEmbedding.h>

// MARK: - Embedding a mode

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
    __CFStringCopyTruncated(rlm->_name, name, sizeof(name));
    __CFWarn("the mode %s of a run loop cannot be embedded: %s. CFRunLoopGetDescriptor returned "
             "-1. %s", name, strerror(error), __CFPortSetWhyNotEmbedded(error));
}

/// Returns the descriptor that the host waits for, or CFPORT_NULL if the kernel does not allow it.
static int __CFRunLoopModeEmbed(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    CF_ASSERT_LOCKED(rl, rlm);
    int descriptor = __CFPortSetGetHostDescriptor(rlm->_portSet);
    if (descriptor != CFPORT_NULL) return descriptor;
    int error = __CFPortSetEmbed(rlm->_portSet);
    if (error) {
        __CFRunLoopModeRefuseHost(rlm, error);
        return CFPORT_NULL;
    }
    if (!rl->_hostedModes)
        rl->_hostedModes = CFArrayCreateMutable(kCFAllocatorSystemDefault, 0, NULL);
    CFArrayAppendValue(rl->_hostedModes, rlm); // not retained: the loop keeps its modes
    return __CFPortSetGetHostDescriptor(rlm->_portSet);
}

/// From __CFRunLoopKeepWakeUps on, no wake-up is ignored. Earlier ones were, so the check for work
/// comes last.
int CFRunLoopGetDescriptor(CFRunLoopRef rl, CFStringRef modeName) {
    CHECK_FOR_FORK();
    if (__CFRunLoopIsCommonModes(modeName)) return CFPORT_NULL;
    int descriptor = CFPORT_NULL;
    __CFRunLoopLock(rl);
    CFIndex before = rl->_hostedModes ? CFArrayGetCount(rl->_hostedModes) : 0;
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, true);
    if (rlm) {
        descriptor = __CFRunLoopModeEmbed(rl, rlm);
        __CFRunLoopModeUnlock(rlm);
    }
    if (rl->_hostedModes && CFArrayGetCount(rl->_hostedModes) > before) {
        __CFRunLoopKeepWakeUps(rl);
        __CFRunLoopUpdateHosts(rl);
    }
    __CFRunLoopUnlock(rl);
    return descriptor;
}

/// libdispatch waits for the descriptor on a thread of its own.
int _CFRunLoopGetDescriptorForMainQueue(CFRunLoopRef rl, CFStringRef modeName) {
    int descriptor = CFRunLoopGetDescriptor(rl, modeName);
    if (descriptor == CFPORT_NULL) return descriptor;
    __CFRunLoopLock(rl);
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, false);
    __CFPortSetHostIsElsewhere(rlm->_portSet);
    __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(rl);
    return descriptor;
}

// MARK: - Serving a mode

/// A run that finds the mode empty ends before it looks at any port. So this function deals with
/// what has woken the host. First it receives a wake-up. If the mode's port set is still ready
/// after that, the kernel reports a closed descriptor, because an empty mode has no source. Call
/// with nothing locked.
static void __CFRunLoopReceiveForEmptyMode(CFRunLoopRef rl, CFStringRef modeName) {
    __CFRunLoopLock(rl);
    if (__CFPortIsReady(rl->_wakeUpPort)) __CFRunLoopReceiveWakeUp(rl);
    __CFRunLoopUpdateHosts(rl);
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, false);
    if (rlm) {
        if (__CFPortSetGetHostDescriptor(rlm->_portSet) != CFPORT_NULL
            && __CFPortIsReady(__CFPortSetGetDescriptor(rlm->_portSet)))
            __CFRunLoopModeRenewPortSet(rlm);
        __CFRunLoopModeUnlock(rlm);
    }
    __CFRunLoopUnlock(rl);
}

/// A callback may be the host: it serves the modes until none of them has work. So after a nested
/// run that serves, the eventfds say which have.
CFRunLoopRunResult CFRunLoopServe(CFRunLoopRef rl, CFStringRef modeName) {
    CHECK_FOR_FORK();
    CFRunLoopRunResult result = CFRunLoopRunSpecific(rl, modeName, 0.0, false);
    if (result == kCFRunLoopRunFinished) {
        __CFRunLoopReceiveForEmptyMode(rl, modeName);
    } else if (atomic_load(&rl->_perRunData)->previous) {
        __CFRunLoopLock(rl);
        __CFRunLoopUpdateHosts(rl);
        __CFRunLoopUnlock(rl);
    }
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
