/// timer-dates: the next fire date of timers that are in no loop, have fired, or have dates far away.
#include "../Scenario.h"

static void sayDate(const char *when, CFRunLoopTimerRef t) {
    CFAbsoluteTime date = CFRunLoopTimerGetNextFireDate(t);
    LOG("%s: next %s, valid %d, in A %d", when, date == 0 ? "none" : About(date - CFAbsoluteTimeGetCurrent()), CFRunLoopTimerIsValid(t),
        CFRunLoopContainsTimer(LOOP, t, A));
}

SCENARIO(timer_dates, onThreads, 0x6a38ea12) {
    PART("one-shot");
    OnNewThread(^{
        __block CFRunLoopTimerRef t;
        t = MakeTimer("t", -10, 0, ^{ sayDate("inside", t); });
        sayDate("created", t);
        CFRunLoopAddTimer(LOOP, t, A);
        sayDate("added", t);
        Run(A, 0.1, false);
        sayDate("after", t);
        CFRunLoopTimerSetNextFireDate(t, CFAbsoluteTimeGetCurrent() + 100);
        sayDate("set though invalid", t);
        CFRunLoopAddTimer(LOOP, t, A);
        sayDate("added though invalid", t);
    });
    PART("in no loop");
    OnNewThread(^{
        CFRunLoopTimerRef t = MakeTimer("t", 100, 0, NULL);
        sayDate("created", t);
        CFRunLoopTimerSetNextFireDate(t, CFAbsoluteTimeGetCurrent() + 200);
        sayDate("set", t);
        CFRunLoopTimerSetNextFireDate(t, CFAbsoluteTimeGetCurrent() - 200);
        sayDate("set to the past", t);
        CFRunLoopAddTimer(LOOP, t, A);
        Run(A, 0.05, false);
        sayDate("after", t);
    });
    PART("all dates far in the past");
    OnNewThread(^{
        AddSource0("s", 0, A, NULL);
        CFRunLoopTimerContext context = {.info = MakeItem("ancient", NULL)};
        CFRunLoopTimerRef t = CFRunLoopTimerCreate(NULL, 0.0, 3600, 0, 0, FireItem, &context);
        CFRunLoopTimerRef u = CFRunLoopTimerCreate(NULL, -1e12, 0, 0, 0, FireItem, &context);
        CFRunLoopTimerRef v = CFRunLoopTimerCreate(NULL, 1e12, 0, 0, 0, FireItem, &context);
        CFRunLoopTimerRef w = CFRunLoopTimerCreate(NULL, INFINITY, 0, 0, 0, FireItem, &context);
        LOG("next %g", CFRunLoopTimerGetNextFireDate(t));
        sayDate("minus 1e12", u);
        sayDate("1e12", v);
        sayDate("infinity", w);
        CFRunLoopAddTimer(LOOP, t, A);
        Run(A, 0.1, false);
        LOG("next within the hour: %d", CFRunLoopTimerGetNextFireDate(t) - CFAbsoluteTimeGetCurrent() <= 3600);
        LOG("and not past: %d", CFRunLoopTimerGetNextFireDate(t) >= CFAbsoluteTimeGetCurrent());
        CFRunLoopAddTimer(LOOP, u, A);
        CFRunLoopAddTimer(LOOP, v, A);
        CFRunLoopAddTimer(LOOP, w, A);
        Run(A, 0.1, false);
        sayDate("minus 1e12", u);
        sayDate("1e12", v);
        sayDate("infinity", w);
    });
    PART("no date is later than the beginning of 2129");
    OnNewThread(^{
        CFAbsoluteTime dates[] = {4039289856.0, nextafter(4039289856.0, INFINITY), 1e12, 1e300, INFINITY};
        for (int i = 0; i < 5; i++) {
            CFRunLoopTimerRef made = CFRunLoopTimerCreate(NULL, dates[i], 0, 0, 0, NULL, NULL), moved = AddTimer("t", 1, 0, A, NULL);
            CFRunLoopTimerSetNextFireDate(moved, dates[i]);
            LOG("%.6f %.6f %.6f", CFRunLoopTimerGetNextFireDate(made), CFRunLoopTimerGetNextFireDate(moved), CFRunLoopGetNextTimerFireDate(LOOP, A));
            CFRunLoopTimerInvalidate(moved);
        }
    });
    PART("intervals of 16 years and more");
    OnNewThread(^{
        CFTimeInterval intervals[] = {504911232.0, 1e9, 1e18, 1e300, INFINITY};
        for (int i = 0; i < 5; i++) {
            CFAbsoluteTime now = CFAbsoluteTimeGetCurrent();
            CFRunLoopTimerRef t = AddTimer("t", 0, intervals[i], A, NULL);
            Run(A, 0, false);
            CFTimeInterval next = CFRunLoopTimerGetNextFireDate(t) - now;
            LOG("next in 16 years %d, interval %g", next > 504911172 && next < 504911292, CFRunLoopTimerGetInterval(t));
            CFRunLoopTimerInvalidate(t);
        }
    });
    PART("the next date of a mode is that of its first timer");
    OnNewThread(^{
        CFAbsoluteTime now = CFAbsoluteTimeGetCurrent();
        LOG("unknown: %g", CFRunLoopGetNextTimerFireDate(LOOP, A));
        AddTimer("far", 200, 0, A, NULL);
        LOG("one: %s", About(CFRunLoopGetNextTimerFireDate(LOOP, A) - now));
        CFRunLoopTimerRef near = AddTimer("near", 100, 0, COMMON, NULL);
        CFRunLoopAddTimer(LOOP, near, A);
        LOG("two: %s, common: %g", About(CFRunLoopGetNextTimerFireDate(LOOP, A) - now), CFRunLoopGetNextTimerFireDate(LOOP, COMMON));
        LogModes(LOOP);
    });
}
