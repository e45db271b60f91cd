/// Checker.c: the invariants of a run loop, one function for each structure. See Checker.h.
///
/// Every function here returns whether its structure is intact, and notes the first thing that is wrong. CheckLoop tries again for some
/// seconds before it reports a failure, because another thread may be between two steps that belong together, such as marking an item
/// invalid and removing it.
#include "Checker.h"
#include "../../Sources/CRunLoop/Base/CFBasicHash.h"
#include "../../Sources/CRunLoop/CFRunLoop_Internal.h"
#include "../../Sources/CRunLoop/Kernel/CFPortSet_Internal.h"
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

enum { longestChain = 10000000 }; // a longer list must have a cycle

// MARK: - Failures

static _Thread_local char problem[400];

static bool note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static bool note(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem, sizeof problem, format, arguments);
    va_end(arguments);
    return false;
}

#define REQUIRE(condition, ...)                     \
    do {                                            \
        if (!(condition)) return note(__VA_ARGS__); \
    } while (0)

static const char *nameOf(CFStringRef string) {
    static _Thread_local char buffers[4][128];
    static _Thread_local int next;
    char *buffer = buffers[next++ % 4];
    return CFStringGetCString(string, buffer, sizeof(buffers[0]), kCFStringEncodingUTF8) ? buffer : "?";
}

// MARK: - Lists of what is in a set, an array, a dictionary

typedef struct {
    const void **items;
    CFIndex count;
} List;

static List listOfCount(CFIndex count) { return (List){malloc((size_t)(count + 1) * sizeof(void *)), count}; }

static List listOfSet(CFSetRef set) {
    List list = listOfCount(set ? CFSetGetCount(set) : 0);
    if (list.count) CFSetGetValues(set, list.items);
    return list;
}

static List listOfArray(CFArrayRef array) {
    List list = listOfCount(array ? CFArrayGetCount(array) : 0);
    if (list.count) CFArrayGetValues(array, CFRangeMake(0, list.count), list.items);
    return list;
}

static void addKey(const void *key, const void *value, void *list) {
    List *keys = list;
    keys->items[keys->count++] = key;
}

static List listOfKeys(CFDictionaryRef dictionary) {
    List list = listOfCount(dictionary ? CFDictionaryGetCount(dictionary) : 0);
    list.count = 0;
    if (dictionary) CFDictionaryApplyFunction(dictionary, addKey, &list);
    return list;
}

/// The addresses of a set's members. The functions that search the result never dereference the pointer that they look for, so it may be
/// dangling.
static CFSetRef addressesOf(CFSetRef set) {
    CFMutableSetRef addresses = CFSetCreateMutable(NULL, 0, NULL);
    List list = listOfSet(set);
    for (CFIndex i = 0; i < list.count; i++) CFSetAddValue(addresses, list.items[i]);
    free(list.items);
    return addresses;
}

/// Calls `check` on each until it returns false; frees the list.
static bool allOf(List list, bool (^check)(const void *item)) {
    bool good = true;
    for (CFIndex i = 0; good && i < list.count; i++) good = check(list.items[i]);
    free(list.items);
    return good;
}

// MARK: - The registry and the thread-specific data (R2–R6)

/// A loop whose thread has ended is no longer in the registry, and its sources have been removed, because a source in such a loop would
/// retain it forever. The loop is already in that state on its own thread while the end of the thread calls the sources' `cancel`.
static bool checkRegistry(CFRunLoopRef rl, bool *isRegistered) {
    bool isOwn = pthread_equal(rl->_pthread, pthread_self()), isMine = _CFGetTSD(__CFTSDKeyRunLoop) == rl;
    *isRegistered = _CFRunLoopGet0b(rl->_pthread) == rl;
    REQUIRE(_CFRunLoopGet0b((pthread_t)0), "there is a loop, but none for the main thread");
    REQUIRE(!isMine || isOwn, "the thread's data names the loop of another thread");
    if (!isOwn) return true;
    REQUIRE(isMine == *isRegistered, "the registry %s the loop, and its thread's data %s", *isRegistered ? "has" : "has not",
            isMine ? "does too" : "does not");
    REQUIRE(!isMine || _CFGetTSD(__CFTSDKeyRunLoopCntr), "nothing will end the loop when its thread ends: the counter is not set");
    return true;
}

// MARK: - The loop itself

