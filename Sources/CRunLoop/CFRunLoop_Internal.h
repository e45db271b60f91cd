/// CFRunLoop_Internal.h: the structs of the run loop, and the functions that each of its files
/// offers to the others. Start reading here.
///
/// The structs have CF-1153's fields under its names and in its order, without those for Windows
/// and for dispatch timers. The fields that this project adds follow them, under "Here". (In CF-855
/// the loop has no _runTime and no _sleepTime. In the current source the loop has no _unused, and a
/// source has _signaledTime instead of _bits.)
///
/// How to read the comments at the fields:
///
///     immutable          set when the object is created, and read without a lock
///     no lock            atomic: any thread may read and write it at any time
///     the loop's thread  only that thread uses it, so it needs no lock
///     nothing said       guarded by the lock of its own struct
///
/// A thread takes locks in this order: the registry's, a run loop's, a mode's, an item's (source,
/// observer, timer). It holds none of them while a client's callback runs, except for the `equal`
/// and `hash` of a source, because the sets call these.
///
/// Code that uses a mode locks the loop and then the mode. There is one exception: code that uses
/// only fields marked "the loop's lock alone" need not lock the mode. Step 4 finds the signaled
/// sources of all modes that way. A thread that has the loop's lock finds every mode's free, so it
/// may also lock a mode after a timer.
#if !defined(__COREFOUNDATION_CFRUNLOOP_INTERNAL__)
#define __COREFOUNDATION_CFRUNLOOP_INTERNAL__ 1

#include "Base/CFInternal.h"
#include "CFPort.h"
#include "CFRunLoopPass.h"
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
/// they write to its record. So the loop frees no record before it is deallocated, a record that is
/// not in use never says that it ignores wake-ups, and the fields that the two functions use are
/// atomic.
typedef struct _per_run_data {
    uint32_t a;                         // 'CFRL', so that you find it in a memory dump
    uint32_t b;
    _Atomic(uint32_t) stopped;          // 'STOP' after CFRunLoopStop, otherwise 0; no lock
    // 'WAKE': the thread is awake, and will look for changes before it sleeps, so no wake-up is
    // needed. 'POLL': it performs Source0s, and its next wait polls, so none is needed either.
    // 'WOKE' and 'POKE': the same, and a thread has left out a wake-up. Otherwise 0. No lock
    _Atomic(uint32_t) ignoreWakeUps;
    // Here: the loop's thread alone
    struct _per_run_data *previous;     // the run around this one; in a spare record, the next one
    const char *_frame;                 // the stack frame of its CFRunLoopRunSpecific
    Boolean _tookWakeUp;                // it has received a wake-up, or another thread left one out
    Boolean _isOwedWakeUp;              // a nested run took one: send one before this run sleeps
    Boolean _hasNested;                 // a nested run has ended since this run last woke up
    struct __CFRunLoopPass pass;        // the present pass; empty outside a run
} _per_run_data;

/// A run loop.
struct __CFRunLoop {
    CFRuntimeBase _base;                // flags: sleeping, deallocating
    CFLock_t _lock;
    __CFPort _wakeUpPort;               // immutable; CFRunLoopWakeUp sends to it
    Boolean _unused;                    // CF-855, CF-1153: unused there, too
    _Atomic(_per_run_data *) _perRunData; // the innermost run; only the loop's thread writes it
    pthread_t _pthread;                 // immutable
    CFMutableSetRef _commonModes;       // the names of the common modes; never shrinks
    CFMutableSetRef _commonModeItems;   // the items of the common modes; NULL until there is one
    CFRunLoopModeRef _currentMode;      // the mode of the innermost run; NULL outside a run
    CFMutableSetRef _modes;             // never shrinks
    struct _block_item *_blocks_head;   // the blocks that wait, in the order of queueing
    struct _block_item *_blocks_tail;
    CFAbsoluteTime _runTime;            // never written (CF-1153, current source: the same)
    CFAbsoluteTime _sleepTime;          // seconds asleep (CF-1153, current: by the wall clock)
    CFTypeRef _counterpart;             // an NSRunLoop on a Mac (all); guarded by loopsLock

    // Here: the state of the loop
    void (*_releaseCounterpart)(CFTypeRef counterpart); // guarded by loopsLock
    Boolean _counterpartHasGone;        // its thread has ended; guarded by loopsLock
    CFRunLoopModeRef _lastMode;         // the mode that __CFRunLoopFindMode found last
    CFRunLoopModeRef _sleepingMode;     // the mode that the thread sleeps in; NULL: it is awake
    Boolean _hasEnded;                  // its thread has ended: it accepts no source and no block
    Boolean _isHosted;                  // at least one mode is embedded in another event loop
    Boolean _isMain;                    // immutable; it is the main thread's loop
    // Here: signals (CFRunLoopSignal.c)
    struct __CFSignalInbox *_inbox;     // immutable; where signals are reported
    uint64_t _sharedSignalsSeen;        // how many of __CFSharedSignals this loop has looked at
    // Here: blocks (CFRunLoopBlocks.c)
    struct _block_item *_takenBlocksHead; // the blocks that calls of __CFRunLoopDoBlocks have taken
                                        // and not performed, outermost call first; this and
    struct _block_item *_takenBlocksTail; // this: the loop's thread
    Boolean _hasTakenBlocks;            // false: no block is taken
    Boolean _commonModesMayHaveBlocks;  // false: no block waits for kCFRunLoopCommonModes
    struct __CFBlockChunk *_blockChunk; // the list of chunks; the first is where items are made
    // Here: wake-ups (CFRunLoopPerRunData.c)
    _per_run_data *_sparePerRunData;    // the loop's thread
    _Atomic(Boolean) _wakeUpSent;       // _wakeUpPort may have a message; no lock
    Boolean _isOwedWakeUp;              // one was left out in step 4; the loop's thread
    _Atomic(pid_t) _tid;                // its thread's number; 0 until that thread gets its loop
    _Atomic(pid_t) _wakeUpSender;       // the last thread to wake it while a trace is on; no lock
    // Here: the record of passes (CFRunLoopPass.h)
    uint64_t _passCount;                // how many passes are complete
    struct __CFRunLoopPasses *_passes;  // the last of them; NULL until one is complete
};

