/// CFRunLoopTimer.c: timers, from creation to callback.
///
/// A mode keeps its timers in one sorted array. It has one timer port, which is armed for the first
/// of them, or a little later if tolerances allow. When the port wakes the loop, all timers that
/// are due fire. The loop arms the port again before it next sleeps: once a pass, however often the
/// array has changed. In the original (all versions) each change arms it. Here a change does so
/// only while the loop sleeps, because a sleeping loop cannot arm it.

#define _GNU_SOURCE // dladdr
#include "CFRunLoopProbes.h"

#include <dlfcn.h>
#include "Names/CFRunLoopTimer.h"

extern void _Block_release(const void *block);

static _Atomic(uint64_t) __CFTimerTurns = 0; // counts the timers that were added to a loop

// MARK: - The callout

/// Keeps its frame: see __CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__.
static __attribute__((noinline)) void __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__(
    CFRunLoopTimerCallBack func, CFRunLoopTimerRef timer, void *info) {
    if (func) func(timer, info);
    __asm__ volatile("/* timer */");
}

static void _runLoopTimerWithBlockContext(CFRunLoopTimerRef timer, void *block) {
    ((void (^)(CFRunLoopTimerRef))block)(timer);
    __asm__ volatile("/* timer's block */"); // keeps this frame
}

/// The client's function, for the trace.
static const void *__CFRunLoopTimerFunction(CFRunLoopTimerRef rlt, const void *info) {
    return rlt->_callout == _runLoopTimerWithBlockContext ? __CFRunLoopBlockFunction(info)
        : (const void *)rlt->_callout;
}

// MARK: - The class

/// Needs no lock.
static Boolean __CFRunLoopTimerIsFiring(CFRunLoopTimerRef rlt) {
    return (atomic_load(&rlt->_bits) & __kCFRunLoopTimerFiring) != 0;
}

/// A deallocated timer is in no loop, because loops retain their timers. Call with nothing locked.
/// DOES CALLOUT: release
static void __CFRunLoopTimerDeallocate(CFTypeRef cf) {
    CFRunLoopTimerRef rlt = (CFRunLoopTimerRef)cf;
    Boolean wasValid = __CFIsValid(rlt);
    __CFUnsetValid(rlt);
    if (wasValid && rlt->_context.release) rlt->_context.release(rlt->_context.info);
    CFRelease(rlt->_rlModes);
    pthread_mutex_destroy(&rlt->_lock);
}

/// Call with nothing locked. DOES CALLOUT: copyDescription
static CFStringRef __CFRunLoopTimerCopyDescription(CFTypeRef cf) {
    CFRunLoopTimerRef rlt = (CFRunLoopTimerRef)cf;
    CFStringRef (*describe)(const void *) = rlt->_context.copyDescription;
    // The timer was made with a handler.
    if (rlt->_context.retain == __CFBlockCopy) describe = __CFBlockCopyDescription;
    void *info;
    CFStringRef context = __CFRunLoopItemCopyInfoDescription(rlt, describe, &info);
    if (!context)
        context = CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL,
                                           CFSTR("<CFRunLoopTimer context %p>"), info);
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
    if (context) CFRelease(context); // NULL if there was no memory, and then described as (null)
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

/// Every comparison with a date or interval that is not a number is false, so the timer would never
/// fire, or never stop. [D7]
static __attribute__((noinline, noreturn, cold))
void __CFRUNLOOPTIMER_WAS_GIVEN_A_TIME_THAT_IS_NOT_A_NUMBER__(const char *function) {
    __CFHalt("%s was given a date or an interval that is not a number (NaN). Look for a division "
             "of 0 by 0 in the code that computed it.", function);
}

static void __CFRunLoopTimerCheckTime(double time, const char *function) {
    if (isnan(time)) __CFRUNLOOPTIMER_WAS_GIVEN_A_TIME_THAT_IS_NOT_A_NUMBER__(function);
}

static uint64_t __CFTSRAfter(uint64_t tsr, uint64_t delay) {
    return tsr > UINT64_MAX - delay ? UINT64_MAX : tsr + delay;
}

