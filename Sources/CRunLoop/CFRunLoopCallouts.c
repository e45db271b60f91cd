/// CFRunLoopCallouts.c: the six functions through which a pass calls your code. Open this file
/// first if you come from a stack trace: the frame below your function says what called it.
///
/// Each calls one function and does nothing else. The compiler must not inline them (noinline),
/// must not turn their last call into a jump, which would remove the frame, and must not merge two
/// that have the same content. So each ends with an assembler line of its own text. [X2, X3]
///
/// In the original the functions have these names and stand in CFRunLoop.c.

#include "CFRunLoop_Internal.h"

/// Steps 1, 2, 3, 6, 8 and 10: __CFRunLoopDoObservers calls it.
static __attribute__((noinline)) void __CFRUNLOOP_IS_CALLING_OUT_TO_AN_OBSERVER_CALLBACK_FUNCTION__(
    CFRunLoopObserverCallBack func, CFRunLoopObserverRef observer, CFRunLoopActivity activity,
    void *info) {
    if (func) func(observer, activity, info);
    __asm__ volatile("/* observer */");
}

/// Steps 3, 4 and 9: __CFRunLoopDoBlocks calls it.
static __attribute__((noinline)) void __CFRUNLOOP_IS_CALLING_OUT_TO_A_BLOCK__(void (^block)(void)) {
    if (block) block();
    __asm__ volatile("/* block */");
}

/// Step 4: __CFRunLoopDoSource0 calls it.
static __attribute__((noinline)) void
__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE0_PERFORM_FUNCTION__(void (*perform)(void *), void *info) {
    if (perform) perform(info);
    __asm__ volatile("/* source 0 */");
}

/// Step 9.1: __CFRunLoopDoTimer calls it.
static __attribute__((noinline)) void __CFRUNLOOP_IS_CALLING_OUT_TO_A_TIMER_CALLBACK_FUNCTION__(
    CFRunLoopTimerCallBack func, CFRunLoopTimerRef timer, void *info) {
    if (func) func(timer, info);
    __asm__ volatile("/* timer */");
}

/// The function of libdispatch that performs the blocks of the main queue.
extern void _dispatch_main_queue_callback_4CF(void *msg);

/// Step 9.2: __CFRunLoopRun calls it. On a Mac `msg` is the mach message that has woken the thread.
static __attribute__((noinline))
void __CFRUNLOOP_IS_SERVICING_THE_MAIN_DISPATCH_QUEUE__(void *msg) {
    _dispatch_main_queue_callback_4CF(msg);
    __asm__ volatile("/* main queue */");
}

/// Step 9.3: __CFRunLoopDoSource1 calls it. On a Mac `perform` also gets the mach message that
/// arrived, and the loop sends the reply that it returns.
static __attribute__((noinline)) void
__CFRUNLOOP_IS_CALLING_OUT_TO_A_SOURCE1_PERFORM_FUNCTION__(void (*perform)(void *), void *info) {
    if (perform) perform(info);
    __asm__ volatile("/* source 1 */");
}
