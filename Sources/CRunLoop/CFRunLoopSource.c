/// CFRunLoopSource.c: sources of both versions, from creation to perform.
///
/// A version 0 source performs after a thread has signaled it (I1). A version 1 source performs
/// when its port is ready (I2).

#include "CFRunLoopProbes.h"

// MARK: - Class

static Boolean __CFRunLoopSourceIsVersion0(CFRunLoopSourceRef rls) {
    return rls->_context.version0.version == 0;
}
static Boolean __CFRunLoopSourceIsVersion1(CFRunLoopSourceRef rls) {
    return rls->_context.version0.version == 1;
}

/// The client's `perform`, for equality, descriptions and the trace.
static const void *__CFRunLoopSourceFunction(CFRunLoopSourceRef rls) {
    return __CFRunLoopSourceIsVersion0(rls) ? (const void *)rls->_context.version0.perform
        : (const void *)rls->_context.version1.perform;
}

/// Two sources are equal if their orders, functions and infos are equal. The contexts of both
/// versions begin with the fields that this reads. The sets call this function, mostly with rl and
/// rlm locked. DOES CALLOUT: equal
static Boolean __CFRunLoopSourceEqual(CFTypeRef cf1, CFTypeRef cf2) {
    CFRunLoopSourceRef rls1 = (CFRunLoopSourceRef)cf1, rls2 = (CFRunLoopSourceRef)cf2;
    const CFRunLoopSourceContext *context1 = &rls1->_context.version0,
                                 *context2 = &rls2->_context.version0;
    if (rls1 == rls2) return true;
    if (__CFIsValid(rls1) != __CFIsValid(rls2) || rls1->_order != rls2->_order) return false;
    if (context1->version != context2->version || context1->hash != context2->hash
        || context1->equal != context2->equal)
        return false;
    if (__CFRunLoopSourceFunction(rls1) != __CFRunLoopSourceFunction(rls2)) return false;
    return context1->equal ? context1->equal(context1->info, context2->info)
                           : context1->info == context2->info;
}

/// The sets call this function, mostly with rl and rlm locked. DOES CALLOUT: hash
static CFHashCode __CFRunLoopSourceHash(CFTypeRef cf) {
    const CFRunLoopSourceContext *context = &((CFRunLoopSourceRef)cf)->_context.version0;
    return context->hash ? context->hash(context->info) : (CFHashCode)(uintptr_t)context->info;
}

/// A deallocated source is in no loop, because loops retain their sources. Call with nothing
/// locked. DOES CALLOUT: release
static void __CFRunLoopSourceDeallocate(CFTypeRef cf) {
    CFRunLoopSourceRef rls = (CFRunLoopSourceRef)cf;
    if (rls->_runLoops) CFRelease(rls->_runLoops);
    if (rls->_context.version0.release) rls->_context.version0.release(rls->_context.version0.info);
}

/// Call with nothing locked. DOES CALLOUT: copyDescription
static CFStringRef __CFRunLoopSourceContextCopyDescription(CFRunLoopSourceRef rls) {
    const CFRunLoopSourceContext *context = &rls->_context.version0;
    CFStringRef own = context->copyDescription ? context->copyDescription(context->info) : NULL;
    if (own) return own;
    const void *callout = __CFRunLoopSourceFunction(rls);
    CFStringRef name = __CFCopyNameOfFunction(callout);
    own = CFStringCreateWithFormat(
        kCFAllocatorSystemDefault, NULL,
        CFSTR("<CFRunLoopSource context>{version = %ld, info = %p, callout = %@ (%p)}"),
        context->version, context->info, name, callout);
    CFRelease(name);
    return own;
}

/// Call with nothing locked. DOES CALLOUT: copyDescription
static CFStringRef __CFRunLoopSourceCopyDescription(CFTypeRef cf) {
    CFRunLoopSourceRef rls = (CFRunLoopSourceRef)cf;
    CFStringRef context = __CFRunLoopSourceContextCopyDescription(rls), port = NULL;
    if (__CFRunLoopSourceIsVersion1(rls)) { // "port = 5 (pipe), "
        CFStringRef own = __CFPortCopyDescription(atomic_load(&rls->_port));
        port = CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL, CFSTR("port = %@, "), own);
        CFRelease(own);
    }
    CFStringRef result = CFStringCreateWithFormat(
        kCFAllocatorSystemDefault, NULL,
        CFSTR("<CFRunLoopSource %p [%p]>{signalled = %s, valid = %s, order = %ld, %@context = %@}"),
        rls, CFGetAllocator(rls), CFRunLoopSourceIsSignalled(rls) ? "Yes" : "No",
        __CFIsValid(rls) ? "Yes" : "No", (long)rls->_order,
        port ? port : CFSTR(""), context);
    if (port) CFRelease(port);
    if (context) CFRelease(context); // NULL if there was no memory: the text says (null)
    return result;
}

