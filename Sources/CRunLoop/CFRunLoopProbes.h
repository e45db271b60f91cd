/// CFRunLoopProbes.h: the points at which you can watch the run loop from outside. Internal.
///
/// Each point is a macro, and takes one line in the code. Most have the original's names:
/// CFRUNLOOP_… are its dtrace probes, and CFRL_… are the points that the current
/// source reports to the kernel's trace facility (cf_trace).
///
///     CFRL_RUN_START, CFRL_RUN_END     a run begins; it ends with a result
///     CFRL_MODE                        the loop's current mode has changed
///     CFRUNLOOP_RUN_CREATED            the data of a run is created; not in the original
///     CFRUNLOOP_STEP                   the run reaches one of the ten steps; not in the original
///     CFRUNLOOP_SLEEP, CFRUNLOOP_POLL  step 7: the thread is about to sleep, or to poll
///     CFRUNLOOP_WAKEUP                 step 7 is over; which port was ready
///     CFRUNLOOP_WAKEUP_FOR_…           step 9: what the pass serves
///     CFRL_IS_CALLING_START, …_END     around each callback
///     CFRUNLOOP_TIMER_…                a timer was created or got another date
///     CFRUNLOOP_NEXT_TIMER_ARMED       the timer port was armed
///     CFRL_SIGNAL, CFRL_STOP           any thread: CFRunLoopSourceSignal, CFRunLoopStop
///     CFRL_WAKEUP, CFRL_DONT_WAKEUP    any thread: a wake-up is sent, or left out
///
/// Three kinds of tools use them:
///
///     a debugger   reads the record of the pass (struct __CFRunLoopPass), which is always kept. It
///                  costs a few plain stores.
///     the program  sets a hook, which each point calls (CFRunLoopTrace.h). It costs one branch,
///                  which is not taken while there is no hook.
///     the system   attaches perf, bpftrace or gdb. If Kernel/CFSystemProbes.h can, it makes each
///                  point a USDT probe of the provider "cfrunloop" as well, a no-op until a tool
///                  attaches. The probe's name is the macro's without CFRUNLOOP_ or CFRL_
///                  (WAKEUP_SENT for CFRL_WAKEUP).
///
/// Nothing here makes a system call, and nothing that the loop decides depends on it: a build with
/// CF_NO_PROBES defined, where all of these points are empty, passes the same tests.
#if !defined(__COREFOUNDATION_CFRUNLOOPPROBES__)
#define __COREFOUNDATION_CFRUNLOOPPROBES__ 1

#include "CFRunLoop_Internal.h"
#include "Kernel/CFSystemProbes.h"

CF_EXTERN_C_BEGIN

#if defined(CF_NO_PROBES)
#define __CFRUNLOOP_HAS_PROBES 0
#else
#define __CFRUNLOOP_HAS_PROBES 1
#endif

// MARK: - For the program (CFRunLoopTrace.c)

/// The program's hook, or NULL.
CF_PRIVATE _Atomic(CFRunLoopTraceHook) __CFRunLoopTraceHook;

/// Calls the hook with an event. `detail` is its `callout` or its `reason`, depending on the kind.
/// `value` is the activity if the callout is an observer's. `rl` and `mode` may be NULL. Safe in a
/// signal handler.
CF_PRIVATE void __CFRunLoopTrace(CFRunLoopRef rl, CFStringRef mode, CFRunLoopTraceKind kind,
                                int32_t detail, const void *item,
                                const void *function, int64_t value) __attribute__((cold));
/// Returns the function of a block.
CF_INLINE const void *__CFRunLoopBlockFunction(const void *block) {
    return ((const void *const *)block)[2];
}

/// Evaluates the arguments only while there is a hook.
#define __CFRUNLOOP_TRACE(...) do { \
        if (__CFRUNLOOP_HAS_PROBES \
            && CF_UNLIKELY(atomic_load_explicit(&__CFRunLoopTraceHook, memory_order_relaxed))) \
            __CFRunLoopTrace(__VA_ARGS__); \
    } while (0)

// MARK: - For a debugger: the record of the pass

#define __CFRUNLOOP_RECORD(statement) do { if (__CFRUNLOOP_HAS_PROBES) statement; } while (0)

/// Returns the record of the pass that the innermost run is in. Only the loop's thread writes it.
CF_INLINE struct __CFRunLoopPass *__CFRunLoopThisPass(CFRunLoopRef rl) {
    _per_run_data *perRun = atomic_load_explicit(&rl->_perRunData, memory_order_relaxed);
    return &((struct __CFRecordedRun *)perRun)->pass;
}

