/// CFRunLoop.h: run loops, and the sources, timers and observers that you add to them.
///
/// "The original" is Apple's CFRunLoop, of which there are three published versions: CF-855,
/// CF-1153 and the current source. What these headers say of it holds in all three, unless they
/// name one. Names and prototypes are those of its header in the current source. CF-855 and CF-1153
/// use CFStringRef where this header says CFRunLoopMode. All three have every function here.
///
/// Threads: you may call every function here on any thread, unless its comment says otherwise.
/// CFRunLoopWakeUp, CFRunLoopStop and CFRunLoopSourceSignal take no lock, so you may also call them
/// in a signal handler.
///
/// Time: a CFTimeInterval is a number of seconds. A CFAbsoluteTime is a number of seconds since
/// 2001-01-01 00:00:00 UTC.
///
/// Callbacks: the run loop holds no lock while it calls your function, so a callback may call
/// anything here. The exceptions are the `equal` and `hash` callbacks of a source. Sets call these
/// two with locks held, so they may only compare values, and must not call any function here.
///
/// A callback should return. If one leaves its run by longjmp or by a C++ exception, later runs
/// still perform sources and blocks, fire other timers and can be stopped, as in the original. The
/// loop never again calls the observer or timer that it was calling, nor the blocks queued behind a
/// block that leaves. A block of the main queue that leaves stops that queue. An armed timer does
/// not fire until another timer changes. Outside a run, CFRunLoopCopyCurrentMode may return a mode.
/// Some memory leaks.
///
/// Modes: two names are the same mode if their characters are equal. The addresses of the strings
/// do not matter.
///
/// Bad input: NULL instead of a loop, an item or a context crashes the program, unless the
/// function's comment says otherwise. The functions CFRunLoopContains… and CFRunLoopRemove…
/// ignore a NULL item. NULL is the name of no mode: you cannot add anything to it, and nothing is
/// in it.
/// A NULL callout or block of a timer or an observer is allowed, and nothing is called for it.
///
/// fork: if a process has used a run loop, a child that it forks must exec. Until then, every
/// function here aborts in the child with a message. Those that return a type id work, and the
/// three that a signal handler may call do nothing.
///
/// Cancellation: if a thread is cancelled (pthread_cancel) while its loop sleeps, it ends there,
/// and no lock stays locked. A signal handler that interrupts that sleep must return: some versions
/// of the C library let the thread be cancelled at any moment until the sleep is over.
// [R7] threads, [R8] fork
#if !defined(__COREFOUNDATION_CFRUNLOOP__)
#define __COREFOUNDATION_CFRUNLOOP__ 1

#include "CFBase.h"
#include "CFArray.h"
#include "CFDate.h"
#include "CFString.h"

CF_EXTERN_C_BEGIN

/// The name of a mode.
typedef CFStringRef CFRunLoopMode;

/// The run loop of a thread. A thread has at most one, and you cannot create one yourself.
typedef struct __CFRunLoop *CFRunLoopRef; // [R1, R2]
/// A source of input. You signal a version 0 source yourself; a version 1 source has a port.
typedef struct __CFRunLoopSource *CFRunLoopSourceRef; // [I1, I2]
/// A callback that the loop calls when a run reaches certain activities.
typedef struct __CFRunLoopObserver *CFRunLoopObserverRef; // [O1]
/// A callback that the loop calls at a certain time.
///
/// On a Mac the same object is an NSTimer.
typedef struct __CFRunLoopTimer *CFRunLoopTimerRef;

/// The reason why a run returned.
///
/// At the end of each pass the run checks for these reasons in the order 4, 3, 2, 1.
typedef CF_ENUM(SInt32, CFRunLoopRunResult) { // [L4]
    /// The mode has no source, no timer and no block, or the mode does not exist.
    kCFRunLoopRunFinished = 1,
    /// CFRunLoopStop was called.
    kCFRunLoopRunStopped = 2,
    /// The time limit has passed.
    kCFRunLoopRunTimedOut = 3,
    /// A source was handled, and the caller asked to return in that case.
    kCFRunLoopRunHandledSource = 4
};

