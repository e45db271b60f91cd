/// CFRunLoopSource.c: sources of both versions, from creation to perform.
///
/// A version 0 source performs when it has been signalled (I1); a version 1 source when its port is
/// ready (I2). How a signal reaches the loop's thread is in CFRunLoopSignal.c.

#include "CFRunLoopProbes.h"
#include "Names/CFRunLoopSource.h"

// MARK: - The callouts

/// Each keeps its frame and stays apart from its twin: see __CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__.
static __attribute__((noinline)) void
__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__(void (*perform)(void *), void *info) {
    if (perform) perform(info);
    __asm__ volatile("/* source 0 */");
}

/// On a Mac (all versions) it also passes the mach message that arrived, and sends the reply that
/// perform returns.
static __attribute__((noinline)) void
__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE1_PERFORM_FUNCTION__(void (*perform)(void *), void *info) {
    if (perform) perform(info);
    __asm__ volatile("/* source 1 */");
}

// MARK: - The class

static Boolean __CFRunLoopSourceIsVersion0(CFRunLoopSourceRef rls) {
    return rls->_context.version0.version == 0;
}
static Boolean __CFRunLoopSourceIsVersion1(CFRunLoopSourceRef rls) {
    return rls->_context.version0.version == 1;
}

static const void *__CFRunLoopSourceCallout(CFRunLoopSourceRef rls) {
    return __CFRunLoopSourceIsVersion0(rls) ? (const void *)rls->_context.version0.perform
        : (const void *)rls->_context.version1.perform;
}

/// Sources are equal if their orders, functions and infos are. The contexts of the two versions
/// agree in all fields named here. The sets call it, mostly with rl and rlm locked. DOES CALLOUT:
/// equal
static Boolean __CFRunLoopSourceEqual(CFTypeRef cf1, CFTypeRef cf2) {
    CFRunLoopSourceRef rls1 = (CFRunLoopSourceRef)cf1, rls2 = (CFRunLoopSourceRef)cf2;
    const CFRunLoopSourceContext *context1 = &rls1->_context.version0,
                                 *context2 = &rls2->_context.version0;
    if (rls1 == rls2) return true;
    if (__CFIsValid(rls1) != __CFIsValid(rls2) || rls1->_order != rls2->_order) return false;
    if (context1->version != context2->version || context1->hash != context2->hash
        || context1->equal != context2->equal)
        return false;
    if (__CFRunLoopSourceCallout(rls1) != __CFRunLoopSourceCallout(rls2)) return false;
    return context1->equal ? context1->equal(context1->info, context2->info)
                           : context1->info == context2->info;
}

/// As equal: mostly with rl and rlm locked. DOES CALLOUT: hash
static CFHashCode __CFRunLoopSourceHash(CFTypeRef cf) {
    const CFRunLoopSourceContext *context = &((CFRunLoopSourceRef)cf)->_context.version0;
    return context->hash ? context->hash(context->info) : (CFHashCode)(uintptr_t)context->info;
}

/// A source that dies is in no loop: loops retain it. Call with nothing locked. DOES CALLOUT:
/// release
static void __CFRunLoopSourceDeallocate(CFTypeRef cf) {
    CFRunLoopSourceRef rls = (CFRunLoopSourceRef)cf;
    if (rls->_runLoops) CFRelease(rls->_runLoops);
    if (rls->_context.version0.release) rls->_context.version0.release(rls->_context.version0.info);
    pthread_mutex_destroy(&rls->_lock);
}

/// Call with nothing locked. DOES CALLOUT: copyDescription
static CFStringRef __CFRunLoopSourceContextCopyDescription(CFRunLoopSourceRef rls) {
    const CFRunLoopSourceContext *context = &rls->_context.version0;
    CFStringRef own = context->copyDescription ? context->copyDescription(context->info) : NULL;
    if (own) return own;
    const void *callout = __CFRunLoopSourceCallout(rls);
    CFStringRef name = __CFCopyNameOfFunction(callout);
    own = CFStringCreateWithFormat(
        kCFAllocatorSystemDefault, NULL,
        CFSTR("<CFRunLoopSource context>{version = %ld, info = %p, callout = %@ (%p)}"),
        context->version, context->info, name, callout);
    CFRelease(name);
    return own;
}

