/// CFPortSetWait.c: waiting for the ports of a set (step 7), and checking one of them (step 5). It
/// keeps what the kernel has reported, and decides which ready port comes first.

#include "CFPortSet_Internal.h"

#include <sys/syscall.h>

#if !defined(SYS_epoll_pwait2)
#define SYS_epoll_pwait2 441 // on every architecture; headers from before Linux 5.11 lack it
#endif

// MARK: - What the set knows without the kernel

/// Returns whether the timer is due. If so, it is not reported again until it is armed.
static Boolean __CFPortSetReceiveTimer(__CFPortSet set) {
    uint64_t deadline = atomic_load(&set->timerDeadline);
    if (deadline == UINT64_MAX || deadline > mach_absolute_time()) return false;
    // Another thread may just have armed it again.
    if (!atomic_compare_exchange_strong(&set->timerDeadline, &deadline, UINT64_MAX)) return false;
    set->timerIsNext = false;
    return true;
}

/// Receives the messages of the wake-up port, if there are any.
static Boolean __CFPortSetReceiveWakeUp(__CFPortSet set) {
    atomic_store(set->wakeUpSent, false);
    return __CFPortReceive(set->wakeUpPort);
}

/// Returns the timer port if the timer is due, or the wake-up port if it has a message; otherwise
/// CFPORT_NULL.
static __CFPort __CFPortSetReceiveKnown(__CFPortSet set) {
    if (__CFPortSetReceiveTimer(set)) return CFPORT_TIMER;
    if (set->wakeUpSent && atomic_load(set->wakeUpSent) && __CFPortSetReceiveWakeUp(set))
        return set->wakeUpPort;
    return CFPORT_NULL;
}

// MARK: - What the kernel has reported

/// Discards the reports about ports that were inserted again since the wait began, because these
/// reports may be about other files.
static void __CFPortSetDiscardOld(__CFPortSet set) {
    for (int i = set->next; i < set->count; i++) {
        if (!__CFPortSetHasIdentity(set, set->reported[i].data.u64))
            set->reported[i].data.u64 = NO_PORT;
    }
}

/// The timerfd of a hosted set is reported once, but stays readable until it is armed again. If the
/// thread waits again before that, as a nested run does, this disarms it.
static __CFPort __CFPortSetReceiveTimerReport(__CFPortSet set, __CFPort timerDescriptor) {
    if (__CFPortSetReceiveTimer(set)) return CFPORT_TIMER;
    if (atomic_load(&set->timerDeadline) == UINT64_MAX)
        __CFTimerDescriptorSet(timerDescriptor, UINT64_MAX);
    return CFPORT_NULL;
}

/// If the port is reported because it can be written to, another thread has ended the wait:
/// __CFPortSetInterruptWait. It may have a message as well.
static __CFPort __CFPortSetReceiveWakeUpReport(__CFPortSet set, const struct epoll_event *report) {
    if (report->events & EPOLLOUT) {
        struct epoll_event event = {.events = EPOLLIN, .data = report->data};
        if (epoll_ctl(set->epoll, EPOLL_CTL_MOD, set->wakeUpPort, &event) < 0)
            __CFPortSetCheckOwn(errno, set->wakeUpPort);
        if (!(report->events & EPOLLIN)) return CFPORT_NULL;
    }
    return __CFPortSetReceiveWakeUp(set) ? set->wakeUpPort : CFPORT_NULL;
}

/// Returns the port of a report, and receives its messages if it is one of the run loop's own.
/// Returns CFPORT_NULL if it is not ready any more.
///
/// A client's port is checked again for `events`, unless they are 0. The caller passes events if a
/// callback has run since the report, because the callback may have read the data. That costs one
/// system call for each ready descriptor but the first of a wait. It must stay: a source whose data
/// is gone would be performed, and its read would block. An edge-triggered set would not need it,
/// but it would not report data that a callback has left unread. [D18]
static __CFPort __CFPortSetReceiveReport(__CFPortSet set, const struct epoll_event *report,
                                         CFWatchEvents events) {
    uint32_t kind = (uint32_t)(report->data.u64 >> 32);
    __CFPort port = (__CFPort)(uint32_t)report->data.u64;
    if (!(kind & OWN_PORT)) {
        return !events || __CFPortHasEvents(port, events) ? port : CFPORT_NULL;
    }
    if (!(kind & KNOWN_PORT)) return __CFPortReceive(port) ? port : CFPORT_NULL;
    if (port == set->wakeUpPort) return __CFPortSetReceiveWakeUpReport(set, report);
    return __CFPortSetReceiveTimerReport(set, port);
}

