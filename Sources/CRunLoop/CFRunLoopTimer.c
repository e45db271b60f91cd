/// CFRunLoopTimer.c: timers, from creation to callback.
///
/// A mode keeps its timers in one sorted array. It has one timer port, which is armed for the first
/// of them, or a little later if their tolerances allow it. When the port wakes the loop, all
/// timers that are due fire. In the original (all versions) each change of the array arms the port
/// again. Here the loop arms it once, before it next sleeps, however often the array has changed.
/// While the loop sleeps, or a host sleeps in its place, a change arms the port at once, because a
/// sleeping loop cannot arm it.

#include "CFRunLoopProbes.h"

#include <dlfcn.h>

extern void _Block_release(const void *block);

static _Atomic(uint64_t) __CFTimerTurns = 0; // counts the timers that were added to a loop

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
    Dl_info image = {.dli_fname = NULL, .dli_saddr = NULL};
    dladdr((const void *)rlt->_callout, &image);
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
        callout, (const void *)rlt->_callout, image.dli_saddr,
        image.dli_fname ? image.dli_fname : "?", context);
    CFRelease(callout);
    if (context) CFRelease(context); // NULL if there was no memory: the text says (null)
    return result;
}

CF_SHARED const CFRuntimeClass __CFRunLoopTimerClass = {
    .typeID = _kCFRuntimeIDCFRunLoopTimer,
    .className = "CFRunLoopTimer",
    .finalize = __CFRunLoopTimerDeallocate,
    .copyDebugDesc = __CFRunLoopTimerCopyDescription,
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

/// When a timer fires. `tsr` is the moment on the monotonic clock. The timer fires at that moment
/// even if a program sets the wall clock. `date` is the same moment on the wall clock, and
/// `clockOffset` is the difference between the clocks when `date` was computed. `firstTSR` and
/// `beat`: see _firstTSR and _beat of struct __CFRunLoopTimer.
struct __CFTimerMoment {
    uint64_t tsr;
    uint64_t firstTSR;
    uint64_t beat;
    CFAbsoluteTime date;
    int64_t clockOffset;
};

/// Returns the time from which a timer is due, as __CFRunLoopTimerDueTSR does.
static uint64_t __CFTimerMomentDueTSR(struct __CFTimerMoment moment) {
    return moment.tsr > moment.firstTSR ? moment.tsr : moment.firstTSR;
}

/// The latest date of a timer, as in all versions of the original: the beginning of the year 2129.
#define TIMER_DATE_LIMIT 4039289856.0

/// A timer whose date has passed still fires in the order of its date [D41], but its rhythm begins
/// now.
static struct __CFTimerMoment __CFTimerMomentOfDate(CFAbsoluteTime date) {
    if (date > TIMER_DATE_LIMIT) date = TIMER_DATE_LIMIT;
    int64_t clockOffset = __CFClockOffset();
    uint64_t tsr = __CFTSROfDate(date, clockOffset);
    return (struct __CFTimerMoment){tsr, __CFTSRNotBeforeNow(tsr), 0, date, clockOffset};
}

/// Returns the first moment of the rhythm that has not passed. The timer skips the moments that it
/// missed while the loop was busy, and does not make up for them (T3). Each moment is computed from
/// the first one, so rounding errors do not add up. [D42]
static struct __CFTimerMoment __CFTimerMomentAfter(struct __CFTimerMoment moment,
                                                   CFTimeInterval interval) {
    if (interval > TIMER_INTERVAL_LIMIT) interval = TIMER_INTERVAL_LIMIT;
    struct __CFTicks ticks = __CFTicksOfTimeInterval(interval);
    uint64_t next = __CFTSROfBeat(moment.firstTSR, ticks, moment.beat + 1);
    moment.beat = __CFBeatAfter(moment.firstTSR, ticks, moment.beat, __CFTSRNowNear(next));
    moment.tsr = __CFTSROfBeat(moment.firstTSR, ticks, moment.beat);
    moment.date = __CFDateOfTSR(moment.tsr, moment.clockOffset);
    return moment;
}

/// Call with the timer locked, unless no other thread knows the timer yet.
static void __CFRunLoopTimerSetMoment(CFRunLoopTimerRef rlt, struct __CFTimerMoment moment) {
    rlt->_fireTSR = moment.tsr;
    rlt->_firstTSR = moment.firstTSR;
    rlt->_beat = moment.beat;
    rlt->_nextFireDate = moment.date;
    rlt->_clockOffset = moment.clockOffset;
}

/// If a program has set the wall clock since the date was stored, this returns the date that the
/// clock now shows at the same moment. [D22] Call with rlt not locked; rl may be locked.
static CFAbsoluteTime __CFRunLoopTimerGetDate(CFRunLoopTimerRef rlt) {
    __CFRunLoopTimerLock(rlt);
    CFAbsoluteTime date = rlt->_nextFireDate;
    int64_t moved = __CFClockOffset() - rlt->_clockOffset;
    __CFRunLoopTimerUnlock(rlt);
    return moved ? date + (CFTimeInterval)moved / 1.0e9 : date;
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
    __CFLockInit(&rlt->_lock);
    __CFRunLoopTimerSetMoment(rlt, __CFTimerMomentOfDate(fireDate));
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
    return __CFIsValid(rlt) ? __CFRunLoopTimerGetDate(rlt) : 0.0;
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
        date = __CFRunLoopTimerGetDate((CFRunLoopTimerRef)first);
    }
    if (rlm) __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(rl);
    return date;
}

