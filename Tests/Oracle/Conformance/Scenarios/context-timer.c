/// context-timer: when a timer's context is retained and released.
#include "Scenario.h"

SCENARIO("context-timer", onThreads) {
    onThread(^{
        part("create");
        CFRunLoopTimerRef t = loudTimer("t", 3600, 3600, NULL);
        part("GetContext");
        CFRunLoopTimerContext context = {.version = 0};
        CFRunLoopTimerGetContext(t, &context);
        say("version %ld, info %s", (long)context.version, ((Item *)context.info)->name);
        part("add to A, again, to B");
        CFRunLoopAddTimer(LOOP, t, A);
        CFRunLoopAddTimer(LOOP, t, A);
        CFRunLoopAddTimer(LOOP, t, B);
        part("remove from B");
        CFRunLoopRemoveTimer(LOOP, t, B);
        part("invalidate");
        CFRunLoopTimerInvalidate(t);
        part("invalidate again");
        CFRunLoopTimerInvalidate(t);
        part("GetContext of an invalid timer");
        CFRunLoopTimerGetContext(t, &context);
        say("info kept %d", context.info != NULL);
        part("last release");
        CFRelease(t);
        part("last release of a valid timer");
        CFRelease(loudTimer("u", 3600, 0, NULL));

        part("a one-shot timer fires");
        CFRunLoopTimerRef once = loudTimer("once", -1, 0, NULL);
        CFRunLoopAddTimer(LOOP, once, A);
        run(A, 0.2, false);
        say("valid %d", CFRunLoopTimerIsValid(once));
        part("last release");
        CFRelease(once);

        part("a repeating timer fires");
        CFRunLoopTimerRef twice = loudTimer("twice", -1, 3600, NULL);
        CFRunLoopAddTimer(LOOP, twice, A);
        run(A, 0.1, false);
        CFRunLoopRemoveTimer(LOOP, twice, A);
        part("last release");
        CFRelease(twice);

        part("invalidate while firing");
        __block CFRunLoopTimerRef v = loudTimer("v", -1, 3600, ^{
            CFRunLoopTimerInvalidate(v);
            say("invalidated");
            CFRelease(v);
            say("released");
        });
        CFRunLoopAddTimer(LOOP, v, A);
        run(A, 0.2, false);

        part("left in a mode");
        CFRunLoopTimerRef w = loudTimer("w", 3600, 3600, NULL);
        CFRunLoopAddTimer(LOOP, w, A);
        CFRelease(w);
        part("thread ends");
    });
    part("thread has ended");
}
