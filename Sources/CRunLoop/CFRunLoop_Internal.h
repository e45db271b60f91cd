/// CFRunLoop_Internal.h: the structs of the run loop, and what its files offer to each other, in
/// the order of the files in CRunLoop.c. Start reading here. Internal.
///
/// "The original" is Apple's CFRunLoop, of which there are three published versions: CF-855, which
/// the articles read, CF-1153, and the current source. What the comments say of the original holds
/// in all three, unless they name one.
///
/// The structs have CF-1153's fields under its names and in its order, without those for Windows
/// and for dispatch timers. The fields that this project adds follow the original's, under "Here".
/// (In CF-855 the loop has no _runTime and no _sleepTime. In the current source the loop has no
/// _unused. A source has the current source's _signaledTime, which is _bits in the other two.)
///
/// How to read the comments at the fields:
///
///     immutable          set when the object is created, and read without a lock
///     no lock            atomic: any thread may read and write it at any time
///     the loop's thread  only that thread uses it, so it needs no lock
///     loop               guarded by the lock of the loop that the timer is in
///     nothing said       guarded by the lock of its own struct
///
/// A thread takes locks in this order: the registry's, a run loop's, a mode's, an item's (source,
/// observer, timer). It changes a mode only with the loop and the mode locked, so it may read a
/// mode with one of the two. It holds no lock while a client's callback runs, except for the
/// `equal` and `hash` of a source, because the sets call these, and the `retain` of a twin.
/// "DOES CALLOUT" marks a function that calls code of the client.
///
/// Letters in brackets, such as [D4], name a difference from the original, with its reason:
/// Documentation/Reference/differences.md. Other letters, such as (S4), name what the articles
/// claim: ANNOTATIONS.md, section 3.
#if !defined(__COREFOUNDATION_CFRUNLOOP_INTERNAL__)
#define __COREFOUNDATION_CFRUNLOOP_INTERNAL__ 1

#include "Base/CFInternal.h"
#include <CoreFoundation/CFRunLoopTrace.h>
#include <CoreFoundation/ForFoundationOnly.h>

CF_EXTERN_C_BEGIN

typedef struct __CFRunLoopMode *CFRunLoopModeRef;

/// 16 years, in seconds. A time limit above it means no limit, and a timer's interval above it is
/// shortened to it.
#define TIMER_INTERVAL_LIMIT 504911232.0

// MARK: - The structs

/// The data of one active run of a loop. Runs nest, and each has its own record. CFRunLoopStop and
/// CFRunLoopWakeUp use the record of the innermost run.
///
/// A signal handler may call both, so they take no lock. Their run may have ended by the time that
/// they write to its record. So the loop frees no record before it is deallocated, and the fields
/// that the two functions use are atomic.
typedef struct _per_run_data {
    uint32_t a;                         // 'CFRL', so that you find it in a memory dump
    uint32_t b;
    _Atomic(uint32_t) stopped;          // 'STOP' after CFRunLoopStop, otherwise 0; no lock
    _Atomic(uint32_t) ignoreWakeUps;    // 'WAKE' while no wake-up is needed, otherwise 0; no lock
    // Here: the loop's thread alone
    struct _per_run_data *previous;     // the run around this one; in a spare record, the next one
                                        // (a local variable in the original)
    Boolean _hasNested;                 // a run nested in it has ended since it last woke up [D36]
} _per_run_data;

