/// timer-passes: in which order timers fire that have an order. Random programs have dates that have passed.
#include "../Scenario.h"

SCENARIO(timer_passes, onThreads, 0xc2957157) {
    PART("the order parameter does not count");
    OnNewThread(^{
        CFRunLoopTimerContext first = {.info = MakeItem("early, order 5", NULL)}, second = {.info = MakeItem("late, order -5", NULL)};
        CFRunLoopTimerRef a = CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() - 2, 0, 0, 5, FireItem, &first);
        CFRunLoopTimerRef b = CFRunLoopTimerCreate(NULL, CFAbsoluteTimeGetCurrent() - 1, 0, 0, -5, FireItem, &second);
        LOG("orders %ld %ld", (long)CFRunLoopTimerGetOrder(a), (long)CFRunLoopTimerGetOrder(b));
        CFRunLoopAddTimer(LOOP, b, A);
        CFRunLoopAddTimer(LOOP, a, A);
        Run(A, 0, false);
    });
}
