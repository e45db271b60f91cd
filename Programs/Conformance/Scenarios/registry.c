/// registry: one loop a thread.
#include "../Scenario.h"

SCENARIO(registry, onMainThread, 0xc3a8c945) {
    CFRunLoopRef main = CFRunLoopGetMain();
    LOG("main is current %d", LOOP == main);
    __block CFRunLoopRef first;
    OnNewThread(^{
        first = (CFRunLoopRef)CFRetain(LOOP);
        LOG("another %d, the same each time %d, main the same %d", LOOP != main, LOOP == first, CFRunLoopGetMain() == main);
    });
    OnNewThread(^{ LOG("another again %d", LOOP != first && LOOP != main); });
    LOG("equal: %d %d", CFEqual(main, main), CFEqual(main, first));
    LOG("type ids: loop %d", CFGetTypeID(main) == CFRunLoopGetTypeID());
    CFRunLoopSourceRef s = MakeSource0("s", 0, NULL);
    CFRunLoopTimerRef t = MakeTimer("t", 0, 0, NULL);
    CFRunLoopObserverRef o = MakeObserver("o", 0, 0, NULL);
    LOG("source %d, timer %d, observer %d", CFGetTypeID(s) == CFRunLoopSourceGetTypeID(), CFGetTypeID(t) == CFRunLoopTimerGetTypeID(),
        CFGetTypeID(o) == CFRunLoopObserverGetTypeID());
    LOG("valid: source %d, timer %d, observer %d", CFRunLoopSourceIsValid(s), CFRunLoopTimerIsValid(t), CFRunLoopObserverIsValid(o));
}
