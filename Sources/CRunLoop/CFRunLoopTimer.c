/// CFRunLoopTimer.c: timers, from creation to callback.
///
/// A mode keeps its timers in one sorted array. It has one timer port, which is armed for the first
/// of them, or a little later if their tolerances allow it. When the port wakes the loop, all
/// timers that are due fire. Each change of the array arms the port again, which here takes no
/// system call, unless the loop sleeps or is embedded in another event loop.

#include "CFRunLoopProbes.h"

extern void _Block_release(const void *block);

// MARK: - Class

/// A deallocated timer is in no loop, because loops retain their timers. Call with nothing locked.
/// DOES CALLOUT: release
static void __CFRunLoopTimerDeallocate(CFTypeRef cf) {
    CFRunLoopTimerRef rlt = (CFRunLoopTimerRef)cf;
    if (__CFIsValid(rlt)) {
        __CFUnsetValid(rlt);
        if (rlt->_context.release) rlt->_context.release(rlt->_context.info);
    }
    if (rlt->_rlModes) CFRelease(rlt->_rlModes);
}

/// Call with nothing locked. DOES CALLOUT: copyDescription
static CFStringRef __CFRunLoopTimerCopyDescription(CFTypeRef cf) {
    CFRunLoopTimerRef rlt = (CFRunLoopTimerRef)cf;
    Boolean hasHandler = rlt->_context.retain == __CFBlockCopy;
    CFStringRef context = __CFRunLoopItemCopyContextDescription(
        rlt, hasHandler ? __CFBlockCopyDescription : rlt->_context.copyDescription);
    __CFSymbol image = __CFSymbolFind((const void *)rlt->_callout);
    CFStringRef callout = __CFCopyNameOfFunction((const void *)rlt->_callout);
    __CFRunLoopTimerLock(rlt);
    CFAbsoluteTime nextFireDate = rlt->_nextFireDate;
    CFTimeInterval tolerance = rlt->_tolerance;
    uint64_t fireTSR = rlt->_fireTSR;
    __CFRunLoopTimerUnlock(rlt);
    CFStringRef result = CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL,
        CFSTR("<CFRunLoopTimer %p [%p]>{valid = %s, firing = %s, "
              "interval = %0.09g, tolerance = %0.09g, next fire date = %0.09g (%0.09g @ %lld), "
              "callout = %@ (%p / %p) (%s), context = %@}"),
        rlt, CFGetAllocator(rlt), __CFIsValid(rlt) ? "Yes" : "No",
        __CFRunLoopTimerIsFiring(rlt) ? "Yes" : "No", rlt->_interval, tolerance,
        nextFireDate, nextFireDate - CFAbsoluteTimeGetCurrent(), (long long)fireTSR,
        callout, (const void *)rlt->_callout, image.start,
        image.file ? image.file : "?", context);
    CFRelease(callout);
    if (context) CFRelease(context); // NULL if there was no memory: the text says (null)
    return result;
}

CF_SHARED const CFRuntimeClass __CFRunLoopTimerClass = {
    .typeID = _kCFRuntimeIDCFRunLoopTimer,
    .className = "CFRunLoopTimer",
    .finalize = __CFRunLoopTimerDeallocate,
    .copyDebugDesc = __CFRunLoopTimerCopyDescription,
    .twin = offsetof(struct __CFRunLoopTimer, _twin),
};

CFTypeID CFRunLoopTimerGetTypeID(void) { return _kCFRuntimeIDCFRunLoopTimer; }

// MARK: - Dates

/// Traps because a date or an interval is not a number. Every comparison with it is false, so the
/// timer would never fire, or never stop. [D7]
static __attribute__((noinline, noreturn, cold))
void __CFRUNLOOPTIMER_WAS_GIVEN_A_TIME_THAT_IS_NOT_A_NUMBER__(const char *function) {
    __CFHalt("%s was given a date or an interval that is not a number (NaN). Look for a division "
             "of 0 by 0 in the code that computed it.", function);
}

