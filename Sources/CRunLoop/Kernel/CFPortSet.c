/// CFPortSet.c: port sets on epoll: the ports that a mode waits for, its timer port, the wait of
/// step 7, and the descriptor that another event loop waits for. CFKernel.h says what each stands
/// for on a Mac.

#include "CFPortSet_Internal.h"

#include <sys/syscall.h>
#include <sys/timerfd.h>

#if !defined(SYS_epoll_pwait2)
#define SYS_epoll_pwait2 441 // on every architecture; headers from before Linux 5.11 lack it
#endif

/// The set gives this to the kernel with a port, and the kernel returns it when the port is ready.
/// The lower half is the descriptor. The upper half is 0 for the run loop's own ports. For a
/// client's port it is the number of its insertion. The descriptor alone would not do: a client may
/// close it while a duplicate keeps the file open. Then the kernel goes on reporting that file
/// under the old descriptor, which another file may have by now, perhaps one of the run loop's own
/// ports.
typedef uint64_t __CFPortIdentity;

static __CFPortIdentity __CFPortIdentityMake(uint32_t number, __CFPort port) {
    return (uint64_t)number << 32 | (uint32_t)port;
}

// MARK: - The set

__CFPortSet __CFPortSetAllocate(__CFPort wakeUpPort, _Atomic(Boolean) *sent) {
    __CFPortSet set = calloc(1, sizeof(struct __CFPortSet));
    if (!set) __CF_HAS_NO_MEMORY_LEFT__("a port set");
    __CFLockInit(&set->lock);
    set->wakeUpPort = wakeUpPort;
    set->wakeUpSent = sent;
    atomic_init(&set->epoll, CFPORT_NULL);
    set->mainQueuePort = set->timerDescriptor = set->host = set->hostEvent = CFPORT_NULL;
    atomic_init(&set->timerDeadline, UINT64_MAX);
    return set;
}

void __CFPortSetFree(__CFPortSet set) {
    __CFPortFree(set->epoll);
    __CFPortFree(set->timerDescriptor);
    __CFPortFree(set->host);
    __CFPortFree(set->hostEvent);
    if (set->clients) CFRelease(set->clients);
    free(set);
}

int __CFPortSetGetDescriptor(__CFPortSet set) {
    __CFLock(&set->lock); // the waiting thread may be opening it
    int descriptor = set->epoll;
    __CFUnlock(&set->lock);
    return descriptor;
}

static const void *__CFPortValue(uint32_t value) { return (const void *)(uintptr_t)value; }

/// Returns the number of a client's port, or 0 if the set does not contain it. Call with the set's
/// lock.
static uint32_t __CFPortSetGetNumber(__CFPortSet set, __CFPort port) {
    if (!set->clients) return 0;
    return (uint32_t)(uintptr_t)CFDictionaryGetValue(set->clients, __CFPortValue((uint32_t)port));
}

/// Records the number of a client's port, or that the set does not contain it any more (0).
static void __CFPortSetSetNumber(__CFPortSet set, __CFPort port, uint32_t number) {
    const void *key = __CFPortValue((uint32_t)port);
    uint32_t before = __CFPortSetGetNumber(set, port);
    if (number && !set->clients)
        set->clients = CFDictionaryCreateMutable(kCFAllocatorSystemDefault, 0, NULL, NULL);
    if (number) CFDictionarySetValue(set->clients, key, __CFPortValue(number));
    else if (before) CFDictionaryRemoveValue(set->clients, key);
    atomic_fetch_add(&set->foreignCount, (number != 0) - (before != 0));
}

/// Calls epoll_ctl for a port. Returns 0 or an errno. Call with the set's lock.
static int __CFPortSetControl(__CFPortSet set, int operation, __CFPort port, uint32_t number,
                              uint32_t interest) {
    struct epoll_event event = {.events = interest};
    event.data.u64 = __CFPortIdentityMake(number, port);
    if (epoll_ctl(set->epoll, operation, port, &event) == 0) return 0;
    if (errno == ENOSPC || errno == ENOMEM) __CFPortCallFailed("epoll_ctl", port, errno);
    return errno;
}