/// A run loop.
struct __CFRunLoop {
    CFRuntimeBase _base;                // flags: sleeping, deallocating, ended
    pthread_mutex_t _lock;
    __CFPort _wakeUpPort;               // immutable; CFRunLoopWakeUp sends to it
    Boolean _unused;                    // CF-855, CF-1153: unused there, too
    _Atomic(_per_run_data *) _perRunData; // the innermost run; only the loop's thread writes it
    pthread_t _pthread;                 // immutable; 0: the main thread, if another thread created
                                        // the loop in a plug-in
    CFMutableSetRef _commonModes;       // the names of the common modes; never shrinks
    CFMutableSetRef _commonModeItems;   // the items of the common modes; NULL until there is one
    CFRunLoopModeRef _currentMode;      // the mode of the innermost run; NULL outside a run
    CFMutableSetRef _modes;             // never shrinks
    struct _block_item *_blocks_head;   // the blocks that wait, in the order of queueing
    struct _block_item *_blocks_tail;
    CFAbsoluteTime _runTime;            // never written (CF-1153, current source: the same)
    CFAbsoluteTime _sleepTime;          // seconds asleep (CF-1153, current: by the wall clock)
    CFTypeRef _counterpart;             // an NSRunLoop on a Mac; here its twin
    // Here
    CFMutableArrayRef _hostedModes;     // those embedded in another event loop; NULL: none
    _per_run_data *_sparePerRunData;    // records of runs that have ended; the loop's thread
    _Atomic(Boolean) _wakeUpSent;       // _wakeUpPort may have a message; no lock
    _Atomic(pid_t) _tid;                // its thread's number; 0: not known yet; no lock
    struct __CFRunLoopPasses *_passes;  // for debuggers: the last passes; NULL: none is complete
};

/// A mode: a name and its items.
///
/// `_timers` is sorted by _fireTSR, and may contain timers that are firing. While a date changes,
/// that one timer may be out of place: see __CFRunLoopTimerUpdateModes. A source is in
/// _sources0 or in _sources1, depending on its version. `_portToV1SourceMap` has a key for each
/// port of a source in _sources1.
struct __CFRunLoopMode {
    CFRuntimeBase _base;
    pthread_mutex_t _lock;              // lock the run loop before you lock this
    CFStringRef _name;                  // immutable
    Boolean _stopped;                   // _CFRunLoopStopMode was called
    char _padding[3];
    CFMutableSetRef _sources0;          // NULL until there is a source of either version
    CFMutableSetRef _sources1;          // NULL until there is a source of either version
    CFMutableArrayRef _observers;       // by ascending order; NULL until there is one
    CFMutableArrayRef _timers;          // NULL until there is one
    CFMutableDictionaryRef _portToV1SourceMap; // port → the source that was added last with it
    __CFPortSet _portSet;               // immutable; see CFKernel.h
    CFIndex _observerMask;              // the activities that its observers have wanted; only grows
    __CFPort _timerPort;                // immutable: CFPORT_TIMER
    Boolean _mkTimerArmed;              // _timerPort is armed, or has gone off since
    uint64_t _timerSoftDeadline;        // the earliest fire date of a timer; UINT64_MAX: none
    uint64_t _timerHardDeadline;        // the earliest fire date plus tolerance
    // Here
    _Atomic(Boolean) _isCommon;         // its name is in _commonModes, so that a pass need not
                                        // search those; the loop's thread reads it without a lock
};

/// A source of either version.
struct __CFRunLoopSource {
    CFRuntimeBase _base;                // flags: valid
    _Atomic(uint64_t) _signaledTime;    // when it was signaled; 0: it is not; no lock
    pthread_mutex_t _lock;
    CFIndex _order;                     // immutable
    CFMutableBagRef _runLoops;          // its loops: each once for each of its modes, and once for
                                        // the common items. NULL until it joins a loop
    union {
        CFRunLoopSourceContext version0; // immutable
        CFRunLoopSourceContext1 version1;
    } _context;
    // Here
    _Atomic(__CFPort) _port;            // version 1: what getPort returned at the first addition
    _Atomic(CFWatchEvents) _watchEvents; // version 1: the events that the loop waits for
    const void *_twin;                  // see _CFSetTwin
};

/// An observer.
struct __CFRunLoopObserver {
    CFRuntimeBase _base;                // flags: firing, repeats, valid
    pthread_mutex_t _lock;
    CFRunLoopRef _runLoop;              // not retained; NULL: in no loop
    CFIndex _rlCount;                   // in how many modes, plus one for the common items
    CFOptionFlags _activities;          // immutable
    CFIndex _order;                     // immutable
    CFRunLoopObserverCallBack _callout; // immutable
    CFRunLoopObserverContext _context;  // immutable, except that invalidation sets info to NULL
    // Here
    pthread_t _firingThread;            // the thread whose callback uses the info; 0: none [D11]
    const void *_twin;                  // see _CFSetTwin
};

