/// CFRunLoopHosts.c: what a run means for the event loops that the loop's modes are embedded in
/// (CFRunLoopEmbedding.c). The record of a run calls these functions; no other run has any cost.

#include "CFRunLoop_Internal.h"

static CFRunLoopModeRef __CFRunLoopHostedMode(CFRunLoopRef rl, CFIndex i) {
    return (CFRunLoopModeRef)CFArrayGetValueAtIndex(rl->_hostedModes, i);
}

/// A callback may be the host of the modes, and wait for their descriptors. So these are readable
/// during a run: then the host serves the modes once more, also if the callback has left the run by
/// longjmp or by an exception. A host on another thread, such as libdispatch's, must find nothing
/// to do instead, because the run itself does what there is.
void __CFRunLoopHostsBeginRun(CFRunLoopRef rl) {
    CF_ASSERT_LOCKED(rl);
    for (CFIndex i = 0; i < CFArrayGetCount(rl->_hostedModes); i++)
        __CFPortSetBeginHostsRun(__CFRunLoopHostedMode(rl, i)->_portSet);
}

/// Returns the main dispatch queue's port if a run in this mode serves the queue, as __CFRunLoopRun
/// decides, otherwise CFPORT_NULL.
static __CFPort __CFRunLoopModeGetDispatchPort(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    CF_ASSERT_LOCKED(rl);
    if (!rlm->_isCommon || !pthread_main_np() || !__CFRunLoopIsMain(rl)) return CFPORT_NULL;
    return _CFGetTSD(__CFTSDKeyIsInGCDMainQ) ? CFPORT_NULL : __CFMainQueueGetPort();
}

/// A run nested in a block of the main queue does not serve the queue, and so its wait removes the
/// queue's port from its mode. This inserts the port again.
static void __CFRunLoopHostsWatchMainQueue(CFRunLoopRef rl) {
    CF_ASSERT_LOCKED(rl);
    CFIndex count = rl->_hostedModes ? CFArrayGetCount(rl->_hostedModes) : 0;
    for (CFIndex i = 0; i < count; i++) {
        CFRunLoopModeRef rlm = __CFRunLoopHostedMode(rl, i);
        __CFPortSetSetMainQueuePort(__CFRunLoopModeGetDispatchPort(rl, rlm), rlm->_portSet);
    }
}

void __CFRunLoopWatchMainQueue(CFRunLoopRef rl, CFRunLoopModeRef rlm, __CFPort dispatchPort) {
    CF_ASSERT_LOCKED(rl, rlm);
    if (CF_UNLIKELY(rl->_hostedModes)) __CFRunLoopHostsWatchMainQueue(rl);
    __CFPortSetSetMainQueuePort(dispatchPort, rlm->_portSet);
}

/// Receives the message of the wake-up port, if there is one. First it clears the flag: see
/// __CFPortSetAllocate. The flag may be set although there is no message: the loop's thread may
/// have received the message before the sender set the flag.
void __CFRunLoopReceiveWakeUp(CFRunLoopRef rl) {
    atomic_store(&rl->_wakeUpSent, false);
    __CFPortReceive(rl->_wakeUpPort);
}

/// The blocks that a __CFRunLoopDoBlocks around this run has taken do not count as work, because a
/// nested run does not perform them.
void __CFRunLoopUpdateHosts(CFRunLoopRef rl) {
    CFIndex count = rl->_hostedModes ? CFArrayGetCount(rl->_hostedModes) : 0;
    __CFRunLoopHostsWatchMainQueue(rl);
    for (CFIndex i = 0; i < count; i++) {
        CFRunLoopModeRef rlm = __CFRunLoopHostedMode(rl, i);
        __CFRunLoopModeLock(rlm);
        Boolean hasWork = __CFRunLoopHasBlocks(rl, rlm) || __CFRunLoopModeHasSignals(rl, rlm);
        __CFPortSetSetHostEvent(rlm->_portSet, hasWork);
        __CFRunLoopModeUnlock(rlm);
    }
}

/// At the end of the outermost run this also receives the wake-up that came during the run, if any,
/// because it checks for all work. A nested run leaves the eventfds set, for the run around it.
void __CFRunLoopHostsEndRun(CFRunLoopRef rl) {
    CF_ASSERT_LOCKED(rl);
    CF_ASSERT_ON_THREAD(rl);
    if (!rl->_hostedModes || atomic_load(&rl->_perRunData)->previous) return;
    for (CFIndex i = 0; i < CFArrayGetCount(rl->_hostedModes); i++)
        __CFPortSetEndHostsRun(__CFRunLoopHostedMode(rl, i)->_portSet);
    if (atomic_load(&rl->_wakeUpSent)) __CFRunLoopReceiveWakeUp(rl);
    __CFRunLoopUpdateHosts(rl);
}
