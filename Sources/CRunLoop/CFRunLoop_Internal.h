/// CFRunLoop_Internal.h: the structs of the run loop, and what each of its files offers the others.
/// Start reading here.
///
/// The structs carry CF-1153's fields under its names and in its order; what this project adds
/// stands behind them, under "Here". (CF-855's loop has no _runTime and no _sleepTime, the current
/// source's no _unused; its source has _signaledTime for _bits.) Each group of fields names the
/// lock that guards it.
///
/// Locks are taken from the outside in: the registry's, then a run loop's, then a mode's, then an
/// item's (source, observer, timer). None is held while a callback of the client runs, but for the
/// `equal` and `hash` of a source, which the sets need. A mode is looked at and changed only with
/// its run loop locked as well; describing one, which changes nothing, locks the mode alone. So
/// what a description does not read may be looked at, and changed, with the run loop alone locked:
/// step 4 notes signals so, in all modes.
#if !defined(__COREFOUNDATION_CFRUNLOOP_INTERNAL__)
#define __COREFOUNDATION_CFRUNLOOP_INTERNAL__ 1

#include "Base/CFInternal.h"
#include "CFPort.h"
#include <CoreFoundation/CFRunLoopTrace.h>
#include <CoreFoundation/ForFoundationOnly.h>

CF_EXTERN_C_BEGIN

typedef struct __CFRunLoopMode *CFRunLoopModeRef;

// MARK: - The structs

/// The longest time that counts, in seconds: 16 years. Longer limits mean no limit, and a timer's
/// longer interval is taken for this one.
#define TIMER_INTERVAL_LIMIT 504911232.0

/// One pass of a run, as it is kept for whoever looks at a process or at its core file, in every
/// build. Written by the loop's thread; what other threads may read, with rl locked, is written
/// with rl locked, and `_steps` may be read without.
struct __CFRunLoopPass {
    _Atomic(uint64_t) _steps;            // the steps so far, one hexadecimal digit each, the latest lowest: 0x23467 is
                                         // asleep, or about to be; 0x2347 only looks. A is step 10
    uint16_t _callouts[kCFRunLoopTraceCalloutCount]; // how many callbacks of each kind it has called, by
                                         // CFRunLoopTraceCallout; 65535 stands for more, too
    __CFPort _port;                      // what step 9 has found to serve, by its port
    uint64_t _sleepTSR;                  // when the thread fell asleep, and when it woke up; 0: it has not
    uint64_t _wakeTSR;
    CFRunLoopModeRef _mode;              // the run's mode
    CFRunLoopTraceReason _reason;        // what step 9 has found to serve
    pid_t _sender;                       // who has sent the wake-up that ended the sleep; known while a trace is on, otherwise 0
    uint32_t _depth;                     // how many runs of the loop are within each other, this one included
};
#define __kCFRunLoopPassesKept 32

/// What belongs to one activation of a loop. Runs nest, and each has its own; Stop and WakeUp speak
/// to the innermost.
///
/// Both may come from a signal handler and take no lock, so they may hold a pointer to a record
/// whose run has just ended. Hence the records are never freed before the loop is, a record that is
/// not in use never says that it ignores wake-ups, and what they touch is atomic.
typedef struct _per_run_data {
    uint32_t a;                          // 'CFRL', to be found in memory dumps
    uint32_t b;
    _Atomic(uint32_t) stopped;           // 'STOP' or 0: CFRunLoopStop was called
    _Atomic(uint32_t) ignoreWakeUps;     // 'WAKE' or 0: the thread is awake and will look at everything again before it sleeps;
                                         // 'WOKE': so it is, and a wake-up was left out since
    // Here
    struct _per_run_data *previous;      // the run around this one; for a spare record, the next spare
    const char *_frame;                  // where on the stack its CFRunLoopRunSpecific is; the loop's thread alone
    Boolean _tookWakeUp;                 // it has received a wake-up, or one was left out because of it; the loop's thread alone
    Boolean _isOwedWakeUp;               // a nested run took one: it is sent before this run sleeps; the loop's thread alone
    struct __CFRunLoopPass pass;         // the pass that the run is in; outside all runs, and before a first step, of no step
} _per_run_data;

