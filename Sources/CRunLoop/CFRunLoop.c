/// CFRunLoop.c: the run. One pass of the loop is the body of the do-while in __CFRunLoopRun. Its
/// steps have the numbers that the articles use.
///
/// The file goes from the outside in: CFRunLoopRun and CFRunLoopRunInMode; CFRunLoopRunSpecific
/// with steps 1 and 10; __CFRunLoopRun with steps 2 to 9; and what step 7 calls to sleep. After
/// these come the functions that wake and stop a loop, and the questions about modes.
///
/// In the original the whole run loop is in this one file. On Apple's systems the thread sleeps in
/// mach_msg, on the mode's port set.
///
/// The lines that begin with CFRUNLOOP_ or CFRL_ do not change what the loop does. They record it
/// for debuggers and traces: see CFRunLoopProbes.h.

#include "CFRunLoopProbes.h"

static int32_t __CFRunLoopRun(CFRunLoopRef rl, CFRunLoopModeRef rlm, CFTimeInterval seconds,
                              Boolean stopAfterHandle, CFRunLoopModeRef previousMode);
static Boolean __CFRunLoopServiceMachPort(CFRunLoopRef rl, __CFPortSet portSet, __CFPort port,
                                          __CFPort *livePort, uint64_t deadlineTSR);
static Boolean __CFRunLoopHasNewWork(CFRunLoopRef rl, CFRunLoopModeRef rlm);
static Boolean __CFRunLoopModeIsEmpty(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                      CFRunLoopModeRef previousMode);
static void __CFRunLoopRefuseMode(CFStringRef modeName);

// MARK: - The entries

/// Runs in the default mode until the mode has nothing to serve, or until the run is stopped.
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

/// Runs once. If the mode has nothing to serve, the run returns at once; otherwise it goes through
/// steps 1 to 10. Runs nest, and each has its own record. So CFRunLoopStop ends only the innermost
/// run (L7), and when that has ended, the mode of the run around it is the current mode again (S7).
/// Call with nothing locked. DOES CALLOUT
__attribute__((noinline))
SInt32 CFRunLoopRunSpecific(CFRunLoopRef rl, CFStringRef modeName, CFTimeInterval seconds,
                            Boolean returnAfterSourceHandled) {
    CHECK_FOR_FORK();
    if (!modeName || __CFRunLoopIsCommonModes(modeName)) {
        __CFRunLoopRefuseMode(modeName);
        return kCFRunLoopRunFinished;
    }
    if (__CFRunLoopIsDeallocating(rl)) return kCFRunLoopRunFinished;
    __CFRunLoopLock(rl);
    CFRunLoopModeRef currentMode = __CFRunLoopFindMode(rl, modeName, false);
    if (!currentMode || __CFRunLoopModeIsEmpty(rl, currentMode, rl->_currentMode)) {
        if (currentMode) __CFRunLoopModeUnlock(currentMode);
        __CFRunLoopUnlock(rl);
        return kCFRunLoopRunFinished;
    }
    _per_run_data *previousPerRun = __CFRunLoopPushPerRunData(rl);
    CFRunLoopModeRef previousMode = rl->_currentMode;
    rl->_currentMode = currentMode;
    CFRL_RUN_START(rl, currentMode);

    // 1. The run begins.
    CFRUNLOOP_STEP(rl, currentMode, 1);
    if (currentMode->_observerMask & kCFRunLoopEntry)
        __CFRunLoopDoObservers(rl, currentMode, kCFRunLoopEntry);

    int32_t result =
        __CFRunLoopRun(rl, currentMode, seconds, returnAfterSourceHandled, previousMode);

    // 10. The run ends.
    CFRUNLOOP_STEP(rl, currentMode, 10);
    if (currentMode->_observerMask & kCFRunLoopExit)
        __CFRunLoopDoObservers(rl, currentMode, kCFRunLoopExit);

    __CFRunLoopModeUnlock(currentMode);
    CFRL_RUN_END(rl, currentMode, result);
    __CFRunLoopPopPerRunData(rl, previousPerRun);
    rl->_currentMode = previousMode;
    CFRL_MODE(rl, previousMode ? previousMode->_name : NULL);
    __CFRunLoopUnlock(rl);
    return result;
}