/// Makes the kernel wait for one of the run loop's own ports. A client may have inserted it before,
/// or a descriptor of this number that is closed by now; it is no client's port any more. Without
/// its wake-up port in the set a loop would lose every wake-up, and no error would show it, so a
/// failure aborts. Call with the set's lock.
static void __CFPortSetWatchOwn(__CFPortSet set, __CFPort port) {
    if (port == CFPORT_NULL) return;
    __CFPortSetSetNumber(set, port, 0);
    if (set->epoll == CFPORT_NULL) return;
    int error = __CFPortSetControl(set, EPOLL_CTL_ADD, port, 0, EPOLLIN);
    if (error == EEXIST) error = __CFPortSetControl(set, EPOLL_CTL_MOD, port, 0, EPOLLIN);
    if (error) __CFPortCallFailed("epoll_ctl", port, error);
}

/// Creates the kernel's part of the set if it has none. It contains only the run loop's own ports
/// at first. Call with the set's lock.
static void __CFPortSetOpen(__CFPortSet set) {
    if (set->epoll != CFPORT_NULL) return;
    set->epoll = __CFPortCheckNew(epoll_create1(EPOLL_CLOEXEC), "epoll_create1",
                                  "a port set (epoll)");
    __CFPortSetWatchOwn(set, set->wakeUpPort);
    __CFPortSetWatchOwn(set, set->mainQueuePort);
    __CFPortSetWatchOwn(set, set->timerDescriptor);
}

static Boolean __CFPortSetHasOwn(__CFPortSet set, __CFPort port) {
    return port == set->wakeUpPort || port == set->mainQueuePort || port == set->timerDescriptor;
}

// MARK: - Clients' ports

/// Says that a client's port was inserted or removed. The kernel may have reported it before.
static void __CFPortSetMarkChanged(__CFPortSet set) {
    atomic_fetch_add_explicit(&set->changes, 1, memory_order_release);
}

Boolean __CFPortSetHasChanged(__CFPortSet set) {
    return set->seenChanges != atomic_load_explicit(&set->changes, memory_order_acquire);
}

/// The system call fails if the descriptor was closed. The kernel has then removed the file, or a
/// duplicate keeps it open.
static void __CFPortSetRemoveClient(__CFPortSet set, __CFPort port) {
    __CFPortSetSetNumber(set, port, 0);
    if (set->epoll != CFPORT_NULL) epoll_ctl(set->epoll, EPOLL_CTL_DEL, port, NULL);
    __CFPortSetMarkChanged(set);
}

/// Makes the kernel report the port, level-triggered, so that unread data is reported again. [D18]
/// Asks the kernel even if the set seems to contain the port. The client may have closed the
/// descriptor, which removed it from the kernel's part without notice, and another file may have
/// the descriptor now. [D19] That file gets a new number.
static int __CFPortSetInsertClient(__CFPortSet set, __CFPort port, CFWatchEvents events) {
    uint32_t interest = __CFWatchInterest(events);
    uint32_t next = set->insertions == UINT32_MAX ? 1 : set->insertions + 1, number = next;
    __CFPortSetOpen(set);
    int error = __CFPortSetControl(set, EPOLL_CTL_ADD, port, number, interest);
    if (error == EEXIST) {
        uint32_t before = __CFPortSetGetNumber(set, port);
        if (before) number = before;
        error = __CFPortSetControl(set, EPOLL_CTL_MOD, port, number, interest);
    }
    if (error) return error;
    if (number == next) set->insertions = next;
    __CFPortSetSetNumber(set, port, number);
    __CFPortSetMarkChanged(set);
    return 0;
}

int __CFPortSetInsert(__CFPort port, CFWatchEvents events, __CFPortSet set) {
    int error = 0;
    __CFLock(&set->lock);
    if (__CFPortSetHasOwn(set, port)) error = EBUSY;
    else if (events) error = __CFPortSetInsertClient(set, port, events);
    else __CFPortSetRemoveClient(set, port);
    __CFUnlock(&set->lock);
    return error;
}

