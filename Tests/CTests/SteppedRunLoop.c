/// SteppedRunLoop.c: a second compilation of the library's sources, with a step before each access to what threads share: see
/// SteppedRunLoop.h.
#define CF_BUILDING_CF 1 // its public functions are those of this file
#include "SteppedRunLoop.h"

#include "Stepper.h"
#undef CF_CHECK_LOCKS // the locks below are steps, without checks
#include <poll.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

SteppedMutation Mutation = NoMutation;
__thread int LocksTaken;

// MARK: - Base: its atomic variables, mainly reference counts, are no steps

#define CF_PRIVATE static
#include "../../Sources/CRunLoop/Base/Base.c"
#include "../../Sources/CRunLoop/Kernel/CFPortSet_Internal.h"

// MARK: - Locks

static bool lockIsFree(const void *lock) {
    return ((const pthread_mutex_t *)lock)->__data.__lock == 0; // glibc's
}

static void steppedLock(CFLock_t *lock, const char *function) {
    LocksTaken += StepperIsOn();
    StepWhenReady(lock, Changes, "takes a lock", function, lockIsFree);
    __CFLock(lock);
}
#undef __CFLock
#define __CFLock(lock) steppedLock(lock, __func__)

// MARK: - Atomic variables
//
// It matters whether a step only reads: two reads need not be tried in both orders. Accesses with an explicit memory order are no steps:
// they belong to the trace and to the records for debuggers. The exceptions are the records of runs, whose relaxed stores are steps like
// the others.

/// A store that a mutation delays until the thread goes to sleep.
static _Atomic(uint32_t) *heldBack;

static void storeHeldBack(void) {
    if (!heldBack) return;
    Step(heldBack, Changes, "clears ignoreWakeUps, too late", __func__);
    *heldBack = 0;
    heldBack = NULL;
}

static _Atomic(Boolean) *unsaid; // the delayed store of the thread that says too late that it sleeps

static void sayHeldBack(void) {
    if (!unsaid) return;
    Step((const void *)unsaid, Changes, "says that it sleeps, too late", __func__);
    *unsaid = true;
    unsaid = NULL;
}

static bool isUnsaid(const volatile void *object, const char *function) {
    if (Mutation != SleepsBeforeItSaysSo || !StepperIsOn() || strcmp(function, "__CFPortSetBeginSleep")) return false;
    unsaid = (_Atomic(Boolean) *)object;
    return true;
}

/// Whether the mutation delays this store.
static bool isHeldBack(const volatile void *object, const char *function) {
    if (!StepperIsOn()) heldBack = NULL; // between two plays
    if (Mutation != ClearsIgnoreWakeUpsTooLate || !StepperIsOn() || strcmp(function, "__CFRunLoopUnsetIgnoreWakeUps")) return false;
    heldBack = (_Atomic(uint32_t) *)object;
    return true;
}

/// The record of the innermost run, and whether it ignores wake-ups.
static bool isOfARun(const char *what) { return strstr(what, "ignoreWakeUps") || strstr(what, "_perRunData"); }

#undef atomic_load
#undef atomic_store
#undef atomic_store_explicit
#undef atomic_exchange
#undef atomic_fetch_add
#undef atomic_fetch_sub
#undef atomic_fetch_or
#undef atomic_fetch_and
#undef atomic_compare_exchange_weak
#undef atomic_compare_exchange_strong

#define STEPPED(p, kind, what, operation)                                                                            \
    ({                                                                                                                  \
        __auto_type p_ = (p);                                                                                           \
        Step((const void *)p_, kind, what, __func__);                                                                   \
        operation;                                                                                                      \
    })