CF_SHARED const CFRuntimeClass __CFRunLoopSourceClass = {
    .typeID = _kCFRuntimeIDCFRunLoopSource,
    .className = "CFRunLoopSource",
    .finalize = __CFRunLoopSourceDeallocate,
    .equal = __CFRunLoopSourceEqual,
    .hash = __CFRunLoopSourceHash,
    .copyDebugDesc = __CFRunLoopSourceCopyDescription,
    .twin = offsetof(struct __CFRunLoopSource, _twin),
};

CFTypeID CFRunLoopSourceGetTypeID(void) { return _kCFRuntimeIDCFRunLoopSource; }

// MARK: - Create and query

/// The current source's Linux build traps here as well, without a message.
static __attribute__((noinline, noreturn, cold)) void
__CFRUNLOOPSOURCE_WAS_CREATED_WITHOUT_A_CONTEXT__(void) {
    __CFHalt("CFRunLoopSourceCreate was given NULL for its context; pass a CFRunLoopSourceContext "
             "(version 0) or CFRunLoopSourceContext1 (version 1).");
}

static size_t __CFRunLoopSourceContextSize(CFIndex version) {
    return version == 0   ? sizeof(CFRunLoopSourceContext)
           : version == 1 ? sizeof(CFRunLoopSourceContext1)
                          : 0;
}

CFRunLoopSourceRef CFRunLoopSourceCreate(CFAllocatorRef allocator, CFIndex order,
                                         CFRunLoopSourceContext *context) {
    CHECK_FOR_FORK();
    if (!context) __CFRUNLOOPSOURCE_WAS_CREATED_WITHOUT_A_CONTEXT__();
    CFRunLoopSourceRef rls = (CFRunLoopSourceRef)_CFRuntimeCreateInstance(
        allocator, &__CFRunLoopSourceClass, sizeof(struct __CFRunLoopSource));
    if (!rls) return NULL;
    __CFSetValid(rls);
    __CFRunLoopLockInit(&rls->_lock);
    rls->_order = order;
    atomic_init(&rls->_port, CFPORT_NULL);
    atomic_init(&rls->_watchEvents, kCFWatchReadable);
    memcpy(&rls->_context, context, __CFRunLoopSourceContextSize(context->version));
    rls->_context.version0.version = context->version;
    // The context of an unknown version is not copied, so its info is not retained either.
    if (rls->_context.version0.retain)
        rls->_context.version0.info = (void *)context->retain(context->info);
    return rls;
}

CFIndex CFRunLoopSourceGetOrder(CFRunLoopSourceRef rls) {
    CHECK_FOR_FORK();
    return rls->_order;
}

Boolean CFRunLoopSourceIsValid(CFRunLoopSourceRef rls) {
    CHECK_FOR_FORK();
    return __CFIsValid(rls);
}

void CFRunLoopSourceGetContext(CFRunLoopSourceRef rls, CFRunLoopSourceContext *context) {
    CHECK_FOR_FORK();
    memcpy(context, &rls->_context, __CFRunLoopSourceContextSize(context->version));
}

// MARK: - The client's callbacks

/// Calls `schedule` of a version 0 source that was added to a mode. The original also adds the loop
/// to `_runLoops` here; see __CFRunLoopSourceJoin, because no callback runs with a lock held. [D10]
/// Call with nothing locked. DOES CALLOUT
static void __CFRunLoopSourceSchedule(CFRunLoopSourceRef rls, CFRunLoopRef rl,
                                      CFStringRef modeName) {
    if (__CFRunLoopSourceIsVersion0(rls) && rls->_context.version0.schedule)
        rls->_context.version0.schedule(rls->_context.version0.info, rl, modeName);
}

/// Calls `cancel` of a version 0 source that was removed from a mode. Call with nothing locked.
/// DOES CALLOUT
static void __CFRunLoopSourceCancel(CFRunLoopSourceRef rls, CFRunLoopRef rl, CFStringRef modeName) {
    if (__CFRunLoopSourceIsVersion0(rls) && rls->_context.version0.cancel)
        rls->_context.version0.cancel(rls->_context.version0.info, rl, modeName);
}

/// Calls `getPort` of a version 1 source. Call with nothing locked. DOES CALLOUT
static __CFPort __CFRunLoopSourceGetPort(CFRunLoopSourceRef rls) {
    if (!__CFRunLoopSourceIsVersion1(rls) || !rls->_context.version1.getPort) return CFPORT_NULL;
    __CFPort port = rls->_context.version1.getPort(rls->_context.version1.info);
    return port < 0 ? CFPORT_NULL : port;
}