/// A timer. A thread that writes a field marked "loop" holds the lock of the timer's loop and the
/// timer's own. A thread that reads it holds one of them.
struct __CFRunLoopTimer {
    CFRuntimeBase _base;                // flags: valid
    _Atomic(uint16_t) _bits;            // firing; no lock
    pthread_mutex_t _lock;
    CFRunLoopRef _runLoop;              // not retained; NULL: in no loop
    CFMutableSetRef _rlModes;           // loop; the names of its modes; kCFRunLoopCommonModes if it
                                        // is a common item
    CFAbsoluteTime _nextFireDate;       // the date that the client sets and gets
    CFTimeInterval _interval;           // immutable
    CFTimeInterval _tolerance;          // loop
    uint64_t _fireTSR;                  // loop; when it fires
    CFIndex _order;                     // immutable; the loop ignores it, as in the original
    CFRunLoopTimerCallBack _callout;    // immutable
    CFRunLoopTimerContext _context;     // immutable, except that invalidation sets info to NULL
    // Here
    pthread_t _firingThread;            // the thread whose callback uses the info; 0: none [D11]
    const void *_twin;                  // see _CFSetTwin
};

/// A block that waits.
struct _block_item {
    struct _block_item *_next;
    CFTypeRef _mode;                    // the name of its mode, or a set of names
    void (^_block)(void);
};

// MARK: - The record of a pass
//
// Every build keeps these records, so that a debugger can read them in a live process or in a core
// file. The loop itself reads none of them. The original has none. CFRunLoopProbes.h has the
// functions that write them.

/// The record of a pass. Only the loop's thread writes it, with rl locked, except for the fields
/// that are atomic, and for `_callouts`, which no other thread reads.
struct __CFRunLoopPass {
    // The steps so far, one hexadecimal digit each. The lowest digit is the latest step, and A is
    // step 10. For example, 0x23467: the thread sleeps or is about to sleep. 0x2347: the pass
    // polls.
    _Atomic(uint64_t) _steps;
    // How many callbacks the pass has called, by kind. A count stays at 65535.
    uint16_t _callouts[kCFRunLoopTraceCalloutCount];
    __CFPort _port;                     // the port that step 9 serves
    _Atomic(uint64_t) _sleepTSR;        // when the thread fell asleep; 0: it has not slept
    _Atomic(uint64_t) _wakeTSR;         // when it woke up; 0: it has not
    struct __CFRunLoopMode *_mode;      // the run's mode
    CFRunLoopTraceReason _reason;       // what step 9 serves
    uint32_t _depth;                    // how many runs are active, counting this one
};

/// The data of a run, and behind it the record of the run's present pass.
struct __CFRecordedRun {
    _per_run_data data;
    struct __CFRunLoopPass pass;
};

/// How many completed passes a loop keeps.
#define __kCFRunLoopPassesKept 8

/// The completed passes. Pass n, counted from 0 over all runs, is at n % __kCFRunLoopPassesKept.
struct __CFRunLoopPasses {
    uint64_t _count;                    // how many passes are complete
    struct __CFRunLoopPass _kept[__kCFRunLoopPassesKept]; // the last of them
};

// MARK: - Flags

enum { // in the CFRuntimeBase
    __kCFRunLoopEnded = 0, __kCFRunLoopSleeping = 1, __kCFRunLoopDeallocating = 2,
    __kCFRunLoopObserverFiring = 0, __kCFRunLoopObserverRepeats = 1,
    __kCFValid = 3
};
enum { // in the _bits of a timer
    __kCFRunLoopTimerFiring = 1u << 0
};

CF_INLINE Boolean __CFIsValid(const void *item) { return __CFRuntimeGetFlag(item, __kCFValid); }
/// No other thread has the item yet.
CF_INLINE void __CFSetValid(void *item) { __CFRuntimeInitFlag(item, __kCFValid); }
CF_INLINE void __CFUnsetValid(void *item) { __CFRuntimeSetFlag(item, __kCFValid, false); }