/// When a timer fires. `tsr` is the moment on the monotonic clock. From now on the timer follows
/// it, even if the wall clock is set. `date` is the date of that moment, and `clockOffset` is how
/// far apart the two clocks were when it was computed.
struct __CFTimerMoment {
    uint64_t tsr;
    uint64_t firstTSR;
    uint64_t beat;
    CFAbsoluteTime date;
    int64_t clockOffset;
};

/// The moment since which a timer is due. It is not before the moment at which the timer was given
/// its date. Needs no lock.
static uint64_t __CFTimerMomentDueTSR(struct __CFTimerMoment moment) {
    return moment.tsr > moment.firstTSR ? moment.tsr : moment.firstTSR;
}

/// The limit in all versions of the original: the beginning of the year 2129.
#define TIMER_DATE_LIMIT 4039289856.0

/// A date in the past keeps its place among the other dates [D41], but the rhythm begins now.
static struct __CFTimerMoment __CFTimerMomentOfDate(CFAbsoluteTime date) {
    if (date > TIMER_DATE_LIMIT) date = TIMER_DATE_LIMIT;
    int64_t clockOffset = __CFClockOffset();
    uint64_t tsr = __CFTSROfDate(date, clockOffset), now = mach_absolute_time();
    return (struct __CFTimerMoment){tsr, tsr > now ? tsr : now, 0, date, clockOffset};
}

/// The next moment of the rhythm that has not passed. The timer skips the moments that it missed
/// while the loop was busy, and does not make up for them (T3). Each moment is computed from the
/// first one, so rounding errors do not add up. [D42] Needs no lock.
static struct __CFTimerMoment __CFTimerMomentAfter(struct __CFTimerMoment moment,
                                                   CFTimeInterval interval) {
    if (interval > TIMER_INTERVAL_LIMIT) interval = TIMER_INTERVAL_LIMIT;
    struct __CFTicks ticks = __CFTicksOfTimeInterval(interval);
    moment.beat = __CFBeatAfter(moment.firstTSR, ticks, moment.beat, mach_absolute_time());
    moment.tsr = __CFTSROfBeat(moment.firstTSR, ticks, moment.beat);
    moment.date = __CFDateOfTSR(moment.tsr, moment.clockOffset);
    return moment;
}

/// Call with rlt locked.
static void __CFRunLoopTimerSetMoment(CFRunLoopTimerRef rlt, struct __CFTimerMoment moment) {
    rlt->_fireTSR = moment.tsr;
    rlt->_firstTSR = moment.firstTSR;
    rlt->_beat = moment.beat;
    rlt->_nextFireDate = moment.date;
    rlt->_clockOffset = moment.clockOffset;
}

/// If someone has set the wall clock since the date was stored, the date moves with the clock: the
/// timer still fires at the same moment. [D22] Call with rlt not locked; rl may be.
static CFAbsoluteTime __CFRunLoopTimerGetDate(CFRunLoopTimerRef rlt) {
    __CFRunLoopTimerLock(rlt);
    CFAbsoluteTime date = rlt->_nextFireDate;
    int64_t moved = __CFClockOffset() - rlt->_clockOffset;
    __CFRunLoopTimerUnlock(rlt);
    return moved ? date + (CFTimeInterval)moved / 1.0e9 : date;
}

// MARK: - Creation and queries

CFRunLoopTimerRef CFRunLoopTimerCreate(CFAllocatorRef allocator, CFAbsoluteTime fireDate,
                                       CFTimeInterval interval,
                                       CFOptionFlags flags, CFIndex order,
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
    rlt->_rlModes = CFSetCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeSetCallBacks);
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
                                                  CFTimeInterval interval,
                                                  CFOptionFlags flags, CFIndex order,
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

// MARK: - The sorted array

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
    return rlt1->_turn < rlt2->_turn ? kCFCompareLessThan : rlt1->_turn > rlt2->_turn
        ? kCFCompareGreaterThan : kCFCompareEqualTo;
}

/// The key that the array is sorted by first. It does not change while the timer is in an array:
/// see __CFRunLoopTimerMove. Call with rl locked.
static uint64_t __CFRunLoopTimerKey(const void *rlt) {
    return ((CFRunLoopTimerRef)rlt)->_fireTSR;
}

