/// Faults.c: see Faults.h.
///
/// Each call here checks one flag and then calls the C library, unless faults are on. The sanitizers have their own versions of some of
/// these calls, named ___interceptor_NAME, and depend on them being called.
#include "Faults.h"
#include "Fakes.h"
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define FAULT_NAME(name) #name,
const char *const FaultNames[FaultKindCount] = {FAULT_KINDS(FAULT_NAME)};

static FaultPlan ownPlan;
FaultPlan *Faults = &ownPlan;
static _Atomic(int) faultsAreOn;

void FaultsOn(void) { faultsAreOn++; }
void FaultsOff(void) { faultsAreOn--; }

void FailNext(unsigned kinds, int count, int error) {
    ownPlan = (FaultPlan){.kinds = kinds, .first = 1, .count = count, .error = error, .spuriousPort = -1};
    FaultsOn();
}

void CountCalls(unsigned kinds, int most) {
    FailNext(kinds, 0, 0);
    ownPlan.mostCalls = most;
}

// MARK: - Which call fails

static bool countCall(FaultKind kind) {
    int number = ++Faults->calls;
    if (number > (Faults->mostCalls ? Faults->mostCalls : FaultMostCalls)) _exit(FaultSpins);
    Faults->kindOf[number] = (uint8_t)kind;
    bool fails = number >= Faults->first && number - Faults->first < Faults->count && !(Faults->spared & 1u << kind);
    Faults->failed += fails;
    return fails;
}

/// Whether this call is to fail. If so, sets errno, unless the error is not one that a system call has.
static inline bool fails(FaultKind kind) {
    if (__builtin_expect(!faultsAreOn, 1) || !(Faults->kinds & 1u << kind) || !countCall(kind)) return false;
    if (Faults->error > 0) errno = Faults->error;
    while (Faults->error == FaultNeverReturns) pause();
    return true;
}

// MARK: - The C library's calls

/// The function that our definition hides, found once.
static void *behind(const char *name, void *sanitizers, _Atomic(void *) *known) {
    if (!*known) *known = sanitizers ? sanitizers : dlsym(RTLD_NEXT, name);
    if (!*known) abort();
    return *known;
}

