/// source0.c: the loop sleeps. Another thread signals a Source0 and wakes the loop. The pass that was woken serves nothing; the next one
/// performs the source.
#include "recorded.h"

static CFRunLoopRef loop;
static CFRunLoopSourceRef touch;
static int touches;

static void touched(void *info) {
    touches++;
}

static void *sender(void *unused) {
    waitForItsTurn();
    CFRunLoopSourceSignal(touch);
    CFRunLoopWakeUp(loop);
    theRecordingEnds();
    return NULL;
}

int main(void) {
    loop = CFRunLoopGetCurrent();
    touch = makeSource0(touched);
    CFRunLoopAddSource(loop, touch, kCFRunLoopDefaultMode);
    startThread("sender", sender);
    warmUp(kCFRunLoopDefaultMode);
    theRecordingBegins();
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 1.0e10, true);
    theRecordingEnds();
    return 0;
}
