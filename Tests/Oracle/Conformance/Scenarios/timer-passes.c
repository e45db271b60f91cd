/// timer-passes: which timers fire in one pass, in which order, and what a timer may do to the others of its pass.
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
    part("future dates go by date");
    onThread(^{
        watch(A);
        addTimer(A, "2", 0.02, 0, NULL);
        addTimer(A, "3", 0.03, 0, NULL);
        addTimer(A, "1", 0.01, 0, NULL);
        usleep(50000);
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
    part("an earlier one invalidates, removes, postpones a later one");
    onThread(^{
        watch(A);
        __block CFRunLoopTimerRef invalidated, removed, postponed;
        addTimer(A, "first", -10, 0, ^{
            CFRunLoopTimerInvalidate(invalidated);
            CFRunLoopRemoveTimer(LOOP, removed, A);
            CFRunLoopTimerSetNextFireDate(postponed, CFAbsoluteTimeGetCurrent() + 3600);
        });
        invalidated = addTimer(A, "invalidated", -9, 0, NULL);
        removed = addTimer(A, "removed", -8, 0, NULL);
        postponed = addTimer(A, "postponed", -7, 0, NULL);
        addTimer(A, "last", -6, 0, NULL);
        run(A, 0, false);
        run(A, 0.05, false);
        say("valid: removed %d, postponed %d", CFRunLoopTimerIsValid(removed), CFRunLoopTimerIsValid(postponed));
    });
    part("a timer adds one that is due already");
    onThread(^{
        watch(A);
        addSource(A, "s", 0, NULL);
        addTimer(A, "first", -10, 0, ^{ addTimer(A, "added", -20, 0, NULL); });
        addTimer(A, "second", -5, 0, NULL);
        run(A, 0, false);
        run(A, 0, false);
    });
    part("a timer removed and added again by itself");
    onThread(^{
        addSource(A, "s", 0, NULL);
        __block CFRunLoopTimerRef t;
        t = addTimer(A, "t", -10, 3600, ^{
            CFRunLoopRemoveTimer(LOOP, t, A);
            CFRunLoopAddTimer(LOOP, t, A);
        });
        run(A, 0.1, false);
        say("contained %d, next %s", CFRunLoopContainsTimer(LOOP, t, A), about(CFRunLoopTimerGetNextFireDate(t) - CFAbsoluteTimeGetCurrent()));
    });
    part("a timer moved to another mode by itself");
    onThread(^{
        addSource(A, "s", 0, NULL);
        __block CFRunLoopTimerRef t;
        t = addTimer(A, "t", -10, 0, ^{
            CFRunLoopRemoveTimer(LOOP, t, A);
            CFRunLoopAddTimer(LOOP, t, B);
            say("in B %d", CFRunLoopContainsTimer(LOOP, t, B));
        });
        run(A, 0.1, false);
        say("valid %d, in B %d", CFRunLoopTimerIsValid(t), CFRunLoopContainsTimer(LOOP, t, B));
    });
    part("in two modes: fires in either");
    onThread(^{
        CFRunLoopTimerRef t = timer("t", -10, 0.05, NULL);
        CFRunLoopAddTimer(LOOP, t, A);
        CFRunLoopAddTimer(LOOP, t, B);
        run(A, 0, false);
        usleep(80000);
        run(B, 0, false);
    });
    part("in two modes, one-shot: fires in the one that comes first");
    onThread(^{
        CFRunLoopTimerRef t = timer("t", -10, 0, NULL);
        CFRunLoopAddTimer(LOOP, t, A);
        CFRunLoopAddTimer(LOOP, t, B);
        run(A, 0, false);
        run(B, 0, false);
        say("in A %d, in B %d", CFRunLoopContainsTimer(LOOP, t, A), CFRunLoopContainsTimer(LOOP, t, B));
    });
    part("a second loop does not get the timer");
    onThread(^{
        CFRunLoopTimerRef t = addTimer(A, "t", -10, 3600, NULL);
        onThread(^{
            CFRunLoopAddTimer(LOOP, t, A);
            say("contained %d", CFRunLoopContainsTimer(LOOP, t, A));
            run(A, 0, false);
        });
        run(A, 0, false);
        part("after it has left the first");
        CFRunLoopRemoveTimer(LOOP, t, A);
        CFRunLoopTimerSetNextFireDate(t, CFAbsoluteTimeGetCurrent() - 1);
        onThread(^{
            CFRunLoopAddTimer(LOOP, t, A);
            say("contained %d", CFRunLoopContainsTimer(LOOP, t, A));
            run(A, 0, false);
        });
    });
    part("a rhythm is kept: five times in a bit more than five intervals");
    onThread(^{
        __block int times = 0;
        addTimer(A, "t", 0.1, 0.1, ^{ if (++times == 5) CFRunLoopStop(LOOP); });
        CFAbsoluteTime start = CFAbsoluteTimeGetCurrent();
        run(A, 5, false);
        say("took %s", about(CFAbsoluteTimeGetCurrent() - start));
    });
}
