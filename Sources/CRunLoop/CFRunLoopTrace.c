/// CFRunLoopTrace.c: the ring that the events of a trace go through.
///
/// Any number of threads, and signal handlers among them, put events in; one receiver at a time
/// takes them out. A place in the ring carries a count, `turn`: even, it is free for that half's
/// round through the ring; odd, it is filled.
///
///     a thread with an event   takes the next number, if the place it falls on is free in this
///                              round; fills it in; makes `turn` odd
///     the receiver             as long as the next place is filled: copies it, makes `turn` even
///                              again, calls the handler
///
/// No thread waits for another: one that is interrupted while it fills its place holds up the
/// receiver, which returns and looks again the next time, and no other thread. A thread may also
/// never fill its place: it ends there (pthread_cancel), or leaves by siglongjmp from a signal
/// handler. Hence a place says who has taken it, and when. If that thread is gone, or a second has
/// passed, the receiver gives the place up, and counts its event as lost. Nobody uses such a place
/// again, because the thread may still write to it. When the receiver is a whole round behind,
/// events are counted as lost, too. On a Mac all this is the kernel's (current source).

#include "CFRunLoopProbes.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "Names/CFRunLoopTrace.h"

struct __CFTracePlace {
    _Atomic(uint64_t) turn;     // or __kCFTraceGivenUp
    _Atomic(pid_t) owner;       // the thread that fills it; 0: none, or not said yet
    _Atomic(uint64_t) takenTSR; // when that took it; likewise
    CFRunLoopTraceEvent event;
};
#define __kCFTraceGivenUp UINT64_MAX
/// How long a thread may take to fill a place: it has nothing to wait for on the way.
#define __kCFTracePatience 1000000000ULL

CF_SHARED _Atomic(Boolean) __CFRunLoopIsTraced = false;
/// Made by the first trace, never freed: a thread may be about to fill a place.
static struct __CFTracePlace *_Atomic __CFTraceRing = NULL;
// The number of the next event to be recorded, since the ring was made.
static _Atomic(uint64_t) __CFTraceRecorded = 0;
static _Atomic(uint64_t) __CFTraceLost = 0;
// The number of the next event to be received; guarded by __CFTraceReceiverLock.
static uint64_t __CFTraceReceived = 0;
// The number of the present trace's first event; likewise.
static uint64_t __CFTraceFirst = 0;
// Guarded by __CFTraceReceiverLock, too:
// Since then, the numbers that fell on places given up.
static uint64_t __CFTraceSkipped = 0;
static uint64_t __CFTraceHeldUpAt = UINT64_MAX; // the number of the last place found unfilled
static uint64_t __CFTraceHeldUpTSR = 0;         // when it was first found so
static CFLock_t __CFTraceReceiverLock = CF_LOCK_INITIALIZER;

// MARK: - Recording

static struct __CFTracePlace *__CFTracePlaceOf(uint64_t number) {
    return &atomic_load(&__CFTraceRing)[number % kCFRunLoopTraceCapacity];
}

/// What `turn` is while the place is free for the event of that number.
static uint64_t __CFTraceTurnOf(uint64_t number) { return number / kCFRunLoopTraceCapacity * 2; }

/// A free place, which is now the caller's to fill; NULL if the ring is full, or not seen yet: it
/// is read after a flag that orders nothing.
static struct __CFTracePlace *__CFTraceTakePlace(uint64_t *number) {
    if (!atomic_load(&__CFTraceRing)) return NULL;
    *number = atomic_load(&__CFTraceRecorded);
    for (CFIndex skipped = 0; skipped < kCFRunLoopTraceCapacity;) {
        struct __CFTracePlace *place = __CFTracePlaceOf(*number);
        uint64_t turn = atomic_load(&place->turn);
        if (turn == __kCFTraceGivenUp) {
            if (!atomic_compare_exchange_strong(&__CFTraceRecorded, number, *number + 1)) continue;
            ++*number;
            skipped++;
        } else if (turn < __CFTraceTurnOf(*number))
            return NULL; // still has what was filled in a round ago
        else if (turn > __CFTraceTurnOf(*number))
            *number = atomic_load(&__CFTraceRecorded); // somebody else was faster
        else if (atomic_compare_exchange_weak(&__CFTraceRecorded, number, *number + 1))
            return place;
    }
    return NULL; // all places have been given up
}