CF_INLINE Boolean __CFRunLoopObserverIsFiring(CFRunLoopObserverRef rlo) {
    return __CFRuntimeGetFlag(rlo, __kCFRunLoopObserverFiring);
}
CF_INLINE void __CFRunLoopObserverSetFiring(CFRunLoopObserverRef rlo) {
    __CFRuntimeSetFlag(rlo, __kCFRunLoopObserverFiring, true);
}
CF_INLINE void __CFRunLoopObserverUnsetFiring(CFRunLoopObserverRef rlo) {
    __CFRuntimeSetFlag(rlo, __kCFRunLoopObserverFiring, false);
}
CF_INLINE Boolean __CFRunLoopTimerIsFiring(CFRunLoopTimerRef rlt) {
    return (atomic_load(&rlt->_bits) & __kCFRunLoopTimerFiring) != 0;
}
CF_INLINE void __CFRunLoopTimerSetFiring(CFRunLoopTimerRef rlt) {
    atomic_store(&rlt->_bits, __kCFRunLoopTimerFiring);
}
CF_INLINE void __CFRunLoopTimerUnsetFiring(CFRunLoopTimerRef rlt) { atomic_store(&rlt->_bits, 0); }

CF_INLINE Boolean __CFRunLoopIsDeallocating(CFRunLoopRef rl) {
    return __CFRuntimeGetFlag(rl, __kCFRunLoopDeallocating);
}
/// Returns whether the loop's thread has ended. Then the loop accepts no source and no block, and,
/// if it has a twin, no item.
CF_INLINE Boolean __CFRunLoopIsEnded(CFRunLoopRef rl) {
    return __CFRuntimeGetFlag(rl, __kCFRunLoopEnded);
}
/// Records that the loop's thread has ended. Call with the loop locked.
CF_INLINE void __CFRunLoopSetEnded(CFRunLoopRef rl) {
    __CFRuntimeSetFlag(rl, __kCFRunLoopEnded, true);
}
CF_INLINE Boolean __CFRunLoopIsSleeping(CFRunLoopRef rl) {
    return __CFRuntimeGetFlag(rl, __kCFRunLoopSleeping);
}
CF_INLINE void __CFRunLoopSetSleeping(CFRunLoopRef rl) {
    __CFRuntimeSetFlag(rl, __kCFRunLoopSleeping, true);
}
CF_INLINE void __CFRunLoopUnsetSleeping(CFRunLoopRef rl) {
    __CFRuntimeSetFlag(rl, __kCFRunLoopSleeping, false);
}

// MARK: - Locks

CF_INLINE void __CFRunLoopLock(CFRunLoopRef rl) { __CFLock(&rl->_lock); }
CF_INLINE void __CFRunLoopUnlock(CFRunLoopRef rl) { __CFUnlock(&rl->_lock); }
CF_INLINE void __CFRunLoopModeLock(CFRunLoopModeRef rlm) { __CFLock(&rlm->_lock); }
CF_INLINE void __CFRunLoopModeUnlock(CFRunLoopModeRef rlm) { __CFUnlock(&rlm->_lock); }
CF_INLINE void __CFRunLoopSourceLock(CFRunLoopSourceRef rls) { __CFLock(&rls->_lock); }
CF_INLINE void __CFRunLoopSourceUnlock(CFRunLoopSourceRef rls) { __CFUnlock(&rls->_lock); }
CF_INLINE void __CFRunLoopObserverLock(CFRunLoopObserverRef rlo) { __CFLock(&rlo->_lock); }
CF_INLINE void __CFRunLoopObserverUnlock(CFRunLoopObserverRef rlo) { __CFUnlock(&rlo->_lock); }
CF_INLINE void __CFRunLoopTimerLock(CFRunLoopTimerRef rlt) { __CFLock(&rlt->_lock); }
CF_INLINE void __CFRunLoopTimerUnlock(CFRunLoopTimerRef rlt) { __CFUnlock(&rlt->_lock); }

// MARK: - The innermost run

/// 'WAKE' means that a wake-up need not be sent, because the loop's thread will look for changes
/// before it sleeps: see CFRunLoopWakeUp. A hosted loop never ignores wake-ups, because its host
/// sleeps.
enum { __kCFRunLoopIgnoresWakeUps = 0x57414B45 };
CF_INLINE void __CFRunLoopSetIgnoreWakeUps(CFRunLoopRef rl) {
    // A thread that does not see a relaxed store yet sends a wake-up that is not needed.
    if (!rl->_hostedModes)
        atomic_store_explicit(&atomic_load(&rl->_perRunData)->ignoreWakeUps,
                              __kCFRunLoopIgnoresWakeUps, memory_order_relaxed);
}
CF_INLINE void __CFRunLoopUnsetIgnoreWakeUps(CFRunLoopRef rl) {
    atomic_store(&atomic_load(&rl->_perRunData)->ignoreWakeUps, 0);
}
CF_INLINE Boolean __CFRunLoopIsIgnoringWakeUps(CFRunLoopRef rl) {
    return atomic_load(&atomic_load(&rl->_perRunData)->ignoreWakeUps) != 0;
}

