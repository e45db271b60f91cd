/// nested-limits: the limits of nested runs. The outer limit never passes while an inner run sleeps. [D33]
#include "Scenario.h"

SCENARIO("nested-limits", onThreads) {
    part("a limited run inside an unlimited one");
    onThread(^{
        watch(A);
        watch(B);
        addSource(B, "s", 0, NULL);
        addTimer(A, "t", -1, 0, ^{
            run(B, 0.05, false);
            CFRunLoopStop(LOOP);
        });
        run(A, 1e10, false);
    });
    part("an unlimited one inside a limited one");
    onThread(^{
        addTimer(B, "stop", 0.05, 0, ^{ CFRunLoopStop(LOOP); });
        addSource(A, "s", 0, NULL);
        addTimer(A, "t", -1, 0, ^{ run(B, 1e10, false); });
        run(A, 0.3, false);
    });
    part("the outer limit has passed when the inner run ends");
    onThread(^{
        watch(A);
        addSource(A, "s", 0, NULL);
        addTimer(A, "t", -1, 0, ^{ usleep(150000); });
        run(A, 0.05, false);
    });
    part("a callback that takes longer than the limit; the source counts first");
    onThread(^{
        CFRunLoopSourceRef s = addSource(A, "s", 0, ^{ usleep(100000); });
        CFRunLoopSourceSignal(s);
        run(A, 0.02, true);
        CFRunLoopSourceSignal(s);
        run(A, 0.02, false);
    });
    part("past the limit and stopped: the limit counts first");
    onThread(^{
        CFRunLoopSourceRef s = addSource(A, "s", 0, ^{
            usleep(100000);
            CFRunLoopStop(LOOP);
        });
        CFRunLoopSourceSignal(s);
        run(A, 0.02, false);
    });
    part("past the limit and empty: the limit counts first");
    onThread(^{
        __block CFRunLoopSourceRef s;
        s = addSource(A, "s", 0, ^{
            usleep(100000);
            CFRunLoopSourceInvalidate(s);
        });
        CFRunLoopSourceSignal(s);
        run(A, 0.02, false);
    });
}