static void __CFRunLoopTimerCheckTime(double time, const char *function) {
    if (isnan(time)) __CFRUNLOOPTIMER_WAS_GIVEN_A_TIME_THAT_IS_NOT_A_NUMBER__(function);
}

/// The latest date of a timer, as in the original: the beginning of the year 2129.
#define TIMER_DATE_LIMIT 4039289856.0

/// Returns the moment at which a timer of this date fires. If the date has passed, that is now. The
/// loop follows the monotonic clock from then on, even if a program sets the wall clock. Equal
/// dates may become different moments, because the two clocks are read one after the other.
static uint64_t __CFRunLoopTimerTSROfDate(CFAbsoluteTime date) {
    uint64_t nowTSR = mach_absolute_time();
    CFTimeInterval interval = date - CFAbsoluteTimeGetCurrent();
    if (interval > TIMER_INTERVAL_LIMIT) interval = TIMER_INTERVAL_LIMIT;
    return nowTSR + __CFTimeIntervalToTSR(interval);
}

/// Returns the first moment after now in the rhythm of a repeating timer that fired at `firedTSR`.
/// The timer skips the moments that it missed while the loop was busy, and does not make up for
/// them (T3). The original adds the interval until the sum is in the future; one division finds the
/// same moment. [D8]
static uint64_t __CFRunLoopTimerNextTSR(CFRunLoopTimerRef rlt, uint64_t firedTSR) {
    CFTimeInterval interval = rlt->_interval;
    if (interval > TIMER_INTERVAL_LIMIT) interval = TIMER_INTERVAL_LIMIT;
    uint64_t ticks = __CFTimeIntervalToTSR(interval), now = mach_absolute_time();
    if (!ticks) ticks = 1; // [D7]
    uint64_t missed = now > firedTSR ? (now - firedTSR) / ticks : 0;
    return firedTSR + (missed + 1) * ticks;
}

// MARK: - Create and query

static void _runLoopTimerWithBlockContext(CFRunLoopTimerRef timer, void *block) {
    ((void (^)(CFRunLoopTimerRef))block)(timer);
    __asm__ volatile("/* timer's block */"); // keeps this frame
}

/// The client's function, for the trace.
static const void *__CFRunLoopTimerFunction(CFRunLoopTimerRef rlt, const void *info) {
    return rlt->_callout == _runLoopTimerWithBlockContext ? __CFRunLoopBlockFunction(info)
        : (const void *)rlt->_callout;
}

CFRunLoopTimerRef CFRunLoopTimerCreate(CFAllocatorRef allocator, CFAbsoluteTime fireDate,
                                       CFTimeInterval interval, CFOptionFlags flags, CFIndex order,
                                       CFRunLoopTimerCallBack callout,
                                       CFRunLoopTimerContext *context) {
    CHECK_FOR_FORK();
    (void)flags;
    __CFRunLoopTimerCheckTime(fireDate, "CFRunLoopTimerCreate");
    __CFRunLoopTimerCheckTime(interval, "CFRunLoopTimerCreate");
    CFRunLoopTimerRef rlt = (CFRunLoopTimerRef)_CFRuntimeCreateInstance(
        allocator, &__CFRunLoopTimerClass, sizeof(struct __CFRunLoopTimer));
    if (!rlt) return NULL;
    __CFSetValid(rlt);
    __CFRunLoopLockInit(&rlt->_lock);
    rlt->_nextFireDate = fireDate < TIMER_DATE_LIMIT ? fireDate : TIMER_DATE_LIMIT;
    rlt->_fireTSR = __CFRunLoopTimerTSROfDate(rlt->_nextFireDate);
    rlt->_interval = interval > 0.0 ? interval : 0.0;
    rlt->_order = order;
    rlt->_callout = callout;
    if (context) rlt->_context = *context;
    rlt->_context.version = 0; // no other version exists
    if (context && context->retain) rlt->_context.info = (void *)context->retain(context->info);
    CFRUNLOOP_TIMER_CREATED(rlt, __CFRunLoopTimerFunction(rlt, rlt->_context.info));
    return rlt;
}

