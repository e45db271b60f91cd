/// odd-arguments: NULL contexts, NULL callouts and unknown versions, where the original survives them.
#include "Scenario.h"

SCENARIO("odd-arguments", onThreads) {
    part("no context");
    onThread(^{
        addSource(A, "s", 0, NULL);
        CFRunLoopTimerRef t = CFRunLoopTimerCreate(NULL, 0, 0, 0, 0, performTimer, NULL);
        CFRunLoopTimerContext context = {.version = 0, .info = t};
        CFRunLoopTimerGetContext(t, &context);
        say("info %d", context.info != NULL);
        CFRunLoopAddTimer(LOOP, t, A);
        run(A, 0, false);
        CFRunLoopObserverRef o = CFRunLoopObserverCreate(NULL, kCFRunLoopEntry, true, 0, performObserver, NULL);
        say("observer %d", o != NULL);
    });
    part("no callout");
    onThread(^{
        addSource(A, "s", 0, NULL);
        CFRunLoopTimerRef t = CFRunLoopTimerCreate(NULL, 0, 0, 0, 0, NULL, NULL);
        CFRunLoopObserverRef o = CFRunLoopObserverCreate(NULL, kCFRunLoopAllActivities, false, 0, NULL, NULL);
        CFRunLoopAddTimer(LOOP, t, A);
        CFRunLoopAddObserver(LOOP, o, A);
        run(A, 0.05, false);
        say("valid: timer %d, observer %d", CFRunLoopTimerIsValid(t), CFRunLoopObserverIsValid(o));
    });
    part("a timer's context of another version");
    onThread(^{
        CFRunLoopTimerContext context = {.version = 2, .info = makeItem("t", NULL)};
        CFRunLoopTimerRef t = CFRunLoopTimerCreate(NULL, 0, 0, 0, 0, performTimer, &context);
        CFRunLoopAddTimer(LOOP, t, A);
        run(A, 0.05, false);
    });
}
