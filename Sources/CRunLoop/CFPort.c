/// CFPort.c: ports on file descriptors. CFPort.h says what each stands for on a Mac (all versions).

#include "CFPort.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include "Names/CFPort.h"

#define NSEC_PER_SEC 1000000000ULL
#if !defined(SYS_epoll_pwait2)
#define SYS_epoll_pwait2 441 // on every architecture; headers from before Linux 5.11 lack it
#endif

// MARK: - Diagnoses

/// The process has no descriptor left. A Mac's run loop (all versions) halts in a function of this
/// name when the kernel has no port left. [D6]
static __attribute__((noinline, noreturn, cold)) void
__THE_SYSTEM_HAS_NO_PORTS_AVAILABLE__(const char *what, int error) {
    struct rlimit limit = {0, 0};
    getrlimit(RLIMIT_NOFILE, &limit);
    __CFHalt("no file descriptor is available for %s: %s. The process may have %llu open at a time "
             "(ulimit -n): close some, or raise the limit.",
             what, strerror(error), (unsigned long long)limit.rlim_cur);
}

/// The kernel has returned an error that is possible only if other code has closed one of the run
/// loop's own descriptors.
static __attribute__((noinline, noreturn, cold))
void __A_PORT_OF_THE_RUN_LOOP_WAS_CLOSED_BY_SOMEBODY_ELSE__(const char *call, int port, int error) {
    __CFHalt("%s on the run loop's own descriptor %d failed: %s. Some other part of the program "
             "has closed it.",
             call, port, strerror(error));
}

static __CFPort __CFPortCheckNew(int descriptor, const char *what) {
    if (descriptor < 0) __THE_SYSTEM_HAS_NO_PORTS_AVAILABLE__(what, errno);
    return descriptor;
}

// MARK: - System calls during which a thread cannot be cancelled
//
// The C library's read, write, poll and close are cancellation points: a thread that was cancelled
// (pthread_cancel) ends there. The run loop makes these calls with its locks held, and the locks
// would stay locked forever. So it makes the system calls directly. The wait is a cancellation
// point, because the thread holds no lock there.

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
/// ThreadSanitizer watches the C library's calls, to learn in which order threads run. So with
/// ThreadSanitizer these calls are made, and cancellation is disabled around them.
#define __CFSystemCall(name, ...) ({ \
        int state_; \
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state_); \
        long result_ = name(__VA_ARGS__); \
        int error_ = errno; \
        pthread_setcancelstate(state_, NULL); \
        errno = error_; \
        result_; \
    })
#endif
#endif
#if !defined(__CFSystemCall)
#define __CFSystemCall(name, ...) syscall(SYS_##name, __VA_ARGS__)
#endif

// MARK: - Ports

__CFPort __CFPortAllocate(void) {
    return __CFPortCheckNew(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "a wake-up port (eventfd)");
}

void __CFPortCheckAvailable(const char *what) {
    __CFPortFree(__CFPortCheckNew(eventfd(0, EFD_CLOEXEC), what));
}

void __CFPortFree(__CFPort port) {
    if (port != CFPORT_NULL) __CFSystemCall(close, port);
}

/// EAGAIN means that 2^64 - 2 messages wait to be received, so one more is not needed.
void __CFSendTrivialMachMessage(__CFPort port) {
    int savedErrno = errno; // this runs in signal handlers
    static const uint64_t one = 1;
    while (__CFSystemCall(write, port, &one, sizeof(one)) < 0 && errno != EAGAIN) {
        if (errno != EINTR)
            __A_PORT_OF_THE_RUN_LOOP_WAS_CLOSED_BY_SOMEBODY_ELSE__("write", port, errno);
    }
    errno = savedErrno;
}

/// EAGAIN means that there is nothing to receive. For example, the toolchain's own run loop may
/// have read the main queue's port.
Boolean __CFPortReceive(__CFPort port) {
    uint64_t count;
    while (__CFSystemCall(read, port, &count, sizeof(count)) < 0) {
        if (errno == EAGAIN) return false;
        if (errno != EINTR)
            __A_PORT_OF_THE_RUN_LOOP_WAS_CLOSED_BY_SOMEBODY_ELSE__("read", port, errno);
    }
    return true;
}