/// The index of a timer in the array, or the index at which it would be inserted. Call with rl
/// locked.
static CFIndex __CFRunLoopInsertionIndexInTimerArray(CFArrayRef timers, CFRunLoopTimerRef rlt) {
    return CFArrayBSearchValues(timers, CFRangeMake(0, CFArrayGetCount(timers)), rlt,
                                __CFRunLoopTimerComparator, NULL);
}

/// The loop arms the port again before it next sleeps. If it sleeps in this mode now, or if another
/// event loop may be sleeping in its place, this function arms it at once. Call with rl and rlm
/// locked.
static void __CFRunLoopModeTimersChanged(CFRunLoopModeRef rlm, CFRunLoopRef rl) {
    rlm->_timersChanged = true;
    if (rl->_sleepingMode == rlm || rlm->_hostSet) __CFArmNextTimerInMode(rlm, rl);
}

/// A firing timer is at or near the head of the array, so this looks there before it searches. Call
/// with rl and rlm locked.
static void __CFRunLoopModeRemoveTimer(CFRunLoopModeRef rlm, CFRunLoopTimerRef rlt) {
    Boolean isFirst = CFArrayGetValueAtIndex(rlm->_timers, 0) == rlt;
    CFArrayRemoveValueAtIndex(rlm->_timers, isFirst ? 0
                              : __CFRunLoopInsertionIndexInTimerArray(rlm->_timers, rlt));
}

/// Inserts the timer at the place that its date demands. In the original (all versions) this also
/// removes it from its old place. Here a timer leaves all its arrays before its date changes,
/// because they find it by its date. Call with rl and rlm locked.
static void __CFRepositionTimerInMode(CFRunLoopModeRef rlm, CFRunLoopRef rl,
                                      CFRunLoopTimerRef rlt) {
    CFArrayInsertValueAtIndex(rlm->_timers,
                              __CFRunLoopInsertionIndexInTimerArray(rlm->_timers, rlt), rlt);
    __CFRunLoopModeTimersChanged(rlm, rl);
}

struct __CFTimerOfLoop {
    CFRunLoopRef rl;
    CFRunLoopTimerRef rlt;
};

/// Calls `function` with the name of each mode that contains the timer, and with the name of the
/// common modes if the timer is a common item. Call with rl locked.
static void __CFRunLoopTimerForEachMode(CFRunLoopRef rl, CFRunLoopTimerRef rlt,
                                        void (*function)(const void *modeName, void *timerOfLoop)) {
    CFSetApplyFunction(rlt->_rlModes, function, &(struct __CFTimerOfLoop){rl, rlt});
}

// MARK: - Changing the date

/// Takes the timer out of a mode's array. Call with rl locked; the caller has a reference to rlt.
static void __CFRunLoopTimerLeaveArray(const void *modeName, void *context) {
    struct __CFTimerOfLoop *timer = context;
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(timer->rl, modeName, false);
    if (!rlm) return; // this is the name of the common modes
    __CFRunLoopModeRemoveTimer(rlm, timer->rlt);
    __CFRunLoopModeUnlock(rlm);
}

/// Puts the timer into a mode's array. Call with rl locked.
static void __CFRunLoopTimerJoinArray(const void *modeName, void *context) {
    struct __CFTimerOfLoop *timer = context;
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(timer->rl, modeName, false);
    if (!rlm) return;
    __CFRepositionTimerInMode(rlm, timer->rl, timer->rlt);
    __CFRunLoopModeUnlock(rlm);
}

/// Call with rl locked; the caller has a reference to rlt.
static void __CFRunLoopTimerMove(CFRunLoopRef rl, CFRunLoopTimerRef rlt,
                                 struct __CFTimerMoment moment) {
    // The arrays find it by its old date.
    __CFRunLoopTimerForEachMode(rl, rlt, __CFRunLoopTimerLeaveArray);
    __CFRunLoopTimerLock(rlt);
    __CFRunLoopTimerSetMoment(rlt, moment);
    __CFRunLoopTimerUnlock(rlt);
    __CFRunLoopTimerForEachMode(rl, rlt, __CFRunLoopTimerJoinArray);
}