/// The points of a run at which the loop notifies observers. Combine several into a mask.
typedef CF_OPTIONS(CFOptionFlags, CFRunLoopActivity) { // [O1]
    /// Step 1: the run begins.
    kCFRunLoopEntry = (1UL << 0),
    /// Step 2: a pass begins. The loop is about to handle timers.
    kCFRunLoopBeforeTimers = (1UL << 1),
    /// Step 3: the loop is about to handle version 0 sources.
    kCFRunLoopBeforeSources = (1UL << 2),
    /// Step 6: the thread is about to sleep.
    kCFRunLoopBeforeWaiting = (1UL << 5),
    /// Step 8: the thread has woken up.
    kCFRunLoopAfterWaiting = (1UL << 6),
    /// Step 10: the run ends.
    kCFRunLoopExit = (1UL << 7),
    /// Every activity.
    kCFRunLoopAllActivities = 0x0FFFFFFFU
};

/// The mode for ordinary work. Every loop has it from the start.
CF_EXPORT const CFRunLoopMode kCFRunLoopDefaultMode; // [S4]
/// A placeholder that stands for all common modes of a loop. It is not a mode, so a run in it
/// returns kCFRunLoopRunFinished at once.
CF_EXPORT const CFRunLoopMode kCFRunLoopCommonModes; // [S9]

// MARK: - Getting a run loop

/// Returns the type id of CFRunLoop.
CF_EXPORT CFTypeID CFRunLoopGetTypeID(void);
/// Returns the run loop of the calling thread.
///
/// The first call on a thread creates the loop. The loop is not retained for you: it lives as long
/// as its thread.
CF_EXPORT CFRunLoopRef CFRunLoopGetCurrent(void); // [R1, R3, R5]
/// Returns the run loop of the main thread. The loop is not retained for you.
CF_EXPORT CFRunLoopRef CFRunLoopGetMain(void); // [R1, R4]

// MARK: - Modes

/// Returns the name of the mode that the loop is running in, or NULL if the loop is not running.
///
/// The caller releases the name.
CF_EXPORT CFRunLoopMode CFRunLoopCopyCurrentMode(CFRunLoopRef rl); // [S7]
/// Returns the names of all modes that the loop has, in no particular order.
///
/// The caller releases the array.
CF_EXPORT CFArrayRef CFRunLoopCopyAllModes(CFRunLoopRef rl); // [S3]
/// Declares a mode common. This cannot be undone.
///
/// The mode gets every item that was added, or will be added, to kCFRunLoopCommonModes. If the mode
/// does not exist, it is created with the first of these items. If `mode` is kCFRunLoopCommonModes,
/// the function does nothing. A NULL `mode` aborts the program with a message.
CF_EXPORT void CFRunLoopAddCommonMode(CFRunLoopRef rl, CFRunLoopMode mode); // [S10]
/// Returns the date at which the next timer of a mode fires, without its tolerance.
///
/// Returns 0 if the mode has no timer or does not exist.
CF_EXPORT CFAbsoluteTime CFRunLoopGetNextTimerFireDate(CFRunLoopRef rl, CFRunLoopMode mode);

// MARK: - Running

/// Runs the calling thread's loop in the default mode until it is stopped or the mode is empty.
CF_EXPORT void CFRunLoopRun(void); // [L1]
/// Runs the calling thread's loop in a mode, and returns the reason why the run ended.
///
/// - `seconds` is the time limit. If it is 0 or less, the run makes a single pass and does not
///   sleep. If it is more than about 16 years, or NaN, there is no limit.
/// - With `returnAfterSourceHandled` the run returns after the first pass that handled a source.
///
/// You may call this function in a callback, because runs nest. If `mode` is NULL or
/// kCFRunLoopCommonModes, it returns kCFRunLoopRunFinished at once, and the first such call of the
/// process writes a line to stderr.
CF_EXPORT CFRunLoopRunResult CFRunLoopRunInMode(CFRunLoopMode mode, CFTimeInterval seconds,
                                                Boolean returnAfterSourceHandled); // [L4]
