/// CFRunLoopMainQueue.c: which runs serve the main dispatch queue, and its port. (X6)
///
/// libdispatch offers the main run loop a port that is ready while the main queue has blocks, and a
/// function that performs them. Step 5 and step 9.2 in CFRunLoop.c use them.

#include "CFRunLoop_Internal.h"

extern int _dispatch_get_main_queue_port_4CF(void);

/// libdispatch creates the port at the first call, and traps without a message if it cannot.
__CFPort __CFRunLoopMainQueuePort(void) {
    static __CFPort port = CFPORT_NULL; // only the main thread asks
    if (port != CFPORT_NULL) return port;
    __CFPortCheckAvailable("the main dispatch queue's port (eventfd)");
    return port = _dispatch_get_main_queue_port_4CF();
}

/// The main loop serves the queue in its common modes, but not inside one of the queue's own
/// blocks, because the queue performs one block at a time.
Boolean __CFRunLoopServesMainQueue(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    CF_ASSERT_LOCKED(rl);
    return rlm->_isCommon && rl->_isMain && pthread_main_np()
        && !_CFGetTSD(__CFTSDKeyIsInGCDMainQ);
}

/// In all versions of the original each pass inserts the port before it sleeps, and removes it
/// afterwards. Here the port stays in the set, because most passes serve the queue if the pass
/// before did. A run that does not serve the queue must remove it. For example, the run may be
/// nested in one of the queue's blocks while the queue has more blocks: then the port is ready, and
/// would wake the run again and again.
void __CFRunLoopModeServeMainQueue(CFRunLoopModeRef rlm, Boolean serves) {
    CF_ASSERT_LOCKED(rlm);
    if (rlm->_mainQueuePortInSet == serves) return;
    rlm->_mainQueuePortInSet = serves;
    if (serves) __CFPortSetInsertOwn(__CFRunLoopMainQueuePort(), rlm->_portSet);
    else __CFPortSetRemoveOwn(__CFRunLoopMainQueuePort(), rlm->_portSet);
}
