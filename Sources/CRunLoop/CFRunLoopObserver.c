/// CFRunLoopObserver.c: observers, from creation to callback. The loop notifies an observer when a
/// run reaches one of six points of a pass (O1). All of it is as in the original (all versions),
/// with two exceptions: who releases the context of an observer that is invalidated in its callback
/// [D11], and the mode's mask, which becomes narrower here when an observer is removed, but only
/// ever grows there.

#include "CFRunLoopProbes.h"
#include "Names/CFRunLoopObserver.h"

extern void _Block_release(const void *block);

// MARK: - The callout

/// Keeps its frame: see __CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__.
static __attribute__((noinline)) void __CFRUNLOOP_IS_CALLING_OUT_TO_AN_OBSERVER_CALLBACK_FUNCTION__(
    CFRunLoopObserverCallBack func, CFRunLoopObserverRef observer, CFRunLoopActivity activity,
    void *info) {
    if (func) func(observer, activity, info);
    __asm__ volatile("/* observer */");
}

// MARK: - The class

/// A deallocated observer is in no loop, because loops retain their observers. Call with nothing
/// locked. DOES CALLOUT: release
static void __CFRunLoopObserverDeallocate(CFTypeRef cf) {
    CFRunLoopObserverRef rlo = (CFRunLoopObserverRef)cf;
    Boolean wasValid = __CFIsValid(rlo);
    __CFUnsetValid(rlo);
    if (wasValid && rlo->_context.release) rlo->_context.release(rlo->_context.info);
    pthread_mutex_destroy(&rlo->_lock);
}

/// Call with nothing locked. DOES CALLOUT: copyDescription
static CFStringRef __CFRunLoopObserverCopyDescription(CFTypeRef cf) {
    CFRunLoopObserverRef rlo = (CFRunLoopObserverRef)cf;
    CFStringRef (*describe)(const void *) = rlo->_context.copyDescription;
    // The observer was made with a handler.
    if (rlo->_context.retain == __CFBlockCopy) describe = __CFBlockCopyDescription;
    void *info;
    CFStringRef context = __CFRunLoopItemCopyInfoDescription(rlo, describe, &info);
    if (!context)
        context = CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL,
                                           CFSTR("<CFRunLoopObserver context %p>"), info);
    CFStringRef callout = __CFCopyNameOfFunction((const void *)rlo->_callout);
    CFStringRef result = CFStringCreateWithFormat(
        kCFAllocatorSystemDefault, NULL,
        CFSTR("<CFRunLoopObserver %p [%p]>{valid = %s, activities = 0x%lx, repeats = %s, order = "
              "%ld, "
              "callout = %@ (%p), context = %@}"),
        rlo, CFGetAllocator(rlo), __CFIsValid(rlo) ? "Yes" : "No", (long)rlo->_activities,
        CFRunLoopObserverDoesRepeat(rlo) ? "Yes" : "No", (long)rlo->_order, callout,
        (const void *)rlo->_callout, context);
    CFRelease(callout);
    if (context) CFRelease(context); // NULL if there was no memory, and then described as (null)
    return result;
}

CF_SHARED const CFRuntimeClass __CFRunLoopObserverClass = {
    .typeID = _kCFRuntimeIDCFRunLoopObserver,
    .className = "CFRunLoopObserver",
    .finalize = __CFRunLoopObserverDeallocate,
    .copyDebugDesc = __CFRunLoopObserverCopyDescription,
};

CFTypeID CFRunLoopObserverGetTypeID(void) { return _kCFRuntimeIDCFRunLoopObserver; }

// MARK: - Creation and queries

/// Call with nothing locked, before any other thread knows the observer. DOES CALLOUT: retain
static void __CFRunLoopObserverTakeContext(CFRunLoopObserverRef rlo,
                                           const CFRunLoopObserverContext *context) {
    if (!context) return;
    rlo->_context = *context;
    rlo->_context.version = 0; // no other version exists
    if (context->retain) rlo->_context.info = (void *)context->retain(context->info);
}