CFRunLoopTimerRef CFRunLoopTimerCreateWithHandler(CFAllocatorRef allocator, CFAbsoluteTime fireDate,
                                                  CFTimeInterval interval, CFOptionFlags flags,
                                                  CFIndex order,
                                                  void (^block)(CFRunLoopTimerRef timer)) {
    CFRunLoopTimerContext context = {0, (void *)block, __CFBlockCopy, _Block_release, NULL};
    return CFRunLoopTimerCreate(allocator, fireDate, interval, flags, order,
                                block ? _runLoopTimerWithBlockContext : NULL,
                                block ? &context : NULL);
}

CFAbsoluteTime CFRunLoopTimerGetNextFireDate(CFRunLoopTimerRef rlt) {
    CHECK_FOR_FORK();
    __CFRunLoopTimerLock(rlt);
    CFAbsoluteTime date = __CFIsValid(rlt) ? rlt->_nextFireDate : 0.0;
    __CFRunLoopTimerUnlock(rlt);
    return date;
}

CFTimeInterval CFRunLoopTimerGetInterval(CFRunLoopTimerRef rlt) {
    CHECK_FOR_FORK();
    return rlt->_interval;
}

Boolean CFRunLoopTimerDoesRepeat(CFRunLoopTimerRef rlt) {
    CHECK_FOR_FORK();
    return rlt->_interval > 0.0;
}

CFIndex CFRunLoopTimerGetOrder(CFRunLoopTimerRef rlt) {
    CHECK_FOR_FORK();
    return rlt->_order;
}

Boolean CFRunLoopTimerIsValid(CFRunLoopTimerRef rlt) {
    CHECK_FOR_FORK();
    return __CFIsValid(rlt);
}

void CFRunLoopTimerGetContext(CFRunLoopTimerRef rlt, CFRunLoopTimerContext *context) {
    CHECK_FOR_FORK();
    __CFRunLoopTimerLock(rlt);
    *context = rlt->_context;
    if (!__CFIsValid(rlt)) context->info = NULL; // a callback may still use it
    __CFRunLoopTimerUnlock(rlt);
}

CFTimeInterval CFRunLoopTimerGetTolerance(CFRunLoopTimerRef rlt) {
    CHECK_FOR_FORK();
    __CFRunLoopTimerLock(rlt);
    CFTimeInterval tolerance = rlt->_tolerance;
    __CFRunLoopTimerUnlock(rlt);
    return tolerance;
}

CFAbsoluteTime CFRunLoopGetNextTimerFireDate(CFRunLoopRef rl, CFStringRef modeName) {
    CHECK_FOR_FORK();
    CFAbsoluteTime date = 0.0;
    __CFRunLoopLock(rl);
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, false);
    if (rlm && rlm->_timers && CFArrayGetCount(rlm->_timers)) {
        const void *first = CFArrayGetValueAtIndex(rlm->_timers, 0);
        date = CFRunLoopTimerGetNextFireDate((CFRunLoopTimerRef)first);
    }
    if (rlm) __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(rl);
    return date;
}

// MARK: - The sorted array and the timer port

/// Returns the index of the first timer in the array that fires after `rlt`, by a binary search.
/// The timer is inserted there, so timers of equal moments fire in the order of insertion. Call
/// with the lock of the array's mode.
static CFIndex __CFRunLoopInsertionIndexInTimerArray(CFArrayRef array, CFRunLoopTimerRef rlt) {
    CFIndex low = 0, high = CFArrayGetCount(array);
    while (low < high) {
        CFIndex middle = low + (high - low) / 2;
        CFTypeRef other = CFArrayGetValueAtIndex(array, middle);
        if (((CFRunLoopTimerRef)other)->_fireTSR <= rlt->_fireTSR) low = middle + 1;
        else high = middle;
    }
    return low;
}