uint32_t __CFWatchInterest(CFWatchEvents events) {
    uint32_t interest = 0;
    if (events & kCFWatchReadable) interest |= EPOLLIN;
    if (events & kCFWatchWritable) interest |= EPOLLOUT;
    if (events & kCFWatchHangUp) interest |= EPOLLRDHUP;
    return interest;
}

/// Looks at a few ports without waiting.
static void __CFPortsLook(struct pollfd *looks, unsigned count) {
    struct timespec noTime = {0, 0};
    while (syscall(SYS_ppoll, looks, count, &noTime, NULL, 0) < 0 && errno == EINTR) {}
}

static Boolean __CFPortHasEvents(__CFPort port, CFWatchEvents events) {
    struct pollfd look = {.fd = port, .events = (short)__CFWatchInterest(events)};
    __CFPortsLook(&look, 1);
    return (look.revents & ~POLLNVAL) != 0;
}

Boolean __CFPortIsReady(__CFPort port) {
    return __CFPortHasEvents(port, kCFWatchReadable);
}

/// The kernel names the file of a descriptor: "pipe:[4711]", "socket:[4712]",
/// "anon_inode:[eventfd]", "anon_inode:inotify", or a path. This returns the text before the
/// number, the name of an anonymous inode, or the path.
static void __CFPortGetKind(__CFPort port, char *kind, size_t size) {
    char link[32], target[256];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", port);
    ssize_t length = readlink(link, target, sizeof(target) - 1);
    target[length < 0 ? 0 : length] = 0;
    const char *name = strncmp(target, "anon_inode:", 11) == 0 ? target + 11 : target;
    if (name[0] == '[') name++;
    if (length < 0)
        snprintf(kind, size, "%s", fcntl(port, F_GETFD) < 0 ? "closed" : "of unknown kind");
    else snprintf(kind, size, "%.*s", name[0] == '/' ? (int)size : (int)strcspn(name, ":]"), name);
}

CFStringRef __CFPortCopyDescription(__CFPort port) {
    if (port == CFPORT_NULL) return CFSTR("none");
    char kind[256];
    __CFPortGetKind(port, kind, sizeof(kind));
    CFStringRef result =
        CFStringCreateWithFormat(kCFAllocatorSystemDefault, NULL, CFSTR("%d (%s)"), port, kind);
    return result ? result : CFSTR("?");
}

// MARK: - Port sets

/// The set gives this to the kernel with a port, and the kernel returns it when the port is ready.
/// The lower half is the port's number. The upper half says which kind of port it is, and how many
/// ports had been added to the set by then. The number alone would not do. A client may close its
/// descriptor while a duplicate keeps the file open. Then the kernel goes on reporting that file
/// under the old number, which another file may have by now, perhaps one of the run loop's own
/// ports.
typedef uint64_t __CFPortIdentity;
#define NO_PORT UINT64_MAX
/// In the upper half: the port is one of the run loop's own.
#define OWN_PORT (1U << 31)
/// It is the wake-up port or the timer port: the set knows without the kernel whether it is ready.
#define KNOWN_PORT (1U << 30)
/// In the set's table, but not in the identity: the events that the set waits for, never 0.
#define EVENTS_SHIFT 27
#define EVENTS (7U << EVENTS_SHIFT)

/// How many ready ports one wait reports at most. A set with few ports keeps room for fewer.
#define FEW_PORTS_AT_ONCE 4
#define PORTS_AT_ONCE 64

/// A slot of the set's table of its ports.
struct __CFPortSlot {
    __CFPort port;
    uint32_t upperHalf;              // of its identity; 0: the slot is free
};

