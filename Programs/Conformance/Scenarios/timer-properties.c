/// timer-properties: interval, repeats and order, for ordinary and odd values. Tolerance is left out: the original ignores it. [D12]
#include "../Scenario.h"

static void sayTimer(const char *title, CFTimeInterval interval) {
    CFRunLoopTimerRef t = MakeTimer("t", 3600, interval, NULL);
    LOG("%s: repeats %d, interval %g", title, CFRunLoopTimerDoesRepeat(t), CFRunLoopTimerGetInterval(t));
    CFRunLoopTimerInvalidate(t);
    LOG("invalid: repeats %d, interval %g", CFRunLoopTimerDoesRepeat(t), CFRunLoopTimerGetInterval(t));
}

SCENARIO(timer_properties, onMainThread, 0x7304b855) {
    PART("intervals");
    sayTimer("one-shot", 0);
    sayTimer("negative", -1);
    sayTimer("repeating", 2.5);
    sayTimer("a year", 31536000);
    sayTimer("a hundred thousand years", 3.2e12);
    sayTimer("infinity", INFINITY);
    PART("handler");
    CFRunLoopTimerRef t = CFRunLoopTimerCreateWithHandler(NULL, CFAbsoluteTimeGetCurrent() - 1, 0, 0, 7, ^(CFRunLoopTimerRef timer) {
        LOG("handler, order %ld", (long)CFRunLoopTimerGetOrder(timer));
    });
    CFRunLoopTimerContext context = {.version = 0};
    CFRunLoopTimerGetContext(t, &context);
    LOG("has retain %d, release %d, copyDescription %d, info %d", context.retain != NULL, context.release != NULL,
        context.copyDescription != NULL, context.info != NULL);
    CFRunLoopAddTimer(LOOP, t, A);
    Run(A, 0, false);
    LOG("valid %d, order %ld", CFRunLoopTimerIsValid(t), (long)CFRunLoopTimerGetOrder(t));
    PART("equality");
    CFRunLoopTimerRef u = MakeTimer("u", 1, 0, NULL), v = MakeTimer("u", 1, 0, NULL);
    LOG("%d %d", CFEqual(u, u), CFEqual(u, v));
}