// MARK: - The sorted array and the timer port

/// Sorts timers by date, and timers of equal date in the order in which they were added to the
/// loop. No two timers compare as equal, so a search finds a timer by its place. [D21] Call with rl
/// locked.
static CFComparisonResult __CFRunLoopTimerComparator(const void *a, const void *b, void *context) {
    (void)context;
    CFRunLoopTimerRef rlt1 = (CFRunLoopTimerRef)a, rlt2 = (CFRunLoopTimerRef)b;
    if (rlt1->_fireTSR != rlt2->_fireTSR)
        return rlt1->_fireTSR < rlt2->_fireTSR ? kCFCompareLessThan : kCFCompareGreaterThan;
    // Every date before the start of the monotonic clock has the tick 0.
    if (rlt1->_fireTSR == 0 && rlt1->_nextFireDate != rlt2->_nextFireDate)
        return rlt1->_nextFireDate < rlt2->_nextFireDate ? kCFCompareLessThan
                                                         : kCFCompareGreaterThan;
    return rlt1->_turn < rlt2->_turn   ? kCFCompareLessThan
           : rlt1->_turn > rlt2->_turn ? kCFCompareGreaterThan
                                       : kCFCompareEqualTo;
}

/// The key that the array is sorted by: the date, then the turn. It does not change while the timer
/// is in an array: see __CFRunLoopTimerMove. Call with rl locked.
static CFArrayKey __CFRunLoopTimerKey(const void *cf) {
    CFRunLoopTimerRef rlt = (CFRunLoopTimerRef)cf;
    return (CFArrayKey){rlt->_fireTSR, rlt->_fireTSR ? rlt->_turn : 0};
}

/// Returns the number of timers before `rlt` in the array. In the original (all versions) a timer
/// is inserted at this index. Here __CFArrayPutSorted inserts it, because in a large array it finds
/// the place faster than an index.
static CFIndex __CFRunLoopInsertionIndexInTimerArray(CFArrayRef timers, CFRunLoopTimerRef rlt) {
    return CFArrayBSearchValues(timers, CFRangeMake(0, CFArrayGetCount(timers)), rlt,
                                __CFRunLoopTimerComparator, NULL);
}

/// At most this many timers share a wake-up, so that arming costs the same however many there are.
#define TIMERS_LOOKED_AT 64