/// Set a breakpoint here to find the code that runs a loop in a mode that cannot be run.
static __attribute__((noinline)) void _CFRunLoopError_RunCalledWithInvalidMode(void) {
    __asm__ volatile("/* run called with invalid mode */");
}

/// Prints, once per process, that the loop cannot run in this mode.
static __attribute__((cold)) void __CFRunLoopRefuseMode(CFStringRef modeName) {
    static _Atomic(Boolean) hasWarned;
    if (atomic_exchange(&hasWarned, true)) return;
    __CFWarn("a run loop cannot run in the mode %s: %s. The run has returned at once. This message "
             "is printed only once; break on _CFRunLoopError_RunCalledWithInvalidMode to find the "
             "caller.",
             modeName ? "kCFRunLoopCommonModes" : "NULL",
             modeName ? "it stands for a set of modes; name one of them" : "a mode needs a name");
    _CFRunLoopError_RunCalledWithInvalidMode();
}

// MARK: - The run

/// Repeats steps 2 to 9 until there is a reason to return. Nothing here uses `previousMode`, which
/// shows in a stack trace; the original uses it only in builds that serve the main queue in the
/// outermost run alone. Call with rl and rlm locked; they are locked again on return. DOES CALLOUT
static __attribute__((noinline))
int32_t __CFRunLoopRun(CFRunLoopRef rl, CFRunLoopModeRef rlm, CFTimeInterval seconds,
                       Boolean stopAfterHandle, CFRunLoopModeRef previousMode) {
    CF_ASSERT_LOCKED(rl, rlm);
    CF_ASSERT_ON_THREAD(rl);
    uint64_t startTSR = mach_absolute_time();

    // An observer of Entry may have stopped the run. Any thread may have stopped the mode.
    if (__CFRunLoopIsStopped(rl)) {
        __CFRunLoopUnsetStopped(rl);
        return kCFRunLoopRunStopped;
    } else if (rlm->_stopped) {
        rlm->_stopped = false;
        return kCFRunLoopRunStopped;
    }

    // On the main thread, a run in a common mode serves the main dispatch queue as well. (X6) But
    // a run nested in one of the queue's own blocks does not: the queue performs one at a time.
    __CFPort dispatchPort = CFPORT_NULL;
    Boolean libdispatchQSafe = pthread_main_np() && !_CFGetTSD(__CFTSDKeyIsInGCDMainQ);
    if (libdispatchQSafe && CFRunLoopGetMain() == rl
        && CFSetContainsValue(rl->_commonModes, rlm->_name))
        dispatchPort = __CFMainQueueGetPort();

    // The limit is the deadline of the wait in step 7. In the original a dispatch timer wakes the
    // loop instead. [D2] (L9)
    uint64_t termTSR;
    if (seconds <= 0.0) termTSR = 0; // one pass
    else if (seconds <= TIMER_INTERVAL_LIMIT)
        termTSR = startTSR + __CFTimeIntervalToTSR(seconds);
    else termTSR = UINT64_MAX; // no limit

    Boolean didDispatchPortLastTime = true; // so the first pass skips step 5
    int32_t retVal = 0;
    do {
        __CFPort livePort = CFPORT_NULL;
        __CFPortSet waitSet = rlm->_portSet;

        // 2. A pass begins. Observers are notified that the loop will handle timers.
        CFRUNLOOP_STEP(rl, rlm, 2);
        if (rlm->_observerMask & kCFRunLoopBeforeTimers)
            __CFRunLoopDoObservers(rl, rlm, kCFRunLoopBeforeTimers);

        // 3. Observers are notified that the loop will handle sources. Then it performs the queued
        //    blocks.
        CFRUNLOOP_STEP(rl, rlm, 3);
        if (rlm->_observerMask & kCFRunLoopBeforeSources)
            __CFRunLoopDoObservers(rl, rlm, kCFRunLoopBeforeSources);
        __CFRunLoopDoBlocks(rl, rlm);

        // 4. The loop performs the signaled Source0s and, if there were any, the blocks that they
        //    have queued.
        CFRUNLOOP_STEP(rl, rlm, 4);
        Boolean sourceHandledThisLoop = __CFRunLoopDoSources0(rl, rlm, stopAfterHandle);
        if (sourceHandledThisLoop) __CFRunLoopDoBlocks(rl, rlm);

        // A pass that polls does not sleep, so it skips steps 6 and 8.
        Boolean poll = sourceHandledThisLoop || termTSR == 0;

        // 5. The loop checks the main queue's port before all others, unless the last pass has
        //    served it. If it is ready, the loop goes to step 9.
        if (dispatchPort != CFPORT_NULL && !didDispatchPortLastTime) {
            CFRUNLOOP_STEP(rl, rlm, 5);
            if (__CFRunLoopServiceMachPort(rl, NULL, dispatchPort, &livePort, 0)) goto handle_msg;
        }
        didDispatchPortLastTime = false;

        // 6. Observers are notified that the thread is about to sleep.
        if (!poll) CFRUNLOOP_STEP(rl, rlm, 6);
        if (!poll && (rlm->_observerMask & kCFRunLoopBeforeWaiting))
            __CFRunLoopDoObservers(rl, rlm, kCFRunLoopBeforeWaiting);

        // 7. The thread sleeps until a port is ready or the limit has come. A poll does not wait.
        //    While nothing is locked, other threads may add items to the mode. Adding a timer arms
        //    the timer port at once; adding a source inserts its port into the port set at once.
        //    For why no wake-up is lost, see CFRunLoopWakeUp.
        CFRUNLOOP_STEP(rl, rlm, 7);
        __CFRunLoopSetSleeping(rl);
        // From here until __CFRunLoopUnsetSleeping there is no callout.
        __CFRunLoopWatchMainQueue(rl, rlm, dispatchPort);
        uint64_t deadlineTSR = poll || __CFRunLoopHasNewWork(rl, rlm) ? 0 : termTSR; // [D2, D36]
        __CFRunLoopModeUnlock(rlm);
        __CFRunLoopUnlock(rl);
        CFAbsoluteTime sleepStart = poll ? 0.0 : CFAbsoluteTimeGetCurrent();
        __CFRunLoopServiceMachPort(rl, waitSet, CFPORT_NULL, &livePort, deadlineTSR);
        __CFRunLoopLock(rl);
        __CFRunLoopModeLock(rlm);
        rl->_sleepTime += poll ? 0.0 : CFAbsoluteTimeGetCurrent() - sleepStart;
        __CFRunLoopSetIgnoreWakeUps(rl);
        __CFRunLoopUnsetSleeping(rl);

        // 8. Observers are notified that the thread has woken up.
        if (!poll) CFRUNLOOP_STEP(rl, rlm, 8);
        if (!poll && (rlm->_observerMask & kCFRunLoopAfterWaiting))
            __CFRunLoopDoObservers(rl, rlm, kCFRunLoopAfterWaiting);

    handle_msg:
        // 9. The loop handles the port that woke it.
        CFRUNLOOP_STEP(rl, rlm, 9);
        __CFRunLoopSetIgnoreWakeUps(rl);
        if (livePort == CFPORT_NULL) {
            // No port is ready: the thread did not sleep, or the limit has come.
            CFRUNLOOP_WAKEUP_FOR_NOTHING(rl, rlm);
        } else if (livePort == rl->_wakeUpPort) {
            // CFRunLoopWakeUp was called. There is nothing to handle.
            CFRUNLOOP_WAKEUP_FOR_WAKEUP(rl, rlm, livePort);
        } else if (livePort == rlm->_timerPort) {
            // 9.1 Timers.
            CFRUNLOOP_WAKEUP_FOR_TIMER(rl, rlm, livePort);
            if (!__CFRunLoopDoTimers(rl, rlm, mach_absolute_time()))
                __CFArmNextTimerInMode(rlm, rl);
        } else if (livePort == dispatchPort) {
            // 9.2 The main dispatch queue.
            CFRUNLOOP_WAKEUP_FOR_DISPATCH(rl, rlm, livePort);
            __CFRunLoopModeUnlock(rlm);
            __CFRunLoopUnlock(rl);
            _CFSetTSD(__CFTSDKeyIsInGCDMainQ, (void *)6, NULL);
            CFRL_IS_CALLING_START(DISPATCH, rl, rlm, NULL, NULL, 0);
            __CFRUNLOOP_IS_SERVICING_THE_MAIN_DISPATCH_QUEUE__(NULL);
            CFRL_IS_CALLING_END(DISPATCH, rl, rlm, NULL);
            _CFSetTSD(__CFTSDKeyIsInGCDMainQ, (void *)0, NULL);
            __CFRunLoopLock(rl);
            __CFRunLoopModeLock(rlm);
            sourceHandledThisLoop = true;
            didDispatchPortLastTime = true;
        } else {
            // 9.3 A Source1. The port may belong to no source, because another thread has removed
            //     the source meanwhile.
            CFRUNLOOP_WAKEUP_FOR_SOURCE(rl, rlm, livePort);
            CFRunLoopSourceRef rls = __CFRunLoopModeFindSourceForMachPort(rl, rlm, livePort);
            if (rls)
                sourceHandledThisLoop =
                    __CFRunLoopDoSource1(rl, rlm, rls) || sourceHandledThisLoop;
        }
        __CFRunLoopDoBlocks(rl, rlm);

        // Is there a reason to return? If not, another pass follows. (L4)
        //
        // In the original no thread can wake or stop a loop while it is locked, so there
        // ignoreWakeUps is cleared later, at the top of a pass. Here a thread can, so it is cleared
        // before these questions.
        __CFRunLoopUnsetIgnoreWakeUps(rl);
        if (sourceHandledThisLoop && stopAfterHandle) {
            retVal = kCFRunLoopRunHandledSource;
        } else if (__CFTSRHasCome(termTSR)) {
            retVal = kCFRunLoopRunTimedOut;
        } else if (__CFRunLoopIsStopped(rl)) {
            __CFRunLoopUnsetStopped(rl);
            retVal = kCFRunLoopRunStopped;
        } else if (rlm->_stopped) {
            rlm->_stopped = false;
            retVal = kCFRunLoopRunStopped;
        } else if (__CFRunLoopModeIsEmpty(rl, rlm, previousMode)) {
            retVal = kCFRunLoopRunFinished;
        }
        if (retVal) __CFRunLoopSetIgnoreWakeUps(rl); // the run does not sleep again
    } while (retVal == 0);
    return retVal;
}

