/// modes: which calls create a mode, and which modes a loop reports.
#include "../Scenario.h"

SCENARIO(modes, onMainThread, 0xd58949b6) {
    OnNewThread(^{
        PART("new loop");
        LogModes(LOOP);
        LogCurrentMode(LOOP);
        PART("asking about unknown modes makes none");
        CFRunLoopSourceRef s = MakeSource0("s", 0, NULL);
        CFRunLoopTimerRef t = MakeTimer("t", 3600, 0, NULL);
        CFRunLoopObserverRef o = MakeObserver("o", kCFRunLoopEntry, 0, NULL);
        LOG("%d", CFRunLoopContainsSource(LOOP, s, CFSTR("asked1")));
        LOG("%d", CFRunLoopContainsTimer(LOOP, t, CFSTR("asked2")));
        LOG("%d", CFRunLoopContainsObserver(LOOP, o, CFSTR("asked3")));
        LOG("next timer %g", CFRunLoopGetNextTimerFireDate(LOOP, CFSTR("asked4")));
        CFRunLoopRemoveSource(LOOP, s, CFSTR("asked5"));
        CFRunLoopRemoveTimer(LOOP, t, CFSTR("asked6"));
        CFRunLoopRemoveObserver(LOOP, o, CFSTR("asked7"));
        Run(CFSTR("asked8"), 0, false);
        LogModes(LOOP);
        PART("a common mode without items is not made");
        CFRunLoopAddCommonMode(LOOP, CFSTR("common"));
        LogModes(LOOP);
        CFRunLoopAddObserver(LOOP, o, COMMON);
        LogModes(LOOP);
        CFRunLoopAddCommonMode(LOOP, CFSTR("common2"));
        LogModes(LOOP);
        PART("an item makes its mode");
        CFRunLoopAddSource(LOOP, s, CFSTR("1"));
        CFRunLoopAddTimer(LOOP, t, CFSTR("2"));
        CFRunLoopAddObserver(LOOP, o, CFSTR("3"));
        LogModes(LOOP);
        PART("modes stay when their items are gone");
        CFRunLoopSourceInvalidate(s);
        CFRunLoopTimerInvalidate(t);
        CFRunLoopObserverInvalidate(o);
        LogModes(LOOP);
        PART("an invalid item makes no mode");
        CFRunLoopAddSource(LOOP, s, CFSTR("4"));
        CFRunLoopAddTimer(LOOP, t, CFSTR("5"));
        CFRunLoopAddObserver(LOOP, o, CFSTR("6"));
        LogModes(LOOP);
        PART("a run in the common modes, also when a block has made a mode of that name");
        CFRunLoopAddSource(LOOP, MakeSource0("u", 0, NULL), COMMON);
        Run(COMMON, 0.1, false);
        QueueBlock("not performed there", COMMON, NULL);
        Run(COMMON, 0.1, false);
        LogModes(LOOP);
        PART("the name is compared by value");
        CFStringRef spelled = CFStringCreateWithCString(NULL, "1", kCFStringEncodingUTF8);
        CFRunLoopSourceRef v = MakeSource0("v", 0, NULL);
        CFRunLoopAddSource(LOOP, v, spelled);
        LogModes(LOOP);
        LOG("%d", CFRunLoopContainsSource(LOOP, v, CFSTR("1")));
    });
    PART("main loop");
    LogModes(CFRunLoopGetMain());
}