void __CFTraceCopyName(CFStringRef name, char *buffer, CFIndex size) {
    if (!name) return;
    CFIndex used = 0;
    CFStringGetBytes(name, CFRangeMake(0, CFStringGetLength(name)), kCFStringEncodingUTF8, '?',
                     false, (UInt8 *)buffer, size - 1, &used);
    buffer[used] = 0;
}

/// Needs no lock: on another thread than the loop's it reads only what is atomic.
static void __CFTraceFillInStep(CFRunLoopTraceEvent *event, CFRunLoopRef rl) {
    event->loop = rl;
    if (!rl) return;
    struct __CFRunLoopPass *pass = __CFRunLoopThisPass(rl);
    event->step = (int32_t)(atomic_load_explicit(&pass->_steps, memory_order_relaxed) & 0xF);
    if (event->thread != atomic_load(&rl->_tid)) return; // the rest is the loop's thread's own
    event->depth = (int32_t)pass->_depth;
    if (event->kind == kCFRunLoopTraceServes) event->sender = pass->_sender;
}

void __CFRunLoopTrace(CFRunLoopRef rl, CFStringRef mode, CFRunLoopTraceKind kind, int32_t detail,
                      const void *item, const void *function, int64_t value) {
    uint64_t number;
    struct __CFTracePlace *place = __CFTraceTakePlace(&number);
    if (!place) {
        atomic_fetch_add(&__CFTraceLost, 1);
        return;
    }
    pid_t thread = __CFThreadNumber();
    uint64_t now = mach_absolute_time();
    atomic_store_explicit(&place->owner, thread, memory_order_relaxed);
    atomic_store_explicit(&place->takenTSR, now, memory_order_relaxed);
    CFRunLoopTraceEvent *event = &place->event;
    *event = (CFRunLoopTraceEvent){.number = number, .time = now, .kind = kind, .thread = thread,
                                   .item = item, .function = function, .value = value};
    Boolean isCallout = kind == kCFRunLoopTraceCalloutBegins || kind == kCFRunLoopTraceCalloutEnds;
    if (isCallout) event->callout = detail;
    if (isCallout && detail == kCFRunLoopTraceObserver) event->activity = (CFOptionFlags)value;
    if (isCallout && detail == kCFRunLoopTraceSource0)
        event->sender = atomic_load(&((CFRunLoopSourceRef)item)->_signaller);
    if (kind == kCFRunLoopTraceServes) event->reason = detail;
    __CFTraceFillInStep(event, rl);
    __CFTraceCopyName(mode, event->mode, sizeof(event->mode));
    uint64_t free = __CFTraceTurnOf(number);
    atomic_compare_exchange_strong(&place->turn, &free, free + 1); // unless it has been given up
}

// MARK: - Receiving

/// Whether the thread that took a place, and has not filled it, cannot be expected to. A place that
/// does not say yet who took it counts from when it was first found so. Call with
/// __CFTraceReceiverLock held.
static Boolean __CFTraceIsAbandoned(const struct __CFTracePlace *place, uint64_t number) {
    uint64_t now = mach_absolute_time();
    if (__CFTraceHeldUpAt != number) {
        __CFTraceHeldUpAt = number;
        __CFTraceHeldUpTSR = now;
    }
    pid_t owner = atomic_load_explicit(&place->owner, memory_order_relaxed);
    if (owner && syscall(SYS_tgkill, getpid(), owner, 0) < 0 && errno == ESRCH) return true;
    uint64_t taken = atomic_load_explicit(&place->takenTSR, memory_order_relaxed);
    uint64_t since = taken ? taken : __CFTraceHeldUpTSR;
    return now > since && now - since > __kCFTracePatience;
}

/// Gives a place up; false if it has been filled after all. Call with __CFTraceReceiverLock held.
static Boolean __CFTraceGiveUp(struct __CFTracePlace *place, uint64_t number) {
    uint64_t free = __CFTraceTurnOf(number);
    if (!atomic_compare_exchange_strong(&place->turn, &free, __kCFTraceGivenUp)) return false;
    if (number >= __CFTraceFirst) atomic_fetch_add(&__CFTraceLost, 1);
    return true;
}

