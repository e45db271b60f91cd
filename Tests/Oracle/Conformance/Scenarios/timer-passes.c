/// timer-passes: in which order timers fire whose dates have passed.
#include "Scenario.h"

SCENARIO("timer-passes", onThreads) {
    part("past dates: the order in which the timers are added does not count");
    onThread(^{
        watch(A);
        CFRunLoopTimerRef one = timer("1", -3, 0, NULL), two = timer("2", -2, 0, NULL), three = timer("3", -1, 0, NULL);
        CFRunLoopAddTimer(LOOP, two, A);
        CFRunLoopAddTimer(LOOP, three, A);
        CFRunLoopAddTimer(LOOP, one, A);
        run(A, 0, false);
    });
    part("a past date set later comes later");
    onThread(^{
        CFRunLoopTimerRef first = addTimer(A, "set to the past", 3600, 0, NULL);
        addTimer(A, "past", -3600, 0, NULL);
        CFRunLoopTimerSetNextFireDate(first, CFAbsoluteTimeGetCurrent() - 1);
        run(A, 0, false);
    });
    part("past dates: neither does the order of the dates");
    onThread(^{
        watch(A);
        CFRunLoopTimerRef later = timer("1 s ago", -1, 0, NULL);
        usleep(1000);
        CFRunLoopTimerRef earlier = timer("2 s ago", -2, 0, NULL);
        CFRunLoopAddTimer(LOOP, earlier, A);
        CFRunLoopAddTimer(LOOP, later, A);
        run(A, 0, false);
    });
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
