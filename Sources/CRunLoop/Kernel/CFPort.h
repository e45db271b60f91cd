/// CFPort.h: ports and port sets, through which the run loop uses the kernel. Internal.
///
/// In the run loop, only CFPort.c and CFPortSet.c use epoll, eventfd and timerfd. (CFPortSupport.c
/// uses epoll and eventfd for single descriptors of the layer above.)
///
///     on a Mac (all versions)               here
///     a mach port                           a file descriptor
///     a port set                            an epoll instance
///     the wake-up port                      an eventfd: sending adds to its count, receiving sets
///                                           the count to 0
///     mk_timer_create, _arm, _cancel        a deadline, stored in the port set, which waits no
///                                           longer than that. If another event loop waits in the
///                                           set's place (CFRunLoopEmbedding.c), a timerfd as well
///     mach_msg, receiving on a port set     epoll_wait; epoll_pwait2, which takes nanoseconds, if
///                                           the run has a limit or a timer is armed
///
/// All descriptors are close-on-exec. When the process has no more of them, it aborts inside
/// __THE_SYSTEM_HAS_NO_PORTS_AVAILABLE__. [D6]
#if !defined(__COREFOUNDATION_CFPORT__)
#define __COREFOUNDATION_CFPORT__ 1

#include "../Base/CFInternal.h"
#include <CoreFoundation/CFPortSupport.h>

CF_EXTERN_C_BEGIN

#define CFPORT_NULL ((__CFPort)-1)
/// A wait reports this if the kernel still watches a file whose descriptor the client has closed.
/// It is the port of no source. The caller must renew the set. The name follows MACH_PORT_DEAD.
#define CFPORT_DEAD ((__CFPort)-2)
/// The timer port of any set. It is no descriptor.
#define CFPORT_TIMER ((__CFPort)-3)

// MARK: Ports

/// Creates a port that wake-ups can be sent to.
CF_PRIVATE __CFPort __CFPortAllocate(void);
/// Aborts if no descriptor is available for `what`, which another library is about to create. That
/// library would fail without a message. [D6]
CF_PRIVATE void __CFPortCheckAvailable(const char *what);
/// Closes a port that __CFPortAllocate created. Ignores CFPORT_NULL.
CF_PRIVATE void __CFPortFree(__CFPort port);
/// Sends a message that has no content but "wake up". A second one, sent before the first is
/// received, changes nothing. Safe in a signal handler.
CF_PRIVATE void __CFSendTrivialMachMessage(__CFPort port);
/// Receives all messages of a port, and returns whether there were any. Never call it with a
/// client's descriptor. [D17]
CF_PRIVATE Boolean __CFPortReceive(__CFPort port);
/// Returns whether a single port has something to receive. Does not wait. A closed port has
/// nothing.
CF_PRIVATE Boolean __CFPortIsReady(__CFPort port);

/// Returns a port in words, for descriptions: its number, and the kind of file that the descriptor
/// is open on at present, such as "5 (pipe)", or "none" for CFPORT_NULL. The caller releases it.
CF_PRIVATE CFStringRef __CFPortCopyDescription(__CFPort port);

// MARK: For CFPortSet.c

#define NSEC_PER_SEC 1000000000ULL

/// Returns the kernel's flags for the events that a port is waited for. They are the same for epoll
/// and poll. The kernel always reports hang-ups of both ends and errors as well.
CF_PRIVATE uint32_t __CFWatchInterest(CFWatchEvents events);
/// Returns a descriptor that `call` has just created for `what`. If there is none, aborts inside a
/// function that names the cause.
CF_PRIVATE __CFPort __CFPortCheckNew(int descriptor, const char *call, const char *what);
/// Aborts because `call` has failed on one of the run loop's own descriptors, inside a function
/// that names the cause.
CF_PRIVATE void __CFPortCallFailed(const char *call, int port, int error) __attribute__((noreturn));

// MARK: Port sets

/// A set of ports that a thread can wait for together. It has no descriptor until it has to ask the
/// kernel about one of its ports.
///
/// One thread at a time waits on a set, with no other lock held. Other threads may call the
/// functions below meanwhile, so the set has its own lock.
typedef struct __CFPortSet *__CFPortSet;

