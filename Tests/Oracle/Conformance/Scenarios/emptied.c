/// emptied: a mode that loses its last item during a run. A run checks for an empty mode before its first pass and at the end of a pass.
#include "Scenario.h"

static void emptyAt(CFRunLoopActivity where) {
    part(activityName(where));
    onThread(^{
        CFRunLoopSourceRef s = addSource(A, "s", 0, NULL);
        watch(A);
        addObserver(A, "emptying at", where, 0, ^(CFRunLoopActivity activity) { CFRunLoopRemoveSource(LOOP, s, A); });
        run(A, 0.1, false);
        run(A, 0.1, false);
    });
}

SCENARIO("emptied", onThreads) {
    const CFRunLoopActivity all[] = {kCFRunLoopEntry, kCFRunLoopBeforeTimers, kCFRunLoopBeforeSources, kCFRunLoopBeforeWaiting,
                                     kCFRunLoopAfterWaiting, kCFRunLoopExit};
    for (int i = 0; i < 6; i++) emptyAt(all[i]);
    part("by a block");
    onThread(^{
        CFRunLoopSourceRef s = addSource(A, "s", 0, NULL);
        watch(A);
        perform(A, "b", ^{ CFRunLoopSourceInvalidate(s); });
        run(A, 0.1, false);
    });
    part("by a port");
    onThread(^{
        __block CFRunLoopSourceRef p;
        p = addPort(A, "p", 0, ^{ CFRunLoopSourceInvalidate(p); });
        watch(A);
        poke(p);
        run(A, 5, false);
    });
    part("by a timer that was the last");
    onThread(^{
        addTimer(A, "t", -1, 0, NULL);
        watch(A);
        run(A, 5, false);
    });
    part("with a block left, which is performed first");
    onThread(^{
        addTimer(A, "t", -1, 0, ^{ perform(A, "b", NULL); });
        watch(A);
        run(A, 5, false);
    });
    part("emptied and filled again in one callback");
    onThread(^{
        __block CFRunLoopSourceRef s;
        s = addSource(A, "s", 0, ^{
            CFRunLoopSourceInvalidate(s);
            addTimer(A, "t", -1, 0, NULL);
        });
        CFRunLoopSourceSignal(s);
        run(A, 5, false);
    });
    part("emptied by a nested run");
    onThread(^{
        CFRunLoopSourceRef s = addSource(A, "s", 0, NULL);
        CFRunLoopSourceRef inB = addSource(B, "inB", 0, ^{ CFRunLoopSourceInvalidate(s); });
        addTimer(A, "t", -1, 0, ^{
            CFRunLoopSourceSignal(inB);
            run(B, 0, false);
        });
        run(A, 5, false);
    });
    part("stopped and emptied: stopped comes first");
    onThread(^{
        addTimer(A, "t", -1, 0, ^{ CFRunLoopStop(LOOP); });
        run(A, 5, false);
    });
}