// MARK: - Signal
//
// In CF-855 and CF-1153 a signal sets a bit of the source; in the current source it stores the
// time. All take the source's lock for it. Here a signal takes no lock, so a signal handler may
// send one. [D4]

static Boolean __CFRunLoopSourceIsSignaled(CFRunLoopSourceRef rls) {
    return atomic_load(&rls->_signaledTime) != 0;
}

/// Another signal before the source performs does not change the time.
static void __CFRunLoopSourceSetSignaled(CFRunLoopSourceRef rls) {
    uint64_t none = 0;
    atomic_compare_exchange_strong(&rls->_signaledTime, &none, __CFSignalTime());
}

static void __CFRunLoopSourceUnsetSignaled(CFRunLoopSourceRef rls) {
    atomic_store(&rls->_signaledTime, 0);
}

void CFRunLoopSourceSignal(CFRunLoopSourceRef rls) {
    CHECK_FOR_FORK_IN_SIGNAL_HANDLER();
    if (!__CFIsValid(rls)) return;
    if (!__CFRunLoopSourceIsSignaled(rls)) CFRL_SIGNAL(rls);
    __CFRunLoopSourceSetSignaled(rls);
    // Another thread may have invalidated it since the first check.
    if (!__CFIsValid(rls)) __CFRunLoopSourceUnsetSignaled(rls);
}

Boolean CFRunLoopSourceIsSignalled(CFRunLoopSourceRef rls) {
    CHECK_FOR_FORK();
    return __CFRunLoopSourceIsSignaled(rls);
}

// MARK: - The loops of a source
//
// Unlike timers and observers, sources retain their run loops.

static void __CFArrayAppendLoopOnce(const void *runLoop, void *loops) {
    CFIndex count = CFArrayGetCount(loops);
    if (!count || CFArrayGetValueAtIndex(loops, count - 1) != runLoop)
        CFArrayAppendValue(loops, runLoop);
}

/// Returns each loop of a source once. The bag contains a loop once for each mode that the source
/// is in, and CFBagApplyFunction visits equal values in a row. The callers go through all modes of
/// each loop. If they visited a loop once for each of its modes, their cost would grow with the
/// square of the number of modes.
static CFArrayRef __CFRunLoopSourceCopyLoops(CFRunLoopSourceRef rls) {
    CF_ASSERT_LOCKED(rls);
    CFMutableArrayRef loops =
        CFArrayCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeArrayCallBacks);
    if (rls->_runLoops) CFBagApplyFunction(rls->_runLoops, __CFArrayAppendLoopOnce, loops);
    return loops;
}

// MARK: - Change the events that the loop waits for on a version 1 source's port

/// Makes a mode wait for the present events of the source. Call with the mode's loop locked.
static void __CFRunLoopModeRenewWatch(const void *mode, void *source) {
    CFRunLoopModeRef rlm = (CFRunLoopModeRef)mode;
    CFRunLoopSourceRef rls = source;
    __CFPort port = atomic_load(&rls->_port);
    __CFRunLoopModeLock(rlm);
    const void *performed = port != CFPORT_NULL && rlm->_portToV1SourceMap
        ? CFDictionaryGetValue(rlm->_portToV1SourceMap, (const void *)(intptr_t)port) : NULL;
    if (performed == rls) __CFRunLoopModeInsertPort(rlm, port, atomic_load(&rls->_watchEvents));
    __CFRunLoopModeUnlock(rlm);
}

/// A mode that the source joins later reads the events when it adds the source. Each mode reads
/// them with its lock held. So if several threads change them at once, all modes wait for the
/// events of the last change. DOES CALLOUT, if this has the last reference to a loop
void CFRunLoopSourceSetWatchEvents(CFRunLoopSourceRef rls, CFWatchEvents events) {
    CHECK_FOR_FORK();
    atomic_store(&rls->_watchEvents, events);
    if (!__CFRunLoopSourceIsVersion1(rls)) return;
    __CFRunLoopSourceLock(rls);
    CFArrayRef loops = __CFRunLoopSourceCopyLoops(rls);
    __CFRunLoopSourceUnlock(rls);
    for (CFIndex i = 0; i < CFArrayGetCount(loops); i++) {
        CFRunLoopRef rl = (CFRunLoopRef)CFArrayGetValueAtIndex(loops, i);
        __CFRunLoopLock(rl);
        CFSetApplyFunction(rl->_modes, __CFRunLoopModeRenewWatch, rls);
        __CFRunLoopUnlock(rl);
    }
    CFRelease(loops);
}

// MARK: - Add

