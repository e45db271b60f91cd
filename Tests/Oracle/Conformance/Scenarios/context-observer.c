/// context-observer: when an observer's context is retained and released.
#include "Scenario.h"

SCENARIO("context-observer", onThreads) {
    onThread(^{
        part("create");
        CFRunLoopObserverRef o = loudObserver("o", kCFRunLoopEntry, true, NULL);
        part("GetContext");
        CFRunLoopObserverContext context = {.version = 0};
        CFRunLoopObserverGetContext(o, &context);
        say("version %ld, info %s", (long)context.version, ((Item *)context.info)->name);
        part("add to A, again, to B");
        CFRunLoopAddObserver(LOOP, o, A);
        CFRunLoopAddObserver(LOOP, o, A);
        CFRunLoopAddObserver(LOOP, o, B);
        part("remove from B");
        CFRunLoopRemoveObserver(LOOP, o, B);
        part("called");
        addSource(A, "keeps A from being empty", 0, NULL);
        run(A, 0, false);
        part("invalidate");
        CFRunLoopObserverInvalidate(o);
        part("invalidate again");
        CFRunLoopObserverInvalidate(o);
        part("GetContext of an invalid observer");
        CFRunLoopObserverGetContext(o, &context);
        say("info kept %d", context.info != NULL);
        part("last release");
        CFRelease(o);
        part("last release of a valid observer");
        CFRelease(loudObserver("p", kCFRunLoopEntry, false, NULL));

        part("an observer called once");
        CFRunLoopObserverRef once = loudObserver("once", kCFRunLoopAllActivities, false, NULL);
        CFRunLoopAddObserver(LOOP, once, A);
        run(A, 0, false);
        say("valid %d", CFRunLoopObserverIsValid(once));
        part("last release");
        CFRelease(once);

        part("left in a mode");
        CFRunLoopObserverRef w = loudObserver("w", kCFRunLoopExit, true, NULL);
        CFRunLoopAddObserver(LOOP, w, A);
        CFRelease(w);
        part("thread ends");
    });
    part("thread has ended");
}