/// Returns whether the loop's thread is asleep in the loop, or about to sleep.
///
/// Also returns true for the moment in which a non-blocking pass checks its ports.
CF_EXPORT Boolean CFRunLoopIsWaiting(CFRunLoopRef rl);
/// Wakes the loop's thread if it sleeps in the loop.
///
/// If the thread is about to sleep, it does not sleep. If the loop is not running, nothing happens,
/// unless one of its modes is embedded (CFRunLoopEmbedding.h). In that case the loop's next run
/// gets the wake-up. The function takes no lock, so you may call it in a signal handler.
CF_EXPORT void CFRunLoopWakeUp(CFRunLoopRef rl); // [I1, X5]
/// Ends the loop's innermost run at the end of its current pass, and wakes the loop for that.
///
/// If the loop is not running, nothing happens: a run that begins later does not see the stop. To
/// stop a run that may not have begun, let a block or a source of the loop call this function. The
/// function takes no lock, so you may call it in a signal handler.
CF_EXPORT void CFRunLoopStop(CFRunLoopRef rl); // [L7]

#if defined(__BLOCKS__)
/// Queues a block that the loop performs in one of its next passes in a mode.
///
/// `mode` is the name of a mode, or a CFArray or CFSet of names. kCFRunLoopCommonModes stands for
/// all common modes. The loop copies the block. This function does not wake the loop, so call
/// CFRunLoopWakeUp if its thread may be asleep. A mode that does not exist is created; for
/// kCFRunLoopCommonModes that is a mode of this name, in which nothing runs.
///
/// The call is ignored if `block` is NULL, if `mode` contains no name or is of another type, or if
/// the loop's thread has ended. A member of the array or set that is not a CFString aborts the
/// program with a message.
CF_EXPORT void CFRunLoopPerformBlock(CFRunLoopRef rl, CFTypeRef mode, void (^block)(void)); // [X7]
#endif

// MARK: - Adding and removing items
//
// Every function here accepts kCFRunLoopCommonModes for `mode`. [S3, S5, S6]

/// Returns whether a source is in a mode.
///
/// For kCFRunLoopCommonModes it returns whether the source was added to the common modes.
CF_EXPORT Boolean CFRunLoopContainsSource(CFRunLoopRef rl, CFRunLoopSourceRef source,
                                          CFRunLoopMode mode);
/// Adds a source to a mode.
///
/// The mode is created if it does not exist. The loop retains the source, and the source the loop.
/// On the calling thread, the function calls `schedule` of a version 0 source once for each mode,
/// and `getPort` of a version 1 source. Nothing happens if the source is invalid, or if the mode
/// already has this source or an equal one (CFRunLoopSourceContext).
///
/// You may hold a loop beyond the end of its thread. It then accepts no more sources, because a
/// source and its loop retain each other, and only the loop's thread would have separated them.
/// After the main thread has exited while the process goes on, the main loop accepts no sources,
/// observers, timers or blocks. The first refusal writes a line to stderr.
CF_EXPORT void CFRunLoopAddSource(CFRunLoopRef rl, CFRunLoopSourceRef source, CFRunLoopMode mode);
/// Removes a source from a mode.
///
/// On the calling thread, the function calls `cancel` of a version 0 source once for each mode, and
/// `getPort` of a version 1 source. Nothing happens if the source is NULL or not in the mode.
///
/// For kCFRunLoopCommonModes the source leaves every common mode, also one that you added it to by
/// name. Nothing happens if it was not added to kCFRunLoopCommonModes.
CF_EXPORT void CFRunLoopRemoveSource(CFRunLoopRef rl, CFRunLoopSourceRef source,
                                     CFRunLoopMode mode);

