/// common-items: runs with timers, observers and sources of the common modes.
#include "Scenario.h"

SCENARIO("common-items", onThreads) {
    onThread(^{
        CFRunLoopAddCommonMode(LOOP, A);
        addObserver(COMMON, "o", kCFRunLoopEntry | kCFRunLoopExit, 0, NULL);
        CFRunLoopSourceRef s = addSource(COMMON, "s", 0, NULL), p = addPort(COMMON, "p", 0, NULL);
        addSource(B, "in B", 0, NULL);
        part("a source");
        CFRunLoopSourceSignal(s);
        run(B, 0, false);
        run(A, 0, false);
        run(DEFAULT, 0, false);
        part("a port");
        poke(p);
        run(B, 0, false);
        run(A, 0, false);
        poke(p);
        run(DEFAULT, 0.1, true);
        part("a one-shot timer");
        CFRunLoopTimerRef t = addTimer(COMMON, "t", -1, 0, NULL);
        run(B, 0, false);
        run(A, 0, false);
        say("valid %d, in the common modes %d", CFRunLoopTimerIsValid(t), CFRunLoopContainsTimer(LOOP, t, COMMON));
        part("a repeating timer");
        CFRunLoopTimerRef u = addTimer(COMMON, "u", -1, 3600, NULL);
        run(DEFAULT, 0, false);
        say("in the common modes %d, in A %d", CFRunLoopContainsTimer(LOOP, u, COMMON), CFRunLoopContainsTimer(LOOP, u, A));
        CFRunLoopTimerSetNextFireDate(u, CFAbsoluteTimeGetCurrent() - 1);
        run(A, 0, false);
        part("B becomes common");
        CFRunLoopAddCommonMode(LOOP, B);
        CFRunLoopSourceSignal(s);
        run(B, 0, false);
        poke(p);
        run(B, 0, false);
        say("u in B %d", CFRunLoopContainsTimer(LOOP, u, B));
        part("common modes of another loop are its own");
        onThread(^{
            addSource(A, "s", 0, NULL);
            CFRunLoopObserverRef o = addObserver(COMMON, "o", kCFRunLoopEntry, 0, NULL);
            say("in A %d, in default %d", CFRunLoopContainsObserver(LOOP, o, A), CFRunLoopContainsObserver(LOOP, o, DEFAULT));
        });
        part("a source of the common modes of two loops");
        CFRunLoopSourceRef shared = loudSource("shared", NULL);
        CFRunLoopAddSource(LOOP, shared, DEFAULT);
        onThread(^{
            CFRunLoopAddSource(LOOP, shared, COMMON);
            say("here %d", CFRunLoopContainsSource(LOOP, shared, COMMON));
            part("thread ends");
        });
        CFRunLoopSourceInvalidate(shared);
        CFRelease(shared);
    });
}
