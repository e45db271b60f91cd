/// CFRunLoopPerRunData.c: the record of each run, which other threads use to stop the run and to
/// wake its thread.
///
/// Runs nest, and CFRunLoopStop and CFRunLoopWakeUp concern the innermost one. A signal handler may
/// call both, so they take no lock. `_perRunData` leads them to the record of the innermost run,
/// and every field that they use in it is atomic. In all versions of the original both functions
/// take the run loop's lock.

#include "CFRunLoopProbes.h"

// MARK: - Beginning and ending a run

/// Uses a spare record of the loop if there is one. For why no record is freed before the loop, see
/// _per_run_data.
///
/// The last store is sequentially consistent, because the run looks for changes after it: a thread
/// that still finds the record around this one has made its change before. The stores before it may
/// be relaxed, because a thread that finds this record finds them, too.
_per_run_data *__CFRunLoopPushPerRunData(CFRunLoopRef rl, CFRunLoopModeRef rlm, const void *frame) {
    _per_run_data *previous = atomic_load(&rl->_perRunData), *perRun = rl->_sparePerRunData;
    if (perRun) rl->_sparePerRunData = perRun->previous;
    else perRun = malloc(sizeof(*perRun));
    if (!perRun) __CF_HAS_NO_MEMORY_LEFT__("a run of a run loop");
    perRun->a = perRun->b = 0x4346524C; // 'CFRL'
    atomic_store_explicit(&perRun->stopped, 0, memory_order_relaxed);
    atomic_store_explicit(&perRun->ignoreWakeUps, 0, memory_order_relaxed);
    perRun->previous = previous;
    perRun->_frame = frame;
    perRun->_tookWakeUp = false;
    perRun->_isOwedWakeUp = false;
    perRun->_hasNested = false;
    __CFRunLoopClearPass(&perRun->pass);
    perRun->pass._mode = rlm;
    perRun->pass._depth = previous ? previous->pass._depth + 1 : 0;
    if (previous && atomic_load(&previous->ignoreWakeUps) == __kCFRunLoopWillPollForWakeUp) {
        __CFRunLoopUnsetWillPoll(rl); // the next wait is in this run
        __CFRunLoopSetWillPoll(rl);
    }
    atomic_store(&rl->_perRunData, perRun);
    return previous;
}

/// A nested run may have received a wake-up for something that only the run around it serves: a
/// block or a source of another mode. So the run around it, `outer`, gets a wake-up, too, even if
/// it does not need one:
///
///     the nested run                          the run around it, in whose callback it runs
///     1  receives the message of the wake-up,
///        or finds at the end of a pass that
///        one was left out ('WOKE'): _tookWakeUp
///     2  ends                                 3  gets _tookWakeUp as well
///                                             4  is in step 8 or 9, and ignores wake-ups: its next
///                                                pass looks for changes. Or it is in steps 2 to 6,
///                                                and does not ignore them: gets _isOwedWakeUp
///                                             5  is about to sleep, and is owed one: sends it, so
///                                                the sleep ends at once. Or it ends, as in 2
///
/// The wake-up is sent when `outer` is about to sleep, not at once. Otherwise it would keep the
/// descriptor of an embedded mode readable. A host that runs in the callback would then serve the
/// mode again and again, because each time the loop would receive the wake-up and pass it on. [D36]
static void __CFRunLoopPassOnWakeUp(_per_run_data *outer) {
    if (!outer->previous) return; // no run: the next one looks for changes when it begins
    outer->_tookWakeUp = true;
    if (!__CFPerRunDataIsIgnoringWakeUps(outer)) outer->_isOwedWakeUp = true;
}

/// The record becomes a spare. Another thread may have found it before. If that thread now reads
/// that the record does not ignore wake-ups, it sends one. If it has left one out before, the
/// record says so. So it does not matter how late the thread finds the record of the run around.
void __CFRunLoopPopPerRunData(CFRunLoopRef rl, _per_run_data *previous) {
    CF_ASSERT_LOCKED(rl);
    CF_ASSERT_ON_THREAD(rl);
    _per_run_data *perRun = atomic_load(&rl->_perRunData);
    atomic_store_explicit(&rl->_perRunData, previous, memory_order_release);
    uint32_t ignored = atomic_exchange(&perRun->ignoreWakeUps, 0);
    Boolean leftOut = ignored == __kCFRunLoopLeftOutWakeUp
                      || ignored == __kCFRunLoopWillPollForWakeUp; // the latter after a longjmp
    if (leftOut || perRun->_tookWakeUp) __CFRunLoopPassOnWakeUp(previous);
    previous->_hasNested = true;
    perRun->previous = rl->_sparePerRunData;
    rl->_sparePerRunData = perRun;
}