/// Returns whether an observer is in a mode.
///
/// For kCFRunLoopCommonModes it returns whether the observer was added to the common modes.
CF_EXPORT Boolean CFRunLoopContainsObserver(CFRunLoopRef rl, CFRunLoopObserverRef observer,
                                            CFRunLoopMode mode);
/// Adds an observer to a mode, after the observers of the same or a lower order.
///
/// The mode is created if it does not exist, and the loop retains the observer. An observer can be
/// in only one loop at a time. Nothing happens if it is in another loop, is invalid, or is already
/// in the mode.
CF_EXPORT void CFRunLoopAddObserver(CFRunLoopRef rl, CFRunLoopObserverRef observer,
                                    CFRunLoopMode mode);
/// Removes an observer from a mode. Nothing happens if it is NULL or not in the mode.
///
/// For kCFRunLoopCommonModes the observer leaves every common mode, also one that you added it to
/// by name. Nothing happens if it was not added to kCFRunLoopCommonModes.
CF_EXPORT void CFRunLoopRemoveObserver(CFRunLoopRef rl, CFRunLoopObserverRef observer,
                                       CFRunLoopMode mode);

/// Returns whether a timer is in a mode.
///
/// For kCFRunLoopCommonModes it returns whether the timer was added to the common modes.
CF_EXPORT Boolean CFRunLoopContainsTimer(CFRunLoopRef rl, CFRunLoopTimerRef timer,
                                         CFRunLoopMode mode);
/// Adds a timer to a mode.
///
/// The mode is created if it does not exist, and the loop retains the timer. A timer can be in only
/// one loop at a time. Nothing happens if it is in another loop, is invalid, or is already in the
/// mode.
CF_EXPORT void CFRunLoopAddTimer(CFRunLoopRef rl, CFRunLoopTimerRef timer,
                                 CFRunLoopMode mode); // [T1]
/// Removes a timer from a mode. Nothing happens if it is NULL or not in the mode.
///
/// For kCFRunLoopCommonModes the timer leaves every common mode, also one that you added it to by
/// name. Nothing happens if it was not added to kCFRunLoopCommonModes.
CF_EXPORT void CFRunLoopRemoveTimer(CFRunLoopRef rl, CFRunLoopTimerRef timer, CFRunLoopMode mode);

// MARK: - Sources

/// The context of a version 0 source. Every callback may be NULL.
///
/// The new source calls `retain` with `info`. It calls `release` when it is deallocated, on the
/// thread that removes the last reference.
///
/// Two sources are equal if they have the same order, `perform`, `equal` and `hash`, and if `equal`
/// returns true for their `info`. Without `equal` they are equal if `info` is the same pointer.
/// Without `hash` this pointer is the hash. A mode takes only one of several equal sources, and
/// CFRunLoopContainsSource and CFRunLoopRemoveSource take each of them for that one.
typedef struct {
    /// Must be 0.
    CFIndex version;
    void *info;
    const void *(*retain)(const void *info);
    void (*release)(const void *info);
    CFStringRef (*copyDescription)(const void *info);
    Boolean (*equal)(const void *info1, const void *info2);
    CFHashCode (*hash)(const void *info);
    /// Called when the source was added to a mode, on the thread that called CFRunLoopAddSource or
    /// CFRunLoopAddCommonMode.
    void (*schedule)(void *info, CFRunLoopRef rl, CFRunLoopMode mode);
    /// Called when the source was removed from a mode, on the thread that removed or invalidated
    /// it. At the end of the loop's thread, that thread calls it.
    void (*cancel)(void *info, CFRunLoopRef rl, CFRunLoopMode mode);
    /// Called on the loop's thread, in step 4, when the source was signalled.
    void (*perform)(void *info);
} CFRunLoopSourceContext;

/// A file descriptor. On a Mac it is a mach port.
typedef int __CFPort;

