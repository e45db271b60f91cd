/// odd-arguments: NULL contexts, callouts and blocks, unknown versions and activities, and modes that are none, where the original
/// survives them.
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
    part("a source without perform");
    onThread(^{
        CFRunLoopSourceContext context = {.version = 0};
        CFRunLoopSourceRef s = CFRunLoopSourceCreate(NULL, 0, &context);
        CFRunLoopAddSource(LOOP, s, A);
        CFRunLoopSourceSignal(s);
        run(A, 0, true);
        say("signalled %d", CFRunLoopSourceIsSignalled(s));
    });
    part("a signal to a version 1 source");
    onThread(^{
        CFRunLoopSourceRef p = addPort(A, "p", 0, NULL);
        CFRunLoopSourceSignal(p);
        say("signalled %d", CFRunLoopSourceIsSignalled(p));
        run(A, 0, false);
    });
    part("blocks for a set of modes, for none, for what is no mode, and no block");
    onThread(^{
        const void *names[] = {A, B};
        addSource(A, "s", 0, NULL);
        perform(CFSetCreate(NULL, names, 2, &kCFTypeSetCallBacks), "by set", NULL);
        perform(CFArrayCreate(NULL, NULL, 0, &kCFTypeArrayCallBacks), "by empty array", NULL);
        perform(CFSetCreate(NULL, NULL, 0, &kCFTypeSetCallBacks), "by empty set", NULL);
        perform(LOOP, "by loop", NULL);
        CFRunLoopPerformBlock(LOOP, A, NULL);
        sayModes(LOOP);
        run(A, 0, false);
        run(A, 0, false);
    });
    part("observers of activities that are none, and of orders at the ends of the range");
    onThread(^{
        addSource(A, "s", 0, NULL);
        CFRunLoopObserverRef none = addObserver(A, "none", 0, LONG_MAX, NULL), odd = addObserver(A, "odd", 1UL << 3 | 1UL << 4 | 1UL << 20, 0, NULL);
        addObserver(A, "greatest", kCFRunLoopEntry, LONG_MAX, NULL);
        addObserver(A, "least", ~0UL, LONG_MIN, NULL);
        run(A, 0, false);
        say("activities %lx %lx", CFRunLoopObserverGetActivities(none), CFRunLoopObserverGetActivities(odd));
    });
}