static CFRunLoopTimerRef __CFRunLoopTimerAtIndex(CFRunLoopModeRef rlm, CFIndex idx) {
    return (CFRunLoopTimerRef)CFArrayGetValueAtIndex(rlm->_timers, idx);
}

/// Computes between which moments to wake for the mode's timers, and arms the timer port (T4):
///
/// - The soft deadline is the earliest fire date. The hard deadline is the first moment at which a
///   timer has used up its tolerance.
/// - The timer port is armed for the moment when the last timer that is due by the hard deadline is
///   due. So as many timers as possible share the wake-up, and the thread waits no longer than it
///   must. On a Mac the kernel chooses the moment between the two deadlines. [D12]
///
/// Timers that are firing are skipped. The original arms only if a deadline has changed; here
/// mk_timer_arm checks that.
void __CFArmNextTimerInMode(CFRunLoopModeRef rlm, CFRunLoopRef rl) {
    CF_ASSERT_LOCKED(rl, rlm);
    uint64_t soft = UINT64_MAX, hard = UINT64_MAX, moment = UINT64_MAX;
    CFIndex count = rlm->_timers ? CFArrayGetCount(rlm->_timers) : 0;
    for (CFIndex idx = 0; idx < count; idx++) {
        CFRunLoopTimerRef t = __CFRunLoopTimerAtIndex(rlm, idx);
        if (__CFRunLoopTimerIsFiring(t)) continue;
        if (t->_fireTSR > hard) break;
        uint64_t tolerance = __CFTimeIntervalToTSR(t->_tolerance);
        uint64_t latest = tolerance > UINT64_MAX - t->_fireTSR ? UINT64_MAX
                                                               : t->_fireTSR + tolerance;
        if (soft == UINT64_MAX) soft = t->_fireTSR;
        if (latest < hard) hard = latest;
        moment = t->_fireTSR;
        if (moment >= hard) break; // every later timer is due at that moment or after it
    }
    if (moment != UINT64_MAX) {
        if (mk_timer_arm(rlm->_portSet, moment)) CFRUNLOOP_NEXT_TIMER_ARMED(rl, rlm, moment);
    } else if (rlm->_mkTimerArmed) {
        mk_timer_cancel(rlm->_portSet);
    }
    rlm->_mkTimerArmed = moment != UINT64_MAX;
    rlm->_timerSoftDeadline = soft;
    rlm->_timerHardDeadline = hard;
}

/// Removes the timer from the sorted array that it is in.
static void __CFRunLoopModeTakeTimer(CFRunLoopModeRef rlm, CFRunLoopTimerRef rlt) {
    CF_ASSERT_LOCKED(rlm);
    CFRange all = CFRangeMake(0, CFArrayGetCount(rlm->_timers));
    CFArrayRemoveValueAtIndex(rlm->_timers, CFArrayGetFirstIndexOfValue(rlm->_timers, all, rlt));
}

/// Puts the timer at the place for its date, and arms the timer port.
static void __CFRepositionTimerInMode(CFRunLoopModeRef rlm, CFRunLoopTimerRef rlt,
                                      Boolean isInArray) {
    CF_ASSERT_LOCKED(rlt->_runLoop, rlm);
    CFRetain(rlt);
    if (isInArray) __CFRunLoopModeTakeTimer(rlm, rlt);
    CFArrayInsertValueAtIndex(rlm->_timers,
                              __CFRunLoopInsertionIndexInTimerArray(rlm->_timers, rlt), rlt);
    __CFArmNextTimerInMode(rlm, rlt->_runLoop);
    CFRelease(rlt); // not the last reference: the array has one
}

// MARK: - Change the date and the tolerance