CFRunLoopObserverRef CFRunLoopObserverCreate(CFAllocatorRef allocator, CFOptionFlags activities,
                                             Boolean repeats, CFIndex order,
                                             CFRunLoopObserverCallBack callout,
                                                 CFRunLoopObserverContext *context) {
    CHECK_FOR_FORK();
    CFRunLoopObserverRef rlo = (CFRunLoopObserverRef)_CFRuntimeCreateInstance(
        allocator, &__CFRunLoopObserverClass, sizeof(struct __CFRunLoopObserver));
    if (!rlo) return NULL;
    __CFSetValid(rlo);
    __CFRuntimeSetFlag(rlo, __kCFRunLoopObserverRepeats, repeats);
    __CFLockInit(&rlo->_lock);
    rlo->_activities = activities;
    rlo->_order = order;
    rlo->_callout = callout;
    __CFRunLoopObserverTakeContext(rlo, context);
    return rlo;
}

static void _runLoopObserverWithBlockContext(CFRunLoopObserverRef observer,
                                             CFRunLoopActivity activity, void *block) {
    ((void (^)(CFRunLoopObserverRef, CFRunLoopActivity))block)(observer, activity);
    __asm__ volatile("/* observer's block */"); // keeps this frame
}

CFRunLoopObserverRef CFRunLoopObserverCreateWithHandler(
    CFAllocatorRef allocator, CFOptionFlags activities, Boolean repeats, CFIndex order,
    void (^block)(CFRunLoopObserverRef observer, CFRunLoopActivity activity)) {
    CFRunLoopObserverContext context = {0, (void *)block, __CFBlockCopy, _Block_release, NULL};
    return CFRunLoopObserverCreate(allocator, activities, repeats, order,
                                   block ? _runLoopObserverWithBlockContext : NULL,
                                       block ? &context : NULL);
}

CFOptionFlags CFRunLoopObserverGetActivities(CFRunLoopObserverRef rlo) {
    CHECK_FOR_FORK();
    return rlo->_activities;
}

Boolean CFRunLoopObserverDoesRepeat(CFRunLoopObserverRef rlo) {
    CHECK_FOR_FORK();
    return __CFRuntimeGetFlag(rlo, __kCFRunLoopObserverRepeats);
}

CFIndex CFRunLoopObserverGetOrder(CFRunLoopObserverRef rlo) {
    CHECK_FOR_FORK();
    return rlo->_order;
}

Boolean CFRunLoopObserverIsValid(CFRunLoopObserverRef rlo) {
    CHECK_FOR_FORK();
    return __CFIsValid(rlo);
}

void CFRunLoopObserverGetContext(CFRunLoopObserverRef rlo, CFRunLoopObserverContext *context) {
    CHECK_FOR_FORK();
    __CFRunLoopObserverLock(rlo);
    *context = rlo->_context;
    __CFRunLoopObserverUnlock(rlo);
}

// MARK: - Adding

/// Adds one to the number of the loop's modes (or common items) that hold the observer; false if it
/// is invalid or in another loop. Call with rl locked.
static Boolean __CFRunLoopObserverSchedule(CFRunLoopObserverRef rlo, CFRunLoopRef rl) {
    __CFRunLoopObserverLock(rlo);
    Boolean fits = __CFIsValid(rlo) && (!rlo->_runLoop || rlo->_runLoop == rl);
    if (fits) {
        rlo->_runLoop = rl;
        rlo->_rlCount++;
    }
    __CFRunLoopObserverUnlock(rlo);
    return fits;
}

/// Undoes one __CFRunLoopObserverSchedule. Call with rl locked.
static void __CFRunLoopObserverCancel(CFRunLoopObserverRef rlo) {
    __CFRunLoopObserverLock(rlo);
    if (--rlo->_rlCount == 0) rlo->_runLoop = NULL;
    __CFRunLoopObserverUnlock(rlo);
}

/// Call with rl and rlm locked.
static CFIndex __CFRunLoopModeIndexOfObserver(CFRunLoopModeRef rlm, CFRunLoopObserverRef rlo) {
    if (!rlm->_observers) return kCFNotFound;
    return CFArrayGetFirstIndexOfValue(rlm->_observers,
                                       CFRangeMake(0, CFArrayGetCount(rlm->_observers)), rlo);
}

/// Most observers that a caller adds are in no loop, so this does not search for them. Call with rl
/// and rlm locked.
static Boolean __CFRunLoopModeHasObserver(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                          CFRunLoopObserverRef rlo) {
    __CFRunLoopObserverLock(rlo);
    Boolean isInLoop = rlo->_runLoop == rl;
    __CFRunLoopObserverUnlock(rlo);
    return isInLoop && __CFRunLoopModeIndexOfObserver(rlm, rlo) != kCFNotFound;
}