/// Makes a mode check its timers again. Call with rl locked.
static void __CFRunLoopTimerTellMode(const void *modeName, void *context) {
    struct __CFTimerOfLoop *timer = context;
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(timer->rl, modeName, false);
    if (!rlm) return;
    __CFRunLoopModeTimersChanged(rlm, timer->rl);
    __CFRunLoopModeUnlock(rlm);
}

/// Changes the date, unless the date is now later than `unlessAfter`. If another thread calls this,
/// it wakes the loop. The timer does not need that, because the port is already armed. But the
/// original (all versions) wakes the loop, and a program may see it. Call with nothing locked.
static void __CFRunLoopTimerSetFireTSR(CFRunLoopTimerRef rlt, struct __CFTimerMoment moment,
                                       uint64_t unlessAfter) {
    CFRetain(rlt);
    CFRunLoopRef rl = __CFRunLoopLockWithItem(rlt);
    Boolean wanted = __CFRunLoopTimerDueTSR(rlt) <= unlessAfter;
    if (!rl && wanted) __CFRunLoopTimerSetMoment(rlt, moment);
    __CFRunLoopTimerUnlock(rlt);
    if (wanted) CFRUNLOOP_TIMER_RESCHEDULED(rl, rlt, __CFTimerMomentDueTSR(moment));
    if (rl) {
        if (wanted) __CFRunLoopTimerMove(rl, rlt, moment);
        else __CFRunLoopTimerForEachMode(rl, rlt, __CFRunLoopTimerTellMode);
        __CFRunLoopUnlock(rl);
        if (!pthread_equal(rl->_pthread, pthread_self())) CFRunLoopWakeUp(rl);
        CFRelease(rl);
    }
    CFRelease(rlt);
}

/// Makes the processor fetch everything that a change of the date needs, while this thread reads
/// the clocks. One timer among many is in no cache. Needs no lock.
static void __CFRunLoopTimerPrefetch(CFRunLoopTimerRef rlt) {
    __builtin_prefetch(&rlt->_turn);
    __builtin_prefetch(rlt->_rlModes);
}

void CFRunLoopTimerSetNextFireDate(CFRunLoopTimerRef rlt, CFAbsoluteTime fireDate) {
    CHECK_FOR_FORK();
    __CFRunLoopTimerCheckTime(fireDate, "CFRunLoopTimerSetNextFireDate");
    __CFRunLoopTimerPrefetch(rlt);
    if (!__CFIsValid(rlt)) return;
    __CFRunLoopTimerSetFireTSR(rlt, __CFTimerMomentOfDate(fireDate), UINT64_MAX);
}

/// Limits a repeating timer's tolerance to half its interval, as on a Mac (all versions). Otherwise
/// one firing could overlap the next. Needs no lock.
static CFTimeInterval __CFRunLoopTimerLimitTolerance(CFRunLoopTimerRef rlt,
                                                     CFTimeInterval tolerance) {
    if (!(tolerance > 0.0)) return 0.0;
    return rlt->_interval > 0.0 && tolerance > rlt->_interval / 2 ? rlt->_interval / 2 : tolerance;
}

void CFRunLoopTimerSetTolerance(CFRunLoopTimerRef rlt, CFTimeInterval tolerance) {
    CHECK_FOR_FORK();
    CFRunLoopRef rl = __CFRunLoopLockWithItem(rlt);
    rlt->_tolerance = __CFRunLoopTimerLimitTolerance(rlt, tolerance);
    __CFRunLoopTimerUnlock(rlt);
    if (!rl) return;
    __CFRunLoopTimerForEachMode(rl, rlt, __CFRunLoopTimerTellMode);
    __CFRunLoopUnlock(rl);
    CFRelease(rl);
}

// MARK: - Adding

/// Records that the timer is in a mode of that name. The name of the common modes records that it
/// is a common item. Returns false if that is already recorded, or if the timer is invalid or in
/// another loop. Call with rl locked.
static Boolean __CFRunLoopTimerJoin(CFRunLoopTimerRef rlt, CFRunLoopRef rl, CFStringRef modeName) {
    __CFRunLoopTimerLock(rlt);
    Boolean joins = __CFIsValid(rlt) && (!rlt->_runLoop || rlt->_runLoop == rl)
        && !CFSetContainsValue(rlt->_rlModes, modeName);
    if (joins) {
        if (!rlt->_runLoop) rlt->_turn = atomic_fetch_add(&__CFTimerTurns, 1);
        rlt->_runLoop = rl;
        CFSetAddValue(rlt->_rlModes, modeName);
    }
    __CFRunLoopTimerUnlock(rlt);
    return joins;
}