/// "", or "port = 5 (pipe), " for version 1. A source is first asked for its port when it is added.
/// Needs no lock.
static CFStringRef __CFRunLoopSourceCopyPortDescription(CFRunLoopSourceRef rls) {
    if (!__CFRunLoopSourceIsVersion1(rls)) return CFSTR("");
    CFStringRef port = __CFPortCopyDescription(atomic_load(&rls->_port));
    CFStringRef result =
        CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL, CFSTR("port = %@, "), port);
    CFRelease(port);
    return result ? result : CFSTR(""); // there was no memory
}

/// Call with nothing locked. DOES CALLOUT: copyDescription
static CFStringRef __CFRunLoopSourceCopyDescription(CFTypeRef cf) {
    CFRunLoopSourceRef rls = (CFRunLoopSourceRef)cf;
    CFStringRef context = __CFRunLoopSourceContextCopyDescription(rls),
                port = __CFRunLoopSourceCopyPortDescription(rls);
    CFStringRef result = CFStringCreateWithFormat(
        kCFAllocatorSystemDefault, NULL,
        CFSTR("<CFRunLoopSource %p [%p]>{signalled = %s, valid = %s, order = %ld, %@context = %@}"),
        rls, CFGetAllocator(rls), CFRunLoopSourceIsSignalled(rls) ? "Yes" : "No",
        __CFIsValid(rls) ? "Yes" : "No", (long)rls->_order, port, context);
    CFRelease(port);
    if (context) CFRelease(context); // NULL when there was no memory: it is described as (null)
    return result;
}

CF_SHARED const CFRuntimeClass __CFRunLoopSourceClass = {
    .typeID = _kCFRuntimeIDCFRunLoopSource,
    .className = "CFRunLoopSource",
    .finalize = __CFRunLoopSourceDeallocate,
    .equal = __CFRunLoopSourceEqual,
    .hash = __CFRunLoopSourceHash,
    .copyDebugDesc = __CFRunLoopSourceCopyDescription,
};

CFTypeID CFRunLoopSourceGetTypeID(void) { return _kCFRuntimeIDCFRunLoopSource; }

// MARK: - Creation and queries

