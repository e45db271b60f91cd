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

/// No descriptor is to be had: what a Mac's run loop says when the kernel has no port for it. [D6]
static __attribute__((noinline, noreturn, cold)) void
__THE_SYSTEM_HAS_NO_PORTS_AVAILABLE__(const char *what, int error) {
    struct rlimit limit = {0, 0};
    getrlimit(RLIMIT_NOFILE, &limit);
    __CFHalt("no file descriptor is available for %s: %s. The process may have %llu open at a time "
             "(ulimit -n): close some, or raise the limit.",
             what, strerror(error), (unsigned long long)limit.rlim_cur);
}

/// The kernel gave an answer that it cannot give as long as nobody closes the run loop's own
/// descriptors.
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

// MARK: - System calls that no thread is cancelled in
//
// The C library's read, write, poll and close are cancellation points: a cancelled thread
// (pthread_cancel) ends there. The run loop makes these calls with its locks held, and would leave
// them held forever. So it asks the kernel directly. The wait is a cancellation point, and is made
// with nothing locked.

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
/// ThreadSanitizer learns from the C library's calls which thread's work comes before another's.
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

/// EAGAIN means that 2^64 - 2 wake-ups are waiting to be received: one more would not make the
/// thread any more awake.
void __CFSendTrivialMachMessage(__CFPort port) {
    int savedErrno = errno; // this runs in signal handlers
    static const uint64_t one = 1;
    while (__CFSystemCall(write, port, &one, sizeof(one)) < 0 && errno != EAGAIN) {
        if (errno != EINTR)
            __A_PORT_OF_THE_RUN_LOOP_WAS_CLOSED_BY_SOMEBODY_ELSE__("write", port, errno);
    }
    errno = savedErrno;
}

/// EAGAIN means that there is nothing to receive: a host's eventfd that was not set; or somebody else
/// was faster, since the main queue's port is read by the toolchain's own run loop too.
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

static Boolean __CFPortHasEvents(__CFPort port, CFWatchEvents events) {
    struct pollfd look = {.fd = port, .events = (short)__CFWatchInterest(events)};
    struct timespec noTime = {0, 0};
    while (syscall(SYS_ppoll, &look, 1, &noTime, NULL, 0) < 0 && errno == EINTR) {}
    return (look.revents & ~POLLNVAL) != 0;
}

Boolean __CFPortIsReady(__CFPort port) {
    return __CFPortHasEvents(port, kCFWatchReadable);
}

/// The kernel names what a descriptor is open on: "pipe:[4711]", "socket:[4712]",
/// "anon_inode:[eventfd]", "anon_inode:inotify", or the path of a file. The kind is what stands
/// before the number, or in place of it.
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

// MARK: - Timer ports

__CFPort mk_timer_create(void) {
    return __CFPortCheckNew(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK),
                            "a timer port (timerfd)");
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

void mk_timer_arm(__CFPort port, uint64_t deadlineTSR) {
    // what the kernel's own clock can hold: 292 years
    const uint64_t farthest = (uint64_t)INT64_MAX;
    if (deadlineTSR > farthest) deadlineTSR = farthest;
    __CFTimerPortSet(port, deadlineTSR ? deadlineTSR : 1); // a time of 0 would disarm it
}

void mk_timer_cancel(__CFPort port) {
    __CFTimerPortSet(port, 0);
}

// MARK: - Port sets

/// How many ready ports one wait takes along: each further one costs a short look instead of a
/// wait.
#define PORTS_AT_ONCE 64

/// What the kernel is given with a port, and gives back when the port is ready: the port's number
/// in the lower half, and in the upper half whose port it is and how often the set has been given
/// that number. The number alone would not do. A client may close its descriptor while a duplicate
/// keeps the file open: the kernel goes on reporting that file under the old number, which another
/// file may have by now, perhaps one of the run loop's own ports.
typedef uint64_t __CFPortIdentity;
#define NO_PORT UINT64_MAX
/// In the upper half: the port is one of the run loop's own.
#define OWN_PORT (1U << 31)
/// There, but not in the identity: the events that the port is waited for.
#define WATCHED_EVENTS_SHIFT 28
#define WATCHED_EVENTS (7U << WATCHED_EVENTS_SHIFT)