/// The context of a version 1 source. Every callback may be NULL.
///
/// `getPort` returns any descriptor that epoll can wait for (eventfd, pipe, socket, terminal,
/// signalfd, inotify, …). The descriptor remains yours: you read it and close it. The loop never
/// reads it, so as long as something is left to read, the loop calls `perform` again in a later
/// pass. A pass performs one version 1 source, and ready sources take turns.
///
/// Remove the source before you close its descriptor. If the loop cannot wait for a descriptor, it
/// writes a line to stderr.
typedef struct {
    /// Must be 1.
    CFIndex version;
    void *info;
    const void *(*retain)(const void *info);
    void (*release)(const void *info);
    CFStringRef (*copyDescription)(const void *info);
    Boolean (*equal)(const void *info1, const void *info2);
    CFHashCode (*hash)(const void *info);
    /// Returns the source's descriptor.
    __CFPort (*getPort)(void *info);
    /// Called on the loop's thread, in step 9.3, when the descriptor is readable.
    void (*perform)(void *info);
} CFRunLoopSourceContext1;

/// Returns the type id of CFRunLoopSource.
CF_EXPORT CFTypeID CFRunLoopSourceGetTypeID(void);
/// Creates a source from a copy of a context of version 0 or version 1.
///
/// For a version 1 source, pass a pointer to a CFRunLoopSourceContext1. The loop performs the
/// version 0 sources of a pass in ascending `order`, and those of equal order in the order in which
/// they were signalled. It performs version 1 sources as their ports become ready, whatever their
/// `order`. The caller releases the source. A NULL context aborts the program with a message. The
/// context of any other version is not copied, and its source cannot be added to a mode.
CF_EXPORT CFRunLoopSourceRef CFRunLoopSourceCreate(CFAllocatorRef allocator, CFIndex order,
                                                   CFRunLoopSourceContext *context);
/// Returns the order that the source was created with.
CF_EXPORT CFIndex CFRunLoopSourceGetOrder(CFRunLoopSourceRef source);
/// Removes the source permanently from all modes of all loops.
///
/// On the calling thread, the function calls `cancel` of a version 0 source once for each mode.
/// The source releases its `info` only when it is deallocated, because sets that hold the source
/// may still need its `equal` and `hash`.
CF_EXPORT void CFRunLoopSourceInvalidate(CFRunLoopSourceRef source);
/// Returns whether the source is valid. It is, until CFRunLoopSourceInvalidate is called.
CF_EXPORT Boolean CFRunLoopSourceIsValid(CFRunLoopSourceRef source);
/// Copies the source's context into `context`.
///
/// Set `context->version` before the call. It says whether `context` has room for a context of
/// version 0 or version 1. With any other version nothing is copied.
CF_EXPORT void CFRunLoopSourceGetContext(CFRunLoopSourceRef source,
                                         CFRunLoopSourceContext *context);
/// Signals a version 0 source, so that its loop performs it.
///
/// A sleeping loop continues to sleep, so call CFRunLoopWakeUp afterwards. If the source is
/// invalid, nothing happens. The function takes no lock, so you may call it in a signal handler.
CF_EXPORT void CFRunLoopSourceSignal(CFRunLoopSourceRef source); // [I1]

// MARK: - Observers

/// The context of an observer. Every callback may be NULL.
typedef struct {
    /// Must be 0.
    CFIndex version;
    void *info;
    const void *(*retain)(const void *info);
    void (*release)(const void *info);
    CFStringRef (*copyDescription)(const void *info);
} CFRunLoopObserverContext;

/// The callback of an observer. The loop calls it on its thread, with a single activity.
typedef void (*CFRunLoopObserverCallBack)(CFRunLoopObserverRef observer, CFRunLoopActivity activity,
                                          void *info);

/// Returns the type id of CFRunLoopObserver.
CF_EXPORT CFTypeID CFRunLoopObserverGetTypeID(void);
/// Creates an observer of the activities in a mask.
///
/// The loop calls observers in ascending `order`. If `repeats` is false, the observer is
/// invalidated after its first call. `context` is copied and may be NULL. The caller releases the
/// observer.
CF_EXPORT CFRunLoopObserverRef CFRunLoopObserverCreate(CFAllocatorRef allocator,
                                                       CFOptionFlags activities, Boolean repeats,
                                                       CFIndex order,
                                                       CFRunLoopObserverCallBack callout,
                                                       CFRunLoopObserverContext *context); // [O2]