void __CFPortSetRemove(__CFPort port, __CFPortSet set) {
    __CFLock(&set->lock);
    if (!__CFPortSetHasOwn(set, port)) __CFPortSetRemoveClient(set, port);
    __CFUnlock(&set->lock);
}

/// In the original each pass inserts the port before it sleeps, and removes it afterwards. Here the
/// port stays in the set, because most passes serve the queue if the pass before did.
void __CFPortSetSetMainQueuePort(__CFPort port, __CFPortSet set) {
    __CFLock(&set->lock);
    if (port != set->mainQueuePort) {
        __CFPort old = set->mainQueuePort;
        set->mainQueuePort = port;
        atomic_fetch_add(&set->foreignCount, (port != CFPORT_NULL) - (old != CFPORT_NULL));
        if (set->epoll != CFPORT_NULL && old != CFPORT_NULL)
            epoll_ctl(set->epoll, EPOLL_CTL_DEL, old, NULL);
        __CFPortSetWatchOwn(set, port);
    }
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
    int error = __CFPortSetControl(set, EPOLL_CTL_MOD, set->wakeUpPort, 0, EPOLLIN | EPOLLOUT);
    if (error) __CFPortCallFailed("epoll_ctl", set->wakeUpPort, error);
    __CFUnlock(&set->lock);
}

/// Arms the timerfd of a hosted set for `tsr`; UINT64_MAX disarms it. The host waits in the loop's
/// place, and knows no deadline. Setting the timerfd also sets its count of expirations back to 0,
/// so it never needs to be read. Call with the set's lock.
static void __CFPortSetSetTimerDescriptor(__CFPortSet set, uint64_t tsr) {
    if (set->timerDescriptor == CFPORT_NULL && tsr == UINT64_MAX) return;
    if (set->timerDescriptor == CFPORT_NULL) {
        int descriptor = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
        set->timerDescriptor =
            __CFPortCheckNew(descriptor, "timerfd_create", "a timer port (timerfd)");
        __CFPortSetWatchOwn(set, set->timerDescriptor);
    }
    uint64_t first = tsr ? tsr : 1; // a time of 0 would disarm it
    struct itimerspec when = {{0, 0}, {0, 0}};
    if (tsr != UINT64_MAX)
        when.it_value = (struct timespec){(time_t)(first / NSEC_PER_SEC),
                                          (long)(first % NSEC_PER_SEC)};
    if (timerfd_settime(set->timerDescriptor, TFD_TIMER_ABSTIME, &when, NULL) < 0)
        __CFPortCallFailed("timerfd_settime", set->timerDescriptor, errno);
}

__attribute__((noinline)) Boolean mk_timer_arm(__CFPortSet set, uint64_t deadlineTSR) {
    uint64_t before = atomic_exchange(&set->timerDeadline, deadlineTSR);
    if (before == deadlineTSR) return false;
    if (set->host != CFPORT_NULL) {
        __CFLock(&set->lock);
        __CFPortSetSetTimerDescriptor(set, deadlineTSR);
        __CFUnlock(&set->lock);
    } else if (deadlineTSR < before && atomic_load(&set->isAsleep)) {
        __CFPortSetInterruptWait(set);
    }
    return true;
}

void mk_timer_cancel(__CFPortSet set) {
    atomic_store(&set->timerDeadline, UINT64_MAX);
    __CFLock(&set->lock);
    __CFPortSetSetTimerDescriptor(set, UINT64_MAX);
    __CFUnlock(&set->lock);
}

// MARK: - What is ready

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
/// CFPORT_NULL. Makes no system call unless a wake-up was sent.
static __CFPort __CFPortSetReceiveKnown(__CFPortSet set) {
    if (__CFPortSetReceiveTimer(set)) return CFPORT_TIMER;
    return atomic_load(set->wakeUpSent) && __CFPortSetReceiveWakeUp(set) ? set->wakeUpPort
                                                                         : CFPORT_NULL;
}