/// A run loop.
struct __CFRunLoop {
    CFRuntimeBase _base;                 // flags: sleeping, deallocating
    pthread_mutex_t _lock;               // guards all that follows, unless it says otherwise
    __CFPort _wakeUpPort;                // immutable; what CFRunLoopWakeUp sends to
    Boolean _unused;                     // CF-855, CF-1153: kept for the order
    _Atomic(_per_run_data *) _perRunData;// written by the loop's thread, read by anyone without the lock
    pthread_t _pthread;                  // immutable
    CFMutableSetRef _commonModes;        // the names of the modes declared common; never shrinks
    CFMutableSetRef _commonModeItems;    // what was added to the common modes; NULL until something is
    CFRunLoopModeRef _currentMode;       // the mode of the innermost run; NULL outside
    CFMutableSetRef _modes;              // never shrinks
    struct _block_place *_blocks_head;   // blocks queued for the common modes; those for a single mode queue there
    struct _block_place *_blocks_tail;
    CFAbsoluteTime _runTime;             // never written, there neither (CF-1153, current source)
    CFAbsoluteTime _sleepTime;           // seconds asleep; there by the wall clock
    CFTypeRef _counterpart;              // guarded by loopsLock; an NSRunLoop on a Mac (all)
    // Here
    void (*_releaseCounterpart)(CFTypeRef counterpart); // likewise; how that object is let go of
    _per_run_data *_sparePerRunData;     // the loop's thread alone
    CFRunLoopModeRef _lastMode;          // the mode that __CFRunLoopFindMode found last
    CFRunLoopModeRef _sleepingMode;      // the mode that the thread is asleep in; NULL while it is awake
    struct __CFSignalInbox *_inbox;      // immutable; which sources were signalled since the last look (CFRunLoopSignal.c)
    uint64_t _sharedSignalsSeen;         // how far this loop has followed __CFSharedSignals
    uint64_t _blockTurn;                 // the turn of the block queued last
    struct _block_place *_spareBlocks;   // places of items that have been performed, to be used again
    CFIndex _spareBlockCount;
    uint64_t _blocksTaken;               // blocks up to this turn belong to a __CFRunLoopDoBlocks around this run
    _Atomic(Boolean) _wakeUpSent;        // there may be a message on _wakeUpPort; false: none that CFRunLoopWakeUp has returned from sending
    _Atomic(pid_t) _tid;                 // written by the loop's thread; its number, 0 until it has asked for the loop
    Boolean _hasEnded;                   // its thread has ended: it takes no more sources and blocks
    Boolean _isHosted;                   // one of its modes, or more, is embedded in another event loop
    _Atomic(pid_t) _wakeUpSender;        // the thread that has woken it last and has not been seen yet, while a trace is on; no lock
    uint64_t _passCount;                 // how many passes have been completed, of all runs
    struct __CFRunLoopPass _passes[__kCFRunLoopPassesKept]; // the last of them: pass number n at n % __kCFRunLoopPassesKept, counted from 0
};

/// A mode: a set of items under a name.
///
/// `_timers` is sorted by _fireTSR, timers of equal date by _turn; it may hold timers that are
/// firing. A source is in _sources0 or in _sources1, by its version. _portToV1SourceMap has a key
/// for each port of a source in _sources1.
struct __CFRunLoopMode {
    CFRuntimeBase _base;
    pthread_mutex_t _lock;               // must have the run loop locked before locking this; guards all that follows
    CFStringRef _name;                   // immutable
    Boolean _stopped;                    // _CFRunLoopStopMode was called
    char _padding[3];
    CFMutableSetRef _sources0;           // NULL until there is a source of either version
    CFMutableSetRef _sources1;
    CFMutableArrayRef _observers;        // by ascending order; NULL until there is one
    CFMutableArrayRef _timers;           // NULL until there is one
    CFMutableDictionaryRef _portToV1SourceMap; // port → the source added last with it
    __CFPortSet _portSet;                // NULL until the kernel is first asked about the mode, so a mode that never waits has no descriptor
    CFIndex _observerMask;               // the union of the observers' activities
                                         // (in all versions of the original it only grows)
    __CFPort _timerPort;                 // CFPORT_NULL until a timer has to be waited for
    Boolean _mkTimerArmed;               // armed, and not disarmed since; still so when it has gone off
    uint64_t _timerSoftDeadline;         // what the timer port is armed for; UINT64_MAX: nothing
                                         // (in all versions the earliest fire date)
    uint64_t _timerHardDeadline;         // the latest that it could have been armed for without exceeding a tolerance
    // Here
    Boolean _isCommon;                   // its name is in the loop's _commonModes; read with the run loop locked
    Boolean _timersChanged;              // the deadlines may not be those of _timers any more: arm again before sleeping
    __CFPortSet _hostSet;                // holds _portSet, for the event loop that this mode is embedded in; NULL: in none
    __CFPort _hostBell;                  // in _hostSet too; readable while a run has left work; CFPORT_NULL without a host
    Boolean _hostBellRings;              // _hostBell is readable
    Boolean _mainQueuePortInSet;         // the main dispatch queue's port is in _portSet
    CFMutableSetRef _sharedPorts;        // ports that two sources have brought at once; NULL until that happens
    CFMutableSetRef _source0Addresses;   // the sources of _sources0 once more, found without asking the client's hash and equal; not retained
    CFMutableSetRef _signalledSources0;  // the sources of _sources0 that are signalled, and some that no longer are; not retained;
                                         // guarded by the run loop's lock
    struct _block_place *_blocks_head;   // blocks queued for this mode, by ascending turn; guarded by the run loop's lock alone
    struct _block_place *_blocks_tail;
};