// MARK: - Steps 5 and 7: a port, or a port set

/// Step 5: receives the messages of one port, without waiting. Step 7: waits for the ports of the
/// set until `deadlineTSR`; 0 polls. Stores the port that is ready in `livePort`, or CFPORT_NULL,
/// and returns whether there is one. In step 7 it receives the messages of the loop's own ports,
/// but reads nothing from a client's descriptor, because that data is for the client. [D17]
///
/// The stack of a sleeping thread shows this function above the wait. On a Mac it calls mach_msg,
/// for which a port set is a port as well.
static __attribute__((noinline))
Boolean __CFRunLoopServiceMachPort(CFRunLoopRef rl, __CFPortSet portSet, __CFPort port,
                                   __CFPort *livePort, uint64_t deadlineTSR) {
    if (port != CFPORT_NULL) {
        *livePort = __CFPortReceive(port) ? port : CFPORT_NULL;
    } else {
        CFRUNLOOP_WAIT(rl, deadlineTSR);
        *livePort = __CFPortSetWait(portSet, deadlineTSR);
        atomic_load(&rl->_perRunData)->_hasNested = false;
        CFRUNLOOP_WAKEUP(rl, *livePort);
    }
    // keeps this frame, and the limit in it for debuggers
    __asm__ volatile("/* service mach port */" : : "r"(deadlineTSR));
    return *livePort != CFPORT_NULL;
}