/// If the port is reported because it can be written to, another thread has ended the wait:
/// __CFPortSetInterruptWait. It may have a message as well. Call with the set's lock.
static __CFPort __CFPortSetReceiveWakeUpReport(__CFPortSet set, uint32_t events) {
    if (events & EPOLLOUT) __CFPortSetWatchOwn(set, set->wakeUpPort);
    return events & EPOLLIN && __CFPortSetReceiveWakeUp(set) ? set->wakeUpPort : CFPORT_NULL;
}

/// The timerfd of a hosted set is reported once, but stays readable until it is armed again. If the
/// thread waits again before that, as a nested run does, this disarms it. Call with the set's lock.
static __CFPort __CFPortSetReceiveTimerReport(__CFPortSet set) {
    if (__CFPortSetReceiveTimer(set)) return CFPORT_TIMER;
    if (atomic_load(&set->timerDeadline) == UINT64_MAX)
        __CFPortSetSetTimerDescriptor(set, UINT64_MAX);
    return CFPORT_NULL;
}

/// Returns the port that the kernel has just reported, and receives its messages if it is one of
/// the run loop's own. Returns CFPORT_NULL if it is not ready any more, or was removed meanwhile.
/// Returns CFPORT_DEAD if the kernel watches a file that is not in the set. Call with the set's
/// lock.
static __CFPort __CFPortSetReceiveReport(__CFPortSet set, const struct epoll_event *report) {
    uint32_t number = (uint32_t)(report->data.u64 >> 32);
    __CFPort port = (__CFPort)(uint32_t)report->data.u64;
    if (number) {
        if (number == __CFPortSetGetNumber(set, port)) return port;
        return __CFPortSetHasChanged(set) ? CFPORT_NULL : CFPORT_DEAD;
    }
    if (port == set->wakeUpPort) return __CFPortSetReceiveWakeUpReport(set, report->events);
    if (port == set->timerDescriptor) return __CFPortSetReceiveTimerReport(set);
    if (port != set->mainQueuePort || port == CFPORT_NULL) return CFPORT_DEAD;
    return __CFPortReceive(port) ? port : CFPORT_NULL;
}

// MARK: - The wait

/// Returns for how many nanoseconds the thread may sleep: until `deadlineTSR` or the timer's
/// deadline, whichever is earlier; UINT64_MAX for no limit. From now on a thread that arms the
/// timer for an earlier moment ends the wait.
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
    uint64_t milliseconds = left / 1000000 + (left % 1000000 != 0);
    return milliseconds > INT_MAX ? INT_MAX : (int)milliseconds;
}

/// Calls epoll_pwait2 for one report. The C library's function is a cancellation point, and the
/// thread holds no lock here. `syscall` is none. The signal of pthread_cancel interrupts it all the
/// same, unless it comes just before the call: then the thread ends when the wait does.
static int __CFEpollWaitNanoseconds(int epoll, struct epoll_event *report, uint64_t left) {
    struct timespec time = {.tv_sec = (time_t)(left / NSEC_PER_SEC),
                            .tv_nsec = (long)(left % NSEC_PER_SEC)};
    _Static_assert(sizeof(time) == 16, "the kernel takes 64 bits of seconds");
    if (CF_LIKELY(epoll_pwait2 != NULL)) return epoll_pwait2(epoll, report, 1, &time, NULL);
    int count = (int)syscall(SYS_epoll_pwait2, epoll, report, 1, &time, NULL, 0);
    if (count < 0 && errno == EINTR) {
        pthread_testcancel();
        errno = EINTR;
    }
    return count;
}