/// Records that the source is in one more of the loop's modes, or among its common items. Returns
/// false if the source is invalid, or if the loop's thread has ended: loop and source retain each
/// other, and only that thread would have separated them. [D40]
static Boolean __CFRunLoopSourceJoin(CFRunLoopSourceRef rls, CFRunLoopRef rl) {
    CF_ASSERT_LOCKED(rl);
    __CFRunLoopSourceLock(rls);
    Boolean joins = __CFIsValid(rls) && !__CFRunLoopIsEnded(rl);
    if (joins && !rls->_runLoops)
        rls->_runLoops = CFBagCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeBagCallBacks);
    if (joins) CFBagAddValue(rls->_runLoops, rl);
    __CFRunLoopSourceUnlock(rls);
    return joins;
}

/// Undoes one __CFRunLoopSourceJoin. An invalid source has no loops any more, but it keeps `_port`,
/// because the modes that it has not left yet find it by that port. The caller has a reference to
/// rl, so this does not deallocate it.
static void __CFRunLoopSourceLeave(CFRunLoopSourceRef rls, CFRunLoopRef rl) {
    CF_ASSERT_LOCKED(rl);
    __CFRunLoopSourceLock(rls);
    if (rls->_runLoops) {
        CFBagRemoveValue(rls->_runLoops, rl);
        if (!CFBagGetCount(rls->_runLoops)) atomic_store(&rls->_port, CFPORT_NULL);
    }
    __CFRunLoopSourceUnlock(rls);
}

/// Returns whether the mode contains the source, or one equal to it.
static Boolean __CFRunLoopModeContainsSource(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                             CFRunLoopSourceRef rls) {
    CF_ASSERT_LOCKED(rl, rlm);
    return rlm->_sources0
           && (CFSetContainsValue(rlm->_sources0, rls) || CFSetContainsValue(rlm->_sources1, rls));
}

/// Calls getPort of a version 1 source, as the original does: once for each mode
/// that the name stands for and that does not contain the source. Returns the first answer; if
/// there is none, the earlier answer, because another thread may remove the source before it is
/// added. It runs with nothing locked [D10], before the source is added to all modes in one step.
/// DOES CALLOUT: getPort
static __CFPort __CFRunLoopSourceGetPortForModes(CFRunLoopSourceRef rls, CFRunLoopRef rl,
                                                 CFStringRef modeName) {
    if (!__CFRunLoopSourceIsVersion1(rls)) return CFPORT_NULL;
    CFIndex calls = 0;
    __CFRunLoopLock(rl);
    CFArrayRef modes = __CFRunLoopCopyModesNamed(rl, modeName);
    for (CFIndex i = 0; i < CFArrayGetCount(modes); i++) {
        CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, CFArrayGetValueAtIndex(modes, i), false);
        if (!rlm || !__CFRunLoopModeContainsSource(rl, rlm, rls)) calls++;
        if (rlm) __CFRunLoopModeUnlock(rlm);
    }
    __CFPort port = atomic_load(&rls->_port);
    __CFRunLoopUnlock(rl);
    CFRelease(modes);
    if (calls) port = __CFRunLoopSourceGetPort(rls);
    for (CFIndex i = 1; i < calls; i++) (void)__CFRunLoopSourceGetPort(rls);
    return port;
}

/// If several sources have the same port, the one that was added last performs. The others perform
/// only after it is removed. [D19]
static void __CFRunLoopModeAddPort(CFRunLoopRef rl, CFRunLoopModeRef rlm, __CFPort port,
                                   CFRunLoopSourceRef rls) {
    CF_ASSERT_LOCKED(rl, rlm);
    CFDictionarySetValue(rlm->_portToV1SourceMap, (const void *)(intptr_t)port, rls);
    __CFRunLoopModeInsertPort(rlm, port, atomic_load(&rls->_watchEvents));
}

/// Adds a source to a single mode. Returns false if it was there. `port` is the answer of getPort.
static Boolean __CFRunLoopAddSourceToMode(CFRunLoopRef rl, CFRunLoopSourceRef rls,
                                          CFStringRef modeName, __CFPort port) {
    CF_ASSERT_LOCKED(rl);
    Boolean isVersion0 = __CFRunLoopSourceIsVersion0(rls);
    if (!isVersion0 && !__CFRunLoopSourceIsVersion1(rls)) return false; // no such version exists
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, true);
    if (!rlm->_sources0) {
        rlm->_sources0 = CFSetCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeSetCallBacks);
        rlm->_sources1 = CFSetCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeSetCallBacks);
        rlm->_portToV1SourceMap =
            CFDictionaryCreateMutable(kCFAllocatorSystemDefault, 0, NULL, NULL);
    }
    Boolean added = !__CFRunLoopModeContainsSource(rl, rlm, rls) && __CFRunLoopSourceJoin(rls, rl);
    if (added && isVersion0) {
        CFSetAddValue(rlm->_sources0, rls);
    } else if (added) {
        // The first answer of getPort counts as long as the source is in any mode, because all its
        // modes find it by the same port.
        __CFPort none = CFPORT_NULL;
        atomic_compare_exchange_strong(&rls->_port, &none, port);
        port = atomic_load(&rls->_port);
        CFSetAddValue(rlm->_sources1, rls);
        if (port != CFPORT_NULL) __CFRunLoopModeAddPort(rl, rlm, port, rls);
    }
    __CFRunLoopModeUnlock(rlm);
    return added;
}

