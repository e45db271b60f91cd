/// source-order: the order in which signalled Source0s are performed, and which stay signalled if a run is to handle only one.
#include "Scenario.h"

SCENARIO("source-order", onThreads) {
    part("by order");
    onThread(^{
        CFRunLoopSourceRef s5 = addSource(A, "order 5", 5, NULL), s0 = addSource(A, "order 0", 0, NULL), sm = addSource(A, "order -5", -5, NULL);
        say("%ld %ld %ld", (long)CFRunLoopSourceGetOrder(s5), (long)CFRunLoopSourceGetOrder(s0), (long)CFRunLoopSourceGetOrder(sm));
        CFRunLoopSourceSignal(s5);
        CFRunLoopSourceSignal(s0);
        CFRunLoopSourceSignal(sm);
        run(A, 0, false);
    });
    part("one source a run: which one, and the rest later");
    onThread(^{
        CFRunLoopSourceRef s[3] = {addSource(A, "1", 1, NULL), addSource(A, "2", 2, NULL), addSource(A, "3", 3, NULL)};
        for (int i = 2; i >= 0; i--) CFRunLoopSourceSignal(s[i]);
        for (int i = 0; i < 4; i++) {
            run(A, 0, true);
            say("signalled %d %d %d", CFRunLoopSourceIsSignalled(s[0]), CFRunLoopSourceIsSignalled(s[1]), CFRunLoopSourceIsSignalled(s[2]));
        }
    });
    part("the lowest order first, though it is signalled again each time");
    onThread(^{
        __block int times = 0;
        __block CFRunLoopSourceRef busy = addSource(A, "busy", -1, ^{ if (times++ < 3) CFRunLoopSourceSignal(busy); });
        CFRunLoopSourceRef waiting = addSource(A, "waiting", 1, NULL);
        CFRunLoopSourceSignal(busy);
        CFRunLoopSourceSignal(waiting);
        for (int i = 0; i < 5; i++) run(A, 0, true);
    });
    part("equal orders: by the time of the signal");
    onThread(^{
        CFRunLoopSourceRef s[4];
        const char *names[] = {"0", "1", "2", "3"};
        for (int i = 0; i < 4; i++) s[i] = addSource(A, names[i], 0, NULL);
        const int order[] = {2, 0, 3, 1};
        for (int i = 0; i < 4; i++) usleep(3000), CFRunLoopSourceSignal(s[order[i]]);
        run(A, 0, false);
        part("signalled twice: the first signal counts");
        for (int i = 0; i < 4; i++) usleep(3000), CFRunLoopSourceSignal(s[order[i]]);
        usleep(3000);
        CFRunLoopSourceSignal(s[2]);
        run(A, 0, false);
        part("a run that handles one only, equal orders");
        for (int i = 0; i < 4; i++) usleep(3000), CFRunLoopSourceSignal(s[order[i]]);
        for (int i = 0; i < 5; i++) run(A, 0, true);
    });
    part("orders at the ends of the range");
    onThread(^{
        CFRunLoopSourceRef last = addSource(A, "last", LONG_MAX, NULL), first = addSource(A, "first", LONG_MIN, NULL), middle = addSource(A, "middle", 0, NULL);
        CFRunLoopSourceSignal(last);
        CFRunLoopSourceSignal(middle);
        CFRunLoopSourceSignal(first);
        run(A, 0, false);
    });
}