/// A mode: a name and its items.
///
/// `_timers` is sorted by _fireTSR, then by _turn, and may contain timers that are firing. A source
/// is in _sources0 or in _sources1, depending on its version. `_portToV1SourceMap` has a key for
/// each port of a source in _sources1.
struct __CFRunLoopMode {
    CFRuntimeBase _base;
    CFLock_t _lock;                     // lock the run loop before you lock this
    CFStringRef _name;                  // immutable
    Boolean _stopped;                   // _CFRunLoopStopMode was called
    char _padding[3];
    CFMutableSetRef _sources0;          // NULL until there is a source of either version
    CFMutableSetRef _sources1;          // NULL until there is a source of either version
    CFMutableArrayRef _observers;       // by ascending order; NULL until there is one
    CFMutableArrayRef _timers;          // NULL until there is one
    CFMutableDictionaryRef _portToV1SourceMap; // port → the source that was added last with it
    __CFPortSet _portSet;               // immutable; see CFPort.h
    CFIndex _observerMask;              // all activities of its observers. In all versions of the
                                        // original it only grows
    __CFPort _timerPort;                // CFPORT_TIMER; CFPORT_NULL before the first wait for one
    Boolean _mkTimerArmed;              // stays true when it has gone off, until it is disarmed
    // Here, where the struct has room anyway: guarded by the loop's lock and _lock
    Boolean _timersChanged;             // arm _timerPort before the next sleep
    Boolean _mainQueuePortInSet;        // _portSet contains the main dispatch queue's port
    uint64_t _timerSoftDeadline;        // when _timerPort goes off; UINT64_MAX: never
    uint64_t _timerHardDeadline;        // the latest time for it within all tolerances

    // Here: guarded by the loop's lock and _lock
    CFRunLoopRef _runLoop;              // its loop, not retained; NULL when the loop is deallocated
    CFMutableSetRef _source0Addresses;  // _sources0 by address; not retained
    // Here: guarded by the loop's lock alone
    CFMutableSetRef _signaledSources0;  // every signaled source of _sources0; not retained. It may
                                        // also contain sources whose signal is cleared by now
    _Atomic(Boolean) _isCommon;         // its name is in the loop's _commonModes; the loop's thread
                                        // also reads it without the lock
    Boolean _mayHaveBlocks;             // false: no block waits for this mode by its name
    // Here: embedding (CFRunLoopEmbedding.c)
    Boolean _hostEventIsSet;            // _hostEvent is readable
    __CFPort _hostEvent;                // in _hostSet; readable while a run has left work to do
    __CFPortSet _hostSet;               // contains _portSet; the host waits for it; NULL: no host
};

/// A source of either version.
struct __CFRunLoopSource {
    CFRuntimeBase _base;                // flags: valid
    _Atomic(uint32_t) _bits;            // signaled; no lock
    CFLock_t _lock;                     // guards its loops and _ownSlot
    CFIndex _order;                     // immutable
    CFMutableBagRef _runLoops;          // a loop: once for each mode, and once for the common
                                        // items. NULL until it joins a second loop
    union {
        CFRunLoopSourceContext version0; // immutable
        CFRunLoopSourceContext1 version1;
    } _context;
    // Here
    CFRunLoopRef _onlyRunLoop;          // its loop, retained, while _runLoops is NULL; NULL: none
    CFIndex _onlyCount;                 // how often _runLoops would contain that loop
    // Here: signals (CFRunLoopSignal.c)
    _Atomic(uint64_t) _signalTurn;      // its place among all signals; no lock
    _Atomic(struct __CFSignalSlot *) _slot; // where to report a signal; NULL: the source is in no
                                        // loop; &__CFSharedSlot: it is in several; no lock
    struct __CFSignalSlot *_ownSlot;    // its slot in its first loop's inbox; NULL: none
    _Atomic(pid_t) _signaller;          // the last thread to signal it while a trace is on; no lock
    // Here: version 1
    _Atomic(__CFPort) _port;            // what getPort returned at the first addition; no lock
    _Atomic(CFWatchEvents) _watchEvents; // the events that the loop waits for; no lock
};

/// Counts the users of an `info`, which belongs to the context of an observer or a timer. A
/// callback uses it, and so does copyDescription. If another thread invalidates the item meanwhile,
/// the last user releases the info. [D11] Guarded by the item's lock.
struct __CFRunLoopInfoUsers {
    uint32_t _count;
    Boolean _releasesLate;              // the item is invalid: release _lateInfo
    pthread_t _firingThread;            // the thread in the callback, while the item is firing
    void *_lateInfo;
};

