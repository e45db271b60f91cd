/// CFRunLoopHost.c: what a loop does for the event loops that its modes are embedded in.
///
/// Such a host sleeps in the loop's place, so what a run does on its way to sleep has to be done
/// whenever a run ends: the timer port is armed, and the main queue's port is in the set if a run
/// of the mode would serve the queue. CFRunLoopEmbedding.c embeds a mode, and serves it.
///
/// A run that goes round again finds what its callbacks have signaled or queued, even if they have
/// not woken the loop. A mode that is served in single passes does not go round. Besides, a run of
/// another mode may have received the wake-up that was meant for this one, or may have been nested
/// in a block of the main queue. So the end of each run, and each visit to the main queue, updates
/// all embedded modes. The host of a mode that has work finds its eventfd readable. A wake-up
/// instead would keep the other modes awake while nobody serves this one.

#include "CFRunLoop_Internal.h"
#include "Names/CFRunLoopHost.h"

/// Blocks that belong to a pass around this run do not count, because a run nested in that pass
/// does not perform them.
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
    __CFRunLoopCollectSignals(rl); // now it is known which mode each of them is for
    __CFRunLoopForEachMode(rl, __CFRunLoopModeNotifyHost, rl);
}

void __CFRunLoopNotifyHostsOfEnd(CFRunLoopRef rl) {
    Boolean isInRun = atomic_load(&rl->_perRunData)->previous != NULL;
    if (!isInRun && atomic_load(&rl->_wakeUpSent)) __CFRunLoopReceiveWakeUp(rl);
    __CFRunLoopNotifyHosts(rl);
}

/// See __CFPortSetInsertWakeUp for the order. `_wakeUpSent` may be true although there is no
/// message: the loop's thread has received the message before its sender came to set the flag.
void __CFRunLoopReceiveWakeUp(CFRunLoopRef rl) {
    atomic_store(&rl->_wakeUpSent, false);
    if (__CFPortReceive(rl->_wakeUpPort)) atomic_load(&rl->_perRunData)->_tookWakeUp = true;
}
