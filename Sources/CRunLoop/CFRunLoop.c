/// CFRunLoop.c: the run. One pass of the loop is the body of the do-while in __CFRunLoopRun; its ten steps carry the numbers that
/// the articles use.
///
/// In the order in which a reader meets them: the entries CFRunLoopRun and CFRunLoopRunInMode, CFRunLoopRunSpecific (steps 1 and
/// 10), __CFRunLoopRun (steps 2 to 9); then what the steps are made of: the sleep, the decision at the end of a pass. Waking and
/// stopping a loop from outside is in CFRunLoopWakeUp.c.
///
/// In the original (all versions) all of the run loop is in this one file, and the run is a single
/// long function with the same steps. On Apple's systems the thread sleeps in mach_msg, on the
/// mode's port set.

#include "CFRunLoopProbes.h"
#include "Names/CFRunLoop.h"

/// Limits beyond this many seconds (16 years) mean no limit.
#define TIMER_INTERVAL_LIMIT 504911232.0

// MARK: - What stands further down

static void __CFRunLoopRefuseMode(CFStringRef modeName);
static Boolean __CFRunLoopModeIsEmpty(CFRunLoopRef rl, CFRunLoopModeRef rlm);
static Boolean __CFRunLoopTakeStop(CFRunLoopRef rl, CFRunLoopModeRef rlm);
static uint64_t __CFRunLoopTermTSR(CFTimeInterval seconds);
static __CFPort __CFRunLoopSleep(CFRunLoopRef rl, CFRunLoopModeRef rlm, __CFPort dispatchPort, __CFPort first,
                                 uint64_t deadlineTSR);
static int32_t __CFRunLoopDecide(CFRunLoopRef rl, CFRunLoopModeRef rlm, Boolean returnNow, uint64_t termTSR);

// MARK: - The entries

static int32_t __CFRunLoopRun(CFRunLoopRef rl, CFRunLoopModeRef rlm, CFTimeInterval seconds, Boolean stopAfterHandle);

/// Runs in the default mode again and again until there is nothing to do, or until it is stopped.
void CFRunLoopRun(void) {
    CHECK_FOR_FORK();
    SInt32 result;
    do {
        result = CFRunLoopRunSpecific(CFRunLoopGetCurrent(), kCFRunLoopDefaultMode, 1.0e10, false);
    } while (result != kCFRunLoopRunStopped && result != kCFRunLoopRunFinished);
}

CFRunLoopRunResult CFRunLoopRunInMode(CFStringRef modeName, CFTimeInterval seconds, Boolean returnAfterSourceHandled) {
    CHECK_FOR_FORK();
    CFRunLoopRunResult result = CFRunLoopRunSpecific(CFRunLoopGetCurrent(), modeName, seconds, returnAfterSourceHandled);
    __asm__ volatile("/* run in mode */"); // keeps this frame
    return result;
}

/// One run: the mode must have something in it, then steps 1 to 10. Runs nest; each has its own record, so that CFRunLoopStop
/// ends the innermost alone (L7), and the mode of the outer one is the current mode again afterwards (S7). Call with nothing
/// locked. DOES CALLOUT
__attribute__((noinline)) SInt32 CFRunLoopRunSpecific(CFRunLoopRef rl, CFStringRef modeName, CFTimeInterval seconds,
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
    _per_run_data *previousPerRun = __CFRunLoopPushPerRunData(rl, currentMode, __builtin_frame_address(0));
    CFRunLoopModeRef previousMode = rl->_currentMode;
    rl->_currentMode = currentMode;
    uint64_t steps = 0;
    CFRL_RUN_START(rl, currentMode);

    // 1. The run begins.
    CFRUNLOOP_STEP(rl, currentMode, steps, 1);
    if (currentMode->_observerMask & kCFRunLoopEntry) __CFRunLoopDoObservers(rl, currentMode, kCFRunLoopEntry);
    int32_t result = __CFRunLoopRun(rl, currentMode, seconds, returnAfterSourceHandled);
    // 10. The run ends.
    CFRUNLOOP_STEP(rl, currentMode, steps, 10);
    if (currentMode->_observerMask & kCFRunLoopExit) __CFRunLoopDoObservers(rl, currentMode, kCFRunLoopExit);

    __CFRunLoopModeUnlock(currentMode);
    CFRL_RUN_END(rl, currentMode, result);
    __CFRunLoopPopPerRunData(rl, previousPerRun);
    rl->_currentMode = previousMode;
    CFRL_MODE(rl, previousMode ? previousMode->_name : NULL);
    if (rl->_isHosted) {
        // A hosted loop ignores no wake-up; one that came during the run is for what is looked at now.
        if (!previousPerRun->previous && atomic_load(&rl->_wakeUpSent)) __CFRunLoopReceiveWakeUp(rl);
        __CFRunLoopTellHosts(rl);
    }
    __CFRunLoopUnlock(rl);
    return result;
}

