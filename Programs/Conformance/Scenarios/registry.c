/// registry: one loop a thread.
#include "Scenario.h"

SCENARIO("registry", onMainThread) {
    CFRunLoopRef main = CFRunLoopGetMain();
    say("main is current %d", LOOP == main);
    __block CFRunLoopRef first;
    onThread(^{
        first = (CFRunLoopRef)CFRetain(LOOP);
        say("another %d, the same each time %d, main the same %d", LOOP != main, LOOP == first, CFRunLoopGetMain() == main);
    });
    onThread(^{ say("another again %d", LOOP != first && LOOP != main); });
    say("equal: %d %d", CFEqual(main, main), CFEqual(main, first));
    say("type ids: loop %d", CFGetTypeID(main) == CFRunLoopGetTypeID());
    CFRunLoopSourceRef s = source("s", 0, NULL);
    CFRunLoopTimerRef t = timer("t", 0, 0, NULL);
    CFRunLoopObserverRef o = observer("o", 0, false, 0, NULL);
    say("source %d, timer %d, observer %d", CFGetTypeID(s) == CFRunLoopSourceGetTypeID(), CFGetTypeID(t) == CFRunLoopTimerGetTypeID(),
        CFGetTypeID(o) == CFRunLoopObserverGetTypeID());
    say("valid: source %d, timer %d, observer %d", CFRunLoopSourceIsValid(s), CFRunLoopTimerIsValid(t), CFRunLoopObserverIsValid(o));
}
