/// CFRunLoop.c: the run. One pass of the loop is the body of the do-while in __CFRunLoopRun. Its
/// ten steps carry the numbers that the articles use.
///
/// The order is the one in which a reader meets things: the entries CFRunLoopRun and
/// CFRunLoopRunInMode; CFRunLoopRunSpecific with steps 1 and 10; __CFRunLoopRun with steps 2 to 9,
/// the sleep among them; then the few functions that these steps need. CFRunLoopWakeUp.c has what
/// other threads do to a loop: wake it and stop it.
///
/// In the original (all versions) the whole run loop is in this one file. On Apple's systems the
/// thread sleeps in mach_msg, on the mode's port set.

#include "CFRunLoopProbes.h"
#include "Names/CFRunLoop.h"

// MARK: - What the run needs, defined below it

static void __CFRunLoopRefuseMode(CFStringRef modeName);
static Boolean __CFRunLoopModeIsEmpty(CFRunLoopRef rl, CFRunLoopModeRef rlm);
static uint64_t __CFRunLoopTermTSR(CFTimeInterval seconds);
static void __CFRunLoopModePrepareToSleep(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                          Boolean servesMainQueue);
static void __CFRunLoopSetSleeping(CFRunLoopRef rl, CFRunLoopModeRef rlm);
static void __CFRunLoopUnsetSleeping(CFRunLoopRef rl);
static Boolean __CFRunLoopKnowsLivePort(CFRunLoopRef rl, CFRunLoopModeRef rlm, __CFPort first,
                                        Boolean poll, __CFPort *livePort);
static __CFPortSet __CFRunLoopWillWait(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                       uint64_t deadlineTSR);
static __CFPort __CFRunLoopDidWait(CFRunLoopRef rl, CFRunLoopModeRef rlm, __CFPortSet waitSet,
                                   __CFPort first, Boolean poll);
static void __CFRunLoopServiceMachPort(__CFPortSet waitSet, uint64_t deadlineTSR);
static Boolean __CFRunLoopModeHasDueTimer(CFRunLoopModeRef rlm);
static void __CFRunLoopReceive(CFRunLoopRef rl, __CFPort livePort, __CFPort dispatchPort);
static void __CFRunLoopKeepPass(CFRunLoopRef rl, Boolean goesOn);

// MARK: - The entries

static int32_t __CFRunLoopRun(CFRunLoopRef rl, CFRunLoopModeRef rlm, CFTimeInterval seconds,
                              Boolean stopAfterHandle);

/// Runs in the default mode again and again until there is nothing to do, or until it is stopped.
void CFRunLoopRun(void) {
    CHECK_FOR_FORK();
    SInt32 result;
    do {
        result = CFRunLoopRunSpecific(CFRunLoopGetCurrent(), kCFRunLoopDefaultMode, 1.0e10, false);
    } while (result != kCFRunLoopRunStopped && result != kCFRunLoopRunFinished);
}

CFRunLoopRunResult CFRunLoopRunInMode(CFStringRef modeName, CFTimeInterval seconds,
                                      Boolean returnAfterSourceHandled) {
    CHECK_FOR_FORK();
    CFRunLoopRunResult result = CFRunLoopRunSpecific(CFRunLoopGetCurrent(), modeName, seconds,
                                                     returnAfterSourceHandled);
    __asm__ volatile("/* run in mode */"); // keeps this frame
    return result;
}

