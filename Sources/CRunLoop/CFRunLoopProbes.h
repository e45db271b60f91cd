/// CFRunLoopProbes.h: the points at which you can watch the run loop from outside. Internal.
///
/// The original has two families of them, and so does this library. The macros CFRUNLOOP_… are its
/// dtrace probes (CF-855 to CF-1153). Later releases added the cf_trace points, which report runs,
/// callouts and wake-ups to the kernel's trace facility. Here they are the macros CFRL_…. Three
/// kinds of observer use them:
///
///     a debugger   reads the record of the pass (__CFRunLoopPass), which is always kept. It costs
///                  a few plain stores.
///     the program  receives events while a trace is on (CFRunLoopTrace.h). It costs one branch,
///                  which is not taken while no trace is on.
///     the system   attaches perf, bpftrace or gdb. Where <sys/sdt.h> is installed, each point is
///                  also a USDT probe of the provider "cfrunloop", a no-op until a tool attaches.
///                  The probe's name is the macro's without CFRUNLOOP_ or CFRL_ (WAKEUP_SENT for
///                  CFRL_WAKEUP).
///
/// Nothing here makes a system call or reads a clock while no trace is on.
#if !defined(__COREFOUNDATION_CFRUNLOOPPROBES__)
#define __COREFOUNDATION_CFRUNLOOPPROBES__ 1

#include "CFRunLoop_Internal.h"
#include <CoreFoundation/CFRunLoopTrace.h>

CF_EXTERN_C_BEGIN

#if defined(__has_include)
#if __has_include(<sys/sdt.h>)
// The arguments stay in registers; without this, clang stores them on the stack at each probe.
#define STAP_SDT_ARG_CONSTRAINT nr
#include <sys/sdt.h>
#define __CFRUNLOOP_USDT(name, rl, item, value) STAP_PROBE3(cfrunloop, name, rl, item, value)
#endif
#endif
#if !defined(__CFRUNLOOP_USDT)
#define __CFRUNLOOP_USDT(name, rl, item, value) do {} while (0)
#endif

// MARK: - CFRunLoopTrace.c

/// Whether a trace is on.
CF_EXPORT _Atomic(Boolean) __CFRunLoopIsTraced;
CF_INLINE Boolean __CFRunLoopTraces(void) {
    return CF_UNLIKELY(atomic_load_explicit(&__CFRunLoopIsTraced, memory_order_relaxed));
}

/// Puts an event into the ring. `detail` is its `callout` or its `reason`, depending on the kind.
/// `value` is the activity if the callout is an observer's. `rl` and `mode` may be NULL. Safe in a
/// signal handler.
CF_EXPORT void __CFRunLoopTrace(CFRunLoopRef rl, CFStringRef mode, CFRunLoopTraceKind kind,
                                int32_t detail, const void *item,
                                const void *function, int64_t value) __attribute__((cold));
/// Copies a name in UTF-8, and truncates it if it does not fit. Writes nothing for NULL. A mode's
/// name never changes, and lives as long as its loop.
CF_EXPORT void __CFTraceCopyName(CFStringRef name, char *buffer, CFIndex size);
/// Returns the function of a block.
CF_INLINE const void *__CFRunLoopBlockFunction(const void *block) {
    return ((const void *const *)block)[2];
}

/// Evaluates the arguments only while a trace is on.
#define __CFRUNLOOP_TRACE(...) do { \
        if (__CFRunLoopTraces()) __CFRunLoopTrace(__VA_ARGS__); \
    } while (0)

// MARK: - The record of the pass

/// Returns the record of the pass that the innermost run is in. Only the loop's thread writes it.
CF_INLINE struct __CFRunLoopPass *__CFRunLoopThisPass(CFRunLoopRef rl) {
    return &atomic_load_explicit(&rl->_perRunData, memory_order_relaxed)->pass;
}

/// Resets the record for another pass.
CF_INLINE void __CFRunLoopClearPass(struct __CFRunLoopPass *pass) {
    atomic_store_explicit(&pass->_steps, 0, memory_order_relaxed);
    memset(pass->_callouts, 0, sizeof(pass->_callouts));
    pass->_sleepTSR = pass->_wakeTSR = 0;
    pass->_reason = kCFRunLoopTraceNotYet;
    pass->_port = CFPORT_NULL;
    pass->_sender = 0;
}

/// Counts one more callback of a kind.
CF_INLINE void __CFRunLoopNoteCallout(CFRunLoopRef rl, CFRunLoopTraceCallout callout) {
    uint16_t *count = &__CFRunLoopThisPass(rl)->_callouts[callout];
    if (*count != UINT16_MAX) ++*count;
}