/// A source of either version.
struct __CFRunLoopSource {
    CFRuntimeBase _base;                 // flags: valid
    _Atomic(uint32_t) _bits;             // signalled; no lock
    pthread_mutex_t _lock;               // guards _runLoops and _ownSlot
    CFIndex _order;                      // immutable
    CFMutableBagRef _runLoops;           // each loop once for every mode of it that the source is in, and once for its common items
    union {
        CFRunLoopSourceContext version0; // immutable
        CFRunLoopSourceContext1 version1;
    } _context;
    // Here
    _Atomic(uint64_t) _signalTurn;       // when it was signalled, counted in signals; no lock
    _Atomic(struct __CFSignalSlot *) _slot; // where a signal is reported; NULL: in no loop; &__CFSharedSlot: in several; no lock
    struct __CFSignalSlot *_ownSlot;     // the slot that it has in the inbox of the first of its loops; NULL: none
    _Atomic(__CFPort) _port;             // version 1: what getPort returned when the source was first added
    _Atomic(CFWatchEvents) _watchEvents; // version 1: what the port is waited for; no lock
    _Atomic(pid_t) _signaller;           // the thread that has signalled it last, while a trace is on; no lock
};

/// Who uses the info of an observer's or a timer's context: a callback, or a copyDescription. An
/// invalidation on another thread leaves the info to the last of them to release. [D11] Guarded by
/// the item's lock.
struct __CFRunLoopInfoUsers {
    uint32_t _count;
    Boolean _releasesLate;               // the item is invalid by now: _lateInfo is to be released
    pthread_t _firingThread;             // who is in the callback, while the item is firing
    void *_lateInfo;
};

/// An observer.
struct __CFRunLoopObserver {
    CFRuntimeBase _base;                 // flags: firing, repeats, valid
    pthread_mutex_t _lock;               // guards _runLoop, _rlCount, _context.info and what stands under "Here"
    CFRunLoopRef _runLoop;               // not retained; NULL: in no loop
    CFIndex _rlCount;                    // the modes of it that the observer is in, and one for its common items
    CFOptionFlags _activities;           // immutable
    CFIndex _order;                      // immutable
    CFRunLoopObserverCallBack _callout;  // immutable
    CFRunLoopObserverContext _context;   // immutable, except that invalidation sets info to NULL
    // Here
    struct __CFRunLoopInfoUsers _users;  // of the context's info
};

/// A timer.
struct __CFRunLoopTimer {
    CFRuntimeBase _base;                 // flags: valid
    _Atomic(uint16_t) _bits;             // firing; no lock
    pthread_mutex_t _lock;               // guards what follows; see _fireTSR
    CFRunLoopRef _runLoop;               // not retained; NULL: in no loop
    CFMutableSetRef _rlModes;            // the names of the modes it is in, kCFRunLoopCommonModes for the common items; as _fireTSR
    CFAbsoluteTime _nextFireDate;        // what the client asked for or will be told
    CFTimeInterval _interval;            // immutable
    CFTimeInterval _tolerance;
    uint64_t _fireTSR;                   // when it fires; written with its run loop and the timer locked, read with either
    CFIndex _order;                      // immutable; the loop ignores it (in all versions)
    CFRunLoopTimerCallBack _callout;     // immutable
    CFRunLoopTimerContext _context;      // immutable, except that invalidation sets info to NULL
    // Here
    uint64_t _firstTSR;                  // where its rhythm begins: the date given or, if it had
                                         // passed, when it was given; as _fireTSR
    uint64_t _beat;                      // _fireTSR is so many intervals later; as _fireTSR
    uint64_t _turn;                      // when it came into its loop, counted in timers: the order of equal dates [D21]; as _fireTSR
    int64_t _clockOffset;                // the wall clock minus the monotonic one, in nanoseconds, when _nextFireDate was set [D22]
    struct __CFRunLoopInfoUsers _users;  // of the context's info
};

