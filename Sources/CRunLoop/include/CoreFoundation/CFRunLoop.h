/// CFRunLoop.h: run loops and what is put into them, under the names and with the prototypes of the
/// original's header (current source; CF-855 and CF-1153 have a CFStringRef for a CFRunLoopMode).
///
/// Threads: every function here may be called from any thread, unless its comment says otherwise (R7). CFRunLoopWakeUp,
/// CFRunLoopStop and CFRunLoopSourceSignal take no lock and may be called from a signal handler too.
/// Time: a CFTimeInterval is seconds, a CFAbsoluteTime is seconds since 2001-01-01 00:00:00 UTC.
/// Callbacks: no lock of the run loop is held while one runs, so a callback may call anything here. The
/// exceptions are the `equal` and `hash` of a source: sets call them with locks held, so they must only
/// compare and must not call any function here.
/// A callback should return. After one that is left by longjmp or by a C++ exception the loop runs
/// again, is woken and is stopped as before, if it is run from no deeper in the stack than the run that
/// was left (if from deeper, it may pass once more for nothing); but what belonged to that call stays undone: an observer or timer
/// that was being called is never called again, blocks that were queued behind a block are not
/// performed, the main queue's block does not end, and the references that the run held leak.
/// Names of modes are compared by their characters, never by their address.
/// A child of fork must exec: if the parent has used a run loop, every function here but those that
/// return a type id aborts the child with a clear line (R8).
#if !defined(__COREFOUNDATION_CFRUNLOOP__)
#define __COREFOUNDATION_CFRUNLOOP__ 1

#include "CFBase.h"
#include "CFArray.h"
#include "CFDate.h"
#include "CFString.h"

CF_EXTERN_C_BEGIN

/// The name of a mode.
typedef CFStringRef CFRunLoopMode;

/// A thread's run loop. There is none without a thread, and a thread has at most one. (R1, R2)
typedef struct __CFRunLoop *CFRunLoopRef;
/// A source of input: version 0 is signalled by hand, version 1 has a port. (I1, I2)
typedef struct __CFRunLoopSource *CFRunLoopSourceRef;
/// A callback at chosen points of a pass. (O1)
typedef struct __CFRunLoopObserver *CFRunLoopObserverRef;
/// A callback at a chosen time. On a Mac (all versions) the same object is an NSTimer.
typedef struct __CFRunLoopTimer *CFRunLoopTimerRef;

/// Why a run ended; at the end of each pass the reasons are looked for in the order 4, 3, 2, 1. (L4)
typedef CF_ENUM(SInt32, CFRunLoopRunResult) {
    kCFRunLoopRunFinished = 1,     ///< The mode has no source, no timer and no block, or does not exist.
    kCFRunLoopRunStopped = 2,      ///< CFRunLoopStop was called.
    kCFRunLoopRunTimedOut = 3,     ///< The time limit has passed.
    kCFRunLoopRunHandledSource = 4 ///< A source was handled, and the caller had asked to return then.
};

/// The points of a pass at which observers are called; a mask where several are meant. (O1)
typedef CF_OPTIONS(CFOptionFlags, CFRunLoopActivity) {
    kCFRunLoopEntry = (1UL << 0),         ///< Step 1: the run begins.
    kCFRunLoopBeforeTimers = (1UL << 1),  ///< Step 2: a pass begins.
    kCFRunLoopBeforeSources = (1UL << 2), ///< Step 3: sources 0 are about to be looked at.
    kCFRunLoopBeforeWaiting = (1UL << 5), ///< Step 6: the thread is about to sleep.
    kCFRunLoopAfterWaiting = (1UL << 6),  ///< Step 8: the thread has woken up.
    kCFRunLoopExit = (1UL << 7),          ///< Step 10: the run ends.
    kCFRunLoopAllActivities = 0x0FFFFFFFU
};

/// The mode for ordinary work. It exists from the start in every loop. (S4)
CF_EXPORT const CFRunLoopMode kCFRunLoopDefaultMode;
/// Not a mode but a placeholder for all modes of a loop that are declared common. Running in it fails. (S9)
CF_EXPORT const CFRunLoopMode kCFRunLoopCommonModes;

