/// CFPortSet.c: port sets on epoll: which ports a mode waits for, and the mode's timer port.
/// CFPortSetWait.c has the wait. CFPort.h says what each stands for on a Mac (all versions).

#include "CFPortSet_Internal.h"


__CFPortSet __CFPortSetAllocate(void) {
    __CFPortSet set = calloc(1, sizeof(struct __CFPortSet));
    if (!set) __CF_HAS_NO_MEMORY_LEFT__("a port set");
    __CFLockInit(&set->lock);
    set->epoll = set->wakeUpPort = set->timerDescriptor = set->firstPort = CFPORT_NULL;
    set->slots = set->fewSlots;
    set->slotBits = 1;
    set->reported = set->fewReports;
    set->room = 1;
    set->seenChanges = UINT32_MAX; // not `changes`, so the first wait prepares the set
    atomic_init(&set->timerDeadline, UINT64_MAX);
    return set;
}

void __CFPortSetFree(__CFPortSet set) {
    if (!set) return;
    __CFPortFree(set->epoll);
    __CFPortFree(set->timerDescriptor);
    if (set->slots != set->fewSlots) free(set->slots);
    if (set->reported != set->fewReports) free(set->reported);
    free(set);
}

int __CFPortSetGetDescriptor(__CFPortSet set) {
    __CFLock(&set->lock); // the waiting thread may be opening it
    int descriptor = set->epoll;
    __CFUnlock(&set->lock);
    return descriptor;
}

static uint32_t __CFPortSetSlotCount(__CFPortSet set) {
    return 1U << set->slotBits;
}

/// Moves the ports to a table of twice the size.
static void __CFPortSetGrow(__CFPortSet set) {
    struct __CFPortSlot *old = set->slots;
    uint32_t oldCount = __CFPortSetSlotCount(set);
    set->slotBits++;
    set->slots = calloc((size_t)1 << set->slotBits, sizeof(*set->slots));
    if (!set->slots) __CF_HAS_NO_MEMORY_LEFT__("a port set");
    for (uint32_t i = 0; i < oldCount; i++) {
        if (old[i].upperHalf) *__CFPortSetFindSlot(set, old[i].port) = old[i];
    }
    if (old != set->fewSlots) free(old);
}

/// Makes a slot free, and moves the ports that follow it to where a search now finds them.
static void __CFPortSetFreeSlot(__CFPortSet set, struct __CFPortSlot *slot) {
    uint32_t last = (1U << set->slotBits) - 1, i = (uint32_t)(slot - set->slots);
    slot->upperHalf = 0;
    set->portCount--;
    while (set->slots[i = (i + 1) & last].upperHalf) {
        struct __CFPortSlot moved = set->slots[i];
        set->slots[i].upperHalf = 0;
        *__CFPortSetFindSlot(set, moved.port) = moved;
    }
}

static Boolean __CFPortIsForeign(uint32_t upperHalf) {
    return (upperHalf & EVENTS) && !(upperHalf & KNOWN_PORT);
}

/// Sets the upper half of a port's identity, or removes the port (0). Counts the foreign ports.
static void __CFPortSetChange(__CFPortSet set, __CFPort port, uint32_t upperHalf) {
    uint32_t before = __CFPortSetGetUpperHalf(set, port);
    if (!before && !upperHalf) return;
    if (!before && ++set->portCount > __CFPortSetSlotCount(set) * 3 / 4) __CFPortSetGrow(set);
    struct __CFPortSlot *slot = __CFPortSetFindSlot(set, port);
    if (upperHalf) *slot = (struct __CFPortSlot){port, upperHalf};
    else __CFPortSetFreeSlot(set, slot);
    int more = __CFPortIsForeign(upperHalf) - __CFPortIsForeign(before);
    if (more) atomic_fetch_add(&set->foreignCount, more);
}