/// Computes when to wake for the mode's timers, and arms the timer port for that moment, which is
/// `soft`. As many timers as possible share the wake-up (T4) [D12]:
///
/// - `hard` is the first moment at which a timer has used up its tolerance. Every timer that is due
///   by then can fire at that moment.
/// - `soft` is the moment when the last of these timers is due. The loop need not wait longer.
/// - A timer that can share its wake-up with no other timer fires on its date.
///
/// Timers that are firing are skipped. They do not count towards TIMERS_LOOKED_AT, because there
/// are only as many of them as there are callbacks on the stack.
void __CFArmNextTimerInMode(CFRunLoopModeRef rlm, CFRunLoopRef rl) {
    CF_ASSERT_LOCKED(rl, rlm);
    if (!rlm->_timersChanged) return;
    rlm->_timersChanged = false;
    uint64_t soft = UINT64_MAX, hard = UINT64_MAX;
    CFIndex count = rlm->_timers ? CFArrayGetCount(rlm->_timers) : 0, looks = TIMERS_LOOKED_AT;
    for (CFIndex idx = 0; idx < count && looks > 0; idx++) {
        CFRunLoopTimerRef t = (CFRunLoopTimerRef)CFArrayGetValueAtIndex(rlm->_timers, idx);
        if (__CFRunLoopTimerIsFiring(t)) continue;
        looks--;
        if (t->_fireTSR > hard) break;
        uint64_t tolerance = t->_tolerance > 0.0 ? __CFTimeIntervalToTSR(t->_tolerance) : 0;
        uint64_t room = UINT64_MAX - t->_fireTSR;
        uint64_t latest = tolerance > room ? UINT64_MAX : t->_fireTSR + tolerance;
        if (latest < hard) hard = latest;
        soft = t->_fireTSR;
        if (soft >= hard) break; // every later timer is due at that moment or after it
    }
    if (soft == UINT64_MAX) {
        if (rlm->_mkTimerArmed) mk_timer_cancel(rlm->_portSet);
        rlm->_mkTimerArmed = false;
    } else if (!rlm->_mkTimerArmed || soft != rlm->_timerSoftDeadline) {
        if (rlm->_timerPort == CFPORT_NULL) rlm->_timerPort = mk_timer_create(rlm->_portSet);
        CFRUNLOOP_NEXT_TIMER_ARMED(rl, rlm, soft);
        mk_timer_arm(rlm->_portSet, soft);
        rlm->_mkTimerArmed = true;
    }
    rlm->_timerSoftDeadline = soft;
    rlm->_timerHardDeadline = hard;
}

/// Makes the loop arm the port again before it next sleeps. If the loop sleeps in this mode now, or
/// if a host may be sleeping in its place, this function arms the port at once.
static void __CFRunLoopModeMarkTimersChanged(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    CF_ASSERT_LOCKED(rl, rlm);
    rlm->_timersChanged = true;
    if (rl->_sleepingMode == rlm || rlm->_hostSet) __CFArmNextTimerInMode(rlm, rl);
}

/// Inserts the timer, with the caller's reference, into the array at the place for its date. In the
/// original (all versions) this also removes it from its old place. Here the caller has removed it,
/// because an array finds a timer by its date, so the timer must leave all its arrays before its
/// date changes. If it is the mode's only timer, it has stayed.
static void __CFRepositionTimerInMode(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                      CFRunLoopTimerRef rlt) {
    CF_ASSERT_LOCKED(rl, rlm);
    if (CFArrayGetCount(rlm->_timers) != 1 || CFArrayGetValueAtIndex(rlm->_timers, 0) != rlt)
        __CFArrayPutSorted(rlm->_timers, rlt, __CFRunLoopTimerComparator, NULL);
    __CFRunLoopModeMarkTimersChanged(rl, rlm);
}

/// Removes a timer that is in the mode from the array, which finds it by its date. The caller owns
/// the array's reference afterwards.
static void __CFRunLoopModeTakeTimer(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                     CFRunLoopTimerRef rlt) {
    CF_ASSERT_LOCKED(rl, rlm);
    __CFArrayTakeUnique(rlm->_timers, rlt, __CFRunLoopTimerComparator, NULL);
}

/// Call this before you read the timer's modes, which rl's lock guards if this returns true.
static Boolean __CFRunLoopTimerIsInLoop(CFRunLoopTimerRef rlt, CFRunLoopRef rl) {
    CF_ASSERT_LOCKED(rl);
    __CFRunLoopTimerLock(rlt);
    Boolean isInLoop = rlt->_runLoop == rl;
    __CFRunLoopTimerUnlock(rlt);
    return isInLoop;
}

