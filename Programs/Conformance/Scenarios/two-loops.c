/// two-loops: an item that two loops want. A source may be in both; a timer or an observer belongs to one, until that has let it go.
#include "Scenario.h"

SCENARIO("two-loops", onThreads) {
    part("a source is performed by the loop that comes first");
    onThread(^{
        CFRunLoopSourceRef s = addSource(A, "s", 0, NULL);
        onThread(^{
            CFRunLoopAddSource(LOOP, s, A);
            CFRunLoopSourceSignal(s);
            run(A, 0, false);
        });
        say("still contained %d, valid %d", CFRunLoopContainsSource(LOOP, s, A), CFRunLoopSourceIsValid(s));
        run(A, 0, false);
        CFRunLoopSourceSignal(s);
        run(A, 0, false);
    });
    part("in the common modes of the second one");
    onThread(^{
        CFRunLoopSourceRef shared = loudSource("shared", NULL);
        CFRunLoopAddSource(LOOP, shared, DEFAULT);
        onThread(^{
            CFRunLoopAddSource(LOOP, shared, COMMON);
            say("here %d", CFRunLoopContainsSource(LOOP, shared, COMMON));
            part("thread ends");
        });
        CFRunLoopSourceInvalidate(shared);
        CFRelease(shared);
    });
    part("a timer and an observer, which the first loop lets go");
    onThread(^{
        CFRunLoopTimerRef t = addTimer(A, "t", -10, 3600, NULL);
        CFRunLoopObserverRef o = addObserver(A, "o", kCFRunLoopEntry, 0, NULL);
        for (int i = 0; i < 2; i++) {
            onThread(^{
                addSource(A, "s", 0, NULL);
                CFRunLoopAddTimer(LOOP, t, A);
                CFRunLoopAddObserver(LOOP, o, A);
                say("contained %d %d", CFRunLoopContainsTimer(LOOP, t, A), CFRunLoopContainsObserver(LOOP, o, A));
                run(A, 0, false);
            });
            CFRunLoopRemoveTimer(LOOP, t, A);
            CFRunLoopRemoveObserver(LOOP, o, A);
        }
        say("valid after its loop has ended: %d %d", CFRunLoopTimerIsValid(t), CFRunLoopObserverIsValid(o));
    });
}
