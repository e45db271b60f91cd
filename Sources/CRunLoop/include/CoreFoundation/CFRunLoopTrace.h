/// CFRunLoopTrace.h: a hook that is called at each step of the run loops of a process, and a look
/// at their present state.
///
/// This header is in no version of the original; its probes speak to dtrace and kdebug. The
/// umbrella header does not include it.
///
/// A program that watches the loops sets the hook. Then each step, callout, sleep and wake-up of
/// every loop calls it with an event. While there is no hook, each of these points costs one branch
/// that is not taken.
#if !defined(__COREFOUNDATION_CFRUNLOOPTRACE__)
#define __COREFOUNDATION_CFRUNLOOPTRACE__ 1

#include "CFBase.h"
#include "CFRunLoop.h"

CF_EXTERN_C_BEGIN

// MARK: - Events

/// The kind of an event: what has happened.
///
/// Each kind names the fields of CFRunLoopTraceEvent that it fills in. The others are 0.
typedef CF_ENUM(int32_t, CFRunLoopTraceKind) {
    /// A run begins in `mode`. `depth` is 1 for the outermost run, 2 for a run in a callback of it,
    /// and so on.
    kCFRunLoopTraceRunBegins = 1,
    /// A run ends. `value` is its CFRunLoopRunResult.
    kCFRunLoopTraceRunEnds,
    /// The loop's current mode becomes `mode`. An empty name means that the loop no longer runs.
    kCFRunLoopTraceModeChanges,
    /// The run reaches `step`. A pass begins with step 2.
    kCFRunLoopTraceStepBegins,
    /// The loop calls a callback: `callout`, `item`, `function`, `activity`.
    kCFRunLoopTraceCalloutBegins,
    /// The callback has returned.
    kCFRunLoopTraceCalloutEnds,
    /// The thread goes to sleep until `value` at the latest. UINT64_MAX means without a limit.
    kCFRunLoopTraceSleeps,
    /// The thread checks its ports without sleeping.
    kCFRunLoopTracePolls,
    /// The sleep or check is over. `value` is the port that was ready, or -1 if none was.
    kCFRunLoopTraceWakes,
    /// Step 9 has found what to serve: `reason`. `value` is the port.
    kCFRunLoopTraceServes,
    /// `thread` called CFRunLoopWakeUp, which sends a message to the loop's wake-up port.
    kCFRunLoopTraceWakeUpSent,
    /// `thread` called CFRunLoopWakeUp, which sends no message because the loop is awake and will
    /// check everything again.
    kCFRunLoopTraceWakeUpLeftOut,
    /// `thread` called CFRunLoopStop.
    kCFRunLoopTraceStopSent,
    /// `thread` called CFRunLoopSourceSignal for `item`. `loop` is NULL, because a source may be in
    /// several loops.
    kCFRunLoopTraceSourceSignalled,
    /// A timer was created: `item`, `function`. `value` is when it is due. `loop` is NULL.
    kCFRunLoopTraceTimerCreated,
    /// The date of the timer `item` has changed. `value` is when it is due. `loop` is NULL if the
    /// timer is in no loop.
    kCFRunLoopTraceTimerRescheduled,
    /// The timer port of `mode` is armed and will be ready at `value`.
    kCFRunLoopTraceTimerArmed
};

/// The kind of a callout, after the function through which the loop makes it.
typedef CF_ENUM(int32_t, CFRunLoopTraceCallout) {
    kCFRunLoopTraceBlock = 0, kCFRunLoopTraceObserver = 1, kCFRunLoopTraceSource0 = 2,
    kCFRunLoopTraceSource1 = 3, kCFRunLoopTraceTimer = 4, kCFRunLoopTraceMainQueue = 5
};
#define kCFRunLoopTraceCalloutCount 6

/// The reason why the thread woke up: what step 9 found to serve.
typedef CF_ENUM(int32_t, CFRunLoopTraceReason) {
    /// The pass has not reached step 9.
    kCFRunLoopTraceNotYet = 0,
    /// The pass was non-blocking, and no port was ready.
    kCFRunLoopTraceNothing = 1,
    /// CFRunLoopWakeUp was called.
    kCFRunLoopTraceWokenUp = 2,
    /// A timer is due.
    kCFRunLoopTraceTimerPort = 3,
    /// The main dispatch queue has work.
    kCFRunLoopTraceDispatchPort = 4,
    /// The port of a version 1 source is ready.
    kCFRunLoopTraceSourcePort = 5,
    /// The run's time limit has passed.
    kCFRunLoopTraceTimeout = 6
};

