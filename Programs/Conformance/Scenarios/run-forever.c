/// run-forever: CFRunLoopRun runs the default mode until it is stopped or the mode is empty. The cases of Programs/Cases have what else a run without a
/// limit does.
#include "../Scenario.h"

SCENARIO(run_forever, onMainThread, 0x358e446c) {
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
}