// MARK: - The main dispatch queue
//
// libdispatch offers the main loop a port that is ready when the main queue has work, and a function that does the work. (X6)

extern int _dispatch_get_main_queue_port_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *msg);

/// The main queue's port. libdispatch makes it when it is first asked for, and traps if it cannot.
static __CFPort __CFRunLoopMainQueuePort(void) {
    static __CFPort port = CFPORT_NULL; // the main thread alone asks
    if (port != CFPORT_NULL) return port;
    __CFPortCheckAvailable("the main dispatch queue's port (eventfd)");
    return port = _dispatch_get_main_queue_port_4CF();
}

/// Whether a run in this mode serves the main dispatch queue: on the main thread, in a common mode, and not within one of the
/// queue's own blocks, which the queue runs one after the other. Call with rl locked.
static Boolean __CFRunLoopServesMainQueue(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    return pthread_main_np() && pthread_equal(rl->_pthread, pthread_self()) && !_CFGetTSD(__CFTSDKeyIsInGCDMainQ)
        && rlm->_isCommon;
}

/// Keeps its frame: see __CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__.
static __attribute__((noinline)) void __CFRUNLOOP_IS_SERVICING_THE_MAIN_DISPATCH_QUEUE__(void *msg) {
    _dispatch_main_queue_callback_4CF(msg);
    __asm__ volatile("/* main queue */");
}

// MARK: - The run

/// Steps 2 to 9, again and again, until there is a reason to return. Call with rl and rlm locked. DOES CALLOUT
static __attribute__((noinline)) int32_t __CFRunLoopRun(CFRunLoopRef rl, CFRunLoopModeRef rlm, CFTimeInterval seconds,
                                                        Boolean stopAfterHandle) {
    if (__CFRunLoopTakeStop(rl, rlm)) return kCFRunLoopRunStopped; // in an observer of Entry

    // The limit is part of the wait. In all versions of the original it is a dispatch timer that
    // wakes the loop. [D2] (L9)
    uint64_t termTSR = __CFRunLoopTermTSR(seconds);
    __CFPort dispatchPort = __CFRunLoopServesMainQueue(rl, rlm) ? __CFRunLoopMainQueuePort() : CFPORT_NULL;
    Boolean didDispatchPortLastTime = true;
    int32_t retVal = 0;
    do {
        uint64_t steps = 0; // of this pass: the record that debuggers read
        // 2. A pass begins: timers will be looked at.
        CFRUNLOOP_STEP(rl, rlm, steps, 2);
        if (rlm->_observerMask & kCFRunLoopBeforeTimers) __CFRunLoopDoObservers(rl, rlm, kCFRunLoopBeforeTimers);

        // 3. So will sources; then the blocks that are queued.
        CFRUNLOOP_STEP(rl, rlm, steps, 3);
        if (rlm->_observerMask & kCFRunLoopBeforeSources) __CFRunLoopDoObservers(rl, rlm, kCFRunLoopBeforeSources);
        __CFRunLoopDoBlocks(rl, rlm);

        // 4. The sources 0 that are signalled; if there were any, the blocks that they queued.
        CFRUNLOOP_STEP(rl, rlm, steps, 4);
        Boolean sourceHandledThisLoop = __CFRunLoopDoSources0(rl, rlm, stopAfterHandle);
        if (sourceHandledThisLoop) __CFRunLoopDoBlocks(rl, rlm);

        // A pass that polls does not sleep, and tells nobody that it does.
        Boolean poll = sourceHandledThisLoop || termTSR == 0;
        Boolean observersAreTold = !poll && (rlm->_observerMask & (kCFRunLoopBeforeWaiting | kCFRunLoopAfterWaiting));

        // 5. The main dispatch queue goes first, unless it did last time. If nobody is told anything before the wait, and the
        //    wait really asks the kernel, it is left to the wait to hand out the queue's port before all others that it
        //    reports: one system call less.
        __CFPort livePort = CFPORT_NULL, firstPort = didDispatchPortLastTime ? CFPORT_NULL : dispatchPort;
        if (firstPort != CFPORT_NULL && (observersAreTold || __CFPortSetHasReported(rlm->_portSet))) {
            CFRUNLOOP_STEP(rl, rlm, steps, 5);
            if (__CFPortIsReady(dispatchPort)) livePort = dispatchPort;
            if (livePort != CFPORT_NULL) __CFPortReceive(livePort);
            firstPort = CFPORT_NULL;
        }

        if (livePort == CFPORT_NULL) {
            // 6. The thread is about to sleep.
            if (!poll) CFRUNLOOP_STEP(rl, rlm, steps, 6);
            if (!poll && (rlm->_observerMask & kCFRunLoopBeforeWaiting)) __CFRunLoopDoObservers(rl, rlm, kCFRunLoopBeforeWaiting);

            // 7. It sleeps: in the kernel, until a port is ready or the limit has come.
            CFRUNLOOP_STEP(rl, rlm, steps, 7);
            livePort = __CFRunLoopSleep(rl, rlm, dispatchPort, firstPort, poll ? 0 : termTSR);

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
            // Nothing: no port was ready, or the limit has come.
            if (poll) CFRUNLOOP_WAKEUP_FOR_NOTHING(rl, rlm);
            else CFRUNLOOP_WAKEUP_FOR_TIMEOUT(rl, rlm);
        } else if (livePort == rl->_wakeUpPort) {
            // Nothing either: CFRunLoopWakeUp was called.
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
            // 9.3 A source 1.
            CFRUNLOOP_WAKEUP_FOR_SOURCE(rl, rlm, livePort);
            CFRunLoopSourceRef rls = __CFRunLoopModeFindSourceForMachPort(rl, rlm, livePort);
            if (!rls) __CFRunLoopModeRenewPortSet(rl, rlm);
            else if (__CFRunLoopDoSource1(rl, rlm, rls)) sourceHandledThisLoop = true;
        }
        __CFRunLoopDoBlocks(rl, rlm);

        retVal = __CFRunLoopDecide(rl, rlm, sourceHandledThisLoop && stopAfterHandle, termTSR);
    } while (retVal == 0);
    return retVal;
}

