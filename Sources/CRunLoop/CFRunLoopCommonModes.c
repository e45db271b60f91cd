/// CFRunLoopCommonModes.c: declaring a mode common.
///
/// The common modes are a set of names, and the common items are a set of items (S9, S10). When you
/// add an item to kCFRunLoopCommonModes, the loop stores it as a common item and adds it to each
/// common mode. CFRunLoopAddSource and its relatives do that. This file does the reverse: a mode
/// that becomes common later gets all common items. A pass never looks at the set of common items;
/// it handles the items of its mode.
///
/// In all versions of the original the public functions add the items. Each call takes the loop's
/// lock again, which is recursive there.

#include "CFRunLoop_Internal.h"
#include "Names/CFRunLoopCommonModes.h"

/// A common item that is about to be added to the new common mode.
struct __CFCommonItem {
    CFTypeRef item;     // retained
    __CFPort port;      // of a version 1 source
    Boolean needsPort;  // whether to call getPort
    Boolean wasAdded;   // the source was added, and is to be scheduled
};

/// Adds one common item to the new common mode. Returns true if it added a source. It skips an item
/// that is no longer a common item, because another thread has removed it from the common modes
/// meanwhile. Call with rl locked.
static Boolean __CFRunLoopAddItemToCommonMode(CFRunLoopRef rl, const struct __CFCommonItem *common,
                                              CFStringRef modeName) {
    CFTypeRef item = common->item;
    CFTypeID type = CFGetTypeID(item);
    if (!__CFRunLoopContainsCommonItem(rl, item)) return false;
    if (type == CFRunLoopSourceGetTypeID())
        return __CFRunLoopAddSourceToMode(rl, (CFRunLoopSourceRef)item, modeName, common->port);
    if (type == CFRunLoopObserverGetTypeID())
        __CFRunLoopAddObserverToMode(rl, (CFRunLoopObserverRef)item, modeName);
    if (type == CFRunLoopTimerGetTypeID())
        __CFRunLoopAddTimerToMode(rl, (CFRunLoopTimerRef)item, modeName);
    return false;
}

/// Call with rl locked.
static void __CFRunLoopAddItemsToCommonMode(CFRunLoopRef rl, struct __CFCommonItem *items,
                                            CFIndex count, CFStringRef modeName) {
    for (CFIndex i = 0; i < count; i++)
        items[i].wasAdded = __CFRunLoopAddItemToCommonMode(rl, &items[i], modeName);
}

/// Gets the ports of the items, before any of them is added. Call with rl locked. It unlocks rl for
/// a while if a source has to be asked. DOES CALLOUT: getPort
static void __CFRunLoopLearnPortsOfCommonItems(CFRunLoopRef rl, struct __CFCommonItem *items,
                                               CFIndex count, CFStringRef modeName) {
    Boolean asks = false;
    for (CFIndex i = 0; i < count; i++) {
        items[i].needsPort = CFGetTypeID(items[i].item) == CFRunLoopSourceGetTypeID()
            && __CFRunLoopSourceNeedsPort(rl, (CFRunLoopSourceRef)items[i].item, modeName);
        asks = asks || items[i].needsPort;
    }
    if (!asks) return;
    __CFRunLoopUnlock(rl);
    for (CFIndex i = 0; i < count; i++) {
        if (items[i].needsPort)
            items[i].port = __CFRunLoopSourceGetPort((CFRunLoopSourceRef)items[i].item, 1);
    }
    __CFRunLoopLock(rl);
}

/// Call with rl locked.
static void __CFRunLoopCopyCommonItem(const void *item, void *context) {
    struct __CFCommonItem **next = context;
    *(*next)++ = (struct __CFCommonItem){CFRetain(item), CFPORT_NULL, false, false};
}

/// Returns the common items. The caller releases them and frees the list. Call with rl locked.
static struct __CFCommonItem *__CFRunLoopCopyCommonItems(CFRunLoopRef rl, CFIndex *count) {
    *count = rl->_commonModeItems ? CFSetGetCount(rl->_commonModeItems) : 0;
    struct __CFCommonItem *items = malloc((size_t)(*count + 1) * sizeof(*items)), *next = items;
    if (!items) __CF_HAS_NO_MEMORY_LEFT__("the common items of a run loop");
    if (*count) CFSetApplyFunction(rl->_commonModeItems, __CFRunLoopCopyCommonItem, &next);
    return items;
}

void CFRunLoopAddCommonMode(CFRunLoopRef rl, CFStringRef modeName) {
    CHECK_FOR_FORK();
    // The placeholder cannot be one of the modes that it stands for.
    if (__CFRunLoopIsDeallocating(rl) || __CFRunLoopIsCommonModes(modeName)) return;
    CFStringRef name = __CFRunLoopCopyModeName(modeName);
    __CFRunLoopLock(rl);
    if (!__CFRunLoopAddCommonModeName(rl, name)) {
        __CFRunLoopUnlock(rl);
        CFRelease(name);
        return;
    }
    CFIndex count;
    struct __CFCommonItem *items = __CFRunLoopCopyCommonItems(rl, &count);
    __CFRunLoopLearnPortsOfCommonItems(rl, items, count, name);
    __CFRunLoopAddItemsToCommonMode(rl, items, count, name);
    Boolean isHosted = rl->_isHosted;
    __CFRunLoopUnlock(rl);
    // The loop's host must now wait for the main queue in one more common mode.
    if (isHosted) CFRunLoopWakeUp(rl);
    for (CFIndex i = 0; i < count; i++) {
        if (items[i].wasAdded)
            __CFRunLoopSourceSchedule((CFRunLoopSourceRef)items[i].item, rl, name);
        CFRelease(items[i].item);
    }
    free(items);
    CFRelease(name);
}
