/// Faults.h: system calls and allocations that fail when a test says so.
///
/// Faults.c defines the calls below for the whole program, in place of the C library's. While faults are on, each call is counted and its
/// kind recorded; the call with the requested number fails with the requested error. So a test can run a program once to learn its calls,
/// and then once more for each of them, in a child, with that call failing.
#if !defined(FAULTS_H)
#define FAULTS_H 1

#include "CTests.h"
#include <stdint.h>

/// The calls that can fail.
#define FAULT_KINDS(X)                                                                                                  \
    X(eventfd) X(epoll_create1) X(epoll_ctl_add) X(epoll_ctl_del) X(epoll_wait) X(epoll_pwait2) X(timerfd_create)         \
    X(timerfd_settime) X(read) X(write) X(poll) X(pthread_key_create) X(pthread_setspecific) X(malloc) X(calloc) X(realloc)

#define FAULT_ENUM(name) Fault_##name,
typedef enum FaultKind { FAULT_KINDS(FAULT_ENUM) FaultKindCount } FaultKind;
/// "epoll_wait" and so on.
extern const char *const FaultNames[FaultKindCount];

/// The sanitizers bring their own allocators and thread-specific data, which take precedence over ours. So under a sanitizer no allocation
/// and no pthread key can be made to fail.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FAULTS_UNDER_SANITIZER 1
#endif
#endif
#if !defined(FAULTS_UNDER_SANITIZER)
#define FAULTS_UNDER_SANITIZER 0
#endif

/// Kinds as a set.
#define FAULT(name) (1u << Fault_##name)
#define ALL_WAITS (FAULT(epoll_wait) | FAULT(epoll_pwait2))
#define ALL_ALLOCATIONS (FAULT(malloc) | FAULT(calloc) | FAULT(realloc))
/// The library creates its pthread key before main begins, so no test sees that call.
#define ALL_SYSTEM_CALLS (FAULT(poll) * 2 - 1 | (FAULTS_UNDER_SANITIZER ? 0 : FAULT(pthread_setspecific)))

/// Error numbers of our own: the first makes a wait return 0, as if its time had passed; the second makes a wait report a port that is not
/// ready. The third is for any call, in which its thread then stays.
enum { FaultReturnsNothing = -1, FaultReportsSpuriousPort = -2, FaultNeverReturns = -3 };

enum { FaultMostCalls = 4096 };

typedef struct FaultPlan {
    unsigned kinds;                         // the kinds of calls that are counted, and may fail
    unsigned spared;                        // the kinds among them that are counted and never fail
    int first, count;                       // the calls that fail: `count` of them, beginning with number `first`; the first call is 1
    int error;                              // the error
    int spuriousPort;                       // for FaultReportsSpuriousPort
    int mostCalls;                          // after more calls the process ends with the status FaultSpins; 0 means FaultMostCalls
    _Atomic(int) calls;                     // how many calls there were
    _Atomic(int) failed;                    // how many of them failed
    _Atomic(uint8_t) kindOf[FaultMostCalls + 1]; // the kind of each call, by its number
} FaultPlan;

enum { FaultSpins = 99 };

/// The plan that the calls follow. A test that wants to read it in the parent puts it into shared memory.
extern FaultPlan *Faults;

/// Called once, after the next epoll_wait or epoll_pwait2 and before the caller sees the result. It stands for what another thread might do
/// at that moment.
extern void (^_Atomic AfterEpollWait)(void);
/// Faults are on between these two calls, in all threads. A callback may turn faults off and on again, to exclude its own calls from the
/// count.
void FaultsOn(void);
void FaultsOff(void);
/// Turns faults on with a new plan: the next `count` calls of these kinds fail with `error`.
void FailNext(unsigned kinds, int count, int error);
/// The same with no call that fails. More than `most` calls of these kinds end the case.
void CountCalls(unsigned kinds, int most);

#endif