/// Where the sources of one loop say that they are signalled: a tree of groups with up to 64 bits
/// each. CFRunLoopSignal.c has the protocol. Nothing here retains a source. An inbox with its
/// groups outlives its loop, because a signaller may still be about to set a bit in it: it is kept
/// for the next loop instead of being freed.
///
///     the signaller (any thread, no lock)         the loop's thread (rl locked)
///     sets bits in _signaled, from the slot up    takes them, from the root down
///     reads _slot of the source, _group, _above   writes _slot, when the source joins or leaves; _above, when the tree grows
///                                                 reads and writes all that follows _above
///
/// True at all times: the slots with a _source are those that a source in one of the loop's modes,
/// or among its common items, has as its _ownSlot. A bit of _taken says at level 0 that the slot
/// has a source, further up that all slots below it are taken; it is also set where a group that
/// has fewer than 64 slots has none.
struct __CFSignalInbox {
    struct __CFSignalGroup *_root;         // guarded by the run loop's lock; NULL until a source joins
    _Atomic(Boolean) _sharesSources;       // a source of this loop is, or was, in another loop too; no lock
    struct __CFSignalInbox *_nextSpare;
};
/// A slot for one source; further up in the tree, for a group of slots.
struct __CFSignalSlot {
    struct __CFSignalGroup *_group;        // the group that it is part of; immutable
    union {
        CFRunLoopSourceRef _source;        // level 0; NULL: the slot is free. Guarded by the run loop's lock
        struct __CFSignalGroup *_below;    // level 1 and above; NULL until it is needed. Guarded by the run loop's lock
    };
};
/// The first group of an inbox has few slots, because most loops have few sources.
enum { __kCFSignalFewSlots = 8, __kCFSignalMostSlots = 64 };
struct __CFSignalGroup {
    _Atomic(uint64_t) _signaled;           // a bit a slot: a source there may have been signalled; no lock
    _Atomic(struct __CFSignalSlot *) _above; // the slot that stands for this group; NULL: it is the root; no lock
    struct __CFSignalInbox *_inbox;        // immutable
    CFIndex _level;                        // immutable; 0: the slots are for sources
    uint64_t _taken;                       // a bit a slot: there is no room in it. Guarded by the run loop's lock
    CFIndex _count;                        // immutable
    struct __CFSignalSlot _slots[];
};

/// A block's place in the queue of one mode. All of it is guarded by the run loop's lock.
struct _block_place {
    struct _block_place *_next, *_prev;
    struct _block_item *_item;
    CFRunLoopModeRef _mode;        // whose queue; NULL: the queue for the common modes
};

/// A block, waiting. The original's item (all versions) has the mode's name, or a set of names,
/// where this has places.
struct _block_item {
    void (^_block)(void);
    uint64_t _turn;
    CFIndex _room;                 // how many places there can be
    CFIndex _placeCount;
    struct _block_place _places[];
};

/// Since when a timer is to fire: not before it was given its date, though that may have passed by
/// then. Call with the timer or its loop locked.
CF_INLINE uint64_t __CFRunLoopTimerDueTSR(const struct __CFRunLoopTimer *rlt) {
    return rlt->_fireTSR > rlt->_firstTSR ? rlt->_fireTSR : rlt->_firstTSR;
}

// MARK: - Flags

enum { // in the CFRuntimeBase
    __kCFRunLoopSleeping = 1, __kCFRunLoopDeallocating = 2,
    __kCFRunLoopObserverFiring = 0, __kCFRunLoopObserverRepeats = 1,
    __kCFValid = 3
};
enum { // in the _bits of a source and of a timer
    __kCFRunLoopSourceSignalled = 1u << 1,
    __kCFRunLoopTimerFiring = 1u << 0
};

CF_INLINE Boolean __CFIsValid(const void *item) { return __CFRuntimeGetFlag(item, __kCFValid); }
CF_INLINE void __CFSetValid(void *item) { __CFRuntimeSetFlag(item, __kCFValid, true); }
CF_INLINE void __CFUnsetValid(void *item) { __CFRuntimeSetFlag(item, __kCFValid, false); }