// MARK: - Change the date and the tolerance

typedef void (*__CFRunLoopTimerModeFunction)(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                             CFRunLoopTimerRef rlt);

static void __CFRunLoopTimerDoInMode(CFRunLoopRef rl, CFRunLoopTimerRef rlt, CFStringRef modeName,
                                     __CFRunLoopTimerModeFunction function) {
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, false);
    if (!rlm) return; // the name of the common modes, or NULL
    function(rl, rlm, rlt);
    __CFRunLoopModeUnlock(rlm);
}

/// Calls `function` with each mode of the timer, locked.
static void __CFRunLoopTimerForEachMode(CFRunLoopRef rl, CFRunLoopTimerRef rlt,
                                        __CFRunLoopTimerModeFunction function) {
    CF_ASSERT_LOCKED(rl);
    if (!rlt->_rlModes) {
        __CFRunLoopTimerDoInMode(rl, rlt, rlt->_onlyMode, function);
        return;
    }
    struct __CFRunLoopModeList modes;
    __CFRunLoopListModesInSet(rlt->_rlModes, &modes);
    for (CFIndex i = 0; i < modes.count; i++)
        __CFRunLoopTimerDoInMode(rl, rlt, modes.at[i].name, function);
    __CFRunLoopModeListFree(&modes);
}

/// Removes a timer that is about to be moved from the array, unless it is the only one there. Then
/// it keeps its place and the array's reference, whatever its date is.
static void __CFRunLoopModeTakeTimerToMove(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                           CFRunLoopTimerRef rlt) {
    if (CFArrayGetCount(rlm->_timers) > 1) __CFRunLoopModeTakeTimer(rl, rlm, rlt);
}

static void __CFRunLoopTimerMarkChanged(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                        CFRunLoopTimerRef rlt) {
    __CFRunLoopModeMarkTimersChanged(rl, rlm);
}

/// Moves the timer to its new place in all its modes.
static void __CFRunLoopTimerMove(CFRunLoopRef rl, CFRunLoopTimerRef rlt,
                                 struct __CFTimerMoment moment) {
    CF_ASSERT_LOCKED(rl, rlt);
    __CFRunLoopTimerForEachMode(rl, rlt, __CFRunLoopModeTakeTimerToMove);
    __CFRunLoopTimerSetMoment(rlt, moment);
    __CFRunLoopTimerForEachMode(rl, rlt, __CFRepositionTimerInMode);
}

/// Locks the timer's loop and the timer, as __CFRunLoopLockWithItem does, and returns the loop.
/// Mostly that is the calling thread's own loop, which can be locked without asking the timer
/// first. An invalid timer is in no loop.
static CFRunLoopRef __CFRunLoopLockWithTimer(CFRunLoopTimerRef rlt) {
    CFRunLoopRef own = (CFRunLoopRef)_CFGetTSD(__CFTSDKeyRunLoop);
    if (own && __CFIsValid(rlt)) {
        __CFRunLoopLock(own);
        __CFRunLoopTimerLock(rlt);
        if (rlt->_runLoop == own) return own;
        __CFRunLoopTimerUnlock(rlt);
        __CFRunLoopUnlock(own);
    }
    CFRunLoopRef rl = __CFRunLoopLockWithItem(rlt);
    if (rl && rl == own) CFRelease(rl); // see __CFRunLoopUnlockWithTimer
    return rl;
}

/// Unlocks the timer, and the loop that __CFRunLoopLockWithTimer returned. If `wakesUp`, and the
/// loop is another thread's, wakes the loop. Releases the loop unless it is the calling thread's
/// own, of which the thread has a reference anyway.
static void __CFRunLoopUnlockWithTimer(CFRunLoopRef rl, CFRunLoopTimerRef rlt, Boolean wakesUp) {
    __CFRunLoopTimerUnlock(rlt);
    if (!rl) return;
    __CFRunLoopUnlock(rl);
    if (rl == _CFGetTSD(__CFTSDKeyRunLoop)) return;
    if (wakesUp && !pthread_equal(rl->_pthread, pthread_self())) CFRunLoopWakeUp(rl);
    CFRelease(rl);
}