/// Records what the pass has to serve. Call with rl locked.
CF_INLINE void __CFRunLoopNoteReason(CFRunLoopRef rl, CFRunLoopTraceReason reason, __CFPort port) {
    struct __CFRunLoopPass *pass = __CFRunLoopThisPass(rl);
    pass->_reason = reason;
    pass->_port = port;
    if (__CFRunLoopTraces() && reason == kCFRunLoopTraceWokenUp)
        pass->_sender = atomic_exchange(&rl->_wakeUpSender, 0);
}

/// Adds the step to those of the pass. Steps 1 and 2 begin a new pass.
CF_INLINE void __CFRunLoopNoteStep(CFRunLoopRef rl, uint64_t step) {
    _Atomic(uint64_t) *steps = &__CFRunLoopThisPass(rl)->_steps;
    uint64_t before = step <= 2 ? 0 : atomic_load_explicit(steps, memory_order_relaxed);
    atomic_store_explicit(steps, before << 4 | step, memory_order_relaxed);
}

/// Puts the record of a pass that is over among those that are kept, and clears it for the next
/// pass if the run goes on.
CF_INLINE void __CFRunLoopKeepPass(CFRunLoopRef rl, Boolean goesOn) {
    struct __CFRunLoopPass *pass = __CFRunLoopThisPass(rl);
    rl->_passes[rl->_passCount++ % __kCFRunLoopPassesKept] = *pass;
    if (goesOn) __CFRunLoopClearPass(pass);
}

/// The run reaches a step.
#define CFRUNLOOP_STEP(rl, rlm, step) do { \
        __CFRunLoopNoteStep(rl, step); \
        __CFRUNLOOP_USDT(STEP, rl, rlm, step); \
        __CFRUNLOOP_TRACE(rl, (rlm)->_name, kCFRunLoopTraceStepBegins, 0, NULL, NULL, 0); \
    } while (0)
/// A pass is over. If the run goes on, another pass follows.
#define CFRUNLOOP_PASS_ENDS(rl, goesOn) __CFRunLoopKeepPass(rl, goesOn)

// MARK: - dtrace's probes

/// The run waits until the deadline, or polls if that is 0.
#define CFRUNLOOP_SLEEP(rl, rlm, deadlineTSR) do { \
        if (deadlineTSR) __CFRUNLOOP_USDT(SLEEP, rl, rlm, deadlineTSR); \
        else __CFRUNLOOP_USDT(POLL, rl, rlm, 0); \
        __CFRUNLOOP_TRACE(rl, (rlm)->_name, \
                          (deadlineTSR) ? kCFRunLoopTraceSleeps : kCFRunLoopTracePolls, 0, NULL, \
                          NULL, (int64_t)(deadlineTSR)); \
    } while (0)
#define CFRUNLOOP_WAKEUP(rl, rlm, port) do { \
        __CFRUNLOOP_USDT(WAKEUP, rl, rlm, port); \
        __CFRUNLOOP_TRACE(rl, (rlm)->_name, kCFRunLoopTraceWakes, 0, NULL, NULL, port); \
    } while (0)

#define __CFRUNLOOP_WAKEUP_FOR(name, rl, rlm, reason, port) do { \
        __CFRunLoopNoteReason(rl, reason, port); \
        __CFRUNLOOP_USDT(name, rl, rlm, port); \
        __CFRUNLOOP_TRACE(rl, (rlm)->_name, kCFRunLoopTraceServes, reason, NULL, NULL, port); \
    } while (0)
/// A poll has found no port ready, or the limit of a sleep has come.
#define CFRUNLOOP_WAKEUP_FOR_NOTHING(rl, rlm, poll) do { \
        if (poll) \
            __CFRUNLOOP_WAKEUP_FOR(WAKEUP_FOR_NOTHING, rl, rlm, kCFRunLoopTraceNothing, \
                                   CFPORT_NULL); \
        else \
            __CFRUNLOOP_WAKEUP_FOR(WAKEUP_FOR_TIMEOUT, rl, rlm, kCFRunLoopTraceTimeout, \
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

#define CFRUNLOOP_TIMER_CREATED(rlt, function) do { \
        __CFRUNLOOP_USDT(TIMER_CREATED, rlt, function, __CFRunLoopTimerDueTSR(rlt)); \
        __CFRUNLOOP_TRACE(NULL, NULL, kCFRunLoopTraceTimerCreated, 0, rlt, function, \
                          (int64_t)__CFRunLoopTimerDueTSR(rlt)); \
    } while (0)
#define CFRUNLOOP_TIMER_RESCHEDULED(rl, rlt, fireTSR) do { \
        __CFRUNLOOP_USDT(TIMER_RESCHEDULED, rl, rlt, fireTSR); \
        __CFRUNLOOP_TRACE(rl, NULL, kCFRunLoopTraceTimerRescheduled, 0, rlt, NULL, \
                          (int64_t)(fireTSR)); \
    } while (0)