CF_INLINE Boolean __CFRunLoopIsStopped(CFRunLoopRef rl) {
    return atomic_load(&atomic_load(&rl->_perRunData)->stopped) != 0;
}
CF_INLINE void __CFRunLoopSetStopped(CFRunLoopRef rl) {
    atomic_store(&atomic_load(&rl->_perRunData)->stopped, 0x53544F50); // 'STOP'
}
CF_INLINE void __CFRunLoopUnsetStopped(CFRunLoopRef rl) {
    atomic_store(&atomic_load(&rl->_perRunData)->stopped, 0);
}

// MARK: - CFRunLoopMainThread.c: the main thread, its queue and its end

/// Records that the main thread's own code has ended. If the main loop has a twin, removes its
/// items. Call on the main thread with nothing locked. DOES CALLOUT: cancel, getPort, release
CF_PRIVATE void __CFRunLoopMainThreadHasExited(void);
/// Returns whether nothing can be added to the loop and nobody can wake it any more, because it is
/// the main loop and the main thread has exited. The first time, prints so, after `what` is being
/// done. Needs no lock.
CF_PRIVATE Boolean __CFRunLoopIsRefusing(CFRunLoopRef rl, const char *what);
/// Returns whether this is the main thread's loop.
CF_PRIVATE Boolean __CFRunLoopIsMain(CFRunLoopRef rl);
/// Returns the main dispatch queue's port. Call on the main thread.
CF_PRIVATE __CFPort __CFMainQueueGetPort(void);

// MARK: - CFRunLoopMode.c: modes, their names and their ports

/// Returns whether a name is equal to the placeholder kCFRunLoopCommonModes. [D14]
CF_PRIVATE Boolean __CFRunLoopIsCommonModes(CFStringRef modeName);
/// Returns the mode of that name, locked. Returns NULL if the name is NULL, or if the loop has no
/// such mode and `create` is false. rl locked.
CF_PRIVATE CFRunLoopModeRef __CFRunLoopFindMode(CFRunLoopRef rl, CFStringRef modeName,
                                                Boolean create);
/// Returns an immutable copy of a mode's name, because the client's string may be mutable. Aborts
/// if there is no memory for it. The caller releases it.
CF_PRIVATE CFStringRef __CFRunLoopCopyModeName(CFStringRef modeName);
/// Adds a name to the common modes, and marks the mode, if it exists. Returns false if the name was
/// there. rl locked.
CF_PRIVATE Boolean __CFRunLoopAddCommonModeName(CFRunLoopRef rl, CFStringRef modeName);
/// Replaces the kernel's part of the port set, after a wait has returned CFPORT_DEAD. rlm locked.
CF_PRIVATE void __CFRunLoopModeRenewPortSet(CFRunLoopModeRef rlm);
/// Inserts a source's port into the mode's port set. If the kernel cannot wait for the port, prints
/// so on stderr. rlm locked.
CF_PRIVATE void __CFRunLoopModeInsertPort(CFRunLoopModeRef rlm, __CFPort port,
                                          CFWatchEvents events);

// MARK: - CFRunLoopItem.c: what sources, timers and observers have in common

/// A pass lists up to this many due timers, or signaled sources, on its stack; more, on the heap.
enum { __kCFRunLoopFewItems = 8 };