/// Returns whether there is something to do that a run nested in this one has left: the nested run
/// may have received the wake-up for it, or another thread may have left that wake-up out because
/// of the nested run. It concerns only this run: a stop, or a block or a source of this mode. [D36]
static Boolean __CFRunLoopHasNewWork(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    CF_ASSERT_LOCKED(rl, rlm);
    if (CF_LIKELY(!atomic_load(&rl->_perRunData)->_hasNested)) return false;
    return __CFRunLoopIsStopped(rl) || rlm->_stopped || __CFRunLoopHasBlocks(rl, rlm)
        || __CFRunLoopModeHasSignals(rl, rlm);
}

// MARK: - Waking and stopping, from any thread and from signal handlers

/// Why no wake-up is lost, although CFRunLoopWakeUp sends none that the loop does not need. [D4]
///
/// A message stays on the wake-up port until the loop's thread receives it, and that thread
/// receives it only when a wait ends (step 7). So if any thread sends a message before the loop's
/// thread sleeps, that sleep ends at once. A message is not needed while the loop's thread is
/// certain to look for changes before it sleeps. `ignoreWakeUps` is set during that time. The two
/// threads do this:
///
///     thread A, which wakes the loop              thread B, the loop's thread
///     1  makes its change: signals a source,      1  clears ignoreWakeUps at the end of a pass
///        queues a block, sets `stopped`           2  looks for changes: is the run stopped? are
///     2  finds the record of the innermost run       there blocks, signaled sources?
///     3  reads ignoreWakeUps there. If it is      3  sleeps until there is a message, and then
///        clear, sends the message                    sets ignoreWakeUps
///
/// These accesses are sequentially consistent, so all threads see them in one order. If B2 comes
/// after A1, thread B finds the change. If B2 comes before A1, then B1 comes before A3: thread A
/// finds ignoreWakeUps clear and sends the message, and thread B does not sleep in B3, or wakes up.
///
/// A wake-up reaches the innermost run, although the change may concern a run around it. That run
/// looks once more before it sleeps, if a run has nested in it: __CFRunLoopHasNewWork. If thread A
/// finds the record of the nested run in A2, it has made its change before that record was popped,
/// so before the look. In the original that run does not look, and sleeps on. [D36]
void CFRunLoopWakeUp(CFRunLoopRef rl) {
    CHECK_FOR_FORK_IN_SIGNAL_HANDLER();
    if (__CFRunLoopIsRefusing(rl, "The main run loop is being woken up")) return;
    if (__CFRunLoopIsIgnoringWakeUps(rl)) {
        CFRL_DONT_WAKEUP(rl);
        return;
    }
    CFRL_WAKEUP(rl);
    // The message first. In the other order the loop's thread could clear the flag and find no
    // message in between. Then a pass that polls would not look for the message.
    __CFSendTrivialMachMessage(rl->_wakeUpPort);
    atomic_store(&rl->_wakeUpSent, true);
}