/// Calls the C library's function, or the sanitizer's. The arguments are in parentheses.
#define BEHIND(name, sanitizers, arguments)                                                                              \
    ({                                                                                                                  \
        static _Atomic(void *) known_;                                                                                  \
        ((__typeof__(&name))behind(#name, (void *)sanitizers, &known_)) arguments;                                       \
    })

/// Defines `name` to fail with -1, or to do what the C library does.
#define FAILING_CALL(kind, result, name, parameters, arguments)                                                         \
    extern __typeof__(result) ___interceptor_##name parameters __attribute__((weak));                                   \
    result name parameters {                                                                                            \
        return fails(kind) ? -1 : BEHIND(name, ___interceptor_##name, arguments);                                       \
    }

FAILING_CALL(Fault_eventfd, int, eventfd, (unsigned count, int flags), (count, flags))
FAILING_CALL(Fault_epoll_create1, int, epoll_create1, (int flags), (flags))
FAILING_CALL(Fault_timerfd_create, int, timerfd_create, (int clock, int flags), (clock, flags))
FAILING_CALL(Fault_read, ssize_t, read, (int file, void *bytes, size_t size), (file, bytes, size))
FAILING_CALL(Fault_write, ssize_t, write, (int file, const void *bytes, size_t size), (file, bytes, size))
FAILING_CALL(Fault_poll, int, poll, (struct pollfd *files, nfds_t count, int limit), (files, count, limit))

// MARK: - Coarse clocks

static int64_t nanoseconds(struct timespec time) { return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec; }

static struct timespec timeOf(int64_t nanoseconds) {
    return (struct timespec){(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
}

static int64_t nextTick(int64_t nanoseconds) { return (nanoseconds + ClockTick - 1) / ClockTick * ClockTick; }

int timerfd_settime(int port, int flags, const struct itimerspec *to, struct itimerspec *from) {
    if (fails(Fault_timerfd_settime)) return -1;
    struct itimerspec coarse = *to;
    if (ClockTick && flags == TFD_TIMER_ABSTIME) coarse.it_value = timeOf(nextTick(nanoseconds(to->it_value)));
    return BEHIND(timerfd_settime, NULL, (port, flags, &coarse, from));
}

/// A time limit from now, extended to the next tick.
static struct timespec coarseLimit(const struct timespec *limit) {
    int64_t now = (int64_t)(TrueSecondsNow() * 1e9);
    return timeOf(nextTick(now + nanoseconds(*limit)) - now);
}

// MARK: - epoll

/// The file that a port had when it was last added to a set. The kernel's set knows a port by its file, not by its number.
static _Atomic(uint64_t) dataOf[1024];

static uint64_t dataOfPort(int port) {
    uint64_t data = port >= 0 && port < 1024 ? dataOf[port] : 0;
    return data ? data : (uint32_t)port;
}

extern int ___interceptor_epoll_ctl(int, int, int, struct epoll_event *) __attribute__((weak));

int epoll_ctl(int set, int operation, int descriptor, struct epoll_event *event) {
    if (operation == EPOLL_CTL_ADD && EpollAddError) {
        errno = EpollAddError;
        return -1;
    }
    if (fails(operation == EPOLL_CTL_DEL ? Fault_epoll_ctl_del : Fault_epoll_ctl_add)) return -1;
    int result = BEHIND(epoll_ctl, ___interceptor_epoll_ctl, (set, operation, descriptor, event));
    if (result == 0 && event && descriptor < 1024) dataOf[descriptor] = event->data.u64;
    return result;
}

/// The result of a wait that is to fail.
static int failedWait(struct epoll_event *events) {
    if (Faults->error == FaultReturnsNothing) return 0;
    if (Faults->error != FaultReportsSpuriousPort) return -1;
    events[0] = (struct epoll_event){.events = EPOLLIN, .data = {.u64 = dataOfPort(Faults->spuriousPort)}};
    return 1;
}

void (^_Atomic AfterEpollWait)(void);

extern int ___interceptor_epoll_wait(int, struct epoll_event *, int, int) __attribute__((weak));

static void afterWait(void) {
    if (!AfterEpollWait) return;
    void (^then)(void) = AfterEpollWait;
    AfterEpollWait = NULL;
    then();
}

int epoll_wait(int set, struct epoll_event *events, int most, int limit) {
    if (fails(Fault_epoll_wait)) return failedWait(events);
    if (ClockTick && limit > 0) { // an old kernel, or an emulated one, without epoll_pwait2
        struct timespec coarse = coarseLimit(&(struct timespec){limit / 1000, limit % 1000 * 1000000});
        limit = (int)((nanoseconds(coarse) + 999999) / 1000000);
    }
    int count = BEHIND(epoll_wait, ___interceptor_epoll_wait, (set, events, most, limit));
    afterWait();
    return count;
}

/// The kind of a call that the library makes with syscall(); FaultKindCount for any other.
static FaultKind kindOfCall(long number) {
    switch (number) {
    case SYS_read: return Fault_read;
    case SYS_write: return Fault_write;
    case SYS_ppoll: return Fault_poll;
    default: return FaultKindCount;
    }
}

/// Where the C library has no epoll_pwait2, the run loop makes the call with syscall().
#if defined(__GLIBC__) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 35)
#define LIBRARY_HAS_EPOLL_PWAIT2 1
int epoll_pwait2(int set, struct epoll_event *events, int most, const struct timespec *limit, const sigset_t *mask) {
    if (fails(Fault_epoll_pwait2)) return failedWait(events);
    struct timespec coarse = ClockTick && limit ? coarseLimit(limit) : (struct timespec){0, 0};
    int count = BEHIND(epoll_pwait2, NULL, (set, events, most, ClockTick && limit ? &coarse : limit, mask));
    afterWait();
    return count;
}
#endif
#endif

/// Defined here for epoll_pwait2, and for calls that must not be cancellation points.
long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long a[6];
    for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
    va_end(list);
    FaultKind kind = kindOfCall(number);
    if (kind != FaultKindCount && fails(kind)) return -1;
#if !LIBRARY_HAS_EPOLL_PWAIT2
    const bool isWait = number == SYS_epoll_pwait2;
    if (isWait && fails(Fault_epoll_pwait2)) return failedWait((struct epoll_event *)a[1]);
    struct timespec coarse;
    if (isWait && ClockTick && a[3]) {
        coarse = coarseLimit((const struct timespec *)a[3]);
        a[3] = (long)&coarse;
    }
    long result = BEHIND(syscall, NULL, (number, a[0], a[1], a[2], a[3], a[4], a[5]));
    if (isWait) afterWait();
    return result;
#else
    return BEHIND(syscall, NULL, (number, a[0], a[1], a[2], a[3], a[4], a[5]));
#endif
}

// MARK: - Thread-specific data, and memory

#if !FAULTS_UNDER_SANITIZER

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
    if (fails(Fault_pthread_key_create)) return Faults->error;
    return BEHIND(pthread_key_create, NULL, (key, destructor));
}

int pthread_setspecific(pthread_key_t key, const void *value) {
    if (fails(Fault_pthread_setspecific)) return Faults->error;
    return BEHIND(pthread_setspecific, NULL, (key, value));
}

// dlsym itself allocates, so these call the C library's functions by their other names.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size) { return fails(Fault_malloc) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails(Fault_calloc) ? NULL : __libc_calloc(count, size); }
void *realloc(void *memory, size_t size) { return fails(Fault_realloc) ? NULL : __libc_realloc(memory, size); }

#endif
