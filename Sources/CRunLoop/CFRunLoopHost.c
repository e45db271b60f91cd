/// CFRunLoopHost.c: what a loop does for its hosts, the event loops that its modes are embedded in.
///
/// A host sleeps in the loop's place. So the end of each run must prepare the embedded modes for
/// the sleep, as step 7 does: it arms the timer port, and it inserts the main queue's port into the
/// set if a run of the mode would serve the queue. CFRunLoopEmbedding.c embeds a mode, and serves
/// it.
///
/// A host serves a mode in single passes. If a callback of the pass signals a source or queues a
/// block, and does not wake the loop, no second pass finds it. Also, a run of another mode may have
/// received a wake-up that was meant for this mode, and a run nested in a block of the main queue
/// does not serve the queue. So at the end of each run, and each time it has served the main queue,
/// the loop updates all embedded modes: if a mode has work, it makes the mode's eventfd readable.
/// It does not send a wake-up instead, because that would keep the hosts of the other modes awake
/// until this mode is served.

#include "CFRunLoop_Internal.h"

/// The blocks that a __CFRunLoopDoBlocks around this run has taken do not count, because a nested
/// run does not perform them.
static Boolean __CFRunLoopModeHasWork(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    return __CFRunLoopHasBlocks(rl, rlm) || __CFRunLoopModeMayHaveSignals(rl, rlm);
}

static void __CFRunLoopModeNotifyHost(const void *mode, void *runLoop) {
    CFRunLoopRef rl = runLoop;
    CFRunLoopModeRef rlm = (CFRunLoopModeRef)mode;
    __CFRunLoopModeLock(rlm);
    if (rlm->_hostSet) {
        __CFRunLoopModeServeMainQueue(rlm, __CFRunLoopServesMainQueue(rl, rlm));
        __CFArmNextTimerInMode(rlm, rl);
        Boolean hasWork = __CFRunLoopModeHasWork(rl, rlm);
        if (hasWork && !rlm->_hostEventIsSet) __CFSendTrivialMachMessage(rlm->_hostEvent);
        if (!hasWork && rlm->_hostEventIsSet) __CFPortReceive(rlm->_hostEvent);
        rlm->_hostEventIsSet = hasWork;
    }
    __CFRunLoopModeUnlock(rlm);
}

void __CFRunLoopNotifyHosts(CFRunLoopRef rl) {
    CF_ASSERT_LOCKED(rl);
    CF_ASSERT_ON_THREAD(rl);
    __CFRunLoopCollectSignals(rl); // a report does not name the modes of its source
    __CFRunLoopForEachMode(rl, __CFRunLoopModeNotifyHost, rl);
}

void __CFRunLoopNotifyHostsOfEnd(CFRunLoopRef rl) {
    Boolean isInRun = atomic_load(&rl->_perRunData)->previous != NULL;
    if (!isInRun && atomic_load(&rl->_wakeUpSent)) __CFRunLoopReceiveWakeUp(rl);
    __CFRunLoopNotifyHosts(rl);
}

/// For the order, see __CFPortSetInsertWakeUp. `_wakeUpSent` may be true although there is no
/// message: the loop's thread may have received the message before the sender set the flag.
void __CFRunLoopReceiveWakeUp(CFRunLoopRef rl) {
    atomic_store(&rl->_wakeUpSent, false);
    if (__CFPortReceive(rl->_wakeUpPort)) __CFRunLoopSetTookWakeUp(rl);
}