/// Changes the date, unless the present date is later than `unlessAfter`. `rl` is the timer's loop,
/// locked, or NULL.
static void __CFRunLoopTimerSetFireTSR(CFRunLoopRef rl, CFRunLoopTimerRef rlt,
                                       struct __CFTimerMoment moment, uint64_t unlessAfter) {
    CF_ASSERT_LOCKED(rlt);
    Boolean wanted = __CFRunLoopTimerDueTSR(rlt) <= unlessAfter;
    if (wanted) CFRUNLOOP_TIMER_RESCHEDULED(rl, rlt, __CFTimerMomentDueTSR(moment));
    if (!rl && wanted) __CFRunLoopTimerSetMoment(rlt, moment);
    if (rl && wanted) __CFRunLoopTimerMove(rl, rlt, moment);
    if (rl && !wanted) __CFRunLoopTimerForEachMode(rl, rlt, __CFRunLoopTimerMarkChanged);
}

/// If the calling thread is not the loop's, wakes the loop. The timer does not need that, because
/// the port is already armed. But the original (all versions) wakes the loop, and a program may
/// depend on it.
void CFRunLoopTimerSetNextFireDate(CFRunLoopTimerRef rlt, CFAbsoluteTime fireDate) {
    CHECK_FOR_FORK();
    __CFRunLoopTimerCheckTime(fireDate, "CFRunLoopTimerSetNextFireDate");
    // Among many timers, this one is in no cache: the clocks are read while it comes.
    __CFPrefetch(rlt, sizeof(*rlt));
    struct __CFTimerMoment moment = __CFTimerMomentOfDate(fireDate);
    if (!__CFIsValid(rlt)) return;
    CFRunLoopRef rl = __CFRunLoopLockWithTimer(rlt);
    __CFRunLoopTimerSetFireTSR(rl, rlt, moment, UINT64_MAX);
    __CFRunLoopUnlockWithTimer(rl, rlt, true);
}

/// Limits a repeating timer's tolerance to half its interval, as on a Mac (all versions). Otherwise
/// one firing could overlap the next.
void CFRunLoopTimerSetTolerance(CFRunLoopTimerRef rlt, CFTimeInterval tolerance) {
    CHECK_FOR_FORK();
    CFTimeInterval most = rlt->_interval / 2;
    if (!(tolerance > 0.0)) tolerance = 0.0;
    if (rlt->_interval > 0.0 && tolerance > most) tolerance = most;
    CFRunLoopRef rl = __CFRunLoopLockWithTimer(rlt);
    rlt->_tolerance = tolerance;
    if (rl) __CFRunLoopTimerForEachMode(rl, rlt, __CFRunLoopTimerMarkChanged);
    __CFRunLoopUnlockWithTimer(rl, rlt, false);
}

// MARK: - Add

/// Most timers are only ever in one mode, and need no set.
static void __CFRunLoopTimerAddModeName(CFRunLoopTimerRef rlt, CFStringRef modeName) {
    if (!rlt->_rlModes && !rlt->_onlyMode) {
        rlt->_onlyMode = modeName;
        return;
    }
    if (!rlt->_rlModes) {
        rlt->_rlModes = CFSetCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeSetCallBacks);
        CFSetAddValue(rlt->_rlModes, rlt->_onlyMode);
        rlt->_onlyMode = NULL;
    }
    CFSetAddValue(rlt->_rlModes, modeName);
}

/// Records that the timer is in a mode of that name, or with kCFRunLoopCommonModes that it is a
/// common item. Returns false if that is already recorded, or if the timer is invalid or in another
/// loop.
static Boolean __CFRunLoopTimerJoin(CFRunLoopTimerRef rlt, CFRunLoopRef rl, CFStringRef modeName) {
    CF_ASSERT_LOCKED(rl);
    __CFRunLoopTimerLock(rlt);
    Boolean joins = __CFIsValid(rlt) && (!rlt->_runLoop || rlt->_runLoop == rl)
        && !__CFRunLoopTimerIsInMode(rlt, modeName);
    if (joins) {
        if (!rlt->_runLoop) rlt->_turn = atomic_fetch_add(&__CFTimerTurns, 1);
        rlt->_runLoop = rl;
        __CFRunLoopTimerAddModeName(rlt, modeName);
    }
    __CFRunLoopTimerUnlock(rlt);
    return joins;
}