/// When a limit in seconds ends: 0 for a single pass, UINT64_MAX for never.
static uint64_t __CFRunLoopTermTSR(CFTimeInterval seconds) {
    if (seconds <= 0.0) return 0;
    if (!(seconds <= TIMER_INTERVAL_LIMIT)) return UINT64_MAX;
    return mach_absolute_time() + __CFTimeIntervalToTSR(seconds);
}

/// The place to stop at in a debugger for the message below.
static __attribute__((noinline)) void _CFRunLoopError_RunCalledWithInvalidMode(void) {
    __asm__ volatile("/* run called with invalid mode */");
}

/// Says, once, that nothing runs in this mode.
static __attribute__((cold)) void __CFRunLoopRefuseMode(CFStringRef modeName) {
    static _Atomic(Boolean) said;
    if (atomic_exchange(&said, true)) return;
    __CFWarn("a run loop cannot run in the mode %s: %s. The run has returned at once. This is said once; break on "
             "_CFRunLoopError_RunCalledWithInvalidMode to see who asks for it.", modeName ? "kCFRunLoopCommonModes" : "NULL",
             modeName ? "it stands for a set of modes; name one of them" : "a mode needs a name");
    _CFRunLoopError_RunCalledWithInvalidMode();
}

// MARK: - Step 7: the sleep

/// Waits for a port of the set: the frame that stands above the system call in the stack of a
/// sleeping thread. On a Mac (all versions) this is where mach_msg is called. Call with nothing
/// locked.
static __attribute__((noinline)) void __CFRunLoopServiceMachPort(__CFPortSet waitSet, uint64_t deadlineTSR) {
    __CFPortSetWait(waitSet, deadlineTSR);
    __asm__ volatile("/* wait */"); // keeps this frame
}

/// Puts the main queue's port into the set for a run that serves it, and takes it out for one that does not: nested in one of the
/// queue's blocks, the port may be ready and would wake the loop for nothing, again and again. Nothing to do in most passes.
/// Call with rl and rlm locked.
static void __CFRunLoopModeServeMainQueue(CFRunLoopRef rl, CFRunLoopModeRef rlm, Boolean serves) {
    if (rlm->_mainQueuePortInSet == serves) return;
    rlm->_mainQueuePortInSet = serves;
    __CFRunLoopModeOpenPortSet(rl, rlm);
    if (serves) __CFPortSetInsertOwn(__CFRunLoopMainQueuePort(), rlm->_portSet);
    else __CFPortSetRemoveOwn(__CFRunLoopMainQueuePort(), rlm->_portSet);
}

