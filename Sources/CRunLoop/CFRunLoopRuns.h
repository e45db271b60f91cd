/// CFRunLoopRuns.h: the functions of layer 3 that its files offer to each other: the loop as an
/// object, and its hosts. Internal.
#if !defined(__COREFOUNDATION_CFRUNLOOPRUNS__)
#define __COREFOUNDATION_CFRUNLOOPRUNS__ 1

#include "CFRunLoopItems.h"

CF_EXTERN_C_BEGIN

// MARK: - CFRunLoopObject.c

/// Creates the run loop of a thread, with the default mode in it. The registry calls this with its
/// lock held.
CF_PRIVATE CFRunLoopRef __CFRunLoopCreate(pthread_t t);

// MARK: - CFRunLoopEmbedding.c: event loops that modes are embedded in

/// Makes the host of each embedded mode return from its wait if a callback of the run is left by
/// longjmp or by an exception. Call it when a run begins. rl locked, on its thread.
CF_PRIVATE void __CFRunLoopHostsBeginRun(CFRunLoopRef rl);
/// Makes the descriptor of each embedded mode readable while the main queue has blocks, if a run of
/// the mode would serve the queue. Call it after serving the queue. rl locked, on its thread.
CF_PRIVATE void __CFRunLoopHostsWatchMainQueue(CFRunLoopRef rl);
/// Prepares each embedded mode for its host's wait: the descriptor of a mode becomes readable if
/// the mode has something to do, and unreadable otherwise. Call it when a run has ended. rl locked,
/// but no mode, on its thread.
CF_PRIVATE void __CFRunLoopHostsEndRun(CFRunLoopRef rl);

CF_EXTERN_C_END

#endif
