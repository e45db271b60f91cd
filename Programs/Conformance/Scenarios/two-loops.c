/// two-loops: an item that two loops want. A source may be in both; a timer or an observer belongs to one, until that has let it go.
#include "../Scenario.h"

SCENARIO(two_loops, onThreads, 0xbc1da3be) {
    PART("a source is performed by the loop that comes first");
    OnNewThread(^{
        CFRunLoopSourceRef s = AddSource0("s", 0, A, NULL);
        OnNewThread(^{
            CFRunLoopAddSource(LOOP, s, A);
            CFRunLoopSourceSignal(s);
            Run(A, 0, false);
        });
        LOG("still contained %d, valid %d", CFRunLoopContainsSource(LOOP, s, A), CFRunLoopSourceIsValid(s));
        Run(A, 0, false);
        CFRunLoopSourceSignal(s);
        Run(A, 0, false);
    });
    PART("in the common modes of the second one");
    OnNewThread(^{
        CFRunLoopSourceRef shared = MakeLoudSource0("shared", NULL);
        CFRunLoopAddSource(LOOP, shared, DEFAULT);
        OnNewThread(^{
            CFRunLoopAddSource(LOOP, shared, COMMON);
            LOG("here %d", CFRunLoopContainsSource(LOOP, shared, COMMON));
            PART("thread ends");
        });
        CFRunLoopSourceInvalidate(shared);
        CFRelease(shared);
    });
    PART("a timer and an observer, which the first loop lets go");
    OnNewThread(^{
        CFRunLoopTimerRef t = AddTimer("t", -10, 3600, A, NULL);
        CFRunLoopObserverRef o = AddObserver("o", kCFRunLoopEntry, 0, A, NULL);
        CFRunLoopAddTimer(LOOP, t, COMMON);
        CFRunLoopAddObserver(LOOP, o, COMMON);
        for (int i = 0; i < 3; i++) {
            OnNewThread(^{
                AddSource0("s", 0, A, NULL);
                CFRunLoopAddTimer(LOOP, t, A);
                CFRunLoopAddObserver(LOOP, o, A);
                LOG("contained %d %d", CFRunLoopContainsTimer(LOOP, t, A), CFRunLoopContainsObserver(LOOP, o, A));
                Run(A, 0, false);
            });
            CFRunLoopRemoveTimer(LOOP, t, i ? COMMON : A);
            CFRunLoopRemoveObserver(LOOP, o, i ? COMMON : A);
        }
        LOG("valid after its loop has ended: %d %d", CFRunLoopTimerIsValid(t), CFRunLoopObserverIsValid(o));
    });
}
