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

static void addAll(CFRunLoopSourceRef s, CFRunLoopTimerRef t, CFRunLoopObserverRef o, CFRunLoopMode mode) {
    CFRunLoopAddSource(LOOP, s, mode);
    CFRunLoopAddTimer(LOOP, t, mode);
    CFRunLoopAddObserver(LOOP, o, mode);
}

static void removeAll(CFRunLoopSourceRef s, CFRunLoopTimerRef t, CFRunLoopObserverRef o, CFRunLoopMode mode) {
    CFRunLoopRemoveSource(LOOP, s, mode);
    CFRunLoopRemoveTimer(LOOP, t, mode);
    CFRunLoopRemoveObserver(LOOP, o, mode);
}

SCENARIO("common-modes", onThreads) {
    onThread(^{
        CFRunLoopSourceRef s = source("s", 0, NULL);
        CFRunLoopTimerRef t = timer("t", 3600, 0, NULL);
        CFRunLoopObserverRef o = observer("o", kCFRunLoopEntry, true, 0, NULL);
        part("nothing added");
        sayAll(s, t, o);
        part("removed from A and from the common modes, never added");
        removeAll(s, t, o, A);
        removeAll(s, t, o, COMMON);
        sayAll(s, t, o);
        part("added to the common modes");
        addAll(s, t, o, COMMON);
        sayAll(s, t, o);
        part("A declared common");
        CFRunLoopAddCommonMode(LOOP, A);
        sayAll(s, t, o);
        part("removed from default alone");
        removeAll(s, t, o, DEFAULT);
        sayAll(s, t, o);
        part("added to default again");
        addAll(s, t, o, DEFAULT);
        sayAll(s, t, o);
        part("removed from the common modes");
        removeAll(s, t, o, COMMON);
        sayAll(s, t, o);
        part("added to the common modes and invalidated");
        addAll(s, t, o, COMMON);
        CFRunLoopSourceInvalidate(s);
        CFRunLoopTimerInvalidate(t);
        CFRunLoopObserverInvalidate(o);
        sayAll(s, t, o);
    });
}
