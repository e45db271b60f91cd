/// CFRunLoopTrace.c: the events for a program that watches its loops, and the present state of a
/// loop (CFRunLoopTrace.h). The original has no such functions. There a tool of the system receives
/// the events. For the state you print the loop's description, or call single functions such as
/// CFRunLoopIsWaiting and CFRunLoopCopyCurrentMode.

#include "CFRunLoopProbes.h"

// MARK: - Events

CF_SHARED _Atomic(CFRunLoopTraceHook) __CFRunLoopTraceHook = NULL;

Boolean CFRunLoopTraceReplaceHook(CFRunLoopTraceHook old, CFRunLoopTraceHook hook) {
    CHECK_FOR_FORK();
    return atomic_compare_exchange_strong(&__CFRunLoopTraceHook, &old, hook);
}

/// Fills in what the record of the pass says. It needs no lock, because on any thread but the
/// loop's it reads only atomic fields.
static void __CFTraceFillInStep(CFRunLoopTraceEvent *event, CFRunLoopRef rl) {
    event->loop = rl;
    if (!rl) return;
    struct __CFRunLoopPass *pass = __CFRunLoopThisPass(rl);
    event->step = (int32_t)(atomic_load_explicit(&pass->_steps, memory_order_relaxed) & 0xF);
    if (event->thread == atomic_load(&rl->_tid)) event->depth = (int32_t)pass->_depth;
}

void __CFRunLoopTrace(CFRunLoopRef rl, CFStringRef mode, CFRunLoopTraceKind kind, int32_t detail,
                      const void *item, const void *function, int64_t value) {
    CFRunLoopTraceHook hook = atomic_load(&__CFRunLoopTraceHook);
    if (!hook) return;
    CFRunLoopTraceEvent event = {.time = mach_absolute_time(), .kind = kind,
                                 .thread = __CFThreadNumber(), .item = item,
                                 .function = function, .value = value};
    Boolean isCallout = kind == kCFRunLoopTraceCalloutBegins || kind == kCFRunLoopTraceCalloutEnds;
    if (isCallout) event.callout = detail;
    if (isCallout && detail == kCFRunLoopTraceObserver) event.activity = (CFOptionFlags)value;
    if (kind == kCFRunLoopTraceServes) event.reason = detail;
    __CFTraceFillInStep(&event, rl);
    // Without a lock: a name never changes, and lives as long as its loop.
    __CFStringCopyTruncated(mode, event.mode, sizeof(event.mode));
    hook(&event);
}

// MARK: - The present state of a loop

/// Returns the mode whose items are counted, locked: the current mode or, outside a run, the
/// default mode.
static CFRunLoopModeRef __CFTraceLockMode(CFRunLoopRef rl) {
    CF_ASSERT_LOCKED(rl);
    if (!rl->_currentMode) return __CFRunLoopFindMode(rl, kCFRunLoopDefaultMode, false);
    __CFRunLoopModeLock(rl->_currentMode);
    return rl->_currentMode;
}

static CFIndex __CFTraceCountBlocks(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    CF_ASSERT_LOCKED(rl);
    CFIndex count = 0;
    for (const struct _block_item *item = rl->_blocks_head; item; item = item->_next)
        count += __CFRunLoopBlockIsForMode(item, rlm);
    return count;
}

static void __CFTraceCountItems(CFRunLoopRef rl, CFRunLoopModeRef rlm, CFRunLoopTraceState *state) {
    CF_ASSERT_LOCKED(rl, rlm);
    if (rlm->_sources0) {
        state->sources0 = CFSetGetCount(rlm->_sources0);
        state->sources1 = CFSetGetCount(rlm->_sources1);
    }
    if (rlm->_observers) state->observers = CFArrayGetCount(rlm->_observers);
    if (rlm->_timers) state->timers = CFArrayGetCount(rlm->_timers);
    state->blocks = __CFTraceCountBlocks(rl, rlm);
}

/// Finds the reason for the last wake-up. The present pass may not have woken up yet, and earlier
/// passes may have found nothing to serve. So this looks for the last pass that served something.
static void __CFTraceGetLastReason(CFRunLoopRef rl, CFRunLoopTraceState *state) {
    CF_ASSERT_LOCKED(rl);
    const struct __CFRunLoopPass *pass = __CFRunLoopThisPass(rl);
    uint64_t count = rl->_passes ? rl->_passes->_count : 0;
    for (uint64_t back = 1; pass->_reason <= kCFRunLoopTraceNothing
         && back <= __kCFRunLoopPassesKept && back <= count; back++)
        pass = &rl->_passes->_kept[(count - back) % __kCFRunLoopPassesKept];
    state->lastReason = pass->_reason;
}

void CFRunLoopTraceGetState(CFRunLoopRef rl, CFRunLoopTraceState *state) {
    CHECK_FOR_FORK();
    *state = (CFRunLoopTraceState){.thread = atomic_load(&rl->_tid)};
    __CFRunLoopLock(rl);
    struct __CFRunLoopPass *pass = __CFRunLoopThisPass(rl);
    state->step = (int32_t)(atomic_load_explicit(&pass->_steps, memory_order_relaxed) & 0xF);
    state->depth = (int32_t)pass->_depth;
    state->isAsleep = __CFRunLoopIsSleeping(rl);
    state->passes = rl->_passes ? rl->_passes->_count : 0;
    state->sleepTime = rl->_sleepTime;
    if (rl->_currentMode)
        __CFStringCopyTruncated(rl->_currentMode->_name, state->mode, sizeof(state->mode));
    __CFTraceGetLastReason(rl, state);
    CFRunLoopModeRef rlm = __CFTraceLockMode(rl);
    __CFTraceCountItems(rl, rlm, state);
    __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(rl);
}

static void __CFTraceGetTimer(CFRunLoopTimerRef rlt, CFRunLoopTraceTimerState *state) {
    __CFRunLoopTimerLock(rlt);
    *state = (CFRunLoopTraceTimerState){
        .timer = rlt, .due = (int64_t)rlt->_fireTSR,
        .interval = rlt->_interval, .tolerance = rlt->_tolerance,
    };
    __CFRunLoopTimerUnlock(rlt);
}

CFIndex CFRunLoopTraceGetTimers(CFRunLoopRef rl, CFRunLoopTraceTimerState *timers, CFIndex room) {
    CHECK_FOR_FORK();
    CFIndex count = 0;
    __CFRunLoopLock(rl);
    CFRunLoopModeRef rlm = __CFTraceLockMode(rl);
    if (rlm->_timers) count = CFArrayGetCount(rlm->_timers);
    for (CFIndex i = 0; i < count && i < room; i++)
        __CFTraceGetTimer((CFRunLoopTimerRef)CFArrayGetValueAtIndex(rlm->_timers, i), &timers[i]);
    __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(rl);
    return count;
}