/// Inserts the observer after all observers of the same or a lower order. (O2) Call with rl and rlm
/// locked.
static void __CFRunLoopModeInsertObserver(CFRunLoopModeRef rlm, CFRunLoopObserverRef rlo) {
    if (!rlm->_observers)
        rlm->_observers = CFArrayCreateMutable(kCFAllocatorSystemDefault, 0,
                                               &kCFTypeArrayCallBacks);
    CFIndex idx = CFArrayGetCount(rlm->_observers);
    while (idx > 0) {
        CFTypeRef before = CFArrayGetValueAtIndex(rlm->_observers, idx - 1);
        if (((CFRunLoopObserverRef)before)->_order <= rlo->_order) break;
        idx--;
    }
    CFArrayInsertValueAtIndex(rlm->_observers, idx, rlo);
    rlm->_observerMask |= (CFIndex)rlo->_activities;
}

Boolean __CFRunLoopAddObserverToMode(CFRunLoopRef rl, CFRunLoopObserverRef rlo,
                                     CFStringRef modeName) {
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, true);
    if (!rlm) return false;
    Boolean added =
        !__CFRunLoopModeHasObserver(rl, rlm, rlo) && __CFRunLoopObserverSchedule(rlo, rl);
    if (added) __CFRunLoopModeInsertObserver(rlm, rlo);
    __CFRunLoopModeUnlock(rlm);
    return added;
}

struct __CFObserverOfLoop {
    CFRunLoopRef rl;
    CFRunLoopObserverRef rlo;
};

/// Call with rl locked.
static void __CFRunLoopAddObserverToModeNamed(const void *modeName, void *context) {
    struct __CFObserverOfLoop *added = context;
    __CFRunLoopAddObserverToMode(added->rl, added->rlo, modeName);
}

void CFRunLoopAddObserver(CFRunLoopRef rl, CFRunLoopObserverRef rlo, CFStringRef modeName) {
    CHECK_FOR_FORK();
    if (__CFRunLoopIsDeallocating(rl) || !__CFIsValid(rlo)) return;
    if (__CFRunLoopRefusesItems(rl, "An observer")) return;
    __CFRunLoopLock(rl);
    if (__CFRunLoopIsCommonModes(modeName) && !__CFRunLoopContainsCommonItem(rl, rlo)
        && __CFRunLoopObserverSchedule(rlo, rl)) {
        __CFRunLoopAddCommonItem(rl, rlo);
    }
    __CFRunLoopForEachModeNamed(rl, modeName, __CFRunLoopAddObserverToModeNamed,
                                &(struct __CFObserverOfLoop){rl, rlo});
    __CFRunLoopUnlock(rl);
}

Boolean CFRunLoopContainsObserver(CFRunLoopRef rl, CFRunLoopObserverRef rlo, CFStringRef modeName) {
    CHECK_FOR_FORK();
    Boolean hasValue = false;
    if (!rlo) return false;
    __CFRunLoopLock(rl);
    if (__CFRunLoopIsCommonModes(modeName)) {
        hasValue = __CFRunLoopContainsCommonItem(rl, rlo);
    } else {
        CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, false);
        if (rlm) {
            hasValue = __CFRunLoopModeHasObserver(rl, rlm, rlo);
            __CFRunLoopModeUnlock(rlm);
        }
    }
    __CFRunLoopUnlock(rl);
    return hasValue;
}

// MARK: - Removing and invalidating

/// Removes from the mode's mask the activities that no observer wants any more. Call it after an
/// observer that wanted them has been removed from the index `idx`. It looks at the observers after
/// that index first, because if several are removed in a row, the next one often wants the same
/// activities. Call with rl and rlm locked.
static void __CFRunLoopModeUpdateObserverMask(CFRunLoopModeRef rlm, CFOptionFlags activities,
                                              CFIndex idx) {
    CFIndex count = CFArrayGetCount(rlm->_observers);
    for (CFIndex i = 0; i < count && activities; i++) {
        CFIndex place = idx + i < count ? idx + i : idx + i - count;
        CFTypeRef other = CFArrayGetValueAtIndex(rlm->_observers, place);
        activities &= ~((CFRunLoopObserverRef)other)->_activities;
    }
    rlm->_observerMask &= ~(CFIndex)activities;
}

