/// run-limits: unusual time limits. A timer ends each run after 0.1 s, unless the run's limit ends it first.
#include "../Scenario.h"

static void runFor(const char *title, CFTimeInterval limit) {
    PART(title);
    CFRunLoopTimerRef stop = AddTimer("stop", 0.1, 0, A, ^{ CFRunLoopStop(LOOP); });
    Run(A, limit, false);
    CFRunLoopTimerInvalidate(stop);
}

SCENARIO(run_limits, onThreads, 0xeef82d92) {
    OnNewThread(^{
        AddSource0("s", 0, A, NULL);
        runFor("zero", 0);
        runFor("minus one", -1);
        runFor("minus infinity", -INFINITY);
        runFor("least positive", 5e-324);
        runFor("a nanosecond", 1e-9);
        runFor("short", 0.01);
        runFor("19 years", 6e8);
        runFor("1e10", 1e10);
        runFor("1e300", 1e300);
        runFor("infinity", INFINITY);
        runFor("not a number", NAN);
    });
}