/// Undoes one __CFRunLoopTimerJoin.
static void __CFRunLoopTimerLeave(CFRunLoopTimerRef rlt, CFRunLoopRef rl, CFStringRef modeName) {
    CF_ASSERT_LOCKED(rl);
    __CFRunLoopTimerLock(rlt);
    rlt->_onlyMode = NULL;
    if (rlt->_rlModes) CFSetRemoveValue(rlt->_rlModes, modeName);
    if (__CFRunLoopTimerGetModeCount(rlt) == 0) rlt->_runLoop = NULL;
    __CFRunLoopTimerUnlock(rlt);
}

static Boolean __CFRunLoopModeContainsTimer(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                            CFRunLoopTimerRef rlt) {
    CF_ASSERT_LOCKED(rl, rlm);
    return __CFRunLoopTimerIsInLoop(rlt, rl) && __CFRunLoopTimerIsInMode(rlt, rlm->_name);
}

Boolean __CFRunLoopAddTimerToMode(CFRunLoopRef rl, CFRunLoopTimerRef rlt, CFStringRef modeName) {
    CF_ASSERT_LOCKED(rl);
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, true);
    if (!rlm) return false;
    Boolean added = __CFRunLoopTimerJoin(rlt, rl, rlm->_name);
    if (added) {
        CFArrayCallBacks callBacks = kCFTypeArrayCallBacks;
        callBacks.equal = NULL; // a timer is equal only to itself
        if (!rlm->_timers)
            rlm->_timers = __CFArrayCreateMutableWithKeys(kCFAllocatorSystemDefault, &callBacks,
                                                          __CFRunLoopTimerKey);
        CFRetain(rlt);
        __CFRepositionTimerInMode(rl, rlm, rlt);
    }
    __CFRunLoopModeUnlock(rlm);
    return added;
}

void CFRunLoopAddTimer(CFRunLoopRef rl, CFRunLoopTimerRef rlt, CFStringRef modeName) {
    CHECK_FOR_FORK();
    if (__CFRunLoopIsDeallocating(rl) || !__CFIsValid(rlt)) return;
    if (__CFRunLoopRefusesItems(rl, "A timer")) return;
    struct __CFRunLoopModeList modes;
    __CFRunLoopLock(rl);
    __CFRunLoopListModesNamed(rl, modeName, &modes);
    if (modes.areCommon && __CFRunLoopTimerJoin(rlt, rl, kCFRunLoopCommonModes))
        __CFRunLoopAddCommonItem(rl, rlt);
    for (CFIndex i = 0; i < modes.count; i++)
        __CFRunLoopAddTimerToMode(rl, rlt, modes.at[i].name);
    __CFRunLoopModeListFree(&modes);
    __CFRunLoopUnlock(rl);
}

Boolean CFRunLoopContainsTimer(CFRunLoopRef rl, CFRunLoopTimerRef rlt, CFStringRef modeName) {
    CHECK_FOR_FORK();
    if (!rlt) return false;
    __CFRunLoopLock(rl);
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, false);
    Boolean hasValue = rlm ? __CFRunLoopModeContainsTimer(rl, rlm, rlt)
        : __CFRunLoopIsCommonModes(modeName) && __CFRunLoopContainsCommonItem(rl, rlt);
    if (rlm) __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(rl);
    return hasValue;
}

// MARK: - Remove