struct __CFPortSet {
    int epoll;
    uint32_t *upperHalves; // by number: the upper half of the identity it was last given
    int numberCount;                            // upperHalves[0 ..< numberCount]
    int next, count;                            // reported[next ..< count] wait to be handed out
    __CFPortIdentity reported[PORTS_AT_ONCE];
    Boolean hasChanged; // a port has come or gone since __CFPortSetBeginWait
    int waited; // what the last wait has brought, until it is accepted; the waiting thread alone
    struct epoll_event events[PORTS_AT_ONCE];
};

__CFPortSet __CFPortSetAllocate(void) {
    __CFPortSet set = calloc(1, sizeof(struct __CFPortSet));
    if (!set) __CF_HAS_NO_MEMORY_LEFT__("a port set");
    set->epoll = __CFPortCheckNew(epoll_create1(EPOLL_CLOEXEC), "a port set (epoll)");
    return set;
}

void __CFPortSetFree(__CFPortSet set) {
    if (!set) return;
    __CFPortFree(set->epoll);
    free(set->upperHalves);
    free(set);
}

static __CFPortIdentity __CFPortIdentityMake(uint32_t upperHalf, __CFPort port) {
    return (uint64_t)(upperHalf & ~WATCHED_EVENTS) << 32 | (uint32_t)port;
}

/// Where the set keeps the upper half of a port's identity. `port` is not negative.
static uint32_t *__CFPortSetUpperHalf(__CFPortSet set, __CFPort port) {
    if (CF_LIKELY(port < set->numberCount)) return &set->upperHalves[port];
    int count = 2 * port + 16;
    uint32_t *upperHalves = realloc(set->upperHalves, (size_t)count * sizeof(*upperHalves));
    if (!upperHalves) __CF_HAS_NO_MEMORY_LEFT__("a port set");
    memset(upperHalves + set->numberCount, 0,
           (size_t)(count - set->numberCount) * sizeof(*upperHalves));
    set->upperHalves = upperHalves;
    set->numberCount = count;
    return &upperHalves[port];
}

/// Asks the kernel to report the port, level-triggered, so that unread data is reported again.
/// [D18] If that succeeds, a port that was added has a new identity; one that was changed
/// (EPOLL_CTL_MOD) only if it was not of that kind. Returns 0 or an errno.
static int __CFPortSetWatch(__CFPortSet set, int operation, __CFPort port, CFWatchEvents events,
                            uint32_t kind) {
    uint32_t *upperHalf = __CFPortSetUpperHalf(set, port);
    uint32_t times = *upperHalf + (operation == EPOLL_CTL_ADD ? 1 : 0);
    uint32_t next =
        (times & ~(OWN_PORT | WATCHED_EVENTS)) | kind | (uint32_t)events << WATCHED_EVENTS_SHIFT;
    struct epoll_event event = {.events = __CFWatchInterest(events)};
    event.data.u64 = __CFPortIdentityMake(next, port);
    set->hasChanged = true;
    if (epoll_ctl(set->epoll, operation, port, &event) == 0) {
        *upperHalf = next;
        return 0;
    }
    if (errno == ENOSPC || errno == ENOMEM)
        __THE_SYSTEM_HAS_NO_PORTS_AVAILABLE__("a place in a port set (epoll_ctl)", errno);
    return errno;
}

/// Makes the kernel forget the port, and drops what it has reported of it. The call may fail: a
/// closed descriptor has left the set by itself.
static void __CFPortSetUnwatch(__CFPortSet set, __CFPort port) {
    set->hasChanged = true;
    epoll_ctl(set->epoll, EPOLL_CTL_DEL, port, NULL);
    for (int i = set->next; i < set->count; i++) {
        if ((__CFPort)(uint32_t)set->reported[i] == port) set->reported[i] = NO_PORT;
    }
}

/// The events that a port of the set is waited for.
static CFWatchEvents __CFPortSetGetEvents(__CFPortSet set, __CFPort port) {
    return (*__CFPortSetUpperHalf(set, port) & WATCHED_EVENTS) >> WATCHED_EVENTS_SHIFT;
}

