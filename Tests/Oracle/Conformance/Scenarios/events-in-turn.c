/// events-in-turn: a run that one event after another wakes, each caused by the one before.
#include "Scenario.h"

SCENARIO("events-in-turn", onThreads) {
    onThread(^{
        watch(A);
        __block int round = 0;
        __block CFRunLoopSourceRef port, zero;
        CFRunLoopRef loop = LOOP;
        port = addPort(A, "port", 0, ^{ perform(A, "block", ^{ addTimer(A, "timer", -1, 0, ^{
            if (++round == 2) CFRunLoopStop(loop);
            else CFRunLoopSourceSignal(zero), CFRunLoopWakeUp(loop);
        }); }); });
        zero = addSource(A, "zero", 0, ^{ poke(port); });
        CFRunLoopSourceSignal(zero);
        run(A, 10, false);
        part("nothing is left");
        run(A, 0.05, false);
    });
    part("timers in a row");
    onThread(^{
        watch(A);
        addTimer(A, "first", 0.03, 0, ^{ addTimer(A, "second", 0.03, 0, ^{ addTimer(A, "third", 0.03, 0, NULL); }); });
        run(A, 10, false);
    });
    part("a timer among runs that handle one source each");
    onThread(^{
        CFRunLoopSourceRef s = addSource(A, "s", 0, NULL);
        addTimer(A, "t", 0.05, 0, ^{ CFRunLoopSourceSignal(s); });
        run(A, 10, true);
        run(A, 0.05, true);
    });
}