/// Records that the timer is no longer in a mode of that name. Call with rl locked.
static void __CFRunLoopTimerLeave(CFRunLoopTimerRef rlt, CFRunLoopRef rl, CFStringRef modeName) {
    (void)rl;
    __CFRunLoopTimerLock(rlt);
    CFSetRemoveValue(rlt->_rlModes, modeName);
    if (!CFSetGetCount(rlt->_rlModes)) rlt->_runLoop = NULL;
    __CFRunLoopTimerUnlock(rlt);
}

/// Call with rlt not locked; rl may be.
static Boolean __CFRunLoopTimerIsInMode(CFRunLoopTimerRef rlt, CFRunLoopRef rl,
                                        CFStringRef modeName) {
    __CFRunLoopTimerLock(rlt);
    Boolean isIn = rlt->_runLoop == rl && CFSetContainsValue(rlt->_rlModes, modeName);
    __CFRunLoopTimerUnlock(rlt);
    return isIn;
}

Boolean __CFRunLoopAddTimerToMode(CFRunLoopRef rl, CFRunLoopTimerRef rlt, CFStringRef modeName) {
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, true);
    if (!rlm) return false;
    Boolean added = __CFRunLoopTimerJoin(rlt, rl, rlm->_name);
    if (added) {
        CFArrayCallBacks callBacks = kCFTypeArrayCallBacks;
        callBacks.equal = NULL; // a timer is equal only to itself
        if (!rlm->_timers)
            rlm->_timers = __CFArrayCreateMutableWithKeys(kCFAllocatorSystemDefault, &callBacks,
                                                          __CFRunLoopTimerKey);
        __CFRepositionTimerInMode(rlm, rl, rlt);
    }
    __CFRunLoopModeUnlock(rlm);
    return added;
}

/// Call with rl locked.
static void __CFRunLoopAddTimerToModeNamed(const void *modeName, void *context) {
    struct __CFTimerOfLoop *added = context;
    __CFRunLoopAddTimerToMode(added->rl, added->rlt, modeName);
}

void CFRunLoopAddTimer(CFRunLoopRef rl, CFRunLoopTimerRef rlt, CFStringRef modeName) {
    CHECK_FOR_FORK();
    if (__CFRunLoopIsDeallocating(rl) || !__CFIsValid(rlt)) return;
    if (__CFRunLoopRefusesItems(rl, "A timer")) return;
    __CFRunLoopLock(rl);
    if (__CFRunLoopIsCommonModes(modeName) && __CFRunLoopTimerJoin(rlt, rl, kCFRunLoopCommonModes))
        __CFRunLoopAddCommonItem(rl, rlt);
    __CFRunLoopForEachModeNamed(rl, modeName, __CFRunLoopAddTimerToModeNamed,
                                &(struct __CFTimerOfLoop){rl, rlt});
    __CFRunLoopUnlock(rl);
}

Boolean CFRunLoopContainsTimer(CFRunLoopRef rl, CFRunLoopTimerRef rlt, CFStringRef modeName) {
    CHECK_FOR_FORK();
    return rlt && modeName && __CFRunLoopTimerIsInMode(rlt, rl, modeName);
}

CFAbsoluteTime CFRunLoopGetNextTimerFireDate(CFRunLoopRef rl, CFStringRef modeName) {
    CHECK_FOR_FORK();
    CFAbsoluteTime date = 0.0;
    __CFRunLoopLock(rl);
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, false);
    if (rlm) {
        if (rlm->_timers && CFArrayGetCount(rlm->_timers))
            date = __CFRunLoopTimerGetDate((CFRunLoopTimerRef)CFArrayGetValueAtIndex(rlm->_timers,
                                                                                     0));
        __CFRunLoopModeUnlock(rlm);
    }
    __CFRunLoopUnlock(rl);
    return date;
}

// MARK: - Removing and invalidating