/// Removes a timer of this loop from a single mode. The caller has a reference to rlt.
static void __CFRunLoopRemoveTimerFromMode(CFRunLoopRef rl, CFRunLoopTimerRef rlt,
                                           CFStringRef modeName) {
    CF_ASSERT_LOCKED(rl);
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, false);
    if (!rlm) return;
    if (__CFRunLoopTimerIsInMode(rlt, rlm->_name)) {
        __CFRunLoopModeTakeTimer(rl, rlm, rlt);
        CFRelease(rlt);
        __CFRunLoopTimerLeave(rlt, rl, rlm->_name);
        __CFRunLoopModeMarkTimersChanged(rl, rlm);
    }
    __CFRunLoopModeUnlock(rlm);
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
    struct __CFRunLoopModeList modes;
    CFRetain(rlt); // the mode may have the last reference, which must go with nothing locked
    __CFRunLoopLock(rl);
    __CFRunLoopListModesNamed(rl, modeName, &modes);
    // If the timer is not a common item, it stays in the common modes.
    if (modes.areCommon && !__CFRunLoopRemoveCommonTimer(rl, rlt)) modes.count = 0;
    // When it has left the last mode, another thread may add it to another loop.
    for (CFIndex i = 0; i < modes.count && __CFRunLoopTimerIsInLoop(rlt, rl); i++)
        __CFRunLoopRemoveTimerFromMode(rl, rlt, modes.at[i].name);
    __CFRunLoopModeListFree(&modes);
    __CFRunLoopUnlock(rl);
    CFRelease(rlt);
}

// MARK: - Invalidate

static void __CFRunLoopModeLoseTimer(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                     CFRunLoopTimerRef rlt) {
    __CFRunLoopModeTakeTimer(rl, rlm, rlt);
    __CFRunLoopModeMarkTimersChanged(rl, rlm);
}

/// Removes a timer from its loop. The caller releases the loop's references to the timer, which
/// this returns the number of.
static CFIndex __CFRunLoopTimerRemoveFromRunLoop(CFRunLoopTimerRef rlt, CFRunLoopRef rl) {
    CF_ASSERT_LOCKED(rl, rlt);
    CFIndex references = __CFRunLoopTimerGetModeCount(rlt);
    __CFRunLoopTimerForEachMode(rl, rlt, __CFRunLoopModeLoseTimer);
    if (__CFRunLoopTimerIsInMode(rlt, kCFRunLoopCommonModes)) __CFRunLoopTakeCommonItem(rl, rlt);
    rlt->_runLoop = NULL;
    rlt->_onlyMode = NULL;
    if (rlt->_rlModes) CFSetRemoveAllValues(rlt->_rlModes);
    return references;
}

/// Call with nothing locked. DOES CALLOUT: release
void CFRunLoopTimerInvalidate(CFRunLoopTimerRef rlt) {
    CHECK_FOR_FORK();
    if (!__CFIsValid(rlt)) return;
    CFRunLoopRef rl = __CFRunLoopLockWithTimer(rlt);
    struct __CFRunLoopInfo info = __CFRunLoopItemInvalidate(rlt);
    CFIndex references = rl ? __CFRunLoopTimerRemoveFromRunLoop(rlt, rl) : 0;
    __CFRunLoopUnlockWithTimer(rl, rlt, false);
    while (references-- > 0) CFRelease(rlt); // may deallocate the timer
    __CFRunLoopReleaseInfo(info);
}

// MARK: - Do: step 9.1

/// The assembler line keeps this frame in stack traces: see
/// __CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__.
static __attribute__((noinline)) void __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__(
    CFRunLoopTimerCallBack func, CFRunLoopTimerRef timer, void *info) {
    if (func) func(timer, info);
    __asm__ volatile("/* timer */");
}

/// Marks the timer as firing, and retains the info for its callback. Returns false if the timer is
/// no longer due, because a timer that fired before it has removed, invalidated or postponed it.
/// Also returns false if the timer is already in its callback, in a run around this one or on
/// another thread. Call with nothing locked. DOES CALLOUT: retain
static Boolean __CFRunLoopTimerBeginFiring(CFRunLoopTimerRef rlt, CFRunLoopRef rl, void **info,
                                           uint64_t limitTSR, struct __CFTimerMoment *fired) {
    __CFRunLoopTimerLock(rlt);
    // The present time matters only if the date was changed since the array was searched.
    Boolean fires = __CFIsValid(rlt) && rlt->_runLoop == rl && !__CFRunLoopTimerIsFiring(rlt)
        && (rlt->_fireTSR <= limitTSR || rlt->_fireTSR <= mach_absolute_time());
    if (fires) {
        *info = __CFRunLoopItemBeginFiring(rlt);
        *fired = (struct __CFTimerMoment){rlt->_fireTSR, rlt->_firstTSR, rlt->_beat,
                                          rlt->_nextFireDate, rlt->_clockOffset};
    }
    __CFRunLoopTimerUnlock(rlt);
    if (fires && rlt->_context.retain) *info = (void *)rlt->_context.retain(*info);
    return fires;
}

