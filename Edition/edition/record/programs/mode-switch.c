/// mode-switch.c: scrolling stops the timer. A finger touches, and the loop tracks it in a run of its own, in UITrackingRunLoopMode. A timer in
/// the default mode becomes due meanwhile, and waits. When the finger lifts, that run ends, and the timer fires at once.
#include "recorded.h"

static CFRunLoopRef loop;
static CFRunLoopSourceRef touch, scroll;
static CFRunLoopTimerRef refresh;
static Boolean fingerIsDown = true;

static void track(void *info) {
    CFRunLoopRunInMode(CFSTR("UITrackingRunLoopMode"), 1.0e10, false);
}

static void scrolled(void *info) {
    if (!fingerIsDown) CFRunLoopStop(loop);
}

static void fireRefresh(CFRunLoopTimerRef timer, void *info) {
    CFRunLoopStop(loop);
}

static void *finger(void *unused) {
    waitForItsTurn();
    CFRunLoopSourceSignal(touch);
    CFRunLoopWakeUp(loop);
    sleep(8); // the timer becomes due
    fingerIsDown = false;
    CFRunLoopSourceSignal(scroll);
    CFRunLoopWakeUp(loop);
    theRecordingEnds();
    return NULL;
}

int main(void) {
    loop = CFRunLoopGetCurrent();
    touch = makeSource0(track);
    scroll = makeSource0(scrolled);
    CFRunLoopAddSource(loop, touch, kCFRunLoopDefaultMode);
    CFRunLoopAddSource(loop, scroll, CFSTR("UITrackingRunLoopMode"));
    warmUp(kCFRunLoopDefaultMode);
    warmUp(CFSTR("UITrackingRunLoopMode"));
    refresh = makeTimer(10, 100, fireRefresh);
    CFRunLoopAddTimer(loop, refresh, kCFRunLoopDefaultMode);
    startThread("finger", finger);
    theRecordingBegins();
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 1.0e10, false);
    theRecordingEnds();
    return 0;
}