/// Call with rl locked; the caller has a reference to rlt.
static void __CFRunLoopRemoveTimerFromModeNamed(const void *modeName, void *context) {
    struct __CFTimerOfLoop *removed = context;
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(removed->rl, modeName, false);
    if (!rlm) return;
    if (__CFRunLoopTimerIsInMode(removed->rlt, removed->rl, rlm->_name)) {
        // Remove it from the array first. The array finds it by its date, which may change as soon
        // as the timer has left the loop.
        __CFRunLoopModeRemoveTimer(rlm, removed->rlt);
        __CFRunLoopTimerLeave(removed->rlt, removed->rl, rlm->_name);
        __CFRunLoopModeTimersChanged(rlm, removed->rl);
    }
    __CFRunLoopModeUnlock(rlm);
}

/// Removes a timer from the common items, but not from the common modes. Returns false if it is not
/// a common item. Call with rl locked; the caller has a reference to rlt.
static Boolean __CFRunLoopRemoveCommonTimer(CFRunLoopRef rl, CFRunLoopTimerRef rlt) {
    if (!__CFRunLoopTakeCommonItem(rl, rlt)) return false;
    CFRelease(rlt); // not the last reference: the caller has one
    __CFRunLoopTimerLeave(rlt, rl, kCFRunLoopCommonModes);
    return true;
}

void CFRunLoopRemoveTimer(CFRunLoopRef rl, CFRunLoopTimerRef rlt, CFStringRef modeName) {
    CHECK_FOR_FORK();
    if (!rlt) return;
    CFRetain(rlt); // the mode may hold the last reference, which must go with nothing locked
    __CFRunLoopLock(rl);
    // If the timer is not a common item, it stays in the common modes.
    if (!__CFRunLoopIsCommonModes(modeName) || __CFRunLoopRemoveCommonTimer(rl, rlt))
        __CFRunLoopForEachModeNamed(rl, modeName, __CFRunLoopRemoveTimerFromModeNamed,
                                    &(struct __CFTimerOfLoop){rl, rlt});
    __CFRunLoopUnlock(rl);
    CFRelease(rlt);
}

/// Removes an invalid timer from its loop. Call with nothing locked.
static void __CFRunLoopTimerRemoveFromItsLoop(CFRunLoopTimerRef rlt) {
    CFRunLoopRef rl = __CFRunLoopLockWithItem(rlt);
    // The timer need not stay locked: it is invalid, so it cannot join another loop.
    __CFRunLoopTimerUnlock(rlt);
    if (!rl) return;
    CFRetain(rlt); // because the loop releases its references
    __CFRunLoopRemoveCommonTimer(rl, rlt);
    __CFRunLoopTimerForEachMode(rl, rlt, __CFRunLoopTimerLeaveArray);
    __CFRunLoopTimerForEachMode(rl, rlt, __CFRunLoopTimerTellMode);
    __CFRunLoopTimerLock(rlt);
    rlt->_runLoop = NULL;
    CFSetRemoveAllValues(rlt->_rlModes);
    __CFRunLoopTimerUnlock(rlt);
    __CFRunLoopUnlock(rl);
    CFRelease(rl);
    CFRelease(rlt);
}

/// Call with nothing locked. DOES CALLOUT: release
void CFRunLoopTimerInvalidate(CFRunLoopTimerRef rlt) {
    CHECK_FOR_FORK();
    if (!__CFIsValid(rlt)) return;
    // Read it now, because the timer may be deallocated when it leaves its loop.
    void (*release)(const void *info) = rlt->_context.release;
    void *info;
    Boolean takesInfo = __CFRunLoopItemInvalidate(rlt, &info);
    __CFRunLoopTimerRemoveFromItsLoop(rlt);
    if (takesInfo && release) release(info);
}

/// The timers stay valid, and you may add them to another loop.
void __CFRunLoopDeallocateTimers(CFRunLoopRef rl, CFTypeRef items) {
    __CFRunLoopItemsForgetLoop(rl, items, _kCFRuntimeIDCFRunLoopTimer);
}

// MARK: - Arming the timer port

/// At most this many timers share a wake-up, so that arming costs the same however many there are.
#define TIMERS_LOOKED_AT 64