/// What a run does on its way to sleep, for a wait in the mode. Call with rl and rlm locked.
static void __CFRunLoopModePrepareToSleep(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    __CFRunLoopModeServeMainQueue(rl, rlm, __CFRunLoopServesMainQueue(rl, rlm));
    __CFArmNextTimerInMode(rlm, rl);
}

/// Call with rl locked.
static void __CFRunLoopSetSleeping(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    rl->_sleepingMode = rlm;
    __CFRuntimeSetFlag(rl, __kCFRunLoopSleeping, true);
}

/// Call with rl locked.
static void __CFRunLoopUnsetSleeping(CFRunLoopRef rl) {
    rl->_sleepingMode = NULL;
    __CFRuntimeSetFlag(rl, __kCFRunLoopSleeping, false);
}

/// The wait itself, with the locks given back: from here on whatever is added to the mode arms the timer port and enters the port
/// set by itself, and a wake-up is sent: see CFRunLoopWakeUp for why none is lost. Call with rl and rlm locked.
static __CFPort __CFRunLoopWaitForPort(CFRunLoopRef rl, CFRunLoopModeRef rlm, __CFPort first, uint64_t deadlineTSR) {
    __CFRunLoopModeOpenPortSet(rl, rlm);
    __CFPortSet waitSet = rlm->_portSet;
    struct __CFRunLoopPass *pass = __CFRunLoopThisPass(rl);
    if (deadlineTSR) {
        pass->_sleepTSR = mach_absolute_time();
        CFRUNLOOP_SLEEP(rl, rlm, deadlineTSR);
    } else {
        CFRUNLOOP_POLL(rl, rlm);
    }
    __CFPortSetBeginWait(waitSet);
    __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(rl);
    __CFRunLoopServiceMachPort(waitSet, deadlineTSR);
    __CFRunLoopLock(rl);
    __CFRunLoopModeLock(rlm);
    if (deadlineTSR) {
        pass->_wakeTSR = mach_absolute_time();
        rl->_sleepTime += __CFTSRToTimeInterval(pass->_wakeTSR - pass->_sleepTSR);
    }
    __CFPort livePort = __CFPortSetTakeNew(waitSet, first);
    CFRUNLOOP_WAKEUP(rl, rlm, livePort);
    return livePort;
}

/// Whether only the loop's own ports can be ready: its wake-up port and its timer port. Of these it knows as much as the kernel
/// does; but the host of an embedded mode asks the kernel itself, and must not be told otherwise in the moment before
/// `_wakeUpSent` is set. Call with rl and rlm locked.
static Boolean __CFRunLoopModeHasOwnPortsOnly(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    return !rlm->_mainQueuePortInSet && !rl->_isHosted && (!rlm->_sources1 || !CFSetGetCount(rlm->_sources1));
}

/// A look at the loop's own ports, without a system call. Call with rl and rlm locked.
static __CFPort __CFRunLoopLookAtOwnPorts(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    CFRUNLOOP_POLL(rl, rlm);
    __CFPort livePort = atomic_load(&rl->_wakeUpSent) ? rl->_wakeUpPort : CFPORT_NULL;
    if (rlm->_mkTimerArmed && rlm->_timerSoftDeadline <= mach_absolute_time()) livePort = rlm->_timerPort;
    CFRUNLOOP_WAKEUP(rl, rlm, livePort);
    return livePort;
}

/// Sleeps until a port of the mode is ready or the deadline has come; a deadline of 0 only looks. Returns the port, CFPORT_NULL
/// for none. What has come to the loop's own ports is received here; a client's descriptor is only reported, what can be read
/// from it is the client's [D17]; the timer port is received by arming it again. Call with rl and rlm locked; they are unlocked
/// meanwhile.
static __CFPort __CFRunLoopSleep(CFRunLoopRef rl, CFRunLoopModeRef rlm, __CFPort dispatchPort, __CFPort first,
                                 uint64_t deadlineTSR) {
    __CFRunLoopModeServeMainQueue(rl, rlm, dispatchPort != CFPORT_NULL);
    __CFArmNextTimerInMode(rlm, rl);
    __CFRunLoopSetSleeping(rl, rlm);
    // no callout from here ...
    __CFPort livePort = __CFPortSetTake(rlm->_portSet, first);
    if (livePort == CFPORT_NULL) {
        if (deadlineTSR == 0 && __CFRunLoopModeHasOwnPortsOnly(rl, rlm)) livePort = __CFRunLoopLookAtOwnPorts(rl, rlm);
        else livePort = __CFRunLoopWaitForPort(rl, rlm, first, deadlineTSR);
    }
    if (livePort == rl->_wakeUpPort) __CFRunLoopReceiveWakeUp(rl);
    else if (livePort != CFPORT_NULL && livePort == dispatchPort) __CFPortReceive(livePort);
    // ... to here
    __CFRunLoopSetIgnoreWakeUps(rl);
    __CFRunLoopUnsetSleeping(rl);
    // A timer that was due before a mere look was taken need not have gone off in the kernel yet.
    if (livePort == CFPORT_NULL && rlm->_mkTimerArmed && rlm->_timerSoftDeadline <= mach_absolute_time())
        livePort = rlm->_timerPort;
    return livePort;
}