/// One run. If the mode has nothing to serve the run returns at once; otherwise it goes through
/// steps 1 to 10. Runs nest. Each has a record of its own, so CFRunLoopStop ends the innermost run
/// alone (L7), and afterwards the mode of the run around it is the current mode again (S7). Call
/// with nothing locked. DOES CALLOUT
__attribute__((noinline))
SInt32 CFRunLoopRunSpecific(CFRunLoopRef rl, CFStringRef modeName, CFTimeInterval seconds,
                            Boolean returnAfterSourceHandled) {
    CHECK_FOR_FORK();
    if (__CFRunLoopIsDeallocating(rl)) return kCFRunLoopRunFinished;
    __CFRunLoopLock(rl);
    __CFRunLoopDropLeftRuns(rl, __builtin_frame_address(0));
    CFRunLoopModeRef currentMode = __CFRunLoopFindMode(rl, modeName, false);
    if (!currentMode || __CFRunLoopModeIsEmpty(rl, currentMode)) {
        if (currentMode) __CFRunLoopModeUnlock(currentMode);
        __CFRunLoopUnlock(rl);
        if (!modeName || __CFRunLoopIsCommonModes(modeName)) __CFRunLoopRefuseMode(modeName);
        return kCFRunLoopRunFinished;
    }
    _per_run_data *previousPerRun =
        __CFRunLoopPushPerRunData(rl, currentMode, __builtin_frame_address(0));
    CFRunLoopModeRef previousMode = rl->_currentMode;
    rl->_currentMode = currentMode;
    uint64_t steps = 0;
    CFRL_RUN_START(rl, currentMode);

    // 1. The run begins.
    CFRUNLOOP_STEP(rl, currentMode, steps, 1);
    if (currentMode->_observerMask & kCFRunLoopEntry)
        __CFRunLoopDoObservers(rl, currentMode, kCFRunLoopEntry);

    int32_t result = __CFRunLoopRun(rl, currentMode, seconds, returnAfterSourceHandled);

    // 10. The run ends.
    CFRUNLOOP_STEP(rl, currentMode, steps, 10);
    if (currentMode->_observerMask & kCFRunLoopExit)
        __CFRunLoopDoObservers(rl, currentMode, kCFRunLoopExit);

    __CFRunLoopModeUnlock(currentMode);
    CFRL_RUN_END(rl, currentMode, result);
    __CFRunLoopPopPerRunData(rl, previousPerRun);
    rl->_currentMode = previousMode;
    CFRL_MODE(rl, previousMode ? previousMode->_name : NULL);
    if (rl->_isHosted) {
        // A hosted loop ignores no wake-up. One that came during the run is for what is looked at
        // now.
        if (!previousPerRun->previous && atomic_load(&rl->_wakeUpSent))
            __CFRunLoopReceiveWakeUp(rl);
        __CFRunLoopTellHosts(rl);
    }
    __CFRunLoopUnlock(rl);
    return result;
}

// MARK: - The main dispatch queue
//
// libdispatch offers the main loop a port that is ready while the main queue has work, and a
// function that does the work. (X6)

extern int _dispatch_get_main_queue_port_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *msg);

/// The main queue's port. libdispatch makes it when it is first asked for, and traps if it cannot.
static __CFPort __CFRunLoopMainQueuePort(void) {
    static __CFPort port = CFPORT_NULL; // the main thread alone asks
    if (port != CFPORT_NULL) return port;
    __CFPortCheckAvailable("the main dispatch queue's port (eventfd)");
    return port = _dispatch_get_main_queue_port_4CF();
}

/// Whether a run in this mode serves the main dispatch queue: on the main thread, in a common mode,
/// and not inside one of the queue's own blocks, because the queue runs one block at a time. Call
/// with rl locked.
static Boolean __CFRunLoopServesMainQueue(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    return pthread_main_np() && pthread_equal(rl->_pthread, pthread_self())
        && !_CFGetTSD(__CFTSDKeyIsInGCDMainQ) && rlm->_isCommon;
}

/// Keeps its frame: see __CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__.
static __attribute__((noinline))
void __CFRUNLOOP_IS_SERVICING_THE_MAIN_DISPATCH_QUEUE__(void *msg) {
    _dispatch_main_queue_callback_4CF(msg);
    __asm__ volatile("/* main queue */");
}

// MARK: - The run