// MARK: - Getting a run loop

/// The type id of CFRunLoop.
CF_EXPORT CFTypeID CFRunLoopGetTypeID(void);
/// The calling thread's run loop, made on the first call. Not retained: it lives as long as the thread. (R1, R3, R5)
CF_EXPORT CFRunLoopRef CFRunLoopGetCurrent(void);
/// The main thread's run loop. Not retained. (R1, R4)
CF_EXPORT CFRunLoopRef CFRunLoopGetMain(void);

// MARK: - Modes

/// The name of the mode that the loop is running in, to be released by the caller; NULL when it is not running. (S7)
CF_EXPORT CFRunLoopMode CFRunLoopCopyCurrentMode(CFRunLoopRef rl);
/// The names of all modes that the loop has, in no order. The caller releases the array. (S3)
CF_EXPORT CFArrayRef CFRunLoopCopyAllModes(CFRunLoopRef rl);
/// Declares a mode common: it gets all items that have been added, or will be added, to kCFRunLoopCommonModes. There is no way
/// back. Naming kCFRunLoopCommonModes itself does nothing. (S10)
CF_EXPORT void CFRunLoopAddCommonMode(CFRunLoopRef rl, CFRunLoopMode mode);
/// When the next timer of a mode is due, tolerance left aside; 0 when the mode has no timer or does not exist.
CF_EXPORT CFAbsoluteTime CFRunLoopGetNextTimerFireDate(CFRunLoopRef rl, CFRunLoopMode mode);

// MARK: - Running

/// Runs the calling thread's loop in the default mode until it is stopped or the mode is empty. (L1)
CF_EXPORT void CFRunLoopRun(void);
/// Runs the calling thread's loop in `mode` for at most `seconds`, and says why it returned (L4). With `seconds` of 0 or less the
/// loop makes a single pass and does not sleep; more than about 16 years, and NaN, mean no limit. With
/// `returnAfterSourceHandled` it returns after the first pass that handled a source. May be called from a callback: runs nest.
CF_EXPORT CFRunLoopRunResult CFRunLoopRunInMode(CFRunLoopMode mode, CFTimeInterval seconds, Boolean returnAfterSourceHandled);
/// Whether the loop's thread is asleep in it, or about to be. Also true for the moment in which a pass
/// that does not wait looks at its ports.
CF_EXPORT Boolean CFRunLoopIsWaiting(CFRunLoopRef rl);
/// Wakes the loop's thread if it sleeps; if it is about to sleep it will not. A loop that does not run
/// is left alone, unless a mode of it is embedded (CFRunLoopEmbedding.h): then its next run gets the
/// wake-up.
/// Takes no lock; safe in a signal handler. (I1, X5)
CF_EXPORT void CFRunLoopWakeUp(CFRunLoopRef rl);
/// Ends the innermost run of the loop at the end of the pass that it is in, and wakes it for that. Without a run, does nothing.
/// Takes no lock; safe in a signal handler. (L7)
CF_EXPORT void CFRunLoopStop(CFRunLoopRef rl);

#if defined(__BLOCKS__)
/// Has the loop perform `block`, which is copied, in one of its next passes in `mode`: a name, or a
/// CFArray or CFSet of names; kCFRunLoopCommonModes stands for all common modes. Does not wake the
/// loop. Anything else for `mode`, in an array or a set as well, and a NULL block are ignored. A
/// loop whose thread has ended takes no block. (X7)
CF_EXPORT void CFRunLoopPerformBlock(CFRunLoopRef rl, CFTypeRef mode, void (^block)(void));
#endif

// MARK: - Putting items in and taking them out
//
// The loop retains what is in it. `mode` may be kCFRunLoopCommonModes everywhere. Adding what is
// there already, adding what is invalid, and removing what is not there do nothing; so does
// removing NULL. A mode that does not exist yet is made when something is added. (S3, S5, S6)
//
// A loop may be held beyond the end of its thread. It then takes no more sources, because a source
// and its loop retain each other and that thread would have parted them. Once the main thread has
// exited while the process goes on, the main loop takes nothing any more; that is said on stderr,
// once.

