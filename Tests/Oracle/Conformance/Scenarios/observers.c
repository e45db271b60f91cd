/// observers: order, observers that do not repeat, and what an observer may do to the others of its notification.
#include "Scenario.h"

SCENARIO("observers", onThreads) {
    part("by order; equal orders by the time of adding");
    onThread(^{
        addSource(A, "s", 0, NULL);
        addObserver(A, "order 5", kCFRunLoopEntry, 5, NULL);
        addObserver(A, "first of order 0", kCFRunLoopEntry, 0, NULL);
        addObserver(A, "order -5", kCFRunLoopEntry, -5, NULL);
        addObserver(A, "second of order 0", kCFRunLoopEntry, 0, NULL);
        addObserver(A, "third of order 0", kCFRunLoopEntry, 0, NULL);
        addObserver(A, "least", kCFRunLoopEntry, LONG_MIN, NULL);
        addObserver(A, "greatest", kCFRunLoopEntry, LONG_MAX, NULL);
        run(A, 0, false);
    });
    part("once only");
    onThread(^{
        addSource(A, "s", 0, NULL);
        __block CFRunLoopObserverRef once;
        once = observer("once", kCFRunLoopBeforeTimers | kCFRunLoopExit, false, 0, ^(CFRunLoopActivity activity) {
            say("valid %d, in A %d", CFRunLoopObserverIsValid(once), CFRunLoopContainsObserver(LOOP, once, A));
        });
        say("repeats %d, activities %lu, order %ld", CFRunLoopObserverDoesRepeat(once), CFRunLoopObserverGetActivities(once), (long)CFRunLoopObserverGetOrder(once));
        CFRunLoopAddObserver(LOOP, once, A);
        run(A, 0, false);
        say("valid %d, in A %d", CFRunLoopObserverIsValid(once), CFRunLoopContainsObserver(LOOP, once, A));
        say("repeats %d, activities %lu", CFRunLoopObserverDoesRepeat(once), CFRunLoopObserverGetActivities(once));
        CFRunLoopAddObserver(LOOP, once, A);
        run(A, 0, false);
    });
    part("no activities");
    onThread(^{
        addSource(A, "s", 0, NULL);
        CFRunLoopObserverRef none = addObserver(A, "none", 0, 0, NULL);
        run(A, 0, false);
        say("activities %lu, contained %d", CFRunLoopObserverGetActivities(none), CFRunLoopContainsObserver(LOOP, none, A));
        CFRunLoopObserverRef all = observer("all", ~0UL, true, 0, NULL);
        say("all bits %lx", CFRunLoopObserverGetActivities(all));
        CFRunLoopObserverRef odd = addObserver(A, "odd", 1UL << 3 | 1UL << 4 | 1UL << 20, 0, NULL);
        run(A, 0, false);
        say("odd bits %lx", CFRunLoopObserverGetActivities(odd));
    });
    part("added during a notification: from the next one on");
    onThread(^{
        addSource(A, "s", 0, NULL);
        __block int times = 0;
        addObserver(A, "adding", kCFRunLoopAllActivities, 0, ^(CFRunLoopActivity activity) {
            if (times++ == 0) addObserver(A, "added", kCFRunLoopAllActivities, 5, NULL);
        });
        run(A, 0, false);
    });
    part("an Entry observer adds the first one for the activities that follow");
    onThread(^{
        addSource(A, "s", 0, NULL);
        addObserver(A, "adding", kCFRunLoopEntry, 0, ^(CFRunLoopActivity activity) {
            addObserver(A, "added", kCFRunLoopBeforeTimers | kCFRunLoopExit, 0, NULL);
        });
        run(A, 0, false);
    });
    part("removed by an earlier one: still called once");
    onThread(^{
        addSource(A, "s", 0, NULL);
        __block CFRunLoopObserverRef later = NULL;
        addObserver(A, "removing", kCFRunLoopAllActivities, 0, ^(CFRunLoopActivity activity) { CFRunLoopRemoveObserver(LOOP, later, A); });
        later = addObserver(A, "later", kCFRunLoopAllActivities, 1, NULL);
        run(A, 0, false);
    });
    part("invalidated by an earlier one: not called");
    onThread(^{
        addSource(A, "s", 0, NULL);
        __block CFRunLoopObserverRef later = NULL;
        addObserver(A, "invalidating", kCFRunLoopAllActivities, 0, ^(CFRunLoopActivity activity) { CFRunLoopObserverInvalidate(later); });
        later = addObserver(A, "later", kCFRunLoopAllActivities, 1, NULL);
        run(A, 0, false);
        say("valid %d", CFRunLoopObserverIsValid(later));
    });
    part("an earlier one removed by a later one");
    onThread(^{
        addSource(A, "s", 0, NULL);
        CFRunLoopObserverRef earlier = addObserver(A, "earlier", kCFRunLoopAllActivities, 0, NULL);
        addObserver(A, "removing", kCFRunLoopAllActivities, 1, ^(CFRunLoopActivity activity) { CFRunLoopRemoveObserver(LOOP, earlier, A); });
        run(A, 0, false);
    });
    part("removes itself, invalidates itself");
    onThread(^{
        addSource(A, "s", 0, NULL);
        __block CFRunLoopObserverRef removed, invalidated;
        removed = addObserver(A, "removes itself", kCFRunLoopAllActivities, 0, ^(CFRunLoopActivity activity) { CFRunLoopRemoveObserver(LOOP, removed, A); });
        invalidated = addObserver(A, "invalidates itself", kCFRunLoopAllActivities, 1, ^(CFRunLoopActivity activity) {
            CFRunLoopObserverInvalidate(invalidated);
        });
        run(A, 0, false);
        say("valid %d %d", CFRunLoopObserverIsValid(removed), CFRunLoopObserverIsValid(invalidated));
    });
    part("in two modes");
    onThread(^{
        addSource(A, "s", 0, NULL);
        addSource(B, "s", 0, NULL);
        CFRunLoopObserverRef o = addObserver(A, "o", kCFRunLoopEntry, 0, NULL);
        CFRunLoopAddObserver(LOOP, o, B);
        run(A, 0, false);
        run(B, 0, false);
        CFRunLoopObserverRef once = observer("once", kCFRunLoopEntry, false, 0, NULL);
        CFRunLoopAddObserver(LOOP, once, A);
        CFRunLoopAddObserver(LOOP, once, B);
        run(B, 0, false);
        say("in A %d, in B %d", CFRunLoopContainsObserver(LOOP, once, A), CFRunLoopContainsObserver(LOOP, once, B));
    });
    part("a second loop does not get it, until the first has let it go");
    onThread(^{
        CFRunLoopObserverRef o = addObserver(A, "o", kCFRunLoopEntry, 0, NULL);
        onThread(^{
            addSource(A, "s", 0, NULL);
            CFRunLoopAddObserver(LOOP, o, A);
            say("contained %d", CFRunLoopContainsObserver(LOOP, o, A));
            run(A, 0, false);
        });
        CFRunLoopRemoveObserver(LOOP, o, A);
        onThread(^{
            addSource(A, "s", 0, NULL);
            CFRunLoopAddObserver(LOOP, o, A);
            say("contained %d", CFRunLoopContainsObserver(LOOP, o, A));
            run(A, 0, false);
        });
        say("valid after its loop has ended %d", CFRunLoopObserverIsValid(o));
    });
    part("handler");
    onThread(^{
        addSource(A, "s", 0, NULL);
        CFRunLoopObserverRef o = CFRunLoopObserverCreateWithHandler(NULL, kCFRunLoopEntry, false, 3,
            ^(CFRunLoopObserverRef observer, CFRunLoopActivity activity) { say("handler %s", activityName(activity)); });
        CFRunLoopObserverContext context = {.version = 0};
        CFRunLoopObserverGetContext(o, &context);
        say("has retain %d, release %d, copyDescription %d, info %d", context.retain != NULL, context.release != NULL,
            context.copyDescription != NULL, context.info != NULL);
        CFRunLoopAddObserver(LOOP, o, A);
        run(A, 0, false);
    });
}