/// Steps 2 to 9, again and again, until there is a reason to return. Call with rl and rlm locked;
/// they are locked again on return. DOES CALLOUT
static __attribute__((noinline))
int32_t __CFRunLoopRun(CFRunLoopRef rl, CFRunLoopModeRef rlm, CFTimeInterval seconds,
                       Boolean stopAfterHandle) {
    // An observer of Entry may have stopped the run, and anybody the mode.
    if (__CFRunLoopIsStopped(rl)) {
        __CFRunLoopUnsetStopped(rl);
        return kCFRunLoopRunStopped;
    } else if (rlm->_stopped) {
        rlm->_stopped = false;
        return kCFRunLoopRunStopped;
    }

    // The limit is part of the wait. In all versions of the original it is a dispatch timer that
    // wakes the loop. [D2] (L9)
    uint64_t termTSR = __CFRunLoopTermTSR(seconds);
    __CFPort dispatchPort = CFPORT_NULL;
    if (__CFRunLoopServesMainQueue(rl, rlm)) dispatchPort = __CFRunLoopMainQueuePort();
    Boolean didDispatchPortLastTime = true;
    int32_t retVal = 0;
    do {
        uint64_t steps = 0; // of this pass: the record that debuggers read

        // 2. A pass begins: observers are notified that timers come.
        CFRUNLOOP_STEP(rl, rlm, steps, 2);
        if (rlm->_observerMask & kCFRunLoopBeforeTimers)
            __CFRunLoopDoObservers(rl, rlm, kCFRunLoopBeforeTimers);

        // 3. They are notified that sources come. Then the queued blocks.
        CFRUNLOOP_STEP(rl, rlm, steps, 3);
        if (rlm->_observerMask & kCFRunLoopBeforeSources)
            __CFRunLoopDoObservers(rl, rlm, kCFRunLoopBeforeSources);
        __CFRunLoopDoBlocks(rl, rlm);

        // 4. The Source0s that are signalled. If there were any, the blocks that they have queued.
        CFRUNLOOP_STEP(rl, rlm, steps, 4);
        Boolean sourceHandledThisLoop = __CFRunLoopDoSources0(rl, rlm, stopAfterHandle);
        if (sourceHandledThisLoop) __CFRunLoopDoBlocks(rl, rlm);

        // A pass that polls does not sleep, and notifies no observer of a sleep.
        Boolean poll = sourceHandledThisLoop || termTSR == 0;
        Boolean notifies =
            !poll && (rlm->_observerMask & (kCFRunLoopBeforeWaiting | kCFRunLoopAfterWaiting));

        // 5. The main dispatch queue goes first, unless it did last time. Here the original (all
        //    versions) always looks at the queue's port. If no observer is notified before the
        //    wait, and the wait asks the kernel, nobody can tell the difference: the wait then hands
        //    out the queue's port before all others, which is one system call less.
        __CFPort livePort = CFPORT_NULL;
        __CFPort firstPort = didDispatchPortLastTime ? CFPORT_NULL : dispatchPort;
        if (firstPort != CFPORT_NULL && (notifies || __CFPortSetHasReported(rlm->_portSet))) {
            CFRUNLOOP_STEP(rl, rlm, steps, 5);
            if (__CFPortIsReady(dispatchPort)) livePort = dispatchPort;
            if (livePort != CFPORT_NULL) __CFPortReceive(livePort);
            firstPort = CFPORT_NULL;
        }

        if (livePort == CFPORT_NULL) {
            // 6. The thread is about to sleep.
            if (!poll) CFRUNLOOP_STEP(rl, rlm, steps, 6);
            if (!poll && (rlm->_observerMask & kCFRunLoopBeforeWaiting))
                __CFRunLoopDoObservers(rl, rlm, kCFRunLoopBeforeWaiting);

            // 7. It sleeps until a port is ready or the limit has come. A poll only looks.
            CFRUNLOOP_STEP(rl, rlm, steps, 7);
            __CFRunLoopModePrepareToSleep(rl, rlm, dispatchPort != CFPORT_NULL);
            __CFRunLoopSetSleeping(rl, rlm);
            // No callout from here ...
            if (!__CFRunLoopKnowsLivePort(rl, rlm, firstPort, poll, &livePort)) {
                uint64_t deadlineTSR = poll ? 0 : termTSR;
                __CFPortSet waitSet = __CFRunLoopWillWait(rl, rlm, deadlineTSR);
                __CFRunLoopModeUnlock(rlm);
                __CFRunLoopUnlock(rl);
                // While the locks are free, other threads may add to the mode: what they add arms
                // the timer port and enters the port set at once. See CFRunLoopWakeUp for why no
                // wake-up is lost.
                __CFRunLoopServiceMachPort(waitSet, deadlineTSR);
                __CFRunLoopLock(rl);
                __CFRunLoopModeLock(rlm);
                livePort = __CFRunLoopDidWait(rl, rlm, waitSet, firstPort, poll);
            }
            __CFRunLoopReceive(rl, livePort, dispatchPort);
            // ... to here.
            __CFRunLoopSetIgnoreWakeUps(rl);
            __CFRunLoopUnsetSleeping(rl);
            if (livePort == CFPORT_NULL && __CFRunLoopModeHasDueTimer(rlm))
                livePort = rlm->_timerPort;

            // 8. It has woken up.
            if (!poll) CFRUNLOOP_STEP(rl, rlm, steps, 8);
            if (!poll && (rlm->_observerMask & kCFRunLoopAfterWaiting)) {
                // These timers are this run's, not those of one nested in an observer.
                if (livePort == rlm->_timerPort) __CFRunLoopModeDisarm(rlm);
                __CFRunLoopDoObservers(rl, rlm, kCFRunLoopAfterWaiting);
            }
        }

        // 9. What woke it is handled. (The articles' label handle_msg.)
        CFRUNLOOP_STEP(rl, rlm, steps, 9);
        __CFRunLoopSetIgnoreWakeUps(rl);
        didDispatchPortLastTime = false;
        if (livePort == CFPORT_NULL) {
            // No port was ready, or the limit has come.
            if (poll) CFRUNLOOP_WAKEUP_FOR_NOTHING(rl, rlm);
            else CFRUNLOOP_WAKEUP_FOR_TIMEOUT(rl, rlm);
        } else if (livePort == rl->_wakeUpPort) {
            // CFRunLoopWakeUp was called. There is nothing to serve.
            CFRUNLOOP_WAKEUP_FOR_WAKEUP(rl, rlm, livePort);
        } else if (livePort == rlm->_timerPort) {
            // 9.1 Timers.
            CFRUNLOOP_WAKEUP_FOR_TIMER(rl, rlm, livePort);
            __CFRunLoopDoTimers(rl, rlm, mach_absolute_time());
        } else if (livePort == dispatchPort) {
            // 9.2 The main dispatch queue.
            CFRUNLOOP_WAKEUP_FOR_DISPATCH(rl, rlm, livePort);
            __CFRunLoopModeUnlock(rlm);
            __CFRunLoopUnlock(rl);
            _CFSetTSD(__CFTSDKeyIsInGCDMainQ, (void *)6, NULL);
            CFRL_IS_CALLING_START(DISPATCH, rl, rlm, NULL, NULL, 0);
            __CFRUNLOOP_IS_SERVICING_THE_MAIN_DISPATCH_QUEUE__(NULL);
            CHECK_FOR_FORK();
            CFRL_IS_CALLING_END(DISPATCH, rl, rlm, NULL);
            _CFSetTSD(__CFTSDKeyIsInGCDMainQ, (void *)0, NULL);
            __CFRunLoopLock(rl);
            if (rl->_isHosted) __CFRunLoopTellHosts(rl);
            __CFRunLoopModeLock(rlm);
            sourceHandledThisLoop = true;
            didDispatchPortLastTime = true;
        } else {
            // 9.3 A Source1.
            CFRUNLOOP_WAKEUP_FOR_SOURCE(rl, rlm, livePort);
            CFRunLoopSourceRef rls = __CFRunLoopModeFindSourceForMachPort(rl, rlm, livePort);
            if (!rls) __CFRunLoopModeRenewPortSet(rl, rlm);
            else if (__CFRunLoopDoSource1(rl, rlm, rls)) sourceHandledThisLoop = true;
        }
        __CFRunLoopDoBlocks(rl, rlm);

        // The decision: does the run go round again, and if not, why? (L4) Wake-ups are sent again
        // from here on, before these questions are asked: see CFRunLoopWakeUp.
        __CFRunLoopUnsetIgnoreWakeUps(rl);
        if (sourceHandledThisLoop && stopAfterHandle) {
            retVal = kCFRunLoopRunHandledSource;
        } else if (termTSR != UINT64_MAX && termTSR <= mach_absolute_time()) {
            retVal = kCFRunLoopRunTimedOut;
        } else if (__CFRunLoopIsStopped(rl)) {
            __CFRunLoopUnsetStopped(rl);
            retVal = kCFRunLoopRunStopped;
        } else if (rlm->_stopped) {
            rlm->_stopped = false;
            retVal = kCFRunLoopRunStopped;
        } else if (__CFRunLoopModeIsEmpty(rl, rlm)) {
            retVal = kCFRunLoopRunFinished;
        }
        if (retVal) __CFRunLoopSetIgnoreWakeUps(rl); // awake until it has notified of Exit
        __CFRunLoopKeepPass(rl, retVal == 0);
    } while (retVal == 0);
    return retVal;
}