static Boolean __CFPortSetHasOwn(__CFPortSet set, __CFPort port) {
    return port < set->numberCount && (set->upperHalves[port] & OWN_PORT);
}

/// The kernel is asked even when the port is thought to be in the set: its descriptor may have been
/// closed, which took it out silently, and given to another file since. [D19]
int __CFPortSetInsert(__CFPort port, CFWatchEvents events, __CFPortSet set) {
    if (__CFPortSetHasOwn(set, port)) return EBUSY;
    if (!events) {
        __CFPortSetUnwatch(set, port);
        return 0;
    }
    int error = __CFPortSetWatch(set, EPOLL_CTL_ADD, port, events, 0);
    if (error != EEXIST) return error;
    if (__CFPortSetGetEvents(set, port) == events) return 0;
    return __CFPortSetWatch(set, EPOLL_CTL_MOD, port, events, 0);
}

void __CFPortSetRemove(__CFPort port, __CFPortSet set) {
    if (!__CFPortSetHasOwn(set, port)) __CFPortSetUnwatch(set, port);
}

/// A client may have named the port before the run loop needed it: then it becomes the run loop's.
static int __CFPortSetTryInsertOwn(__CFPort port, __CFPortSet set) {
    int error = __CFPortSetWatch(set, EPOLL_CTL_ADD, port, kCFWatchReadable, OWN_PORT);
    return error == EEXIST ? __CFPortSetWatch(set, EPOLL_CTL_MOD, port, kCFWatchReadable, OWN_PORT)
        : error;
}

/// Left out of the set, a wake-up port would lose every wake-up, without a word.
void __CFPortSetInsertOwn(__CFPort port, __CFPortSet set) {
    int error = __CFPortSetTryInsertOwn(port, set);
    if (error) __A_PORT_OF_THE_RUN_LOOP_WAS_CLOSED_BY_SOMEBODY_ELSE__("epoll_ctl", port, error);
}

int __CFPortSetInsertSet(__CFPortSet inner, __CFPortSet set) {
    int error = __CFPortSetTryInsertOwn(inner->epoll, set);
    if (error && error != EINVAL && error != ELOOP)
        __A_PORT_OF_THE_RUN_LOOP_WAS_CLOSED_BY_SOMEBODY_ELSE__("epoll_ctl", inner->epoll, error);
    return error;
}

void __CFPortSetRemoveOwn(__CFPort port, __CFPortSet set) {
    __CFPortSetUnwatch(set, port);
    *__CFPortSetUpperHalf(set, port) &= ~OWN_PORT;
}

int __CFPortSetGetDescriptor(__CFPortSet set) {
    return set->epoll;
}

Boolean __CFPortSetHasReported(__CFPortSet set) {
    return set && set->next < set->count;
}

/// The port that a report means; CFPORT_DEAD if the set has been given another file, or one of the
/// run loop's own ports, under the number since, or has never held that number.
static __CFPort __CFPortSetIdentify(__CFPortSet set, __CFPortIdentity reported) {
    if (reported == NO_PORT) return CFPORT_NULL;
    uint32_t number = (uint32_t)reported;
    if (CF_UNLIKELY(number >= (uint32_t)set->numberCount)) return CFPORT_DEAD;
    __CFPort port = (__CFPort)number;
    return reported == __CFPortIdentityMake(set->upperHalves[number], port) ? port : CFPORT_DEAD;
}

/// Puts `first`, if it has been reported, before all others.
static void __CFPortSetMoveToFront(__CFPortSet set, __CFPort first) {
    for (int i = set->next; i < set->count; i++) {
        __CFPortIdentity found = set->reported[i];
        if (__CFPortSetIdentify(set, found) != first) continue;
        set->reported[i] = set->reported[set->next];
        set->reported[set->next] = found;
        return;
    }
}

/// What was reported before the last port was handed out may have been dealt with since, by whoever
/// served that one: hence the look.
__CFPort __CFPortSetTake(__CFPortSet set, __CFPort first) {
    if (!set) return CFPORT_NULL;
    if (first != CFPORT_NULL) __CFPortSetMoveToFront(set, first);
    while (set->next < set->count) {
        __CFPort port = __CFPortSetIdentify(set, set->reported[set->next++]);
        if (port == CFPORT_DEAD) return port;
        if (port != CFPORT_NULL && __CFPortHasEvents(port, __CFPortSetGetEvents(set, port)))
            return port;
    }
    return CFPORT_NULL;
}

