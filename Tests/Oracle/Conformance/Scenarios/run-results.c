/// run-results: the result of a run and its activities, by mode, by limit, and by what it handled.
#include "Scenario.h"

SCENARIO("run-results", onThreads) {
    onThread(^{
        part("unknown and empty modes");
        run(A, 0, false);
        run(A, 1, true);
        addObserver(A, "alone", kCFRunLoopAllActivities, 0, NULL);
        run(A, 1, false);
        part("limits");
        CFRunLoopSourceRef s = addSource(B, "s", 0, NULL);
        watch(B);
        run(B, 0, false);
        run(B, -1, false);
        run(B, 0.05, false);
        part("one source");
        CFRunLoopSourceSignal(s);
        run(B, 0, true);
        CFRunLoopSourceSignal(s);
        run(B, 5, true);
        CFRunLoopSourceSignal(s);
        run(B, 0, false);
        CFRunLoopSourceSignal(s);
        run(B, 0.05, false);
        part("one port");
        CFRunLoopSourceRef p = addPort(B, "p", 0, NULL);
        poke(p);
        run(B, 0, true);
        poke(p);
        run(B, 5, true);
        poke(p);
        run(B, 0, false);
        poke(p);
        run(B, 0.05, false);
        part("a timer is no source");
        addTimer(B, "t", -1, 0, NULL);
        run(B, 0.05, true);
        part("with a limit of 0");
        addTimer(B, "t", -1, 0, NULL);
        run(B, 0, true);
        part("a block is no source");
        perform(B, "b", NULL);
        run(B, 0, true);
        perform(B, "b", NULL);
        run(B, 0.05, true);
        part("a block in a mode that is otherwise empty");
        perform(C, "c", NULL);
        watch(C);
        run(C, 0, false);
        perform(C, "c", NULL);
        run(C, 0.05, false);
        part("the last source goes away during the run");
        __block CFRunLoopSourceRef last = addSource(CFSTR("D"), "last", 0, ^{ CFRunLoopRemoveSource(LOOP, last, CFSTR("D")); });
        watch(CFSTR("D"));
        CFRunLoopSourceSignal(last);
        run(CFSTR("D"), 5, false);
        CFRunLoopAddSource(LOOP, last, CFSTR("D"));
        CFRunLoopSourceSignal(last);
        run(CFSTR("D"), 0, false);
        CFRunLoopAddSource(LOOP, last, CFSTR("D"));
        CFRunLoopSourceSignal(last);
        run(CFSTR("D"), 5, true);
    });
}