/// When a limit in seconds ends: 0 for a single pass, UINT64_MAX for never.
static uint64_t __CFRunLoopTermTSR(CFTimeInterval seconds) {
    if (seconds <= 0.0) return 0;
    if (!(seconds <= TIMER_INTERVAL_LIMIT)) return UINT64_MAX;
    return mach_absolute_time() + __CFTimeIntervalToTSR(seconds);
}

/// Break here to see who runs a loop in a mode that cannot be run.
static __attribute__((noinline)) void _CFRunLoopError_RunCalledWithInvalidMode(void) {
    __asm__ volatile("/* run called with invalid mode */");
}

/// Says, once per process, that nothing runs in this mode.
static __attribute__((cold)) void __CFRunLoopRefuseMode(CFStringRef modeName) {
    static _Atomic(Boolean) said;
    if (atomic_exchange(&said, true)) return;
    __CFWarn("a run loop cannot run in the mode %s: %s. The run has returned at once. This message "
             "is printed only once; break on _CFRunLoopError_RunCalledWithInvalidMode to find the "
             "caller.",
             modeName ? "kCFRunLoopCommonModes" : "NULL",
             modeName ? "it stands for a set of modes; name one of them" : "a mode needs a name");
    _CFRunLoopError_RunCalledWithInvalidMode();
}

