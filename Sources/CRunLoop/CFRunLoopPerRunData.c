/// CFRunLoopPerRunData.c: the record of each run, which other threads use to stop the run and to
/// wake its thread.
///
/// Runs nest, and CFRunLoopStop and CFRunLoopWakeUp concern the innermost one. A signal handler may
/// call both, so they take no lock. `_perRunData` leads them to the record of the innermost run,
/// and every field that they use in it is atomic. In the original both functions take the run
/// loop's lock.

#include "CFRunLoopProbes.h"

// MARK: - Beginning and ending a run

/// Uses a spare record of the loop if there is one. For why no record is freed before the loop, see
/// _per_run_data.
///
/// The last store is sequentially consistent, because the run looks for changes after it: a thread
/// that still finds the record around this one has made its change before. The stores before it may
/// be relaxed, because a thread that finds this record finds them, too.
_per_run_data *__CFRunLoopPushPerRunData(CFRunLoopRef rl) {
    _per_run_data *previous = atomic_load(&rl->_perRunData), *perRun = rl->_sparePerRunData;
    if (perRun) rl->_sparePerRunData = perRun->previous;
    else perRun = calloc(1, sizeof(struct __CFRecordedRun));
    if (!perRun) __CF_HAS_NO_MEMORY_LEFT__("a run of a run loop");
    perRun->a = perRun->b = 0x4346524C; // 'CFRL'
    atomic_store_explicit(&perRun->stopped, 0, memory_order_relaxed);
    atomic_store_explicit(&perRun->ignoreWakeUps, 0, memory_order_relaxed);
    perRun->previous = previous;
    perRun->_hasNested = false;
    CFRUNLOOP_RUN_CREATED((struct __CFRecordedRun *)perRun);
    atomic_store(&rl->_perRunData, perRun);
    if (CF_UNLIKELY(rl->_hostedModes)) __CFRunLoopHostsBeginRun(rl);
    return previous;
}

/// The record becomes a spare, and so do the records of nested runs that a callback has left by
/// longjmp or by an exception. The store is sequentially consistent, because the run around this
/// one looks for changes after it [D36]: see CFRunLoopWakeUp.
void __CFRunLoopPopPerRunData(CFRunLoopRef rl, _per_run_data *previous) {
    CF_ASSERT_LOCKED(rl);
    CF_ASSERT_ON_THREAD(rl);
    _per_run_data *perRun = atomic_load(&rl->_perRunData);
    atomic_store(&rl->_perRunData, previous);
    previous->_hasNested = true;
    while (perRun != previous) {
        _per_run_data *outer = perRun->previous;
        perRun->previous = rl->_sparePerRunData;
        rl->_sparePerRunData = perRun;
        perRun = outer;
    }
    if (CF_UNLIKELY(rl->_hostedModes)) __CFRunLoopHostsEndRun(rl);
}

static void __CFRunLoopFreePerRunDataList(_per_run_data *perRun) {
    while (perRun) {
        _per_run_data *previous = perRun->previous;
        free(perRun);
        perRun = previous;
    }
}

/// Frees the record that stands for "no run", the spares, and the records of runs that never ended
/// because the thread was cancelled or called pthread_exit in a callback.
void __CFRunLoopFreePerRunData(CFRunLoopRef rl) {
    __CFRunLoopFreePerRunDataList(atomic_exchange(&rl->_perRunData, NULL));
    __CFRunLoopFreePerRunDataList(rl->_sparePerRunData);
    free(rl->_passes);
}

/// Only the loop's own thread begins and ends runs, so it needs no lock to read the records.
CFIndex _CFRunLoopGetDepth(void) {
    CFRunLoopRef rl = (CFRunLoopRef)_CFGetTSD(__CFTSDKeyRunLoop);
    CFIndex depth = 0;
    if (!rl) return 0;
    for (_per_run_data *run = atomic_load(&rl->_perRunData); run->previous; run = run->previous)
        depth++;
    return depth;
}
