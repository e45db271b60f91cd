/// CFRunLoopItem.c: what sources, timers and observers have in common.
///
/// - You add and remove all of them by the name of a mode, and kCFRunLoopCommonModes stands for
///   several modes. All of them can be common items.
/// - Timers and observers know their loop without retaining it. Code that has only the item must
///   lock the loop before the item.
/// - Any thread may invalidate a timer or an observer while another thread is in its callback. One
///   of the two threads must release the info of the item's context.

#include "CFRunLoop_Internal.h"

// MARK: - The modes that a name stands for

static void __CFArrayAppend(const void *value, void *array) { CFArrayAppendValue(array, value); }

CFArrayRef __CFRunLoopCopyValues(CFSetRef set) {
    CFMutableArrayRef copy =
        CFArrayCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeArrayCallBacks);
    if (set) CFSetApplyFunction(set, __CFArrayAppend, copy);
    return copy;
}

CFArrayRef __CFRunLoopCopyModesNamed(CFRunLoopRef rl, CFStringRef modeName) {
    CF_ASSERT_LOCKED(rl);
    if (__CFRunLoopIsCommonModes(modeName)) return __CFRunLoopCopyValues(rl->_commonModes);
    return CFArrayCreate(kCFAllocatorSystemDefault, (const void **)&modeName, modeName ? 1 : 0,
                         &kCFTypeArrayCallBacks);
}

// MARK: - The common items

Boolean __CFRunLoopContainsCommonItem(CFRunLoopRef rl, CFTypeRef item) {
    CF_ASSERT_LOCKED(rl);
    return rl->_commonModeItems && CFSetContainsValue(rl->_commonModeItems, item);
}

void __CFRunLoopAddCommonItem(CFRunLoopRef rl, CFTypeRef item) {
    CF_ASSERT_LOCKED(rl);
    if (!rl->_commonModeItems)
        rl->_commonModeItems =
            CFSetCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeSetCallBacks);
    CFSetAddValue(rl->_commonModeItems, item);
}

CFTypeRef __CFRunLoopTakeCommonItem(CFRunLoopRef rl, CFTypeRef item) {
    CF_ASSERT_LOCKED(rl);
    CFTypeRef member = rl->_commonModeItems ? CFSetGetValue(rl->_commonModeItems, item) : NULL;
    if (!member) return NULL;
    CFRetain(member);
    CFSetRemoveValue(rl->_commonModeItems, member);
    return member;
}

// MARK: - The loop of a timer or an observer

/// Pointers to the fields that timers and observers have in common: the lock, the runLoop, the info
/// of the context, and firingThread. Their offsets differ, because both structs have CF-1153's
/// order.
struct __CFRunLoopItemParts {
    pthread_mutex_t *lock;
    CFRunLoopRef *runLoop;
    void **info;
    pthread_t *firingThread;
};

static Boolean __CFRunLoopItemIsTimer(CFTypeRef item) {
    return __CFRuntimeGetClass(item)->typeID == _kCFRuntimeIDCFRunLoopTimer;
}

static struct __CFRunLoopItemParts __CFRunLoopItemGetParts(CFTypeRef item) {
    CFRunLoopTimerRef rlt = (CFRunLoopTimerRef)item;
    CFRunLoopObserverRef rlo = (CFRunLoopObserverRef)item;
    if (__CFRunLoopItemIsTimer(item))
        return (struct __CFRunLoopItemParts){&rlt->_lock, &rlt->_runLoop, &rlt->_context.info,
                                             &rlt->_firingThread};
    return (struct __CFRunLoopItemParts){&rlo->_lock, &rlo->_runLoop, &rlo->_context.info,
                                         &rlo->_firingThread};
}

/// Removes the loop, which is being deallocated, from the item.
static void __CFRunLoopItemLeaveDyingLoop(CFTypeRef item) {
    __CFAssertLocked(__CFRunLoopItemGetParts(item).lock, "item", __func__);
    if (__CFRunLoopItemIsTimer(item)) {
        CFRunLoopTimerRef rlt = (CFRunLoopTimerRef)item;
        rlt->_runLoop = NULL;
        if (rlt->_rlModes) CFSetRemoveAllValues(rlt->_rlModes);
    } else {
        ((CFRunLoopObserverRef)item)->_runLoop = NULL;
        ((CFRunLoopObserverRef)item)->_rlCount = 0;
    }
}

/// Locks the loop first, then the item, although the caller starts from the item. So this unlocks
/// the item after it has found and retained the loop, and checks the item again once both are
/// locked.
///
/// Another thread may be deallocating the loop, and removing it from its items one by one. This
/// thread does not wait for that: if it runs at a real-time priority, the other thread may not even
/// get a processor. No thread can use such a loop any more, so this function removes it from the
/// item at once. The other thread skips an item that has no reference to the loop.
CFRunLoopRef __CFRunLoopLockWithItem(CFTypeRef item) {
    struct __CFRunLoopItemParts parts = __CFRunLoopItemGetParts(item);
    for (;;) {
        __CFLock(parts.lock);
        if (!*parts.runLoop) return NULL;
        CFRunLoopRef rl = (CFRunLoopRef)_CFTryRetain(*parts.runLoop);
        if (!rl) {
            __CFRunLoopItemLeaveDyingLoop(item);
            return NULL;
        }
        __CFUnlock(parts.lock);
        __CFRunLoopLock(rl);
        __CFLock(parts.lock);
        if (*parts.runLoop == rl) return rl;
        __CFUnlock(parts.lock); // it moved to another loop meanwhile
        __CFRunLoopUnlock(rl);
        CFRelease(rl);
    }
}

