/// CFRunLoopTrace.c: the ring that holds the events of a trace.
///
/// Any number of threads and signal handlers put events into the ring. One receiver at a time takes
/// them out. Event number n is in place n % kCFRunLoopTraceCapacity. Each place has a count,
/// `turn`: in lap k of the ring the place is free while `turn` is 2k, and filled while `turn` is
/// 2k+1.
///
///     a thread with an event                    the receiver, while the next place is filled
///     1. takes the next number, if the place    1. copies the event
///        of that number is free in this lap     2. makes `turn` even again
///     2. fills the place                        3. calls the handler
///     3. makes `turn` odd
///
/// No thread waits for another. If a thread is interrupted while it fills its place, only the
/// receiver is held up, and it returns and checks again the next time. If the receiver is a whole
/// lap behind, events are counted as lost.
///
/// A thread may also never fill its place, because it is cancelled there (pthread_cancel), or
/// leaves by siglongjmp from a signal handler. After a second the receiver abandons such a place.
/// No thread uses it again, because the first thread may still write to it. The events of that
/// place are lost. On a Mac the kernel does all this (current source).

#include "CFRunLoopProbes.h"

/// A place in the ring: an event, and the turn at which the place may be filled or read.
struct __CFTracePlace {
    _Atomic(uint64_t) turn; // __kCFTraceAbandoned for an abandoned place
    CFRunLoopTraceEvent event;
};
#define __kCFTraceAbandoned UINT64_MAX
/// How long a thread may take to fill a place, in nanoseconds. It waits for nothing meanwhile.
#define __kCFTracePatience 1000000000ULL

CF_SHARED _Atomic(Boolean) __CFRunLoopIsTraced = false;
/// The first trace creates it. It is never freed, because a thread may be about to fill a place.
static struct __CFTracePlace *_Atomic __CFTraceRing = NULL;
static _Atomic(uint64_t) __CFTraceRecorded = 0; // the number of the next event to be recorded
static _Atomic(uint64_t) __CFTraceLost = 0;

static CFLock_t __CFTraceReceiverLock = CF_LOCK_INITIALIZER;
#define ASSERT_RECEIVER_LOCKED() __CFAssertLocked(&__CFTraceReceiverLock, "the trace", __func__)
// Guarded by __CFTraceReceiverLock:
static uint64_t __CFTraceReceived = 0;          // the number of the next event to be received
static uint64_t __CFTraceFirst = 0;             // the number of the present trace's first event
static uint64_t __CFTraceHeldUpAt = UINT64_MAX; // the number of the last place found unfilled
static uint64_t __CFTraceHeldUpTSR = 0;         // when the receiver first found it unfilled

// MARK: - Recording

static struct __CFTracePlace *__CFTracePlaceOf(uint64_t number) {
    return &atomic_load(&__CFTraceRing)[number % kCFRunLoopTraceCapacity];
}

/// The value of `turn` while the place is free for the event of that number.
static uint64_t __CFTraceTurnOf(uint64_t number) { return number / kCFRunLoopTraceCapacity * 2; }

/// Returns a free place, which the caller must fill. Returns NULL if the ring is full, or if the
/// place was abandoned. Also returns NULL if this thread does not see the ring yet: it has read
/// __CFRunLoopIsTraced with relaxed order, so it may see that flag before the ring.
static struct __CFTracePlace *__CFTraceTakePlace(uint64_t *number) {
    if (!atomic_load(&__CFTraceRing)) return NULL;
    *number = atomic_load(&__CFTraceRecorded);
    for (;;) {
        struct __CFTracePlace *place = __CFTracePlaceOf(*number);
        uint64_t turn = atomic_load(&place->turn), free = __CFTraceTurnOf(*number);
        if (turn < free) return NULL; // it still holds the event of the lap before
        if (turn > free && turn != __kCFTraceAbandoned)
            *number = atomic_load(&__CFTraceRecorded); // another thread was faster
        else if (atomic_compare_exchange_weak(&__CFTraceRecorded, number, *number + 1))
            return turn == free ? place : NULL;
    }
}

void __CFTraceCopyName(CFStringRef name, char *buffer, CFIndex size) {
    if (!name) return;
    CFIndex used = 0;
    CFStringGetBytes(name, CFRangeMake(0, CFStringGetLength(name)), kCFStringEncodingUTF8, '?',
                     false, (UInt8 *)buffer, size - 1, &used);
    buffer[used] = 0;
}