/// The callback `schedule` runs after the locks are released, also for the common modes. It may
/// take a lock of the client's, and another thread may hold that lock while it waits for the loop's
/// lock. [D10]
void CFRunLoopAddSource(CFRunLoopRef rl, CFRunLoopSourceRef rls, CFStringRef modeName) {
    CHECK_FOR_FORK();
    if (__CFRunLoopIsDeallocating(rl) || !__CFIsValid(rls)) return;
    if (__CFRunLoopIsRefusing(rl, "A source is being added to the main run loop")) return;
    CFMutableArrayRef joined =
        CFArrayCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeArrayCallBacks);
    __CFPort port = __CFRunLoopSourceGetPortForModes(rls, rl, modeName);
    __CFRunLoopLock(rl);
    CFArrayRef modes = __CFRunLoopCopyModesNamed(rl, modeName);
    if (__CFRunLoopIsCommonModes(modeName) && !__CFRunLoopContainsCommonItem(rl, rls)
        && __CFRunLoopSourceJoin(rls, rl))
        __CFRunLoopAddCommonItem(rl, rls);
    for (CFIndex i = 0; i < CFArrayGetCount(modes); i++) {
        CFStringRef name = CFArrayGetValueAtIndex(modes, i);
        if (__CFRunLoopAddSourceToMode(rl, rls, name, port)) CFArrayAppendValue(joined, name);
    }
    __CFRunLoopUnlock(rl);
    for (CFIndex i = 0; i < CFArrayGetCount(joined); i++)
        __CFRunLoopSourceSchedule(rls, rl, CFArrayGetValueAtIndex(joined, i));
    CFRelease(joined);
    CFRelease(modes);
}

Boolean CFRunLoopContainsSource(CFRunLoopRef rl, CFRunLoopSourceRef rls, CFStringRef modeName) {
    CHECK_FOR_FORK();
    if (!rls) return false;
    Boolean hasValue = false;
    __CFRunLoopLock(rl);
    if (__CFRunLoopIsCommonModes(modeName)) {
        hasValue = __CFRunLoopContainsCommonItem(rl, rls);
    } else {
        CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, false);
        if (rlm) hasValue = __CFRunLoopModeContainsSource(rl, rlm, rls);
        if (rlm) __CFRunLoopModeUnlock(rlm);
    }
    __CFRunLoopUnlock(rl);
    return hasValue;
}

// MARK: - Remove

struct __CFSourceOfPort {
    __CFPort port;          // the port that it must have
    CFRunLoopSourceRef rls; // the one that was found; NULL: none
};

static void __CFRunLoopFindSourceOfPort(const void *source, void *found) {
    struct __CFSourceOfPort *wanted = found;
    if (atomic_load(&((CFRunLoopSourceRef)source)->_port) == wanted->port)
        wanted->rls = (CFRunLoopSourceRef)source;
}

/// Removes the port of `rls`, which has just left _sources1. If other sources of the mode have the
/// port, one of them performs from now on. Then the mode has more sources than ports, because the
/// map still has this port; otherwise the sources need not be searched.
static void __CFRunLoopModeRemovePort(CFRunLoopRef rl, CFRunLoopModeRef rlm, __CFPort port,
                                      CFRunLoopSourceRef rls) {
    CF_ASSERT_LOCKED(rl, rlm);
    const void *key = (const void *)(intptr_t)port;
    if (CFDictionaryGetValue(rlm->_portToV1SourceMap, key) != rls)
        return; // another source with the same port was added later
    struct __CFSourceOfPort found = {port, NULL};
    if (CFSetGetCount(rlm->_sources1) >= CFDictionaryGetCount(rlm->_portToV1SourceMap))
        CFSetApplyFunction(rlm->_sources1, __CFRunLoopFindSourceOfPort, &found);
    CFRunLoopSourceRef other = found.rls;
    if (other) {
        CFDictionarySetValue(rlm->_portToV1SourceMap, key, other);
        // The descriptor may have been another file when `rls` was added.
        __CFRunLoopModeInsertPort(rlm, port, atomic_load(&other->_watchEvents));
    } else {
        CFDictionaryRemoveValue(rlm->_portToV1SourceMap, key);
        __CFPortSetRemove(port, rlm->_portSet);
    }
}

