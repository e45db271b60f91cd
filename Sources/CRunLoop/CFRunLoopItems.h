/// CFRunLoopItems.h: the functions of layer 2: the records of a loop's runs, and the sources,
/// timers, observers and blocks, as the loop uses them. Internal.
#if !defined(__COREFOUNDATION_CFRUNLOOPITEMS__)
#define __COREFOUNDATION_CFRUNLOOPITEMS__ 1

#include "CFRunLoop_Internal.h"

CF_EXTERN_C_BEGIN

// MARK: - CFRunLoopPerRunData.c: the records of a loop's runs

/// Begins the record of a run, and returns that of the run around it. Call with rl locked, on its
/// thread, or while no other thread knows rl.
CF_PRIVATE _per_run_data *__CFRunLoopPushPerRunData(CFRunLoopRef rl);
/// Ends the innermost record. `previous` is what __CFRunLoopPushPerRunData returned. rl locked, but
/// no mode, on its thread.
CF_PRIVATE void __CFRunLoopPopPerRunData(CFRunLoopRef rl, _per_run_data *previous);
/// Frees all records of a loop that is deallocated. Needs no lock, because no other thread has the
/// loop.
CF_PRIVATE void __CFRunLoopFreePerRunData(CFRunLoopRef rl);

// MARK: - CFRunLoopBlocks.c

/// Returns whether a pass in the mode performs this block. Its loop locked.
CF_PRIVATE Boolean __CFRunLoopBlockIsForMode(const struct _block_item *item, CFRunLoopModeRef rlm);
/// Returns whether a pass in the mode would perform a block. In all versions of the original
/// __CFRunLoopModeIsEmpty goes through the blocks itself. rl locked.
CF_PRIVATE Boolean __CFRunLoopHasBlocks(CFRunLoopRef rl, CFRunLoopModeRef rlm);
/// Steps 3, 4 and 9. rl and rlm locked. DOES CALLOUT
CF_PRIVATE Boolean __CFRunLoopDoBlocks(CFRunLoopRef rl, CFRunLoopModeRef rlm);
/// Releases all blocks when the loop's thread has ended. Call with nothing locked. DOES CALLOUT:
/// deallocates what the blocks have captured
CF_PRIVATE void __CFRunLoopDropBlocks(CFRunLoopRef rl);

// MARK: - CFRunLoopSource.c

/// Removes all sources from a mode, or from the common items. Call with nothing locked. DOES
/// CALLOUT: cancel, getPort, release
CF_PRIVATE void __CFRunLoopRemoveAllSources(CFRunLoopRef rl, CFStringRef modeName);
/// Returns whether a version 0 source of the mode is signaled. rl and rlm locked.
CF_PRIVATE Boolean __CFRunLoopModeHasSignals(CFRunLoopRef rl, CFRunLoopModeRef rlm);
/// Step 4. rl and rlm locked. DOES CALLOUT
CF_PRIVATE Boolean __CFRunLoopDoSources0(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                         Boolean stopAfterHandle);
/// Step 9.3. rl and rlm locked. DOES CALLOUT
CF_PRIVATE Boolean __CFRunLoopDoSource1(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                        CFRunLoopSourceRef rls);
/// Returns the source that a port of the mode belongs to. rl and rlm locked.
CF_PRIVATE CFRunLoopSourceRef __CFRunLoopModeFindSourceForMachPort(CFRunLoopRef rl,
                                                                   CFRunLoopModeRef rlm,
                                                                   __CFPort port);

// MARK: - CFRunLoopObserver.c

/// Steps 1, 2, 3, 6, 8 and 10. rl and rlm locked. DOES CALLOUT
CF_PRIVATE void __CFRunLoopDoObservers(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                       CFRunLoopActivity activity);

// MARK: - CFRunLoopTimer.c

/// Arms the mode's timer port for the timers that are not firing, or disarms it. rl and rlm locked.
CF_PRIVATE void __CFArmNextTimerInMode(CFRunLoopModeRef rlm, CFRunLoopRef rl);
/// Step 9.1. rl and rlm locked. DOES CALLOUT
CF_PRIVATE Boolean __CFRunLoopDoTimers(CFRunLoopRef rl, CFRunLoopModeRef rlm, uint64_t limitTSR);

// MARK: - CFRunLoopHosts.c: event loops that modes are embedded in

/// Makes the next wait in the mode wait for the main queue's port as well, unless that is
/// CFPORT_NULL. rl and rlm locked, on its thread.
CF_PRIVATE void __CFRunLoopWatchMainQueue(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                          __CFPort dispatchPort);
/// Tells the hosts of the embedded modes that a run begins. rl locked, on its thread.
CF_PRIVATE void __CFRunLoopHostsBeginRun(CFRunLoopRef rl);
/// Prepares each embedded mode for its host's wait, unless a run goes on: the descriptor of a mode
/// becomes readable if the mode has something to do, and unreadable otherwise. Call it when a run
/// has ended. rl locked, but no mode, on its thread.
CF_PRIVATE void __CFRunLoopHostsEndRun(CFRunLoopRef rl);
/// Does the same whether or not a run goes on, and receives no wake-up.
CF_PRIVATE void __CFRunLoopUpdateHosts(CFRunLoopRef rl);
/// Receives the message of the wake-up port, if there is one. rl locked, on its thread.
CF_PRIVATE void __CFRunLoopReceiveWakeUp(CFRunLoopRef rl);

// MARK: - CFRunLoopCommonModes.c

/// Removes all timers and observers from a mode, or from the common items and modes. They stay
/// valid. Call with nothing locked. DOES CALLOUT: release
CF_PRIVATE void __CFRunLoopRemoveAllTimersAndObservers(CFRunLoopRef rl, CFStringRef modeName);

CF_EXTERN_C_END

#endif