// MARK: - Step 7: the sleep

/// Puts the main queue's port into the set for a run that serves the queue, and takes it out for a
/// run that does not: nested in one of the queue's blocks, the port may be ready and would wake the
/// loop again and again for nothing. Most passes find it as it should be. Call with rl and rlm
/// locked.
static void __CFRunLoopModeServeMainQueue(CFRunLoopRef rl, CFRunLoopModeRef rlm, Boolean serves) {
    if (rlm->_mainQueuePortInSet == serves) return;
    rlm->_mainQueuePortInSet = serves;
    __CFRunLoopModeOpenPortSet(rl, rlm);
    if (serves) __CFPortSetInsertOwn(__CFRunLoopMainQueuePort(), rlm->_portSet);
    else __CFPortSetRemoveOwn(__CFRunLoopMainQueuePort(), rlm->_portSet);
}

/// Call with rl and rlm locked.
static void __CFRunLoopModePrepareToSleep(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                          Boolean servesMainQueue) {
    __CFRunLoopModeServeMainQueue(rl, rlm, servesMainQueue);
    __CFArmNextTimerInMode(rlm, rl);
}

/// Call with rl locked.
static void __CFRunLoopSetSleeping(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    if (CF_UNLIKELY(atomic_load(&rl->_perRunData)->_isOwedWakeUp)) __CFRunLoopSendOwedWakeUp(rl);
    rl->_sleepingMode = rlm;
    __CFRuntimeSetFlag(rl, __kCFRunLoopSleeping, true);
}

/// Call with rl locked.
static void __CFRunLoopUnsetSleeping(CFRunLoopRef rl) {
    rl->_sleepingMode = NULL;
    __CFRuntimeSetFlag(rl, __kCFRunLoopSleeping, false);
}

/// A timer that is due need not have gone off in the kernel yet. Call with rl and rlm locked.
static Boolean __CFRunLoopModeHasDueTimer(CFRunLoopModeRef rlm) {
    return rlm->_mkTimerArmed && rlm->_timerSoftDeadline <= mach_absolute_time();
}

/// Whether only the loop's own ports can be ready: its wake-up port and its timer port. Of these
/// the loop knows as much as the kernel does. But the host of an embedded mode asks the kernel
/// itself, and must not be told otherwise in the moment before `_wakeUpSent` is set. Call with rl
/// and rlm locked.
static Boolean __CFRunLoopModeHasOwnPortsOnly(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    Boolean hasClientPorts = rlm->_sources1 && CFSetGetCount(rlm->_sources1);
    return !rlm->_mainQueuePortInSet && !rl->_isHosted && !hasClientPorts;
}