/// Removes a source, or the one that equals it, from a single mode, and appends the removed one to
/// `sources`. Returns false if there was none. The caller has a reference to rl.
static Boolean __CFRunLoopRemoveSourceFromMode(CFRunLoopRef rl, CFRunLoopSourceRef rls,
                                               CFStringRef modeName, CFMutableArrayRef sources) {
    CF_ASSERT_LOCKED(rl);
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, false);
    if (!rlm) return false;
    CFMutableSetRef set = __CFRunLoopSourceIsVersion0(rls) ? rlm->_sources0 : rlm->_sources1;
    CFRunLoopSourceRef member = set ? (CFRunLoopSourceRef)CFSetGetValue(set, rls) : NULL;
    if (member) {
        CFArrayAppendValue(sources, member);
        CFSetRemoveValue(set, member);
        __CFPort port = atomic_load(&member->_port);
        if (port != CFPORT_NULL) __CFRunLoopModeRemovePort(rl, rlm, port, member);
        __CFRunLoopSourceLeave(member, rl);
    }
    __CFRunLoopModeUnlock(rlm);
    return member != NULL;
}

/// Removes a source from the common items, but not from the common modes, and appends it to
/// `sources`. Returns false if it is not a common item.
static Boolean __CFRunLoopRemoveCommonSource(CFRunLoopRef rl, CFRunLoopSourceRef rls,
                                             CFMutableArrayRef sources) {
    CF_ASSERT_LOCKED(rl);
    CFRunLoopSourceRef common = (CFRunLoopSourceRef)__CFRunLoopTakeCommonItem(rl, rls);
    if (!common) return false;
    CFArrayAppendValue(sources, common);
    CFRelease(common);
    __CFRunLoopSourceLeave(common, rl);
    return true;
}

/// The callbacks run after the locks are released. [D10] As in the original, the loop calls those
/// of the source that the caller names, even if it has removed an equal one, and it calls getPort
/// of a version 1 source once more.
void CFRunLoopRemoveSource(CFRunLoopRef rl, CFRunLoopSourceRef rls, CFStringRef modeName) {
    CHECK_FOR_FORK();
    if (!rls) return;
    CFMutableArrayRef left =
        CFArrayCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeArrayCallBacks);
    CFMutableArrayRef sources = // those that may lose their last reference
        CFArrayCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeArrayCallBacks);
    CFRetain(rl); // because the source may have the last reference to the loop,
    CFRetain(rls); // and the loop to the source
    __CFRunLoopLock(rl);
    CFArrayRef modes = __CFRunLoopCopyModesNamed(rl, modeName);
    // If the source is not a common item, it stays in the common modes.
    if (!__CFRunLoopIsCommonModes(modeName) || __CFRunLoopRemoveCommonSource(rl, rls, sources)) {
        for (CFIndex i = 0; i < CFArrayGetCount(modes); i++) {
            CFStringRef name = CFArrayGetValueAtIndex(modes, i);
            if (__CFRunLoopRemoveSourceFromMode(rl, rls, name, sources))
                CFArrayAppendValue(left, name);
        }
    }
    __CFRunLoopUnlock(rl);
    for (CFIndex i = 0; i < CFArrayGetCount(left); i++) {
        (void)__CFRunLoopSourceGetPort(rls);
        __CFRunLoopSourceCancel(rls, rl, CFArrayGetValueAtIndex(left, i));
    }
    CFRelease(sources);
    CFRelease(left);
    CFRelease(modes);
    CFRelease(rls);
    CFRelease(rl);
}

void __CFRunLoopRemoveAllSources(CFRunLoopRef rl, CFStringRef modeName) {
    __CFRunLoopLock(rl);
    Boolean areCommon = __CFRunLoopIsCommonModes(modeName);
    CFRunLoopModeRef rlm = areCommon ? NULL : __CFRunLoopFindMode(rl, modeName, false);
    CFArrayRef lists[] = {
        __CFRunLoopCopyValues(rlm ? rlm->_sources0 : areCommon ? rl->_commonModeItems : NULL),
        __CFRunLoopCopyValues(rlm ? rlm->_sources1 : NULL),
    };
    if (rlm) __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(rl);
    for (int list = 0; list < 2; list++) {
        for (CFIndex i = 0; i < CFArrayGetCount(lists[list]); i++) {
            CFTypeRef item = CFArrayGetValueAtIndex(lists[list], i);
            if (CFGetTypeID(item) == CFRunLoopSourceGetTypeID())
                CFRunLoopRemoveSource(rl, (CFRunLoopSourceRef)item, modeName);
        }
        CFRelease(lists[list]);
    }
}

