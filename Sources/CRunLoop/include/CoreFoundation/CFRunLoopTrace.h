/// CFRunLoopTrace.h: a recording of what the run loops of a process do, and a look at their present
/// state.
///
/// This header is in no version of the original; its probes speak to dtrace and kdebug. The
/// umbrella header does not include it.
///
/// While a trace is on, each step, callout, sleep and wake-up of every loop puts an event into a
/// ring that all threads share. Recording an event takes no lock and allocates nothing, and it is
/// safe in a signal handler. The trace does not call you at that moment, because loops hold locks
/// at most of these points. Instead you receive the events when it suits you, on a thread of your
/// choice:
///
///     CFRunLoopTraceStart();
///     … run loops, on any threads …
///     CFRunLoopTraceReceive(handler, info);  // calls handler(event, info) for each new event
///     CFRunLoopTraceStop();
///
/// While no trace is on, each of these points costs one branch that is not taken.
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
    /// The loop calls a callback: `callout`, `item`, `function`, `activity`, `sender`.
    kCFRunLoopTraceCalloutBegins,
    /// The callback has returned.
    kCFRunLoopTraceCalloutEnds,
    /// The thread goes to sleep until `value` at the latest. UINT64_MAX means without a limit.
    kCFRunLoopTraceSleeps,
    /// The thread checks its ports without sleeping.
    kCFRunLoopTracePolls,
    /// The sleep or check is over. `value` is the port that was ready, or -1 if none was.
    kCFRunLoopTraceWakes,
    /// Step 9 has found what to serve: `reason`, `sender`. `value` is the port.
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

/// One event of a trace.
///
/// The fields are plain values, so you may keep an event after the loop and the item are gone. Use
/// `loop`, `item` and `function` to tell objects apart. Use them as objects only if you know that
/// they still exist.
typedef struct CFRunLoopTraceEvent {
    /// The event's number. Events are numbered from 0 across all threads. The numbers of one thread
    /// are in the order in which its events happened.
    uint64_t number;
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
    /// The thread that last woke the loop or signalled the source, or 0 if that is not known.
    int32_t sender;
    /// The name of the mode in UTF-8, truncated if it is longer. Empty outside a run.
    char mode[44];
} CFRunLoopTraceEvent;

/// A function that receives one event. `info` is the pointer given to CFRunLoopTraceReceive.
///
/// The event is valid until the function returns.
typedef void (*CFRunLoopTraceCallBack)(const CFRunLoopTraceEvent *event, void *info);

/// The number of events that the ring holds.
///
/// While it is full, new events are counted as lost, until you receive some.
#define kCFRunLoopTraceCapacity 32768

/// Starts a trace. From then on events are recorded.
///
/// Events that an earlier trace left in the ring are discarded. Returns false if a trace is already
/// on, perhaps another caller's, or if there is no memory for the ring. You may call it on any
/// thread. As after the first use of a run loop, a child that the process forks must exec before it
/// can use run loops.
CF_EXPORT Boolean CFRunLoopTraceStart(void);
/// Stops the trace. You can still receive the events that it has recorded.
///
/// Nothing happens if no trace is on. You may call it on any thread.
CF_EXPORT void CFRunLoopTraceStop(void);
/// Calls a function with each event recorded since the last call, the oldest first.
///
/// The calls happen on the calling thread with no lock held, so `handler` may do anything, even run
/// a loop. With a NULL `handler` the events are discarded. Returns the number of events. One call
/// receives at most kCFRunLoopTraceCapacity of them. You may call it on any thread; if two threads
/// call it at the same time, they share the events.
CF_EXPORT CFIndex CFRunLoopTraceReceive(CFRunLoopTraceCallBack handler, void *info);
/// Returns how many events of the present or last trace were lost.
///
/// An event is lost if the ring has no room for it. It is also lost if the thread that records it
/// is cancelled before it finishes, or leaves by siglongjmp from a signal handler. Such a loss is
/// known after a second, and the place in the ring is lost, too. You may call it on any thread.
CF_EXPORT uint64_t CFRunLoopTraceGetLostCount(void);

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
    /// The thread that woke it then, or 0 if that is not known or no trace is on.
    int32_t lastSender;
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
/// Gets the present state of a loop, whether or not a trace is on.
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