/// An observer.
struct __CFRunLoopObserver {
    CFRuntimeBase _base;                // flags: firing, repeats, valid
    CFLock_t _lock;
    CFRunLoopRef _runLoop;              // not retained; NULL: in no loop
    CFIndex _rlCount;                   // in how many modes, plus one for the common items
    CFOptionFlags _activities;          // immutable
    CFIndex _order;                     // immutable
    CFRunLoopObserverCallBack _callout; // immutable
    CFRunLoopObserverContext _context;  // immutable, except that invalidation sets info to NULL
    // Here
    struct __CFRunLoopInfoUsers _users; // of the context's info
};

/// A timer. A thread that writes a field marked "loop" holds the lock of the timer's loop and the
/// timer's own. A thread that reads it holds one of them.
struct __CFRunLoopTimer {
    CFRuntimeBase _base;                // flags: valid
    _Atomic(uint16_t) _bits;            // firing; no lock
    CFLock_t _lock;
    CFRunLoopRef _runLoop;              // not retained; NULL: in no loop
    CFMutableSetRef _rlModes;           // loop; the names of its modes; kCFRunLoopCommonModes if it
                                        // is a common item. NULL until it joins a second mode
    CFAbsoluteTime _nextFireDate;       // the date that the client sets and gets
    CFTimeInterval _interval;           // immutable
    CFTimeInterval _tolerance;
    uint64_t _fireTSR;                  // loop; when it fires
    CFIndex _order;                     // immutable; the loop ignores it (in all versions)
    CFRunLoopTimerCallBack _callout;    // immutable
    CFRunLoopTimerContext _context;     // immutable, except that invalidation sets info to NULL
    // Here
    uint64_t _firstTSR;                 // loop; where its rhythm begins: at the client's date or,
                                        // if that had passed, at the time when it was set
    uint64_t _beat;                     // loop; _fireTSR is _firstTSR plus this many intervals
    CFStringRef _onlyMode;              // loop; the name of its mode, while _rlModes is NULL; not
                                        // retained, because the mode has it. NULL: in no mode
    uint64_t _turn;                     // loop; its place among the timers of equal date [D21]
    int64_t _clockOffset;               // wall clock minus monotonic clock, in nanoseconds, when
                                        // _nextFireDate was set [D22]
    struct __CFRunLoopInfoUsers _users; // of the context's info
};

/// Returns the time from which a timer is due: its date, or the time when it got that date, if the
/// date had passed by then. Call with the timer or its loop locked.
CF_INLINE uint64_t __CFRunLoopTimerDueTSR(const struct __CFRunLoopTimer *rlt) {
    return rlt->_fireTSR > rlt->_firstTSR ? rlt->_fireTSR : rlt->_firstTSR;
}

/// Returns in how many modes the timer is. To be a common item counts as one. Call with the timer
/// or its loop locked.
CF_INLINE CFIndex __CFRunLoopTimerGetModeCount(CFRunLoopTimerRef rlt) {
    return rlt->_rlModes ? CFSetGetCount(rlt->_rlModes) : rlt->_onlyMode != NULL;
}

/// Returns whether the timer is in the mode of its loop that has this very name, or with
/// kCFRunLoopCommonModes whether it is a common item. Call with the timer or its loop locked.
CF_INLINE Boolean __CFRunLoopTimerIsInMode(CFRunLoopTimerRef rlt, CFStringRef modeName) {
    return rlt->_rlModes ? CFSetContainsValue(rlt->_rlModes, modeName) : rlt->_onlyMode == modeName;
}

// MARK: - The structs of a loop's inbox (CFRunLoopSignal.c has the protocol)

/// The inbox of a loop, where its version 0 sources report that they were signaled: a tree of
/// groups with up to 64 bits each. It retains no source. When the loop is deallocated, its inbox is
/// not freed but kept for another loop, because a signaler may still be about to set a bit in it.
///
///     the signaler (any thread, no lock)     the loop's thread (rl locked)
///     sets bits of _signaled, slot to root   takes them, root to slot
///     reads the source's _slot               writes it when the source joins or leaves
///     reads a slot's _group                  writes it when it creates the group
///     reads a group's _above                 writes it when the tree grows
///
///     field                                  invariant, while rl is not locked
///     _source of a slot                      NULL, or a source that is in one of the loop's modes
///                                            or is a common item, and has the slot as its _ownSlot
///     _slot of a valid source, in no loop    NULL
///                              in one        its _ownSlot, or &__CFSharedSlot if it was in several
///                              in several    &__CFSharedSlot
///     _sharesSources                         true if a source of the loop has &__CFSharedSlot
///     _taken, level 0                        has the bits of the slots with a source
///             level 1 and above              has the bits of the slots with no free slot below
///             from bit _count on             all bits are set
///     _signaled                              has the bit of the slot of each reported source, and
///                                            of each slot above; may have others
struct __CFSignalInbox {
    struct __CFSignalGroup *_root;      // guarded by the loop's lock; NULL until a source joins
    _Atomic(Boolean) _sharesSources;    // a source of it is or was in another loop, too; no lock
    struct __CFSignalInbox *_nextSpare;
};

/// A place in a group. At level 0 it is for one source; above, it is for one group.
struct __CFSignalSlot {
    struct __CFSignalGroup *_group;     // the group that this slot is in; immutable
    union {                             // guarded by the loop's lock
        CFRunLoopSourceRef _source;     // level 0; NULL: the slot is free
        struct __CFSignalGroup *_below; // level 1 and above; NULL until it is needed
    };
};