/// A loop that another event loop hosts keeps its wake-ups even when it does not run.
static bool isHosted(CFRunLoopRef rl) { return rl->_hostedModes != NULL; }

static bool checkPerRunData(CFRunLoopRef rl) {
    int depth = 0;
    for (_per_run_data *run = atomic_load(&rl->_perRunData); run; run = run->previous, depth++) {
        uint32_t stopped = atomic_load(&run->stopped), ignores = atomic_load(&run->ignoreWakeUps);
        REQUIRE(depth < longestChain, "the data of runs goes in a circle");
        REQUIRE(run->a == 0x4346524C && run->b == run->a, "the data of a run begins with %x, %x", run->a, run->b);
        REQUIRE(stopped == 0 || stopped == 0x53544F50, "`stopped` is %x", stopped);
        REQUIRE(ignores == 0 || ignores == __kCFRunLoopIgnoresWakeUps, "`ignoreWakeUps` is %x", ignores);
        REQUIRE(run->previous || ignores || isHosted(rl), "outside all runs, wake-ups are not ignored");
        REQUIRE(run->previous || !ignores || !isHosted(rl), "outside all runs, wake-ups are ignored, and the loop has a host");
    }
    REQUIRE(depth > 0, "there is no data of a run");
    REQUIRE((depth > 1) == (rl->_currentMode != NULL), "%d runs, and %s current mode", depth - 1, rl->_currentMode ? "a" : "no");
    if (!pthread_equal(rl->_pthread, pthread_self())) return true;
    for (_per_run_data *spare = rl->_sparePerRunData; spare; spare = spare->previous) {
        REQUIRE(++depth < longestChain, "the spare data of runs goes in a circle");
    }
    return true;
}

/// Checks that a descriptor is open and close-on-exec.
static bool checkDescriptor(int descriptor, const char *what) {
    int flags = fcntl(descriptor, F_GETFD);
    REQUIRE(flags >= 0, "descriptor %d, %s, is not open", descriptor, what);
    REQUIRE(flags & FD_CLOEXEC, "descriptor %d, %s, would survive exec", descriptor, what);
    return true;
}

static bool checkModeIsThere(CFRunLoopRef rl, CFRunLoopModeRef rlm, const char *what) {
    return !rlm || CFSetGetValue(rl->_modes, rlm) == rlm || note("the %s mode is not among the loop's", what);
}

static bool checkLoopItself(CFRunLoopRef rl, bool isRegistered) {
    bool sleeps = __CFRunLoopIsSleeping(rl);
    REQUIRE(!__CFRunLoopIsDeallocating(rl), "the loop is being deallocated");
    REQUIRE(!sleeps || rl->_currentMode, "the loop sleeps, and runs in no mode");
    REQUIRE(!sleeps || !pthread_equal(rl->_pthread, pthread_self()), "the loop's own thread is awake, but the loop sleeps");
    REQUIRE(!rl->_currentMode || isRegistered, "a loop that is in no registry runs");
    return checkDescriptor(rl->_wakeUpPort, "the wake-up port") && checkPerRunData(rl) &&
           checkModeIsThere(rl, rl->_currentMode, "current");
}

static bool checkCommonModes(CFRunLoopRef rl) {
    REQUIRE(CFSetContainsValue(rl->_commonModes, kCFRunLoopDefaultMode), "the default mode is not common");
    return allOf(listOfSet(rl->_commonModes), ^bool(const void *name) {
        REQUIRE(CFGetTypeID(name) == CFStringGetTypeID(), "a name among the common modes is not a string");
        REQUIRE(!__CFRunLoopIsCommonModes(name), "the placeholder for the common modes is one of them");
        REQUIRE(CFSetContainsValue(rl->_commonModes, name), "the common mode %s is not found by its name", nameOf(name));
        return true;
    });
}

// MARK: - Items: in how many modes is each?

/// Counts, for each item, the modes that contain it, and whether it is a common item. Each item has one word: twice the number of modes,
/// plus one if it is common.
typedef CFMutableDictionaryRef Census;

static uintptr_t entryOf(Census census, const void *item) { return (uintptr_t)CFDictionaryGetValue(census, item); }

static void countItem(Census census, const void *item, uintptr_t step) {
    CFDictionarySetValue(census, item, (const void *)(entryOf(census, item) + step));
}

static bool countItems(Census census, List items, uintptr_t step) {
    return allOf(items, ^bool(const void *item) {
        countItem(census, item, step);
        return true;
    });
}