/// Returns the next reported port that is still ready, or CFPORT_NULL. Returns CFPORT_DEAD for a
/// report about a file that is no longer in the set. Call with the set's lock.
static __CFPort __CFPortSetReceiveNextReport(__CFPortSet set) {
    while (set->next < set->count) {
        struct epoll_event report = set->reported[set->next++];
        if (report.data.u64 == NO_PORT) {
            set->isFresh = false; // __CFPortSetPollPort may have checked only this report
            continue;
        }
        __CFPort reported = (__CFPort)(uint32_t)report.data.u64;
        uint32_t upperHalf = __CFPortSetGetUpperHalf(set, reported);
        if (!upperHalf || report.data.u64 != __CFPortIdentityMake(upperHalf, reported))
            return CFPORT_DEAD;
        CFWatchEvents events = set->isFresh ? 0 : (upperHalf & EVENTS) >> EVENTS_SHIFT;
        __CFPort port = __CFPortSetReceiveReport(set, &report, events);
        if (port != CFPORT_NULL) return port;
    }
    return CFPORT_NULL;
}

Boolean __CFPortSetHasReports(__CFPortSet set) {
    return set->next < set->count;
}

void __CFPortSetMarkReportsStale(__CFPortSet set) {
    set->isFresh = false;
}

// MARK: - Asking the kernel

/// Makes room for the reports of a wait, when all earlier reports have been returned.
static void __CFPortSetMakeRoom(__CFPortSet set) {
    int most = set->portCount < PORTS_AT_ONCE ? (int)set->portCount : PORTS_AT_ONCE;
    if (set->room >= most) return;
    if (set->reported != set->fewReports) free(set->reported);
    set->room = FEW_PORTS_AT_ONCE;
    while (set->room < most) set->room = (uint8_t)(set->room * 2);
    set->reported = malloc((size_t)set->room * sizeof(*set->reported));
    if (!set->reported) __CF_HAS_NO_MEMORY_LEFT__("a port set");
}

/// Prepares the set for a wait. If no port was inserted or removed since the last one, the thread
/// needs no lock, neither here nor, for a single report, after the wait.
static void __CFPortSetPrepareWait(__CFPortSet set) {
    uint32_t changes = atomic_load_explicit(&set->changes, memory_order_acquire);
    if (CF_LIKELY(set->seenChanges == changes)) return;
    __CFLock(&set->lock);
    __CFPortSetOpen(set);
    __CFPortSetMakeRoom(set);
    set->seenChanges = atomic_load_explicit(&set->changes, memory_order_relaxed);
    set->seenOrphans = set->hasOrphans;
    __CFUnlock(&set->lock);
}

static Boolean __CFPortSetHasChanged(__CFPortSet set) {
    return set->seenChanges != atomic_load_explicit(&set->changes, memory_order_acquire);
}

/// Stores what the kernel has reported. If no port was inserted or removed since it was asked, the
/// reports are fresh and are not checked again.
static void __CFPortSetStoreReports(__CFPortSet set, int count) {
    set->next = 0;
    set->count = (uint8_t)count;
    set->isFresh = !__CFPortSetHasChanged(set);
    if (!set->isFresh) __CFPortSetDiscardOld(set);
}

/// Receives the messages of one of the run loop's own ports, and returns whether there were any. If
/// the kernel has reported as many ports as it may, it may have left this one out. Then it is asked
/// about this one alone.
static Boolean __CFPortSetReceiveFirstPort(__CFPortSet set, __CFPort port) {
    for (int i = set->next; i < set->count; i++) {
        __CFPortIdentity reported = set->reported[i].data.u64;
        if (reported == NO_PORT || (__CFPort)(uint32_t)reported != port) continue;
        set->reported[i].data.u64 = NO_PORT;
        return __CFPortReceive(port);
    }
    return set->count == set->room && __CFPortIsReady(port) && __CFPortReceive(port);
}