/// Fills in what the record of the pass says. It needs no lock, because on any thread but the
/// loop's it reads only atomic fields.
static void __CFTraceFillInStep(CFRunLoopTraceEvent *event, CFRunLoopRef rl) {
    event->loop = rl;
    if (!rl) return;
    struct __CFRunLoopPass *pass = __CFRunLoopThisPass(rl);
    event->step = (int32_t)(atomic_load_explicit(&pass->_steps, memory_order_relaxed) & 0xF);
    if (event->thread != atomic_load(&rl->_tid)) return; // the rest belongs to the loop's thread
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
    CFRunLoopTraceEvent *event = &place->event;
    *event = (CFRunLoopTraceEvent){.number = number, .time = mach_absolute_time(), .kind = kind,
                                   .thread = __CFThreadNumber(), .item = item,
                                   .function = function, .value = value};
    Boolean isCallout = kind == kCFRunLoopTraceCalloutBegins || kind == kCFRunLoopTraceCalloutEnds;
    if (isCallout) event->callout = detail;
    if (isCallout && detail == kCFRunLoopTraceObserver) event->activity = (CFOptionFlags)value;
    if (isCallout && detail == kCFRunLoopTraceSource0)
        event->sender = atomic_load(&((CFRunLoopSourceRef)item)->_signaller);
    if (kind == kCFRunLoopTraceServes) event->reason = detail;
    __CFTraceFillInStep(event, rl);
    __CFTraceCopyName(mode, event->mode, sizeof(event->mode));
    uint64_t free = __CFTraceTurnOf(number);
    // This fails if the receiver has abandoned the place.
    atomic_compare_exchange_strong(&place->turn, &free, free + 1);
}

// MARK: - Receiving

/// Abandons the place of an event that has been waited for too long. Returns false if it has not,
/// or if the place has just been filled.
static Boolean __CFTraceAbandon(struct __CFTracePlace *place, uint64_t number) {
    ASSERT_RECEIVER_LOCKED();
    uint64_t now = mach_absolute_time(), free = __CFTraceTurnOf(number);
    if (__CFTraceHeldUpAt != number) {
        __CFTraceHeldUpAt = number;
        __CFTraceHeldUpTSR = now;
    }
    if (now - __CFTraceHeldUpTSR < __kCFTracePatience) return false;
    if (!atomic_compare_exchange_strong(&place->turn, &free, __kCFTraceAbandoned)) return false;
    if (number >= __CFTraceFirst) atomic_fetch_add(&__CFTraceLost, 1);
    return true;
}

/// Copies the next event of the present trace, and frees its place for the next lap. Returns false
/// if there is none, or if a thread is still filling it in.
static Boolean __CFTraceTakeEvent(CFRunLoopTraceEvent *event) {
    ASSERT_RECEIVER_LOCKED();
    while (atomic_load(&__CFTraceRing) && __CFTraceReceived < atomic_load(&__CFTraceRecorded)) {
        uint64_t number = __CFTraceReceived, free = __CFTraceTurnOf(number);
        struct __CFTracePlace *place = __CFTracePlaceOf(number);
        uint64_t turn = atomic_load(&place->turn);
        if (turn == free && !__CFTraceAbandon(place, number)) return false;
        __CFTraceReceived++;
        if (turn != free + 1) continue; // abandoned
        *event = place->event;
        event->number -= __CFTraceFirst;
        atomic_store(&place->turn, free + 2);
        if (number >= __CFTraceFirst) return true; // older events belong to an earlier trace
    }
    return false;
}

CFIndex CFRunLoopTraceReceive(CFRunLoopTraceCallBack handler, void *info) {
    CHECK_FOR_FORK();
    // If no trace has ever been started, the lock stays unused, and a forked child may use it.
    if (!atomic_load(&__CFTraceRing)) return 0;
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

/// Prepares the ring for a new trace. Returns false if there is no memory for it.
static Boolean __CFTraceMakeReady(void) {
    ASSERT_RECEIVER_LOCKED();
    if (!atomic_load(&__CFTraceRing))
        atomic_store(&__CFTraceRing,
                     calloc(kCFRunLoopTraceCapacity, sizeof(struct __CFTracePlace)));
    if (!atomic_load(&__CFTraceRing)) return false;
    CFRunLoopTraceEvent forgotten;
    __CFTraceFirst = atomic_load(&__CFTraceRecorded);
    // Frees the places of an earlier trace's events, and that of an event that is still being
    // recorded.
    if (__CFTraceTakeEvent(&forgotten)) __CFTraceFirst = __CFTraceReceived;
    atomic_store(&__CFTraceLost, 0);
    return true;
}

Boolean CFRunLoopTraceStart(void) {
    CHECK_FOR_FORK();
    __CFLock(&__CFTraceReceiverLock);
    Boolean starts = !atomic_load(&__CFRunLoopIsTraced) && __CFTraceMakeReady();
    if (starts) atomic_store(&__CFRunLoopIsTraced, true); // after the ring exists
    __CFUnlock(&__CFTraceReceiverLock);
    return starts;
}

void CFRunLoopTraceStop(void) {
    CHECK_FOR_FORK();
    atomic_store(&__CFRunLoopIsTraced, false);
}