/// Frees a filled place for the next round, and copies what was in it. Call with
/// __CFTraceReceiverLock held.
static void __CFTraceEmptyPlace(struct __CFTracePlace *place, CFRunLoopTraceEvent *event) {
    *event = place->event;
    event->number -= __CFTraceFirst + __CFTraceSkipped;
    atomic_store_explicit(&place->owner, 0, memory_order_relaxed);
    atomic_store_explicit(&place->takenTSR, 0, memory_order_relaxed);
    atomic_store(&place->turn, __CFTraceTurnOf(__CFTraceReceived) + 2);
}

/// The next event of the present trace; false if there is none, or if it is just being filled in.
/// Call with __CFTraceReceiverLock held.
static Boolean __CFTraceTakeEvent(CFRunLoopTraceEvent *event) {
    if (!atomic_load(&__CFTraceRing)) return false;
    while (__CFTraceReceived < atomic_load(&__CFTraceRecorded)) {
        uint64_t number = __CFTraceReceived;
        struct __CFTracePlace *place = __CFTracePlaceOf(number);
        uint64_t turn = atomic_load(&place->turn);
        if (turn == __CFTraceTurnOf(number) + 1) {
            __CFTraceEmptyPlace(place, event);
            __CFTraceReceived++;
            if (number >= __CFTraceFirst) return true; // older ones are an earlier trace's
        } else if (turn == __kCFTraceGivenUp) {
            __CFTraceReceived++;
            if (number >= __CFTraceFirst) __CFTraceSkipped++;
        } else {
            if (!__CFTraceIsAbandoned(place, number)) return false;
            if (__CFTraceGiveUp(place, number)) __CFTraceReceived++;
        }
    }
    return false;
}

CFIndex CFRunLoopTraceReceive(CFRunLoopTraceCallBack handler, void *info) {
    CHECK_FOR_FORK();
    if (!atomic_load(&__CFTraceRing))
        return 0; // there was no trace yet, and the lock is left alone
    for (CFIndex count = 0; count < kCFRunLoopTraceCapacity; count++) {
        CFRunLoopTraceEvent event;
        __CFLock(&__CFTraceReceiverLock);
        Boolean taken = __CFTraceTakeEvent(&event);
        __CFUnlock(&__CFTraceReceiverLock);
        if (!taken) return count;
        if (handler) handler(&event, info);
    }
    return kCFRunLoopTraceCapacity;
}

uint64_t CFRunLoopTraceGetLostCount(void) {
    CHECK_FOR_FORK();
    return atomic_load(&__CFTraceLost);
}

// MARK: - Beginning and end

/// Call with __CFTraceReceiverLock held.
static Boolean __CFTraceMakeReady(void) {
    if (!atomic_load(&__CFTraceRing))
        atomic_store(&__CFTraceRing,
                     calloc(kCFRunLoopTraceCapacity, sizeof(struct __CFTracePlace)));
    if (!atomic_load(&__CFTraceRing)) return false;
    CFRunLoopTraceEvent forgotten;
    __CFTraceFirst = atomic_load(&__CFTraceRecorded);
    __CFTraceSkipped = 0;
    // Frees the places of an earlier trace's events. Of one that is being recorded still, too.
    if (__CFTraceTakeEvent(&forgotten)) __CFTraceFirst = __CFTraceReceived;
    atomic_store(&__CFTraceLost, 0);
    return true;
}

Boolean CFRunLoopTraceStart(void) {
    CHECK_FOR_FORK();
    __CFForbidUseAfterFork(); // the ring and its lock are not for children, either
    __CFLock(&__CFTraceReceiverLock);
    Boolean starts = !atomic_load(&__CFRunLoopIsTraced) && __CFTraceMakeReady();
    if (starts) atomic_store(&__CFRunLoopIsTraced, true); // after the ring is there
    __CFUnlock(&__CFTraceReceiverLock);
    return starts;
}

void CFRunLoopTraceStop(void) {
    CHECK_FOR_FORK();
    atomic_store(&__CFRunLoopIsTraced, false);
}
