/// CFRunLoopTrace.c: the ring that the events of a trace go through.
///
/// Any number of threads, and signal handlers among them, put events in; one receiver at a time takes them out. A place in the
/// ring carries a count, `turn`: even, it is free for that half's round through the ring; odd, it is filled.
///
///     whoever has an event   takes the next number, if the place it falls on is free in this round; fills it in; makes
///                            `turn` odd
///     the receiver           as long as the next place is filled: copies it, makes `turn` even again, calls the handler
///
/// Nobody waits for anybody: a thread that is interrupted while it fills its place holds up the receiver, who comes back later,
/// and no one else. When the receiver is a whole round behind, events are counted as lost. On a Mac
/// all this is the kernel's (current source).

#include "CFRunLoopProbes.h"
#include "Names/CFRunLoopTrace.h"

struct __CFTracePlace {
    _Atomic(uint64_t) turn;
    CFRunLoopTraceEvent event;
};

CF_SHARED _Atomic(Boolean) __CFRunLoopIsTraced = false;
/// Made by the first trace, never freed: a thread may be about to fill a place.
static struct __CFTracePlace *_Atomic __CFTraceRing = NULL;
static _Atomic(uint64_t) __CFTraceRecorded = 0;       // the number of the next event to be recorded, since the ring was made
static _Atomic(uint64_t) __CFTraceLost = 0;
static uint64_t __CFTraceReceived = 0;                // the number of the next event to be received; guarded by __CFTraceReceiverLock
static uint64_t __CFTraceFirst = 0;                   // the number of the present trace's first event; likewise
static CFLock_t __CFTraceReceiverLock = CF_LOCK_INITIALIZER;

// MARK: - Recording

static struct __CFTracePlace *__CFTracePlaceOf(uint64_t number) {
    return &atomic_load(&__CFTraceRing)[number % kCFRunLoopTraceCapacity];
}

/// What `turn` is while the place is free for the event of that number.
static uint64_t __CFTraceTurnOf(uint64_t number) { return number / kCFRunLoopTraceCapacity * 2; }

/// A free place, which is now the caller's to fill; NULL if the ring is full, or not seen yet: it is read after a flag that
/// orders nothing.
static struct __CFTracePlace *__CFTraceTakePlace(uint64_t *number) {
    if (!atomic_load(&__CFTraceRing)) return NULL;
    *number = atomic_load(&__CFTraceRecorded);
    for (;;) {
        struct __CFTracePlace *place = __CFTracePlaceOf(*number);
        uint64_t turn = atomic_load(&place->turn);
        if (turn < __CFTraceTurnOf(*number)) return NULL; // still has what was filled in a round ago
        if (turn > __CFTraceTurnOf(*number)) *number = atomic_load(&__CFTraceRecorded); // somebody else was faster
        else if (atomic_compare_exchange_weak(&__CFTraceRecorded, number, *number + 1)) return place;
    }
}

void __CFTraceCopyName(CFStringRef name, char *buffer, CFIndex size) {
    if (!name) return;
    CFIndex used = 0;
    CFStringGetBytes(name, CFRangeMake(0, CFStringGetLength(name)), kCFStringEncodingUTF8, '?', false, (UInt8 *)buffer, size - 1,
                     &used);
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

void __CFRunLoopTrace(CFRunLoopRef rl, CFStringRef mode, CFRunLoopTraceKind kind, int32_t detail, const void *item,
                      const void *function, int64_t value) {
    uint64_t number;
    struct __CFTracePlace *place = __CFTraceTakePlace(&number);
    if (!place) {
        atomic_fetch_add(&__CFTraceLost, 1);
        return;
    }
    CFRunLoopTraceEvent *event = &place->event;
    *event = (CFRunLoopTraceEvent){.number = number, .time = mach_absolute_time(), .kind = kind, .thread = __CFThreadNumber(),
                                   .item = item, .function = function, .value = value};
    Boolean isCallout = kind == kCFRunLoopTraceCalloutBegins || kind == kCFRunLoopTraceCalloutEnds;
    if (isCallout) event->callout = detail;
    if (isCallout && detail == kCFRunLoopTraceObserver) event->activity = (CFOptionFlags)value;
    if (isCallout && detail == kCFRunLoopTraceSource0) event->sender = atomic_load(&((CFRunLoopSourceRef)item)->_signaller);
    if (kind == kCFRunLoopTraceServes) event->reason = detail;
    __CFTraceFillInStep(event, rl);
    __CFTraceCopyName(mode, event->mode, sizeof(event->mode));
    atomic_store(&place->turn, __CFTraceTurnOf(number) + 1);
}

// MARK: - Receiving

/// The next event; false if there is none, or if it is just being filled in. Call with __CFTraceReceiverLock held.
static Boolean __CFTraceTakeEvent(CFRunLoopTraceEvent *event) {
    if (!atomic_load(&__CFTraceRing)) return false;
    uint64_t number = __CFTraceReceived;
    struct __CFTracePlace *place = __CFTracePlaceOf(number);
    if (atomic_load(&place->turn) != __CFTraceTurnOf(number) + 1) return false;
    *event = place->event;
    event->number -= __CFTraceFirst;
    atomic_store(&place->turn, __CFTraceTurnOf(number) + 2);
    __CFTraceReceived++;
    return true;
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
        atomic_store(&__CFTraceRing, calloc(kCFRunLoopTraceCapacity, sizeof(struct __CFTracePlace)));
    if (!atomic_load(&__CFTraceRing)) return false;
    CFRunLoopTraceEvent forgotten;
    while (__CFTraceTakeEvent(&forgotten)) {}
    __CFTraceFirst = __CFTraceReceived;
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