static void __CFRunLoopFreePerRunDataList(_per_run_data *perRun) {
    while (perRun) {
        _per_run_data *previous = perRun->previous;
        free(perRun);
        perRun = previous;
    }
}

void __CFRunLoopAllocatePasses(CFRunLoopRef rl) {
    CF_ASSERT_LOCKED(rl);
    rl->_passes = calloc(1, sizeof(*rl->_passes));
    if (!rl->_passes) __CF_HAS_NO_MEMORY_LEFT__("the passes of a run loop");
}

/// Frees the record that stands for "no run", the spares, and the records of runs that never ended
/// because the thread was cancelled or called pthread_exit in a callback.
void __CFRunLoopFreePerRunData(CFRunLoopRef rl) {
    __CFRunLoopFreePerRunDataList(atomic_exchange(&rl->_perRunData, NULL));
    __CFRunLoopFreePerRunDataList(rl->_sparePerRunData);
    free(rl->_passes);
}

// MARK: - Runs that a callback has left by longjmp or by an exception

/// Returns whether an address is on the calling thread's own stack. Slow.
static __attribute__((cold)) Boolean __CFIsOnOwnStack(const char *address) {
    pthread_attr_t attributes;
    void *start = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes)) return false;
    pthread_attr_getstack(&attributes, &start, &size);
    pthread_attr_destroy(&attributes);
    return address >= (char *)start && address < (char *)start + size;
}

/// An observer of AfterWaiting may have left the run after the timer port was received and before
/// the timers fired. So the next run of the mode arms the port again.
static void __CFRunLoopModeArmAgain(CFRunLoopModeRef rlm) {
    __CFRunLoopModeLock(rlm);
    rlm->_timersChanged = true;
    rlm->_timerSoftDeadline = UINT64_MAX;
    __CFRunLoopModeUnlock(rlm);
}

/// Stacks grow down. So if the frame of a run is at a lower address than the frame of the run that
/// begins now, a callback has left that run. The program may have created a stack itself, for a
/// coroutine. Frames on such a stack cannot be compared, so those runs stay.
void __CFRunLoopDropLeftRuns(CFRunLoopRef rl, const void *frame) {
    CF_ASSERT_LOCKED(rl);
    CF_ASSERT_ON_THREAD(rl);
    for (;;) {
        _per_run_data *perRun = atomic_load(&rl->_perRunData);
        if (CF_LIKELY(!perRun->previous || perRun->_frame > (const char *)frame)) return;
        if (!__CFIsOnOwnStack(perRun->_frame) || !__CFIsOnOwnStack(frame)) return;
        __CFRunLoopModeArmAgain(perRun->pass._mode);
        __CFRunLoopPopPerRunData(rl, perRun->previous);
        rl->_currentMode = atomic_load(&rl->_perRunData)->pass._mode;
    }
}

// MARK: - Wake-ups

/// Sends the message first, and then sets the flag. In the other order, the loop's thread could
/// clear the flag and find no message in between. Then the flag would stay false although there is
/// a message, and a pass that polls would not look for it.
void __CFRunLoopSendWakeUp(CFRunLoopRef rl) {
    __CFSendTrivialMachMessage(rl->_wakeUpPort);
    atomic_store(&rl->_wakeUpSent, true);
}

void __CFRunLoopSendOwedWakeUp(CFRunLoopRef rl, Boolean poll) {
    CF_ASSERT_LOCKED(rl);
    atomic_load(&rl->_perRunData)->_isOwedWakeUp = rl->_isOwedWakeUp = false;
    if (poll) __CFRunLoopSetTookWakeUp(rl);
    else __CFRunLoopSendWakeUp(rl);
}

Boolean __CFRunLoopLeaveOutWakeUp(CFRunLoopRef rl) {
    _per_run_data *perRun = atomic_load(&rl->_perRunData);
    uint32_t ignores = atomic_load(&perRun->ignoreWakeUps);
    while (ignores == __kCFRunLoopIgnoresWakeUps || ignores == __kCFRunLoopWillPoll) {
        uint32_t leftOut = ignores == __kCFRunLoopWillPoll ? __kCFRunLoopWillPollForWakeUp
                                                           : __kCFRunLoopLeftOutWakeUp;
        if (atomic_compare_exchange_strong(&perRun->ignoreWakeUps, &ignores, leftOut)) return true;
    }
    return ignores != 0;
}

/// Only the loop's own thread begins and ends runs, so it needs no lock to read the record.
CFIndex _CFRunLoopGetDepth(void) {
    CFRunLoopRef rl = (CFRunLoopRef)_CFGetTSD(__CFTSDKeyRunLoop);
    return rl ? (CFIndex)atomic_load(&rl->_perRunData)->pass._depth : 0;
}