/// Calls `body` for each mode of the timer, with the mode locked. The body may remove the timer
/// from that mode.
static void __CFRunLoopTimerForEachMode(CFRunLoopRef rl, CFRunLoopTimerRef rlt,
                                        void (^body)(CFRunLoopModeRef rlm)) {
    CF_ASSERT_LOCKED(rl);
    CFIndex count = CFSetGetCount(rlt->_rlModes);
    const void *few[__kCFRunLoopFewItems], **names = few;
    if (count > __kCFRunLoopFewItems) names = malloc((size_t)count * sizeof(*names));
    if (!names) __CF_HAS_NO_MEMORY_LEFT__("the modes of a timer");
    CFSetGetValues(rlt->_rlModes, names);
    for (CFIndex i = 0; i < count; i++) {
        if (names[i] == kCFRunLoopCommonModes) continue; // it is a common item
        CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, names[i], false);
        body(rlm);
        __CFRunLoopModeUnlock(rlm);
    }
    if (names != few) free(names);
}

/// Moves the timer to the place for its date in all its modes, after the date has changed or it has
/// fired. [D30]
static void __CFRunLoopTimerUpdateModes(CFRunLoopRef rl, CFRunLoopTimerRef rlt) {
    __CFRunLoopTimerForEachMode(rl, rlt, ^(CFRunLoopModeRef rlm) {
        __CFRepositionTimerInMode(rlm, rlt, true);
    });
}

/// If the calling thread is not the loop's, wakes the loop. The timer does not need that, because
/// the port is already armed. But the original wakes the loop, and a program may depend on it.
void CFRunLoopTimerSetNextFireDate(CFRunLoopTimerRef rlt, CFAbsoluteTime fireDate) {
    CHECK_FOR_FORK();
    __CFRunLoopTimerCheckTime(fireDate, "CFRunLoopTimerSetNextFireDate");
    if (!__CFIsValid(rlt)) return;
    if (fireDate > TIMER_DATE_LIMIT) fireDate = TIMER_DATE_LIMIT;
    uint64_t fireTSR = __CFRunLoopTimerTSROfDate(fireDate);
    CFRunLoopRef rl = __CFRunLoopLockWithItem(rlt);
    CFRUNLOOP_TIMER_RESCHEDULED(rl, rlt, fireTSR);
    rlt->_fireTSR = fireTSR;
    rlt->_nextFireDate = fireDate;
    __CFRunLoopTimerUnlock(rlt);
    if (!rl) return;
    __CFRunLoopTimerUpdateModes(rl, rlt);
    if (rl != _CFGetTSD(__CFTSDKeyRunLoop)) CFRunLoopWakeUp(rl);
    __CFRunLoopUnlockAndRelease(rl);
}

/// Limits a repeating timer's tolerance to half its interval, because one firing could overlap the
/// next. Arms nothing: the tolerance is used when the timer port is next armed. A Mac does the
/// same, and stores a negative tolerance of a repeating timer as well.
void CFRunLoopTimerSetTolerance(CFRunLoopTimerRef rlt, CFTimeInterval tolerance) {
    CHECK_FOR_FORK();
    CFTimeInterval most = rlt->_interval / 2;
    if (rlt->_interval > 0.0) tolerance = tolerance < most ? tolerance : most;
    else if (!(tolerance > 0.0)) tolerance = 0.0;
    CFRunLoopRef rl = __CFRunLoopLockWithItem(rlt);
    rlt->_tolerance = tolerance;
    __CFRunLoopTimerUnlock(rlt);
    __CFRunLoopUnlockAndRelease(rl);
}

// MARK: - Add

/// Records that the timer is in a mode of that name, or with kCFRunLoopCommonModes that it is a
/// common item. Returns false if that is already recorded, or if the timer is invalid or in another
/// loop.
static Boolean __CFRunLoopTimerJoin(CFRunLoopTimerRef rlt, CFRunLoopRef rl, CFStringRef modeName) {
    CF_ASSERT_LOCKED(rl);
    __CFRunLoopTimerLock(rlt);
    Boolean joins = __CFRunLoopTakesItem(rl, rlt)
        && !(rlt->_rlModes && CFSetContainsValue(rlt->_rlModes, modeName));
    if (joins) {
        if (!rlt->_rlModes)
            rlt->_rlModes = CFSetCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeSetCallBacks);
        CFSetAddValue(rlt->_rlModes, modeName);
        rlt->_runLoop = rl;
    }
    __CFRunLoopTimerUnlock(rlt);
    return joins;
}