/// Creates a set that contains one of the run loop's own ports, the one that wake-ups are sent to.
/// `sent` says whether that port may have a message: a sender sets it after sending, and the wait
/// clears it before receiving. So a non-blocking wait need not ask the kernel about this port.
CF_PRIVATE __CFPortSet __CFPortSetAllocate(__CFPort wakeUpPort, _Atomic(Boolean) *sent);
/// Closes the set. Ignores NULL. The ports in it stay open.
CF_PRIVATE void __CFPortSetFree(__CFPortSet set);
/// Returns the set's own descriptor, which is readable while a port in the set is ready, or
/// CFPORT_NULL if the set has none yet.
CF_PRIVATE int __CFPortSetGetDescriptor(__CFPortSet set);

/// Inserts a client's port. A wait reports it when one of the events has happened. If the port is
/// in the set already, this changes its events. If `events` is 0, this removes it. Returns 0, or
/// the errno that says why the kernel cannot wait for the port [D20], or EBUSY if the number is
/// that of one of the run loop's own ports in this set.
CF_PRIVATE int __CFPortSetInsert(__CFPort port, CFWatchEvents events, __CFPortSet set);
/// Removes a client's port. Does nothing if the port is not in the set, if it was closed, or if its
/// number now belongs to one of the run loop's own ports.
CF_PRIVATE void __CFPortSetRemove(__CFPort port, __CFPortSet set);
/// Makes `port` the main dispatch queue's port of the set, or removes that port: CFPORT_NULL. A
/// wait that reports it also receives its messages.
CF_PRIVATE void __CFPortSetSetMainQueuePort(__CFPort port, __CFPortSet set);
/// Replaces the kernel's part of the set. The run loop's own ports stay in it; the caller inserts
/// the clients' ports again.
CF_PRIVATE void __CFPortSetRenew(__CFPortSet set);
/// Returns whether a client's port was inserted or removed since the last wait. Then the port that
/// the wait has returned may be another file by now. Call on the thread that waits.
CF_PRIVATE Boolean __CFPortSetHasChanged(__CFPortSet set);

// MARK: Timer ports

/// Returns the timer port of a set, which every set has. It is not armed.
CF_PRIVATE __CFPort mk_timer_create(__CFPortSet set);
/// Makes the timer port ready at `deadlineTSR`, and not before. A wait reports it once. If a thread
/// is waiting for a later deadline, it does not return, but waits for this one instead. Returns
/// false if the port is armed for that moment already. Calls of this function and of
/// mk_timer_cancel for one set must not overlap.
CF_PRIVATE Boolean mk_timer_arm(__CFPortSet set, uint64_t deadlineTSR);
/// Disarms the timer port. If it has gone off, no wait reports that any more. [D16]
CF_PRIVATE void mk_timer_cancel(__CFPortSet set);

// MARK: Waiting

/// Waits until a port of the set is ready, or until `deadlineTSR` (0: does not wait; UINT64_MAX: no
/// limit). Returns the port, or CFPORT_NULL if there is none. If several are ready, each wait
/// returns another one in turn, the timer port among them, so no port starves another one. Call
/// with nothing locked.
CF_PRIVATE __CFPort __CFPortSetWait(__CFPortSet set, uint64_t deadlineTSR);

// MARK: Hosts (CFRunLoopEmbedding.c)

/// Creates the descriptor that another event loop, the host, waits for in the set's place. It is
/// readable while a port of the set is ready. Returns 0, or the errno that says why not: the kernel
/// limits how deep sets may be nested (ELOOP), and through how many of them one port may be reached
/// (EINVAL).
CF_PRIVATE int __CFPortSetEmbed(__CFPortSet set);
/// Returns that descriptor, or CFPORT_NULL if the set has no host.
CF_PRIVATE int __CFPortSetGetHostDescriptor(__CFPortSet set);
/// Makes that descriptor readable although no port is ready, or takes that back. The set has a
/// host.
CF_PRIVATE void __CFPortSetSetHostEvent(__CFPortSet set, Boolean hasWork);

CF_EXTERN_C_END

#endif