/// Asks the kernel for one ready port, and sleeps for `left` nanoseconds at most. Returns the
/// number of reports, 0 or 1, or -1 and errno. The kernel puts a port that it has reported behind
/// the others that are ready, so the reports take turns.
///
/// A poll and a wait without limit need no nanoseconds, so they use epoll_wait, the cheaper call. A
/// wait with a limit needs epoll_pwait2. A kernel before 5.11 does not have it, and a sandbox may
/// refuse it with any error, at any time. So once it has failed, all waits of the process use
/// epoll_wait, which fails as well if the descriptor is at fault.
static int __CFPortSetEpollWait(__CFPortSet set, uint64_t left, struct epoll_event *report) {
    static _Atomic(Boolean) epoll_pwait2Fails;
    if (left != 0 && left != UINT64_MAX
        && !atomic_load_explicit(&epoll_pwait2Fails, memory_order_relaxed)) {
        int count = __CFEpollWaitNanoseconds(set->epoll, report, left);
        if (count >= 0 || errno == EINTR) return count;
        atomic_store_explicit(&epoll_pwait2Fails, true, memory_order_relaxed);
    }
    return epoll_wait(set->epoll, report, 1, __CFEpollTimeout(left));
}

/// The thread sleeps here (step 7). On Apple's systems the stack of a sleeping thread shows the
/// call of mach_msg in this place.
__attribute__((noinline)) __CFPort __CFPortSetWait(__CFPortSet set, uint64_t deadlineTSR) {
    // A set that knows about all its ports need not ask the kernel whether one is ready.
    if (deadlineTSR == 0 && atomic_load(&set->foreignCount) == 0)
        return __CFPortSetReceiveKnown(set);
    if (set->timerIsNext && __CFPortSetReceiveTimer(set)) return CFPORT_TIMER;
    if (CF_UNLIKELY(set->epoll == CFPORT_NULL)) {
        __CFLock(&set->lock);
        __CFPortSetOpen(set);
        __CFUnlock(&set->lock);
    }
    for (;;) {
        struct epoll_event report;
        set->seenChanges = atomic_load_explicit(&set->changes, memory_order_acquire);
        int count =
            __CFPortSetEpollWait(set, __CFPortSetBeginSleep(set, deadlineTSR), &report);
        if (count < 0 && errno != EINTR) __CFPortCallFailed("epoll_wait", set->epoll, errno);
        atomic_store_explicit(&set->isAsleep, false, memory_order_release);
        __CFPort port = CFPORT_NULL;
        if (count > 0) {
            __CFLock(&set->lock);
            port = __CFPortSetReceiveReport(set, &report);
            __CFUnlock(&set->lock);
        }
        if (port == CFPORT_NULL) port = __CFPortSetReceiveKnown(set);
        if (port != CFPORT_TIMER && port != CFPORT_NULL) set->timerIsNext = true;
        // There is no port if a signal handler ran (EINTR), if another thread removed the port or
        // has armed the timer, or if the wait ended a little early. Then the thread waits for the
        // rest of the time. Another port may be ready, so a poll asks again, too.
        if (port != CFPORT_NULL) return port;
        if (deadlineTSR == 0 ? count == 0 : mach_absolute_time() >= deadlineTSR) return port;
    }
}

const char *__CFPortSetWhyNotInserted(int error) {
    switch (error) {
    case EPERM:
        return "epoll takes pipes, sockets, terminals, eventfds and the like; a regular file or "
               "directory is always ready, and needs no run loop.";
    case EBUSY:
        return "The number is that of one of the run loop's own descriptors: the source's has been "
               "closed. The source will not be performed; take it out before you close its port.";
    case ELOOP:
    case EINVAL:
        return "It is an epoll instance that holds others, and the kernel nests them only a few "
               "deep, one level less in a mode that is embedded. The source will not be "
               "performed.";
    default:
        return "The source will not be performed; its getPort must return an open descriptor.";
    }
}

/// Call with the set's lock.
static void __CFPortSetAddToHost(__CFPortSet set, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN};
    if (epoll_ctl(set->host, EPOLL_CTL_ADD, descriptor, &event) < 0)
        __CFPortCallFailed("epoll_ctl", descriptor, errno);
}

/// A child of fork may also have the old epoll instance open, so closing it does not remove it from
/// the host.
void __CFPortSetRenew(__CFPortSet set) {
    __CFLock(&set->lock);
    Boolean isHosted = set->host != CFPORT_NULL && !set->hostIsMuted;
    if (isHosted) epoll_ctl(set->host, EPOLL_CTL_DEL, set->epoll, NULL);
    __CFPortFree(set->epoll);
    set->epoll = CFPORT_NULL;
    if (set->clients) {
        atomic_fetch_sub(&set->foreignCount, (int32_t)CFDictionaryGetCount(set->clients));
        CFDictionaryRemoveAllValues(set->clients);
    }
    __CFPortSetOpen(set);
    __CFPortSetMarkChanged(set);
    if (isHosted) __CFPortSetAddToHost(set, set->epoll);
    __CFUnlock(&set->lock);
}