/// Whether `source` is in the mode; for kCFRunLoopCommonModes: whether it was added to the common modes.
CF_EXPORT Boolean CFRunLoopContainsSource(CFRunLoopRef rl, CFRunLoopSourceRef source, CFRunLoopMode mode);
/// Adds a source. A version 0 source's `schedule` is called, once for each mode; a version 1 source is asked for its port.
CF_EXPORT void CFRunLoopAddSource(CFRunLoopRef rl, CFRunLoopSourceRef source, CFRunLoopMode mode);
/// Takes a source out. A version 0 source's `cancel` is called, once for each mode.
CF_EXPORT void CFRunLoopRemoveSource(CFRunLoopRef rl, CFRunLoopSourceRef source, CFRunLoopMode mode);

/// Whether `observer` is in the mode; for kCFRunLoopCommonModes: whether it was added to the common modes.
CF_EXPORT Boolean CFRunLoopContainsObserver(CFRunLoopRef rl, CFRunLoopObserverRef observer, CFRunLoopMode mode);
/// Adds an observer behind those of the same or a lower order. An observer that is in another loop stays there alone.
CF_EXPORT void CFRunLoopAddObserver(CFRunLoopRef rl, CFRunLoopObserverRef observer, CFRunLoopMode mode);
/// Takes an observer out.
CF_EXPORT void CFRunLoopRemoveObserver(CFRunLoopRef rl, CFRunLoopObserverRef observer, CFRunLoopMode mode);

/// Whether `timer` is in the mode; for kCFRunLoopCommonModes: whether it was added to the common modes.
CF_EXPORT Boolean CFRunLoopContainsTimer(CFRunLoopRef rl, CFRunLoopTimerRef timer, CFRunLoopMode mode);
/// Adds a timer. A timer that is in another loop stays there alone. (T1)
CF_EXPORT void CFRunLoopAddTimer(CFRunLoopRef rl, CFRunLoopTimerRef timer, CFRunLoopMode mode);
/// Takes a timer out.
CF_EXPORT void CFRunLoopRemoveTimer(CFRunLoopRef rl, CFRunLoopTimerRef timer, CFRunLoopMode mode);

// MARK: - Sources

/// What a version 0 source is made of. All callbacks may be NULL. `info` is retained with `retain` when the source is made and
/// released with `release` when the source is gone; `equal` and `hash` decide which sources count as one.
typedef struct {
    CFIndex version; ///< 0
    void *info;
    const void *(*retain)(const void *info);
    void (*release)(const void *info);
    CFStringRef (*copyDescription)(const void *info);
    Boolean (*equal)(const void *info1, const void *info2);
    CFHashCode (*hash)(const void *info);
    void (*schedule)(void *info, CFRunLoopRef rl, CFRunLoopMode mode); ///< The source was added to a mode.
    void (*cancel)(void *info, CFRunLoopRef rl, CFRunLoopMode mode);   ///< The source was taken out of a mode.
    void (*perform)(void *info);                                       ///< The source was signalled: step 4, on the loop's thread.
} CFRunLoopSourceContext;

/// A port: a mach port on a Mac (all versions), a file descriptor here.
typedef int __CFPort;

/// What a version 1 source is made of. `getPort` may return any descriptor that epoll can wait for (eventfd, pipe, socket,
/// terminal, signalfd, inotify, …); it stays the client's, who reads and closes it. The loop never reads it: as long as something
/// is left to read, `perform` is called again in a later pass. A pass performs one version 1 source, and
/// those that are ready take turns. Take the source out before you close its descriptor. A descriptor that cannot be waited for gets a line on stderr.
typedef struct {
    CFIndex version; ///< 1
    void *info;
    const void *(*retain)(const void *info);
    void (*release)(const void *info);
    CFStringRef (*copyDescription)(const void *info);
    Boolean (*equal)(const void *info1, const void *info2);
    CFHashCode (*hash)(const void *info);
    __CFPort (*getPort)(void *info);
    void (*perform)(void *info); ///< The descriptor is readable: step 9.3, on the loop's thread.
} CFRunLoopSourceContext1;