/// The Linux build stops at this too.
static __attribute__((noinline, noreturn, cold)) void
__CFRUNLOOPSOURCE_WAS_CREATED_WITHOUT_A_CONTEXT__(void) {
    __CFHalt("CFRunLoopSourceCreate was given NULL for its context; pass a CFRunLoopSourceContext "
             "(version 0) or "
             "CFRunLoopSourceContext1 (version 1).");
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
    __CFLockInit(&rls->_lock);
    rls->_order = order;
    atomic_init(&rls->_port, CFPORT_NULL);
    atomic_init(&rls->_watchEvents, kCFWatchReadable);
    memcpy(&rls->_context, context, __CFRunLoopSourceContextSize(context->version));
    rls->_context.version0.version = context->version;
    // Of a version that is unknown nothing is kept, so there would be nothing to release it with.
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

/// The port of a version 1 source, asked of the client. Call with nothing locked. DOES CALLOUT
static __CFPort __CFRunLoopSourceAskPort(CFRunLoopSourceRef rls) {
    __CFPort port = rls->_context.version1.getPort
                        ? rls->_context.version1.getPort(rls->_context.version1.info)
                        : CFPORT_NULL;
    return port < 0 ? CFPORT_NULL : port;
}

// MARK: - Step 4: performing sources 0

/// By ascending order, and sources of equal order as they were signalled. Needs no lock.
static int __CFRunLoopSourceComparator(const void *a, const void *b) {
    CFRunLoopSourceRef rls1 = *(const CFRunLoopSourceRef *)a, rls2 = *(const CFRunLoopSourceRef *)b;
    if (rls1->_order != rls2->_order) return rls1->_order < rls2->_order ? -1 : 1;
    uint64_t turn1 = atomic_load(&rls1->_signalTurn), turn2 = atomic_load(&rls2->_signalTurn);
    return turn1 < turn2
               ? -1
               : turn1 > turn2; // whole numbers, exact for as long as the machine lasts [D32]
}

/// Leaves in `sources` those that are still signalled, and forgets the others. Call with rl and rlm
/// locked.
static CFIndex __CFRunLoopKeepSignaled(CFRunLoopModeRef rlm, CFRunLoopSourceRef *sources,
                                       CFIndex count) {
    CFIndex kept = 0;
    for (CFIndex i = 0; i < count; i++) {
        if (__CFRunLoopSourceIsSignaled(sources[i])) sources[kept++] = sources[i];
        else CFSetRemoveValue(rlm->_signaledSources0, sources[i]);
    }
    return kept;
}

/// The sources to perform, in order and each retained; NULL if there are none. The caller frees the
/// list. Call with rl and rlm locked.
static CFRunLoopSourceRef *__CFRunLoopCollectSources0(CFRunLoopModeRef rlm, CFIndex *count) {
    CFIndex candidates = CFSetGetCount(rlm->_signaledSources0);
    CFRunLoopSourceRef *sources = malloc((size_t)candidates * sizeof(*sources));
    if (!sources) __CF_HAS_NO_MEMORY_LEFT__("the signalled sources of a pass");
    CFSetGetValues(rlm->_signaledSources0, (const void **)sources);
    *count = __CFRunLoopKeepSignaled(rlm, sources, candidates);
    for (CFIndex i = 0; i < *count; i++) CFRetain(sources[i]);
    if (*count > 1) qsort(sources, (size_t)*count, sizeof(*sources), __CFRunLoopSourceComparator);
    return sources;
}

/// Performs a source unless somebody else has, or it has been invalidated since. Call with nothing
/// locked. DOES CALLOUT
static __attribute__((noinline)) Boolean __CFRunLoopDoSource0(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                                              CFRunLoopSourceRef rls) {
    if (!__CFRunLoopSourceUnsetSignaled(rls) || !__CFIsValid(rls)) return false;
    CFRL_IS_CALLING_START(SOURCE0, rl, rlm, rls, __CFRunLoopSourceCallout(rls), 0);
    __CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__(rls->_context.version0.perform,
                                                               rls->_context.version0.info);
    CHECK_FOR_FORK();
    CFRL_IS_CALLING_END(SOURCE0, rl, rlm, rls);
    return true;
}

/// Performs the sources 0 of the mode that are signalled, by ascending order; with
/// `stopAfterHandle` only the first. What a source does to those behind it: taken out of the mode,
/// they are performed all the same; invalidated, they are not; signalled anew or added, they wait
/// for the next pass. True if one was performed: any of them, not just the last. [D13]
__attribute__((noinline)) Boolean __CFRunLoopDoSources0(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                                        Boolean stopAfterHandle) {
    CFIndex count;
    __CFRunLoopCollectSignals(rl);
    if (!rlm->_signaledSources0 || !CFSetGetCount(rlm->_signaledSources0)) return false;
    CFRunLoopSourceRef *sources = __CFRunLoopCollectSources0(rlm, &count);
    __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(rl);
    Boolean sourceHandled = false;
    for (CFIndex i = 0; i < count; i++) {
        if (!(sourceHandled && stopAfterHandle) && __CFRunLoopDoSource0(rl, rlm, sources[i]))
            sourceHandled = true;
        CFRelease(sources[i]);
    }
    free(sources);
    __CFRunLoopLock(rl);
    __CFRunLoopModeLock(rlm);
    return sourceHandled;
}

// MARK: - Step 9.3: performing a source 1

CFRunLoopSourceRef __CFRunLoopModeFindSourceForMachPort(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                                        __CFPort port) {
    (void)rl;
    return rlm->_portToV1SourceMap ? (CFRunLoopSourceRef)CFDictionaryGetValue(
                                         rlm->_portToV1SourceMap, (const void *)(intptr_t)port)
                                   : NULL;
}

__attribute__((noinline)) Boolean __CFRunLoopDoSource1(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                                       CFRunLoopSourceRef rls) {
    if (!__CFIsValid(rls)) return false;
    CFRetain(rls);
    __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(rl);
    __CFRunLoopSourceUnsetSignaled(rls);
    CFRL_IS_CALLING_START(SOURCE1, rl, rlm, rls, __CFRunLoopSourceCallout(rls), 0);
    __CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE1_PERFORM_FUNCTION__(rls->_context.version1.perform,
                                                               rls->_context.version1.info);
    CHECK_FOR_FORK();
    CFRL_IS_CALLING_END(SOURCE1, rl, rlm, rls);
    CFRelease(rls);
    __CFRunLoopLock(rl);
    __CFRunLoopModeLock(rlm);
    return true;
}

// MARK: - Adding

/// Adds one to the number of the loop's modes (or common items) that hold the source; false if the
/// source is invalid, or the loop's thread has ended: loop and source retain each other, and that
/// thread was to part them. [D40] Call with rl locked.
static Boolean __CFRunLoopSourceJoin(CFRunLoopSourceRef rls, CFRunLoopRef rl) {
    __CFRunLoopSourceLock(rls);
    Boolean joins = __CFIsValid(rls) && !rl->_hasEnded;
    if (joins) {
        // Sources retain run loops!
        if (!rls->_runLoops)
            rls->_runLoops = CFBagCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeBagCallBacks);
        CFBagAddValue(rls->_runLoops, rl);
        if (__CFRunLoopSourceIsVersion0(rls)) __CFRunLoopSourceJoinInbox(rls, rl);
    }
    __CFRunLoopSourceUnlock(rls);
    return joins;
}