#if defined(__BLOCKS__)
/// Creates an observer that calls a block for the activities in a mask.
///
/// The block is copied. It is released when the observer is invalidated. `activities`, `repeats`
/// and `order` mean what they mean to CFRunLoopObserverCreate. The caller releases the observer.
CF_EXPORT CFRunLoopObserverRef CFRunLoopObserverCreateWithHandler(
    CFAllocatorRef allocator, CFOptionFlags activities, Boolean repeats, CFIndex order,
    void (^block)(CFRunLoopObserverRef observer, CFRunLoopActivity activity));
#endif
/// Returns the mask of activities that the observer was created with.
CF_EXPORT CFOptionFlags CFRunLoopObserverGetActivities(CFRunLoopObserverRef observer);
/// Returns whether the observer stays valid after its first call.
CF_EXPORT Boolean CFRunLoopObserverDoesRepeat(CFRunLoopObserverRef observer);
/// Returns the order that the observer was created with.
CF_EXPORT CFIndex CFRunLoopObserverGetOrder(CFRunLoopObserverRef observer);
/// Removes the observer permanently from all modes, and releases its `info`.
///
/// The calling thread releases `info`. But if the observer's callback is running on another thread,
/// that thread releases `info` after the callback.
CF_EXPORT void CFRunLoopObserverInvalidate(CFRunLoopObserverRef observer);
/// Returns whether the observer is valid.
///
/// It is, until CFRunLoopObserverInvalidate is called or, if it does not repeat, until its first
/// call.
CF_EXPORT Boolean CFRunLoopObserverIsValid(CFRunLoopObserverRef observer);
/// Copies the observer's context into `context`, whose `version` must be 0 (it is not checked).
///
/// Once the observer is invalid, the copied `info` is NULL.
CF_EXPORT void CFRunLoopObserverGetContext(CFRunLoopObserverRef observer,
                                           CFRunLoopObserverContext *context);

// MARK: - Timers

/// The context of a timer. Every callback may be NULL.
typedef struct {
    /// Must be 0.
    CFIndex version;
    void *info;
    const void *(*retain)(const void *info);
    void (*release)(const void *info);
    CFStringRef (*copyDescription)(const void *info);
} CFRunLoopTimerContext;

/// The callback of a timer. The loop calls it on its thread, in step 9.1, with `info` retained.
typedef void (*CFRunLoopTimerCallBack)(CFRunLoopTimerRef timer, void *info);

/// Returns the type id of CFRunLoopTimer.
CF_EXPORT CFTypeID CFRunLoopTimerGetTypeID(void);
/// Creates a timer that fires at a date and then repeatedly at an interval in seconds.
///
/// - If `interval` is 0 or less, the timer fires once and is then invalidated.
/// - If the loop is busy while dates pass, the timer skips them and keeps its rhythm. The interval
///   is cut to whole nanoseconds.
/// - If `fireDate` has passed, it becomes the moment of this call: the timer fires as soon as the
///   loop runs, and its rhythm begins at that moment.
/// - A date after 2128 is replaced by 4039289856.0.
/// - An interval of more than 504911232 seconds (16 years) is kept as given, but the timer fires
///   again after that time.
/// - `flags` and `order` are ignored, as in the original. Timers fire in the order
///   of their dates. Timers of equal dates may fire in any order, because the date becomes a moment
///   of the monotonic clock at this call.
///
/// `context` is copied and may be NULL. The caller releases the timer. A date or an interval that
/// is not a number (NaN) aborts the program.
CF_EXPORT CFRunLoopTimerRef CFRunLoopTimerCreate(CFAllocatorRef allocator, CFAbsoluteTime fireDate,
                                                 CFTimeInterval interval, CFOptionFlags flags,
                                                 CFIndex order, CFRunLoopTimerCallBack callout,
                                                 CFRunLoopTimerContext *context); // [T3]
