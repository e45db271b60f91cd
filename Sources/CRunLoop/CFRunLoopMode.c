/// CFRunLoopMode.c: modes: their class, finding and creating them by name, and their ports.
///
/// A client never gets a mode, only its name. The loop creates a mode the first time that a client
/// uses the name to add an item or a block, to stop the mode, or to embed it. It never removes a
/// mode (S3).

#include "CFRunLoop_Internal.h"

CONST_STRING_DECL(kCFRunLoopDefaultMode, "kCFRunLoopDefaultMode")
CONST_STRING_DECL(kCFRunLoopCommonModes, "kCFRunLoopCommonModes")

// MARK: - The class

/// Two modes with the same name are equal, because __CFRunLoopFindMode looks up a mode by its
/// name. Needs no lock.
static Boolean __CFRunLoopModeEqual(CFTypeRef cf1, CFTypeRef cf2) {
    return CFEqual(((CFRunLoopModeRef)cf1)->_name, ((CFRunLoopModeRef)cf2)->_name);
}

static CFHashCode __CFRunLoopModeHash(CFTypeRef cf) {
    return CFHash(((CFRunLoopModeRef)cf)->_name);
}

/// Call with nothing locked. DOES CALLOUT: release
static void __CFRunLoopModeDeallocate(CFTypeRef cf) {
    CFRunLoopModeRef rlm = (CFRunLoopModeRef)cf;
    CFTypeRef owned[] = {rlm->_sources0, rlm->_sources1,          rlm->_observers,
                         rlm->_timers,   rlm->_portToV1SourceMap, rlm->_name};
    for (size_t i = 0; i < sizeof(owned) / sizeof(owned[0]); i++) {
        if (owned[i]) CFRelease(owned[i]);
    }
    __CFPortSetFree(rlm->_portSet);
    __CFRuntimePoison(cf, sizeof(struct __CFRunLoopMode), 0x7C);
}

/// Call with nothing locked. DOES CALLOUT: the items' copyDescription
static CFStringRef __CFRunLoopModeCopyDescription(CFTypeRef cf) {
    static const char *const names[] = {"sources0", "sources1", "observers", "timers"};
    CFRunLoopModeRef rlm = (CFRunLoopModeRef)cf;
    __CFRunLoopModeLock(rlm);
    CFTypeRef items[] = {rlm->_sources0, rlm->_sources1, rlm->_observers, rlm->_timers}, copies[4];
    for (int i = 0; i < 4; i++) copies[i] = __CFCollectionCopy(items[i]);
    uint64_t soft = rlm->_timerSoftDeadline, hard = rlm->_timerHardDeadline;
    int portSet = __CFPortSetGetDescriptor(rlm->_portSet), timerPort = rlm->_timerPort;
    __CFRunLoopModeUnlock(rlm);
    CFMutableStringRef result = __CFDescriptionCreateMutable(kCFAllocatorSystemDefault);
    CFStringAppendFormat(
        result, NULL,
        CFSTR("<CFRunLoopMode %p [%p]>{name = %@, port set = 0x%x, timer port = 0x%x, \n"), rlm,
        CFGetAllocator(rlm), rlm->_name, portSet, timerPort);
    for (int i = 0; i < 4; i++) {
        CFStringRef description = __CFCollectionCopyDescriptionAs(copies[i], items[i]);
        CFStringAppendFormat(result, NULL, CFSTR("\t%s = %@,\n"), names[i], description);
        CFRelease(description);
        if (copies[i]) CFRelease(copies[i]);
    }
    CFStringAppendFormat(
        result, NULL,
        CFSTR("\tcurrently %0.09g (%lld) / soft deadline in: %0.09g sec (@ %lld) / "
              "hard deadline in: %0.09g sec (@ %lld)\n},\n"),
        CFAbsoluteTimeGetCurrent(), (long long)mach_absolute_time(), __CFTimeIntervalUntilTSR(soft),
        (long long)soft, __CFTimeIntervalUntilTSR(hard), (long long)hard);
    return result;
}

CF_SHARED const CFRuntimeClass __CFRunLoopModeClass = {
    .typeID = _kCFRuntimeIDCFRunLoopMode,
    .className = "CFRunLoopMode",
    .finalize = __CFRunLoopModeDeallocate,
    .equal = __CFRunLoopModeEqual,
    .hash = __CFRunLoopModeHash,
    .copyDebugDesc = __CFRunLoopModeCopyDescription,
};

// MARK: - Finding a mode

Boolean __CFRunLoopIsCommonModes(CFStringRef modeName) {
    if (!modeName || modeName == kCFRunLoopCommonModes) return modeName != NULL;
    // Swift code has cast an NSString of Foundation, for example: no object of this library.
    __CFCollectionCheck(modeName, &__CFStringClass, "A run loop");
    return CFEqual(modeName, kCFRunLoopCommonModes);
}