/// Resets the record for another pass.
CF_INLINE void __CFRunLoopClearPass(struct __CFRunLoopPass *pass) {
    atomic_store_explicit(&pass->_steps, 0, memory_order_relaxed);
    memset(pass->_callouts, 0, sizeof(pass->_callouts));
    atomic_store_explicit(&pass->_sleepTSR, 0, memory_order_relaxed);
    atomic_store_explicit(&pass->_wakeTSR, 0, memory_order_relaxed);
    pass->_reason = kCFRunLoopTraceNotYet;
    pass->_port = CFPORT_NULL;
}

/// Keeps the record of a pass that is over, and resets it for another pass. Most loops that are
/// only asked for, or that sleep in their first pass, never need room for it. rl locked.
CF_INLINE void __CFRunLoopKeepPass(CFRunLoopRef rl) {
    struct __CFRunLoopPass *pass = __CFRunLoopThisPass(rl);
    if (CF_UNLIKELY(!rl->_passes)) rl->_passes = calloc(1, sizeof(*rl->_passes));
    if (CF_UNLIKELY(!rl->_passes)) __CF_HAS_NO_MEMORY_LEFT__("the passes of a run loop");
    rl->_passes->_kept[rl->_passes->_count++ % __kCFRunLoopPassesKept] = *pass;
    __CFRunLoopClearPass(pass);
}

/// Adds the step to those of the pass. Steps 2 and 10 end the pass before. Other threads may read
/// the record without a lock, so the access is atomic. A relaxed one costs the same as a plain one.
CF_INLINE void __CFRunLoopRecordStep(CFRunLoopRef rl, uint64_t step) {
    _Atomic(uint64_t) *steps = &__CFRunLoopThisPass(rl)->_steps;
    uint64_t before = atomic_load_explicit(steps, memory_order_relaxed);
    if ((step == 2 || step == 10) && before > 1) __CFRunLoopKeepPass(rl);
    if (step <= 2 || step == 10) before = 0;
    atomic_store_explicit(steps, before << 4 | step, memory_order_relaxed);
}

/// Counts one more callback of a kind.
CF_INLINE void __CFRunLoopCountCallout(CFRunLoopRef rl, CFRunLoopTraceCallout callout) {
    uint16_t *count = &__CFRunLoopThisPass(rl)->_callouts[callout];
    if (*count != UINT16_MAX) ++*count;
}

/// Returns whether the pass has slept.
CF_INLINE Boolean __CFRunLoopPassHasSlept(CFRunLoopRef rl) {
    return atomic_load_explicit(&__CFRunLoopThisPass(rl)->_sleepTSR, memory_order_relaxed) != 0;
}

/// Records when the thread falls asleep. Needs no lock.
CF_INLINE void __CFRunLoopRecordSleep(CFRunLoopRef rl) {
    atomic_store_explicit(&__CFRunLoopThisPass(rl)->_sleepTSR, mach_absolute_time(),
                          memory_order_relaxed);
}

/// Records when the thread woke up, if it slept. Needs no lock.
CF_INLINE void __CFRunLoopRecordWakeUp(CFRunLoopRef rl) {
    if (__CFRunLoopPassHasSlept(rl))
        atomic_store_explicit(&__CFRunLoopThisPass(rl)->_wakeTSR, mach_absolute_time(),
                              memory_order_relaxed);
}

/// Records what step 9 serves. rl locked.
CF_INLINE void __CFRunLoopRecordReason(CFRunLoopRef rl, CFRunLoopTraceReason reason,
                                       __CFPort port) {
    struct __CFRunLoopPass *pass = __CFRunLoopThisPass(rl);
    pass->_reason = reason;
    pass->_port = port;
}

/// Begins the record of a new run, which no other thread knows yet.
CF_INLINE void __CFRunLoopBeginRecord(struct __CFRecordedRun *run) {
    struct __CFRecordedRun *outer = (struct __CFRecordedRun *)run->data.previous;
    __CFRunLoopClearPass(&run->pass);
    run->pass._mode = NULL;
    run->pass._depth = outer ? outer->pass._depth + 1 : 0;
}

// MARK: - The points of a run, on the loop's thread

/// A point with a mode and a value.
#define __CFRUNLOOP_POINT(name, rl, rlm, kind, value) do { \
        __CFRUNLOOP_USDT(name, rl, rlm, value); \
        __CFRUNLOOP_TRACE(rl, (rlm)->_name, kind, 0, NULL, NULL, (int64_t)(value)); \
    } while (0)