/// The reverse. An invalid source has forgotten its loops, and leaves the inbox at once. Call with
/// rl locked; the caller has a reference to rl of its own.
static void __CFRunLoopSourceLeave(CFRunLoopSourceRef rls, CFRunLoopRef rl) {
    __CFRunLoopSourceLock(rls);
    if (rls->_runLoops) CFBagRemoveValue(rls->_runLoops, rl);
    Boolean isInLoops = rls->_runLoops && CFBagGetCount(rls->_runLoops);
    if (!isInLoops || !CFBagContainsValue(rls->_runLoops, rl))
        __CFRunLoopSourceLeaveInbox(rls, rl, isInLoops);
    // An invalid source has forgotten its loops, but its other modes still know it by its port.
    if (rls->_runLoops && !isInLoops) atomic_store(&rls->_port, CFPORT_NULL);
    __CFRunLoopSourceUnlock(rls);
}

/// Whether the source, or one equal to it, is in the mode. Call with rl and rlm locked.
static Boolean __CFRunLoopModeContainsSource(CFRunLoopModeRef rlm, CFRunLoopSourceRef rls) {
    return rlm->_sources0
           && (CFSetContainsValue(rlm->_sources0, rls) || CFSetContainsValue(rlm->_sources1, rls));
}

/// Call with rl and rlm locked.
static void __CFRunLoopModeMakeSourceSets(CFRunLoopModeRef rlm) {
    if (rlm->_sources0) return;
    rlm->_sources0 = CFSetCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeSetCallBacks);
    rlm->_sources1 = CFSetCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeSetCallBacks);
    rlm->_source0Addresses = CFSetCreateMutable(kCFAllocatorSystemDefault, 0, NULL);
    rlm->_portToV1SourceMap = CFDictionaryCreateMutable(kCFAllocatorSystemDefault, 0, NULL, NULL);
}

/// Of several sources with one port the one added last is performed; the others wait until it has
/// gone. [D19] Call with rl and rlm locked.
static void __CFRunLoopModeAddPort(CFRunLoopModeRef rlm, __CFPort port, CFRunLoopSourceRef rls) {
    const void *key = (const void *)(intptr_t)port;
    if (CFDictionaryContainsKey(rlm->_portToV1SourceMap, key)) {
        if (!rlm->_sharedPorts)
            rlm->_sharedPorts = CFSetCreateMutable(kCFAllocatorSystemDefault, 0, NULL);
        CFSetAddValue(rlm->_sharedPorts, key);
    }
    CFDictionarySetValue(rlm->_portToV1SourceMap, key, rls);
    __CFRunLoopModeInsertPort(rlm, port, atomic_load(&rls->_watchEvents));
}

/// Takes what getPort returned. As long as the source is in any mode, what it returned first
/// counts: the modes know the source by it. Call when the source has joined, with rl locked.
static void __CFRunLoopSourceSetPort(CFRunLoopSourceRef rls, __CFPort port) {
    __CFPort none = CFPORT_NULL;
    atomic_compare_exchange_strong(&rls->_port, &none, port);
}

