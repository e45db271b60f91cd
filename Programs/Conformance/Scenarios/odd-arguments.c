/// odd-arguments: NULL contexts, callouts, blocks and modes, unknown versions and activities, orders at the ends of the range, and modes and ports
/// that are none, where the original survives them.
#include "../Scenario.h"

SCENARIO(odd_arguments, onThreads, 0x0d620a75) {
    PART("no context");
    OnNewThread(^{
        AddSource0("s", 0, A, NULL);
        CFRunLoopTimerRef t = CFRunLoopTimerCreate(NULL, 0, 0, 0, 0, FireItem, NULL);
        CFRunLoopTimerContext context = {.version = 0, .info = t};
        CFRunLoopTimerGetContext(t, &context);
        LOG("info %d", context.info != NULL);
        CFRunLoopAddTimer(LOOP, t, A);
        Run(A, 0, false);
        CFRunLoopObserverRef o = CFRunLoopObserverCreate(NULL, kCFRunLoopEntry, true, 0, NotifyItem, NULL);
        LOG("observer %d", o != NULL);
    });
    PART("no callout");
    OnNewThread(^{
        AddSource0("s", 0, A, NULL);
        CFRunLoopTimerRef t = CFRunLoopTimerCreate(NULL, 0, 0, 0, 0, NULL, NULL);
        CFRunLoopObserverRef o = CFRunLoopObserverCreate(NULL, kCFRunLoopAllActivities, false, 0, NULL, NULL);
        CFRunLoopAddTimer(LOOP, t, A);
        CFRunLoopAddObserver(LOOP, o, A);
        Run(A, 0.05, false);
        LOG("valid: timer %d, observer %d", CFRunLoopTimerIsValid(t), CFRunLoopObserverIsValid(o));
    });
    PART("a timer's context of another version");
    OnNewThread(^{
        CFRunLoopTimerContext context = {.version = 2, .info = MakeItem("t", NULL)};
        CFRunLoopTimerRef t = CFRunLoopTimerCreate(NULL, 0, 0, 0, 0, FireItem, &context);
        CFRunLoopObserverRef o = CFRunLoopObserverCreate(NULL, kCFRunLoopEntry, true, 0, NULL, (CFRunLoopObserverContext *)&context);
        CFRunLoopObserverGetContext(o, (CFRunLoopObserverContext *)&context);
        LOG("read back: version %ld of the observer", (long)context.version);
        context.version = 0;
        CFRunLoopTimerGetContext(t, &context);
        LOG("version %ld of the timer", (long)context.version);
        CFRunLoopAddTimer(LOOP, t, A);
        Run(A, 0.05, false);
    });
    PART("NULL for an item");
    OnNewThread(^{
        for (int i = 0; i < 2; i++) {
            CFRunLoopMode mode = i ? COMMON : A;
            CFRunLoopRemoveSource(LOOP, NULL, mode);
            CFRunLoopRemoveTimer(LOOP, NULL, mode);
            CFRunLoopRemoveObserver(LOOP, NULL, mode);
            LOG("contained %d %d", CFRunLoopContainsSource(LOOP, NULL, mode), CFRunLoopContainsObserver(LOOP, NULL, mode));
        }
        LogModes(LOOP);
    });
    PART("a source without perform");
    OnNewThread(^{
        CFRunLoopSourceContext context = {.version = 0};
        CFRunLoopSourceRef s = CFRunLoopSourceCreate(NULL, 0, &context);
        CFRunLoopAddSource(LOOP, s, A);
        CFRunLoopSourceSignal(s);
        Run(A, 0, true);
        LOG("signalled %d", CFRunLoopSourceIsSignalled(s));
    });
    PART("a signal to a version 1 source");
    OnNewThread(^{
        CFRunLoopSourceRef p = AddPort("p", 0, A, NULL);
        CFRunLoopSourceSignal(p);
        LOG("signalled %d", CFRunLoopSourceIsSignalled(p));
        Run(A, 0, true);
        LOG("signalled %d", CFRunLoopSourceIsSignalled(p));
        Poke(p);
        Run(A, 1, true);
        LOG("and when it has been called, %d", CFRunLoopSourceIsSignalled(p));
    });
    PART("a version 1 source without a port");
    OnNewThread(^{
        CFRunLoopSourceRef none = MakeSource1("none", -1, NULL);
        for (int i = 0; i < 2; i++) {
            (i ? CFRunLoopRemoveSource : CFRunLoopAddSource)(LOOP, none, A);
            LOG("contained %d", CFRunLoopContainsSource(LOOP, none, A));
            CFRunLoopSourceSignal(none);
            Run(A, 0.05, false);
        }
    });
    PART("no mode");
    OnNewThread(^{
        AddSource0("s", 0, DEFAULT, NULL);
        Run(NULL, 0, false);
        LogModes(LOOP);
    });
    PART("sources of orders at the ends of the range");
    OnNewThread(^{
        CFRunLoopSourceRef sources[] = {AddSource0("last", LONG_MAX, A, NULL), AddSource0("first", LONG_MIN, A, NULL), AddSource0("middle", 0, A, NULL)};
        LOG("%d %d", CFRunLoopSourceGetOrder(sources[0]) == LONG_MAX, CFRunLoopSourceGetOrder(sources[1]) == LONG_MIN);
        for (int i = 0; i < 3; i++) CFRunLoopSourceSignal(sources[i]);
        Run(A, 0, false);
    });
    PART("blocks for a set of modes, for none, for what is no mode, and no block");
    OnNewThread(^{
        const void *names[] = {A, B};
        AddSource0("s", 0, A, NULL);
        QueueBlock("by set", CFSetCreate(NULL, names, 2, &kCFTypeSetCallBacks), NULL);
        QueueBlock("by empty array", CFArrayCreate(NULL, NULL, 0, &kCFTypeArrayCallBacks), NULL);
        QueueBlock("by empty set", CFSetCreate(NULL, NULL, 0, &kCFTypeSetCallBacks), NULL);
        QueueBlock("by loop", LOOP, NULL);
        CFRunLoopPerformBlock(LOOP, A, NULL);
        LogModes(LOOP);
        Run(A, 0, false);
        Run(A, 0, false);
    });
    PART("observers of activities that are none, and of orders at the ends of the range");
    OnNewThread(^{
        AddSource0("s", 0, A, NULL);
        CFRunLoopObserverRef none = AddObserver("none", 0, LONG_MAX, A, NULL), odd = AddObserver("odd", 1UL << 3 | 1UL << 4 | 1UL << 20, 0, A, NULL);
        AddObserver("greatest", kCFRunLoopEntry, LONG_MAX, A, NULL);
        AddObserver("least", ~0UL, LONG_MIN, A, NULL);
        Run(A, 0, false);
        CFRunLoopObserverInvalidate(none);
        LOG("activities %lx %lx", CFRunLoopObserverGetActivities(none), CFRunLoopObserverGetActivities(odd));
        LOG("of an invalid one: greatest order %d, repeats %d", CFRunLoopObserverGetOrder(none) == LONG_MAX, CFRunLoopObserverDoesRepeat(none));
    });
}
