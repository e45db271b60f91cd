/// CFRunLoopRuns.h: the functions of floor 3 that its files offer to each other: the records of the
/// runs, the loop as an object, and its hosts. Internal.
#if !defined(__COREFOUNDATION_CFRUNLOOPRUNS__)
#define __COREFOUNDATION_CFRUNLOOPRUNS__ 1

#include "CFRunLoopItems.h"

CF_EXTERN_C_BEGIN

// MARK: - CFRunLoopPerRunData.c: the records of a loop's runs

/// Begins the record of a run in a mode, and returns that of the run around it. `frame` is the
/// stack frame of the run. Call with rl locked, on its thread, or while no other thread knows rl.
CF_PRIVATE _per_run_data *__CFRunLoopPushPerRunData(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                                    const void *frame);
/// Ends the innermost record. `previous` is what __CFRunLoopPushPerRunData returned. rl locked, on
/// its thread.
CF_PRIVATE void __CFRunLoopPopPerRunData(CFRunLoopRef rl, _per_run_data *previous);
/// Frees all records of a loop that is deallocated. Needs no lock, because no other thread has the
/// loop.
CF_PRIVATE void __CFRunLoopFreePerRunData(CFRunLoopRef rl);

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