/// Whether the loop can tell without a system call which port is ready: an earlier wait has
/// reported several, or a poll need look at the loop's own ports only. Call with rl and rlm locked.
static Boolean __CFRunLoopKnowsLivePort(CFRunLoopRef rl, CFRunLoopModeRef rlm, __CFPort first,
                                        Boolean poll, __CFPort *livePort) {
    *livePort = __CFPortSetTake(rlm->_portSet, first);
    if (*livePort != CFPORT_NULL) return true;
    if (!poll || !__CFRunLoopModeHasOwnPortsOnly(rl, rlm)) return false;
    CFRUNLOOP_POLL(rl, rlm);
    if (__CFRunLoopModeHasDueTimer(rlm)) *livePort = rlm->_timerPort;
    else if (atomic_load(&rl->_wakeUpSent)) *livePort = rl->_wakeUpPort;
    CFRUNLOOP_WAKEUP(rl, rlm, *livePort);
    return true;
}

/// Notes when the sleep begins, and returns the set to wait for. Call with rl and rlm locked.
static __CFPortSet __CFRunLoopWillWait(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                       uint64_t deadlineTSR) {
    __CFRunLoopModeOpenPortSet(rl, rlm);
    if (deadlineTSR) {
        __CFRunLoopThisPass(rl)->_sleepTSR = mach_absolute_time();
        CFRUNLOOP_SLEEP(rl, rlm, deadlineTSR);
    } else {
        CFRUNLOOP_POLL(rl, rlm);
    }
    __CFPortSetBeginWait(rlm->_portSet);
    return rlm->_portSet;
}

/// The frame above the system call in the stack of a sleeping thread. On a Mac (all versions) this
/// is where mach_msg is called. Call with nothing locked.
static __attribute__((noinline)) void __CFRunLoopServiceMachPort(__CFPortSet waitSet,
                                                                 uint64_t deadlineTSR) {
    __CFPortSetWait(waitSet, deadlineTSR);
    __asm__ volatile("/* wait */"); // keeps this frame
}

/// Adds up how long the thread has slept, and returns the port that has woken it, or CFPORT_NULL.
/// Call with rl and rlm locked.
static __CFPort __CFRunLoopDidWait(CFRunLoopRef rl, CFRunLoopModeRef rlm, __CFPortSet waitSet,
                                   __CFPort first, Boolean poll) {
    if (!poll) {
        struct __CFRunLoopPass *pass = __CFRunLoopThisPass(rl);
        pass->_wakeTSR = mach_absolute_time();
        rl->_sleepTime += __CFTSRToTimeInterval(pass->_wakeTSR - pass->_sleepTSR);
    }
    __CFPort livePort = __CFPortSetTakeNew(waitSet, first);
    CFRUNLOOP_WAKEUP(rl, rlm, livePort);
    return livePort;
}

/// Receives what has come to the loop's own ports. A client's descriptor is only reported: what can
/// be read from it is the client's [D17]. Arming the timer port again receives what it has
/// reported. Call with rl locked.
static void __CFRunLoopReceive(CFRunLoopRef rl, __CFPort livePort, __CFPort dispatchPort) {
    if (livePort == rl->_wakeUpPort) __CFRunLoopReceiveWakeUp(rl);
    else if (livePort != CFPORT_NULL && livePort == dispatchPort) __CFPortReceive(livePort);
}

// MARK: - The end of a pass

/// Puts the record of a pass that is over among those that are kept, and clears it for the next
/// pass if the run goes on. Call with rl locked.
static void __CFRunLoopKeepPass(CFRunLoopRef rl, Boolean goesOn) {
    struct __CFRunLoopPass *pass = __CFRunLoopThisPass(rl);
    rl->_passes[rl->_passCount++ % __kCFRunLoopPassesKept] = *pass;
    if (goesOn) __CFRunLoopClearPass(pass);
}

// MARK: - Stopping the runs of one mode