/// Undoes one __CFRunLoopTimerJoin.
static void __CFRunLoopTimerLeave(CFRunLoopTimerRef rlt, CFRunLoopRef rl, CFStringRef modeName) {
    CF_ASSERT_LOCKED(rl);
    __CFRunLoopTimerLock(rlt);
    CFSetRemoveValue(rlt->_rlModes, modeName);
    if (!CFSetGetCount(rlt->_rlModes)) rlt->_runLoop = NULL;
    __CFRunLoopTimerUnlock(rlt);
}

/// Returns whether the timer is in the loop's mode of that name, or with kCFRunLoopCommonModes
/// whether it is a common item.
static Boolean __CFRunLoopTimerIsInMode(CFRunLoopTimerRef rlt, CFRunLoopRef rl,
                                        CFStringRef modeName) {
    CF_ASSERT_LOCKED(rl);
    __CFRunLoopTimerLock(rlt);
    Boolean isInMode =
        rlt->_runLoop == rl && modeName && CFSetContainsValue(rlt->_rlModes, modeName);
    __CFRunLoopTimerUnlock(rlt);
    return isInMode;
}

/// Adds a timer to a single mode.
static void __CFRunLoopAddTimerToMode(CFRunLoopRef rl, CFRunLoopTimerRef rlt,
                                      CFStringRef modeName) {
    CF_ASSERT_LOCKED(rl);
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, true);
    if (__CFRunLoopTimerJoin(rlt, rl, rlm->_name)) {
        CFArrayCallBacks callBacks = kCFTypeArrayCallBacks;
        callBacks.equal = NULL; // a timer is equal only to itself
        if (!rlm->_timers)
            rlm->_timers = CFArrayCreateMutable(kCFAllocatorSystemDefault, 0, &callBacks);
        __CFRepositionTimerInMode(rlm, rlt, false);
    }
    __CFRunLoopModeUnlock(rlm);
}

void CFRunLoopAddTimer(CFRunLoopRef rl, CFRunLoopTimerRef rlt, CFStringRef modeName) {
    CHECK_FOR_FORK();
    if (__CFRunLoopIsDeallocating(rl) || !__CFIsValid(rlt)) return;
    if (__CFRunLoopIsRefusing(rl, "A timer is being added to the main run loop")) return;
    __CFRunLoopLock(rl);
    CFArrayRef modes = __CFRunLoopCopyModesNamed(rl, modeName);
    if (__CFRunLoopIsCommonModes(modeName) && __CFRunLoopTimerJoin(rlt, rl, kCFRunLoopCommonModes))
        __CFRunLoopAddCommonItem(rl, rlt);
    for (CFIndex i = 0; i < CFArrayGetCount(modes); i++)
        __CFRunLoopAddTimerToMode(rl, rlt, CFArrayGetValueAtIndex(modes, i));
    __CFRunLoopUnlock(rl);
    CFRelease(modes);
}

Boolean CFRunLoopContainsTimer(CFRunLoopRef rl, CFRunLoopTimerRef rlt, CFStringRef modeName) {
    CHECK_FOR_FORK();
    if (!rlt) return false;
    __CFRunLoopLock(rl);
    Boolean hasValue = __CFRunLoopTimerIsInMode(rlt, rl, modeName);
    __CFRunLoopUnlock(rl);
    return hasValue;
}

// MARK: - Remove

/// Removes a timer from a single mode that it is in. The caller has a reference to rlt.
static void __CFRunLoopModeRemoveTimer(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                       CFRunLoopTimerRef rlt) {
    CF_ASSERT_LOCKED(rl, rlm);
    __CFRunLoopTimerLeave(rlt, rl, rlm->_name);
    __CFRunLoopModeTakeTimer(rlm, rlt);
    __CFArmNextTimerInMode(rlm, rl);
}