Boolean __CFRunLoopSourceNeedsPort(CFRunLoopRef rl, CFRunLoopSourceRef rls, CFStringRef modeName) {
    if (!__CFRunLoopSourceIsVersion1(rls)) return false;
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, false);
    Boolean isThere = rlm && __CFRunLoopModeContainsSource(rlm, rls);
    if (rlm) __CFRunLoopModeUnlock(rlm);
    return !isThere && modeName;
}

__CFPort __CFRunLoopSourceGetPort(CFRunLoopSourceRef rls, CFIndex modeCount) {
    __CFPort port = CFPORT_NULL;
    for (CFIndex i = 0; i < modeCount; i++) {
        __CFPort answer = __CFRunLoopSourceAskPort(rls);
        if (i == 0) port = answer;
    }
    return port;
}

Boolean __CFRunLoopAddSourceToMode(CFRunLoopRef rl, CFRunLoopSourceRef rls, CFStringRef modeName,
                                   __CFPort port) {
    if (!__CFRunLoopSourceIsVersion0(rls) && !__CFRunLoopSourceIsVersion1(rls))
        return false; // there is no such version
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, true);
    if (!rlm) return false;
    __CFRunLoopModeMakeSourceSets(rlm);
    Boolean added = !__CFRunLoopModeContainsSource(rlm, rls) && __CFRunLoopSourceJoin(rls, rl);
    if (added && __CFRunLoopSourceIsVersion0(rls)) {
        CFSetAddValue(rlm->_sources0, rls);
        CFSetAddValue(rlm->_source0Addresses, rls);
        __CFRunLoopModeAddIfSignaled(rls, rlm); // it may have been signalled before it joined
    } else if (added) {
        CFSetAddValue(rlm->_sources1, rls);
        __CFRunLoopSourceSetPort(rls, port);
        port = atomic_load(&rls->_port);
        if (port != CFPORT_NULL) __CFRunLoopModeAddPort(rlm, port, rls);
    }
    __CFRunLoopModeUnlock(rlm);
    return added;
}

void __CFRunLoopSourceSchedule(CFRunLoopSourceRef rls, CFRunLoopRef rl, CFStringRef modeName) {
    if (!__CFRunLoopSourceIsVersion0(rls) || !rls->_context.version0.schedule) return;
    rls->_context.version0.schedule(rls->_context.version0.info, rl, modeName);
}

/// Tells a version 0 source that it has left a mode. Call with nothing locked. DOES CALLOUT: cancel
static void __CFRunLoopSourceCancel(CFRunLoopSourceRef rls, CFRunLoopRef rl, CFStringRef modeName) {
    if (!__CFRunLoopSourceIsVersion0(rls) || !rls->_context.version0.cancel) return;
    rls->_context.version0.cancel(rls->_context.version0.info, rl, modeName);
}

struct __CFPortQuestion {
    CFRunLoopRef rl;
    CFRunLoopSourceRef rls;
    CFIndex modeCount;
};

/// Call with rl locked.
static void __CFRunLoopCountModeThatNeedsPort(const void *modeName, void *context) {
    struct __CFPortQuestion *question = context;
    if (__CFRunLoopSourceNeedsPort(question->rl, question->rls, modeName)) question->modeCount++;
}

/// The port is asked for before the add begins, so that the add to all modes is one step: a remove
/// comes before it or after it. Call with nothing locked. DOES CALLOUT: getPort
static __CFPort __CFRunLoopSourceLearnPort(CFRunLoopRef rl, CFRunLoopSourceRef rls,
                                           CFStringRef modeName) {
    struct __CFPortQuestion question = {rl, rls, 0};
    __CFRunLoopLock(rl);
    __CFRunLoopForEachModeNamed(rl, modeName, __CFRunLoopCountModeThatNeedsPort, &question);
    __CFRunLoopUnlock(rl);
    return __CFRunLoopSourceGetPort(rls, question.modeCount);
}