struct __CFPortSet {
    int epoll;                       // CFPORT_NULL until the kernel has to be asked
    CFLock_t lock;                   // guards the fields below that are not atomic
    struct __CFPortSlot *slots;      // the ports in the set: a hash table with linear probing
    uint32_t slotBits;               // it has 2^slotBits slots; a quarter or more of them are free
    uint32_t portCount;
    uint32_t insertions;             // how many identities the set has given
    Boolean hasChanged;              // a port has come or gone since the wait began
    _Atomic(CFIndex) foreignCount;   // the ports that only the kernel knows about, and the host
    _Atomic(Boolean) *wakeUpSent;    // see __CFPortSetInsertWakeUp; NULL: there is no such port
    __CFPort wakeUpPort;
    __CFPort timerPort;
    _Atomic(uint64_t) timerDeadline; // UINT64_MAX: not armed, or reported already
    __CFPortSet host;                // the set that this one is in
    // The kernel has reported reported[next ..< count], and no wait has returned them yet. Only the
    // waiting thread adds and takes reports. When another thread removes a port, it replaces the
    // report by NO_PORT.
    struct epoll_event *reported;
    int room;                        // how many fit
    int next, count;
    Boolean isFresh;                 // no callback has run since they were reported
};

__CFPortSet __CFPortSetAllocate(void) {
    __CFPortSet set = calloc(1, sizeof(struct __CFPortSet));
    if (!set) __CF_HAS_NO_MEMORY_LEFT__("a port set");
    __CFLockInit(&set->lock);
    set->epoll = set->wakeUpPort = set->timerPort = CFPORT_NULL;
    atomic_init(&set->timerDeadline, UINT64_MAX);
    return set;
}

void __CFPortSetFree(__CFPortSet set) {
    if (!set) return;
    __CFPortFree(set->epoll);
    __CFPortFree(set->timerPort);
    pthread_mutex_destroy(&set->lock);
    free(set->slots);
    free(set->reported);
    free(set);
}

int __CFPortSetGetDescriptor(__CFPortSet set) {
    __CFLock(&set->lock); // the waiting thread may be opening it
    int descriptor = set->epoll;
    __CFUnlock(&set->lock);
    return descriptor;
}

static __CFPortIdentity __CFPortIdentityMake(uint32_t upperHalf, __CFPort port) {
    return (uint64_t)(upperHalf & ~EVENTS) << 32 | (uint32_t)port;
}

static uint32_t __CFPortSetSlotCount(__CFPortSet set) {
    return set->slots ? 1U << set->slotBits : 0;
}

/// Returns the slot of a port, or the free slot that ends the search for it. Most of a set's
/// numbers are consecutive; the multiplication (2^32 divided by the golden ratio) spreads them.
static struct __CFPortSlot *__CFPortSetFindSlot(__CFPortSet set, __CFPort port) {
    uint32_t i = (uint32_t)port * 0x9E3779B1U >> (32 - set->slotBits);
    while (set->slots[i].upperHalf && set->slots[i].port != port)
        i = (i + 1) & ((1U << set->slotBits) - 1);
    return &set->slots[i];
}

/// Returns the upper half of a port's identity, or 0 if the port is not in the set.
static uint32_t __CFPortSetGetUpperHalf(__CFPortSet set, __CFPort port) {
    return CF_LIKELY(set->slots) ? __CFPortSetFindSlot(set, port)->upperHalf : 0;
}

/// Moves the ports to a table of twice the size, or makes the first one.
static void __CFPortSetGrow(__CFPortSet set) {
    struct __CFPortSlot *old = set->slots;
    uint32_t oldCount = __CFPortSetSlotCount(set);
    set->slotBits = old ? set->slotBits + 1 : 2;
    set->slots = calloc((size_t)1 << set->slotBits, sizeof(*set->slots));
    if (!set->slots) __CF_HAS_NO_MEMORY_LEFT__("a port set");
    for (uint32_t i = 0; i < oldCount; i++) {
        if (old[i].upperHalf) *__CFPortSetFindSlot(set, old[i].port) = old[i];
    }
    free(old);
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
    if (!before && ++set->portCount > __CFPortSetSlotCount(set) / 4 * 3) __CFPortSetGrow(set);
    struct __CFPortSlot *slot = __CFPortSetFindSlot(set, port);
    if (upperHalf) *slot = (struct __CFPortSlot){port, upperHalf};
    else __CFPortSetFreeSlot(set, slot);
    int more = __CFPortIsForeign(upperHalf) - __CFPortIsForeign(before);
    if (more) atomic_fetch_add(&set->foreignCount, more);
}

