/// source-signal: when a Source0 counts as signalled.
#include "Scenario.h"

SCENARIO("source-signal", onThreads) {
    part("before, during and after");
    onThread(^{
        __block CFRunLoopSourceRef s;
        s = addSource(A, "s", 0, ^{ say("signalled %d", CFRunLoopSourceIsSignalled(s)); });
        say("signalled %d", CFRunLoopSourceIsSignalled(s));
        CFRunLoopSourceSignal(s);
        CFRunLoopSourceSignal(s);
        say("signalled %d", CFRunLoopSourceIsSignalled(s));
        run(A, 0, false);
        say("signalled %d", CFRunLoopSourceIsSignalled(s));
        run(A, 0, false);
    });
    part("signalled before it is added");
    onThread(^{
        CFRunLoopSourceRef s = source("s", 0, NULL);
        CFRunLoopSourceSignal(s);
        CFRunLoopAddSource(LOOP, s, A);
        run(A, 0, false);
    });
    part("signalled, removed, added again");
    onThread(^{
        CFRunLoopSourceRef s = addSource(A, "s", 0, NULL);
        CFRunLoopSourceSignal(s);
        CFRunLoopRemoveSource(LOOP, s, A);
        run(A, 0, false);
        CFRunLoopAddSource(LOOP, s, A);
        run(A, 0, false);
    });
    part("invalid");
    onThread(^{
        CFRunLoopSourceRef s = addSource(A, "s", 0, NULL);
        CFRunLoopSourceInvalidate(s);
        CFRunLoopSourceSignal(s);
        say("valid %d, signalled %d", CFRunLoopSourceIsValid(s), CFRunLoopSourceIsSignalled(s));
        CFRunLoopSourceRef t = addSource(A, "t", 0, NULL);
        CFRunLoopSourceSignal(t);
        CFRunLoopSourceInvalidate(t);
        say("signalled first: %d", CFRunLoopSourceIsSignalled(t));
        run(A, 0, false);
    });
    part("in two modes: performed once, in the one that runs first");
    onThread(^{
        CFRunLoopSourceRef s = addSource(A, "s", 0, NULL);
        CFRunLoopAddSource(LOOP, s, B);
        CFRunLoopSourceSignal(s);
        run(B, 0, false);
        run(A, 0, false);
    });
    part("in two loops: performed by the one that comes first");
    onThread(^{
        CFRunLoopSourceRef s = addSource(A, "s", 0, NULL);
        onThread(^{
            CFRunLoopAddSource(LOOP, s, A);
            say("contained %d", CFRunLoopContainsSource(LOOP, s, A));
            CFRunLoopSourceSignal(s);
            run(A, 0, false);
        });
        say("still contained %d, valid %d", CFRunLoopContainsSource(LOOP, s, A), CFRunLoopSourceIsValid(s));
        run(A, 0, false);
        CFRunLoopSourceSignal(s);
        run(A, 0, false);
    });
    part("a signal to a version 1 source");
    onThread(^{
        CFRunLoopSourceRef p = addPort(A, "p", 0, NULL);
        CFRunLoopSourceSignal(p);
        say("signalled %d", CFRunLoopSourceIsSignalled(p));
        run(A, 0, false);
    });
    part("signalled from another thread, which wakes the loop");
    onThread(^{
        __block CFRunLoopSourceRef s;
        s = addSource(A, "s", 0, ^{ CFRunLoopStop(LOOP); });
        CFRunLoopRef loop = LOOP;
        Body body = (Body)_Block_copy((const void *)^{
            while (!CFRunLoopIsWaiting(loop)) usleep(1000);
            CFRunLoopSourceSignal(s);
            CFRunLoopWakeUp(loop);
        });
        pthread_t thread = startThread(body);
        watch(A);
        run(A, 10, false);
        pthread_join(thread, NULL);
    });
}