/// Call with rl locked, rlm not; the caller has a reference to rlo.
static void __CFRunLoopModeRemoveObserver(CFRunLoopModeRef rlm, CFRunLoopObserverRef rlo) {
    __CFRunLoopModeLock(rlm);
    CFIndex idx = __CFRunLoopModeIndexOfObserver(rlm, rlo);
    if (idx != kCFNotFound) {
        CFArrayRemoveValueAtIndex(rlm->_observers, idx);
        __CFRunLoopModeUpdateObserverMask(rlm, rlo->_activities, idx);
        __CFRunLoopObserverCancel(rlo);
    }
    __CFRunLoopModeUnlock(rlm);
}

/// Call with rl locked; the caller has a reference to rlo.
static void __CFRunLoopRemoveObserverFromModeNamed(const void *modeName, void *context) {
    struct __CFObserverOfLoop *removed = context;
    CFRunLoopModeRef rlm = __CFRunLoopFindModeUnlocked(removed->rl, modeName, false);
    if (rlm) __CFRunLoopModeRemoveObserver(rlm, removed->rlo);
}

/// Removes an observer from the common items, but not from the common modes. Returns false if it is
/// not a common item. Call with rl locked; the caller has a reference to rlo.
static Boolean __CFRunLoopRemoveCommonObserver(CFRunLoopRef rl, CFRunLoopObserverRef rlo) {
    if (!__CFRunLoopTakeCommonItem(rl, rlo)) return false;
    CFRelease(rlo); // not the last reference: the caller has one
    __CFRunLoopObserverCancel(rlo);
    return true;
}

void CFRunLoopRemoveObserver(CFRunLoopRef rl, CFRunLoopObserverRef rlo, CFStringRef modeName) {
    CHECK_FOR_FORK();
    if (!rlo) return;
    CFRetain(rlo); // the mode may hold the last reference, which must go with nothing locked
    __CFRunLoopLock(rl);
    // If the observer is not a common item, it stays in the common modes.
    if (!__CFRunLoopIsCommonModes(modeName) || __CFRunLoopRemoveCommonObserver(rl, rlo))
        __CFRunLoopForEachModeNamed(rl, modeName, __CFRunLoopRemoveObserverFromModeNamed,
                                    &(struct __CFObserverOfLoop){rl, rlo});
    __CFRunLoopUnlock(rl);
    CFRelease(rlo);
}

/// Call with the mode's loop locked; the caller has a reference to the observer.
static void __CFRunLoopRemoveObserverFromMode(const void *mode, void *observer) {
    __CFRunLoopModeRemoveObserver((CFRunLoopModeRef)mode, observer);
}

/// Removes an invalid observer from its loop. Call with nothing locked.
static void __CFRunLoopObserverRemoveFromItsLoop(CFRunLoopObserverRef rlo) {
    CFRunLoopRef rl = __CFRunLoopLockWithItem(rlo);
    // The observer need not stay locked: it is invalid, so it cannot join another loop.
    __CFRunLoopObserverUnlock(rlo);
    if (!rl) return;
    CFRetain(rlo); // because the loop releases its references
    __CFRunLoopForEachMode(rl, __CFRunLoopRemoveObserverFromMode, rlo);
    __CFRunLoopRemoveCommonObserver(rl, rlo);
    __CFRunLoopUnlock(rl);
    CFRelease(rl);
    CFRelease(rlo);
}

/// Call with nothing locked. DOES CALLOUT: release
void CFRunLoopObserverInvalidate(CFRunLoopObserverRef rlo) {
    CHECK_FOR_FORK();
    if (!__CFIsValid(rlo)) return;
    // Read it now, because the observer may be deallocated when it leaves its loop.
    void (*release)(const void *info) = rlo->_context.release;
    void *info;
    Boolean takesInfo = __CFRunLoopItemInvalidate(rlo, &info);
    __CFRunLoopObserverRemoveFromItsLoop(rlo);
    if (takesInfo && release) release(info);
}

/// The observers stay valid, and you may add them to another loop.
void __CFRunLoopDeallocateObservers(CFRunLoopRef rl, CFTypeRef items) {
    __CFRunLoopItemsForgetLoop(rl, items, _kCFRuntimeIDCFRunLoopObserver);
}

// MARK: - Notifying the observers

/// The client's function, for the trace.
static const void *__CFRunLoopObserverFunction(CFRunLoopObserverRef rlo, const void *info) {
    return rlo->_callout == _runLoopObserverWithBlockContext ? __CFRunLoopBlockFunction(info)
        : (const void *)rlo->_callout;
}

