/// common-modes: add, remove and contains through the common modes, for all three kinds of item; which calls create a mode.
#include "Scenario.h"

static void sayContained(CFRunLoopSourceRef s, CFRunLoopTimerRef t, CFRunLoopObserverRef o, CFRunLoopMode mode) {
    say("%s contains: source %d, timer %d, observer %d", text(mode), CFRunLoopContainsSource(LOOP, s, mode),
        CFRunLoopContainsTimer(LOOP, t, mode), CFRunLoopContainsObserver(LOOP, o, mode));
}

static void sayAll(CFRunLoopSourceRef s, CFRunLoopTimerRef t, CFRunLoopObserverRef o) {
    sayContained(s, t, o, COMMON);
    sayContained(s, t, o, DEFAULT);
    sayContained(s, t, o, A);
    sayModes(LOOP);
}

SCENARIO("common-modes", onThreads) {
    onThread(^{
        CFRunLoopSourceRef s = source("s", 0, NULL);
        CFRunLoopTimerRef t = timer("t", 3600, 0, NULL);
        CFRunLoopObserverRef o = observer("o", kCFRunLoopEntry, true, 0, NULL);
        part("nothing added");
        sayAll(s, t, o);
        part("removed from A and from the common modes, never added");
        CFRunLoopRemoveSource(LOOP, s, A);
        CFRunLoopRemoveTimer(LOOP, t, A);
        CFRunLoopRemoveObserver(LOOP, o, A);
        CFRunLoopRemoveSource(LOOP, s, COMMON);
        CFRunLoopRemoveTimer(LOOP, t, COMMON);
        CFRunLoopRemoveObserver(LOOP, o, COMMON);
        sayAll(s, t, o);
        part("added to the common modes");
        CFRunLoopAddSource(LOOP, s, COMMON);
        CFRunLoopAddTimer(LOOP, t, COMMON);
        CFRunLoopAddObserver(LOOP, o, COMMON);
        sayAll(s, t, o);
        part("A declared common");
        CFRunLoopAddCommonMode(LOOP, A);
        sayAll(s, t, o);
        part("removed from default alone");
        CFRunLoopRemoveSource(LOOP, s, DEFAULT);
        CFRunLoopRemoveTimer(LOOP, t, DEFAULT);
        CFRunLoopRemoveObserver(LOOP, o, DEFAULT);
        sayAll(s, t, o);
        part("added to default again");
        CFRunLoopAddSource(LOOP, s, DEFAULT);
        CFRunLoopAddTimer(LOOP, t, DEFAULT);
        CFRunLoopAddObserver(LOOP, o, DEFAULT);
        sayAll(s, t, o);
        part("removed from the common modes");
        CFRunLoopRemoveSource(LOOP, s, COMMON);
        CFRunLoopRemoveTimer(LOOP, t, COMMON);
        CFRunLoopRemoveObserver(LOOP, o, COMMON);
        sayAll(s, t, o);
        part("added to the common modes and invalidated");
        CFRunLoopAddSource(LOOP, s, COMMON);
        CFRunLoopAddTimer(LOOP, t, COMMON);
        CFRunLoopAddObserver(LOOP, o, COMMON);
        CFRunLoopSourceInvalidate(s);
        CFRunLoopTimerInvalidate(t);
        CFRunLoopObserverInvalidate(o);
        sayAll(s, t, o);
    });
}
