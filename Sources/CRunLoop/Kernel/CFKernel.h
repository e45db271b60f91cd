/// CFKernel.h: everything that the run loop asks of the system. Internal.
///
/// Two kernels offer it. The one for Linux is part of every build of the library: CFLinux.c,
/// CFSymbolTable.c and the ports. The simulated one, CRunLoopSimulated, is for tests and for a run
/// loop in a web page. In it, ports are counters, the clock is a number that jumps to the next
/// event when all threads wait, and a seed decides which thread goes first. CFPlatform.c uses only
/// what this header declares, so it serves both. No other code calls the system or knows its
/// errors. CFRunLoopEmbedding.c speaks of epoll, because its clients use it.
///
///     on a Mac                              on Linux
///     a mach port                           a file descriptor
///     a port set                            an epoll instance
///     the wake-up port                      an eventfd: sending adds to its count, receiving sets
///                                           the count to 0
///     mk_timer_create, _arm, _cancel        a deadline, stored in the port set, which waits no
///                                           longer than that. If another event loop waits in the
///                                           set's place (CFRunLoopEmbedding.c), a timerfd as well
///     mach_msg, receiving on a port set     epoll_wait; epoll_pwait2, which takes nanoseconds, if
///                                           the run has a limit or a timer is armed
///     mach_absolute_time                    CLOCK_MONOTONIC
///     slots in the pthread                  a table of the thread's own (__thread)
///
/// All descriptors are close-on-exec. When the process has no more of them, it aborts inside
/// __THE_SYSTEM_HAS_NO_PORTS_AVAILABLE__. [D6]
#if !defined(__COREFOUNDATION_CFKERNEL__)
#define __COREFOUNDATION_CFKERNEL__ 1

#include "../Base/CFRuntime.h"
#include <CoreFoundation/CFPortSupport.h>
#include <pthread.h> // both kernels have what the library uses of it

CF_EXTERN_C_BEGIN

// MARK: - Threads

/// Asks the system for the calling thread's number.
CF_PRIVATE pid_t __CFThreadAskNumber(void);
/// Asks the system for the number of the process's first thread, which on Linux is that of the
/// process.
CF_PRIVATE pid_t __CFThreadAskFirstNumber(void);
#if defined(CF_CHECK_LOCKS)
/// Returns whether the calling thread holds the lock.
CF_PRIVATE Boolean __CFThreadHoldsLock(pthread_mutex_t *lock);
#endif
/// Creates the key whose destructor the system calls when a thread ends. From then on the code of
/// this library stays in the process. Returns 0 or an errno.
CF_PRIVATE int __CFThreadKeyCreate(pthread_key_t *key, void (*destructor)(void *value));

// MARK: - Thread-specific data, and the main thread (CFPlatform.c)
//
// All of the library's variables that each thread has for itself are declared here, because the
// simulated kernel exchanges them when it switches from one thread to another.

/// The slots of a thread's table.
enum {
    __CFTSDKeyIsInGCDMainQ = 2,
    __CFTSDKeyMainThread = 3,
    __CFTSDKeyAutorelease = 4,
    __CFTSDKeyRunLoop = 10,
    __CFTSDKeyRunLoopCntr = 11,
    CF_TSD_MAX_SLOTS = 12
};
/// One value of a thread, and the function that it is given to when the thread ends.
struct __CFTSDSlot {
    void *value;
    void (*destructor)(void *);
};
/// The calling thread's table. It is part of the thread itself, so even a destructor that runs
/// after everything else is gone can use it, and it never leaks. [D5]
CF_PRIVATE __thread struct __CFTSDSlot __CFTSDTable[CF_TSD_MAX_SLOTS]
    __attribute__((visibility("hidden")));
/// Whether the key is set for this thread, so that the system will call __CFTSDFinalize.
CF_PRIVATE __thread Boolean __CFTSDKeyIsSet __attribute__((visibility("hidden")));
/// How many destructor rounds the ending thread has completed.
CF_PRIVATE __thread int __CFTSDRounds __attribute__((visibility("hidden")));
/// Returns the calling thread's value in `slot`, or NULL if there is none.
CF_INLINE void *_CFGetTSD(uint32_t slot) {
    return slot < CF_TSD_MAX_SLOTS ? __CFTSDTable[slot].value : NULL;
}
/// Sets the calling thread's value in `slot`, and returns the old one. When the thread ends, it
/// calls `destructor` (which may be NULL) with the value. If the destructor sets the slot again,
/// the thread calls it again in the next destructor round.
CF_PRIVATE void *_CFSetTSD(uint32_t slot, void *newVal, void (*destructor)(void *));
/// The calling thread's number in the system; 0: it has not asked yet.
CF_PRIVATE __thread pid_t __CFKnownThreadNumber __attribute__((visibility("hidden")));
/// The number of the process's first thread; 0: no thread has asked yet.
CF_PRIVATE pid_t __CFMainThreadNumber;
/// Asks for both numbers. The library may be used before its own constructors have run, by a
/// constructor of the program or by a C++ global, so no constructor has to do this.
CF_PRIVATE void __CFThreadLearnNumbers(void);
/// Records that the calling thread is the process's first.
CF_PRIVATE void __CFMainThreadIsThisOne(void);
/// Returns the calling thread's number in the system. Each thread makes the system call only once.
/// Safe in a signal handler once a run loop exists.
CF_INLINE pid_t __CFThreadNumber(void) {
    if (CF_UNLIKELY(!__CFKnownThreadNumber)) __CFThreadLearnNumbers();
    return __CFKnownThreadNumber;
}
/// Returns whether the caller runs on the process's first thread: 1 or 0.
CF_INLINE int pthread_main_np(void) { return __CFThreadNumber() == __CFMainThreadNumber; }

