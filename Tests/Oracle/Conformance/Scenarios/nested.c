/// nested: runs inside callbacks. A nested run does not call the item whose callback is running, unless it is a Source0.
#include "Scenario.h"

static int runs;

/// Runs `mode` once, however often it is called.
static void runOnce(CFRunLoopMode mode, CFTimeInterval limit) {
    if (runs++ == 0) run(mode, limit, false);
}

SCENARIO("nested", onThreads) {
    part("in a source: the same mode, other sources, and itself signalled again");
    onThread(^{
        runs = 0;
        CFRunLoopSourceRef other = addSource(A, "other", 1, NULL);
        __block CFRunLoopSourceRef self = addSource(A, "self", 0, ^{
            if (runs == 0) CFRunLoopSourceSignal(self), CFRunLoopSourceSignal(other);
            runOnce(A, 0.1);
        });
        CFRunLoopSourceSignal(self);
        run(A, 0.1, false);
    });
    part("in a source, while a later one of the same pass waits its turn");
    onThread(^{
        runs = 0;
        __block CFRunLoopSourceRef first = addSource(A, "first", 0, ^{ runOnce(A, 0); });
        CFRunLoopSourceRef second = addSource(A, "second", 1, NULL);
        CFRunLoopSourceSignal(first);
        CFRunLoopSourceSignal(second);
        run(A, 0, false);
    });
    part("in a timer: the timer itself stands still, another fires");
    onThread(^{
        runs = 0;
        addTimer(A, "outer", -2, 0.05, ^{ if (runs == 0) runOnce(A, 0.3); else CFRunLoopStop(LOOP); });
        addTimer(A, "other", 0.15, 0, NULL);
        run(A, 1, false);
    });
    part("in a timer, another one due in the same pass");
    onThread(^{
        runs = 0;
        addTimer(A, "first", -2, 0, ^{ runOnce(A, 0); });
        addTimer(A, "second", -1, 0, NULL);
        addSource(A, "s", 0, NULL);
        run(A, 0, false);
    });
    part("in an observer: the observer itself is not called, another is");
    onThread(^{
        runs = 0;
        addSource(A, "s", 0, NULL);
        addObserver(A, "before", kCFRunLoopAllActivities, -1, NULL);
        addObserver(A, "running", kCFRunLoopAllActivities, 0, ^(CFRunLoopActivity activity) { runOnce(A, 0); });
        addObserver(A, "after", kCFRunLoopAllActivities, 1, NULL);
        run(A, 0, false);
    });
    part("in an Exit observer");
    onThread(^{
        runs = 0;
        addSource(A, "s", 0, NULL);
        watch(A);
        addObserver(A, "running", kCFRunLoopExit, 0, ^(CFRunLoopActivity activity) { runOnce(A, 0); });
        run(A, 0, false);
    });
    part("in an AfterWaiting observer, when a timer has ended the wait: the timer belongs to the outer run");
    onThread(^{
        runs = 0;
        addSource(A, "s", 0, NULL);
        addObserver(A, "o", kCFRunLoopAfterWaiting, 0, ^(CFRunLoopActivity activity) { runOnce(A, 0); });
        addTimer(A, "t", -1, 0, NULL);
        run(A, 0.1, false);
    });
    part("in a port's callback, the port ready again");
    onThread(^{
        runs = 0;
        __block CFRunLoopSourceRef p = addPort(A, "p", 0, ^{
            if (runs == 0) poke(p);
            runOnce(A, 0.05);
        });
        poke(p);
        run(A, 0.1, false);
    });
    part("in a block: the blocks behind it");
    onThread(^{
        runs = 0;
        addSource(A, "s", 0, NULL);
        perform(A, "1", NULL);
        perform(A, "2", ^{
            perform(A, "2a", NULL);
            runOnce(A, 0);
        });
        perform(A, "3", NULL);
        run(A, 0, false);
        run(A, 0, false);
    });
    part("in a block: another mode's blocks, queued before and within");
    onThread(^{
        runs = 0;
        addSource(A, "s", 0, NULL);
        addSource(B, "t", 0, NULL);
        perform(B, "b queued first", NULL);
        perform(A, "a", ^{
            perform(B, "b queued within", NULL);
            runOnce(B, 0);
        });
        perform(B, "b queued last", NULL);
        perform(A, "a last", NULL);
        run(A, 0, false);
        run(B, 0, false);
    });
    part("another mode: its own items only");
    onThread(^{
        runs = 0;
        CFRunLoopSourceRef a = addSource(A, "a", 1, NULL), b = addSource(B, "b", 0, NULL);
        watch(A);
        watch(B);
        addTimer(A, "tA", -1, 0, NULL);
        addTimer(B, "tB", -1, 0, NULL);
        CFRunLoopSourceRef outer = addSource(A, "outer", 0, ^{
            CFRunLoopSourceSignal(a);
            CFRunLoopSourceSignal(b);
            runOnce(B, 0.05);
        });
        CFRunLoopSourceSignal(outer);
        run(A, 0.1, false);
    });
    part("three deep, stopped from the innermost");
    onThread(^{
        CFRunLoopSourceRef c = addSource(C, "c", 0, ^{ CFRunLoopStop(LOOP); });
        CFRunLoopSourceRef b = addSource(B, "b", 0, ^{
            CFRunLoopSourceSignal(c);
            run(C, 5, false);
            CFRunLoopStop(LOOP);
        });
        CFRunLoopSourceRef a = addSource(A, "a", 0, ^{
            CFRunLoopSourceSignal(b);
            run(B, 5, false);
            CFRunLoopStop(LOOP);
        });
        CFRunLoopSourceSignal(a);
        run(A, 5, false);
    });
}
