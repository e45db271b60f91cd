/// source-order: what orders of Source0s can do. Random programs have the rest: equal orders, and runs that handle only one.
#include "Scenario.h"

SCENARIO("source-order", onThreads) {
    part("the lowest order first, though it is signalled again each time");
    onThread(^{
        __block int times = 0;
        __block CFRunLoopSourceRef busy = addSource(A, "busy", -1, ^{ if (times++ < 3) CFRunLoopSourceSignal(busy); });
        CFRunLoopSourceRef waiting = addSource(A, "waiting", 1, NULL);
        CFRunLoopSourceSignal(busy);
        CFRunLoopSourceSignal(waiting);
        for (int i = 0; i < 5; i++) run(A, 0, true);
    });
    part("orders at the ends of the range");
    onThread(^{
        CFRunLoopSourceRef last = addSource(A, "last", LONG_MAX, NULL), first = addSource(A, "first", LONG_MIN, NULL), middle = addSource(A, "middle", 0, NULL);
        say("%d %d", CFRunLoopSourceGetOrder(last) == LONG_MAX, CFRunLoopSourceGetOrder(first) == LONG_MIN);
        CFRunLoopSourceSignal(last);
        CFRunLoopSourceSignal(middle);
        CFRunLoopSourceSignal(first);
        run(A, 0, false);
    });
}