/// The first group of an inbox has few slots, because most loops have few sources.
enum { __kCFSignalFewSlots = 8, __kCFSignalMostSlots = 64 };

/// A node of the tree: one word with a bit for each slot.
struct __CFSignalGroup {
    _Atomic(uint64_t) _signaled;        // one bit per slot: a source there may be signaled; no lock
    _Atomic(struct __CFSignalSlot *) _above; // the slot for this group; NULL: the root; no lock
    struct __CFSignalInbox *_inbox;     // immutable
    CFIndex _level;                     // immutable; 0: the slots are for sources
    uint64_t _taken;                    // one bit per slot: it is full; guarded by the loop's lock
    CFIndex _count;                     // immutable
    struct __CFSignalSlot _slots[];
};

/// A block that waits. The loop's lock guards a queued one, and a taken one belongs to the loop's
/// thread.
struct _block_item {
    struct _block_item *_next;
    CFTypeRef _mode;                    // a mode's _name or kCFRunLoopCommonModes, not retained;
                                        // or a set of these, retained
    void (^_block)(void);               // on the heap, global, or _stackBlock
    // Here
    uint32_t _offset;                   // its distance from the beginning of its chunk
    Boolean _isForSeveralModes;         // _mode is a set
    _Alignas(16) char _stackBlock[];    // the copy of a block that was on its client's stack
};

// MARK: - Flags