/// Ends the firing, and sets the next date, unless the callback has set a later one [D30]. The loop
/// skipped the timer while it was firing, so this also arms the port again in all modes of the
/// timer. Call with nothing locked. DOES CALLOUT: release
static void __CFRunLoopTimerEndFiring(CFRunLoopTimerRef rlt, struct __CFTimerMoment fired) {
    CFRunLoopRef rl = __CFRunLoopLockWithTimer(rlt);
    struct __CFRunLoopInfo late = __CFRunLoopItemEndFiring(rlt);
    if (__CFIsValid(rlt))
        __CFRunLoopTimerSetFireTSR(rl, rlt, __CFTimerMomentAfter(fired, rlt->_interval),
                                   __CFTimerMomentDueTSR(fired));
    __CFRunLoopUnlockWithTimer(rl, rlt, true);
    __CFRunLoopReleaseInfo(late);
}

/// Fires one timer, and releases it. Unlocks rl and rlm, and locks them again at the end. DOES
/// CALLOUT
static __attribute__((noinline))
Boolean __CFRunLoopDoTimer(CFRunLoopRef rl, CFRunLoopModeRef rlm, CFRunLoopTimerRef rlt,
                           uint64_t limitTSR) {
    CF_ASSERT_LOCKED(rl, rlm);
    void *info;
    struct __CFTimerMoment fired;
    // The port may be armed for this timer. A nested run skips the timer, so it must arm the port.
    rlm->_timersChanged = true;
    __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(rl);
    Boolean timerHandled = __CFRunLoopTimerBeginFiring(rlt, rl, &info, limitTSR, &fired);
    if (timerHandled) {
        CFRL_IS_CALLING_START(TIMER, rl, rlm, rlt, __CFRunLoopTimerFunction(rlt, info),
                              __CFTimerMomentDueTSR(fired));
        __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__(rlt->_callout, rlt, info);
        CHECK_FOR_FORK();
        CFRL_IS_CALLING_END(TIMER, rl, rlm, rlt);
        if (rlt->_interval == 0.0) CFRunLoopTimerInvalidate(rlt);
        if (rlt->_context.retain && rlt->_context.release) rlt->_context.release(info);
        __CFRunLoopTimerEndFiring(rlt, fired);
    }
    // Release the timer here, because this may be the last reference, which must go with nothing
    // locked, and because the timer is still in the processor's caches.
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
    rlm->_timersChanged = true; // the port has fired, so the loop must arm or disarm it
    rlm->_timerSoftDeadline = UINT64_MAX;
    // Compares as later than every timer that is due, and as earlier than all others.
    struct __CFRunLoopTimer last = {._fireTSR = limitTSR, ._turn = UINT64_MAX};
    CFIndex due = rlm->_timers ? __CFRunLoopInsertionIndexInTimerArray(rlm->_timers, &last) : 0;
    if (!due) return false;
    CFRunLoopTimerRef few[__kCFRunLoopFewItems];
    CFRunLoopTimerRef *timers =
        due <= __kCFRunLoopFewItems ? few : malloc((size_t)due * sizeof(*timers));
    if (!timers) __CF_HAS_NO_MEMORY_LEFT__("the timers of a pass");
    CFArrayGetValues(rlm->_timers, CFRangeMake(0, due), (const void **)timers);
    for (CFIndex i = 0; i < due; i++) CFRetain(timers[i]);
    for (CFIndex i = 0; i < due; i++) {
        // If thousands are due, none is in the cache. The processor fetches one while others fire,
        // which saves a third of the time.
        if (i + 3 < due) __CFPrefetch(timers[i + 3], sizeof(*timers[i]));
        if (__CFRunLoopDoTimer(rl, rlm, timers[i], limitTSR)) timerHandled = true;
    }
    if (timers != few) free(timers);
    return timerHandled;
}
