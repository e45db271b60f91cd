/// wakeup: CFRunLoopWakeUp before a run and in every kind of callback: which calls cause an extra pass.
#include "Scenario.h"

static void wakeFromObserver(CFRunLoopActivity where) {
    part(activityName(where));
    onThread(^{
        addSource(A, "s", 0, NULL);
        watch(A);
        __block int times = 0;
        addObserver(A, "waking at", where, 0, ^(CFRunLoopActivity activity) {
            if (times++ == 0) CFRunLoopWakeUp(LOOP);
        });
        run(A, 0.1, false);
        part("next run");
        run(A, 0.1, false);
    });
}

/// An observer signals the source once.
static void postFromObserver(CFRunLoopActivity where, int wake) {
    part(activityName(where));
    onThread(^{
        CFRunLoopSourceRef s = addSource(A, "s", 0, NULL);
        watch(A);
        __block int times = 0;
        addObserver(A, wake ? "posting at" : "signalling at", where, 0, ^(CFRunLoopActivity activity) {
            if (times++) return;
            CFRunLoopSourceSignal(s);
            if (wake) CFRunLoopWakeUp(LOOP);
        });
        run(A, 0.1, false);
        part("next run");
        run(A, 0.1, false);
    });
}

SCENARIO("wakeup", onThreads) {
    const CFRunLoopActivity all[] = {kCFRunLoopEntry, kCFRunLoopBeforeTimers, kCFRunLoopBeforeSources, kCFRunLoopBeforeWaiting,
                                     kCFRunLoopAfterWaiting, kCFRunLoopExit};
    for (int i = 0; i < 6; i++) wakeFromObserver(all[i]);
    for (int i = 0; i < 6; i++) postFromObserver(all[i], 1);
    for (int i = 0; i < 6; i++) postFromObserver(all[i], 0);
    part("before the run");
    onThread(^{
        addSource(A, "s", 0, NULL);
        watch(A);
        CFRunLoopWakeUp(LOOP);
        CFRunLoopWakeUp(LOOP);
        run(A, 0.1, false);
        part("a run with a limit of 0 leaves the wake-up or takes it");
        CFRunLoopWakeUp(LOOP);
        run(A, 0, false);
        run(A, 0.1, false);
    });
    part("from a source");
    onThread(^{
        CFRunLoopSourceRef s = addSource(A, "s", 0, ^{ CFRunLoopWakeUp(LOOP); });
        watch(A);
        CFRunLoopSourceSignal(s);
        run(A, 0.1, false);
    });
    part("from a port");
    onThread(^{
        poke(addPort(A, "p", 0, ^{ CFRunLoopWakeUp(LOOP); }));
        watch(A);
        run(A, 0.1, false);
    });
    part("from a timer");
    onThread(^{
        addTimer(A, "t", -1, 3600, ^{ CFRunLoopWakeUp(LOOP); });
        watch(A);
        run(A, 0.1, false);
    });
    part("from a block before sources");
    onThread(^{
        addSource(A, "s", 0, NULL);
        watch(A);
        perform(A, "b", ^{ CFRunLoopWakeUp(LOOP); });
        run(A, 0.1, false);
    });
    part("from a block after a port");
    onThread(^{
        poke(addPort(A, "p", 0, ^{ perform(A, "b", ^{ CFRunLoopWakeUp(LOOP); }); }));
        watch(A);
        run(A, 0.1, false);
    });
    part("a source signals itself without waking");
    onThread(^{
        __block int times = 0;
        __block CFRunLoopSourceRef s = addSource(A, "s", 0, ^{ if (times++ < 3) CFRunLoopSourceSignal(s); });
        watch(A);
        CFRunLoopSourceSignal(s);
        run(A, 0.1, false);
    });
    part("a port's callback signals a source without waking");
    onThread(^{
        CFRunLoopSourceRef s = addSource(A, "s", 0, NULL);
        poke(addPort(A, "p", 0, ^{ CFRunLoopSourceSignal(s); }));
        watch(A);
        run(A, 0.1, false);
    });
}
