/// thread-end: the state of a loop's items after its thread has ended.
#include "Scenario.h"

SCENARIO("thread-end", onMainThread) {
    __block CFRunLoopSourceRef s, p;
    __block CFRunLoopTimerRef t;
    __block CFRunLoopObserverRef o;
    onThread(^{
        s = loudSource("s", NULL);
        p = loudPort("p", NULL);
        t = loudTimer("t", 3600, 0, NULL);
        o = loudObserver("o", kCFRunLoopEntry, true, NULL);
        CFRunLoopAddSource(LOOP, s, A);
        CFRunLoopAddSource(LOOP, p, A);
        CFRunLoopAddTimer(LOOP, t, A);
        CFRunLoopAddObserver(LOOP, o, A);
        part("thread ends");
    });
    part("valid?");
    say("source %d, port %d, timer %d, observer %d", CFRunLoopSourceIsValid(s), CFRunLoopSourceIsValid(p), CFRunLoopTimerIsValid(t),
        CFRunLoopObserverIsValid(o));
    part("added to another loop");
    onThread(^{
        CFRunLoopAddSource(LOOP, s, A);
        CFRunLoopAddSource(LOOP, p, A);
        CFRunLoopAddTimer(LOOP, t, A);
        CFRunLoopAddObserver(LOOP, o, A);
        say("contained %d %d %d %d", CFRunLoopContainsSource(LOOP, s, A), CFRunLoopContainsSource(LOOP, p, A), CFRunLoopContainsTimer(LOOP, t, A),
            CFRunLoopContainsObserver(LOOP, o, A));
        CFRunLoopSourceSignal(s);
        poke(p);
        run(A, 0.1, true);
        run(A, 0.1, false);
        part("invalidated");
        CFRunLoopSourceInvalidate(s);
        CFRunLoopSourceInvalidate(p);
        CFRunLoopTimerInvalidate(t);
        CFRunLoopObserverInvalidate(o);
        CFRelease(s);
        CFRelease(p);
        CFRelease(t);
        CFRelease(o);
        part("thread ends");
    });
    part("a queued block is released with the loop");
    onThread(^{
        CFRunLoopSourceRef held = loudSource("held", NULL);
        perform(A, "never run", ^{ CFRunLoopSourceSignal(held); });
        part("thread ends");
    });
    part("a loop that has been retained outlives its thread");
    __block CFRunLoopRef loop;
    onThread(^{
        loop = (CFRunLoopRef)CFRetain(LOOP);
        addSource(A, "s", 0, NULL);
    });
    CFRunLoopWakeUp(loop);
    CFRunLoopStop(loop);
    sayCurrentMode(loop);
    say("waiting %d", CFRunLoopIsWaiting(loop));
}