CF_INLINE Boolean __CFRunLoopIsDeallocating(CFRunLoopRef rl) { return __CFRuntimeGetFlag(rl, __kCFRunLoopDeallocating); }
CF_INLINE Boolean __CFRunLoopIsSleeping(CFRunLoopRef rl) { return __CFRuntimeGetFlag(rl, __kCFRunLoopSleeping); }

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

// MARK: - CFRunLoopWakeUp.c: the records of a loop's runs; reaching a loop from outside

/// Begins the record of a run in a mode, and returns that of the run around it. Call with rl
/// locked.
CF_EXPORT _per_run_data *__CFRunLoopPushPerRunData(CFRunLoopRef rl, CFRunLoopModeRef rlm, const void *frame);
/// Ends the records of runs that a callback has left by longjmp or by an exception: their frames
/// were deeper on this stack than `frame`. Call with rl locked, on the loop's thread, when a run
/// begins.
CF_EXPORT void __CFRunLoopDropLeftRuns(CFRunLoopRef rl, const void *frame);
/// Ends it. Call with rl locked, on the loop's thread.
CF_EXPORT void __CFRunLoopPopPerRunData(CFRunLoopRef rl, _per_run_data *previous);
/// Sends the wake-up that a nested run has left to the innermost run. Call with rl locked, on the
/// loop's thread, when that run is about to sleep.
CF_EXPORT void __CFRunLoopSendOwedWakeUp(CFRunLoopRef rl);
/// Frees all records of a loop that dies. Needs no lock: nobody else has the loop any more.
CF_EXPORT void __CFRunLoopFreePerRunData(CFRunLoopRef rl);

/// 'WAKE' means: a wake-up need not be sent, the loop will look at everything again before it
/// sleeps. Whoever leaves one out turns it into 'WOKE'. Only the loop's thread sets and clears it.
enum { __kCFRunLoopIgnoresWakeUps = 0x57414B45, __kCFRunLoopLeftOutWakeUp = 0x574F4B45 };
CF_INLINE void __CFRunLoopSetIgnoreWakeUps(CFRunLoopRef rl) {
    _per_run_data *perRun = atomic_load(&rl->_perRunData);
    if (rl->_isHosted) return; // its host sleeps, and would not look again if a callback is left by longjmp
    if (!atomic_load(&perRun->ignoreWakeUps)) atomic_store(&perRun->ignoreWakeUps, __kCFRunLoopIgnoresWakeUps);
}
CF_INLINE void __CFRunLoopUnsetIgnoreWakeUps(CFRunLoopRef rl) {
    _per_run_data *perRun = atomic_load(&rl->_perRunData);
    if (atomic_exchange(&perRun->ignoreWakeUps, 0) == __kCFRunLoopLeftOutWakeUp) perRun->_tookWakeUp = true;
}
CF_INLINE Boolean __CFRunLoopIsIgnoringWakeUps(CFRunLoopRef rl) {
    return atomic_load(&atomic_load(&rl->_perRunData)->ignoreWakeUps) != 0;
}

CF_INLINE Boolean __CFRunLoopIsStopped(CFRunLoopRef rl) { return atomic_load(&atomic_load(&rl->_perRunData)->stopped) != 0; }
CF_INLINE void __CFRunLoopUnsetStopped(CFRunLoopRef rl) { atomic_store(&atomic_load(&rl->_perRunData)->stopped, 0); }

/// Receives the wake-up that was sent, if one was. Call on the loop's thread. Needs no lock.
CF_EXPORT void __CFRunLoopReceiveWakeUp(CFRunLoopRef rl);
/// Takes note that the main thread's own code is over, and tells the layer above, once.
CF_EXPORT void __CFRunLoopMainThreadHasExited(void);
/// Whether nothing can be added to the loop any more, because it is the main loop and the main
/// thread has exited; says so, once, of the thing that is being added (`what`). Needs no lock.
CF_EXPORT Boolean __CFRunLoopRefusesItems(CFRunLoopRef rl, const char *what);

// MARK: - CFRunLoopMode.c: modes, their names, their ports and their lock