// MARK: - Clocks

#define NSEC_PER_SEC 1000000000ULL

/// Returns the time of the monotonic clock, in nanoseconds. Safe in a signal handler.
///
/// On a Mac a program asks for the clock's tick rate at start-up. Here a tick is always a
/// nanosecond. The library never asks clock_getres, which says 4 ms for a coarse clock although
/// times still count nanoseconds. [D1]
CF_PRIVATE uint64_t mach_absolute_time(void);
#if !defined(__CFSignalTime) // the simulated kernel, whose clock stands still, has another
/// The time of a signal, for the order of signaled sources; never 0. Safe in a signal handler.
#define __CFSignalTime() mach_absolute_time()
#endif
/// Returns the time of the wall clock, since 1970.
CF_PRIVATE struct timespec __CFWallClockGetTime(void);

// MARK: - What the library says, objects, and the names of functions

/// Prints a line on stderr, prefixed with the program's name and pid. The caller may hold locks.
CF_PRIVATE void __CFPrintLine(const char *format, va_list arguments);

/// Returns the number of a new object, which is its hash, or 0: its address is its hash.
CF_PRIVATE uint32_t __CFObjectNextNumber(void);

/// The function at or around an address, and the file that contains it.
typedef struct __CFSymbol {
    const char *name;  // each is NULL if it is not known
    const void *start;
    const char *file;
} __CFSymbol;
CF_PRIVATE __CFSymbol __CFSymbolFind(const void *function);

// MARK: - Ports

#define CFPORT_NULL ((__CFPort)-1)
/// A wait reports this if the kernel still watches a file whose descriptor the client has closed.
/// It is the port of no source. The caller must renew the set. The name follows MACH_PORT_DEAD.
#define CFPORT_DEAD ((__CFPort)-2)
/// The timer port of any set. It is no descriptor.
#define CFPORT_TIMER ((__CFPort)-3)

/// Creates a port that wake-ups can be sent to.
CF_PRIVATE __CFPort __CFPortAllocate(void);
/// Returns the port that `make`, a function of another library, creates. It is no standard
/// descriptor. Aborts if none is available for `what`: that library would give no reason. [D6]
CF_PRIVATE __CFPort __CFPortMake(__CFPort (*make)(void), const char *what);
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

// MARK: - Port sets

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
/// Says what such an errno means for the source whose port it is, in whole sentences.
CF_PRIVATE const char *__CFPortSetWhyNotInserted(int error);
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

// MARK: - Timer ports

/// Returns the timer port of a set, which every set has. It is not armed.
CF_PRIVATE __CFPort mk_timer_create(__CFPortSet set);
/// Makes the timer port ready at `deadlineTSR`, and not before. A wait reports it once. If a thread
/// is waiting for a later deadline, it does not return, but waits for this one instead. Returns
/// false if the port is armed for that moment already. Calls of this function and of
/// mk_timer_cancel for one set must not overlap.
CF_PRIVATE Boolean mk_timer_arm(__CFPortSet set, uint64_t deadlineTSR);
/// Disarms the timer port. If it has gone off, no wait reports that any more. [D16]
CF_PRIVATE void mk_timer_cancel(__CFPortSet set);

// MARK: - Waiting

/// Waits until a port of the set is ready, or until `deadlineTSR` (0: does not wait; UINT64_MAX: no
/// limit). Returns the port, or CFPORT_NULL if there is none. If several are ready, each wait
/// returns another one in turn, the timer port among them, so no port starves another one. Call
/// with nothing locked.
CF_PRIVATE __CFPort __CFPortSetWait(__CFPortSet set, uint64_t deadlineTSR);

// MARK: - Hosts (CFRunLoopEmbedding.c)

/// Creates the descriptor that another event loop, the host, waits for in the set's place. It is
/// readable while a port of the set is ready. Returns 0, or the errno that says why not: the kernel
/// limits how deep sets may be nested (ELOOP), and through how many of them one port may be reached
/// (EINVAL). Call it once for a set.
CF_PRIVATE int __CFPortSetEmbed(__CFPortSet set);
/// Says what such an errno means for the mode, in a whole sentence.
CF_PRIVATE const char *__CFPortSetWhyNotEmbedded(int error);
/// Returns that descriptor, or CFPORT_NULL if the set has no host.
CF_PRIVATE int __CFPortSetGetHostDescriptor(__CFPortSet set);
/// Makes that descriptor readable although no port is ready, or takes that back. The set has a
/// host.
CF_PRIVATE void __CFPortSetSetHostEvent(__CFPortSet set, Boolean hasWork);
/// Says that the host waits on another thread than the one that waits for the set. From now on that
/// descriptor is not readable between the two calls below.
CF_PRIVATE void __CFPortSetHostIsElsewhere(__CFPortSet set);
/// Makes that descriptor readable; unreadable if the host is elsewhere. The set has a host.
CF_PRIVATE void __CFPortSetBeginHostsRun(__CFPortSet set);
/// Takes that back if the host is elsewhere.
CF_PRIVATE void __CFPortSetEndHostsRun(__CFPortSet set);

CF_EXTERN_C_END

#endif
