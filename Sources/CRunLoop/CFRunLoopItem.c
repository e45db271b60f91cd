/// CFRunLoopItem.c: what timers and observers share: the loop that an item is in, and the info of
/// its context.
///
/// Both know their loop without retaining it, and both may be invalidated on any thread while they
/// are called on another. So two questions come up in both, and are answered here once: how to lock
/// the loop when only the item is at hand, and who releases the info.

#include "CFRunLoop_Internal.h"
#include "Names/CFRunLoopItem.h"

/// Where a timer and an observer keep what they share. The offsets differ because both structs have
/// CF-1153's order.
struct __CFRunLoopItemParts {
    pthread_mutex_t *lock;
    CFRunLoopRef *runLoop;
    void **info;
    void (*release)(const void *info);
    struct __CFRunLoopInfoUsers *users;
    Boolean isFiring;
};

/// Call with `item` a timer or an observer. Needs no lock; `isFiring` counts only with the item
/// locked.
static struct __CFRunLoopItemParts __CFRunLoopItemGetParts(CFTypeRef item) {
    if (CFGetTypeID(item) == _kCFRuntimeIDCFRunLoopTimer) {
        CFRunLoopTimerRef rlt = (CFRunLoopTimerRef)item;
        return (struct __CFRunLoopItemParts){
            &rlt->_lock, &rlt->_runLoop, &rlt->_context.info, rlt->_context.release, &rlt->_users,
            (atomic_load(&rlt->_bits) & __kCFRunLoopTimerFiring) != 0,
        };
    }
    CFRunLoopObserverRef rlo = (CFRunLoopObserverRef)item;
    return (struct __CFRunLoopItemParts){
        &rlo->_lock, &rlo->_runLoop, &rlo->_context.info, rlo->_context.release, &rlo->_users,
        __CFRuntimeGetFlag(rlo, __kCFRunLoopObserverFiring),
    };
}

// MARK: - The loop of an item

/// Takes note that the item is in no loop. Call with the item locked.
static void __CFRunLoopItemUnsetLoop(CFTypeRef item) {
    if (CFGetTypeID(item) == _kCFRuntimeIDCFRunLoopTimer) {
        ((CFRunLoopTimerRef)item)->_runLoop = NULL;
        CFSetRemoveAllValues(((CFRunLoopTimerRef)item)->_rlModes);
    } else {
        ((CFRunLoopObserverRef)item)->_runLoop = NULL;
        ((CFRunLoopObserverRef)item)->_rlCount = 0;
    }
}

/// A loop is locked before its items. So the item is unlocked once its loop is known and retained,
/// and looked at again afterwards.
///
/// The loop of an item may be dying on another thread, which then has its items forget it one by
/// one. There is no need to wait for that thread, which may not even get a processor if the caller
/// runs with a real-time priority: nobody can use a dying loop any more, so the item leaves it here
/// and now. The dying loop leaves an item alone that no longer knows it.
CFRunLoopRef __CFRunLoopLockWithItem(CFTypeRef item) {
    struct __CFRunLoopItemParts parts = __CFRunLoopItemGetParts(item);
    for (;;) {
        __CFLock(parts.lock);
        if (!*parts.runLoop) return NULL;
        CFRunLoopRef rl = (CFRunLoopRef)_CFTryRetain(*parts.runLoop);
        if (!rl) {
            __CFRunLoopItemUnsetLoop(item);
            return NULL;
        }
        __CFUnlock(parts.lock);
        __CFRunLoopLock(rl);
        __CFLock(parts.lock);
        if (*parts.runLoop == rl) return rl;
        __CFUnlock(parts.lock); // it has moved meanwhile
        __CFRunLoopUnlock(rl);
        CFRelease(rl);
    }
}

struct __CFDyingLoop {
    CFRunLoopRef rl;
    CFTypeID type;
};

/// An item may be in several modes of the dying loop. Once it has forgotten the loop for one of
/// them another thread may add it to a loop of its own, which it must not forget for the others.
static void __CFRunLoopItemForgetLoop(const void *item, void *context) {
    struct __CFDyingLoop *dying = context;
    if (CFGetTypeID(item) != dying->type) return;
    struct __CFRunLoopItemParts parts = __CFRunLoopItemGetParts(item);
    __CFLock(parts.lock);
    if (*parts.runLoop == dying->rl) __CFRunLoopItemUnsetLoop(item);
    __CFUnlock(parts.lock);
}

void __CFRunLoopItemsForgetLoop(CFRunLoopRef rl, CFTypeRef items, CFTypeID type) {
    struct __CFDyingLoop dying = {rl, type};
    __CFRunLoopApplyToItems(items, __CFRunLoopItemForgetLoop, &dying);
}

// MARK: - The info of an item's context [D11]

void *__CFRunLoopItemEndUse(CFTypeRef item, Boolean *releasesLate) {
    struct __CFRunLoopInfoUsers *users = __CFRunLoopItemGetParts(item).users;
    *releasesLate = --users->_count == 0 && users->_releasesLate;
    if (*releasesLate) users->_releasesLate = false;
    return users->_lateInfo;
}

/// A callback that invalidates its own item has the info released at once, as in all versions of
/// the original: it knows what it does. Another thread that still uses the info does not.
Boolean __CFRunLoopItemInvalidate(CFTypeRef item, void **info) {
    struct __CFRunLoopItemParts parts = __CFRunLoopItemGetParts(item);
    __CFLock(parts.lock);
    parts = __CFRunLoopItemGetParts(item);
    Boolean wasValid = __CFIsValid(item), takes = wasValid;
    __CFUnsetValid((void *)item);
    if (wasValid) {
        *info = *parts.info;
        *parts.info = NULL;
        Boolean isOwn = parts.isFiring && pthread_equal(parts.users->_firingThread, pthread_self());
        takes = parts.users->_count == (isOwn ? 1 : 0);
    }
    if (wasValid && !takes) {
        parts.users->_lateInfo = *info;
        parts.users->_releasesLate = true;
    }
    __CFUnlock(parts.lock);
    return takes;
}

CFStringRef __CFRunLoopItemCopyInfoDescription(
    CFTypeRef item, CFStringRef (*copyDescription)(const void *info), void **info) {
    struct __CFRunLoopItemParts parts = __CFRunLoopItemGetParts(item);
    __CFLock(parts.lock);
    *info = *parts.info;
    __CFRunLoopItemBeginUse(parts.users);
    __CFUnlock(parts.lock);
    CFStringRef description = copyDescription ? copyDescription(*info) : NULL;
    Boolean releasesLate;
    __CFLock(parts.lock);
    void *late = __CFRunLoopItemEndUse(item, &releasesLate);
    __CFUnlock(parts.lock);
    if (releasesLate && parts.release) parts.release(late);
    return description;
}
