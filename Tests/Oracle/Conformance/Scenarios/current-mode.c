/// current-mode: the result of CFRunLoopCopyCurrentMode outside a run, inside, in a nested run, after it, and in Exit observers.
#include "Scenario.h"

SCENARIO("current-mode", onThreads) {
    onThread(^{
        CFRunLoopRef loop = LOOP;
        sayCurrentMode(loop);
        addObserver(A, "oA", kCFRunLoopAllActivities, 0, ^(CFRunLoopActivity activity) { sayCurrentMode(loop); });
        addObserver(B, "oB", kCFRunLoopAllActivities, 0, ^(CFRunLoopActivity activity) { sayCurrentMode(loop); });
        addSource(B, "keeps B from being empty", 0, NULL);
        CFRunLoopSourceRef s = addSource(A, "s", 0, ^{
            sayCurrentMode(loop);
            run(B, 0, false);
            sayCurrentMode(loop);
            run(C, 0, false);
            sayCurrentMode(loop);
        });
        CFRunLoopSourceSignal(s);
        run(A, 0, false);
        sayCurrentMode(loop);
        say("waiting %d", CFRunLoopIsWaiting(loop));
    });
}
