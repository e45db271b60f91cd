/// CFRunLoopItem.c: what timers and observers have in common, which is the loop that an item is in
/// and the info of its context.
///
/// Both know their loop without retaining it. Any thread may invalidate either of them while
/// another thread is in its callback. So two questions arise for both: how to lock the loop if the
/// caller has only the item, and which thread releases the info.

#include "CFRunLoop_Internal.h"
#include "Names/CFRunLoopItem.h"

/// Pointers to the fields that timers and observers have in common. Their offsets differ, because
/// both structs have CF-1153's order.
struct __CFRunLoopItemParts {
    pthread_mutex_t *lock;
    CFRunLoopRef *runLoop;
    void **info;
    void (*release)(const void *info);
    struct __CFRunLoopInfoUsers *users;
    Boolean isFiring;
};

/// `item` is a timer or an observer. Needs no lock, but `isFiring` is meaningful only while the
/// item is locked.
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

/// Records that the item is in no loop. Call with the item locked.
static void __CFRunLoopItemUnsetLoop(CFTypeRef item) {
    if (CFGetTypeID(item) == _kCFRuntimeIDCFRunLoopTimer) {
        ((CFRunLoopTimerRef)item)->_runLoop = NULL;
        CFSetRemoveAllValues(((CFRunLoopTimerRef)item)->_rlModes);
    } else {
        ((CFRunLoopObserverRef)item)->_runLoop = NULL;
        ((CFRunLoopObserverRef)item)->_rlCount = 0;
    }
}

/// Locks the loop first, then the item, although the caller starts from the item. So this unlocks
/// the item after it has found and retained the loop, and checks the item again once both are
/// locked.
///
/// Another thread may be deallocating the item's loop, and removing the loop from its items one by
/// one. This thread does not wait for it, because the other thread may not even get a processor if
/// this one runs at a real-time priority. Nobody can use such a loop any more, so the item leaves
/// it here, at once. The other thread skips an item that no longer knows the loop.
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
        __CFUnlock(parts.lock); // it moved to another loop meanwhile
        __CFRunLoopUnlock(rl);
        CFRelease(rl);
    }
}

struct __CFDyingLoop {
    CFRunLoopRef rl;
    CFTypeID type;
};

/// An item may be in several modes of the loop that is being deallocated. After it has left the
/// loop for one of them, another thread may add it to another loop. It must not leave that one for
/// the remaining modes.
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

/// If a callback invalidates its own item, the info is released at once, as in all versions of the
/// original: the callback knows what it does. Another thread that still uses the info does not, so
/// in that case the release waits for that thread.
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