/// One event.
///
/// The fields are plain values, so you may keep an event after the loop and the item are gone. Use
/// `loop`, `item` and `function` to tell objects apart. Use them as objects only if you know that
/// they still exist.
typedef struct CFRunLoopTraceEvent {
    /// The time, in nanoseconds on CLOCK_MONOTONIC.
    uint64_t time;
    CFRunLoopTraceKind kind;
    /// The step of the loop's innermost run, from 1 to 10, or 0 if the loop does not run.
    int32_t step;
    /// How many runs of the loop are nested in each other, or 0 if the loop does not run.
    int32_t depth;
    /// The thread on which the event happened, by its number in the system (gettid).
    int32_t thread;
    /// The loop that the event belongs to, to tell loops apart. NULL where the kind says so.
    const void *loop;
    /// The observer, source, timer or block.
    const void *item;
    /// The function that the loop calls. If the item was made with a block, this is the block's
    /// function. NULL for the main queue.
    const void *function;
    CFRunLoopTraceCallout callout;
    CFRunLoopTraceReason reason;
    /// The CFRunLoopActivity, for the callout of an observer.
    CFOptionFlags activity;
    /// A result, a port, or a time in nanoseconds on CLOCK_MONOTONIC, as the kind says.
    int64_t value;
    /// The name of the mode in UTF-8, truncated if it is longer. Empty outside a run.
    char mode[44];
} CFRunLoopTraceEvent;

/// The hook: a function that is called with each event, on the thread on which it happens.
///
/// Most of these points are inside a step, where the thread holds the locks of the loop and of the
/// mode, and some are in signal handlers. So the hook must be quick, as safe as a signal handler,
/// and must call no function of a run loop. The event is valid until the hook returns.
typedef void (*CFRunLoopTraceHook)(const CFRunLoopTraceEvent *event);

/// Replaces the hook `old` by `hook`, and returns whether `old` was the hook. NULL means none.
///
/// So a hook takes no other one's place, and only its owner takes it away. When the function
/// returns, other threads may still be in the old hook. You may call it on any thread.
CF_EXPORT Boolean CFRunLoopTraceReplaceHook(CFRunLoopTraceHook old, CFRunLoopTraceHook hook);

// MARK: - The present state of a loop

/// The state of a loop at one moment.
///
/// The counts are those of the current mode, or of the default mode if the loop does not run.
typedef struct CFRunLoopTraceState {
    /// The loop's thread, by its number in the system (gettid).
    int32_t thread;
    /// The step of the innermost run, from 1 to 10, or 0 if the loop does not run.
    int32_t step;
    /// How many runs are nested in each other.
    int32_t depth;
    /// What CFRunLoopIsWaiting returns.
    Boolean isAsleep;
    /// The name of the current mode. Empty if the loop does not run.
    char mode[44];
    /// In a block, `blocks` counts those that were queued since its pass began to perform blocks.
    CFIndex sources0, sources1, observers, timers, blocks;
    /// What last woke the loop. kCFRunLoopTraceNothing if its last passes were non-blocking and
    /// found nothing.
    CFRunLoopTraceReason lastReason;
    /// How many passes the loop has made, in all its runs.
    uint64_t passes;
    /// How many seconds the loop has slept.
    CFTimeInterval sleepTime;
} CFRunLoopTraceState;

/// The state of a timer at one moment.
typedef struct CFRunLoopTraceTimerState {
    /// The timer, to tell timers apart. It is not retained for you.
    const void *timer;
    /// When the timer fires, in nanoseconds on CLOCK_MONOTONIC. INT64_MAX if it never fires.
    int64_t due;
    /// In seconds.
    CFTimeInterval interval, tolerance;
} CFRunLoopTraceTimerState;

/// Returns all run loops of the process, the main thread's first. Creates none.
///
/// The caller releases the array. The array retains the loops. If a loop's thread ends meanwhile,
/// the loop remains a valid object until you release the array. You may call it on any thread.
CF_EXPORT CFArrayRef CFRunLoopTraceCopyAllLoops(void);
/// Gets the present state of a loop, whether or not there is a hook.
///
/// You may call it on any thread. It locks the loop for a moment.
CF_EXPORT void CFRunLoopTraceGetState(CFRunLoopRef rl, CFRunLoopTraceState *state);
/// Gets the timers of the mode that CFRunLoopTraceGetState counts, and returns how many there are.
///
/// It fills in at most `room` timers, the one that fires next first. You may call it on any thread.
/// It locks the loop for a moment.
CF_EXPORT CFIndex CFRunLoopTraceGetTimers(CFRunLoopRef rl, CFRunLoopTraceTimerState *timers,
                                          CFIndex room);

CF_EXTERN_C_END

#endif