enum { // in the CFRuntimeBase
    __kCFRunLoopSleeping = 1, __kCFRunLoopDeallocating = 2,
    __kCFRunLoopObserverFiring = 0, __kCFRunLoopObserverRepeats = 1,
    __kCFValid = 3
};
enum { // in the _bits of a source and of a timer
    __kCFRunLoopSourceSignaled = 1u << 1,
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
/// The timer is locked, so no other thread writes the flag meanwhile.
CF_INLINE void __CFRunLoopTimerSetFiring(CFRunLoopTimerRef rlt) {
    CF_ASSERT_LOCKED(rlt);
    atomic_store_explicit(&rlt->_bits, __kCFRunLoopTimerFiring, memory_order_release);
}
CF_INLINE void __CFRunLoopTimerUnsetFiring(CFRunLoopTimerRef rlt) {
    CF_ASSERT_LOCKED(rlt);
    atomic_store_explicit(&rlt->_bits, 0, memory_order_release);
}

CF_INLINE Boolean __CFRunLoopIsDeallocating(CFRunLoopRef rl) {
    return __CFRuntimeGetFlag(rl, __kCFRunLoopDeallocating);
}
CF_INLINE Boolean __CFRunLoopIsSleeping(CFRunLoopRef rl) {
    return __CFRuntimeGetFlag(rl, __kCFRunLoopSleeping);
}
/// Sets `_sleepingMode` and the flag; `rlm` is NULL when the thread is awake. This needs no atomic
/// exchange, because no other thread changes a flag of a loop while its thread runs it. rl locked.
CF_INLINE void __CFRunLoopSetSleepingMode(CFRunLoopRef rl, CFRunLoopModeRef rlm) {
    uint32_t others = atomic_load_explicit(&rl->_base._cfinfo, memory_order_relaxed)
        & ~(1u << __kCFRunLoopSleeping);
    rl->_sleepingMode = rlm;
    atomic_store_explicit(&rl->_base._cfinfo,
                          others | (uint32_t)(rlm != NULL) << __kCFRunLoopSleeping,
                          memory_order_release);
}

// MARK: - Locks

CF_INLINE void __CFRunLoopLock(CFRunLoopRef rl) { __CFLock(&rl->_lock); }
CF_INLINE void __CFRunLoopUnlock(CFRunLoopRef rl) { __CFUnlock(&rl->_lock); }
/// A thread locks a mode only while it has the mode's loop locked, so no two threads compete for a
/// mode.
CF_INLINE void __CFRunLoopModeLock(CFRunLoopModeRef rlm) {
    CF_ASSERT_LOCKED(rlm->_runLoop);
    __CFLockWithin(&rlm->_lock, &rlm->_runLoop->_lock);
}
CF_INLINE void __CFRunLoopModeUnlock(CFRunLoopModeRef rlm) { __CFUnlockWithin(&rlm->_lock); }
CF_INLINE void __CFRunLoopSourceLock(CFRunLoopSourceRef rls) { __CFLock(&rls->_lock); }
CF_INLINE void __CFRunLoopSourceUnlock(CFRunLoopSourceRef rls) { __CFUnlock(&rls->_lock); }
CF_INLINE void __CFRunLoopObserverLock(CFRunLoopObserverRef rlo) { __CFLock(&rlo->_lock); }
CF_INLINE void __CFRunLoopObserverUnlock(CFRunLoopObserverRef rlo) { __CFUnlock(&rlo->_lock); }
CF_INLINE void __CFRunLoopTimerLock(CFRunLoopTimerRef rlt) { __CFLock(&rlt->_lock); }
CF_INLINE void __CFRunLoopTimerUnlock(CFRunLoopTimerRef rlt) { __CFUnlock(&rlt->_lock); }

// MARK: - CFRunLoopPerRunData.c: the records of a loop's runs, and its wake-ups

/// Begins the record of a run in a mode, and returns that of the run around it. `frame` is the
/// stack frame of the run. Call with rl locked, on its thread, or while no other thread knows rl.
CF_PRIVATE _per_run_data *__CFRunLoopPushPerRunData(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                                   const void *frame);
/// Ends the innermost record. `previous` is what __CFRunLoopPushPerRunData returned. rl locked, on
/// its thread.
CF_PRIVATE void __CFRunLoopPopPerRunData(CFRunLoopRef rl, _per_run_data *previous);
/// Ends the records of runs that a callback has left by longjmp or by an exception: their frames
/// are deeper on this stack than `frame`. Call it when a run begins. rl locked, on its thread.
CF_PRIVATE void __CFRunLoopDropLeftRuns(CFRunLoopRef rl, const void *frame);
/// Makes room for the records of the last passes. Most loops that are only asked for, or that sleep
/// in their first pass, never need it. rl locked.
CF_PRIVATE void __CFRunLoopAllocatePasses(CFRunLoopRef rl);
/// Frees all records of a loop that is deallocated. Needs no lock, because no other thread has the
/// loop.
CF_PRIVATE void __CFRunLoopFreePerRunData(CFRunLoopRef rl);

/// Sends a message to the wake-up port. Lock-free.
CF_PRIVATE void __CFRunLoopSendWakeUp(CFRunLoopRef rl);
/// Returns whether a wake-up need not be sent. If so, records in the innermost run that one was
/// left out. Lock-free.
CF_PRIVATE Boolean __CFRunLoopLeaveOutWakeUp(CFRunLoopRef rl);
/// Sends the wake-up that the innermost run is owed by a nested run, or because one was left out in
/// step 4. A run that polls needs no message, so it only records that it has received the wake-up.
/// Call this before the run waits. rl locked, on its thread.
CF_PRIVATE void __CFRunLoopSendOwedWakeUp(CFRunLoopRef rl, Boolean poll);

/// 'WAKE' and 'POLL' mean that a wake-up need not be sent, because the loop's thread will look for
/// changes before it sleeps. A thread that leaves one out turns 'WAKE' into 'WOKE' and 'POLL' into
/// 'POKE'. Only the loop's thread makes other changes.
enum {
    __kCFRunLoopIgnoresWakeUps = 0x57414B45, __kCFRunLoopLeftOutWakeUp = 0x574F4B45,
    __kCFRunLoopWillPoll = 0x504F4C4C, __kCFRunLoopWillPollForWakeUp = 0x504F4B45
};
/// A hosted loop never ignores wake-ups, because its host sleeps. If a callback were left by
/// longjmp, the host would not look for changes.
///
/// The store may be relaxed. A thread that does not see it yet sends a wake-up that is not needed.
/// One that sees it relies on the clearing that follows, which is sequentially consistent.
CF_INLINE void __CFRunLoopSetIgnoreWakeUps(CFRunLoopRef rl) {
    _per_run_data *perRun = atomic_load(&rl->_perRunData);
    if (!rl->_isHosted && !atomic_load(&perRun->ignoreWakeUps))
        atomic_store_explicit(&perRun->ignoreWakeUps, __kCFRunLoopIgnoresWakeUps,
                              memory_order_relaxed);
}
CF_INLINE void __CFRunLoopUnsetIgnoreWakeUps(CFRunLoopRef rl) {
    _per_run_data *perRun = atomic_load(&rl->_perRunData);
    if (atomic_exchange(&perRun->ignoreWakeUps, 0) == __kCFRunLoopLeftOutWakeUp)
        perRun->_tookWakeUp = true;
}
/// A run that is certain to poll does not ignore wake-ups: the next wait receives what is left out.
CF_INLINE Boolean __CFPerRunDataIsIgnoringWakeUps(_per_run_data *perRun) {
    uint32_t ignores = atomic_load(&perRun->ignoreWakeUps);
    return ignores == __kCFRunLoopIgnoresWakeUps || ignores == __kCFRunLoopLeftOutWakeUp;
}
CF_INLINE Boolean __CFRunLoopIsIgnoringWakeUps(CFRunLoopRef rl) {
    return __CFPerRunDataIsIgnoringWakeUps(atomic_load(&rl->_perRunData));
}

/// From its first Source0 to the end of step 4, a pass is certain to poll in step 7 and to look for
/// changes after that. So a wake-up then needs no message: the thread owes it to its next wait,
/// which may be that of a nested run.
CF_INLINE void __CFRunLoopSetWillPoll(CFRunLoopRef rl) {
    _per_run_data *perRun = atomic_load(&rl->_perRunData);
    if (!rl->_isHosted && !atomic_load(&perRun->ignoreWakeUps))
        atomic_store_explicit(&perRun->ignoreWakeUps, __kCFRunLoopWillPoll, memory_order_relaxed);
}
CF_INLINE void __CFRunLoopUnsetWillPoll(CFRunLoopRef rl) {
    _per_run_data *perRun = atomic_load(&rl->_perRunData);
    if (atomic_exchange(&perRun->ignoreWakeUps, 0) == __kCFRunLoopWillPollForWakeUp)
        rl->_isOwedWakeUp = true;
}

/// Records that the innermost run has received a wake-up, which may concern a run around it. [D36]
CF_INLINE void __CFRunLoopSetTookWakeUp(CFRunLoopRef rl) {
    atomic_load(&rl->_perRunData)->_tookWakeUp = true;
}

CF_INLINE Boolean __CFRunLoopIsStopped(CFRunLoopRef rl) {
    return atomic_load(&atomic_load(&rl->_perRunData)->stopped) != 0;
}
CF_INLINE void __CFRunLoopUnsetStopped(CFRunLoopRef rl) {
    atomic_store(&atomic_load(&rl->_perRunData)->stopped, 0);
}

// MARK: - CFRunLoopMainThread.c: the end of the main thread

/// Records that the main thread's own code has ended, and notifies the layer above, once.
CF_PRIVATE void __CFRunLoopMainThreadHasExited(void);
/// Returns whether nothing can be added to the loop any more, because it is the main loop and the
/// main thread has exited. The first time, prints so, and names the thing that is being added
/// (`what`). Needs no lock.
CF_PRIVATE Boolean __CFRunLoopRefusesItems(CFRunLoopRef rl, const char *what);

// MARK: - CFRunLoopMainQueue.c: the main dispatch queue

/// Returns the main queue's port. Call on the main thread.
CF_PRIVATE __CFPort __CFRunLoopMainQueuePort(void);
/// Returns whether a run in this mode serves the main dispatch queue. rl locked.
CF_PRIVATE Boolean __CFRunLoopServesMainQueue(CFRunLoopRef rl, CFRunLoopModeRef rlm);
/// Inserts the main queue's port into the mode's port set, or removes it. rlm locked.
CF_PRIVATE void __CFRunLoopModeServeMainQueue(CFRunLoopModeRef rlm, Boolean serves);

// MARK: - CFRunLoopMode.c: modes, their names, their ports and their lock

/// Returns whether a name is equal to the placeholder kCFRunLoopCommonModes. [D14]
CF_PRIVATE Boolean __CFRunLoopIsCommonModes(CFStringRef modeName);
/// Returns the mode of that name, locked. Returns NULL if the loop has no such mode and `create` is
/// false, or if the name is NULL or kCFRunLoopCommonModes. rl locked.
CF_PRIVATE CFRunLoopModeRef __CFRunLoopFindMode(CFRunLoopRef rl, CFStringRef modeName,
                                               Boolean create);
/// Returns the mode of that name as __CFRunLoopFindMode does, but unlocked, for the fields that the
/// loop's lock guards. rl locked.
CF_PRIVATE CFRunLoopModeRef __CFRunLoopFindModeUnlocked(CFRunLoopRef rl, CFStringRef modeName,
                                                       Boolean create);
/// Returns an immutable copy of a mode's name, because the client's string may be mutable. Aborts
/// if there is no memory for it. The caller releases it.
CF_PRIVATE CFStringRef __CFRunLoopCopyModeName(CFStringRef modeName);
/// Adds a name to the common modes. Returns false if it was there. rl locked.
CF_PRIVATE Boolean __CFRunLoopAddCommonModeName(CFRunLoopRef rl, CFStringRef modeName);
/// Calls `function` with each mode of the loop (a CFRunLoopModeRef), unlocked. `function` may lock
/// the mode. It must neither unlock rl nor create a mode, because the set of modes must not change
/// meanwhile. rl locked.
CF_PRIVATE void __CFRunLoopForEachMode(CFRunLoopRef rl,
                                      void (*function)(const void *mode, void *context),
                                      void *context);
/// Replaces the kernel's part of the port set. Call it when the kernel has reported a port that
/// belongs to no source. rlm locked.
CF_PRIVATE void __CFRunLoopModeRenewPortSet(CFRunLoopModeRef rlm);
/// Inserts a source's port into the mode's port set. If the kernel cannot wait for the port, prints
/// so on stderr. rlm locked.
CF_PRIVATE void __CFRunLoopModeInsertPort(CFRunLoopModeRef rlm, __CFPort port, CFWatchEvents events);

// MARK: - CFRunLoopItem.c: what sources, timers and observers have in common

/// A pass lists up to this many due timers, or signaled sources, on its stack; more, on the heap.
enum { __kCFRunLoopFewItems = 8 };

/// A mode in a list. The caller may store an item with it.
struct __CFRunLoopListedMode {
    CFStringRef name;                   // not retained; lives as long as rl and the client's name
    CFTypeRef item;                     // the caller's; NULL at first
};
/// A list of modes by their names. The caller may go through it while rl is unlocked.
struct __CFRunLoopModeList {
    Boolean areCommon;                  // these are the common modes
    CFIndex count;
    struct __CFRunLoopListedMode *at;
    struct __CFRunLoopListedMode few[8]; // `at` points here if they suffice, so never copy the
                                        // struct
};
/// Lists the modes that a name stands for: the mode of that name, or all common modes. The loop may
/// not have the mode yet. NULL stands for none. Free the list with __CFRunLoopModeListFree. rl
/// locked.
CF_PRIVATE void __CFRunLoopListModesNamed(CFRunLoopRef rl, CFStringRef modeName,
                                         struct __CFRunLoopModeList *list);
/// Lists all modes of the loop. Free the list with __CFRunLoopModeListFree. rl locked.
CF_PRIVATE void __CFRunLoopListAllModes(CFRunLoopRef rl, struct __CFRunLoopModeList *list);
/// Lists the modes with the names in a set. Free the list with __CFRunLoopModeListFree.
CF_PRIVATE void __CFRunLoopListModesInSet(CFSetRef names, struct __CFRunLoopModeList *list);
/// Frees the memory of a list, but releases no item. Needs no lock.
CF_PRIVATE void __CFRunLoopModeListFree(struct __CFRunLoopModeList *list);

/// Returns whether an item, or one equal to it, is a common item. rl locked.
CF_PRIVATE Boolean __CFRunLoopContainsCommonItem(CFRunLoopRef rl, CFTypeRef item);
/// Adds an item to the common items. rl locked.
CF_PRIVATE void __CFRunLoopAddCommonItem(CFRunLoopRef rl, CFTypeRef item);
/// Removes an item from the common items, and returns it retained; NULL if it was not there. The
/// caller releases it with nothing locked, because that may deallocate it. rl locked.
CF_PRIVATE CFTypeRef __CFRunLoopTakeCommonItem(CFRunLoopRef rl, CFTypeRef item);
/// Returns an array of the items of a set, which may be NULL. The array retains them, and the
/// caller releases it. Call with the lock that guards the set.
CF_PRIVATE CFArrayRef __CFRunLoopCopyItems(CFSetRef items);
/// Calls `function` with each item of an array or a set. `items` may be NULL.
CF_PRIVATE void __CFRunLoopApplyToItems(CFTypeRef items,
                                       void (*function)(const void *item, void *context),
                                       void *context);

/// Locks the loop that a timer or an observer is in, then the item, and returns the loop, retained.
/// If the item is in no loop, or in one that is being deallocated, it locks the item alone, removes
/// it from that loop, and returns NULL. Call with nothing locked.
CF_PRIVATE CFRunLoopRef __CFRunLoopLockWithItem(CFTypeRef item);
/// Removes the reference to `rl`, which is being deallocated, from the timers and observers in an
/// array or a set. `items` may be NULL. The items stay valid, and you can add them to another loop.
/// rl locked.
CF_PRIVATE void __CFRunLoopDeallocateItems(CFRunLoopRef rl, CFTypeRef items);

/// The info of a timer's or an observer's context, which the caller must release with nothing
/// locked. If `release` is NULL, there is nothing to release.
struct __CFRunLoopInfo {
    void *info;
    void (*release)(const void *info);
};
/// Releases it. Call with nothing locked. DOES CALLOUT: release
CF_INLINE void __CFRunLoopReleaseInfo(struct __CFRunLoopInfo info) {
    if (info.release) info.release(info.info);
}
/// Marks a timer or an observer as firing, and returns the info for its callback. No other thread
/// releases the info before __CFRunLoopItemEndFiring. Item locked.
CF_PRIVATE void *__CFRunLoopItemBeginFiring(CFTypeRef item);
/// Ends the firing. Returns the info if another thread has invalidated the item meanwhile and left
/// the info to this one. Item locked.
CF_PRIVATE struct __CFRunLoopInfo __CFRunLoopItemEndFiring(CFTypeRef item);
/// Marks a timer or an observer invalid. Returns its info, unless the item was invalid, or another
/// thread uses the info and will release it. Call with the item locked.
CF_PRIVATE struct __CFRunLoopInfo __CFRunLoopItemInvalidate(CFTypeRef item);
/// Returns what the client's copyDescription says of the info of a timer or an observer. If that is
/// NULL or returns NULL, the description has the address of the info. Call with nothing locked.
/// DOES CALLOUT: copyDescription, release
CF_PRIVATE CFStringRef __CFRunLoopItemCopyContextDescription(
    CFTypeRef item, CFStringRef (*copyDescription)(const void *info));

// MARK: - CFRunLoopSignal.c: how a signal reaches the loop's thread

/// Creates the inbox of a loop. The registry's lock may be held.
CF_PRIVATE struct __CFSignalInbox *__CFSignalInboxCreate(void);
/// Keeps the inbox for another loop. Call it when the loop has no source any more.
CF_PRIVATE void __CFSignalInboxFree(struct __CFSignalInbox *inbox);
/// Returns whether a source is signaled. Lock-free.
CF_PRIVATE Boolean __CFRunLoopSourceIsSignaled(CFRunLoopSourceRef rls);
/// Clears the signal, and returns whether there was one. If several threads call it at once, one of
/// them gets true. Lock-free.
CF_PRIVATE Boolean __CFRunLoopSourceUnsetSignaled(CFRunLoopSourceRef rls);
/// Gives a version 0 source a slot in the loop's inbox. A signal that came earlier is not reported
/// there, so call __CFRunLoopModeAddIfSignaled afterwards. rl and rls locked.
CF_PRIVATE void __CFRunLoopSourceJoinInbox(CFRunLoopSourceRef rls, CFRunLoopRef rl);
/// Takes the slot away from a source that has left the last of its modes in the loop. rl and rls
/// locked.
CF_PRIVATE void __CFRunLoopSourceLeaveInbox(CFRunLoopSourceRef rls, CFRunLoopRef rl,
                                           Boolean isInOtherLoops);
/// Adds a source to the `_signaledSources0` of a mode (a CFRunLoopModeRef) that contains it, if it
/// is signaled. rl locked.
CF_PRIVATE void __CFRunLoopModeAddIfSignaled(const void *source, void *mode);
/// Adds the sources that were signaled since the last call to the `_signaledSources0` of their
/// modes. rl locked.
CF_PRIVATE void __CFRunLoopCollectSignals(CFRunLoopRef rl);
/// Returns whether a run of the mode may find a version 0 source signaled. rl and rlm locked.
CF_PRIVATE Boolean __CFRunLoopModeMayHaveSignals(CFRunLoopRef rl, CFRunLoopModeRef rlm);

// MARK: - CFRunLoopSource.c

/// Calls getPort of a version 1 source, as the original does (all versions): once for each mode
/// that the name stands for and that does not contain the source. Returns the first answer. Call
/// with nothing locked. DOES CALLOUT: getPort
CF_PRIVATE __CFPort __CFRunLoopSourceGetPortForModes(CFRunLoopSourceRef rls, CFRunLoopRef rl,
                                                    CFStringRef modeName);
/// Adds a source to a single mode. Returns false if it was there. `port` is the answer of getPort.
/// rl locked.
CF_PRIVATE Boolean __CFRunLoopAddSourceToMode(CFRunLoopRef rl, CFRunLoopSourceRef rls,
                                             CFStringRef modeName, __CFPort port);
/// Calls the `schedule` callback of a version 0 source that was added to a mode. Call with nothing
/// locked. DOES CALLOUT
CF_PRIVATE void __CFRunLoopSourceSchedule(CFRunLoopSourceRef rls, CFRunLoopRef rl,
                                         CFStringRef modeName);
/// Removes all sources from a mode, or from the common items. Call with nothing locked. DOES
/// CALLOUT: cancel, getPort, release
CF_PRIVATE void __CFRunLoopRemoveAllSources(CFRunLoopRef rl, CFStringRef modeName);
/// Step 4. rl and rlm locked. DOES CALLOUT
CF_PRIVATE Boolean __CFRunLoopDoSources0(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                        Boolean stopAfterHandle);
/// Step 9.3. rl and rlm locked. DOES CALLOUT
CF_PRIVATE Boolean __CFRunLoopDoSource1(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                       CFRunLoopSourceRef rls);
/// Returns the source that a port of the mode belongs to. rl and rlm locked.
CF_PRIVATE CFRunLoopSourceRef __CFRunLoopModeFindSourceForMachPort(CFRunLoopRef rl,
                                                                  CFRunLoopModeRef rlm,
                                                                  __CFPort port);

// MARK: - CFRunLoopObserver.c

/// Adds an observer to a single mode. Returns false if it was there. rl locked.
CF_PRIVATE Boolean __CFRunLoopAddObserverToMode(CFRunLoopRef rl, CFRunLoopObserverRef rlo,
                                               CFStringRef modeName);
/// Steps 1, 2, 3, 6, 8 and 10. rl and rlm locked. DOES CALLOUT
CF_PRIVATE void __CFRunLoopDoObservers(CFRunLoopRef rl, CFRunLoopModeRef rlm,
                                      CFRunLoopActivity activity);

// MARK: - CFRunLoopTimer.c

/// Adds a timer to a single mode. Returns false if it was there. rl locked.
CF_PRIVATE Boolean __CFRunLoopAddTimerToMode(CFRunLoopRef rl, CFRunLoopTimerRef rlt,
                                            CFStringRef modeName);
/// Arms the mode's timer port for its timers, if they have changed. Creates the port for the first
/// of them. rl and rlm locked.
CF_PRIVATE void __CFArmNextTimerInMode(CFRunLoopModeRef rlm, CFRunLoopRef rl);
/// Step 9.1. rl and rlm locked. DOES CALLOUT
CF_PRIVATE Boolean __CFRunLoopDoTimers(CFRunLoopRef rl, CFRunLoopModeRef rlm, uint64_t limitTSR);

// MARK: - CFRunLoopBlocks.c

/// Returns whether a pass in the mode performs this block. Its loop locked.
CF_PRIVATE Boolean __CFRunLoopBlockIsForMode(const struct _block_item *item, CFRunLoopModeRef rlm);
/// Returns whether a pass in the mode would perform a block. rl locked.
CF_PRIVATE Boolean __CFRunLoopHasBlocks(CFRunLoopRef rl, CFRunLoopModeRef rlm);
/// Releases all blocks when the loop's thread has ended. Call with nothing locked. DOES CALLOUT:
/// deallocates what the blocks have captured
CF_PRIVATE void __CFRunLoopDropBlocks(CFRunLoopRef rl);
CF_PRIVATE void __CFRunLoopFreeBlockChunks(CFRunLoopRef rl);
/// Steps 3, 4 and 9. rl and rlm locked. DOES CALLOUT
CF_PRIVATE Boolean __CFRunLoopDoBlocks(CFRunLoopRef rl, CFRunLoopModeRef rlm);

// MARK: - CFRunLoopObject.c

/// Creates the run loop of a thread, with the default mode in it. The registry calls this with its
/// lock held.
CF_PRIVATE CFRunLoopRef __CFRunLoopCreate(pthread_t t);

// MARK: - CFRunLoopHost.c: event loops that modes are embedded in

/// Makes the descriptor of each embedded mode readable if the mode has something to do, and
/// unreadable otherwise. Call it after serving the main queue. Call with rl locked but no mode, on
/// its thread.
CF_PRIVATE void __CFRunLoopNotifyHosts(CFRunLoopRef rl);
/// Does the same at the end of a run. At the end of the outermost run it also receives the wake-up
/// that came during the run, if any, because it now checks for all work. Call with rl locked but no
/// mode, on its thread.
CF_PRIVATE void __CFRunLoopNotifyHostsOfEnd(CFRunLoopRef rl);
/// Receives the message of the wake-up port, if there is one. Call on the loop's thread; needs no
/// lock.
CF_PRIVATE void __CFRunLoopReceiveWakeUp(CFRunLoopRef rl);

CF_EXTERN_C_END

#endif
