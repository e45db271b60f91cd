/// CFRunLoopObject.c: the loop as an object, from its creation to its deallocation.
/// CFRunLoopRegistry.c decides when these happen.

#include "CFRunLoop_Internal.h"

static void __CFRunLoopDeallocate(CFTypeRef cf);
static CFStringRef __CFRunLoopCopyDescription(CFTypeRef cf);

CF_SHARED const CFRuntimeClass __CFRunLoopClass = {
    .typeID = _kCFRuntimeIDCFRunLoop,
    .className = "CFRunLoop",
    .finalize = __CFRunLoopDeallocate,
    .copyDebugDesc = __CFRunLoopCopyDescription,
    .twin = offsetof(struct __CFRunLoop, _counterpart),
};

CFTypeID CFRunLoopGetTypeID(void) { return _kCFRuntimeIDCFRunLoop; }

/// A new loop has the default mode, which is its only common mode (S4, S11). Outside a run the loop
/// ignores wake-ups, because no thread is there to wake.
CFRunLoopRef __CFRunLoopCreate(pthread_t t) {
    CFRunLoopRef loop = (CFRunLoopRef)_CFRuntimeCreateInstance(kCFAllocatorSystemDefault,
                                                               &__CFRunLoopClass,
                                                               sizeof(struct __CFRunLoop));
    if (!loop) __CF_HAS_NO_MEMORY_LEFT__("a run loop");
    loop->_pthread = t;
    __CFRunLoopLockInit(&loop->_lock);
    __CFRunLoopLock(loop);
    __CFRunLoopPushPerRunData(loop); // the record for "no run"
    __CFRunLoopSetIgnoreWakeUps(loop);
    loop->_wakeUpPort = __CFPortAllocate();
    loop->_commonModes = CFSetCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeSetCallBacks);
    CFSetAddValue(loop->_commonModes, kCFRunLoopDefaultMode);
    loop->_modes = CFSetCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeSetCallBacks);
    __CFRunLoopModeUnlock(__CFRunLoopFindMode(loop, kCFRunLoopDefaultMode, true));
    __CFRunLoopUnlock(loop);
    return loop;
}

/// Call with nothing locked. DOES CALLOUT: the items' copyDescription
static CFStringRef __CFRunLoopCopyDescription(CFTypeRef cf) {
    CFRunLoopRef rl = (CFRunLoopRef)cf;
    __CFRunLoopLock(rl);
    CFStringRef currentMode = (CFStringRef)CFRetain(rl->_currentMode ? rl->_currentMode->_name
                                                    : CFSTR("(none)"));
    // A stop belongs to a run.
    Boolean isStopped = rl->_currentMode && __CFRunLoopIsStopped(rl);
    CFTypeRef sets[] = {rl->_commonModes, rl->_commonModeItems, rl->_modes}, copies[3];
    for (int i = 0; i < 3; i++) copies[i] = __CFCollectionCopy(sets[i]);
    __CFRunLoopUnlock(rl);
    CFStringRef texts[3];
    for (int i = 0; i < 3; i++) {
        texts[i] = __CFCollectionCopyDescriptionAs(copies[i], sets[i]);
        if (copies[i]) CFRelease(copies[i]);
    }
    CFStringRef result = CFStringCreateWithFormat(
        kCFAllocatorSystemDefault, NULL,
        CFSTR("<CFRunLoop %p [%p]>{wakeup port = 0x%x, stopped = %s, ignoreWakeUps = %s, \n"
              "current mode = %@,\n"
              "common modes = %@,\ncommon mode items = %@,\nmodes = %@}\n"),
        rl, CFGetAllocator(rl), rl->_wakeUpPort, isStopped ? "true" : "false",
        __CFRunLoopIsIgnoringWakeUps(rl) ? "true" : "false", currentMode, texts[0], texts[1],
        texts[2]);
    for (int i = 0; i < 3; i++) CFRelease(texts[i]);
    CFRelease(currentMode);
    return result;
}

static void __CFRunLoopModeItemsForgetLoop(const void *mode, void *rl) {
    CF_ASSERT_LOCKED((CFRunLoopRef)rl);
    __CFRunLoopDeallocateItems(rl, ((CFRunLoopModeRef)mode)->_observers);
    __CFRunLoopDeallocateItems(rl, ((CFRunLoopModeRef)mode)->_timers);
}

/// The loop has no sources any more: sources retain their loops, and the end of the thread has
/// removed them. Observers and timers refer to their loop without retaining it, so that reference
/// must be removed. A release may call the client, which may use the loop and the items. So the
/// loop is removed from all items before anything is released, and an object is removed from the
/// loop before it is released. Call with nothing locked. DOES CALLOUT: release
static void __CFRunLoopDeallocate(CFTypeRef cf) {
    CFRunLoopRef rl = (CFRunLoopRef)cf;
    __CFRuntimeSetFlag(rl, __kCFRunLoopDeallocating, true);
    __CFRunLoopLock(rl);
    CFSetApplyFunction(rl->_modes, __CFRunLoopModeItemsForgetLoop, rl);
    __CFRunLoopDeallocateItems(rl, rl->_commonModeItems);
    __CFRunLoopUnlock(rl);
    __CFRunLoopDropBlocks(rl);
    CFMutableSetRef items = rl->_commonModeItems, modes = rl->_modes;
    rl->_commonModeItems = NULL;
    rl->_modes = CFSetCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeSetCallBacks);
    if (items) CFRelease(items);
    CFRelease(modes);
    CFRelease(rl->_modes);
    CFRelease(rl->_commonModes);
    __CFPortFree(rl->_wakeUpPort);
    if (rl->_hostedModes) CFRelease(rl->_hostedModes);
    __CFRunLoopFreePerRunData(rl);
    __CFRuntimePoison(cf, sizeof(struct __CFRunLoop), 0x8C);
}