/// The callbacks come after the locks are given back, for common modes too [D10]: a `schedule` may
/// take a lock of the client's which another thread holds while it waits for ours.
void CFRunLoopAddSource(CFRunLoopRef rl, CFRunLoopSourceRef rls, CFStringRef modeName) {
    CHECK_FOR_FORK();
    if (__CFRunLoopIsDeallocating(rl) || !__CFIsValid(rls)) return;
    if (__CFRunLoopRefusesItems(rl, "A source")) return;
    __CFPort port = __CFRunLoopSourceIsVersion1(rls) ? __CFRunLoopSourceLearnPort(rl, rls, modeName)
                                                     : CFPORT_NULL;
    struct __CFRunLoopNamedModes modes;
    __CFRunLoopLock(rl);
    if (__CFRunLoopIsCommonModes(modeName) && !__CFRunLoopContainsCommonItem(rl, rls)
        && __CFRunLoopSourceJoin(rls, rl)) {
        __CFRunLoopAddCommonItem(rl, rls);
    }
    __CFRunLoopCopyModesNamed(rl, modeName, &modes);
    for (CFIndex i = 0; i < modes.count; i++) {
        if (__CFRunLoopAddSourceToMode(rl, rls, modes.modes[i].name, port))
            modes.modes[i].item = rls;
    }
    __CFRunLoopUnlock(rl);
    for (CFIndex i = 0; i < modes.count; i++) {
        if (modes.modes[i].item) __CFRunLoopSourceSchedule(rls, rl, modes.modes[i].name);
    }
    __CFRunLoopFreeModesNamed(&modes);
}

Boolean CFRunLoopContainsSource(CFRunLoopRef rl, CFRunLoopSourceRef rls, CFStringRef modeName) {
    CHECK_FOR_FORK();
    Boolean hasValue = false;
    if (!rls) return false;
    __CFRunLoopLock(rl);
    if (__CFRunLoopIsCommonModes(modeName)) {
        hasValue = __CFRunLoopContainsCommonItem(rl, rls);
    } else {
        CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, false);
        if (rlm) {
            hasValue = __CFRunLoopModeContainsSource(rlm, rls);
            __CFRunLoopModeUnlock(rlm);
        }
    }
    __CFRunLoopUnlock(rl);
    return hasValue;
}

// MARK: - The loops of a source

/// Needs no lock.
static void __CFRunLoopSetAddLoop(const void *runLoop, void *loops) {
    CFSetAddValue(loops, runLoop);
}

/// The bag has a loop as often as modes of it hold the source. What is done to all modes of a loop
/// at once must be done once, or many modes would cost the square of their number. The caller
/// releases the set. Call with the source locked if the bag is still the source's.
static CFSetRef __CFRunLoopBagCopyLoops(CFBagRef runLoops) {
    CFMutableSetRef loops =
        CFSetCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeSetCallBacks);
    CFBagApplyFunction(runLoops, __CFRunLoopSetAddLoop, loops);
    return loops;
}

// MARK: - What a version 1 source waits for

/// Call with the loop of the mode locked.
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

/// Call with nothing locked.
static void __CFRunLoopRenewWatch(const void *runLoop, void *source) {
    CFRunLoopRef rl = (CFRunLoopRef)runLoop;
    __CFRunLoopLock(rl);
    __CFRunLoopForEachMode(rl, __CFRunLoopModeRenewWatch, source);
    __CFRunLoopUnlock(rl);
}

/// A mode that gets the source later looks at the events itself. Of several changes at once the
/// last one stands in all modes: each looks again under the mode's lock. DOES CALLOUT, if this is
/// the last reference to a loop
void CFRunLoopSourceSetWatchEvents(CFRunLoopSourceRef rls, CFWatchEvents events) {
    CHECK_FOR_FORK();
    atomic_store(&rls->_watchEvents, events);
    if (!__CFRunLoopSourceIsVersion1(rls)) return;
    __CFRunLoopSourceLock(rls);
    CFSetRef runLoops = rls->_runLoops ? __CFRunLoopBagCopyLoops(rls->_runLoops) : NULL;
    __CFRunLoopSourceUnlock(rls);
    if (!runLoops) return;
    CFSetApplyFunction(runLoops, __CFRunLoopRenewWatch, rls);
    CFRelease(runLoops);
}

// MARK: - Removing

struct __CFSourceSearch {
    __CFPort port;
    CFRunLoopSourceRef found;
};

/// Call with rl and rlm locked.
static void __CFRunLoopSourceHasPort(const void *source, void *context) {
    struct __CFSourceSearch *search = context;
    if (atomic_load(&((CFRunLoopSourceRef)source)->_port) == search->port)
        search->found = (CFRunLoopSourceRef)source;
}