void __CFRunLoopUnlockAndRelease(CFRunLoopRef rl) {
    if (!rl) return;
    __CFRunLoopUnlock(rl);
    CFRelease(rl);
}

/// An item may be in several modes of the loop that is being deallocated, and this function is
/// called for each of them. After the first call, another thread may add the item to another loop.
/// The later calls must not remove that loop from the item.
static void __CFRunLoopItemForgetLoop(const void *item, void *rl) {
    if (__CFRuntimeGetClass(item)->typeID == _kCFRuntimeIDCFRunLoopSource) return;
    struct __CFRunLoopItemParts parts = __CFRunLoopItemGetParts(item);
    __CFLock(parts.lock);
    if (*parts.runLoop == rl) __CFRunLoopItemLeaveDyingLoop(item);
    __CFUnlock(parts.lock);
}

void __CFRunLoopDeallocateItems(CFRunLoopRef rl, CFTypeRef items) {
    CF_ASSERT_LOCKED(rl);
    if (!items) return;
    if (CFGetTypeID(items) == CFSetGetTypeID())
        CFSetApplyFunction(items, __CFRunLoopItemForgetLoop, rl);
    else CFArrayApplyFunction(items, CFRangeMake(0, CFArrayGetCount(items)),
                              __CFRunLoopItemForgetLoop, rl);
}

Boolean __CFRunLoopTakesItem(CFRunLoopRef rl, CFTypeRef item) {
    CF_ASSERT_LOCKED(rl);
    CFRunLoopRef itsLoop = *__CFRunLoopItemGetParts(item).runLoop;
    return __CFIsValid(item) && (!itsLoop || itsLoop == rl)
        && !(__CFRunLoopIsEnded(rl) && _CFGetTwin(rl));
}

// MARK: - The callback and the info of a timer or an observer [D11]
//
// `_firingThread` is set while a callback uses the info. An item fires on one thread at a time, so
// one field is enough.

void *__CFRunLoopItemBeginFiring(CFTypeRef item) {
    struct __CFRunLoopItemParts parts = __CFRunLoopItemGetParts(item);
    __CFAssertLocked(parts.lock, "item", __func__);
    if (__CFRunLoopItemIsTimer(item)) __CFRunLoopTimerSetFiring((CFRunLoopTimerRef)item);
    else __CFRunLoopObserverSetFiring((CFRunLoopObserverRef)item);
    *parts.firingThread = pthread_self();
    return *parts.info;
}

/// Takes the info of an invalid item away from it. No callback uses it any more.
static Boolean __CFRunLoopItemTakeInfo(struct __CFRunLoopItemParts parts, void **info) {
    *info = *parts.info;
    *parts.info = NULL;
    *parts.firingThread = 0;
    return true;
}

Boolean __CFRunLoopItemEndFiring(CFTypeRef item, void **info) {
    struct __CFRunLoopItemParts parts = __CFRunLoopItemGetParts(item);
    __CFAssertLocked(parts.lock, "item", __func__);
    if (__CFRunLoopItemIsTimer(item)) __CFRunLoopTimerUnsetFiring((CFRunLoopTimerRef)item);
    else __CFRunLoopObserverUnsetFiring((CFRunLoopObserverRef)item);
    Boolean wasInUse = *parts.firingThread != 0;
    *parts.firingThread = 0;
    return wasInUse && !__CFIsValid(item) && __CFRunLoopItemTakeInfo(parts, info);
}

/// If a callback invalidates its own item, the info is released at once, as in the original,
/// because the callback itself has decided that. If the callback runs on another thread, that
/// thread releases the info when the callback has returned.
Boolean __CFRunLoopItemInvalidate(CFTypeRef item, void **info) {
    struct __CFRunLoopItemParts parts = __CFRunLoopItemGetParts(item);
    __CFAssertLocked(parts.lock, "item", __func__);
    if (!__CFIsValid(item)) return false;
    __CFUnsetValid((void *)item);
    if (*parts.firingThread && !pthread_equal(*parts.firingThread, pthread_self())) return false;
    return __CFRunLoopItemTakeInfo(parts, info);
}

CFStringRef __CFRunLoopItemCopyContextDescription(
    CFTypeRef item, CFStringRef (*copyDescription)(const void *info)) {
    struct __CFRunLoopItemParts parts = __CFRunLoopItemGetParts(item);
    __CFLock(parts.lock);
    void *info = *parts.info;
    __CFUnlock(parts.lock);
    CFStringRef description = copyDescription ? copyDescription(info) : NULL;
    if (description) return description;
    return CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL, CFSTR("<%s context %p>"),
                                    __CFRuntimeGetClass(item)->className, info);
}
