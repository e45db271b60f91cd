/// run-forever: CFRunLoopRun runs the default mode until it is stopped or the mode is empty.
#include "Scenario.h"

SCENARIO("run-forever", onMainThread) {
    part("nothing to run");
    onThread(^{
        CFRunLoopRun();
        say("back");
    });
    part("until nothing is left");
    onThread(^{
        watch(DEFAULT);
        addTimer(DEFAULT, "once", -1, 0, NULL);
        CFRunLoopRun();
        say("back");
    });
    part("until stopped");
    onThread(^{
        __block int times = 0;
        addTimer(DEFAULT, "t", 0.01, 0.01, ^{ if (++times == 3) CFRunLoopStop(LOOP); });
        CFRunLoopRun();
        say("back");
        part("and again");
        times = 1;
        CFRunLoopRun();
        say("back");
    });
    part("nested");
    onThread(^{
        addTimer(DEFAULT, "stopping", 0.1, 0.1, ^{ CFRunLoopStop(LOOP); });
        addTimer(DEFAULT, "nesting", 0.05, 0, ^{
            CFRunLoopRun();
            say("back from the inner run");
        });
        CFRunLoopRun();
        say("back");
    });
    part("the main loop is never without work");
    addTimer(DEFAULT, "once", 0.01, 0, NULL);
    addTimer(DEFAULT, "stop", 0.1, 0, ^{ CFRunLoopStop(LOOP); });
    CFRunLoopRun();
    say("back");
}