#define SEQ __ATOMIC_SEQ_CST
#define atomic_load(p)                                                                                                  \
    STEPPED(p, Looks, "load " #p, __c11_atomic_load(p_, SEQ))
#define atomic_store(p, v)                                                                                              \
    ({                                                                                                                  \
        if (!isUnsaid((p), __func__) && !isHeldBack((p), __func__)) STEPPED(p, Changes, "store " #p " = " #v, __c11_atomic_store(p_, v, SEQ));        \
    })
#define atomic_store_explicit(p, v, order)                                                                              \
    ({                                                                                                                  \
        __auto_type q_ = (p);                                                                                           \
        if (isOfARun(#p)) Step((const void *)q_, Changes, "store " #p " = " #v, __func__);                              \
        __c11_atomic_store(q_, v, order);                                                                               \
    })
#define atomic_exchange(p, v)                                                                                           \
    STEPPED(p, Changes, "exchange " #p " = " #v, __c11_atomic_exchange(p_, v, SEQ))
#define atomic_fetch_add(p, v) \
    STEPPED(p, Adds, "add to " #p, __c11_atomic_fetch_add(p_, v, SEQ))
#define atomic_fetch_sub(p, v) STEPPED(p, Adds, "subtract from " #p, __c11_atomic_fetch_sub(p_, v, SEQ))
#define atomic_fetch_or(p, v) STEPPED(p, Changes, "set in " #p ": " #v, __c11_atomic_fetch_or(p_, v, SEQ))
#define atomic_fetch_and(p, v) STEPPED(p, Changes, "clear in " #p ": " #v, __c11_atomic_fetch_and(p_, v, SEQ))
#define atomic_compare_exchange_strong(p, e, v)                                                                         \
    STEPPED(p, Changes, "compare and exchange " #p, __c11_atomic_compare_exchange_strong(p_, e, v, SEQ, SEQ))
#define atomic_compare_exchange_weak atomic_compare_exchange_strong // a spurious failure would be one more order to try

// MARK: - Ports
//
// All ports count as one object, because a wait on a set may wait for any of them.

static const char ports[] = "ports";

static int waitedFor; // the set on which the player with the run loop is about to wait

static bool isReadable(const void *unused) {
    struct pollfd look = {.fd = waitedFor, .events = POLLIN};
    return poll(&look, 1, 0) == 1;
}

static int steppedWait(int set, struct epoll_event *events, int most, int limit) {
    if (StepperIsOn()) {
        storeHeldBack();
        sayHeldBack();
        waitedFor = set;
    }
    if (limit) StepWhenReady(ports, Looks, "sleeps in epoll_wait until a port is ready", __func__, isReadable);
    else Step(ports, Looks, "looks with epoll_wait", __func__);
    return epoll_wait(set, events, most, limit);
}

/// A wait with a limit. It sleeps until a port is ready, or until a due timer ends it. The timers of the plays are due at once or never.
static int steppedLimitedWait(int set, struct epoll_event *events, int most, const struct timespec *limit, const sigset_t *mask) {
    (void)mask;
    return steppedWait(set, events, most, limit->tv_sec >= 1 ? -1 : 0);
}

/// Inserting and removing ports is no step. A change of the wake-up port is, because it ends the wait of the thread that sleeps.
static int steppedControl(int set, int operation, int port, struct epoll_event *event) {
    if (operation == EPOLL_CTL_MOD) Step(ports, Changes, event->events & EPOLLOUT ? "interrupts the wait" : "has been interrupted", __func__);
    return epoll_ctl(set, operation, port, event);
}

/// The system calls that the library makes with syscall(). Under ThreadSanitizer it calls the functions by name.
static long steppedSyscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long a[6];
    for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_write) Step(ports, Changes, "sends the message: write to the wake-up port", __func__);
    if (number == SYS_read) Step(ports, Changes, "receives the message: read from the wake-up port", __func__);
    if (number == SYS_ppoll) Step(ports, Looks, "poll", __func__);
    return syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

__attribute__((unused)) static ssize_t steppedWrite(int port, const void *bytes, size_t size) {
    Step(ports, Changes, "sends the message: write to the wake-up port", __func__);
    return write(port, bytes, size);
}

__attribute__((unused)) static ssize_t steppedRead(int port, void *bytes, size_t size) {
    Step(ports, Changes, "receives the message: read from the wake-up port", __func__);
    return read(port, bytes, size);
}

#define epoll_wait steppedWait
#define epoll_pwait2 steppedLimitedWait
#define epoll_ctl steppedControl
#define syscall steppedSyscall
#define write steppedWrite
#define read steppedRead

// MARK: - The run loop

#include "../../Sources/CRunLoop/CRunLoop.c"

void SteppedModeForgetTimersTurn(CFRunLoopRef loop, CFStringRef mode) {
    __CFRunLoopLock(loop);
    CFRunLoopModeRef rlm = __CFRunLoopFindMode(loop, mode, false);
    rlm->_portSet->timerIsNext = false;
    __CFRunLoopModeUnlock(rlm);
    __CFRunLoopUnlock(loop);
}