// MARK: - The end of a pass

/// Whether the run was stopped, or is to be stopped in this mode; asking takes note of it. Call with rl and rlm locked.
static Boolean __CFRunLoopTakeStop(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    if (__CFRunLoopIsStopped(rl)) {
        __CFRunLoopUnsetStopped(rl);
        return true;
    }
    Boolean stopped = rlm->_stopped;
    rlm->_stopped = false;
    return stopped;
}

/// Puts the record of a pass that is over among those that are kept, and begins the next one's if the run goes on. Call with rl
/// locked.
static void __CFRunLoopKeepPass(CFRunLoopRef rl, Boolean goesOn) {
    struct __CFRunLoopPass *pass = __CFRunLoopThisPass(rl);
    rl->_passes[rl->_passCount++ % __kCFRunLoopPassesKept] = *pass;
    if (goesOn) __CFRunLoopClearPass(pass);
}

/// The end of a pass: a reason to return, or 0 to go round again (L4). Wake-ups count again from here on, before the stop is
/// looked for: see CFRunLoopWakeUp. If the run ends they are ignored once more: what an observer of Exit sends would wake nobody.
/// Call with rl and rlm locked.
static int32_t __CFRunLoopDecide(CFRunLoopRef rl, CFRunLoopModeRef rlm, Boolean returnNow, uint64_t termTSR) {
    int32_t retVal = 0;
    __CFRunLoopUnsetIgnoreWakeUps(rl);
    if (returnNow) retVal = kCFRunLoopRunHandledSource;
    else if (termTSR != UINT64_MAX && termTSR <= mach_absolute_time()) retVal = kCFRunLoopRunTimedOut;
    else if (__CFRunLoopTakeStop(rl, rlm)) retVal = kCFRunLoopRunStopped;
    else if (__CFRunLoopModeIsEmpty(rl, rlm)) retVal = kCFRunLoopRunFinished;
    if (retVal) __CFRunLoopSetIgnoreWakeUps(rl);
    __CFRunLoopKeepPass(rl, retVal == 0);
    return retVal;
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
        __CFRunLoopModePrepareToSleep(rl, rlm);
        Boolean hasWork = __CFRunLoopModeHasWork(rl, rlm);
        if (hasWork && !rlm->_hostBellRings) __CFSendTrivialMachMessage(rlm->_hostBell);
        if (!hasWork && rlm->_hostBellRings) __CFPortReceive(rlm->_hostBell);
        rlm->_hostBellRings = hasWork;
    }
    __CFRunLoopModeUnlock(rlm);
}

/// A loop that goes round again finds what its callbacks have signalled or queued, whether or not
/// they have woken it. One that is served in single passes does not go round; and a run of another
/// mode may have received the wake-up that was meant for this one, or may have been nested in a block
/// of the main queue. So each run that ends, and each visit to the main queue, settles all embedded
/// modes. A mode that has work gets its eventfd written instead of another wake-up: a mode that
/// nobody serves at present must not keep the others awake.
void __CFRunLoopTellHosts(CFRunLoopRef rl) {
    __CFRunLoopCollectSignals(rl); // now it is known which mode each of them is for
    __CFRunLoopForEachMode(rl, __CFRunLoopModeTellHost, rl);
}

// MARK: - Queries

/// Whether there is nothing in the mode that a run could ever serve (L1–L3, L8). On the main loop a mode that serves the main
/// dispatch queue never counts as empty (L10). Call with rl and rlm locked.
static Boolean __CFRunLoopModeIsEmpty(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    if (__CFRunLoopServesMainQueue(rl, rlm)) return false;
    if (rlm->_sources0 && (CFSetGetCount(rlm->_sources0) || CFSetGetCount(rlm->_sources1))) return false;
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
