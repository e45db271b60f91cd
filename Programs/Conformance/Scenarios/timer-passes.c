/// timer-passes: in which order timers fire that have an order. Random programs have dates that have passed.
#include "Scenario.h"

SCENARIO("timer-passes", onThreads) {
    part("the order parameter does not count");
    onThread(^{
        CFRunLoopTimerContext first = {.info = makeItem("early, order 5", NULL)}, second = {.info = makeItem("late, order -5", NULL)};
        CFRunLoopTimerRef a = CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() - 2, 0, 0, 5, performTimer, &first);
        CFRunLoopTimerRef b = CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() - 1, 0, 0, -5, performTimer, &second);
        say("orders %ld %ld", (long)CFRunLoopTimerGetOrder(a), (long)CFRunLoopTimerGetOrder(b));
        CFRunLoopAddTimer(LOOP, b, A);
        CFRunLoopAddTimer(LOOP, a, A);
        run(A, 0, false);
    });
}