static void countItemsOfMode(Census census, CFRunLoopModeRef rlm) {
    countItems(census, listOfSet(rlm->_sources0), 2);
    countItems(census, listOfSet(rlm->_sources1), 2);
    countItems(census, listOfArray(rlm->_observers), 2);
    countItems(census, listOfArray(rlm->_timers), 2);
}

/// In how many places of the loop an item is: its modes and the common items.
static long placesOf(uintptr_t entry) { return (long)(entry / 2 + entry % 2); }

// MARK: - Sources

static bool checkSourceInMode(CFRunLoopModeRef rlm, CFRunLoopSourceRef rls, CFSetRef set, CFIndex version) {
    REQUIRE(CFGetTypeID(rls) == CFRunLoopSourceGetTypeID(), "what is among the sources of mode %s is none", nameOf(rlm->_name));
    REQUIRE(CFSetGetValue(set, rls) == rls, "a source of mode %s is not where its hash says", nameOf(rlm->_name));
    REQUIRE(__CFIsValid(rls), "a source of mode %s is invalid", nameOf(rlm->_name));
    REQUIRE(rls->_context.version0.version == version, "a source of version %ld is in _sources%ld of mode %s",
            (long)rls->_context.version0.version, (long)version, nameOf(rlm->_name));
    return true;
}

static bool checkSourcesOfMode(CFRunLoopModeRef rlm) {
    if (!rlm->_sources0) {
        REQUIRE(!rlm->_sources1 && !rlm->_portToV1SourceMap, "mode %s has some sets for sources only",
                nameOf(rlm->_name));
        return true;
    }
    REQUIRE(rlm->_sources1 && rlm->_portToV1SourceMap, "mode %s has some sets for sources only", nameOf(rlm->_name));
    return allOf(listOfSet(rlm->_sources0), ^bool(const void *rls) {
        return checkSourceInMode(rlm, (CFRunLoopSourceRef)rls, rlm->_sources0, 0);
    }) && allOf(listOfSet(rlm->_sources1), ^bool(const void *rls) {
        return checkSourceInMode(rlm, (CFRunLoopSourceRef)rls, rlm->_sources1, 1);
    });
}

/// A source has one reference to its loop for each mode that contains it, and one if it is a common item.
static bool checkSource(CFRunLoopRef rl, CFRunLoopSourceRef rls, uintptr_t entry) {
    __CFRunLoopSourceLock(rls);
    long known = rls->_runLoops ? (long)CFBasicHashGetCountOfKey((CFConstBasicHashRef)rls->_runLoops, rl) : 0;
    __CFRunLoopSourceUnlock(rls);
    REQUIRE(known == placesOf(entry), "a source is in %ld places of its loop and knows of %ld", placesOf(entry), known);
    return true;
}

// MARK: - Ports of version 1 sources

/// Each port leads to a source of the mode that has this port.
static bool checkPortsLeadSomewhere(CFRunLoopModeRef rlm) {
    CFSetRef members = addressesOf(rlm->_sources1);
    bool good = allOf(listOfKeys(rlm->_portToV1SourceMap), ^bool(const void *key) {
        CFRunLoopSourceRef rls = (CFRunLoopSourceRef)CFDictionaryGetValue(rlm->_portToV1SourceMap, key);
        long port = (long)(intptr_t)key;
        REQUIRE(CFSetContainsValue(members, rls), "port %ld of mode %s leads to a source that is not in it", port, nameOf(rlm->_name));
        REQUIRE(atomic_load(&rls->_port) == port, "port %ld of mode %s leads to a source with port %d", port, nameOf(rlm->_name),
                atomic_load(&rls->_port));
        return true;
    });
    CFRelease(members);
    return good;
}

/// Each source with a port is found by its port, or shares the port with the source that is. When the latter is removed, the loop looks for
/// another source with the port only if the mode has more sources than ports.
static bool checkSourcesAreReached(CFRunLoopModeRef rlm) {
    if (!rlm->_sources1) return true;
    CFIndex ports = CFDictionaryGetCount(rlm->_portToV1SourceMap), sources = CFSetGetCount(rlm->_sources1);
    return allOf(listOfSet(rlm->_sources1), ^bool(const void *rls) {
        long port = atomic_load(&((CFRunLoopSourceRef)rls)->_port);
        if (port == CFPORT_NULL) return true;
        const void *key = (const void *)(intptr_t)port, *reached = CFDictionaryGetValue(rlm->_portToV1SourceMap, key);
        REQUIRE(reached, "port %ld of mode %s leads to nothing", port, nameOf(rlm->_name));
        REQUIRE(reached == rls || sources > ports, "two sources of mode %s have port %ld, and the mode has %ld ports for %ld sources",
                nameOf(rlm->_name), port, (long)ports, (long)sources);
        return true;
    });
}