/// Whether a name is that of the placeholder kCFRunLoopCommonModes, whoever made the string. [D14]
CF_EXPORT Boolean __CFRunLoopIsCommonModes(CFStringRef modeName);
/// The mode of that name, locked; NULL if there is none and `create` is false, or if the name is
/// NULL or kCFRunLoopCommonModes. Call with rl locked.
CF_EXPORT CFRunLoopModeRef __CFRunLoopFindMode(CFRunLoopRef rl, CFStringRef modeName, Boolean create);
/// The same, not locked: for what the run loop's lock guards. Call with rl locked.
CF_EXPORT CFRunLoopModeRef __CFRunLoopFindModeUnlocked(CFRunLoopRef rl, CFStringRef modeName, Boolean create);
/// A mode's name for keeps: the client's may be mutable. Halts when there is no memory for it. The
/// caller releases it.
CF_EXPORT CFStringRef __CFRunLoopCopyModeName(CFStringRef modeName);
/// Adds a name to the common modes; false if it was there. Call with rl locked.
CF_EXPORT Boolean __CFRunLoopAddCommonModeName(CFRunLoopRef rl, CFStringRef modeName);
/// Calls `function` with each mode of the loop (a CFRunLoopModeRef), which is not locked. Call with
/// rl locked. `function` may lock the mode; it must neither unlock rl nor make a mode, because the
/// set of modes must not change meanwhile.
CF_EXPORT void __CFRunLoopForEachMode(CFRunLoopRef rl, void (*function)(const void *mode, void *context), void *context);
/// Calls `function` with each mode's name (a CFStringRef) that a name stands for: one, or those of
/// all the common modes. Call with rl locked. `function` may make the mode; it must neither unlock
/// rl nor declare a mode common.
CF_EXPORT void __CFRunLoopForEachModeNamed(CFRunLoopRef rl, CFStringRef modeName,
                                           void (*function)(const void *name, void *context), void *context);
/// The modes that a name stands for, to be gone through while rl is unlocked, with a place for what
/// the caller finds in each.
struct __CFRunLoopNamedMode {
    CFStringRef name;              // not retained: lives as long as the loop and the client's name do
    CFTypeRef item;                // the caller's; NULL at first
};
struct __CFRunLoopNamedModes {
    CFIndex count;
    struct __CFRunLoopNamedMode *modes;
    struct __CFRunLoopNamedMode few[8]; // what `modes` points to while there are no more; the struct must not be moved
};
/// Fills in `modes`, which __CFRunLoopFreeModesNamed frees. Call with rl locked.
CF_EXPORT void __CFRunLoopCopyModesNamed(CFRunLoopRef rl, CFStringRef modeName, struct __CFRunLoopNamedModes *modes);
/// Frees what __CFRunLoopCopyModesNamed has made, but none of the items. Needs no lock.
CF_EXPORT void __CFRunLoopFreeModesNamed(struct __CFRunLoopNamedModes *modes);
/// Whether an item, or one equal to it, is a common item. Call with rl locked.
CF_EXPORT Boolean __CFRunLoopContainsCommonItem(CFRunLoopRef rl, CFTypeRef item);
/// Adds to the common items; true if that changed anything. Call with rl locked.
CF_EXPORT Boolean __CFRunLoopAddCommonItem(CFRunLoopRef rl, CFTypeRef item);
/// Removes from the common items and returns what was there, retained: it is to be released with
/// nothing locked, since that may be its end. NULL if nothing was. Call with rl locked.
CF_EXPORT CFTypeRef __CFRunLoopTakeCommonItem(CFRunLoopRef rl, CFTypeRef item);
/// Calls `function` with each item of an array or set, which may be NULL, and with `context`.
CF_EXPORT void __CFRunLoopApplyToItems(CFTypeRef items, void (*function)(const void *item, void *context),
                                       void *context);
/// Makes the mode's port set, with the ports of all that is in the mode, if it has none yet. Call
/// with rl and rlm locked.
CF_EXPORT void __CFRunLoopModeOpenPortSet(CFRunLoopRef rl, CFRunLoopModeRef rlm);
/// Makes the port set anew, because it has reported a port that nobody in the mode has. Call with
/// rl and rlm locked.
CF_EXPORT void __CFRunLoopModeRenewPortSet(CFRunLoopRef rl, CFRunLoopModeRef rlm);
/// Puts a source's port into the mode's port set, if that is open; says so on stderr if it cannot
/// be waited for. Call with rl and rlm locked.
CF_EXPORT void __CFRunLoopModeInsertPort(CFRunLoopModeRef rlm, __CFPort port, CFWatchEvents events);

// MARK: - CFRunLoopItem.c: what timers and observers share

