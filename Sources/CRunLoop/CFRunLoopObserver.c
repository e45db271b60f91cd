/// CFRunLoopObserver.c: observers, from creation to callback. The loop notifies an observer when a
/// run reaches one of six points of a pass (O1).
///
/// If a thread invalidates an observer while another thread is in its callback, the context is
/// released after the callback, and not during it as in the original [D11].

#include "CFRunLoopProbes.h"

extern void _Block_release(const void *block);

// MARK: - Class

/// A deallocated observer is in no loop, because loops retain their observers. Call with nothing
/// locked. DOES CALLOUT: release
static void __CFRunLoopObserverDeallocate(CFTypeRef cf) {
    CFRunLoopObserverRef rlo = (CFRunLoopObserverRef)cf;
    Boolean wasValid = __CFIsValid(rlo);
    __CFUnsetValid(rlo);
    if (wasValid && rlo->_context.release) rlo->_context.release(rlo->_context.info);
}

/// Call with nothing locked. DOES CALLOUT: copyDescription
static CFStringRef __CFRunLoopObserverCopyDescription(CFTypeRef cf) {
    CFRunLoopObserverRef rlo = (CFRunLoopObserverRef)cf;
    Boolean hasHandler = rlo->_context.retain == __CFBlockCopy;
    CFStringRef context = __CFRunLoopItemCopyContextDescription(
        rlo, hasHandler ? __CFBlockCopyDescription : rlo->_context.copyDescription);
    CFStringRef callout = __CFCopyNameOfFunction((const void *)rlo->_callout);
    CFStringRef result = CFStringCreateWithFormat(
        kCFAllocatorSystemDefault, NULL,
        CFSTR("<CFRunLoopObserver %p [%p]>{valid = %s, activities = 0x%lx, repeats = %s, "
              "order = %ld, callout = %@ (%p), context = %@}"),
        rlo, CFGetAllocator(rlo), __CFIsValid(rlo) ? "Yes" : "No", (long)rlo->_activities,
        CFRunLoopObserverDoesRepeat(rlo) ? "Yes" : "No", (long)rlo->_order, callout,
        (const void *)rlo->_callout, context);
    CFRelease(callout);
    if (context) CFRelease(context); // NULL if there was no memory: the text says (null)
    return result;
}

CF_SHARED const CFRuntimeClass __CFRunLoopObserverClass = {
    .typeID = _kCFRuntimeIDCFRunLoopObserver,
    .className = "CFRunLoopObserver",
    .finalize = __CFRunLoopObserverDeallocate,
    .copyDebugDesc = __CFRunLoopObserverCopyDescription,
    .twin = offsetof(struct __CFRunLoopObserver, _twin),
};

CFTypeID CFRunLoopObserverGetTypeID(void) { return _kCFRuntimeIDCFRunLoopObserver; }

// MARK: - Create and query

static void _runLoopObserverWithBlockContext(CFRunLoopObserverRef observer,
                                             CFRunLoopActivity activity, void *block) {
    ((void (^)(CFRunLoopObserverRef, CFRunLoopActivity))block)(observer, activity);
    __asm__ volatile("/* observer's block */"); // keeps this frame
}

/// The client's function, for the trace.
static const void *__CFRunLoopObserverFunction(CFRunLoopObserverRef rlo, const void *info) {
    return rlo->_callout == _runLoopObserverWithBlockContext ? __CFRunLoopBlockFunction(info)
        : (const void *)rlo->_callout;
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
    __CFRunLoopLockInit(&rlo->_lock);
    rlo->_activities = activities;
    rlo->_order = order;
    rlo->_callout = callout;
    if (context) rlo->_context = *context;
    rlo->_context.version = 0; // no other version exists
    if (context && context->retain) rlo->_context.info = (void *)context->retain(context->info);
    return rlo;
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
    if (!__CFIsValid(rlo)) context->info = NULL; // a callback may still use it
    __CFRunLoopObserverUnlock(rlo);
}

// MARK: - Add

/// Records that the observer is in one more of the loop's modes (`rlm`), or among its common items
/// (NULL). Returns false if the observer is invalid or in another loop.
static Boolean __CFRunLoopObserverSchedule(CFRunLoopObserverRef rlo, CFRunLoopRef rl,
                                           CFRunLoopModeRef rlm) {
    CF_ASSERT_LOCKED(rl);
    (void)rlm; // the original's parameter, which it does not use
    __CFRunLoopObserverLock(rlo);
    Boolean joins = __CFRunLoopTakesItem(rl, rlo);
    if (joins) {
        rlo->_runLoop = rl;
        rlo->_rlCount++;
    }
    __CFRunLoopObserverUnlock(rlo);
    return joins;
}

