/// blocks: CFRunLoopPerformBlock: order, modes, and at which steps of a pass blocks run.
#include "Scenario.h"

SCENARIO("blocks", onThreads) {
    part("order");
    onThread(^{
        addSource(A, "s", 0, NULL);
        perform(A, "1", NULL);
        perform(B, "not in A", NULL);
        perform(A, "2", NULL);
        perform(A, "3", NULL);
        run(A, 0, false);
        part("not again");
        run(A, 0, false);
        part("B");
        run(B, 0, false);
    });
    part("a block that queues a block: it waits for the next point");
    onThread(^{
        addSource(A, "s", 0, NULL);
        watch(A);
        perform(A, "outer", ^{ perform(A, "inner", ^{ perform(A, "innermost", NULL); }); });
        run(A, 0, false);
        run(A, 0, false);
        run(A, 0, false);
    });
    part("steps");
    onThread(^{
        watch(A);
        CFRunLoopSourceRef s = addSource(A, "s", 0, ^{ perform(A, "queued by s", NULL); });
        addObserver(A, "o", kCFRunLoopAllActivities, 0, ^(CFRunLoopActivity activity) {
            perform(A, activityName(activity), NULL);
        });
        CFRunLoopSourceSignal(s);
        run(A, 0.05, false);
        part("next run");
        run(A, 0, false);
    });
    part("after a port and after a timer");
    onThread(^{
        watch(A);
        poke(addPort(A, "p", 0, ^{ perform(A, "queued by p", NULL); }));
        run(A, 0.05, true);
        addTimer(A, "t", -1, 0, ^{ perform(A, "queued by t", NULL); });
        run(A, 0.05, true);
    });
    part("a block queued while awake does not wake the loop");
    onThread(^{
        addSource(A, "s", 0, NULL);
        watch(A);
        addObserver(A, "o", kCFRunLoopBeforeWaiting, 0, ^(CFRunLoopActivity activity) { perform(A, "late", NULL); });
        run(A, 0.05, false);
    });
    part("common modes");
    onThread(^{
        addSource(A, "s", 0, NULL);
        addSource(B, "s", 0, NULL);
        CFRunLoopAddCommonMode(LOOP, B);
        perform(COMMON, "common", NULL);
        part("in A");
        run(A, 0, false);
        part("in B");
        run(B, 0, false);
        part("A made common after the block was queued");
        perform(COMMON, "common", NULL);
        CFRunLoopAddCommonMode(LOOP, A);
        run(A, 0, false);
    });
    part("the mode becomes common in a block: blocks passed over before wait for the next time");
    onThread(^{
        addSource(A, "s", 0, NULL);
        perform(COMMON, "common, queued before", NULL);
        perform(A, "a", ^{ CFRunLoopAddCommonMode(LOOP, A); });
        perform(COMMON, "common, queued after", NULL);
        run(A, 0, false);
        run(A, 0, false);
    });
    part("several modes");
    onThread(^{
        const void *names[] = {A, B};
        CFArrayRef array = CFArrayCreate(NULL, names, 2, &kCFTypeArrayCallBacks);
        CFSetRef set = CFSetCreate(NULL, names, 2, &kCFTypeSetCallBacks);
        perform(array, "by array", NULL);
        perform(set, "by set", NULL);
        sayModes(LOOP);
        addSource(B, "s", 0, NULL);
        run(B, 0, false);
        addSource(A, "s", 0, NULL);
        run(A, 0, false);
        part("an array with the common modes");
        const void *mixed[] = {COMMON, A};
        perform(CFArrayCreate(NULL, mixed, 2, &kCFTypeArrayCallBacks), "by mixed array", NULL);
        addSource(DEFAULT, "s", 0, NULL);
        run(B, 0, false);
        run(DEFAULT, 0, false);
        run(A, 0, false);
    });
    part("no modes");
    onThread(^{
        addSource(A, "s", 0, NULL);
        perform(CFArrayCreate(NULL, NULL, 0, &kCFTypeArrayCallBacks), "by empty array", NULL);
        perform(CFSetCreate(NULL, NULL, 0, &kCFTypeSetCallBacks), "by empty set", NULL);
        run(A, 0, false);
        sayModes(LOOP);
        part("bytes as mode");
        perform(CFDataCreate(NULL, NULL, 0), "by bytes", NULL);
        run(A, 0, false);
        part("NULL as block");
        CFRunLoopPerformBlock(LOOP, A, NULL);
        run(A, 0, false);
        sayModes(LOOP);
        part("an empty mode with a block is not empty");
        perform(CFSTR("D"), "only", NULL);
        run(CFSTR("D"), 0, false);
        run(CFSTR("D"), 0, false);
    });
    part("a block is released though it never ran");
    onThread(^{
        perform(A, "never", NULL);
        sayModes(LOOP);
    });
}