/// Returns the events that the set waits for on a port.
static CFWatchEvents __CFPortSetGetEvents(__CFPortSet set, __CFPort port) {
    return (__CFPortSetGetUpperHalf(set, port) & EVENTS) >> EVENTS_SHIFT;
}

static Boolean __CFPortSetHasOwn(__CFPortSet set, __CFPort port) {
    return (__CFPortSetGetUpperHalf(set, port) & OWN_PORT) != 0;
}

static int __CFPortSetControl(__CFPortSet set, int operation, __CFPort port, uint32_t upperHalf) {
    CFWatchEvents events = (upperHalf & EVENTS) >> EVENTS_SHIFT;
    struct epoll_event event = {.events = __CFWatchInterest(events)};
    event.data.u64 = __CFPortIdentityMake(upperHalf, port);
    if (epoll_ctl(set->epoll, operation, port, &event) == 0) return 0;
    if (errno == ENOSPC || errno == ENOMEM)
        __THE_SYSTEM_HAS_NO_PORTS_AVAILABLE__("a place in a port set (epoll_ctl)", errno);
    return errno;
}

/// Makes the kernel report the port, level-triggered, so that unread data is reported again. [D18]
/// A port that is added (EPOLL_CTL_ADD) gets a new identity. A port that is changed (EPOLL_CTL_MOD)
/// gets one only if its kind changes. Returns 0 or an errno.
static int __CFPortSetWatch(__CFPortSet set, int operation, __CFPort port, CFWatchEvents events,
                            uint32_t kind) {
    uint32_t number = __CFPortSetGetUpperHalf(set, port);
    if (operation == EPOLL_CTL_ADD || !number) number = ++set->insertions;
    uint32_t next =
        (number & ~(OWN_PORT | KNOWN_PORT | EVENTS)) | kind | (uint32_t)events << EVENTS_SHIFT;
    int error = set->epoll == CFPORT_NULL ? 0 : __CFPortSetControl(set, operation, port, next);
    set->hasChanged = true;
    if (!error) __CFPortSetChange(set, port, next);
    return error;
}