/// Undoes one __CFRunLoopObserverSchedule.
static void __CFRunLoopObserverCancel(CFRunLoopObserverRef rlo, CFRunLoopRef rl,
                                      CFRunLoopModeRef rlm) {
    CF_ASSERT_LOCKED(rl);
    (void)rlm;
    __CFRunLoopObserverLock(rlo);
    if (--rlo->_rlCount == 0) rlo->_runLoop = NULL;
    __CFRunLoopObserverUnlock(rlo);
}

/// Searches the array only if the observer is in this loop. Most observers are in no loop when a
/// client adds them.
static CFIndex __CFRunLoopModeIndexOfObserver(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                              CFRunLoopObserverRef rlo) {
    CF_ASSERT_LOCKED(rl, rlm);
    __CFRunLoopObserverLock(rlo);
    Boolean isInLoop = rlo->_runLoop == rl;
    __CFRunLoopObserverUnlock(rlo);
    if (!isInLoop || !rlm->_observers) return kCFNotFound;
    return CFArrayGetFirstIndexOfValue(rlm->_observers,
                                       CFRangeMake(0, CFArrayGetCount(rlm->_observers)), rlo);
}

/// Adds an observer to a single mode, after all observers of the same or a lower order (O2).
static void __CFRunLoopAddObserverToMode(CFRunLoopRef rl, CFRunLoopObserverRef rlo,
                                         CFStringRef modeName) {
    CF_ASSERT_LOCKED(rl);
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, true);
    if (__CFRunLoopModeIndexOfObserver(rl, rlm, rlo) == kCFNotFound
        && __CFRunLoopObserverSchedule(rlo, rl, rlm)) {
        if (!rlm->_observers)
            rlm->_observers =
                CFArrayCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeArrayCallBacks);
        CFIndex idx = CFArrayGetCount(rlm->_observers);
        while (idx > 0) {
            CFTypeRef before = CFArrayGetValueAtIndex(rlm->_observers, idx - 1);
            if (((CFRunLoopObserverRef)before)->_order <= rlo->_order) break;
            idx--;
        }
        CFArrayInsertValueAtIndex(rlm->_observers, idx, rlo);
        rlm->_observerMask |= (CFIndex)rlo->_activities;
    }
    __CFRunLoopModeUnlock(rlm);
}

void CFRunLoopAddObserver(CFRunLoopRef rl, CFRunLoopObserverRef rlo, CFStringRef modeName) {
    CHECK_FOR_FORK();
    if (__CFRunLoopIsDeallocating(rl) || !__CFIsValid(rlo)) return;
    if (__CFRunLoopIsRefusing(rl, "An observer is being added to the main run loop")) return;
    __CFRunLoopLock(rl);
    CFArrayRef modes = __CFRunLoopCopyModesNamed(rl, modeName);
    if (__CFRunLoopIsCommonModes(modeName) && !__CFRunLoopContainsCommonItem(rl, rlo)
        && __CFRunLoopObserverSchedule(rlo, rl, NULL))
        __CFRunLoopAddCommonItem(rl, rlo);
    for (CFIndex i = 0; i < CFArrayGetCount(modes); i++)
        __CFRunLoopAddObserverToMode(rl, rlo, CFArrayGetValueAtIndex(modes, i));
    __CFRunLoopUnlock(rl);
    CFRelease(modes);
}

Boolean CFRunLoopContainsObserver(CFRunLoopRef rl, CFRunLoopObserverRef rlo, CFStringRef modeName) {
    CHECK_FOR_FORK();
    if (!rlo) return false;
    Boolean hasValue = false;
    __CFRunLoopLock(rl);
    if (__CFRunLoopIsCommonModes(modeName)) {
        hasValue = __CFRunLoopContainsCommonItem(rl, rlo);
    } else {
        CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, false);
        if (rlm) hasValue = __CFRunLoopModeIndexOfObserver(rl, rlm, rlo) != kCFNotFound;
        if (rlm) __CFRunLoopModeUnlock(rlm);
    }
    __CFRunLoopUnlock(rl);
    return hasValue;
}

// MARK: - Remove

/// Removes an observer from a single mode. The caller has a reference to rlo.
static void __CFRunLoopRemoveObserverFromMode(CFRunLoopRef rl, CFRunLoopObserverRef rlo,
                                              CFStringRef modeName) {
    CF_ASSERT_LOCKED(rl);
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, false);
    if (!rlm) return;
    CFIndex idx = __CFRunLoopModeIndexOfObserver(rl, rlm, rlo);
    if (idx != kCFNotFound) {
        CFArrayRemoveValueAtIndex(rlm->_observers, idx);
        __CFRunLoopObserverCancel(rlo, rl, rlm);
    }
    __CFRunLoopModeUnlock(rlm);
}