// MARK: - Hosts

/// The host waits for an epoll instance that contains the set's. So the set can replace its own
/// (__CFPortSetRenew) while the host's descriptor stays the same. When a message is sent to the
/// wake-up port, the host finds the set readable at once, even before the sender sets `wakeUpSent`.
/// A non-blocking wait must find the message then, so it must ask the kernel. Counting the host as
/// a foreign port has that effect.
int __CFPortSetEmbed(__CFPortSet set) {
    int error = 0;
    __CFLock(&set->lock);
    __CFPortSetOpen(set);
    int host = __CFPortCheckNew(epoll_create1(EPOLL_CLOEXEC), "epoll_create1",
                                "an embedded mode (epoll)");
    struct epoll_event event = {.events = EPOLLIN};
    if (epoll_ctl(host, EPOLL_CTL_ADD, set->epoll, &event) < 0) error = errno;
    if (error && error != EINVAL && error != ELOOP)
        __CFPortCallFailed("epoll_ctl", set->epoll, error);
    if (error) {
        __CFPortFree(host);
    } else {
        set->host = host;
        set->hostEvent = __CFPortAllocate();
        __CFPortSetAddToHost(set, set->hostEvent);
        atomic_fetch_add(&set->foreignCount, 1);
        __CFPortSetSetTimerDescriptor(set, atomic_load(&set->timerDeadline));
    }
    __CFUnlock(&set->lock);
    return error;
}

const char *__CFPortSetWhyNotEmbedded(int error) {
    if (error == EINVAL) return "The kernel lets a loop have no more than 500 embedded modes.";
    return "The descriptor of a source in it is an epoll instance that holds others, and the "
           "kernel nests them only a few deep.";
}

int __CFPortSetGetHostDescriptor(__CFPortSet set) {
    __CFLock(&set->lock);
    int host = set->host;
    __CFUnlock(&set->lock);
    return host;
}

void __CFPortSetSetHostEvent(__CFPortSet set, Boolean hasWork) {
    __CFLock(&set->lock);
    if (hasWork && !set->hostEventIsSet) __CFSendTrivialMachMessage(set->hostEvent);
    if (!hasWork && set->hostEventIsSet) __CFPortReceive(set->hostEvent);
    set->hostEventIsSet = hasWork;
    __CFUnlock(&set->lock);
}

void __CFPortSetHostIsElsewhere(__CFPortSet set) {
    __CFLock(&set->lock);
    set->hostIsElsewhere = true;
    __CFUnlock(&set->lock);
}

/// Takes everything out of the host's descriptor, or puts it back. Call with the set's lock.
static void __CFPortSetMuteHost(__CFPortSet set, Boolean isMuted) {
    if (set->hostIsMuted == isMuted) return;
    set->hostIsMuted = isMuted;
    int descriptors[] = {set->epoll, set->hostEvent};
    for (int i = 0; i < 2; i++) {
        if (!isMuted) __CFPortSetAddToHost(set, descriptors[i]);
        else epoll_ctl(set->host, EPOLL_CTL_DEL, descriptors[i], NULL);
    }
}

void __CFPortSetBeginHostsRun(__CFPortSet set) {
    __CFLock(&set->lock);
    Boolean isElsewhere = set->hostIsElsewhere;
    if (isElsewhere) __CFPortSetMuteHost(set, true);
    __CFUnlock(&set->lock);
    if (!isElsewhere) __CFPortSetSetHostEvent(set, true);
}

void __CFPortSetEndHostsRun(__CFPortSet set) {
    __CFLock(&set->lock);
    __CFPortSetMuteHost(set, false);
    __CFUnlock(&set->lock);
}
