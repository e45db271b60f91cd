/// CFPortSet_Internal.h: the structure of a port set on Linux, and what the files about ports share
/// there. The tests use it, too.
#if !defined(__COREFOUNDATION_CFPORTSET_INTERNAL__)
#define __COREFOUNDATION_CFPORTSET_INTERNAL__ 1

#include "../Base/CFInternal.h"
#include <sys/epoll.h>

CF_EXTERN_C_BEGIN

/// NULL if the C library does not have it: glibc before 2.35, and musl.
extern int epoll_pwait2(int, struct epoll_event *, int, const struct timespec *, const sigset_t *)
    __attribute__((weak));

// MARK: - CFPort.c, for CFPortSet.c and CFPortSupport.c

/// Returns the kernel's flags for the events that a port is waited for. They are the same for epoll
/// and poll. The kernel always reports hang-ups of both ends and errors as well.
CF_PRIVATE uint32_t __CFWatchInterest(CFWatchEvents events);
/// Returns a descriptor above the standard ones, 0 to 2, for the file of `descriptor`, which may be
/// -1. A program that was started with one of them closed expects to get it from its next open or
/// dup2, not to find it taken. Otherwise returns -1 and errno.
CF_PRIVATE int __CFDescriptorMoveUp(int descriptor);
/// Returns the descriptor that `call` has just created for `what`, moved out of the way of the
/// standard ones. If there is none, aborts inside a function that names the cause.
CF_PRIVATE __CFPort __CFPortCheckNew(int descriptor, const char *call, const char *what);
/// Aborts because `call` has failed on one of the run loop's own descriptors, inside a function
/// that names the cause.
CF_PRIVATE void __CFPortCallFailed(const char *call, int port, int error) __attribute__((noreturn));

// MARK: - CFPortSet.c

/// A set that contains only the wake-up port, as those of most modes do, allocates no other memory.
struct __CFPortSet {
    CFLock_t lock;                   // guards the fields up to `hostEventIsSet`
    _Atomic(int) epoll;              // CFPORT_NULL until the kernel has to be asked; any thread
                                     // may read it without the lock
    __CFPort wakeUpPort;             // immutable
    __CFPort mainQueuePort;          // CFPORT_NULL: the set does not wait for the main queue
    __CFPort timerDescriptor;        // for the host, a timerfd; CFPORT_NULL until it needs one
    CFMutableDictionaryRef clients;  // a client's port → its number; NULL until there is one
    uint32_t insertions;             // how many clients' ports were inserted so far
    int host;                        // what the host waits for; CFPORT_NULL: no host; the lock of
                                     // the set's mode guards it as well
    int hostEvent;                   // an eventfd in `host`
    Boolean hostEventIsSet;          // `hostEvent` is readable
    Boolean hostIsElsewhere;         // see __CFPortSetHostIsElsewhere
    Boolean hostIsMuted;             // `host` contains nothing, because a run goes on
    // Any thread uses these without the lock.
    _Atomic(Boolean) *wakeUpSent;    // see __CFPortSetAllocate; immutable
    _Atomic(uint32_t) changes;       // how often a client's port was inserted or removed
    _Atomic(int32_t) foreignCount;   // the ports that only the kernel knows about, and the host
    _Atomic(Boolean) isAsleep;       // the thread sleeps, or is about to
    _Atomic(uint64_t) timerDeadline; // when the timer port becomes ready; UINT64_MAX: not armed,
                                     // or reported already
    // Only the waiting thread uses these.
    Boolean timerIsNext;             // another port was reported since the timer was
    uint32_t seenChanges;            // how high `changes` was before the last wait
};

CF_EXTERN_C_END

#endif