/// Removes a timer from the common items, but not from the common modes. Returns false if it is not
/// a common item. The caller has a reference to rlt.
static Boolean __CFRunLoopRemoveCommonTimer(CFRunLoopRef rl, CFRunLoopTimerRef rlt) {
    CF_ASSERT_LOCKED(rl);
    if (!__CFRunLoopTakeCommonItem(rl, rlt)) return false;
    CFRelease(rlt); // not the last reference: the caller has one
    __CFRunLoopTimerLeave(rlt, rl, kCFRunLoopCommonModes);
    return true;
}

void CFRunLoopRemoveTimer(CFRunLoopRef rl, CFRunLoopTimerRef rlt, CFStringRef modeName) {
    CHECK_FOR_FORK();
    if (!rlt) return;
    CFRetain(rlt); // the mode may have the last reference, which must go with nothing locked
    __CFRunLoopLock(rl);
    CFArrayRef modes = __CFRunLoopCopyModesNamed(rl, modeName);
    // If the timer is not a common item, it stays in the common modes.
    if (!__CFRunLoopIsCommonModes(modeName) || __CFRunLoopRemoveCommonTimer(rl, rlt)) {
        for (CFIndex i = 0; i < CFArrayGetCount(modes); i++) {
            CFStringRef name = CFArrayGetValueAtIndex(modes, i);
            if (!__CFRunLoopTimerIsInMode(rlt, rl, name)) continue;
            CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, name, false);
            __CFRunLoopModeRemoveTimer(rl, rlm, rlt);
            __CFRunLoopModeUnlock(rlm);
        }
    }
    __CFRunLoopUnlock(rl);
    CFRelease(modes);
    CFRelease(rlt);
}

// MARK: - Invalidate

/// Call with nothing locked. DOES CALLOUT: release
void CFRunLoopTimerInvalidate(CFRunLoopTimerRef rlt) {
    CHECK_FOR_FORK();
    if (!__CFIsValid(rlt)) return;
    CFRetain(rlt); // because the loop releases its references
    CFRunLoopRef rl = __CFRunLoopLockWithItem(rlt);
    void *info;
    Boolean releases = __CFRunLoopItemInvalidate(rlt, &info);
    // The timer need not stay locked: it is invalid, so it cannot join another loop.
    __CFRunLoopTimerUnlock(rlt);
    if (rl) {
        __CFRunLoopRemoveCommonTimer(rl, rlt);
        __CFRunLoopTimerForEachMode(rl, rlt, ^(CFRunLoopModeRef rlm) {
            __CFRunLoopModeRemoveTimer(rl, rlm, rlt);
        });
    }
    __CFRunLoopUnlockAndRelease(rl);
    if (releases && rlt->_context.release) rlt->_context.release(info);
    CFRelease(rlt);
}

// MARK: - Do: step 9.1

/// Marks the timer as firing. Returns false if the timer is no longer due, because a timer that
/// fired before it has removed, invalidated or postponed it. Also returns false if the timer is
/// already in its callback, in a run around this one or on another thread.
static Boolean __CFRunLoopTimerBeginFiring(CFRunLoopTimerRef rlt, CFRunLoopRef rl, void **info) {
    __CFRunLoopTimerLock(rlt);
    Boolean fires = __CFIsValid(rlt) && rlt->_fireTSR <= mach_absolute_time()
        && !__CFRunLoopTimerIsFiring(rlt) && rlt->_runLoop == rl;
    if (fires) *info = __CFRunLoopItemBeginFiring(rlt);
    __CFRunLoopTimerUnlock(rlt);
    return fires;
}

