/// run-forever: CFRunLoopRun runs the default mode until it is stopped or the mode is empty.
#include "../Scenario.h"

SCENARIO(run_forever, onMainThread, 0xdd6e2896) {
    PART("nothing to run");
    OnNewThread(^{
        CFRunLoopRun();
        LOG("back");
    });
    PART("until nothing is left");
    OnNewThread(^{
        LogActivities(DEFAULT);
        AddTimer("once", -1, 0, DEFAULT, NULL);
        CFRunLoopRun();
        LOG("back");
    });
    PART("until stopped");
    OnNewThread(^{
        __block int times = 0;
        AddTimer("t", 0.01, 0.01, DEFAULT, ^{ if (++times == 3) CFRunLoopStop(LOOP); });
        CFRunLoopRun();
        LOG("back");
        PART("and again");
        times = 1;
        CFRunLoopRun();
        LOG("back");
    });
    PART("nested");
    OnNewThread(^{
        AddTimer("stopping", 0.1, 0.1, DEFAULT, ^{ CFRunLoopStop(LOOP); });
        AddTimer("nesting", 0.05, 0, DEFAULT, ^{
            CFRunLoopRun();
            LOG("back from the inner run");
        });
        CFRunLoopRun();
        LOG("back");
    });
    PART("the main loop is never without work");
    AddTimer("once", 0.01, 0, DEFAULT, NULL);
    AddTimer("stop", 0.1, 0, DEFAULT, ^{ CFRunLoopStop(LOOP); });
    CFRunLoopRun();
    LOG("back");
}
