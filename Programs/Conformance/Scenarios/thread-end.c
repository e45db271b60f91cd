/// thread-end: the state of a loop's items after its thread has ended.
#include "../Scenario.h"

SCENARIO(thread_end, onMainThread, 0x10980590) {
    __block CFRunLoopSourceRef s, p;
    __block CFRunLoopTimerRef t;
    __block CFRunLoopObserverRef o;
    OnNewThread(^{
        s = MakeLoudSource0("s", NULL);
        p = MakeLoudPort("p", NULL);
        t = MakeLoudTimer("t", 3600, 0, NULL);
        o = MakeLoudObserver("o", kCFRunLoopEntry, true, NULL);
        CFRunLoopAddSource(LOOP, s, A);
        CFRunLoopAddSource(LOOP, p, A);
        CFRunLoopAddTimer(LOOP, t, A);
        CFRunLoopAddObserver(LOOP, o, A);
        PART("thread ends");
    });
    PART("valid?");
    LOG("source %d, port %d, timer %d, observer %d", CFRunLoopSourceIsValid(s), CFRunLoopSourceIsValid(p), CFRunLoopTimerIsValid(t),
        CFRunLoopObserverIsValid(o));
    PART("added to another loop");
    OnNewThread(^{
        CFRunLoopAddSource(LOOP, s, A);
        CFRunLoopAddSource(LOOP, p, A);
        CFRunLoopAddTimer(LOOP, t, A);
        CFRunLoopAddObserver(LOOP, o, A);
        LOG("contained %d %d %d %d", CFRunLoopContainsSource(LOOP, s, A), CFRunLoopContainsSource(LOOP, p, A), CFRunLoopContainsTimer(LOOP, t, A),
            CFRunLoopContainsObserver(LOOP, o, A));
        CFRunLoopSourceSignal(s);
        Poke(p);
        Run(A, 0.1, true);
        Run(A, 0.1, false);
        PART("invalidated");
        CFRunLoopSourceInvalidate(s);
        CFRunLoopSourceInvalidate(p);
        CFRunLoopTimerInvalidate(t);
        CFRunLoopObserverInvalidate(o);
        CFRelease(s);
        CFRelease(p);
        CFRelease(t);
        CFRelease(o);
        PART("thread ends");
    });
    PART("a queued block is released with the loop");
    OnNewThread(^{
        CFRunLoopSourceRef held = MakeLoudSource0("held", NULL);
        QueueBlock("never run", A, ^{ CFRunLoopSourceSignal(held); });
        PART("thread ends");
    });
    PART("a loop that has been retained outlives its thread");
    __block CFRunLoopRef loop;
    OnNewThread(^{
        loop = (CFRunLoopRef)CFRetain(LOOP);
        AddSource0("s", 0, A, NULL);
    });
    CFRunLoopWakeUp(loop);
    CFRunLoopStop(loop);
    LogCurrentMode(loop);
    LOG("waiting %d", CFRunLoopIsWaiting(loop));
}