/// The type id of CFRunLoopSource.
CF_EXPORT CFTypeID CFRunLoopSourceGetTypeID(void);
/// Makes a source from a copy of `context`, which may be a CFRunLoopSourceContext1. The version 0 sources of a
/// pass are performed by ascending `order`, those of equal order as they were signalled; version 1
/// sources as their ports become ready, whatever their `order`. The caller releases the source. A NULL context stops the program.
CF_EXPORT CFRunLoopSourceRef CFRunLoopSourceCreate(CFAllocatorRef allocator, CFIndex order, CFRunLoopSourceContext *context);
/// The order given at creation.
CF_EXPORT CFIndex CFRunLoopSourceGetOrder(CFRunLoopSourceRef source);
/// Takes the source out of all modes of all loops, for good. Its `info` is released when the source itself is gone, not before:
/// sets that hold the source may still need its `equal` and `hash`.
CF_EXPORT void CFRunLoopSourceInvalidate(CFRunLoopSourceRef source);
/// False after CFRunLoopSourceInvalidate.
CF_EXPORT Boolean CFRunLoopSourceIsValid(CFRunLoopSourceRef source);
/// Copies the source's context; `context->version` says on entry whether there is room for version 0 or version 1.
CF_EXPORT void CFRunLoopSourceGetContext(CFRunLoopSourceRef source, CFRunLoopSourceContext *context);
/// Marks a version 0 source as having something to do. A sleeping loop goes on sleeping: call CFRunLoopWakeUp after it. An
/// invalid source is left alone. Takes no lock; safe in a signal handler. (I1)
CF_EXPORT void CFRunLoopSourceSignal(CFRunLoopSourceRef source);

// MARK: - Observers

/// What goes with an observer's callback. `version` is 0.
typedef struct {
    CFIndex version;
    void *info;
    const void *(*retain)(const void *info);
    void (*release)(const void *info);
    CFStringRef (*copyDescription)(const void *info);
} CFRunLoopObserverContext;

/// Called on the loop's thread; `activity` is a single one of the activities.
typedef void (*CFRunLoopObserverCallBack)(CFRunLoopObserverRef observer, CFRunLoopActivity activity, void *info);

/// The type id of CFRunLoopObserver.
CF_EXPORT CFTypeID CFRunLoopObserverGetTypeID(void);
/// Makes an observer of the `activities` in the mask. One that does not repeat is invalidated after its first call. Observers are
/// called by ascending `order`. `context` is copied and may be NULL. The caller releases the observer. (O2)
CF_EXPORT CFRunLoopObserverRef CFRunLoopObserverCreate(CFAllocatorRef allocator, CFOptionFlags activities, Boolean repeats,
                                                       CFIndex order, CFRunLoopObserverCallBack callout,
                                                       CFRunLoopObserverContext *context);
#if defined(__BLOCKS__)
/// The same with a block, which is copied and released when the observer is invalidated.
CF_EXPORT CFRunLoopObserverRef CFRunLoopObserverCreateWithHandler(CFAllocatorRef allocator, CFOptionFlags activities,
                                                                  Boolean repeats, CFIndex order,
                                                                  void (^block)(CFRunLoopObserverRef observer,
                                                                                CFRunLoopActivity activity));
#endif
/// The mask given at creation.
CF_EXPORT CFOptionFlags CFRunLoopObserverGetActivities(CFRunLoopObserverRef observer);
/// Whether it stays valid after its first call.
CF_EXPORT Boolean CFRunLoopObserverDoesRepeat(CFRunLoopObserverRef observer);
/// The order given at creation.
CF_EXPORT CFIndex CFRunLoopObserverGetOrder(CFRunLoopObserverRef observer);
/// Takes the observer out of all modes permanently, and releases its `info`; if its callback is running
/// on another thread, after the callback.
CF_EXPORT void CFRunLoopObserverInvalidate(CFRunLoopObserverRef observer);
/// False after CFRunLoopObserverInvalidate.
CF_EXPORT Boolean CFRunLoopObserverIsValid(CFRunLoopObserverRef observer);
/// Copies the observer's context; `info` is NULL once the observer is invalid. `context->version` must be 0.
CF_EXPORT void CFRunLoopObserverGetContext(CFRunLoopObserverRef observer, CFRunLoopObserverContext *context);

