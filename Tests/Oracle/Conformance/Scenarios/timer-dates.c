/// timer-dates: the next fire date before, during and after the callout; setting it inside and outside the callout.
#include "Scenario.h"

static void sayDate(const char *when, CFRunLoopTimerRef t) {
    CFAbsoluteTime date = CFRunLoopTimerGetNextFireDate(t);
    say("%s: next %s, valid %d, in A %d", when, date == 0 ? "none" : about(date - CFAbsoluteTimeGetCurrent()), CFRunLoopTimerIsValid(t),
        CFRunLoopContainsTimer(LOOP, t, A));
}

/// A timer whose first callout sets its date to `offset` from now. Fires at most three times.
static void setInside(const char *title, CFTimeInterval interval, CFTimeInterval offset) {
    part(title);
    onThread(^{
        addSource(A, "s", 0, NULL);
        __block int times = 0;
        __block CFRunLoopTimerRef t;
        t = addTimer(A, "t", -10, interval, ^{
            sayDate("inside", t);
            if (times++ == 0) {
                CFRunLoopTimerSetNextFireDate(t, CFAbsoluteTimeGetCurrent() + offset);
                sayDate("set", t);
            }
        });
        sayDate("added", t);
        run(A, 0.3, false);
        sayDate("after", t);
    });
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
    part("repeating, late by ten seconds with an interval of 3600 and of 6");
    onThread(^{
        __block CFRunLoopTimerRef t, u;
        t = addTimer(A, "hourly", -10, 3600, ^{ sayDate("inside", t); });
        run(A, 0.1, false);
        sayDate("after", t);
        u = addTimer(A, "every 6", -10, 6, ^{ sayDate("inside", u); });
        run(A, 0.1, false);
        sayDate("after", u);
        part("invalidated");
        CFRunLoopTimerInvalidate(t);
        sayDate("invalid", t);
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
    part("outside the callout, added");
    onThread(^{
        CFRunLoopTimerRef t = addTimer(A, "t", 100, 0, NULL), u = addTimer(A, "u", 50, 3600, NULL);
        CFRunLoopTimerSetNextFireDate(t, CFAbsoluteTimeGetCurrent() - 1);
        sayDate("set to the past", t);
        run(A, 0.1, false);
        CFRunLoopTimerSetNextFireDate(u, CFAbsoluteTimeGetCurrent() - 1);
        run(A, 0.1, false);
        sayDate("u after", u);
    });
    setInside("one-shot, set later inside", 0, 0.1);
    setInside("one-shot, set to the past inside", 0, -1);
    setInside("one-shot, set before its old date inside", 0, -20);
    setInside("repeating, set sooner than the next date inside", 3600, 0.1);
    setInside("repeating, set later inside", 3600, 7200);
    setInside("repeating, set to the past inside", 3600, -5);
    setInside("repeating, set before its old date inside", 3600, -20);
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