/// When to wake for the timers that are not firing, so that as many as possible share the wake-up
/// (T4) [D12]. `hard` is the first moment at which some timer has used up its tolerance. Every
/// timer that is due by then may fire at that moment. But the loop need not wait longer than until
/// the last of them is due, and that moment is `soft`. A timer that no other can join fires on its
/// date.
///
/// Firing timers are skipped and do not count towards the limit, because there are only as many of
/// them as there are callbacks on the stack. Call with rl and rlm locked.
static void __CFRunLoopModeGetDeadlines(CFRunLoopModeRef rlm, uint64_t *soft, uint64_t *hard) {
    *soft = *hard = UINT64_MAX;
    CFIndex count = rlm->_timers ? CFArrayGetCount(rlm->_timers) : 0, looks = TIMERS_LOOKED_AT;
    for (CFIndex idx = 0; idx < count && looks > 0; idx++) {
        CFRunLoopTimerRef t = (CFRunLoopTimerRef)CFArrayGetValueAtIndex(rlm->_timers, idx);
        if (__CFRunLoopTimerIsFiring(t)) continue;
        looks--;
        if (t->_fireTSR > *hard) return;
        uint64_t latest = __CFTSRAfter(t->_fireTSR, t->_tolerance > 0.0
                                       ? __CFTimeIntervalToTSR(t->_tolerance) : 0);
        if (latest < *hard) *hard = latest;
        *soft = t->_fireTSR;
        if (*soft >= *hard) return; // every later timer is due at that moment or after it
    }
}

static void __CFRunLoopModeDisarm(CFRunLoopModeRef rlm) {
    if (rlm->_mkTimerArmed) mk_timer_cancel(rlm->_portSet);
    rlm->_mkTimerArmed = false;
}

static void __CFRunLoopModeArm(CFRunLoopRef rl, CFRunLoopModeRef rlm, uint64_t deadline) {
    if (rlm->_timerPort == CFPORT_NULL) rlm->_timerPort = mk_timer_create(rlm->_portSet);
    CFRUNLOOP_NEXT_TIMER_ARMED(rl, rlm, deadline);
    mk_timer_arm(rlm->_portSet, deadline);
    rlm->_mkTimerArmed = true;
}

void __CFArmNextTimerInMode(CFRunLoopModeRef rlm, CFRunLoopRef rl) {
    if (!rlm->_timersChanged) return;
    rlm->_timersChanged = false;
    uint64_t soft, hard;
    __CFRunLoopModeGetDeadlines(rlm, &soft, &hard);
    if (soft == UINT64_MAX) {
        __CFRunLoopModeDisarm(rlm);
    } else if (!rlm->_mkTimerArmed || soft != rlm->_timerSoftDeadline) {
        __CFRunLoopModeArm(rl, rlm, soft);
    }
    rlm->_timerSoftDeadline = soft;
    rlm->_timerHardDeadline = hard;
}

// MARK: - Step 9.1: firing

/// Marks the timer as firing, and retains its callback's info. Returns false if the timer is no
/// longer due. A timer that fired before it may have removed, invalidated or postponed it, or it
/// may be firing further out on the stack. Call with nothing locked. DOES CALLOUT: retain
static Boolean __CFRunLoopTimerBeginFiring(CFRunLoopTimerRef rlt, CFRunLoopRef rl, void **info,
                                           struct __CFTimerMoment *fired) {
    __CFRunLoopTimerLock(rlt);
    Boolean fires = __CFIsValid(rlt) && rlt->_runLoop == rl && !__CFRunLoopTimerIsFiring(rlt)
        && rlt->_fireTSR <= mach_absolute_time();
    if (fires) {
        atomic_fetch_or(&rlt->_bits, __kCFRunLoopTimerFiring);
        rlt->_users._firingThread = pthread_self();
        *info = rlt->_context.info;
        __CFRunLoopItemBeginUse(&rlt->_users);
        *fired = (struct __CFTimerMoment){rlt->_fireTSR, rlt->_firstTSR, rlt->_beat,
                                          rlt->_nextFireDate, rlt->_clockOffset};
    }
    __CFRunLoopTimerUnlock(rlt);
    if (fires && rlt->_context.retain) *info = (void *)rlt->_context.retain(*info);
    return fires;
}

