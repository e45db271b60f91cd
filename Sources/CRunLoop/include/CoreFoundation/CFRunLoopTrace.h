/// CFRunLoopTrace.h: what the run loops of a process do, recorded as it happens; and what they are
/// at just now. Not in any version of the original, whose probes speak to dtrace and kdebug, nor in
/// the umbrella header.
///
/// While a trace is on, each step, callout, sleep and wake-up of every loop puts an event into a ring that all threads share.
/// Putting one there takes no lock, allocates nothing and may happen in a signal handler. Nobody is called at that moment: loops
/// hold locks at most of these points. Whoever wants the events fetches them, whenever it suits, on a thread of its own:
///
///     CFRunLoopTraceStart();
///     … run loops, on any threads …
///     CFRunLoopTraceReceive(handler, info);      // calls handler(event, info) for each event since the last time
///     CFRunLoopTraceStop();
///
/// While no trace is on, each of these points costs one branch that is not taken.
#if !defined(__COREFOUNDATION_CFRUNLOOPTRACE__)
#define __COREFOUNDATION_CFRUNLOOPTRACE__ 1

#include "CFBase.h"
#include "CFRunLoop.h"

CF_EXTERN_C_BEGIN

// MARK: - Events

/// What has happened. The fields of CFRunLoopTraceEvent that a kind does not name are 0.
typedef CF_ENUM(int32_t, CFRunLoopTraceKind) {
    kCFRunLoopTraceRunBegins = 1,    ///< A run begins, in `mode`; `depth` is 1 for the outermost, 2 for one in a callback of it, …
    kCFRunLoopTraceRunEnds,          ///< It ends; `value` is its CFRunLoopRunResult.
    kCFRunLoopTraceModeChanges,      ///< The loop's current mode is `mode` from here on; an empty name: none, it does not run.
    kCFRunLoopTraceStepBegins,       ///< The run comes to `step`. A pass begins with step 2.
    kCFRunLoopTraceCalloutBegins,    ///< A callback is called: `callout`, `item`, `function`, `activity`, `sender`.
    kCFRunLoopTraceCalloutEnds,      ///< It has returned.
    kCFRunLoopTraceSleeps,           ///< The thread goes to sleep; `value` is until when at the latest, UINT64_MAX for ever.
    kCFRunLoopTracePolls,            ///< It looks at its ports without sleeping.
    kCFRunLoopTraceWakes,            ///< That wait or look is over; `value` is the port that was ready, -1 if none was.
    kCFRunLoopTraceServes,           ///< Step 9 knows what to serve: `reason`, `sender`; `value` is the port.
    kCFRunLoopTraceWakeUpSent,       ///< CFRunLoopWakeUp, on `thread`: a message goes to the loop's wake-up port.
    kCFRunLoopTraceWakeUpLeftOut,    ///< CFRunLoopWakeUp, on `thread`: none is sent, the loop is awake and will look at everything again.
    kCFRunLoopTraceStopSent,         ///< CFRunLoopStop, on `thread`.
    kCFRunLoopTraceSourceSignalled,  ///< CFRunLoopSourceSignal, on `thread`: `item`. A source may be in several loops: `loop` is NULL.
    kCFRunLoopTraceTimerCreated,     ///< A timer was made: `item`, `function`; `value` is when it is due. `loop` is NULL.
    kCFRunLoopTraceTimerRescheduled, ///< A timer's date has changed: `item`; `value` is when it is due. `loop` is NULL if it is in none.
    kCFRunLoopTraceTimerArmed        ///< The timer port of `mode` will be ready at `value`.
};

/// What a loop calls, by the function that it calls it through.
typedef CF_ENUM(int32_t, CFRunLoopTraceCallout) {
    kCFRunLoopTraceBlock = 0, kCFRunLoopTraceObserver = 1, kCFRunLoopTraceSource0 = 2,
    kCFRunLoopTraceSource1 = 3, kCFRunLoopTraceTimer = 4, kCFRunLoopTraceMainQueue = 5
};
#define kCFRunLoopTraceCalloutCount 6

/// What step 9 found to serve: what has woken the thread.
typedef CF_ENUM(int32_t, CFRunLoopTraceReason) {
    kCFRunLoopTraceNotYet = 0,       ///< The pass has not come to step 9.
    kCFRunLoopTraceNothing = 1,      ///< It only looked, and no port was ready.
    kCFRunLoopTraceWokenUp = 2,      ///< CFRunLoopWakeUp.
    kCFRunLoopTraceTimerPort = 3,    ///< A timer is due.
    kCFRunLoopTraceDispatchPort = 4, ///< The main dispatch queue has work.
    kCFRunLoopTraceSourcePort = 5,   ///< A version 1 source's port is ready.
    kCFRunLoopTraceTimeout = 6       ///< The run's time limit has come.
};

