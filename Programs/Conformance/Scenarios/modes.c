/// modes: which calls create a mode, and which modes a loop reports.
#include "Scenario.h"

SCENARIO("modes", onMainThread) {
    onThread(^{
        part("new loop");
        sayModes(LOOP);
        sayCurrentMode(LOOP);
        part("asking about unknown modes makes none");
        CFRunLoopSourceRef s = source("s", 0, NULL);
        CFRunLoopTimerRef t = timer("t", 3600, 0, NULL);
        CFRunLoopObserverRef o = observer("o", kCFRunLoopEntry, true, 0, NULL);
        say("%d", CFRunLoopContainsSource(LOOP, s, CFSTR("asked1")));
        say("%d", CFRunLoopContainsTimer(LOOP, t, CFSTR("asked2")));
        say("%d", CFRunLoopContainsObserver(LOOP, o, CFSTR("asked3")));
        say("next timer %g", CFRunLoopGetNextTimerFireDate(LOOP, CFSTR("asked4")));
        CFRunLoopRemoveSource(LOOP, s, CFSTR("asked5"));
        CFRunLoopRemoveTimer(LOOP, t, CFSTR("asked6"));
        CFRunLoopRemoveObserver(LOOP, o, CFSTR("asked7"));
        run(CFSTR("asked8"), 0, false);
        sayModes(LOOP);
        part("a common mode without items is not made");
        CFRunLoopAddCommonMode(LOOP, CFSTR("common"));
        sayModes(LOOP);
        CFRunLoopAddObserver(LOOP, o, COMMON);
        sayModes(LOOP);
        CFRunLoopAddCommonMode(LOOP, CFSTR("common2"));
        sayModes(LOOP);
        part("an item makes its mode");
        CFRunLoopAddSource(LOOP, s, CFSTR("1"));
        CFRunLoopAddTimer(LOOP, t, CFSTR("2"));
        CFRunLoopAddObserver(LOOP, o, CFSTR("3"));
        sayModes(LOOP);
        part("modes stay when their items are gone");
        CFRunLoopSourceInvalidate(s);
        CFRunLoopTimerInvalidate(t);
        CFRunLoopObserverInvalidate(o);
        sayModes(LOOP);
        part("an invalid item makes no mode");
        CFRunLoopAddSource(LOOP, s, CFSTR("4"));
        CFRunLoopAddTimer(LOOP, t, CFSTR("5"));
        CFRunLoopAddObserver(LOOP, o, CFSTR("6"));
        sayModes(LOOP);
        part("a run in the common modes");
        CFRunLoopAddSource(LOOP, source("u", 0, NULL), COMMON);
        run(COMMON, 0.1, false);
        sayModes(LOOP);
        part("the name is compared by value");
        CFStringRef spelled = CFStringCreateWithCString(NULL, "1", kCFStringEncodingUTF8);
        CFRunLoopSourceRef v = source("v", 0, NULL);
        CFRunLoopAddSource(LOOP, v, spelled);
        sayModes(LOOP);
        say("%d", CFRunLoopContainsSource(LOOP, v, CFSTR("1")));
    });
    part("main loop");
    sayModes(CFRunLoopGetMain());
}
