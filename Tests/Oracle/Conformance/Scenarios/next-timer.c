/// next-timer: CFRunLoopGetNextTimerFireDate for a mode without timers, with several, and for the common modes.
#include "Scenario.h"

static void sayNext(CFRunLoopMode mode) {
    CFAbsoluteTime date = CFRunLoopGetNextTimerFireDate(LOOP, mode);
    say("%s: %s", text(mode), date == 0 ? "none" : about(date - CFAbsoluteTimeGetCurrent()));
}

SCENARIO("next-timer", onThreads) {
    onThread(^{
        sayNext(A);
        addSource(A, "s", 0, NULL);
        sayNext(A);
        CFRunLoopTimerRef late = addTimer(A, "late", 200, 0, NULL);
        CFRunLoopTimerRef early = addTimer(A, "early", 100, 0, NULL);
        CFRunLoopTimerRef past = addTimer(A, "past", -100, 0, NULL);
        sayNext(A);
        CFRunLoopTimerInvalidate(past);
        sayNext(A);
        CFRunLoopTimerSetNextFireDate(early, CFAbsoluteTimeGetCurrent() + 300);
        sayNext(A);
        CFRunLoopRemoveTimer(LOOP, late, A);
        sayNext(A);
        part("common modes");
        sayNext(COMMON);
        CFRunLoopTimerRef common = addTimer(COMMON, "common", 50, 0, NULL);
        sayNext(COMMON);
        sayNext(DEFAULT);
        sayNext(A);
        CFRunLoopAddCommonMode(LOOP, A);
        sayNext(A);
        CFRunLoopTimerInvalidate(common);
        sayNext(A);
        sayNext(DEFAULT);
    });
}
