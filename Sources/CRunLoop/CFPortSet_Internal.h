/// CFPortSet_Internal.h: the structure of a port set, for CFPortSet.c and CFPortSetWait.c.
#if !defined(__COREFOUNDATION_CFPORTSET_INTERNAL__)
#define __COREFOUNDATION_CFPORTSET_INTERNAL__ 1

#include "CFPort.h"
#include <sys/epoll.h>

CF_EXTERN_C_BEGIN

// MARK: - The structure

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
/// It is the wake-up port or the timerfd: the set knows without the kernel whether it is ready.
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

/// A set that contains only the wake-up port, as those of most modes do, allocates no other memory.
/// The fields stand in an order that needs little padding.
struct __CFPortSet {
    int epoll;                       // CFPORT_NULL until the kernel has to be asked
    CFLock_t lock;                   // guards the fields up to `hasOrphans`
    struct __CFPortSlot *slots;      // the ports in the set: a hash table with linear probing
    struct __CFPortSlot fewSlots[2]; // `slots` points here if they suffice
    uint32_t portCount;
    uint32_t insertions;             // how many identities the set has given
    _Atomic(Boolean) *wakeUpSent;    // see __CFPortSetInsertWakeUp; NULL: there is no such port
    __CFPortSet host;                // the set that this one is in; the mode's lock guards it, too
    __CFPort wakeUpPort;             // immutable once inserted
    __CFPort timerDescriptor;        // CFPORT_NULL unless the set is in a host and has had a timer
    _Atomic(uint32_t) changes;       // how often a port was inserted or removed; read without lock
    uint8_t slotBits;                // it has 2^slotBits slots; a quarter or more of them are free
    Boolean hasOrphans;              // the kernel may report files that are no longer in the table
    // Any thread uses these without the lock.
    _Atomic(Boolean) isAsleep;       // the thread sleeps, or is about to
    _Atomic(uint64_t) timerDeadline; // UINT64_MAX: not armed, or reported already
    _Atomic(int32_t) foreignCount;   // the ports that only the kernel knows about, and the host
    // The kernel has reported reported[next ..< count], and no wait has returned them yet. Only the
    // waiting thread adds and returns reports. When another thread removes a port, it replaces the
    // report by NO_PORT. Both have the lock.
    struct epoll_event fewReports[1]; // `reported` points here until the set needs more
    struct epoll_event *reported;
    uint8_t next, count;
    // Only the waiting thread uses these. The mode's lock guards callsOutBeforeWait.
    uint8_t room;                    // how many reports fit
    Boolean isFresh;                 // no callback has run since they were reported
    Boolean timerIsNext;             // another port was reported since the timer
    Boolean callsOutBeforeWait;      // see __CFPortSetSetCallsOutBeforeWait
    Boolean seenOrphans;             // hasOrphans before the wait
    __CFPort firstPort;              // the next wait reports this one first: __CFPortSetPollPort
    uint32_t seenChanges;            // `changes` before the wait
};

// MARK: - The table of its ports

static inline __CFPortIdentity __CFPortIdentityMake(uint32_t upperHalf, __CFPort port) {
    return (uint64_t)(upperHalf & ~EVENTS) << 32 | (uint32_t)port;
}

/// Returns the slot of a port, or the free slot that ends the search for it. Most of a set's
/// numbers are consecutive; the multiplication (2^32 divided by the golden ratio) spreads them.
static inline struct __CFPortSlot *__CFPortSetFindSlot(__CFPortSet set, __CFPort port) {
    uint32_t i = (uint32_t)port * 0x9E3779B1U >> (32 - set->slotBits);
    while (set->slots[i].upperHalf && set->slots[i].port != port)
        i = (i + 1) & ((1U << set->slotBits) - 1);
    return &set->slots[i];
}

/// Returns the upper half of a port's identity, or 0 if the port is not in the set.
static inline uint32_t __CFPortSetGetUpperHalf(__CFPortSet set, __CFPort port) {
    return __CFPortSetFindSlot(set, port)->upperHalf;
}

/// Returns the events that the set waits for on a port.
static inline CFWatchEvents __CFPortSetGetEvents(__CFPortSet set, __CFPort port) {
    return (__CFPortSetGetUpperHalf(set, port) & EVENTS) >> EVENTS_SHIFT;
}

static inline Boolean __CFPortSetHasOwn(__CFPortSet set, __CFPort port) {
    return (__CFPortSetGetUpperHalf(set, port) & OWN_PORT) != 0;
}

/// Returns whether a report names a port as it is in the set. Otherwise the number now belongs to
/// another file or to one of the run loop's own ports, or the set has no such port any more.
static inline Boolean __CFPortSetHasIdentity(__CFPortSet set, __CFPortIdentity reported) {
    __CFPort port = (__CFPort)(uint32_t)reported;
    uint32_t upperHalf = __CFPortSetGetUpperHalf(set, port);
    return upperHalf && reported == __CFPortIdentityMake(upperHalf, port);
}

// MARK: - CFPortSet.c

/// Calls epoll_ctl for a port with these events, kind and number. Returns 0 or an errno. Call with
/// the set's lock.
CF_PRIVATE int __CFPortSetControl(__CFPortSet set, int operation, __CFPort port,
                                 uint32_t upperHalf);
/// Creates the kernel's part of the set if it has none. Call with the set's lock.
CF_PRIVATE void __CFPortSetOpen(__CFPortSet set);
/// Aborts if `error` is not 0: the run loop's own port has been closed by other code.
CF_PRIVATE void __CFPortSetCheckOwn(int error, __CFPort port);

CF_EXTERN_C_END

#endif