#define CFRL_RUN_START(rl, rlm) do { \
        __CFRUNLOOP_RECORD(__CFRunLoopThisPass(rl)->_mode = (rlm)); \
        CFRL_MODE(rl, (rlm)->_name); \
        __CFRUNLOOP_POINT(RUN_START, rl, rlm, kCFRunLoopTraceRunBegins, 0); \
    } while (0)
#define CFRL_RUN_END(rl, rlm, result) \
    __CFRUNLOOP_POINT(RUN_END, rl, rlm, kCFRunLoopTraceRunEnds, result)
/// `name` may be NULL.
#define CFRL_MODE(rl, name) do { \
        __CFRUNLOOP_USDT(MODE, rl, name, 0); \
        __CFRUNLOOP_TRACE(rl, name, kCFRunLoopTraceModeChanges, 0, NULL, NULL, 0); \
    } while (0)

/// `run` is the struct __CFRecordedRun of a run that begins.
#define CFRUNLOOP_RUN_CREATED(run) __CFRUNLOOP_RECORD(__CFRunLoopBeginRecord(run))
#define CFRUNLOOP_STEP(rl, rlm, step) do { \
        __CFRUNLOOP_RECORD(__CFRunLoopRecordStep(rl, step)); \
        __CFRUNLOOP_USDT(STEP, rl, rlm, step); \
        __CFRUNLOOP_TRACE(rl, (rlm)->_name, kCFRunLoopTraceStepBegins, 0, NULL, NULL, 0); \
    } while (0)

#define CFRUNLOOP_SLEEP(rl, deadlineTSR) do { \
        __CFRUNLOOP_RECORD(__CFRunLoopRecordSleep(rl)); \
        __CFRUNLOOP_POINT(SLEEP, rl, (rl)->_currentMode, kCFRunLoopTraceSleeps, deadlineTSR); \
    } while (0)
#define CFRUNLOOP_POLL(rl) \
    __CFRUNLOOP_POINT(POLL, rl, (rl)->_currentMode, kCFRunLoopTracePolls, 0)
/// One of the two: the thread waits until the deadline, or polls if that is 0.
#define CFRUNLOOP_WAIT(rl, deadlineTSR) do { \
        if (deadlineTSR) CFRUNLOOP_SLEEP(rl, deadlineTSR); \
        else CFRUNLOOP_POLL(rl); \
    } while (0)
#define CFRUNLOOP_WAKEUP(rl, port) do { \
        __CFRUNLOOP_RECORD(__CFRunLoopRecordWakeUp(rl)); \
        __CFRUNLOOP_POINT(WAKEUP, rl, (rl)->_currentMode, kCFRunLoopTraceWakes, port); \
    } while (0)

#define __CFRUNLOOP_WAKEUP_FOR(name, rl, rlm, reason, port) do { \
        __CFRUNLOOP_RECORD(__CFRunLoopRecordReason(rl, reason, port)); \
        __CFRUNLOOP_USDT(name, rl, rlm, port); \
        __CFRUNLOOP_TRACE(rl, (rlm)->_name, kCFRunLoopTraceServes, reason, NULL, NULL, port); \
    } while (0)
/// A poll has found no port ready or, if the thread has slept, the limit of the wait has come. In
/// the original the limit's handler has the point WAKEUP_FOR_TIMEOUT.
#define CFRUNLOOP_WAKEUP_FOR_NOTHING(rl, rlm) do { \
        if (__CFRUNLOOP_HAS_PROBES && __CFRunLoopPassHasSlept(rl)) \
            __CFRUNLOOP_WAKEUP_FOR(WAKEUP_FOR_TIMEOUT, rl, rlm, kCFRunLoopTraceTimeout, \
                                   CFPORT_NULL); \
        else __CFRUNLOOP_WAKEUP_FOR(WAKEUP_FOR_NOTHING, rl, rlm, kCFRunLoopTraceNothing, \
                                    CFPORT_NULL); \
    } while (0)
#define CFRUNLOOP_WAKEUP_FOR_WAKEUP(rl, rlm, port) \
    __CFRUNLOOP_WAKEUP_FOR(WAKEUP_FOR_WAKEUP, rl, rlm, kCFRunLoopTraceWokenUp, port)
#define CFRUNLOOP_WAKEUP_FOR_TIMER(rl, rlm, port) \
    __CFRUNLOOP_WAKEUP_FOR(WAKEUP_FOR_TIMER, rl, rlm, kCFRunLoopTraceTimerPort, port)