// MARK: - Timers

/// What goes with a timer's callback. `version` is 0.
typedef struct {
    CFIndex version;
    void *info;
    const void *(*retain)(const void *info);
    void (*release)(const void *info);
    CFStringRef (*copyDescription)(const void *info);
} CFRunLoopTimerContext;

/// Called on the loop's thread, step 9.1. `info` is retained around the call.
typedef void (*CFRunLoopTimerCallBack)(CFRunLoopTimerRef timer, void *info);

/// The type id of CFRunLoopTimer.
CF_EXPORT CFTypeID CFRunLoopTimerGetTypeID(void);
/// Makes a timer that fires at `fireDate`, then every `interval` seconds; with an interval of 0 or
/// less it fires once and is invalidated. Dates that pass while the loop is busy are skipped, the
/// rhythm is kept (T3): each date is computed from the first, so that it does not drift. A date in
/// the past fires as soon as the loop runs, and the rhythm begins at the moment at which it was
/// given; a date after 2128 is taken for 4039289856.0. `flags` are ignored, and so is `order`, as
/// in all versions of the original: timers fire by date, equal dates in the order of their adding.
/// `context` is copied and may be NULL. The caller releases the timer. A date or interval that is
/// not a number stops the program.
CF_EXPORT CFRunLoopTimerRef CFRunLoopTimerCreate(CFAllocatorRef allocator, CFAbsoluteTime fireDate, CFTimeInterval interval,
                                                 CFOptionFlags flags, CFIndex order, CFRunLoopTimerCallBack callout,
                                                 CFRunLoopTimerContext *context);
#if defined(__BLOCKS__)
/// The same with a block, which is copied and released when the timer is invalidated.
CF_EXPORT CFRunLoopTimerRef CFRunLoopTimerCreateWithHandler(CFAllocatorRef allocator, CFAbsoluteTime fireDate,
                                                            CFTimeInterval interval, CFOptionFlags flags, CFIndex order,
                                                            void (^block)(CFRunLoopTimerRef timer));
#endif
/// When the timer fires next, tolerance left aside; during the callback, the date that is being served.
CF_EXPORT CFAbsoluteTime CFRunLoopTimerGetNextFireDate(CFRunLoopTimerRef timer);
/// Changes when the timer fires next. Inside the timer's callback a later date replaces the next one in the rhythm. A date that
/// is not a number stops the program.
CF_EXPORT void CFRunLoopTimerSetNextFireDate(CFRunLoopTimerRef timer, CFAbsoluteTime fireDate);
/// The interval in seconds; 0 for a timer that fires once.
CF_EXPORT CFTimeInterval CFRunLoopTimerGetInterval(CFRunLoopTimerRef timer);
/// Whether the interval is more than 0.
CF_EXPORT Boolean CFRunLoopTimerDoesRepeat(CFRunLoopTimerRef timer);
/// The order given at creation.
CF_EXPORT CFIndex CFRunLoopTimerGetOrder(CFRunLoopTimerRef timer);
/// Takes the timer out of all modes permanently, and releases its `info`; if its callback is running on
/// another thread, after the callback.
CF_EXPORT void CFRunLoopTimerInvalidate(CFRunLoopTimerRef timer);
/// False after CFRunLoopTimerInvalidate, and after a timer that fires once has fired.
CF_EXPORT Boolean CFRunLoopTimerIsValid(CFRunLoopTimerRef timer);
/// Copies the timer's context; `info` is NULL once the timer is invalid. `context->version` must be 0.
CF_EXPORT void CFRunLoopTimerGetContext(CFRunLoopTimerRef timer, CFRunLoopTimerContext *context);
/// How many seconds late the timer may fire. (T4)
CF_EXPORT CFTimeInterval CFRunLoopTimerGetTolerance(CFRunLoopTimerRef timer);
/// Lets the timer fire up to `tolerance` seconds late, never early and without drift, so that it can share a wake-up with others.
/// (T4)
CF_EXPORT void CFRunLoopTimerSetTolerance(CFRunLoopTimerRef timer, CFTimeInterval tolerance);

CF_EXTERN_C_END

#endif
