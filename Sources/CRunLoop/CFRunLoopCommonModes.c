/// CFRunLoopCommonModes.c: declaring a mode common.
///
/// The common modes are a set of names, and the common items are a set of items (S9, S10). When you
/// add an item to kCFRunLoopCommonModes, the loop stores it as a common item and adds it to each
/// common mode. CFRunLoopAddSource and its relatives do that. This file does the reverse: a mode
/// that becomes common later gets all common items. A pass never looks at the set of common items;
/// it handles the items of its mode.

#include "CFRunLoop_Internal.h"

/// Adds one of the common items to the new common mode, as a client would. In the original the loop
/// stays locked meanwhile. Here another thread may remove the item from the
/// common modes at this moment [D10], so it is removed again if it is no common item any more. Call
/// with nothing locked. DOES CALLOUT: getPort, schedule, cancel
static void __CFRunLoopAddItemsToCommonMode(CFRunLoopRef rl, CFTypeRef item, CFStringRef modeName) {
    CFTypeID type = CFGetTypeID(item);
    if (type == CFRunLoopSourceGetTypeID()) {
        CFRunLoopSourceRef rls = (CFRunLoopSourceRef)item;
        CFRunLoopAddSource(rl, rls, modeName);
        if (!CFRunLoopContainsSource(rl, rls, kCFRunLoopCommonModes))
            CFRunLoopRemoveSource(rl, rls, modeName);
    } else if (type == CFRunLoopObserverGetTypeID()) {
        CFRunLoopObserverRef rlo = (CFRunLoopObserverRef)item;
        CFRunLoopAddObserver(rl, rlo, modeName);
        if (!CFRunLoopContainsObserver(rl, rlo, kCFRunLoopCommonModes))
            CFRunLoopRemoveObserver(rl, rlo, modeName);
    } else if (type == CFRunLoopTimerGetTypeID()) {
        CFRunLoopTimerRef rlt = (CFRunLoopTimerRef)item;
        CFRunLoopAddTimer(rl, rlt, modeName);
        if (!CFRunLoopContainsTimer(rl, rlt, kCFRunLoopCommonModes))
            CFRunLoopRemoveTimer(rl, rlt, modeName);
    }
}

void CFRunLoopAddCommonMode(CFRunLoopRef rl, CFStringRef modeName) {
    CHECK_FOR_FORK();
    if (CF_UNLIKELY(!modeName)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    // The placeholder cannot be one of the modes that it stands for.
    if (__CFRunLoopIsDeallocating(rl) || __CFRunLoopIsCommonModes(modeName)) return;
    CFStringRef name = __CFRunLoopCopyModeName(modeName);
    __CFRunLoopLock(rl);
    Boolean isNew = __CFRunLoopAddCommonModeName(rl, name);
    CFArrayRef items = __CFRunLoopCopyValues(isNew ? rl->_commonModeItems : NULL);
    Boolean isHosted = isNew && rl->_hostedModes;
    __CFRunLoopUnlock(rl);
    for (CFIndex i = 0; i < CFArrayGetCount(items); i++)
        __CFRunLoopAddItemsToCommonMode(rl, CFArrayGetValueAtIndex(items, i), name);
    // The loop's host must now wait for the main queue in one more common mode.
    if (isHosted) CFRunLoopWakeUp(rl);
    CFRelease(items);
    CFRelease(name);
}

/// An item may be in several modes, so the loop's list is copied: each removal changes it.
void __CFRunLoopRemoveAllTimersAndObservers(CFRunLoopRef rl, CFStringRef modeName) {
    __CFRunLoopLock(rl);
    Boolean areCommon = __CFRunLoopIsCommonModes(modeName);
    CFRunLoopModeRef rlm = areCommon ? NULL : __CFRunLoopFindMode(rl, modeName, false);
    CFArrayRef items[] = {
        areCommon ? __CFRunLoopCopyValues(rl->_commonModeItems) : NULL,
        rlm && rlm->_timers ? CFArrayCreateCopy(kCFAllocatorSystemDefault, rlm->_timers) : NULL,
        rlm && rlm->_observers ? CFArrayCreateCopy(kCFAllocatorSystemDefault, rlm->_observers)
                               : NULL,
    };
    if (rlm) __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(rl);
    for (int list = 0; list < 3; list++) {
        for (CFIndex i = 0; items[list] && i < CFArrayGetCount(items[list]); i++) {
            CFTypeRef item = CFArrayGetValueAtIndex(items[list], i);
            if (CFGetTypeID(item) == CFRunLoopTimerGetTypeID())
                CFRunLoopRemoveTimer(rl, (CFRunLoopTimerRef)item, modeName);
            if (CFGetTypeID(item) == CFRunLoopObserverGetTypeID())
                CFRunLoopRemoveObserver(rl, (CFRunLoopObserverRef)item, modeName);
        }
        if (items[list]) CFRelease(items[list]);
    }
}