/// Checks a port when there are earlier reports. The wait that follows has to check the first of
/// these again, so one system call checks both.
static Boolean __CFPortSetPollPortAndNextReport(__CFPortSet set, __CFPort port) {
    struct epoll_event *next = &set->reported[set->next];
    struct pollfd polls[2] = {{.fd = port, .events = POLLIN}, {.fd = -1}};
    if (__CFPortSetHasIdentity(set, next->data.u64)) {
        __CFPort nextPort = (__CFPort)(uint32_t)next->data.u64;
        if (!__CFPortSetHasOwn(set, nextPort)) polls[1].fd = nextPort;
        polls[1].events = (short)__CFWatchInterest(__CFPortSetGetEvents(set, nextPort));
    }
    __CFPortsPoll(polls, 2);
    set->isFresh = polls[1].fd >= 0 && (polls[1].revents & ~POLLNVAL);
    if (polls[1].fd >= 0 && !set->isFresh) next->data.u64 = NO_PORT;
    if (!(polls[0].revents & ~POLLNVAL)) return false;
    set->isFresh = false;
    return __CFPortReceive(port);
}

/// If callbacks run before the next wait, asks the kernel about the whole set at once, so that a
/// poll that follows need not ask again. Cancellation is disabled, because the thread holds locks.
Boolean __CFPortSetPollPort(__CFPortSet set, __CFPort port) {
    set->isFresh = false;
    if (set->next < set->count) return __CFPortSetPollPortAndNextReport(set, port);
    if (set->epoll == CFPORT_NULL || !__CFPortSetHasOwn(set, port))
        return __CFPortIsReady(port) && __CFPortReceive(port);
    if (!set->callsOutBeforeWait) {
        set->firstPort = port;
        return false;
    }
    __CFPortSetPrepareWait(set);
    int state, count;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    do {
        count = epoll_wait(set->epoll, set->reported, set->room, 0);
    } while (count < 0 && errno == EINTR);
    pthread_setcancelstate(state, NULL);
    if (count < 0)
        __A_PORT_OF_THE_RUN_LOOP_WAS_CLOSED_BY_OTHER_CODE__("epoll_wait", set->epoll, errno);
    __CFLock(&set->lock);
    __CFPortSetStoreReports(set, count);
    Boolean isReady = __CFPortSetReceiveFirstPort(set, port);
    if (isReady) set->isFresh = false;
    __CFUnlock(&set->lock);
    return isReady;
}

void __CFPortSetSetCallsOutBeforeWait(__CFPortSet set, Boolean callsOut) {
    set->callsOutBeforeWait = callsOut;
}

// MARK: - The wait

/// Returns how long a thread may sleep, in nanoseconds: until the limit or the timer's deadline,
/// whichever is earlier; UINT64_MAX for no limit. From now on a thread that arms the timer for an
/// earlier moment ends the wait.
///
/// The kernel may end a wait late, by 0.1 % of its length (0.5 % if the thread is nice), up to
/// 100 ms. So a wait of more than a second for the timer ends early by that much, and the thread
/// waits for the rest.
static uint64_t __CFPortSetBeginSleep(__CFPortSet set, uint64_t deadlineTSR) {
    if (deadlineTSR == 0) return 0;
    atomic_store(&set->isAsleep, true);
    uint64_t timerDeadline = atomic_load(&set->timerDeadline);
    uint64_t until = timerDeadline < deadlineTSR ? timerDeadline : deadlineTSR;
    if (until == UINT64_MAX) return UINT64_MAX;
    uint64_t now = mach_absolute_time();
    if (until <= now) return 0;
    uint64_t left = until - now;
    if (until == timerDeadline && left > NSEC_PER_SEC)
        left -= left / 200 < NSEC_PER_SEC / 10 ? left / 200 : NSEC_PER_SEC / 10;
    return left;
}

/// Returns the timeout for epoll_wait: whole milliseconds, rounded up so that it does not return
/// early, or -1 for no limit.
static int __CFEpollTimeout(uint64_t left) {
    if (left == UINT64_MAX) return -1;
    if (left == 0) return 0;
    uint64_t milliseconds = left / 1000000 + (left % 1000000 != 0);
    return milliseconds > INT_MAX ? INT_MAX : (int)milliseconds;
}

/// Returns a port that the kernel has just reported, `first` before all others, or the timer port
/// if it is the timer's turn. Stores the other reports for the next waits.
static __CFPort __CFPortSetReceiveReports(__CFPortSet set, int count, __CFPort first) {
    // Without `first`, the timer's turn was before the kernel was asked.
    Boolean timerIsNext = first != CFPORT_NULL && set->timerIsNext
                          && atomic_load(&set->timerDeadline) != UINT64_MAX;
    if (count == 1 && !timerIsNext && !set->seenOrphans && !__CFPortSetHasChanged(set))
        return __CFPortSetReceiveReport(set, &set->reported[0], 0);
    __CFPort port;
    __CFLock(&set->lock);
    __CFPortSetStoreReports(set, count);
    if (first != CFPORT_NULL && __CFPortSetReceiveFirstPort(set, first)) port = first;
    else if (timerIsNext && __CFPortSetReceiveTimer(set)) port = CFPORT_TIMER;
    else port = __CFPortSetReceiveNextReport(set);
    __CFUnlock(&set->lock);
    set->isFresh = false;
    return port;
}