// MARK: - Invalidate

/// Removes an invalid source from all modes of a loop. Call with nothing locked. DOES CALLOUT:
/// cancel, getPort
static void __CFRunLoopSourceRemoveFromRunLoop(CFRunLoopSourceRef rls, CFRunLoopRef rl) {
    CFArrayRef modeNames = CFRunLoopCopyAllModes(rl);
    for (CFIndex i = 0; i < CFArrayGetCount(modeNames); i++)
        CFRunLoopRemoveSource(rl, rls, CFArrayGetValueAtIndex(modeNames, i));
    CFRelease(modeNames);
    CFRunLoopRemoveSource(rl, rls, kCFRunLoopCommonModes);
}

/// The source knows a loop as long as it is in one of its modes or among its common items, so this
/// finds every loop [D29]. The context stays, because sets that contain the source may still call
/// its `equal` and `hash`. Call with nothing locked. DOES CALLOUT: cancel, getPort, release
void CFRunLoopSourceInvalidate(CFRunLoopSourceRef rls) {
    CHECK_FOR_FORK();
    __CFRunLoopSourceLock(rls);
    CFArrayRef loops = __CFRunLoopSourceCopyLoops(rls);
    CFBagRef runLoops = rls->_runLoops;
    rls->_runLoops = NULL;
    __CFUnsetValid(rls);
    __CFRunLoopSourceUnsetSignaled(rls);
    __CFRunLoopSourceUnlock(rls);
    if (runLoops) CFRelease(runLoops); // `loops` retains them
    CFRetain(rls); // because the loops release their references
    for (CFIndex i = 0; i < CFArrayGetCount(loops); i++)
        __CFRunLoopSourceRemoveFromRunLoop(rls, (CFRunLoopRef)CFArrayGetValueAtIndex(loops, i));
    CFRelease(loops);
    CFRelease(rls);
}

// MARK: - Do: step 4

/// A signaled source, with the order and the time that it is sorted by: another loop may clear the
/// source's own time meanwhile.
struct __CFSignaledSource {
    CFRunLoopSourceRef rls; // retained
    CFIndex order;
    uint64_t time;
};

/// Sorts sources by ascending order, and those of equal order in the order in which they were
/// signaled. The current source compares the times as doubles. [D32]
static int __CFRunLoopSourceComparator(const void *a, const void *b) {
    const struct __CFSignaledSource *one = a, *two = b;
    if (one->order != two->order) return one->order < two->order ? -1 : 1;
    return one->time < two->time ? -1 : one->time > two->time;
}

/// The signaled sources of a mode.
struct __CFSignaledSources {
    CFIndex count, all; // `all` is how many there may be at most
    struct __CFSignaledSource *at, few[__kCFRunLoopFewItems]; // `at` points here if they suffice
};

static void __CFRunLoopCollectSources0(const void *source, void *context) {
    CFRunLoopSourceRef rls = (CFRunLoopSourceRef)source;
    struct __CFSignaledSources *signaled = context;
    if (!__CFRunLoopSourceIsSignaled(rls)) return;
    if (signaled->count == __kCFRunLoopFewItems && signaled->at == signaled->few) {
        signaled->at = malloc((size_t)signaled->all * sizeof(*signaled->at));
        if (!signaled->at) __CF_HAS_NO_MEMORY_LEFT__("the signaled sources of a pass");
        memcpy(signaled->at, signaled->few, sizeof(signaled->few));
    }
    CFRetain(rls);
    signaled->at[signaled->count++] =
        (struct __CFSignaledSource){rls, rls->_order, atomic_load(&rls->_signaledTime)};
}

static void __CFRunLoopFindSignaled(const void *source, void *found) {
    if (__CFRunLoopSourceIsSignaled((CFRunLoopSourceRef)source)) *(Boolean *)found = true;
}

Boolean __CFRunLoopModeHasSignals(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    CF_ASSERT_LOCKED(rl, rlm);
    Boolean found = false;
    if (rlm->_sources0)
        CFSetApplyFunction(rlm->_sources0, __CFRunLoopFindSignaled, &found);
    return found;
}

