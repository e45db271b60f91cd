/// timer-dates: the next fire date of timers that are in no loop, have fired, or have dates far away.
#include "Scenario.h"

static void sayDate(const char *when, CFRunLoopTimerRef t) {
    CFAbsoluteTime date = CFRunLoopTimerGetNextFireDate(t);
    say("%s: next %s, valid %d, in A %d", when, date == 0 ? "none" : about(date - CFAbsoluteTimeGetCurrent()), CFRunLoopTimerIsValid(t),
        CFRunLoopContainsTimer(LOOP, t, A));
}

SCENARIO("timer-dates", onThreads) {
    part("one-shot");
    onThread(^{
        __block CFRunLoopTimerRef t;
        t = timer("t", -10, 0, ^{ sayDate("inside", t); });
        sayDate("created", t);
        CFRunLoopAddTimer(LOOP, t, A);
        sayDate("added", t);
        run(A, 0.1, false);
        sayDate("after", t);
        CFRunLoopTimerSetNextFireDate(t, CFAbsoluteTimeGetCurrent() + 100);
        sayDate("set though invalid", t);
        CFRunLoopAddTimer(LOOP, t, A);
        sayDate("added though invalid", t);
    });
    part("in no loop");
    onThread(^{
        CFRunLoopTimerRef t = timer("t", 100, 0, NULL);
        sayDate("created", t);
        CFRunLoopTimerSetNextFireDate(t, CFAbsoluteTimeGetCurrent() + 200);
        sayDate("set", t);
        CFRunLoopTimerSetNextFireDate(t, CFAbsoluteTimeGetCurrent() - 200);
        sayDate("set to the past", t);
        CFRunLoopAddTimer(LOOP, t, A);
        run(A, 0.05, false);
        sayDate("after", t);
    });
    part("all dates far in the past");
    onThread(^{
        addSource(A, "s", 0, NULL);
        CFRunLoopTimerContext context = {.info = makeItem("ancient", NULL)};
        CFRunLoopTimerRef t = CFRunLoopTimerCreate(NULL, 0.0, 3600, 0, 0, performTimer, &context);
        CFRunLoopTimerRef u = CFRunLoopTimerCreate(NULL, -1e12, 0, 0, 0, performTimer, &context);
        CFRunLoopTimerRef v = CFRunLoopTimerCreate(NULL, 1e12, 0, 0, 0, performTimer, &context);
        CFRunLoopTimerRef w = CFRunLoopTimerCreate(NULL, INFINITY, 0, 0, 0, performTimer, &context);
        say("next %g", CFRunLoopTimerGetNextFireDate(t));
        sayDate("minus 1e12", u);
        sayDate("1e12", v);
        sayDate("infinity", w);
        CFRunLoopAddTimer(LOOP, t, A);
        run(A, 0.1, false);
        say("next within the hour: %d", CFRunLoopTimerGetNextFireDate(t) - CFAbsoluteTimeGetCurrent() <= 3600);
        say("and not past: %d", CFRunLoopTimerGetNextFireDate(t) >= CFAbsoluteTimeGetCurrent());
        CFRunLoopAddTimer(LOOP, u, A);
        CFRunLoopAddTimer(LOOP, v, A);
        CFRunLoopAddTimer(LOOP, w, A);
        run(A, 0.1, false);
        sayDate("minus 1e12", u);
        sayDate("1e12", v);
        sayDate("infinity", w);
    });
}