/// Removes the port from the kernel's part of the set, and discards the reports of it. The system
/// call may fail, because the kernel has already removed a descriptor that was closed.
static void __CFPortSetUnwatch(__CFPortSet set, __CFPort port) {
    __CFPortSetChange(set, port, 0);
    set->hasChanged = true;
    if (set->epoll != CFPORT_NULL) epoll_ctl(set->epoll, EPOLL_CTL_DEL, port, NULL);
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
static void __CFPortSetCheckOwn(int error, __CFPort port) {
    if (error) __A_PORT_OF_THE_RUN_LOOP_WAS_CLOSED_BY_SOMEBODY_ELSE__("epoll_ctl", port, error);
}

/// Creates the kernel's part of the set. It contains only the run loop's own ports at first,
/// because a client's port needs the kernel's part.
static void __CFPortSetOpen(__CFPortSet set) {
    if (set->epoll != CFPORT_NULL) return;
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

// MARK: - Timer ports

__CFPort mk_timer_create(__CFPortSet set) {
    __CFPort port = __CFPortCheckNew(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK),
                                     "a timer port (timerfd)");
    __CFLock(&set->lock);
    set->timerPort = port;
    __CFPortSetCheckOwn(__CFPortSetTryInsertOwn(port, KNOWN_PORT, set), port);
    __CFUnlock(&set->lock);
    return port;
}

/// Setting the timer also sets its count of expirations back to 0, so a timer port never needs to
/// be read.
static void __CFTimerPortSet(__CFPort port, uint64_t tsr) {
    struct itimerspec when = {.it_value = {.tv_sec = (time_t)(tsr / NSEC_PER_SEC),
                                           .tv_nsec = (long)(tsr % NSEC_PER_SEC)}};
    if (timerfd_settime(port, TFD_TIMER_ABSTIME, &when, NULL) < 0) {
        __A_PORT_OF_THE_RUN_LOOP_WAS_CLOSED_BY_SOMEBODY_ELSE__("timerfd_settime", port, errno);
    }
}

void mk_timer_arm(__CFPortSet set, uint64_t deadlineTSR) {
    const uint64_t farthest = (uint64_t)INT64_MAX; // of the kernel's own clock: 292 years
    if (deadlineTSR > farthest) deadlineTSR = farthest;
    __CFLock(&set->lock);
    atomic_store(&set->timerDeadline, deadlineTSR);
    __CFTimerPortSet(set->timerPort, deadlineTSR ? deadlineTSR : 1); // a time of 0 would disarm it
    __CFUnlock(&set->lock);
}

void mk_timer_cancel(__CFPortSet set) {
    __CFLock(&set->lock);
    atomic_store(&set->timerDeadline, UINT64_MAX);
    __CFTimerPortSet(set->timerPort, 0);
    __CFUnlock(&set->lock);
}

// MARK: - What the set knows without the kernel

/// Returns whether the timer is due. If so, it is not reported again until it is armed.
static Boolean __CFPortSetTakeTimer(__CFPortSet set) {
    uint64_t deadline = atomic_load(&set->timerDeadline);
    if (deadline == UINT64_MAX || deadline > mach_absolute_time()) return false;
    // Another thread may just have armed it again.
    return atomic_compare_exchange_strong(&set->timerDeadline, &deadline, UINT64_MAX);
}

/// Receives the messages of the wake-up port, if there are any.
static Boolean __CFPortSetTakeWakeUp(__CFPortSet set) {
    atomic_store(set->wakeUpSent, false);
    return __CFPortReceive(set->wakeUpPort);
}

/// Returns the timer port if the timer is due, although the kernel's timer may not have gone off
/// yet, or the wake-up port if it has a message; otherwise CFPORT_NULL.
static __CFPort __CFPortSetTakeKnown(__CFPortSet set) {
    if (__CFPortSetTakeTimer(set)) return set->timerPort;
    if (set->wakeUpSent && atomic_load(set->wakeUpSent) && __CFPortSetTakeWakeUp(set))
        return set->wakeUpPort;
    return CFPORT_NULL;
}

// MARK: - What the kernel has reported

/// Returns the port of a report. Returns CFPORT_DEAD if the number now belongs to another file or
/// to one of the run loop's own ports, or if the set has no port with that number any more.
static __CFPort __CFPortSetIdentify(__CFPortSet set, __CFPortIdentity reported) {
    if (reported == NO_PORT) return CFPORT_NULL;
    __CFPort port = (__CFPort)(uint32_t)reported;
    uint32_t upperHalf = __CFPortSetGetUpperHalf(set, port);
    return upperHalf && reported == __CFPortIdentityMake(upperHalf, port) ? port : CFPORT_DEAD;
}

/// Discards the reports about ports that were inserted again since the wait began, because these
/// reports may be about other files.
static void __CFPortSetDiscardOld(__CFPortSet set) {
    for (int i = set->next; i < set->count; i++) {
        if (__CFPortSetIdentify(set, set->reported[i].data.u64) == CFPORT_DEAD)
            set->reported[i].data.u64 = NO_PORT;
    }
}

/// Returns whether a reported port is still ready. If it is one of the run loop's own, receives its
/// messages.
///
/// A timer is reported once, but its descriptor stays readable until it is armed again. If the
/// thread waits again before that, as a nested run does, this disarms the timer.
static Boolean __CFPortSetTakeReport(__CFPortSet set, __CFPort port) {
    if (port == set->timerPort) {
        if (__CFPortSetTakeTimer(set)) return true;
        if (atomic_load(&set->timerDeadline) == UINT64_MAX) __CFTimerPortSet(port, 0);
        return false;
    }
    if (port == set->wakeUpPort) return __CFPortSetTakeWakeUp(set);
    uint32_t upperHalf = __CFPortSetGetUpperHalf(set, port);
    if (upperHalf & OWN_PORT) return __CFPortReceive(port);
    return set->isFresh || __CFPortHasEvents(port, (upperHalf & EVENTS) >> EVENTS_SHIFT);
}

/// Returns the next reported port that is still ready, or CFPORT_NULL. The callbacks that have run
/// since the report may have read the data, or closed the port.
static __CFPort __CFPortSetTakeReported(__CFPortSet set) {
    while (set->next < set->count) {
        __CFPort port = __CFPortSetIdentify(set, set->reported[set->next++].data.u64);
        if (port == CFPORT_NULL) {
            set->isFresh = false; // the look may have checked only this report
            continue;
        }
        if (port == CFPORT_DEAD || __CFPortSetTakeReport(set, port)) return port;
    }
    return CFPORT_NULL;
}

// MARK: - Asking the kernel

/// Stores how many ports epoll_wait has reported. An interrupted call (EINTR) has reported none.
static void __CFPortSetSetReported(__CFPortSet set, int count) {
    if (count < 0 && errno != EINTR)
        __A_PORT_OF_THE_RUN_LOOP_WAS_CLOSED_BY_SOMEBODY_ELSE__("epoll_wait", set->epoll, errno);
    set->next = 0;
    set->count = count > 0 ? count : 0;
}

void __CFPortSetDistrustReports(__CFPortSet set) {
    set->isFresh = false;
}

/// Makes room for the reports of a wait. Only the waiting thread calls it, when it has taken all
/// earlier reports.
static void __CFPortSetMakeRoom(__CFPortSet set) {
    int most = set->portCount < PORTS_AT_ONCE ? (int)set->portCount : PORTS_AT_ONCE;
    if (CF_LIKELY(set->room && set->room >= most)) return;
    set->room = FEW_PORTS_AT_ONCE;
    while (set->room < most) set->room *= 2;
    free(set->reported);
    set->reported = malloc((size_t)set->room * sizeof(*set->reported));
    if (!set->reported) __CF_HAS_NO_MEMORY_LEFT__("a port set");
}

/// Looks at a port when there are earlier reports. The wait that follows has to check the first of
/// these again, so one system call looks at both.
static Boolean __CFPortSetLookAtTwo(__CFPortSet set, __CFPort port) {
    struct epoll_event *first = &set->reported[set->next];
    __CFPort firstPort = __CFPortSetIdentify(set, first->data.u64);
    struct pollfd looks[2] = {{.fd = port, .events = POLLIN}, {.fd = -1}};
    if (firstPort >= 0 && !__CFPortSetHasOwn(set, firstPort)) {
        looks[1].fd = firstPort;
        looks[1].events = (short)__CFWatchInterest(__CFPortSetGetEvents(set, firstPort));
    }
    __CFPortsLook(looks, 2);
    set->isFresh = looks[1].fd >= 0 && (looks[1].revents & ~POLLNVAL);
    if (looks[1].fd >= 0 && !set->isFresh) first->data.u64 = NO_PORT;
    if (!(looks[0].revents & ~POLLNVAL)) return false;
    set->isFresh = false;
    return __CFPortReceive(port);
}

/// Asks the kernel about the whole set at once, so that the wait that follows need not ask again.
/// If the kernel has reported as many ports as it may, it may have left this one out. Then it is
/// asked about this one alone. Cancellation is disabled, because the thread holds locks.
Boolean __CFPortSetLook(__CFPortSet set, __CFPort port) {
    set->isFresh = false;
    if (set->next < set->count) return __CFPortSetLookAtTwo(set, port);
    if (set->epoll == CFPORT_NULL || !__CFPortSetHasOwn(set, port))
        return __CFPortIsReady(port) && __CFPortReceive(port);
    __CFPortSetMakeRoom(set);
    int state, count;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    do {
        count = epoll_wait(set->epoll, set->reported, set->room, 0);
    } while (count < 0 && errno == EINTR);
    pthread_setcancelstate(state, NULL);
    __CFPortSetSetReported(set, count);
    for (int i = 0; i < set->count; i++) {
        if (__CFPortSetIdentify(set, set->reported[i].data.u64) != port) continue;
        set->reported[i].data.u64 = NO_PORT;
        return __CFPortReceive(port);
    }
    Boolean isReady =
        set->count == set->room && __CFPortIsReady(port) && __CFPortReceive(port);
    set->isFresh = !isReady;
    return isReady;
}

/// Returns the timeout for epoll_wait: whole milliseconds, rounded up so that it does not return
/// early, or -1 for no limit.
static int __CFEpollTimeout(uint64_t deadlineTSR, uint64_t left) {
    if (deadlineTSR == UINT64_MAX) return -1;
    uint64_t milliseconds = left / 1000000 + (left % 1000000 != 0);
    return milliseconds > INT_MAX ? INT_MAX : (int)milliseconds;
}

/// Returns whether no system call is needed, because the thread does not want to wait, and the set
/// either knows about all its ports or has just asked the kernel.
static Boolean __CFPortSetKnowsAll(__CFPortSet set, uint64_t deadlineTSR) {
    return deadlineTSR == 0 && (set->isFresh || atomic_load(&set->foreignCount) == 0);
}

/// Begins a wait. From now on `hasChanged` says whether a port was inserted or removed after the
/// kernel was asked.
static void __CFPortSetBeginWait(__CFPortSet set) {
    __CFLock(&set->lock);
    __CFPortSetOpen(set);
    __CFPortSetMakeRoom(set);
    set->hasChanged = false;
    __CFUnlock(&set->lock);
}

/// Ends a wait, and returns a port that is ready. If no port was inserted or removed meanwhile, the
/// kernel's reports are fresh and are not checked again.
static __CFPort __CFPortSetEndWait(__CFPortSet set, int count) {
    __CFLock(&set->lock);
    __CFPortSetSetReported(set, count);
    if (set->hasChanged) __CFPortSetDiscardOld(set);
    set->isFresh = !set->hasChanged;
    set->hasChanged = false;
    __CFPort port = __CFPortSetTakeReported(set);
    set->isFresh = false;
    __CFUnlock(&set->lock);
    return port != CFPORT_NULL ? port : __CFPortSetTakeKnown(set);
}

/// Returns a port that an earlier wait has found ready, or that the set knows to be ready;
/// CFPORT_NULL if there is none.
static __CFPort __CFPortSetTakeEarlier(__CFPortSet set, uint64_t deadlineTSR, Boolean *knowsAll) {
    __CFPort port = CFPORT_NULL;
    if (set->next < set->count) {
        __CFLock(&set->lock);
        port = __CFPortSetTakeReported(set);
        __CFUnlock(&set->lock);
    }
    *knowsAll = __CFPortSetKnowsAll(set, deadlineTSR);
    set->isFresh = false;
    return port == CFPORT_NULL && *knowsAll ? __CFPortSetTakeKnown(set) : port;
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
    Boolean hasLimit = deadlineTSR != 0 && deadlineTSR != UINT64_MAX, knowsAll;
    __CFPort port = __CFPortSetTakeEarlier(set, deadlineTSR, &knowsAll);
    if (port != CFPORT_NULL || knowsAll) return port;
    __CFPortSetBeginWait(set);
    for (;;) {
        uint64_t now = hasLimit ? mach_absolute_time() : 0;
        uint64_t left = deadlineTSR > now ? deadlineTSR - now : 0;
        int count;
        if (!hasLimit || atomic_load_explicit(&kernelIsOld, memory_order_relaxed)) {
            count = epoll_wait(set->epoll, set->reported, set->room,
                               __CFEpollTimeout(deadlineTSR, left));
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
        port = __CFPortSetEndWait(set, count);
        // There is no port if a signal handler ran (EINTR), if another thread removed the port, or
        // if an old kernel's wait ended a little early. Then the thread waits for the rest of the
        // time.
        if (port != CFPORT_NULL) return port;
        if (count >= 0 && (deadlineTSR == 0 || mach_absolute_time() >= deadlineTSR)) return port;
    }
}