// MARK: - The port set: what the kernel's set contains

/// The descriptors that an epoll instance waits for.
typedef struct {
    int ports[4096];
    int count;
} KernelPorts;

static void readKernelPorts(int epoll, KernelPorts *found) {
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", epoll);
    FILE *file = fopen(path, "re");
    found->count = 0;
    if (!file) return;
    while (found->count < 4096 && fgets(line, sizeof line, file)) found->count += sscanf(line, "tfd: %d", &found->ports[found->count]) == 1;
    fclose(file);
}

/// Whether this kernel shows what an epoll instance waits for. Finds out with its own epoll instance.
static bool kernelTells(void) {
    static _Atomic(int) known; // 0: not asked yet, 1: no, 2: yes
    if (atomic_load(&known)) return atomic_load(&known) == 2;
    int epoll = epoll_create1(EPOLL_CLOEXEC), port = eventfd(0, EFD_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    KernelPorts *found = malloc(sizeof *found);
    epoll_ctl(epoll, EPOLL_CTL_ADD, port, &event);
    readKernelPorts(epoll, found);
    atomic_store(&known, found->count == 1 && found->ports[0] == port ? 2 : 1);
    free(found);
    close(epoll);
    close(port);
    return atomic_load(&known) == 2;
}

static bool hasPort(const KernelPorts *found, int port) {
    for (int i = 0; i < found->count; i++) {
        if (found->ports[i] == port) return true;
    }
    return false;
}

/// The kernel removes a closed descriptor from the set. A regular file or a directory cannot be added to it.
static bool canBeWaitedFor(int port) {
    struct stat status;
    return fstat(port, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

static bool isOwnPort(CFRunLoopRef rl, CFRunLoopModeRef rlm, int port) {
    return port == rl->_wakeUpPort || port == rlm->_portSet->timerDescriptor || port == rlm->_portSet->mainQueuePort;
}

static bool checkKernelPorts(CFRunLoopRef rl, CFRunLoopModeRef rlm, const KernelPorts *found) {
    const char *name = nameOf(rlm->_name);
    REQUIRE(hasPort(found, rl->_wakeUpPort), "the port set of mode %s has no wake-up port", name);
    int timer = rlm->_portSet->timerDescriptor;
    REQUIRE(timer == CFPORT_NULL || hasPort(found, timer), "the port set of mode %s does not have its timerfd", name);
    int known = 1 + (timer != CFPORT_NULL) + (rlm->_portSet->mainQueuePort != CFPORT_NULL);
    __block int clients = 0;
    bool good = allOf(listOfKeys(rlm->_portToV1SourceMap), ^bool(const void *key) {
        int port = (int)(intptr_t)key;
        if (isOwnPort(rl, rlm, port)) return true; // the source's descriptor was closed, and one of the loop's own ports has its number
        bool isThere = hasPort(found, port);
        clients += isThere;
        CFRunLoopSourceRef source = (CFRunLoopSourceRef)CFDictionaryGetValue(rlm->_portToV1SourceMap, key);
        if (!atomic_load(&source->_watchEvents))
            return !isThere || note("the port set of mode %s has the port %d, of which nothing is wanted", name, port);
        return isThere || !canBeWaitedFor(port) || note("the port set of mode %s does not have a source's port, %d", name, port);
    });
    if (!good) return false;
    REQUIRE(found->count == known + clients, "the port set of mode %s has %d descriptors; %d of the loop's own and %d of sources are known",
            name, found->count, known, clients);
    return true;
}

static bool checkPortSet(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    REQUIRE(rlm->_portSet, "mode %s has no port set", nameOf(rlm->_name));
    REQUIRE(rlm->_timerPort == CFPORT_TIMER, "mode %s has a timer port %d", nameOf(rlm->_name), rlm->_timerPort);
    int timer = rlm->_portSet->timerDescriptor;
    bool hasHost = rlm->_portSet->host != CFPORT_NULL;
    REQUIRE(timer == CFPORT_NULL || hasHost, "mode %s has a timerfd, and is not embedded", nameOf(rlm->_name));
    REQUIRE(timer != CFPORT_NULL || !hasHost || !rlm->_mkTimerArmed, "mode %s is embedded, and its armed timer has no timerfd",
            nameOf(rlm->_name));
    bool isHosted = rl->_hostedModes && CFArrayContainsValue(rl->_hostedModes, CFRangeMake(0, CFArrayGetCount(rl->_hostedModes)), rlm);
    REQUIRE(hasHost == isHosted, "mode %s %s embedded, and the loop thinks otherwise", nameOf(rlm->_name), hasHost ? "is" : "is not");
    if (timer != CFPORT_NULL && !checkDescriptor(timer, "an embedded mode's timerfd")) return false;
    int epoll = __CFPortSetGetDescriptor(rlm->_portSet);
    if (epoll == CFPORT_NULL) return true; // no wait has opened the epoll instance yet
    if (!checkDescriptor(epoll, "a mode's port set")) return false;
    if (!kernelTells()) return true;
    KernelPorts *found = malloc(sizeof *found);
    readKernelPorts(epoll, found);
    bool good = found->count == 4096 || checkKernelPorts(rl, rlm, found);
    free(found);
    return good;
}

// MARK: - Observers

static bool checkObserversOfMode(CFRunLoopModeRef rlm) {
    __block CFIndex mask = 0;
    __block CFRunLoopObserverRef last = NULL;
    bool good = allOf(listOfArray(rlm->_observers), ^bool(const void *item) {
        CFRunLoopObserverRef rlo = (CFRunLoopObserverRef)item;
        REQUIRE(CFGetTypeID(item) == CFRunLoopObserverGetTypeID(), "what is among the observers of mode %s is none", nameOf(rlm->_name));
        REQUIRE(__CFIsValid(rlo), "an observer of mode %s is invalid", nameOf(rlm->_name));
        REQUIRE(!last || last->_order <= rlo->_order, "in mode %s an observer of order %ld stands before one of order %ld",
                nameOf(rlm->_name), (long)last->_order, (long)rlo->_order);
        mask |= (CFIndex)rlo->_activities;
        last = rlo;
        return true;
    });
    if (!good) return false;
    REQUIRE(!(mask & ~rlm->_observerMask), "the observers of mode %s want %lx together, its mask is %lx", nameOf(rlm->_name),
            (unsigned long)mask, (unsigned long)rlm->_observerMask);
    return true;
}

static bool checkObserver(CFRunLoopRef rl, CFRunLoopObserverRef rlo, uintptr_t entry) {
    __CFRunLoopObserverLock(rlo);
    CFRunLoopRef itsLoop = rlo->_runLoop;
    long known = (long)rlo->_rlCount;
    __CFRunLoopObserverUnlock(rlo);
    REQUIRE(itsLoop == rl, "an observer is in a loop and does not know it");
    REQUIRE(known == placesOf(entry), "an observer is in %ld places of its loop and knows of %ld", placesOf(entry), known);
    return true;
}

// MARK: - Timers

static bool checkTimersOfMode(CFRunLoopModeRef rlm) {
    __block CFRunLoopTimerRef last = NULL;
    return allOf(listOfArray(rlm->_timers), ^bool(const void *item) {
        CFRunLoopTimerRef rlt = (CFRunLoopTimerRef)item;
        REQUIRE(CFGetTypeID(item) == CFRunLoopTimerGetTypeID(), "what is among the timers of mode %s is none", nameOf(rlm->_name));
        REQUIRE(__CFIsValid(rlt), "a timer of mode %s is invalid", nameOf(rlm->_name));
        REQUIRE(!last || last->_fireTSR <= rlt->_fireTSR, "in mode %s a timer for %llu stands before one for %llu", nameOf(rlm->_name),
                (unsigned long long)last->_fireTSR, (unsigned long long)rlt->_fireTSR);
        REQUIRE(CFSetContainsValue(rlt->_rlModes, rlm->_name), "a timer is in mode %s and does not know it", nameOf(rlm->_name));
        last = rlt;
        return true;
    });
}

static bool checkTimer(CFRunLoopRef rl, CFRunLoopTimerRef rlt, uintptr_t entry) {
    __CFRunLoopTimerLock(rlt);
    CFRunLoopRef itsLoop = rlt->_runLoop;
    long known = rlt->_rlModes ? (long)CFSetGetCount(rlt->_rlModes) : 0;
    bool knowsItIsCommon = rlt->_rlModes && CFSetContainsValue(rlt->_rlModes, kCFRunLoopCommonModes);
    __CFRunLoopTimerUnlock(rlt);
    REQUIRE(itsLoop == rl, "a timer is in a loop and does not know it");
    REQUIRE(known == placesOf(entry), "a timer is in %ld places of its loop and knows of %ld", placesOf(entry), known);
    REQUIRE(knowsItIsCommon == (entry % 2 == 1), "a timer %s a common item and thinks it %s", entry % 2 ? "is" : "is not",
            knowsItIsCommon ? "is" : "is not");
    return true;
}

/// Computes the deadlines of the mode (T4): the earliest date, and the first moment at which a tolerance is used up. `firing` says whether
/// timers that are in their callback count. *isAnyFiring is set to whether there are any.
static uint64_t deadlineOf(CFRunLoopModeRef rlm, bool firing, uint64_t *hard, bool *isAnyFiring) {
    __block uint64_t soft = UINT64_MAX, latest = UINT64_MAX;
    allOf(listOfArray(rlm->_timers), ^bool(const void *item) {
        CFRunLoopTimerRef rlt = (CFRunLoopTimerRef)item;
        bool isFiring = atomic_load(&rlt->_bits) & __kCFRunLoopTimerFiring;
        *isAnyFiring = *isAnyFiring || isFiring;
        if (isFiring && !firing) return true;
        uint64_t tolerance = __CFTimeIntervalToTSR(rlt->_tolerance);
        uint64_t end = rlt->_fireTSR > UINT64_MAX - tolerance ? UINT64_MAX : rlt->_fireTSR + tolerance;
        if (soft == UINT64_MAX) soft = rlt->_fireTSR;
        if (end < latest) latest = end;
        return true;
    });
    *hard = latest;
    return soft;
}

/// The port is armed for a moment between the deadlines of the mode's timers. A timer in its callback counts in all its modes except the
/// one that it fires in. A tolerance that was set since the port was armed does not count yet.
static bool checkDeadline(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    uint64_t hard, hardWithFiring;
    bool isAnyFiring = false;
    uint64_t soft = deadlineOf(rlm, false, &hard, &isAnyFiring), softWithFiring = deadlineOf(rlm, true, &hardWithFiring, &isAnyFiring);
    REQUIRE(soft == rlm->_timerSoftDeadline || (isAnyFiring && softWithFiring == rlm->_timerSoftDeadline),
            "the timer port of mode %s is armed for %llu, not for %llu", nameOf(rlm->_name), (unsigned long long)rlm->_timerSoftDeadline,
            (unsigned long long)soft);
    bool isWanted = rlm->_timerSoftDeadline != UINT64_MAX;
    REQUIRE(rlm->_mkTimerArmed == isWanted, "the timer port of mode %s %s armed, its deadline %s", nameOf(rlm->_name),
            rlm->_mkTimerArmed ? "is" : "is not", isWanted ? "comes" : "is never");
    // After the port has gone off, and until the timers fire, it is disarmed already.
    uint64_t armed = atomic_load(&rlm->_portSet->timerDeadline);
    bool hasGoneOff = rl->_currentMode && rlm->_timerSoftDeadline <= mach_absolute_time();
    REQUIRE(!isWanted || hasGoneOff || (armed >= rlm->_timerSoftDeadline && armed <= rlm->_timerHardDeadline),
            "the timer port of mode %s is armed for %llu, not between %llu and %llu", nameOf(rlm->_name), (unsigned long long)armed,
            (unsigned long long)rlm->_timerSoftDeadline, (unsigned long long)rlm->_timerHardDeadline);
    return true;
}

// MARK: - Blocks (X7)

/// A block for a mode makes that mode.
static bool checkNameOfBlock(CFRunLoopRef rl, CFTypeRef name) {
    REQUIRE(CFGetTypeID(name) == CFStringGetTypeID(), "a block waits for a mode whose name is not a string");
    struct __CFRunLoopMode mode = {._base = INIT_CFRUNTIME_BASE(__CFRunLoopModeClass), ._name = name};
    REQUIRE(CFSetContainsValue(rl->_modes, &mode), "a block waits for the mode %s, which the loop does not have", nameOf(name));
    return true;
}

/// Each block in a list names its modes.
static bool checkBlockList(CFRunLoopRef rl, struct _block_item *head, struct _block_item **last) {
    CFIndex length = 0;
    *last = NULL;
    for (struct _block_item *item = head; item; item = item->_next) {
        REQUIRE(length++ < longestChain, "the list of blocks goes in a circle");
        REQUIRE(item->_block, "an item in the list of blocks has no block");
        bool isSet = CFGetTypeID(item->_mode) == CFSetGetTypeID();
        bool good = isSet ? allOf(listOfSet((CFSetRef)item->_mode), ^bool(const void *name) { return checkNameOfBlock(rl, name); })
                          : checkNameOfBlock(rl, item->_mode);
        if (!good) return false;
        *last = item;
    }
    return true;
}

static bool checkBlocks(CFRunLoopRef rl) {
    struct _block_item *last;
    if (!checkBlockList(rl, rl->_blocks_head, &last)) return false;
    REQUIRE(rl->_blocks_tail == last, "the list of blocks does not end where the loop says");
    return true;
}

// MARK: - The whole loop

static bool checkMode(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    REQUIRE(CFGetTypeID(rlm->_name) == CFStringGetTypeID(), "a mode's name is not a string");
    REQUIRE(CFSetGetValue(rl->_modes, rlm) == rlm, "mode %s is not found by its name", nameOf(rlm->_name));
    REQUIRE(!__CFRunLoopIsCommonModes(rlm->_name) || !(rlm->_sources0 || rlm->_observers || rlm->_timers),
            "the mode with the name of the common modes has had an item");
    return checkSourcesOfMode(rlm) && checkPortsLeadSomewhere(rlm) && checkSourcesAreReached(rlm) &&
           checkObserversOfMode(rlm) && checkTimersOfMode(rlm) && checkDeadline(rl, rlm) && checkPortSet(rl, rlm);
}

static bool checkItem(CFRunLoopRef rl, const void *item, uintptr_t entry) {
    CFTypeID type = CFGetTypeID(item);
    REQUIRE(__CFIsValid(item), "an invalid item is %s", entry % 2 ? "a common item" : "in a mode");
    if (type == CFRunLoopSourceGetTypeID()) return checkSource(rl, (CFRunLoopSourceRef)item, entry);
    if (type == CFRunLoopObserverGetTypeID()) return checkObserver(rl, (CFRunLoopObserverRef)item, entry);
    if (type == CFRunLoopTimerGetTypeID()) return checkTimer(rl, (CFRunLoopTimerRef)item, entry);
    return note("what is among the common items is no source, observer or timer");
}

static bool checkModesAndItems(CFRunLoopRef rl) {
    Census census = CFDictionaryCreateMutable(NULL, 0, NULL, NULL);
    bool good = allOf(listOfSet(rl->_modes), ^bool(const void *mode) {
        CFRunLoopModeRef rlm = (CFRunLoopModeRef)mode;
        __CFRunLoopModeLock(rlm);
        countItemsOfMode(census, rlm);
        bool isGood = checkMode(rl, rlm);
        __CFRunLoopModeUnlock(rlm);
        return isGood;
    });
    countItems(census, listOfSet(rl->_commonModeItems), 1);
    good = good && allOf(listOfKeys(census), ^bool(const void *item) { return checkItem(rl, item, entryOf(census, item)); });
    CFRelease(census);
    return good;
}

static bool checkEnd(CFRunLoopRef rl, bool isRegistered) {
    if (isRegistered || pthread_equal(rl->_pthread, pthread_self())) return true;
    return allOf(listOfSet(rl->_modes), ^bool(const void *mode) {
        CFRunLoopModeRef rlm = (CFRunLoopModeRef)mode;
        REQUIRE(!rlm->_sources0 || !(CFSetGetCount(rlm->_sources0) + CFSetGetCount(rlm->_sources1)), "the loop of an ended thread has sources");
        return true;
    });
}

static bool checkAll(CFRunLoopRef rl) {
    bool isRegistered;
    if (!checkRegistry(rl, &isRegistered)) return false;
    __CFRunLoopLock(rl);
    bool good = checkLoopItself(rl, isRegistered) && checkCommonModes(rl) && checkBlocks(rl) && checkModesAndItems(rl) &&
                checkEnd(rl, isRegistered);
    __CFRunLoopUnlock(rl);
    return good;
}

void CheckLoop(CFRunLoopRef rl) {
    if (!WAIT_UNTIL(checkAll(rl), 5)) FAIL("a structure of the run loop is broken: %s", problem);
}