/// Outside a run, no version of the original stores the stop. Here the record for "no run" gets it,
/// which no run looks at.
void CFRunLoopStop(CFRunLoopRef rl) {
    CHECK_FOR_FORK_IN_SIGNAL_HANDLER();
    CFRL_STOP(rl);
    __CFRunLoopSetStopped(rl);
    CFRunLoopWakeUp(rl);
}

/// Stops the runs of one mode.
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

// MARK: - Questions about modes

/// Returns whether the mode has nothing that a run could ever serve (L1–L3, L8). A mode that
/// serves the main dispatch queue is never empty (L10). Observers do not count: the original
/// leaves them out, although the articles' listing has them in the condition.
static Boolean __CFRunLoopModeIsEmpty(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                      CFRunLoopModeRef previousMode) {
    CF_ASSERT_LOCKED(rl, rlm);
    CHECK_FOR_FORK();
    (void)previousMode;
    Boolean libdispatchQSafe = pthread_main_np() && !_CFGetTSD(__CFTSDKeyIsInGCDMainQ);
    if (libdispatchQSafe && CFRunLoopGetMain() == rl
        && CFSetContainsValue(rl->_commonModes, rlm->_name))
        return false;
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
    Boolean result = !rlm || __CFRunLoopModeIsEmpty(rl, rlm, NULL);
    if (rlm) __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(rl);
    return result;
}