/// Performs a source, unless another loop has performed it in the meantime, or a thread has
/// invalidated it. Call with nothing locked. DOES CALLOUT
static __attribute__((noinline)) Boolean __CFRunLoopDoSource0(CFRunLoopRef rl,
                                                              CFRunLoopSourceRef rls) {
    Boolean sourceHandled = false;
    __CFRunLoopSourceLock(rls);
    if (__CFRunLoopSourceIsSignaled(rls)) {
        __CFRunLoopSourceUnsetSignaled(rls);
        sourceHandled = __CFIsValid(rls);
    }
    __CFRunLoopSourceUnlock(rls);
    if (!sourceHandled) return false;
    CFRL_IS_CALLING_START(SOURCE0, rl, rl->_currentMode, rls, __CFRunLoopSourceFunction(rls), 0);
    __CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__(rls->_context.version0.perform,
                                                               rls->_context.version0.info);
    CHECK_FOR_FORK();
    CFRL_IS_CALLING_END(SOURCE0, rl, rl->_currentMode, rls);
    return true;
}

/// Performs the signaled version 0 sources of the mode, by ascending order; with `stopAfterHandle`
/// only the first. A source may change which of the later ones perform:
///
/// - One that it removes still performs.
/// - One that it invalidates does not perform.
/// - One that it adds, or signals again, waits for the next pass.
///
/// Returns true if any source performed, not only if the last one did. [D13]
__attribute__((noinline)) Boolean __CFRunLoopDoSources0(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                                        Boolean stopAfterHandle) {
    CF_ASSERT_LOCKED(rl, rlm);
    CHECK_FOR_FORK();
    if (!rlm->_sources0) return false;
    struct __CFSignaledSources signaled = {.all = CFSetGetCount(rlm->_sources0)};
    signaled.at = signaled.few;
    CFSetApplyFunction(rlm->_sources0, __CFRunLoopCollectSources0, &signaled);
    if (!signaled.count) return false;
    __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(rl);
    Boolean sourceHandled = false;
    qsort(signaled.at, (size_t)signaled.count, sizeof(*signaled.at), __CFRunLoopSourceComparator);
    for (CFIndex i = 0; i < signaled.count; i++) {
        CFRunLoopSourceRef rls = signaled.at[i].rls;
        if (!(sourceHandled && stopAfterHandle) && __CFRunLoopDoSource0(rl, rls))
            sourceHandled = true;
        CFRelease(rls);
    }
    if (signaled.at != signaled.few) free(signaled.at);
    __CFRunLoopLock(rl);
    __CFRunLoopModeLock(rlm);
    return sourceHandled;
}

// MARK: - Do: step 9.3

/// The kernel may report a file although its client has closed the descriptor. That port belongs to
/// no source, and the set must be renewed.
__attribute__((noinline)) CFRunLoopSourceRef
__CFRunLoopModeFindSourceForMachPort(CFRunLoopRef rl, CFRunLoopModeRef rlm, __CFPort port) {
    CF_ASSERT_LOCKED(rl, rlm);
    if (port == CFPORT_DEAD) __CFRunLoopModeRenewPortSet(rlm);
    if (!rlm->_portToV1SourceMap) return NULL;
    const void *key = (const void *)(intptr_t)port;
    return (CFRunLoopSourceRef)CFDictionaryGetValue(rlm->_portToV1SourceMap, key);
}

/// Returns whether the source must perform for the port that has woken the thread. On a Mac the
/// wait has taken the message, so a run nested in an observer of AfterWaiting finds none. Here the
/// data stays in the port [D17], and a nested run may have performed the source for it. Or another
/// thread has closed the descriptor meanwhile, and added a source for a new file that has its
/// number. In both cases the port must still be ready. Call with nothing locked.
static Boolean __CFRunLoopSource1IsStillReady(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                              CFRunLoopSourceRef rls) {
    if (!atomic_load(&rl->_perRunData)->_hasNested && !__CFPortSetHasChanged(rlm->_portSet))
        return true;
    return CFWatchGetEvents(atomic_load(&rls->_port), atomic_load(&rls->_watchEvents)) != 0;
}

__attribute__((noinline)) Boolean __CFRunLoopDoSource1(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                                       CFRunLoopSourceRef rls) {
    CF_ASSERT_LOCKED(rl, rlm);
    CHECK_FOR_FORK();
    if (!__CFIsValid(rls)) return false;
    CFRetain(rls);
    __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(rl);
    Boolean performs = __CFRunLoopSource1IsStillReady(rl, rlm, rls);
    if (performs) {
        __CFRunLoopSourceUnsetSignaled(rls);
        CFRL_IS_CALLING_START(SOURCE1, rl, rlm, rls, __CFRunLoopSourceFunction(rls), 0);
        __CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE1_PERFORM_FUNCTION__(rls->_context.version1.perform,
                                                                   rls->_context.version1.info);
        CHECK_FOR_FORK();
        CFRL_IS_CALLING_END(SOURCE1, rl, rlm, rls);
    }
    CFRelease(rls);
    __CFRunLoopLock(rl);
    __CFRunLoopModeLock(rlm);
    return performs;
}