/// Another source takes the port over, if there is one; otherwise the port leaves the mode. Call
/// with rl and rlm locked, after `rls` has left _sources1.
static void __CFRunLoopModeRemovePort(CFRunLoopModeRef rlm, __CFPort port, CFRunLoopSourceRef rls) {
    const void *key = (const void *)(intptr_t)port;
    if (CFDictionaryGetValue(rlm->_portToV1SourceMap, key) != rls)
        return; // another source has the port by now
    struct __CFSourceSearch search = {port, NULL};
    if (rlm->_sharedPorts && CFSetContainsValue(rlm->_sharedPorts, key)) {
        CFSetApplyFunction(rlm->_sources1, __CFRunLoopSourceHasPort, &search);
    }
    if (search.found) {
        CFDictionarySetValue(rlm->_portToV1SourceMap, key, search.found);
        CFWatchEvents events = atomic_load(&search.found->_watchEvents);
        // The descriptor may have been another file when `rls` came.
        __CFRunLoopModeInsertPort(rlm, port, events);
    } else {
        CFDictionaryRemoveValue(rlm->_portToV1SourceMap, key);
        if (rlm->_sharedPorts) CFSetRemoveValue(rlm->_sharedPorts, key);
        __CFPortSetRemove(port, rlm->_portSet);
    }
}

/// Takes a source, or the one that equals it, out of a single mode. Returns it, retained, since its
/// end must come with nothing locked; NULL if there was none. Call with rl locked; the caller has a
/// reference to rl.
static CFRunLoopSourceRef __CFRunLoopTakeSourceFromMode(CFRunLoopRef rl, CFRunLoopSourceRef rls,
                                                        CFStringRef modeName) {
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, false);
    if (!rlm) return NULL;
    CFMutableSetRef set = __CFRunLoopSourceIsVersion0(rls) ? rlm->_sources0 : rlm->_sources1;
    CFRunLoopSourceRef member = set ? (CFRunLoopSourceRef)CFSetGetValue(set, rls) : NULL;
    if (member) {
        CFRetain(member);
        CFSetRemoveValue(set, member);
        CFSetRemoveValue(rlm->_source0Addresses, member);
        if (rlm->_signaledSources0) CFSetRemoveValue(rlm->_signaledSources0, member);
        __CFPort port = atomic_load(&member->_port);
        if (port != CFPORT_NULL) __CFRunLoopModeRemovePort(rlm, port, member);
        __CFRunLoopSourceLeave(member, rl);
    }
    __CFRunLoopModeUnlock(rlm);
    return member;
}

/// What the client hears when a source has left a mode: `cancel` for version 0; for version 1 the
/// original (all versions) asks for the port once more. As there, it is the source that the caller
/// named, also when it was one equal to it that left. Call with nothing locked. DOES CALLOUT
static void __CFRunLoopSourceWasRemoved(CFRunLoopSourceRef rls, CFRunLoopRef rl,
                                        CFStringRef modeName) {
    if (__CFRunLoopSourceIsVersion1(rls)) __CFRunLoopSourceAskPort(rls);
    __CFRunLoopSourceCancel(rls, rl, modeName);
}

/// As removing from all that a name stands for; a source that is not a common item is left alone in
/// the common modes. Call with nothing locked. DOES CALLOUT: cancel, getPort
static void __CFRunLoopRemoveSource(CFRunLoopRef rl, CFRunLoopSourceRef rls, CFStringRef modeName) {
    CFRunLoopSourceRef common = NULL;
    struct __CFRunLoopNamedModes modes;
    CFRetain(rl);
    CFRetain(rls); // the loop may have the last reference
    __CFRunLoopLock(rl);
    __CFRunLoopCopyModesNamed(rl, modeName, &modes);
    if (__CFRunLoopIsCommonModes(modeName)) {
        common = (CFRunLoopSourceRef)__CFRunLoopTakeCommonItem(rl, rls);
        if (common) __CFRunLoopSourceLeave(common, rl);
        else modes.count = 0;
    }
    for (CFIndex i = 0; i < modes.count; i++)
        modes.modes[i].item = __CFRunLoopTakeSourceFromMode(rl, rls, modes.modes[i].name);
    __CFRunLoopUnlock(rl);
    for (CFIndex i = 0; i < modes.count; i++) {
        if (!modes.modes[i].item) continue;
        __CFRunLoopSourceWasRemoved(rls, rl, modes.modes[i].name);
        CFRelease(modes.modes[i].item);
    }
    __CFRunLoopFreeModesNamed(&modes);
    if (common) CFRelease(common);
    CFRelease(rls);
    CFRelease(rl);
}