/// Returns an array of the values of a set, which may be NULL. The array retains them, and the
/// caller releases it. Call with the lock that guards the set.
CF_PRIVATE CFArrayRef __CFRunLoopCopyValues(CFSetRef set);
/// Returns the names of the modes that a name stands for: that mode, or all common modes. The loop
/// may not have the mode yet. NULL stands for none. The caller releases the array. rl locked.
CF_PRIVATE CFArrayRef __CFRunLoopCopyModesNamed(CFRunLoopRef rl, CFStringRef modeName);
/// Returns whether an item, or one equal to it, is a common item. rl locked.
CF_PRIVATE Boolean __CFRunLoopContainsCommonItem(CFRunLoopRef rl, CFTypeRef item);
/// Adds an item to the common items. rl locked.
CF_PRIVATE void __CFRunLoopAddCommonItem(CFRunLoopRef rl, CFTypeRef item);
/// Removes an item from the common items, and returns it retained; NULL if it was not there. The
/// caller releases it with nothing locked, because that may deallocate it. rl locked.
CF_PRIVATE CFTypeRef __CFRunLoopTakeCommonItem(CFRunLoopRef rl, CFTypeRef item);

/// Returns whether a valid timer or observer may join the loop: it is in no other one, and the loop
/// has not ended with a twin. rl and the item locked.
CF_PRIVATE Boolean __CFRunLoopTakesItem(CFRunLoopRef rl, CFTypeRef item);
/// Locks the loop that a timer or an observer is in, then the item, and returns the loop, retained.
/// If the item is in no loop, or in one that is being deallocated, it locks the item alone, removes
/// it from that loop, and returns NULL. Call with nothing locked.
CF_PRIVATE CFRunLoopRef __CFRunLoopLockWithItem(CFTypeRef item);
/// Unlocks and releases what __CFRunLoopLockWithItem returned, after the item was unlocked. Does
/// nothing for NULL.
CF_PRIVATE void __CFRunLoopUnlockAndRelease(CFRunLoopRef rl);
/// Removes the reference to `rl`, which is being deallocated, from the timers and observers in an
/// array or a set. `items` may be NULL. The items stay valid, and you can add them to another loop.
/// rl locked.
CF_PRIVATE void __CFRunLoopDeallocateItems(CFRunLoopRef rl, CFTypeRef items);

/// Marks a timer or an observer as firing, and returns the info for its callback. No other thread
/// releases the info before __CFRunLoopItemEndFiring. Item locked.
CF_PRIVATE void *__CFRunLoopItemBeginFiring(CFTypeRef item);
/// Ends the firing of a timer or an observer. Returns whether the caller must release `info`, with
/// nothing locked: another thread has invalidated the item meanwhile, and left the info to this
/// one. [D11] Item locked.
CF_PRIVATE Boolean __CFRunLoopItemEndFiring(CFTypeRef item, void **info);
/// Marks a timer or an observer invalid. Returns whether the caller must release `info`, with
/// nothing locked: not if the item was invalid, or if a callback on another thread uses the info.
/// Item locked.
CF_PRIVATE Boolean __CFRunLoopItemInvalidate(CFTypeRef item, void **info);
/// Returns what the client's copyDescription says of the info of a timer or an observer. If that is
/// NULL or returns NULL, the description has the address of the info. Call with nothing locked.
/// DOES CALLOUT: copyDescription
CF_PRIVATE CFStringRef __CFRunLoopItemCopyContextDescription(
    CFTypeRef item, CFStringRef (*copyDescription)(const void *info));

// MARK: - CFRunLoopBlocks.c

/// Returns whether a pass in the mode performs this block. Its loop locked.
CF_PRIVATE Boolean __CFRunLoopBlockIsForMode(const struct _block_item *item, CFRunLoopModeRef rlm);
/// Returns whether a pass in the mode would perform a block. In the original __CFRunLoopModeIsEmpty
/// goes through the blocks itself. rl locked.
CF_PRIVATE Boolean __CFRunLoopHasBlocks(CFRunLoopRef rl, CFRunLoopModeRef rlm);
/// Steps 3, 4 and 9. rl and rlm locked. DOES CALLOUT
CF_PRIVATE Boolean __CFRunLoopDoBlocks(CFRunLoopRef rl, CFRunLoopModeRef rlm);
/// Releases all blocks when the loop's thread has ended. Call with nothing locked. DOES CALLOUT:
/// deallocates what the blocks have captured
CF_PRIVATE void __CFRunLoopDropBlocks(CFRunLoopRef rl);

// MARK: - CFRunLoopSource.c