/// One event. Plain values: it may be kept when the loop and the item are long gone. Hence loop, item and function are there to
/// be told apart; they may be used as what they are only by who knows that they still live.
typedef struct CFRunLoopTraceEvent {
    uint64_t number;                 ///< Counts all events of the trace from 0. On each thread, in the order in which they happened.
    uint64_t time;                   ///< Nanoseconds on CLOCK_MONOTONIC.
    CFRunLoopTraceKind kind;
    int32_t step;                    ///< Where the loop's innermost run is: 1 to 10; 0 if the loop does not run.
    int32_t depth;                   ///< How many runs of the loop are within each other: 0 if it does not run.
    int32_t thread;                  ///< On which thread it happened: its number in the system (gettid).
    CFRunLoopRef loop;               ///< Whose event it is; NULL where the kind says so.
    const void *item;                ///< The observer, source or timer; of a block, the block.
    const void *function;            ///< The function that is called: of what was made with a block, the block's. NULL for the main queue.
    CFRunLoopTraceCallout callout;
    CFRunLoopTraceReason reason;
    CFOptionFlags activity;          ///< Of an observer's callout: the CFRunLoopActivity.
    int64_t value;                   ///< A result, a port, or a time in nanoseconds on CLOCK_MONOTONIC, as the kind says.
    int32_t sender;                  ///< The thread that woke the loop up last, or has signalled the source; 0 where that is not known.
    char mode[44];                   ///< The mode's name, in UTF-8, cut off if it is longer; "" outside a run.
} CFRunLoopTraceEvent;

/// Receives one event; `info` is what CFRunLoopTraceReceive was given. The event is the callee's until it returns.
typedef void (*CFRunLoopTraceCallBack)(const CFRunLoopTraceEvent *event, void *info);

/// How many events the ring holds. When it is full, new ones are counted as lost until some are received.
#define kCFRunLoopTraceCapacity 32768

/// Begins a trace: events are recorded from here on. What an earlier trace has left in the ring is
/// forgotten. False if a trace is on already, somebody else's perhaps, or if there is no memory for
/// the ring. Any thread. As after the first run loop, a child made by fork must exec before it can
/// use run loops.
CF_EXPORT Boolean CFRunLoopTraceStart(void);
/// Ends the trace. What it has recorded can still be received. Does nothing if none is on. Any thread.
CF_EXPORT void CFRunLoopTraceStop(void);
/// Calls `handler` with each event recorded since the last time, oldest first, on the calling thread and with no lock held: it
/// may do anything, run loops included. Returns how many there were; after kCFRunLoopTraceCapacity of them it returns in any
/// case. Any thread; two at once share the events. A handler of NULL just throws them away.
CF_EXPORT CFIndex CFRunLoopTraceReceive(CFRunLoopTraceCallBack handler, void *info);
/// How many events of the present or last trace were lost: they found no room in the ring, or the
/// thread that had begun to record one did not come to the end: it was cancelled there, or left by
/// siglongjmp from a signal handler. That is known after a second. Any thread.
CF_EXPORT uint64_t CFRunLoopTraceGetLostCount(void);

// MARK: - What a loop is at just now

/// A loop at one moment. What is counted is what is in the current mode, or in the default mode if the loop does not run.
typedef struct CFRunLoopTraceState {
    int32_t thread;                  ///< The loop's thread: its number in the system (gettid).
    int32_t step;                    ///< Where its innermost run is: 1 to 10; 0 if it does not run.
    int32_t depth;                   ///< How many runs are within each other.
    Boolean isAsleep;                ///< As CFRunLoopIsWaiting.
    char mode[44];                   ///< The current mode's name; "" if it does not run.
    CFIndex sources0, sources1, observers, timers, blocks;
    CFRunLoopTraceReason lastReason; ///< What has woken it last; kCFRunLoopTraceNothing if its last passes have just looked and found nothing.
    int32_t lastSender;              ///< Who has woken it then; 0 where that is not known, and while no trace is on.
    uint64_t passes;                 ///< How many passes it has made, of all its runs.
    CFTimeInterval sleepTime;        ///< For how many seconds it has slept.
} CFRunLoopTraceState;

/// A timer at one moment.
typedef struct CFRunLoopTraceTimerState {
    CFRunLoopTimerRef timer;         ///< To tell timers apart: not retained.
    int64_t due;                     ///< When it fires, in nanoseconds on CLOCK_MONOTONIC; INT64_MAX for never.
    CFTimeInterval interval, tolerance;
} CFRunLoopTraceTimerState;

/// All the loops that there are, the main thread's first, in an array that the caller releases. It retains them: a loop whose
/// thread ends meanwhile stays a valid object, and releasing the array is then its end. Any thread. Makes none.
CF_EXPORT CFArrayRef CFRunLoopTraceCopyAllLoops(void);
/// Takes a look at a loop, whether or not a trace is on. Any thread. The loop is locked for a moment.
CF_EXPORT void CFRunLoopTraceGetState(CFRunLoopRef rl, CFRunLoopTraceState *state);
/// The timers of the mode that CFRunLoopTraceGetState counts, the one that fires next first: fills in `room` of them at most, and
/// returns how many there are. Any thread. The loop is locked for a moment.
CF_EXPORT CFIndex CFRunLoopTraceGetTimers(CFRunLoopRef rl, CFRunLoopTraceTimerState *timers, CFIndex room);

CF_EXTERN_C_END

#endif
