/// stop: CFRunLoopStop in every kind of callback and before a run, and its later effects.
#include "Scenario.h"

static void stopFromObserver(CFRunLoopActivity where) {
    part(activityName(where));
    onThread(^{
        CFRunLoopSourceRef s = addSource(A, "s", 0, NULL);
        watch(A);
        __block int times = 0;
        addObserver(A, "stopping at", where, 0, ^(CFRunLoopActivity activity) {
            if (times++ == 0) CFRunLoopStop(LOOP);
        });
        if (where == kCFRunLoopAfterWaiting) poke(addPort(A, "p", 0, NULL));
        else CFRunLoopSourceSignal(s);
        run(A, 0.2, false);
        part("next run");
        run(A, 0.1, false);
    });
}

SCENARIO("stop", onThreads) {
    stopFromObserver(kCFRunLoopEntry);
    stopFromObserver(kCFRunLoopBeforeTimers);
    stopFromObserver(kCFRunLoopBeforeSources);
    stopFromObserver(kCFRunLoopBeforeWaiting);
    stopFromObserver(kCFRunLoopAfterWaiting);
    stopFromObserver(kCFRunLoopExit);
    part("the wake-up of a stop at Entry ends the next wait");
    onThread(^{
        addSource(A, "s", 0, NULL);
        watch(A);
        CFRunLoopObserverRef stopping = addObserver(A, "stopping", kCFRunLoopEntry, 0, ^(CFRunLoopActivity activity) { CFRunLoopStop(LOOP); });
        run(A, 0.1, false);
        CFRunLoopObserverInvalidate(stopping);
        run(A, 0.1, false);
    });
    part("before the run");
    onThread(^{
        addSource(A, "s", 0, NULL);
        watch(A);
        CFRunLoopStop(LOOP);
        run(A, 0.1, false);
    });
    part("from a source");
    onThread(^{
        CFRunLoopSourceRef s = addSource(A, "s", 0, ^{ CFRunLoopStop(LOOP); });
        watch(A);
        CFRunLoopSourceSignal(s);
        run(A, 5, false);
        part("with a limit of 0");
        CFRunLoopSourceSignal(s);
        run(A, 0, false);
        part("after one source");
        CFRunLoopSourceSignal(s);
        run(A, 5, true);
        part("nothing is left of it");
        run(A, 0.05, false);
    });
    part("from a port");
    onThread(^{
        poke(addPort(A, "p", 0, ^{ CFRunLoopStop(LOOP); }));
        watch(A);
        run(A, 5, false);
    });
    part("from a timer");
    onThread(^{
        addTimer(A, "t", -1, 3600, ^{ CFRunLoopStop(LOOP); });
        watch(A);
        run(A, 5, false);
    });
    part("from a block");
    onThread(^{
        addSource(A, "s", 0, NULL);
        watch(A);
        perform(A, "b", ^{ CFRunLoopStop(LOOP); });
        run(A, 5, false);
        part("next run");
        run(A, 0.05, false);
    });
    part("a stop in a nested run ends that one only");
    onThread(^{
        CFRunLoopSourceRef inner = addSource(B, "inner", 0, ^{ CFRunLoopStop(LOOP); });
        CFRunLoopSourceRef outer = addSource(A, "outer", 0, ^{
            CFRunLoopSourceSignal(inner);
            run(B, 5, false);
        });
        watch(A);
        CFRunLoopSourceSignal(outer);
        run(A, 0.1, false);
        part("a stop before the nested run is the outer run's");
        CFRunLoopRemoveSource(LOOP, outer, A);
        CFRunLoopSourceRef stopper = addSource(A, "stopper", 0, ^{
            CFRunLoopStop(LOOP);
            CFRunLoopSourceSignal(inner);
            run(B, 0.1, true);
        });
        CFRunLoopSourceSignal(stopper);
        run(A, 5, false);
    });
}