/// Locks the loop that an item is in, then the item. The loop comes back retained; NULL if the item
/// is in none, or in one that is dying, and then the item alone is locked and in no loop. Call with
/// nothing locked.
CF_EXPORT CFRunLoopRef __CFRunLoopLockWithItem(CFTypeRef item);
/// Has the timers or observers (`type`) among the items of an array or set forget that they are in
/// `rl`, which is dying. `items` may be NULL. The items stay valid, and may be added to another
/// loop. Call with rl locked.
CF_EXPORT void __CFRunLoopItemsForgetLoop(CFRunLoopRef rl, CFTypeRef items, CFTypeID type);
/// From here on the caller uses the info of the item's context, so that no other thread releases
/// it. Call with the item locked.
CF_INLINE void __CFRunLoopItemBeginUse(struct __CFRunLoopInfoUsers *users) { users->_count++; }
/// The reverse. Sets `releasesLate` if the item was invalidated meanwhile and nobody else uses the
/// info: what is returned is then the caller's to release, with nothing locked. Call with the item
/// locked.
CF_EXPORT void *__CFRunLoopItemEndUse(CFTypeRef item, Boolean *releasesLate);
/// Marks the item invalid. True if it was valid and its info is now the caller's to release; false
/// also if another thread uses the info and will release it. Call with nothing locked.
CF_EXPORT Boolean __CFRunLoopItemInvalidate(CFTypeRef item, void **info);
/// What the client's copyDescription (NULL: none) says of the info, which comes back as well. Call
/// with nothing locked. DOES CALLOUT: copyDescription, release
CF_EXPORT CFStringRef __CFRunLoopItemCopyInfoDescription(
    CFTypeRef item, CFStringRef (*copyDescription)(const void *info), void **info);

// MARK: - CFRunLoopSignal.c: how a signal reaches the loop's thread

/// Makes the inbox of a loop, and gives it back. The registry's lock may be held.
CF_EXPORT struct __CFSignalInbox *__CFSignalInboxCreate(void);
/// Call when no source is in the loop any more.
CF_EXPORT void __CFSignalInboxFree(struct __CFSignalInbox *inbox);
/// Whether a source is signalled. Lock-free.
CF_EXPORT Boolean __CFRunLoopSourceIsSignaled(CFRunLoopSourceRef rls);
/// Clears the signal; true if there was one. If several threads call it at once, one of them gets
/// true. Lock-free.
CF_EXPORT Boolean __CFRunLoopSourceUnsetSignaled(CFRunLoopSourceRef rls);
/// From here on signals of a version 0 source are reported to the loop. Look at its signal
/// afterwards (__CFRunLoopModeAddIfSignaled): it may have been signalled before. Call with rl and
/// rls locked.
CF_EXPORT void __CFRunLoopSourceJoinInbox(CFRunLoopSourceRef rls, CFRunLoopRef rl);
/// The reverse, when the source has left the last place in the loop. Call with rl and rls locked.
CF_EXPORT void __CFRunLoopSourceLeaveInbox(CFRunLoopSourceRef rls, CFRunLoopRef rl, Boolean isInOtherLoops);
/// Adds a source to the signalled ones of a mode (a CFRunLoopModeRef) that it is in, if it is
/// signalled. Call with rl locked.
CF_EXPORT void __CFRunLoopModeAddIfSignaled(const void *source, void *mode);
/// Adds the sources that were signalled since the last call to the signalled ones of the modes that
/// they are in. Touches no list if there are none. Call with rl locked.
CF_EXPORT void __CFRunLoopCollectSignals(CFRunLoopRef rl);
/// Whether a run of the mode may find a source 0 signalled. Call with rl and rlm locked.
CF_EXPORT Boolean __CFRunLoopModeMayHaveSignals(CFRunLoopRef rl, CFRunLoopModeRef rlm);

// MARK: - CFRunLoopSource.c