int __CFPortSetControl(__CFPortSet set, int operation, __CFPort port, uint32_t upperHalf) {
    CFWatchEvents events = (upperHalf & EVENTS) >> EVENTS_SHIFT;
    struct epoll_event event = {.events = __CFWatchInterest(events)};
    event.data.u64 = __CFPortIdentityMake(upperHalf, port);
    if (epoll_ctl(set->epoll, operation, port, &event) == 0) return 0;
    if (errno == ENOSPC || errno == ENOMEM)
        __THE_SYSTEM_HAS_NO_PORTS_AVAILABLE__("a place in a port set (epoll_ctl)", errno);
    return errno;
}

/// Says that a port is about to be inserted or removed. The kernel may already have reported it.
static void __CFPortSetMarkChanged(__CFPortSet set) {
    atomic_fetch_add_explicit(&set->changes, 1, memory_order_release);
}

/// Makes the kernel report the port, level-triggered, so that unread data is reported again. [D18]
/// A port that is added (EPOLL_CTL_ADD) gets a new identity. A port that is changed (EPOLL_CTL_MOD)
/// gets one only if its kind changes. Returns 0 or an errno.
static int __CFPortSetWatch(__CFPortSet set, int operation, __CFPort port, CFWatchEvents events,
                            uint32_t kind) {
    uint32_t before = __CFPortSetGetUpperHalf(set, port), number = before;
    if (operation == EPOLL_CTL_ADD || !number) number = ++set->insertions;
    uint32_t next =
        (number & ~(OWN_PORT | KNOWN_PORT | EVENTS)) | kind | (uint32_t)events << EVENTS_SHIFT;
    __CFPortSetMarkChanged(set);
    int error = set->epoll == CFPORT_NULL ? 0 : __CFPortSetControl(set, operation, port, next);
    if (error) return error;
    // The old file under this number was closed. A duplicate may keep it in the kernel's part.
    if (before && operation == EPOLL_CTL_ADD) set->hasOrphans = true;
    __CFPortSetChange(set, port, next);
    return 0;
}

/// Removes the port from the kernel's part of the set, and discards the reports of it. The system
/// call fails if the descriptor was closed. The kernel has then removed the file, or a duplicate
/// keeps it open.
static void __CFPortSetUnwatch(__CFPortSet set, __CFPort port) {
    __CFPortSetMarkChanged(set);
    __CFPortSetChange(set, port, 0);
    if (set->epoll != CFPORT_NULL && epoll_ctl(set->epoll, EPOLL_CTL_DEL, port, NULL) < 0)
        set->hasOrphans = true;
    for (int i = set->next; i < set->count; i++) {
        if ((__CFPort)(uint32_t)set->reported[i].data.u64 == port)
            set->reported[i].data.u64 = NO_PORT;
    }
}

/// A client may have inserted the port before the run loop needed it. Then it becomes the run
/// loop's own port.
static int __CFPortSetTryInsertOwn(__CFPort port, uint32_t kind, __CFPortSet set) {
    kind |= OWN_PORT;
    int error = __CFPortSetWatch(set, EPOLL_CTL_ADD, port, kCFWatchReadable, kind);
    if (error != EEXIST) return error;
    return __CFPortSetWatch(set, EPOLL_CTL_MOD, port, kCFWatchReadable, kind);
}

/// Without its wake-up port in the set, a loop would lose every wake-up, and no error would show
/// it.
void __CFPortSetCheckOwn(int error, __CFPort port) {
    if (error) __A_PORT_OF_THE_RUN_LOOP_WAS_CLOSED_BY_OTHER_CODE__("epoll_ctl", port, error);
}

/// Creates the kernel's part of the set. It contains only the run loop's own ports at first,
/// because a client's port needs the kernel's part.
void __CFPortSetOpen(__CFPortSet set) {
    if (set->epoll != CFPORT_NULL) return;
    __CFPortSetMarkChanged(set);
    set->epoll = __CFPortCheckNew(epoll_create1(EPOLL_CLOEXEC), "a port set (epoll)");
    for (uint32_t i = 0; i < __CFPortSetSlotCount(set); i++) {
        const struct __CFPortSlot *slot = &set->slots[i];
        if (slot->upperHalf)
            __CFPortSetCheckOwn(
                __CFPortSetControl(set, EPOLL_CTL_ADD, slot->port, slot->upperHalf), slot->port);
    }
}