#define CFRUNLOOP_WAKEUP_FOR_DISPATCH(rl, rlm, port) \
    __CFRUNLOOP_WAKEUP_FOR(WAKEUP_FOR_DISPATCH, rl, rlm, kCFRunLoopTraceDispatchPort, port)
#define CFRUNLOOP_WAKEUP_FOR_SOURCE(rl, rlm, port) \
    __CFRUNLOOP_WAKEUP_FOR(WAKEUP_FOR_SOURCE, rl, rlm, kCFRunLoopTraceSourcePort, port)

/// The callouts, under the names that follow IS_CALLING_ in the current source.
enum {
    CFRL_BLOCK = kCFRunLoopTraceBlock, CFRL_OBSERVER = kCFRunLoopTraceObserver,
    CFRL_SOURCE0 = kCFRunLoopTraceSource0, CFRL_SOURCE1 = kCFRunLoopTraceSource1,
    CFRL_TIMER = kCFRunLoopTraceTimer, CFRL_DISPATCH = kCFRunLoopTraceMainQueue
};
/// `what` is one of BLOCK, OBSERVER, SOURCE0, SOURCE1, TIMER and DISPATCH. rl and rlm unlocked.
#define CFRL_IS_CALLING_START(what, rl, rlm, item, function, value) do { \
        CF_ASSERT_UNLOCKED(rl, rlm); \
        __CFRUNLOOP_RECORD(__CFRunLoopCountCallout(rl, CFRL_##what)); \
        __CFRUNLOOP_USDT(IS_CALLING_##what##_START, rl, item, value); \
        __CFRUNLOOP_TRACE(rl, (rlm)->_name, kCFRunLoopTraceCalloutBegins, CFRL_##what, item, \
                          function, (int64_t)(value)); \
    } while (0)
#define CFRL_IS_CALLING_END(what, rl, rlm, item) do { \
        __CFRUNLOOP_USDT(IS_CALLING_##what##_END, rl, item, 0); \
        __CFRUNLOOP_TRACE(rl, (rlm)->_name, kCFRunLoopTraceCalloutEnds, CFRL_##what, item, \
                          NULL, 0); \
    } while (0)

// MARK: - Timers, on any thread

#define CFRUNLOOP_TIMER_CREATED(rlt, function) do { \
        __CFRUNLOOP_USDT(TIMER_CREATED, rlt, function, (rlt)->_fireTSR); \
        __CFRUNLOOP_TRACE(NULL, NULL, kCFRunLoopTraceTimerCreated, 0, rlt, function, \
                          (int64_t)(rlt)->_fireTSR); \
    } while (0)
#define CFRUNLOOP_TIMER_RESCHEDULED(rl, rlt, fireTSR) do { \
        __CFRUNLOOP_USDT(TIMER_RESCHEDULED, rl, rlt, fireTSR); \
        __CFRUNLOOP_TRACE(rl, NULL, kCFRunLoopTraceTimerRescheduled, 0, rlt, NULL, \
                          (int64_t)(fireTSR)); \
    } while (0)
#define CFRUNLOOP_NEXT_TIMER_ARMED(rl, rlm, fireTSR) \
    __CFRUNLOOP_POINT(NEXT_TIMER_ARMED, rl, rlm, kCFRunLoopTraceTimerArmed, fireTSR)

// MARK: - Waking, stopping and signaling, on any thread and in signal handlers

/// A point at which a thread reaches a loop from outside.
#define __CFRUNLOOP_CALL(name, rl, kind) do { \
        __CFRUNLOOP_USDT(name, rl, 0, 0); \
        __CFRUNLOOP_TRACE(rl, NULL, kind, 0, NULL, NULL, 0); \
    } while (0)

#define CFRL_WAKEUP(rl) __CFRUNLOOP_CALL(WAKEUP_SENT, rl, kCFRunLoopTraceWakeUpSent)
#define CFRL_DONT_WAKEUP(rl) __CFRUNLOOP_CALL(DONT_WAKEUP, rl, kCFRunLoopTraceWakeUpLeftOut)
#define CFRL_STOP(rl) __CFRUNLOOP_CALL(STOP, rl, kCFRunLoopTraceStopSent)
#define CFRL_SIGNAL(rls) do { \
        __CFRUNLOOP_USDT(SIGNAL, rls, 0, 0); \
        __CFRUNLOOP_TRACE(NULL, NULL, kCFRunLoopTraceSourceSignalled, 0, rls, NULL, 0); \
    } while (0)

CF_EXTERN_C_END

#endif