/// Ends the firing, and sets the next date, unless the callback has set a later one. The loop
/// skipped the timer while it was firing, so this also arms the port again. Call with nothing
/// locked. DOES CALLOUT: release
static void __CFRunLoopTimerEndFiring(CFRunLoopTimerRef rlt, uint64_t firedTSR) {
    CFRunLoopRef rl = __CFRunLoopLockWithItem(rlt);
    void *info;
    Boolean releases = __CFRunLoopItemEndFiring(rlt, &info);
    Boolean isValid = __CFIsValid(rlt);
    if (isValid && rlt->_fireTSR <= firedTSR) {
        rlt->_fireTSR = __CFRunLoopTimerNextTSR(rlt, firedTSR);
        rlt->_nextFireDate = CFAbsoluteTimeGetCurrent() + __CFTimeIntervalUntilTSR(rlt->_fireTSR);
        CFRUNLOOP_TIMER_RESCHEDULED(rl, rlt, rlt->_fireTSR);
    }
    __CFRunLoopTimerUnlock(rlt);
    if (isValid && rl) __CFRunLoopTimerUpdateModes(rl, rlt);
    __CFRunLoopUnlockAndRelease(rl);
    if (releases && rlt->_context.release) rlt->_context.release(info);
}

/// Fires one timer, and releases it. Unlocks rl and rlm, and locks them again at the end. DOES
/// CALLOUT
static __attribute__((noinline))
Boolean __CFRunLoopDoTimer(CFRunLoopRef rl, CFRunLoopModeRef rlm, CFRunLoopTimerRef rlt) {
    CF_ASSERT_LOCKED(rl, rlm);
    void *info;
    uint64_t firedTSR = 0;
    Boolean timerHandled = __CFRunLoopTimerBeginFiring(rlt, rl, &info);
    if (timerHandled) {
        firedTSR = rlt->_fireTSR;
        __CFArmNextTimerInMode(rlm, rl); // for a run that nests in the callback
    }
    __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(rl);
    if (timerHandled) {
        if (rlt->_context.retain) info = (void *)rlt->_context.retain(info);
        CFRL_IS_CALLING_START(TIMER, rl, rlm, rlt, __CFRunLoopTimerFunction(rlt, info), firedTSR);
        __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__(rlt->_callout, rlt, info);
        CHECK_FOR_FORK();
        CFRL_IS_CALLING_END(TIMER, rl, rlm, rlt);
        if (rlt->_interval == 0.0) CFRunLoopTimerInvalidate(rlt);
        if (rlt->_context.retain && rlt->_context.release) rlt->_context.release(info);
        __CFRunLoopTimerEndFiring(rlt, firedTSR);
    }
    // This may be the last reference, which must go with nothing locked.
    CFRelease(rlt);
    __CFRunLoopLock(rl);
    __CFRunLoopModeLock(rlm);
    return timerHandled;
}

/// Fires all timers that are due by `limitTSR`. Timers that they add or make due wait for the next
/// pass.
__attribute__((noinline))
Boolean __CFRunLoopDoTimers(CFRunLoopRef rl, CFRunLoopModeRef rlm, uint64_t limitTSR) {
    CF_ASSERT_LOCKED(rl, rlm);
    Boolean timerHandled = false;
    CFIndex count = rlm->_timers ? CFArrayGetCount(rlm->_timers) : 0, due = 0;
    while (due < count && __CFRunLoopTimerAtIndex(rlm, due)->_fireTSR <= limitTSR) due++;
    CFRunLoopTimerRef few[__kCFRunLoopFewItems];
    CFRunLoopTimerRef *timers =
        due <= __kCFRunLoopFewItems ? few : malloc((size_t)due * sizeof(*timers));
    if (!timers) __CF_HAS_NO_MEMORY_LEFT__("the timers of a pass");
    for (CFIndex idx = 0; idx < due; idx++)
        timers[idx] = (CFRunLoopTimerRef)CFRetain(__CFRunLoopTimerAtIndex(rlm, idx));
    for (CFIndex idx = 0; idx < due; idx++)
        if (__CFRunLoopDoTimer(rl, rlm, timers[idx])) timerHandled = true;
    if (timers != few) free(timers);
    return timerHandled;
}
