/// Faults.h: system calls and allocations that fail when a test says so.
///
/// Faults.c defines the calls below in front of the C library's, for this whole program. While faults are on, each of them is counted and
/// its kind written down; the one whose number is asked for fails, with the error that is asked for. So a test can run a program once to
/// learn its calls, and then once more for each of them, in a child, to see that call fail.
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

/// The sanitizers bring allocators and thread-specific data of their own, which stand in front of ours: under one of them no allocation
/// can be made to fail, and no pthread key.
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
/// The library has made its pthread key before main began, so no test sees that call.
#define ALL_SYSTEM_CALLS (FAULT(poll) * 2 - 1 | (FAULTS_UNDER_SANITIZER ? 0 : FAULT(pthread_setspecific)))

/// An error number that makes a wait return 0, as if its time were over, and one that makes it report a port that is not ready.
/// The last one is for any call: its thread stays in it.
enum { FaultReturnsNothing = -1, FaultReportsSpuriousPort = -2, FaultNeverReturns = -3 };

enum { FaultMostCalls = 4096 };

typedef struct FaultPlan {
    unsigned kinds;                         // the kinds of calls that are counted, and may fail
    int first, count;                       // the numbers of those that fail: `count` of them from `first` on; 1 is the first call
    int error;                              // how
    int spuriousPort;                       // for FaultReportsSpuriousPort
    int mostCalls;                          // one call more, and the process ends with the status FaultSpins; 0: FaultMostCalls
    _Atomic(int) calls;                     // how many there were
    _Atomic(int) failed;                    // how many of them failed
    _Atomic(uint8_t) kindOf[FaultMostCalls + 1]; // by number
} FaultPlan;

enum { FaultSpins = 99 };

/// What the interposed calls go by. A test that wants to read it from the parent puts it into shared memory.
extern FaultPlan *Faults;

/// Done once, after the next epoll_wait or epoll_pwait2 and before the caller sees what it has reported: what another thread might do in that moment.
extern void (^_Atomic AfterEpollWait)(void);
/// Faults are on between these two, in all threads. They nest the other way round, too: a callback may take its own calls out of the
/// counting by turning faults off and on again.
void FaultsOn(void);
void FaultsOff(void);

/// A piece of memory, all zero, that children of fork share with this process.
void *SharedMemory(size_t size);

#endif