/// Collects the observers to notify of an activity, in order, and retains each. Call with rlm
/// locked.
static CFIndex __CFRunLoopCollectObservers(CFRunLoopModeRef rlm, CFRunLoopActivity activity,
                                           CFRunLoopObserverRef *collected) {
    CFIndex count = 0;
    for (CFIndex idx = 0; idx < CFArrayGetCount(rlm->_observers); idx++) {
        CFRunLoopObserverRef rlo = (CFRunLoopObserverRef)CFArrayGetValueAtIndex(rlm->_observers,
                                                                                idx);
        if (!(rlo->_activities & activity) || !__CFIsValid(rlo)
            || __CFRuntimeGetFlag(rlo, __kCFRunLoopObserverFiring)) continue;
        collected[count++] = (CFRunLoopObserverRef)CFRetain(rlo);
    }
    return count;
}

/// Marks the observer as firing. False if it has been invalidated since it was collected; or if it
/// is in its callback on another thread, because it has been moved to another loop since. [D43]
/// Call with nothing locked.
static Boolean __CFRunLoopObserverBeginFiring(CFRunLoopObserverRef rlo, void **info) {
    __CFRunLoopObserverLock(rlo);
    Boolean fires = __CFIsValid(rlo) && !__CFRuntimeGetFlag(rlo, __kCFRunLoopObserverFiring);
    if (fires) {
        __CFRuntimeSetFlag(rlo, __kCFRunLoopObserverFiring, true);
        rlo->_users._firingThread = pthread_self();
        *info = rlo->_context.info;
        __CFRunLoopItemBeginUse(&rlo->_users);
    }
    __CFRunLoopObserverUnlock(rlo);
    return fires;
}

/// Call with nothing locked. DOES CALLOUT: release
static void __CFRunLoopObserverEndFiring(CFRunLoopObserverRef rlo) {
    Boolean releasesLate;
    __CFRunLoopObserverLock(rlo);
    __CFRuntimeSetFlag(rlo, __kCFRunLoopObserverFiring, false);
    void *late = __CFRunLoopItemEndUse(rlo, &releasesLate);
    __CFRunLoopObserverUnlock(rlo);
    if (releasesLate && rlo->_context.release) rlo->_context.release(late);
}

/// Notifies the observers of the mode that the run has reached `activity`. An observer may change
/// which of the later ones are called:
///
/// - One that it removes is still called.
/// - One that it invalidates is not called.
/// - One that it adds waits for the next activity.
///
/// An observer is not called again while it is in its callback.
__attribute__((noinline))
void __CFRunLoopDoObservers(CFRunLoopRef rl, CFRunLoopModeRef rlm, CFRunLoopActivity activity) {
    CHECK_FOR_FORK();
    CFIndex most = rlm->_observers ? CFArrayGetCount(rlm->_observers) : 0;
    if (most < 1) return;
    CFRunLoopObserverRef buffer[64], *collected = most <= 64 ? buffer
        : malloc((size_t)most * sizeof(*collected));
    if (!collected) __CF_HAS_NO_MEMORY_LEFT__("the observers of a pass");
    CFIndex count = __CFRunLoopCollectObservers(rlm, activity, collected);
    __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(rl);
    for (CFIndex idx = 0; idx < count; idx++) {
        CFRunLoopObserverRef rlo = collected[idx];
        void *info;
        if (__CFRunLoopObserverBeginFiring(rlo, &info)) {
            CFRL_IS_CALLING_START(OBSERVER, rl, rlm, rlo, __CFRunLoopObserverFunction(rlo, info),
                                  activity);
            __CFRUNLOOP_IS_CALLING_OUT_TO_AN_OBSERVER_CALLBACK_FUNCTION__(rlo->_callout, rlo,
                                                                          activity, info);
            CHECK_FOR_FORK();
            CFRL_IS_CALLING_END(OBSERVER, rl, rlm, rlo);
            if (!CFRunLoopObserverDoesRepeat(rlo)) CFRunLoopObserverInvalidate(rlo);
            __CFRunLoopObserverEndFiring(rlo);
        }
        CFRelease(rlo);
    }
    if (collected != buffer) free(collected);
    __CFRunLoopLock(rl);
    __CFRunLoopModeLock(rlm);
}