/// Asks the kernel even if the set seems to contain the port. The client may have closed the
/// descriptor, which removed it from the kernel's part without notice, and another file may have
/// the number now. [D19]
static int __CFPortSetInsertLocked(__CFPort port, CFWatchEvents events, __CFPortSet set) {
    if (__CFPortSetHasOwn(set, port)) return EBUSY;
    if (!events) {
        __CFPortSetUnwatch(set, port);
        return 0;
    }
    __CFPortSetOpen(set);
    int error = __CFPortSetWatch(set, EPOLL_CTL_ADD, port, events, 0);
    if (error != EEXIST) return error;
    if (__CFPortSetGetEvents(set, port) == events) return 0;
    return __CFPortSetWatch(set, EPOLL_CTL_MOD, port, events, 0);
}

int __CFPortSetInsert(__CFPort port, CFWatchEvents events, __CFPortSet set) {
    __CFLock(&set->lock);
    int error = __CFPortSetInsertLocked(port, events, set);
    __CFUnlock(&set->lock);
    return error;
}

void __CFPortSetRemove(__CFPort port, __CFPortSet set) {
    __CFLock(&set->lock);
    if (!__CFPortSetHasOwn(set, port)) __CFPortSetUnwatch(set, port);
    __CFUnlock(&set->lock);
}

void __CFPortSetInsertOwn(__CFPort port, __CFPortSet set) {
    __CFLock(&set->lock);
    __CFPortSetCheckOwn(__CFPortSetTryInsertOwn(port, 0, set), port);
    __CFUnlock(&set->lock);
}

void __CFPortSetInsertWakeUp(__CFPort port, _Atomic(Boolean) *sent, __CFPortSet set) {
    __CFLock(&set->lock);
    set->wakeUpPort = port;
    set->wakeUpSent = sent;
    __CFPortSetCheckOwn(__CFPortSetTryInsertOwn(port, KNOWN_PORT, set), port);
    __CFUnlock(&set->lock);
}

void __CFPortSetRemoveOwn(__CFPort port, __CFPortSet set) {
    __CFLock(&set->lock);
    __CFPortSetUnwatch(set, port);
    __CFUnlock(&set->lock);
}

/// The host waits in the loop's place, and knows no deadline. So the set gets a timerfd when its
/// timer is first armed.
static void __CFPortSetSetTimerDescriptor(__CFPortSet set, uint64_t deadlineTSR) {
    if (set->timerDescriptor == CFPORT_NULL) {
        set->timerDescriptor = __CFTimerDescriptorCreate();
        int error = __CFPortSetTryInsertOwn(set->timerDescriptor, KNOWN_PORT, set);
        __CFPortSetCheckOwn(error, set->timerDescriptor);
    }
    __CFTimerDescriptorSet(set->timerDescriptor, deadlineTSR);
}

/// When a message is sent to the wake-up port, the host finds the inner set readable at once, even
/// before the sender sets `wakeUpSent`. A non-blocking wait on the inner set must find the message
/// then, so it must ask the kernel. Counting the host as a foreign port has that effect.
int __CFPortSetInsertSet(__CFPortSet inner, __CFPortSet host) {
    __CFLock(&inner->lock);
    __CFPortSetOpen(inner);
    __CFLock(&host->lock);
    __CFPortSetOpen(host);
    int error = __CFPortSetTryInsertOwn(inner->epoll, 0, host);
    __CFUnlock(&host->lock);
    if (!error) {
        inner->host = host;
        atomic_fetch_add(&inner->foreignCount, 1);
        uint64_t deadline = atomic_load(&inner->timerDeadline);
        if (deadline != UINT64_MAX) __CFPortSetSetTimerDescriptor(inner, deadline);
    }
    __CFUnlock(&inner->lock);
    if (error && error != EINVAL && error != ELOOP) __CFPortSetCheckOwn(error, inner->epoll);
    return error;
}