/// Call with nothing locked. DOES CALLOUT: release
static void __CFRunLoopTimerEndFiring(CFRunLoopTimerRef rlt, void *info) {
    Boolean releasesLate;
    __CFRunLoopTimerLock(rlt);
    atomic_fetch_and(&rlt->_bits, (uint16_t)~__kCFRunLoopTimerFiring);
    void *late = __CFRunLoopItemEndUse(rlt, &releasesLate);
    __CFRunLoopTimerUnlock(rlt);
    if (rlt->_context.retain && rlt->_context.release) rlt->_context.release(info);
    if (releasesLate && rlt->_context.release) rlt->_context.release(late);
}

/// Gives a repeating timer its next date, unless its callback has set a later one. [D30] The loop
/// skipped the timer while it was firing, so this arms the port again in all its modes. Call with
/// nothing locked.
static void __CFRunLoopTimerGoOn(CFRunLoopTimerRef rlt, struct __CFTimerMoment fired) {
    __CFRunLoopTimerSetFireTSR(rlt, __CFTimerMomentAfter(fired, rlt->_interval),
                               __CFTimerMomentDueTSR(fired));
}

/// Fires one timer, and releases it. Call with rl and rlm locked; they are unlocked meanwhile. DOES
/// CALLOUT
static __attribute__((noinline))
Boolean __CFRunLoopDoTimer(CFRunLoopRef rl, CFRunLoopModeRef rlm, CFRunLoopTimerRef rlt) {
    void *info;
    struct __CFTimerMoment fired;
    // The port may be armed for this timer, which a nested run skips.
    rlm->_timersChanged = true;
    __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(rl);
    Boolean timerHandled = __CFRunLoopTimerBeginFiring(rlt, rl, &info, &fired);
    if (timerHandled) {
        CFRL_IS_CALLING_START(TIMER, rl, rlm, rlt, __CFRunLoopTimerFunction(rlt, info),
                              __CFTimerMomentDueTSR(fired));
        __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__(rlt->_callout, rlt, info);
        CHECK_FOR_FORK();
        CFRL_IS_CALLING_END(TIMER, rl, rlm, rlt);
        if (rlt->_interval == 0.0) CFRunLoopTimerInvalidate(rlt);
        __CFRunLoopTimerEndFiring(rlt, info);
        if (__CFIsValid(rlt)) __CFRunLoopTimerGoOn(rlt, fired);
    }
    // This may be the last reference, so nothing is locked here. The timer is still in the
    // processor's caches.
    CFRelease(rlt);
    __CFRunLoopLock(rl);
    __CFRunLoopModeLock(rlm);
    return timerHandled;
}

/// How many timers at the head of the array are due: those before a timer that would come last at
/// that moment. Call with rl and rlm locked.
static CFIndex __CFRunLoopModeCountDueTimers(CFRunLoopModeRef rlm, uint64_t limitTSR) {
    struct __CFRunLoopTimer last = {._fireTSR = limitTSR, ._turn = UINT64_MAX};
    return rlm->_timers ? __CFRunLoopInsertionIndexInTimerArray(rlm->_timers, &last) : 0;
}

/// Fires all timers that are due by `limitTSR`. Timers that they add or make due wait for the next
/// pass.
__attribute__((noinline))
Boolean __CFRunLoopDoTimers(CFRunLoopRef rl, CFRunLoopModeRef rlm, uint64_t limitTSR) {
    Boolean timerHandled = false;
    rlm->_timersChanged = true; // the port has fired, so the loop must arm or disarm it
    rlm->_timerSoftDeadline = UINT64_MAX;
    CFIndex due = __CFRunLoopModeCountDueTimers(rlm, limitTSR);
    if (!due) return false;
    CFRunLoopTimerRef *timers = malloc((size_t)due * sizeof(*timers));
    if (!timers) __CF_HAS_NO_MEMORY_LEFT__("the timers of a pass");
    CFArrayGetValues(rlm->_timers, CFRangeMake(0, due), (const void **)timers);
    for (CFIndex i = 0; i < due; i++) CFRetain(timers[i]);
    for (CFIndex i = 0; i < due; i++) {
        if (__CFRunLoopDoTimer(rl, rlm, timers[i])) timerHandled = true;
    }
    free(timers);
    return timerHandled;
}