/// Removes all sources from a mode, or from the common items. Call with nothing locked. DOES
/// CALLOUT: cancel, getPort, release
CF_PRIVATE void __CFRunLoopRemoveAllSources(CFRunLoopRef rl, CFStringRef modeName);
/// Returns whether a version 0 source of the mode is signaled. rl and rlm locked.
CF_PRIVATE Boolean __CFRunLoopModeHasSignals(CFRunLoopRef rl, CFRunLoopModeRef rlm);
/// Step 4. rl and rlm locked. DOES CALLOUT
CF_PRIVATE Boolean __CFRunLoopDoSources0(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                         Boolean stopAfterHandle);
/// Step 9.3. rl and rlm locked. DOES CALLOUT
CF_PRIVATE Boolean __CFRunLoopDoSource1(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                        CFRunLoopSourceRef rls);
/// Returns the source that a port of the mode belongs to, or NULL. rl and rlm locked.
CF_PRIVATE CFRunLoopSourceRef __CFRunLoopModeFindSourceForMachPort(CFRunLoopRef rl,
                                                                   CFRunLoopModeRef rlm,
                                                                   __CFPort port);

// MARK: - CFRunLoopTimer.c

/// Arms the mode's timer port for the timers that are not firing, or disarms it. rl and rlm locked.
CF_PRIVATE void __CFArmNextTimerInMode(CFRunLoopModeRef rlm, CFRunLoopRef rl);
/// Step 9.1. rl and rlm locked. DOES CALLOUT
CF_PRIVATE Boolean __CFRunLoopDoTimers(CFRunLoopRef rl, CFRunLoopModeRef rlm, uint64_t limitTSR);

// MARK: - CFRunLoopObserver.c

/// Steps 1, 2, 3, 6, 8 and 10. rl and rlm locked. DOES CALLOUT
CF_PRIVATE void __CFRunLoopDoObservers(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                       CFRunLoopActivity activity);

// MARK: - CFRunLoopCommonModes.c

/// Removes all timers and observers from a mode, or from the common items and modes. They stay
/// valid. Call with nothing locked. DOES CALLOUT: release
CF_PRIVATE void __CFRunLoopRemoveAllTimersAndObservers(CFRunLoopRef rl, CFStringRef modeName);

// MARK: - CFRunLoopHosts.c: event loops that modes are embedded in

/// Makes the next wait in the mode wait for the main queue's port as well, unless that is
/// CFPORT_NULL. rl and rlm locked, on its thread.
CF_PRIVATE void __CFRunLoopWatchMainQueue(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                          __CFPort dispatchPort);
/// Tells the hosts of the embedded modes that a run begins. rl locked, on its thread.
CF_PRIVATE void __CFRunLoopHostsBeginRun(CFRunLoopRef rl);
/// Prepares each embedded mode for its host's wait, unless a run goes on: the descriptor of a mode
/// becomes readable if the mode has something to do, and unreadable otherwise. Call it when a run
/// has ended. rl locked, but no mode, on its thread.
CF_PRIVATE void __CFRunLoopHostsEndRun(CFRunLoopRef rl);
/// Does the same whether or not a run goes on, and receives no wake-up.
CF_PRIVATE void __CFRunLoopUpdateHosts(CFRunLoopRef rl);
/// Receives the message of the wake-up port, if there is one. rl locked, on its thread.
CF_PRIVATE void __CFRunLoopReceiveWakeUp(CFRunLoopRef rl);

// MARK: - CFRunLoopPerRunData.c: the records of a loop's runs

/// Begins the record of a run, and returns that of the run around it. Call with rl locked, on its
/// thread, or while no other thread knows rl.
CF_PRIVATE _per_run_data *__CFRunLoopPushPerRunData(CFRunLoopRef rl);
/// Ends the innermost record. `previous` is what __CFRunLoopPushPerRunData returned. rl locked, but
/// no mode, on its thread.
CF_PRIVATE void __CFRunLoopPopPerRunData(CFRunLoopRef rl, _per_run_data *previous);
/// Frees all records of a loop that is deallocated. Needs no lock, because no other thread has the
/// loop.
CF_PRIVATE void __CFRunLoopFreePerRunData(CFRunLoopRef rl);

// MARK: - CFRunLoopObject.c

/// Creates the run loop of a thread, with the default mode in it. The registry calls this with its
/// lock held.
CF_PRIVATE CFRunLoopRef __CFRunLoopCreate(pthread_t t);

CF_EXTERN_C_END

#endif