/// A child of fork may also have the old epoll instance open, so closing it does not remove it from
/// the host.
void __CFPortSetRenew(__CFPortSet set) {
    __CFLock(&set->lock);
    if (set->host) __CFPortSetRemoveOwn(set->epoll, set->host);
    __CFPortFree(set->epoll);
    set->epoll = CFPORT_NULL;
    set->next = set->count = 0;
    set->hasOrphans = false;
    for (uint32_t i = 0; i < __CFPortSetSlotCount(set); i++) {
        // Removing a port may move another one into its slot.
        const struct __CFPortSlot *slot = &set->slots[i];
        while (slot->upperHalf && !(slot->upperHalf & OWN_PORT))
            __CFPortSetChange(set, slot->port, 0);
    }
    __CFPortSetOpen(set);
    if (set->host) __CFPortSetInsertOwn(set->epoll, set->host);
    __CFUnlock(&set->lock);
}

// MARK: - The timer port
//
// The set stores the deadline, and the waiting thread waits no longer than that. So a timer needs
// no descriptor, and arming it needs no system call. But if a thread arms it for an earlier moment
// while the waiting thread sleeps, it has to end that wait. No deadline is missed, because the two
// threads do this, in sequentially consistent order:
//
//     thread A, which arms the timer              thread B, which waits
//     1  stores the deadline                      1  sets isAsleep
//     2  reads isAsleep. If it is set, makes      2  reads the deadline
//        the kernel end the wait of thread B      3  sleeps until the deadline; begins again
//
// If B2 comes after A1, thread B reads the new deadline. If B2 comes before A1, then B1 comes
// before A2, and the kernel ends the wait.

__CFPort mk_timer_create(__CFPortSet set) {
    (void)set;
    return CFPORT_TIMER;
}

/// Makes the kernel end the wait of the thread that sleeps, with no message that a loop could take
/// for CFRunLoopWakeUp. An eventfd can always be written to. So the kernel reports the wake-up port
/// as soon as the set waits for that, too. __CFPortSetReceiveWakeUpReport ends it.
static void __CFPortSetInterruptWait(__CFPortSet set) {
    __CFLock(&set->lock);
    uint32_t upperHalf = __CFPortSetGetUpperHalf(set, set->wakeUpPort)
        | (uint32_t)kCFWatchWritable << EVENTS_SHIFT;
    __CFPortSetCheckOwn(__CFPortSetControl(set, EPOLL_CTL_MOD, set->wakeUpPort, upperHalf),
                        set->wakeUpPort);
    __CFUnlock(&set->lock);
}

void mk_timer_arm(__CFPortSet set, uint64_t deadlineTSR) {
    const uint64_t farthest = (uint64_t)INT64_MAX; // of the kernel's own clock: 292 years
    if (deadlineTSR > farthest) deadlineTSR = farthest;
    uint64_t before = atomic_exchange(&set->timerDeadline, deadlineTSR);
    if (set->host) {
        __CFLock(&set->lock);
        __CFPortSetSetTimerDescriptor(set, deadlineTSR);
        __CFUnlock(&set->lock);
    } else if (deadlineTSR < before && atomic_load(&set->isAsleep)) {
        __CFPortSetInterruptWait(set);
    }
}

void mk_timer_cancel(__CFPortSet set) {
    atomic_store(&set->timerDeadline, UINT64_MAX);
    if (!set->host) return;
    __CFLock(&set->lock);
    if (set->timerDescriptor != CFPORT_NULL)
        __CFTimerDescriptorSet(set->timerDescriptor, UINT64_MAX);
    __CFUnlock(&set->lock);
}