/// Forgets the reports of ports that were put in again since the wait began: they are of other
/// files.
static void __CFPortSetForgetOld(__CFPortSet set) {
    for (int i = set->next; i < set->count; i++) {
        if (__CFPortSetIdentify(set, set->reported[i]) == CFPORT_DEAD) set->reported[i] = NO_PORT;
    }
}

/// Nothing has happened yet since the wait, so the first port needs no look; unless another thread
/// has taken a port out or put one in before the mode was locked again: its descriptor may be
/// another file by now, which is not ready.
__CFPort __CFPortSetTakeNew(__CFPortSet set, __CFPort first) {
    set->next = 0;
    set->count = set->waited;
    for (int i = 0; i < set->count; i++) set->reported[i] = set->events[i].data.u64;
    if (set->hasChanged) {
        __CFPortSetForgetOld(set);
        return __CFPortSetTake(set, first);
    }
    if (first != CFPORT_NULL) __CFPortSetMoveToFront(set, first);
    return set->count ? __CFPortSetIdentify(set, set->reported[set->next++]) : CFPORT_NULL;
}

void __CFPortSetBeginWait(__CFPortSet set) {
    set->hasChanged = false;
}

/// How long to wait, for epoll_wait: whole milliseconds, rounded up so as not to return early.
static int __CFEpollTimeout(uint64_t deadlineTSR, uint64_t left) {
    if (deadlineTSR == UINT64_MAX) return -1;
    uint64_t milliseconds = left / 1000000 + (left % 1000000 != 0);
    return milliseconds > INT_MAX ? INT_MAX : (int)milliseconds;
}

/// This is where the thread sleeps (step 7), where a Mac's (all versions) stack shows
/// mach_msg_trap. A look, and a wait without limit, need no nanoseconds, and epoll_wait is the
/// cheaper call. Not every C library has a function for epoll_pwait2. `syscall` makes the call, and
/// is no cancellation point: hence the type of cancellation around it. Nothing is locked and
/// nothing is lost, wherever between the two lines the thread is cancelled.
void __CFPortSetWait(__CFPortSet set, uint64_t deadlineTSR) {
    static _Atomic(Boolean) kernelIsOld; // before 5.11 it has no epoll_pwait2
    Boolean hasLimit = deadlineTSR != 0 && deadlineTSR != UINT64_MAX;
    for (;;) {
        uint64_t now = hasLimit ? mach_absolute_time() : 0;
        uint64_t left = deadlineTSR > now ? deadlineTSR - now : 0;
        int count;
        if (!hasLimit || atomic_load_explicit(&kernelIsOld, memory_order_relaxed)) {
            count = epoll_wait(set->epoll, set->events, PORTS_AT_ONCE,
                               __CFEpollTimeout(deadlineTSR, left));
        } else {
            struct timespec time = {.tv_sec = (time_t)(left / NSEC_PER_SEC),
                                    .tv_nsec = (long)(left % NSEC_PER_SEC)};
            int type;
            pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
            count = (int)syscall(SYS_epoll_pwait2, set->epoll, set->events, PORTS_AT_ONCE, &time,
                                 NULL, 0);
            pthread_setcanceltype(type, NULL);
            // EPERM: a sandbox that does not know the call.
            if (count < 0 && (errno == ENOSYS || errno == EPERM)) {
                atomic_store_explicit(&kernelIsOld, true, memory_order_relaxed);
                continue;
            }
        }
        if (count < 0 && errno != EINTR)
            __A_PORT_OF_THE_RUN_LOOP_WAS_CLOSED_BY_SOMEBODY_ELSE__("epoll_wait", set->epoll, errno);
        set->waited = count > 0 ? count : 0;
        if (count > 0) return;
        // A signal handler ran (EINTR), or an old kernel's wait ended a little early: the thread
        // waits for what is left of the time.
        if (count == 0 && (deadlineTSR == 0 || mach_absolute_time() >= deadlineTSR)) return;
    }
}
