/// ports: version 1 sources: what wakes them and how their pass goes. Each test makes one port ready at a time.
#include "Scenario.h"

SCENARIO("ports", onThreads) {
    part("ready before it is added");
    onThread(^{
        CFRunLoopSourceRef p = portSource("p", 0, NULL);
        poke(p);
        CFRunLoopAddSource(LOOP, p, A);
        run(A, 0.1, true);
        run(A, 0.05, true);
    });
    part("ready again in its own callback");
    onThread(^{
        __block int times = 0;
        __block CFRunLoopSourceRef p;
        p = addPort(A, "p", 0, ^{ if (times++ < 2) poke(p); });
        watch(A);
        poke(p);
        run(A, 0.05, false);
    });
    part("made ready by a Source0, by a timer, by a block");
    onThread(^{
        CFRunLoopSourceRef p = addPort(A, "p", 0, NULL);
        watch(A);
        CFRunLoopSourceSignal(addSource(A, "s", 0, ^{ poke(p); }));
        run(A, 0.05, false);
        addTimer(A, "t", -1, 0, ^{ poke(p); });
        run(A, 0.05, false);
        perform(A, "b", ^{ poke(p); });
        run(A, 0.05, false);
    });
    part("in two modes, and removed from one");
    onThread(^{
        CFRunLoopSourceRef p = addPort(A, "p", 0, NULL);
        CFRunLoopAddSource(LOOP, p, B);
        poke(p);
        run(B, 0, true);
        run(A, 0, true);
        CFRunLoopRemoveSource(LOOP, p, B);
        poke(p);
        run(B, 0, true);
        run(A, 0, true);
    });
    part("not served in another mode, kept until its own runs");
    onThread(^{
        CFRunLoopSourceRef p = addPort(A, "p", 0, NULL);
        addSource(B, "s", 0, NULL);
        poke(p);
        run(B, 0.05, false);
        run(A, 0.05, true);
    });
    part("invalidated while ready");
    onThread(^{
        CFRunLoopSourceRef p = addPort(A, "p", 0, NULL);
        addSource(A, "s", 0, NULL);
        poke(p);
        CFRunLoopSourceInvalidate(p);
        run(A, 0.05, false);
        say("valid %d", CFRunLoopSourceIsValid(p));
    });
    part("a run of two: the second source is still there");
    onThread(^{
        CFRunLoopSourceRef p = addPort(A, "p", 0, NULL), s = addSource(A, "s", 0, NULL);
        poke(p);
        CFRunLoopSourceSignal(s);
        run(A, 0, true);
        run(A, 0, true);
    });
    part("poked by another thread");
    onThread(^{
        CFRunLoopSourceRef p = addPort(A, "p", 0, NULL);
        CFRunLoopRef loop = LOOP;
        watch(A);
        pthread_t thread = startThread(^{
            while (!CFRunLoopIsWaiting(loop)) usleep(1000);
            poke(p);
        });
        run(A, 10, true);
        pthread_join(thread, NULL);
    });
}