/// Whether getPort is to be asked before a source is added to a mode: of version 1, and not there.
/// Call with rl locked.
CF_EXPORT Boolean __CFRunLoopSourceNeedsPort(CFRunLoopRef rl, CFRunLoopSourceRef rls, CFStringRef modeName);
/// Asks getPort, as the original does (all versions) once for each mode that the source is added
/// to; the first answer counts. Call with nothing locked. DOES CALLOUT: getPort
CF_EXPORT __CFPort __CFRunLoopSourceGetPort(CFRunLoopSourceRef rls, CFIndex modeCount);
/// Adds a source to a single mode; true if it was not there. `port` is what getPort has answered.
/// Call with rl locked.
CF_EXPORT Boolean __CFRunLoopAddSourceToMode(CFRunLoopRef rl, CFRunLoopSourceRef rls, CFStringRef modeName, __CFPort port);
/// Tells a version 0 source that it was added to a mode. Call with nothing locked. DOES CALLOUT
CF_EXPORT void __CFRunLoopSourceSchedule(CFRunLoopSourceRef rls, CFRunLoopRef rl, CFStringRef modeName);
/// Takes all sources out of a mode, or of the common items. Call with nothing locked. DOES CALLOUT:
/// cancel, getPort, release
CF_EXPORT void __CFRunLoopRemoveAllSources(CFRunLoopRef rl, CFStringRef modeName);
/// Step 4. Call with rl and rlm locked. DOES CALLOUT
CF_EXPORT Boolean __CFRunLoopDoSources0(CFRunLoopRef rl, CFRunLoopModeRef rlm, Boolean stopAfterHandle);
/// Step 9.3. Call with rl and rlm locked. DOES CALLOUT
CF_EXPORT Boolean __CFRunLoopDoSource1(CFRunLoopRef rl, CFRunLoopModeRef rlm, CFRunLoopSourceRef rls);
/// The source that a port of the mode belongs to. Call with rl and rlm locked.
CF_EXPORT CFRunLoopSourceRef __CFRunLoopModeFindSourceForMachPort(CFRunLoopRef rl, CFRunLoopModeRef rlm, __CFPort port);

// MARK: - CFRunLoopObserver.c

/// Adds an observer to a single mode; true if it was not there. Call with rl locked.
CF_EXPORT Boolean __CFRunLoopAddObserverToMode(CFRunLoopRef rl, CFRunLoopObserverRef rlo, CFStringRef modeName);
/// Has the observers in an array or set (which may be NULL, and hold other items too) forget that
/// they are in `rl`, which is dying. Call with rl locked.
CF_EXPORT void __CFRunLoopDeallocateObservers(CFRunLoopRef rl, CFTypeRef items);
/// Steps 1, 2, 3, 6, 8, 10. Call with rl and rlm locked. DOES CALLOUT
CF_EXPORT void __CFRunLoopDoObservers(CFRunLoopRef rl, CFRunLoopModeRef rlm, CFRunLoopActivity activity);

// MARK: - CFRunLoopTimer.c

/// Adds a timer to a single mode; true if it was not there. Call with rl locked.
CF_EXPORT Boolean __CFRunLoopAddTimerToMode(CFRunLoopRef rl, CFRunLoopTimerRef rlt, CFStringRef modeName);
/// Has the timers in an array or set (which may be NULL, and hold other items too) forget that they
/// are in `rl`, which is dying. Call with rl locked.
CF_EXPORT void __CFRunLoopDeallocateTimers(CFRunLoopRef rl, CFTypeRef items);
/// Arms the mode's timer port for the timers as they are now, if they have changed; opens its port
/// set for the first one. Call with rl and rlm locked.
CF_EXPORT void __CFArmNextTimerInMode(CFRunLoopModeRef rlm, CFRunLoopRef rl);
/// Disarms the mode's timer port; it stays so until the timers change. Call with rl and rlm locked.
CF_EXPORT void __CFRunLoopModeDisarm(CFRunLoopModeRef rlm);
/// Step 9.1. Call with rl and rlm locked. DOES CALLOUT
CF_EXPORT Boolean __CFRunLoopDoTimers(CFRunLoopRef rl, CFRunLoopModeRef rlm, uint64_t limitTSR);

// MARK: - CFRunLoopBlocks.c

/// Whether a pass in the mode would find a block to perform. Call with rl locked.
CF_EXPORT Boolean __CFRunLoopHasBlocks(CFRunLoopRef rl, CFRunLoopModeRef rlm);
/// Lets go of all blocks when the loop's thread has ended. Call with nothing locked. DOES CALLOUT:
/// what the blocks hold
CF_EXPORT void __CFRunLoopDropBlocks(CFRunLoopRef rl);
/// Steps 3, 4 and 9. Call with rl and rlm locked. DOES CALLOUT
CF_EXPORT Boolean __CFRunLoopDoBlocks(CFRunLoopRef rl, CFRunLoopModeRef rlm);

// MARK: - CFRunLoopObject.c

/// A new run loop for a thread, with the default mode in it. It is the registry that calls this,
/// with its lock held.
CF_EXPORT CFRunLoopRef __CFRunLoopCreate(pthread_t t);

// MARK: - CFRunLoop.c

/// Makes the descriptors of all embedded modes say whether there is something to do, for the moment
/// after a run or a visit to the main queue. Call with rl locked and no mode, on the loop's thread.
CF_EXPORT void __CFRunLoopTellHosts(CFRunLoopRef rl);

CF_EXTERN_C_END

#endif
