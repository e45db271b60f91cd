/// common-modes.c: the cure of mode-switch.c. The timer is added to kCFRunLoopCommonModes, and tracking is a common mode. So the timer is in
/// both modes, and fires in the nested run, while the finger is down.
#include "recorded.h"

static CFRunLoopRef loop;
static CFRunLoopSourceRef touch, scroll;
static CFRunLoopTimerRef refresh;

static void track(void *info) {
    CFRunLoopRunInMode(CFSTR("UITrackingRunLoopMode"), 1.0e10, false);
    CFRunLoopStop(loop);
}

static void nothing(void *info) {}

static void fireRefresh(CFRunLoopTimerRef timer, void *info) {
    CFRunLoopStop(loop); // ends the nested run
}

int main(void) {
    loop = CFRunLoopGetCurrent();
    CFRunLoopAddCommonMode(loop, CFSTR("UITrackingRunLoopMode"));
    touch = makeSource0(track);
    CFRunLoopAddSource(loop, touch, kCFRunLoopDefaultMode);
    scroll = makeSource0(nothing);
    CFRunLoopAddSource(loop, scroll, CFSTR("UITrackingRunLoopMode"));
    warmUp(kCFRunLoopDefaultMode);
    warmUp(CFSTR("UITrackingRunLoopMode"));
    refresh = makeTimer(7, 100, fireRefresh);
    CFRunLoopSourceSignal(touch);
    theRecordingBegins();
    CFRunLoopAddTimer(loop, refresh, kCFRunLoopCommonModes);
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 1.0e10, false);
    theRecordingEnds();
    return 0;
}
