/// source-order: what orders of Source0s can do. Random programs have the rest: equal orders, and runs that handle only one.
#include "../Scenario.h"

SCENARIO(source_order, onThreads, 0xad5a6443) {
    PART("the lowest order first, though it is signalled again each time");
    OnNewThread(^{
        __block int times = 0;
        __block CFRunLoopSourceRef busy = AddSource0("busy", -1, A, ^{ if (times++ < 3) CFRunLoopSourceSignal(busy); });
        CFRunLoopSourceRef waiting = AddSource0("waiting", 1, A, NULL);
        CFRunLoopSourceSignal(busy);
        CFRunLoopSourceSignal(waiting);
        for (int i = 0; i < 5; i++) Run(A, 0, true);
    });
    PART("orders at the ends of the range");
    OnNewThread(^{
        CFRunLoopSourceRef last = AddSource0("last", LONG_MAX, A, NULL), first = AddSource0("first", LONG_MIN, A, NULL), middle = AddSource0("middle", 0, A, NULL);
        LOG("%d %d", CFRunLoopSourceGetOrder(last) == LONG_MAX, CFRunLoopSourceGetOrder(first) == LONG_MIN);
        CFRunLoopSourceSignal(last);
        CFRunLoopSourceSignal(middle);
        CFRunLoopSourceSignal(first);
        Run(A, 0, false);
    });
}
