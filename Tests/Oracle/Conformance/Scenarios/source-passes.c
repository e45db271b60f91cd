/// source-passes: what a Source0 may do to the others of its pass.
#include "Scenario.h"

SCENARIO("source-passes", onThreads) {
    part("removes a later one: it is called all the same");
    onThread(^{
        __block CFRunLoopSourceRef later = NULL;
        CFRunLoopSourceRef first = addSource(A, "first", 0, ^{ CFRunLoopRemoveSource(LOOP, later, A); });
        later = addSource(A, "later", 1, NULL);
        CFRunLoopSourceSignal(first);
        CFRunLoopSourceSignal(later);
        run(A, 0, false);
        say("contained %d", CFRunLoopContainsSource(LOOP, later, A));
    });
    part("invalidates a later one: it is not");
    onThread(^{
        __block CFRunLoopSourceRef later = NULL;
        CFRunLoopSourceRef first = addSource(A, "first", 0, ^{ CFRunLoopSourceInvalidate(later); });
        later = addSource(A, "later", 1, NULL);
        CFRunLoopSourceSignal(first);
        CFRunLoopSourceSignal(later);
        run(A, 0, false);
        say("valid %d", CFRunLoopSourceIsValid(later));
    });
    part("adds a signalled one: in the next pass");
    onThread(^{
        watch(A);
        CFRunLoopSourceRef first = addSource(A, "first", 0, ^{
            CFRunLoopSourceSignal(addSource(A, "added", 5, NULL));
        });
        CFRunLoopSourceSignal(first);
        run(A, 0.05, false);
    });
    part("signals a later and an earlier one, alone in its pass");
    onThread(^{
        watch(A);
        CFRunLoopSourceRef earlier = addSource(A, "earlier", -1, NULL), later = addSource(A, "later", 1, NULL);
        CFRunLoopSourceRef s = addSource(A, "s", 0, ^{
            CFRunLoopSourceSignal(later);
            CFRunLoopSourceSignal(earlier);
        });
        CFRunLoopSourceSignal(s);
        run(A, 0.05, false);
    });
    part("removes itself and adds itself again, signalled");
    onThread(^{
        __block int times = 0;
        __block CFRunLoopSourceRef s;
        s = addSource(A, "s", 0, ^{
            CFRunLoopRemoveSource(LOOP, s, A);
            CFRunLoopAddSource(LOOP, s, A);
            if (times++ == 0) CFRunLoopSourceSignal(s);
        });
        CFRunLoopSourceSignal(s);
        run(A, 0.05, false);
    });
    part("stops: the rest of the pass is still called");
    onThread(^{
        CFRunLoopSourceRef first = addSource(A, "first", 0, ^{ CFRunLoopStop(LOOP); });
        CFRunLoopSourceRef later = addSource(A, "later", 1, NULL);
        CFRunLoopSourceSignal(first);
        CFRunLoopSourceSignal(later);
        run(A, 5, false);
    });
    part("no perform callback");
    onThread(^{
        CFRunLoopSourceContext context = {.version = 0};
        CFRunLoopSourceRef s = CFRunLoopSourceCreate(NULL, 0, &context);
        CFRunLoopAddSource(LOOP, s, A);
        CFRunLoopSourceSignal(s);
        run(A, 0, true);
        say("signalled %d", CFRunLoopSourceIsSignalled(s));
    });
}