void CFRunLoopRemoveSource(CFRunLoopRef rl, CFRunLoopSourceRef rls, CFStringRef modeName) {
    CHECK_FOR_FORK();
    if (rls) __CFRunLoopRemoveSource(rl, rls, modeName);
}

/// The sources of a mode, or the sources among the common items, retained. The caller releases the
/// array. Call with nothing locked.
static CFArrayRef __CFRunLoopCopySources(CFRunLoopRef rl, CFStringRef modeName) {
    CFMutableArrayRef sources =
        CFArrayCreateMutable(kCFAllocatorSystemDefault, 0, &kCFTypeArrayCallBacks);
    __CFRunLoopLock(rl);
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(rl, modeName, false);
    CFSetRef sets[] = {rlm ? rlm->_sources0 : NULL, rlm ? rlm->_sources1 : NULL,
                       __CFRunLoopIsCommonModes(modeName) ? rl->_commonModeItems : NULL};
    for (int s = 0; s < 3; s++) {
        CFIndex count = sets[s] ? CFSetGetCount(sets[s]) : 0;
        const void **items = malloc((size_t)(count + 1) * sizeof(*items));
        if (!items) __CF_HAS_NO_MEMORY_LEFT__("the sources of a mode");
        if (count) CFSetGetValues(sets[s], items);
        for (CFIndex i = 0; i < count; i++) {
            if (CFGetTypeID(items[i]) == CFRunLoopSourceGetTypeID())
                CFArrayAppendValue(sources, items[i]);
        }
        free(items);
    }
    if (rlm) __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(rl);
    return sources;
}

void __CFRunLoopRemoveAllSources(CFRunLoopRef rl, CFStringRef modeName) {
    CFArrayRef sources = __CFRunLoopCopySources(rl, modeName);
    for (CFIndex i = 0; i < CFArrayGetCount(sources); i++) {
        __CFRunLoopRemoveSource(rl, (CFRunLoopSourceRef)CFArrayGetValueAtIndex(sources, i),
                                modeName);
    }
    CFRelease(sources);
}

// MARK: - Invalidating

/// Takes a source out of all modes of a loop. Call with nothing locked. DOES CALLOUT: cancel,
/// getPort
static void __CFRunLoopSourceRemoveFromRunLoop(const void *runLoop, void *source) {
    CFRunLoopRef rl = (CFRunLoopRef)runLoop;
    CFArrayRef modeNames = CFRunLoopCopyAllModes(rl);
    for (CFIndex i = 0; i < CFArrayGetCount(modeNames); i++)
        __CFRunLoopRemoveSource(rl, source, CFArrayGetValueAtIndex(modeNames, i));
    CFRelease(modeNames);
    __CFRunLoopRemoveSource(rl, source, kCFRunLoopCommonModes);
}

/// A source remembers its loops by mode and by common item, so none is forgotten here [D29]. Its
/// context stays: sets that hold the source may still need its `equal` and `hash`. Call with
/// nothing locked. DOES CALLOUT: cancel, getPort, release
void CFRunLoopSourceInvalidate(CFRunLoopSourceRef rls) {
    CHECK_FOR_FORK();
    __CFRunLoopSourceLock(rls);
    CFMutableBagRef runLoops = rls->_runLoops;
    rls->_runLoops = NULL;
    atomic_store(&rls->_slot, NULL);
    Boolean wasValid = __CFIsValid(rls);
    __CFUnsetValid(rls);
    __CFRunLoopSourceUnsetSignaled(rls);
    __CFRunLoopSourceUnlock(rls);
    if (!wasValid || !runLoops) return;
    CFRetain(rls); // the loops' references go
    CFSetRef loops = __CFRunLoopBagCopyLoops(runLoops);
    CFRelease(runLoops);
    CFSetApplyFunction(loops, __CFRunLoopSourceRemoveFromRunLoop, rls);
    CFRelease(loops);
    CFRelease(rls);
}
