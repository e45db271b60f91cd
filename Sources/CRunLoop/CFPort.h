/// CFPort.h: ports and port sets, the run loop's one narrow seam to the operating system. Nobody
/// else in it names epoll, eventfd or timerfd; CFPortSupport.c, beside it, offers the like to the
/// layer above. Internal.
///
///     on a Mac (all versions)               here
///     a mach port                           a file descriptor
///     a port set                            an epoll instance, with what it has just reported
///     the wake-up port                      an eventfd: a message sent is a count added, receiving
///     it sets the count to 0 mk_timer_create, _arm, _cancel        a timerfd on CLOCK_MONOTONIC
///     mach_msg, receiving on a port set     epoll_wait; epoll_pwait2, with its nanoseconds, for a
///     run with a limit
///
/// All descriptors are close-on-exec. Running out of them stops the program inside
/// __THE_SYSTEM_HAS_NO_PORTS_AVAILABLE__. [D6]
#if !defined(__COREFOUNDATION_CFPORT__)
#define __COREFOUNDATION_CFPORT__ 1

#include "Base/CFInternal.h"
#include <CoreFoundation/CFPortSupport.h>

CF_EXTERN_C_BEGIN

#define CFPORT_NULL ((__CFPort)-1)
/// What a set hands out for a client's port whose descriptor was closed, while the set still
/// reports its file. It is nobody's port: the set must be renewed. On a Mac (all
/// versions), MACH_PORT_DEAD.
#define CFPORT_DEAD ((__CFPort)-2)

/// The kernel's word for events that a port is waited for: the same for epoll and poll. A hang-up
/// of both ends and a failure come unasked.
CF_EXPORT uint32_t __CFWatchInterest(CFWatchEvents events);

// MARK: Ports

/// Makes a port that can be sent wake-ups.
CF_EXPORT __CFPort __CFPortAllocate(void);
/// Makes sure that a descriptor is to be had for what somebody else is about to make, who would
/// fail without a word. [D6]
CF_EXPORT void __CFPortCheckAvailable(const char *what);
/// Closes a port made by __CFPortAllocate or mk_timer_create; CFPORT_NULL is ignored.
CF_EXPORT void __CFPortFree(__CFPort port);
/// Sends a message that says nothing but "wake up". A second one sent before the first is received
/// adds nothing. Safe in a signal handler.
CF_EXPORT void __CFSendTrivialMachMessage(__CFPort port);
/// Receives all messages of a port, so that it is not reported as ready again, and returns whether
/// there were any. Never used on a client's descriptor. [D17]
CF_EXPORT Boolean __CFPortReceive(__CFPort port);
/// Whether there is something to receive on a single port; does not wait. A closed port has
/// nothing.
CF_EXPORT Boolean __CFPortIsReady(__CFPort port);

/// A port in words, for descriptions: its number and the kind of file that the descriptor is open
/// on at present, "5 (pipe)". "none" for CFPORT_NULL. The caller releases it.
CF_EXPORT CFStringRef __CFPortCopyDescription(__CFPort port);

// MARK: Timer ports

/// Makes a timer port, not armed.
CF_EXPORT __CFPort mk_timer_create(void);
/// Makes the port ready at `deadlineTSR`, and not before; whatever it reported before is forgotten.
CF_EXPORT void mk_timer_arm(__CFPort port, uint64_t deadlineTSR);
/// Disarms the port; whatever it reported before is forgotten. [D16]
CF_EXPORT void mk_timer_cancel(__CFPort port);

// MARK: Port sets

/// A set of ports that can be waited for together.
typedef struct __CFPortSet *__CFPortSet;

CF_EXPORT __CFPortSet __CFPortSetAllocate(void);
/// Closes the set; NULL is ignored. The ports in it stay open.
CF_EXPORT void __CFPortSetFree(__CFPortSet set);
/// Puts a client's port into the set, to be reported when one of the events has happened to it; if
/// it is there already, for these events from now on. Without events it is taken out. Returns 0, or
/// the errno that says why the set cannot wait for it [D20]; EBUSY if the number is that of a port
/// the run loop itself has in this set.
CF_EXPORT int __CFPortSetInsert(__CFPort port, CFWatchEvents events, __CFPortSet set);
/// Takes a client's port out, with what the set has reported of it. Does nothing if the port is not
/// there, if it was closed, or if its number now belongs to one of the run loop's own ports.
CF_EXPORT void __CFPortSetRemove(__CFPort port, __CFPortSet set);
/// Puts one of the run loop's own ports in, which must not fail: aborts if somebody has closed it.
/// A set tells its own ports from a client's by what they are, not by their number.
CF_EXPORT void __CFPortSetInsertOwn(__CFPort port, __CFPortSet set);
/// Puts a whole set into another. Returns 0, or the errno that says why not: the kernel limits how
/// deep sets may be nested (ELOOP), and over how many of them one port may be reached (EINVAL).
CF_EXPORT int __CFPortSetInsertSet(__CFPortSet inner, __CFPortSet set);
/// Takes one of the run loop's own ports, or a whole set, out. It must still be open.
CF_EXPORT void __CFPortSetRemoveOwn(__CFPort port, __CFPortSet set);
/// The set's own descriptor: readable as soon as a port in it is ready.
CF_EXPORT int __CFPortSetGetDescriptor(__CFPortSet set);
/// Call before the locks are given back for a wait: what comes into the set or leaves it from here
/// on makes __CFPortSetTakeNew look.
CF_EXPORT void __CFPortSetBeginWait(__CFPortSet set);
/// Waits until a port of the set is ready or `deadlineTSR` has come (0: only looks; UINT64_MAX: no
/// limit). One thread at a time waits on a set; it holds no lock meanwhile, so what the wait has
/// brought is put aside until __CFPortSetTakeNew.
CF_EXPORT void __CFPortSetWait(__CFPortSet set, uint64_t deadlineTSR);
/// Hands out a port that the wait just ended has found ready; CFPORT_NULL if there is none. If
/// `first` is among several, it is the one. The others are kept for __CFPortSetTake, in the order
/// in which the kernel reports them: in turn, so none starves another. The set's mode must be
/// locked, as for all that follows.
CF_EXPORT __CFPort __CFPortSetTakeNew(__CFPortSet set, __CFPort first);
/// Hands out a port that an earlier wait has found ready and that still is; CFPORT_NULL if there is
/// none, or no set. `first`, here as above, is one of the run loop's own ports.
CF_EXPORT __CFPort __CFPortSetTake(__CFPortSet set, __CFPort first);
/// Whether an earlier wait has found ports ready that have not been handed out.
CF_EXPORT Boolean __CFPortSetHasReported(__CFPortSet set);

CF_EXTERN_C_END

#endif
