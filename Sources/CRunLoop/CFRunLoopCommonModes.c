/// CFRunLoopCommonModes.c: declaring a mode common.
///
/// The common modes are a set of names, and the common items are a set of items (S9, S10). When you
/// add an item to kCFRunLoopCommonModes, the loop stores it as a common item and adds it to each
/// common mode. CFRunLoopAddSource and its relatives do that. This file does the reverse: a mode
/// that becomes common later gets all common items. A pass never looks at the set of common items;
/// it handles the items of its mode.
///
/// In all versions of the original, CFRunLoopAddCommonMode calls the public functions to add the
/// items. Each of them takes the loop's lock again, which is recursive there.

#include "CFRunLoopItems.h"

/// A common item that is about to be added to the new common mode.
struct __CFCommonItem {
    CFTypeRef item;     // not retained: the copy of the common items retains it
    __CFPort port;      // what getPort of a version 1 source returned
    Boolean wasAdded;
};

/// Adds the items to the new common mode. It skips one that another thread has removed from the
/// common items meanwhile.
static void __CFRunLoopAddItemsToCommonMode(CFRunLoopRef rl, struct __CFCommonItem *items,
                                            CFIndex count, CFStringRef modeName) {
    CF_ASSERT_LOCKED(rl);
    for (CFIndex i = 0; i < count; i++) {
        CFTypeRef item = items[i].item;
        CFTypeID type = CFGetTypeID(item);
        if (!__CFRunLoopContainsCommonItem(rl, item)) continue;
        if (type == CFRunLoopSourceGetTypeID())
            items[i].wasAdded = __CFRunLoopAddSourceToMode(rl, (CFRunLoopSourceRef)item, modeName,
                                                           items[i].port);
        if (type == CFRunLoopTimerGetTypeID())
            items[i].wasAdded = __CFRunLoopAddTimerToMode(rl, (CFRunLoopTimerRef)item, modeName);
        if (type == CFRunLoopObserverGetTypeID())
            items[i].wasAdded =
                __CFRunLoopAddObserverToMode(rl, (CFRunLoopObserverRef)item, modeName);
    }
}

/// The client's getPort and schedule run with nothing locked [D10]: getPort before the items are
/// added, schedule afterwards.
void CFRunLoopAddCommonMode(CFRunLoopRef rl, CFStringRef modeName) {
    CHECK_FOR_FORK();
    if (CF_UNLIKELY(!modeName)) __CF_WAS_GIVEN_NULL_INSTEAD_OF_AN_OBJECT__(__func__);
    // The placeholder cannot be one of the modes that it stands for.
    if (__CFRunLoopIsDeallocating(rl) || __CFRunLoopIsCommonModes(modeName)) return;
    CFStringRef name = __CFRunLoopCopyModeName(modeName);
    __CFRunLoopLock(rl);
    Boolean isNew = __CFRunLoopAddCommonModeName(rl, name);
    CFArrayRef copy = __CFRunLoopCopyItems(isNew ? rl->_commonModeItems : NULL);
    CFIndex count = CFArrayGetCount(copy);
    struct __CFCommonItem *items = calloc((size_t)count + 1, sizeof(*items));
    if (!items) __CF_HAS_NO_MEMORY_LEFT__("the common items of a run loop");
    for (CFIndex i = 0; i < count; i++) {
        CFTypeRef item = items[i].item = CFArrayGetValueAtIndex(copy, i);
        if (CFGetTypeID(item) != CFRunLoopSourceGetTypeID()) continue;
        CFRunLoopSourceRef rls = (CFRunLoopSourceRef)item;
        if (rls->_context.version0.version != 1) continue;
        __CFRunLoopUnlock(rl);
        items[i].port = __CFRunLoopSourceGetPortForModes(rls, rl, name);
        __CFRunLoopLock(rl);
    }
    __CFRunLoopAddItemsToCommonMode(rl, items, count, name);
    Boolean isHosted = isNew && rl->_hostedModes;
    __CFRunLoopUnlock(rl);
    // The loop's host must now wait for the main queue in one more common mode.
    if (isHosted) CFRunLoopWakeUp(rl);
    for (CFIndex i = 0; i < count; i++) {
        if (items[i].wasAdded && CFGetTypeID(items[i].item) == CFRunLoopSourceGetTypeID())
            __CFRunLoopSourceSchedule((CFRunLoopSourceRef)items[i].item, rl, name);
    }
    free(items);
    CFRelease(copy);
    CFRelease(name);
}