CFStringRef __CFRunLoopCopyModeName(CFStringRef modeName) {
    CFStringRef name = CFStringCreateCopy(kCFAllocatorSystemDefault, modeName);
    if (!name) __CF_HAS_NO_MEMORY_LEFT__("the name of a run loop mode");
    return name;
}

/// Creates a mode, which only the calling thread has.
static CFRunLoopModeRef __CFRunLoopModeCreate(CFRunLoopRef rl, CFStringRef name) {
    CFRunLoopModeRef rlm = (CFRunLoopModeRef)_CFRuntimeCreateInstance(
        kCFAllocatorSystemDefault, &__CFRunLoopModeClass, sizeof(struct __CFRunLoopMode));
    if (!rlm) __CF_HAS_NO_MEMORY_LEFT__("a run loop mode");
    __CFRunLoopLockInit(&rlm->_lock);
    rlm->_name = __CFRunLoopCopyModeName(name);
    rlm->_portSet = __CFPortSetAllocate(rl->_wakeUpPort, &rl->_wakeUpSent);
    rlm->_timerPort = mk_timer_create(rlm->_portSet);
    rlm->_timerSoftDeadline = UINT64_MAX;
    rlm->_timerHardDeadline = UINT64_MAX;
    rlm->_isCommon = CFSetContainsValue(rl->_commonModes, name);
    return rlm;
}

__attribute__((noinline))
CFRunLoopModeRef __CFRunLoopFindMode(CFRunLoopRef rl, CFStringRef modeName, Boolean create) {
    CF_ASSERT_LOCKED(rl);
    if (!modeName) return NULL;
    CFRunLoopModeRef rlm = rl->_currentMode;
    // A callback mostly uses the mode that it was called in, and by the same string.
    if (!rlm || rlm->_name != modeName) {
        struct __CFRunLoopMode srlm; // only what __CFRunLoopModeEqual and __CFRunLoopModeHash need
        srlm._base = (CFRuntimeBase)INIT_CFRUNTIME_BASE(__CFRunLoopModeClass);
        srlm._name = modeName;
        rlm = (CFRunLoopModeRef)CFSetGetValue(rl->_modes, &srlm);
    }
    if (!rlm && create) {
        rlm = __CFRunLoopModeCreate(rl, modeName);
        CFSetAddValue(rl->_modes, rlm);
        CFRelease(rlm); // the set retains it
    }
    if (rlm) __CFRunLoopModeLock(rlm);
    return rlm;
}

// MARK: - Several modes at once

Boolean __CFRunLoopAddCommonModeName(CFRunLoopRef rl, CFStringRef modeName) {
    CF_ASSERT_LOCKED(rl);
    if (CFSetContainsValue(rl->_commonModes, modeName)) return false;
    CFSetAddValue(rl->_commonModes, modeName);
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, false);
    if (!rlm) return true;
    rlm->_isCommon = true;
    __CFRunLoopModeUnlock(rlm);
    return true;
}

static void __CFRunLoopAppendModeName(const void *mode, void *names) {
    CFArrayAppendValue(names, ((CFRunLoopModeRef)mode)->_name);
}

CFArrayRef CFRunLoopCopyAllModes(CFRunLoopRef rl) {
    CHECK_FOR_FORK();
    CFMutableArrayRef array =
        CFArrayCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeArrayCallBacks);
    __CFRunLoopLock(rl);
    CFSetApplyFunction(rl->_modes, __CFRunLoopAppendModeName, array);
    __CFRunLoopUnlock(rl);
    return array;
}

// MARK: - Ports

void __CFRunLoopModeInsertPort(CFRunLoopModeRef rlm, __CFPort port, CFWatchEvents events) {
    CF_ASSERT_LOCKED(rlm);
    int error = __CFPortSetInsert(port, events, rlm->_portSet);
    if (!error) return;
    char name[256];
    __CFStringCopyTruncated(rlm->_name, name, sizeof(name));
    __CFWarn("descriptor %d, the port of a version 1 source in the mode %s, cannot be waited for: "
             "%s. %s",
             port, name, strerror(error), __CFPortSetWhyNotInserted(error));
}

static void __CFRunLoopModeInsertPortOfMap(const void *port, const void *source, void *rlm) {
    CFWatchEvents events = atomic_load(&((CFRunLoopSourceRef)source)->_watchEvents);
    __CFRunLoopModeInsertPort(rlm, (__CFPort)(intptr_t)port, events);
}

/// A client has closed a descriptor before it removed the source, so that the kernel can no longer
/// remove it from the set. If a duplicate of it is still open, in this process or in a child of
/// fork, the set would go on reporting it, and the loop would never sleep again.
void __CFRunLoopModeRenewPortSet(CFRunLoopModeRef rlm) {
    CF_ASSERT_LOCKED(rlm);
    __CFPortSetRenew(rlm->_portSet);
    if (rlm->_portToV1SourceMap)
        CFDictionaryApplyFunction(rlm->_portToV1SourceMap, __CFRunLoopModeInsertPortOfMap, rlm);
}
