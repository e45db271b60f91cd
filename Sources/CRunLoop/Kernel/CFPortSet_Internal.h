/// CFPortSet_Internal.h: the structure of a port set, for CFPortSet.c and the tests.
#if !defined(__COREFOUNDATION_CFPORTSET_INTERNAL__)
#define __COREFOUNDATION_CFPORTSET_INTERNAL__ 1

#include "CFPort.h"

/// A set that contains only the wake-up port, as those of most modes do, allocates no other memory.
struct __CFPortSet {
    CFLock_t lock;                   // guards the fields up to `hostEventIsSet`
    _Atomic(int) epoll;              // CFPORT_NULL until the kernel has to be asked; any thread
                                     // may read it without the lock
    __CFPort wakeUpPort;             // immutable
    __CFPort mainQueuePort;          // CFPORT_NULL: the set does not wait for the main queue
    __CFPort timerDescriptor;        // CFPORT_NULL unless the set has a host and has had a timer
    CFMutableDictionaryRef clients;  // a client's port → its number; NULL until there is one
    uint32_t insertions;             // how many clients' ports were inserted so far
    int host;                        // what the host waits for; CFPORT_NULL: no host; the lock of
                                     // the set's mode guards it as well
    int hostEvent;                   // an eventfd in `host`
    Boolean hostEventIsSet;
    // Any thread uses these without the lock.
    _Atomic(Boolean) *wakeUpSent;    // see __CFPortSetAllocate; immutable
    _Atomic(uint32_t) changes;       // how often a client's port was inserted or removed
    _Atomic(int32_t) foreignCount;   // the ports that only the kernel knows about, and the host
    _Atomic(Boolean) isAsleep;       // the thread sleeps, or is about to
    _Atomic(uint64_t) timerDeadline; // UINT64_MAX: not armed, or reported already
    // Only the waiting thread uses these.
    Boolean timerIsNext;             // another port was reported since the timer
    uint32_t seenChanges;            // `changes` before the last wait
};

#endif