/// Returns a port for which the thread need not wait, if there is one. `knowsAll` says whether the
/// kernel need not be asked either, because the thread does not want to wait, and the set knows
/// about all its ports or has just asked.
static __CFPort __CFPortSetReceiveEarlier(__CFPortSet set, uint64_t deadlineTSR,
                                          Boolean *knowsAll) {
    __CFPort port = CFPORT_NULL;
    if (set->next < set->count) {
        __CFLock(&set->lock);
        port = __CFPortSetReceiveNextReport(set);
        __CFUnlock(&set->lock);
    }
    *knowsAll = deadlineTSR == 0 && (set->isFresh || atomic_load(&set->foreignCount) == 0);
    set->isFresh = false;
    if (port != CFPORT_NULL) return port;
    if (*knowsAll) return __CFPortSetReceiveKnown(set);
    Boolean isTimersTurn = set->timerIsNext && set->firstPort == CFPORT_NULL;
    return isTimersTurn && __CFPortSetReceiveTimer(set) ? CFPORT_TIMER : CFPORT_NULL;
}

/// The thread sleeps here (step 7). On Apple's systems (all versions) the stack of a sleeping
/// thread shows the call of mach_msg in this place.
///
/// A poll and a wait without limit need no nanoseconds, so they use epoll_wait, the cheaper call. A
/// wait with a limit needs epoll_pwait2, for which not every C library has a function. `syscall`
/// makes that call, and is no cancellation point, so the thread makes itself cancellable at any
/// moment around it. Nothing is locked there, and nothing is lost if the thread is cancelled.
__CFPort __CFPortSetWait(__CFPortSet set, uint64_t deadlineTSR) {
    static _Atomic(Boolean) kernelIsOld; // before 5.11 it has no epoll_pwait2
    Boolean knowsAll;
    __CFPort port = __CFPortSetReceiveEarlier(set, deadlineTSR, &knowsAll);
    if (port != CFPORT_NULL || knowsAll) return port;
    __CFPort first = set->firstPort;
    set->firstPort = CFPORT_NULL;
    for (;;) {
        __CFPortSetPrepareWait(set);
        uint64_t left = __CFPortSetBeginSleep(set, deadlineTSR);
        int count;
        if (left == 0 || left == UINT64_MAX
            || atomic_load_explicit(&kernelIsOld, memory_order_relaxed)) {
            count = epoll_wait(set->epoll, set->reported, set->room, __CFEpollTimeout(left));
        } else {
            struct timespec time = {.tv_sec = (time_t)(left / NSEC_PER_SEC),
                                    .tv_nsec = (long)(left % NSEC_PER_SEC)};
            int type;
            pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
            count = (int)syscall(SYS_epoll_pwait2, set->epoll, set->reported, set->room, &time,
                                 NULL, 0);
            pthread_setcanceltype(type, NULL);
            // EPERM: a sandbox that does not know the call.
            if (count < 0 && (errno == ENOSYS || errno == EPERM)) {
                atomic_store_explicit(&kernelIsOld, true, memory_order_relaxed);
                continue;
            }
        }
        if (count < 0 && errno != EINTR)
            __A_PORT_OF_THE_RUN_LOOP_WAS_CLOSED_BY_OTHER_CODE__("epoll_wait", set->epoll, errno);
        atomic_store_explicit(&set->isAsleep, false, memory_order_release);
        port = count > 0 ? __CFPortSetReceiveReports(set, count, first) : CFPORT_NULL;
        if (port == CFPORT_NULL) port = __CFPortSetReceiveKnown(set);
        else if (port != CFPORT_TIMER) set->timerIsNext = true;
        // There is no port if a signal handler ran (EINTR), if another thread removed the port or
        // has armed the timer, or if the wait ended a little early. Then the thread waits for the
        // rest of the time.
        if (port != CFPORT_NULL) return port;
        if (count >= 0 && (deadlineTSR == 0 || mach_absolute_time() >= deadlineTSR)) return port;
    }
}