void _CFRunLoopStopMode(CFRunLoopRef rl, CFStringRef modeName) {
    CHECK_FOR_FORK();
    __CFRunLoopLock(rl);
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, true);
    if (rlm) {
        rlm->_stopped = true;
        __CFRunLoopModeUnlock(rlm);
    }
    __CFRunLoopUnlock(rl);
    CFRunLoopWakeUp(rl);
}

// MARK: - A loop in another event loop (CFRunLoopEmbedding.c)

/// Whether a run of the mode would find a block or a signalled source. Blocks that belong to a pass
/// around this run do not count, because a run nested in that pass does not perform them. Call with
/// rl and rlm locked.
static Boolean __CFRunLoopModeHasWork(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    return __CFRunLoopHasBlocks(rl, rlm) || __CFRunLoopModeMayHaveSignals(rl, rlm);
}

/// The host sleeps in the loop's place, so what a run does on its way to sleep is done here: the
/// timer port is armed, and the main queue's port is in the set exactly if a run of the mode would
/// serve the queue now. Then the host's eventfd: readable while there is work. Call with the loop
/// `rl` locked, on its thread.
static void __CFRunLoopModeTellHost(const void *mode, void *rl) {
    CFRunLoopModeRef rlm = (CFRunLoopModeRef)mode;
    __CFRunLoopModeLock(rlm);
    if (rlm->_hostSet) {
        __CFRunLoopModePrepareToSleep(rl, rlm, __CFRunLoopServesMainQueue(rl, rlm));
        Boolean hasWork = __CFRunLoopModeHasWork(rl, rlm);
        if (hasWork && !rlm->_hostEventIsSet) __CFSendTrivialMachMessage(rlm->_hostEvent);
        if (!hasWork && rlm->_hostEventIsSet) __CFPortReceive(rlm->_hostEvent);
        rlm->_hostEventIsSet = hasWork;
    }
    __CFRunLoopModeUnlock(rlm);
}

/// A loop that goes round again finds what its callbacks have signalled or queued, whether or not
/// they have woken it. One that is served in single passes does not go round; and a run of another
/// mode may have received the wake-up that was meant for this one, or may have been nested in a
/// block of the main queue. So each run that ends, and each visit to the main queue, settles all
/// embedded modes. A mode that has work gets its eventfd written instead of another wake-up: a mode
/// that nobody serves at present must not keep the others awake.
void __CFRunLoopTellHosts(CFRunLoopRef rl) {
    __CFRunLoopCollectSignals(rl); // now it is known which mode each of them is for
    __CFRunLoopForEachMode(rl, __CFRunLoopModeTellHost, rl);
}

// MARK: - Queries

/// Whether there is nothing in the mode that a run could ever serve (L1–L3, L8). On the main loop
/// a mode that serves the main dispatch queue never counts as empty (L10). Observers do not count:
/// all versions of the original leave them out, although the articles' listing has them in the
/// condition. Call with rl and rlm locked.
static Boolean __CFRunLoopModeIsEmpty(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    if (__CFRunLoopServesMainQueue(rl, rlm)) return false;
    if (rlm->_sources0 && CFSetGetCount(rlm->_sources0)) return false;
    if (rlm->_sources1 && CFSetGetCount(rlm->_sources1)) return false;
    if (rlm->_timers && CFArrayGetCount(rlm->_timers)) return false;
    return !__CFRunLoopHasBlocks(rl, rlm);
}

CFStringRef CFRunLoopCopyCurrentMode(CFRunLoopRef rl) {
    CHECK_FOR_FORK();
    __CFRunLoopLock(rl);
    CFStringRef result = rl->_currentMode ? (CFStringRef)CFRetain(rl->_currentMode->_name) : NULL;
    __CFRunLoopUnlock(rl);
    return result;
}

Boolean CFRunLoopIsWaiting(CFRunLoopRef rl) {
    CHECK_FOR_FORK();
    return __CFRunLoopIsSleeping(rl);
}

void __CFRunLoopDump(void) {
    CFShow(CFRunLoopGetCurrent());
}

Boolean _CFRunLoopFinished(CFRunLoopRef rl, CFStringRef modeName) {
    CHECK_FOR_FORK();
    __CFRunLoopLock(rl);
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, false);
    Boolean result = !rlm || __CFRunLoopModeIsEmpty(rl, rlm);
    if (rlm) __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(rl);
    return result;
}