/// Removes an observer from the common items, but not from the common modes. Returns false if it is
/// not a common item. The caller has a reference to rlo.
static Boolean __CFRunLoopRemoveCommonObserver(CFRunLoopRef rl, CFRunLoopObserverRef rlo) {
    CF_ASSERT_LOCKED(rl);
    if (!__CFRunLoopTakeCommonItem(rl, rlo)) return false;
    CFRelease(rlo); // not the last reference: the caller has one
    __CFRunLoopObserverCancel(rlo, rl, NULL);
    return true;
}

void CFRunLoopRemoveObserver(CFRunLoopRef rl, CFRunLoopObserverRef rlo, CFStringRef modeName) {
    CHECK_FOR_FORK();
    if (!rlo) return;
    CFRetain(rlo); // the mode may have the last reference, which must go with nothing locked
    __CFRunLoopLock(rl);
    CFArrayRef modes = __CFRunLoopCopyModesNamed(rl, modeName);
    // If the observer is not a common item, it stays in the common modes.
    if (!__CFRunLoopIsCommonModes(modeName) || __CFRunLoopRemoveCommonObserver(rl, rlo)) {
        for (CFIndex i = 0; i < CFArrayGetCount(modes); i++)
            __CFRunLoopRemoveObserverFromMode(rl, rlo, CFArrayGetValueAtIndex(modes, i));
    }
    __CFRunLoopUnlock(rl);
    CFRelease(modes);
    CFRelease(rlo);
}

// MARK: - Invalidate

/// Call with nothing locked. DOES CALLOUT: release
void CFRunLoopObserverInvalidate(CFRunLoopObserverRef rlo) {
    CHECK_FOR_FORK();
    if (!__CFIsValid(rlo)) return;
    CFRetain(rlo); // because the loop releases its references
    CFRunLoopRef rl = __CFRunLoopLockWithItem(rlo);
    void *info;
    Boolean releases = __CFRunLoopItemInvalidate(rlo, &info);
    // The observer need not stay locked: it is invalid, so it cannot join another loop.
    __CFRunLoopObserverUnlock(rlo);
    if (rl) {
        CFArrayRef modes = __CFRunLoopCopyValues(rl->_modes);
        for (CFIndex i = 0; i < CFArrayGetCount(modes); i++) {
            CFRunLoopModeRef rlm = (CFRunLoopModeRef)CFArrayGetValueAtIndex(modes, i);
            __CFRunLoopRemoveObserverFromMode(rl, rlo, rlm->_name);
        }
        CFRelease(modes); // the loop keeps its modes
        __CFRunLoopRemoveCommonObserver(rl, rlo);
    }
    __CFRunLoopUnlockAndRelease(rl);
    if (releases && rlo->_context.release) rlo->_context.release(info);
    CFRelease(rlo);
}

// MARK: - Do: steps 1, 2, 3, 6, 8 and 10

/// Marks the observer as firing. Returns false if an observer that was called before it has
/// invalidated it. Also returns false if it is in its callback on another thread: since it was
/// collected here, a thread may have moved it to another loop. [D43] Call with nothing locked.
static Boolean __CFRunLoopObserverBeginFiring(CFRunLoopObserverRef rlo, void **info) {
    __CFRunLoopObserverLock(rlo);
    Boolean fires = __CFIsValid(rlo) && !__CFRunLoopObserverIsFiring(rlo);
    if (fires) *info = __CFRunLoopItemBeginFiring(rlo);
    __CFRunLoopObserverUnlock(rlo);
    return fires;
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
    CF_ASSERT_LOCKED(rl, rlm);
    CHECK_FOR_FORK();
    CFIndex most = rlm->_observers ? CFArrayGetCount(rlm->_observers) : 0, count = 0;
    if (most < 1) return;
    CFRunLoopObserverRef buffer[64], *collected = most <= 64 ? buffer
        : malloc((size_t)most * sizeof(*collected));
    if (!collected) __CF_HAS_NO_MEMORY_LEFT__("the observers of a pass");
    for (CFIndex idx = 0; idx < most; idx++) {
        CFTypeRef rlo = CFArrayGetValueAtIndex(rlm->_observers, idx);
        if ((((CFRunLoopObserverRef)rlo)->_activities & activity) && __CFIsValid(rlo)
            && !__CFRunLoopObserverIsFiring((CFRunLoopObserverRef)rlo))
            collected[count++] = (CFRunLoopObserverRef)CFRetain(rlo);
    }
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
            CFRL_IS_CALLING_END(OBSERVER, rl, rlm, rlo);
            if (!CFRunLoopObserverDoesRepeat(rlo)) CFRunLoopObserverInvalidate(rlo);
            __CFRunLoopObserverLock(rlo);
            Boolean releases = __CFRunLoopItemEndFiring(rlo, &info);
            __CFRunLoopObserverUnlock(rlo);
            if (releases && rlo->_context.release) rlo->_context.release(info);
        }
        CFRelease(rlo);
    }
    if (collected != buffer) free(collected);
    __CFRunLoopLock(rl);
    __CFRunLoopModeLock(rlm);
}