#if defined(__BLOCKS__)
/// Creates a timer that calls a block at a date and then repeatedly at an interval in seconds.
///
/// The block is copied. It is released when the timer is invalidated. The other arguments mean what
/// they mean to CFRunLoopTimerCreate. The caller releases the timer.
CF_EXPORT CFRunLoopTimerRef CFRunLoopTimerCreateWithHandler(CFAllocatorRef allocator,
                                                            CFAbsoluteTime fireDate,
                                                            CFTimeInterval interval,
                                                            CFOptionFlags flags, CFIndex order,
                                                            void (^block)(CFRunLoopTimerRef timer));
#endif
/// Returns the date at which the timer fires next, without its tolerance, or 0 if it is invalid.
///
/// During the timer's callback this is the date for which the timer is firing.
CF_EXPORT CFAbsoluteTime CFRunLoopTimerGetNextFireDate(CFRunLoopTimerRef timer);
/// Sets the date at which the timer fires next.
///
/// A repeating timer continues its rhythm from this date, also if you set it in the timer's
/// callback. If the date has passed, it becomes the moment of this call: the timer fires as soon as
/// the loop runs, and its rhythm continues from then. A timer that fires once is invalidated after
/// its callback, so a date set there has no effect. Nothing happens if the timer is invalid. A date
/// that is not a number (NaN) aborts the program.
CF_EXPORT void CFRunLoopTimerSetNextFireDate(CFRunLoopTimerRef timer, CFAbsoluteTime fireDate);
/// Returns the timer's interval in seconds, or 0 for a timer that fires once.
CF_EXPORT CFTimeInterval CFRunLoopTimerGetInterval(CFRunLoopTimerRef timer);
/// Returns whether the timer's interval is more than 0.
CF_EXPORT Boolean CFRunLoopTimerDoesRepeat(CFRunLoopTimerRef timer);
/// Returns the order that the timer was created with.
CF_EXPORT CFIndex CFRunLoopTimerGetOrder(CFRunLoopTimerRef timer);
/// Removes the timer permanently from all modes, and releases its `info`.
///
/// The calling thread releases `info`. But if the timer's callback is running on another thread,
/// that thread releases `info` after the callback.
CF_EXPORT void CFRunLoopTimerInvalidate(CFRunLoopTimerRef timer);
/// Returns whether the timer is valid.
///
/// It is, until CFRunLoopTimerInvalidate is called or, if the timer fires once, until it has fired.
CF_EXPORT Boolean CFRunLoopTimerIsValid(CFRunLoopTimerRef timer);
/// Copies the timer's context into `context`, whose `version` must be 0 (it is not checked).
///
/// Once the timer is invalid, the copied `info` is NULL.
CF_EXPORT void CFRunLoopTimerGetContext(CFRunLoopTimerRef timer, CFRunLoopTimerContext *context);
/// Returns how many seconds late the timer may fire.
CF_EXPORT CFTimeInterval CFRunLoopTimerGetTolerance(CFRunLoopTimerRef timer); // [T4]
/// Lets the timer fire up to `tolerance` seconds late, so that it can share a wake-up with others.
///
/// The timer never fires early, and a firing that is late moves none of the later ones. This arms
/// nothing, as on a Mac: the tolerance counts when the loop next looks at the timers of its mode,
/// such as after a timer has fired. A repeating timer's tolerance is limited to half its interval,
/// as on a Mac. The tolerance of a timer that fires once has no limit. A negative tolerance counts
/// as 0, and so does NaN for a timer that fires once.
CF_EXPORT void CFRunLoopTimerSetTolerance(CFRunLoopTimerRef timer,
                                          CFTimeInterval tolerance); // [T4]

CF_EXTERN_C_END

#endif
