/// CFRunLoopCommonModes.c: declaring a mode common.
///
/// The common modes are a set of names, and what was added to them a set of items (S9, S10). Adding an item to
/// kCFRunLoopCommonModes remembers it and puts it into each mode of the set: CFRunLoopAddSource and its kin do that. Here is the
/// other direction: a mode that joins the set later gets all that is remembered. A pass never looks at the remembered items; it
/// serves what is in its mode. In all versions of the original the public functions add the items,
/// each taking the loop's lock once more, which is recursive there.

#include "CFRunLoop_Internal.h"
#include "Names/CFRunLoopCommonModes.h"

/// Puts one remembered item into the new common mode; true if a source was added, which is then to be told so. Call with rl
/// locked; may unlock it for a while. DOES CALLOUT: getPort
static Boolean __CFRunLoopAddItemToCommonMode(CFRunLoopRef rl, CFTypeRef item, CFStringRef modeName) {
    CFTypeID type = CFGetTypeID(item);
    if (type == CFRunLoopSourceGetTypeID()) return __CFRunLoopAddSourceToMode(rl, (CFRunLoopSourceRef)item, modeName);
    if (type == CFRunLoopObserverGetTypeID()) __CFRunLoopAddObserverToMode(rl, (CFRunLoopObserverRef)item, modeName);
    if (type == CFRunLoopTimerGetTypeID()) __CFRunLoopAddTimerToMode(rl, (CFRunLoopTimerRef)item, modeName);
    return false;
}

/// Call with rl locked; `items` are retained. `added` says of which a source was added.
static void __CFRunLoopAddItemsToCommonMode(CFRunLoopRef rl, CFTypeRef *items, Boolean *added, CFIndex count,
                                            CFStringRef modeName) {
    for (CFIndex i = 0; i < count; i++) added[i] = __CFRunLoopAddItemToCommonMode(rl, items[i], modeName);
}

/// The remembered items, each retained. The caller frees the list. Call with rl locked.
static CFTypeRef *__CFRunLoopCopyCommonItems(CFRunLoopRef rl, CFIndex *count) {
    *count = rl->_commonModeItems ? CFSetGetCount(rl->_commonModeItems) : 0;
    CFTypeRef *items = malloc((size_t)(*count + 1) * sizeof(*items));
    if (!items) __CF_HAS_NO_MEMORY_LEFT__("the common items of a run loop");
    if (*count) CFSetGetValues(rl->_commonModeItems, items);
    for (CFIndex i = 0; i < *count; i++) CFRetain(items[i]);
    return items;
}

void CFRunLoopAddCommonMode(CFRunLoopRef rl, CFStringRef modeName) {
    CHECK_FOR_FORK();
    if (__CFRunLoopIsDeallocating(rl) || __CFRunLoopIsCommonModes(modeName)) return; // the placeholder cannot stand for itself
    CFStringRef name = __CFRunLoopCopyModeName(modeName);
    __CFRunLoopLock(rl);
    if (!__CFRunLoopAddCommonModeName(rl, name)) {
        __CFRunLoopUnlock(rl);
        CFRelease(name);
        return;
    }
    CFIndex count;
    CFTypeRef *items = __CFRunLoopCopyCommonItems(rl, &count);
    Boolean *added = calloc((size_t)count + 1, sizeof(*added));
    if (!added) __CF_HAS_NO_MEMORY_LEFT__("the common items of a run loop");
    __CFRunLoopAddItemsToCommonMode(rl, items, added, count, name);
    Boolean isHosted = rl->_isHosted;
    __CFRunLoopUnlock(rl);
    if (isHosted) CFRunLoopWakeUp(rl); // its host has a common mode more to wait for the main queue in
    for (CFIndex i = 0; i < count; i++) {
        if (added[i]) __CFRunLoopSourceSchedule((CFRunLoopSourceRef)items[i], rl, name);
        CFRelease(items[i]);
    }
    free(added);
    free(items);
    CFRelease(name);
}