#define CFRUNLOOP_NEXT_TIMER_ARMED(rl, rlm, fireTSR) do { \
        __CFRUNLOOP_USDT(NEXT_TIMER_ARMED, rl, rlm, fireTSR); \
        __CFRUNLOOP_TRACE(rl, (rlm)->_name, kCFRunLoopTraceTimerArmed, 0, NULL, NULL, \
                          (int64_t)(fireTSR)); \
    } while (0)

// MARK: - The kernel's trace points
//
// The current source's cf_trace(KDEBUG_EVENT_CFRL_RUN | DBG_FUNC_START, …) is CFRL_RUN_START(…)
// here, and so on.

#define CFRL_RUN_START(rl, rlm) do { \
        CFRL_MODE(rl, (rlm)->_name); \
        __CFRUNLOOP_USDT(RUN_START, rl, rlm, 0); \
        __CFRUNLOOP_TRACE(rl, (rlm)->_name, kCFRunLoopTraceRunBegins, 0, NULL, NULL, 0); \
    } while (0)
#define CFRL_RUN_END(rl, rlm, result) do { \
        __CFRUNLOOP_USDT(RUN_END, rl, rlm, result); \
        __CFRUNLOOP_TRACE(rl, (rlm)->_name, kCFRunLoopTraceRunEnds, 0, NULL, NULL, result); \
    } while (0)
/// The loop's current mode has changed; `name` may be NULL.
#define CFRL_MODE(rl, name) do { \
        __CFRUNLOOP_USDT(MODE, rl, name, 0); \
        __CFRUNLOOP_TRACE(rl, name, kCFRunLoopTraceModeChanges, 0, NULL, NULL, 0); \
    } while (0)

/// The names of the callouts in the current source, after IS_CALLING_.
enum {
    CFRL_BLOCK = kCFRunLoopTraceBlock, CFRL_OBSERVER = kCFRunLoopTraceObserver,
    CFRL_SOURCE0 = kCFRunLoopTraceSource0, CFRL_SOURCE1 = kCFRunLoopTraceSource1,
    CFRL_TIMER = kCFRunLoopTraceTimer, CFRL_DISPATCH = kCFRunLoopTraceMainQueue
};
/// A callback is about to be called. On the loop's thread, locked or not.
#define CFRL_IS_CALLING_START(what, rl, rlm, item, function, value) do { \
        __CFRunLoopNoteCallout(rl, CFRL_##what); \
        __CFRUNLOOP_USDT(IS_CALLING_##what##_START, rl, item, value); \
        __CFRUNLOOP_TRACE(rl, (rlm)->_name, kCFRunLoopTraceCalloutBegins, CFRL_##what, item, \
                          function, (int64_t)(value)); \
    } while (0)
/// The callback has returned.
#define CFRL_IS_CALLING_END(what, rl, rlm, item) do { \
        __CFRUNLOOP_USDT(IS_CALLING_##what##_END, rl, item, 0); \
        __CFRUNLOOP_TRACE(rl, (rlm)->_name, kCFRunLoopTraceCalloutEnds, CFRL_##what, item, \
                          NULL, 0); \
    } while (0)

/// A thread wakes the loop. Safe in a signal handler, and so are the macros below.
#define CFRL_WAKEUP(rl) do { \
        if (__CFRunLoopTraces()) atomic_store(&(rl)->_wakeUpSender, __CFThreadNumber()); \
        __CFRUNLOOP_USDT(WAKEUP_SENT, rl, 0, 0); \
        __CFRUNLOOP_TRACE(rl, NULL, kCFRunLoopTraceWakeUpSent, 0, NULL, NULL, 0); \
    } while (0)
#define CFRL_DONT_WAKEUP(rl) do { \
        __CFRUNLOOP_USDT(DONT_WAKEUP, rl, 0, 0); \
        __CFRUNLOOP_TRACE(rl, NULL, kCFRunLoopTraceWakeUpLeftOut, 0, NULL, NULL, 0); \
    } while (0)
#define CFRL_STOP(rl) do { \
        __CFRUNLOOP_USDT(STOP, rl, 0, 0); \
        __CFRUNLOOP_TRACE(rl, NULL, kCFRunLoopTraceStopSent, 0, NULL, NULL, 0); \
    } while (0)
#define CFRL_SIGNAL(rls) do { \
        if (__CFRunLoopTraces()) atomic_store(&(rls)->_signaller, __CFThreadNumber()); \
        __CFRUNLOOP_USDT(SIGNAL, rls, 0, 0); \
        __CFRUNLOOP_TRACE(NULL, NULL, kCFRunLoopTraceSourceSignalled, 0, rls, NULL, 0); \
    } while (0)

CF_EXTERN_C_END

#endif
