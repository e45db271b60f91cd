/// worst-moment.c: another thread signals a Source0 and wakes the loop. The main thread is at the end of a pass, or about to sleep, or asleep:
/// the schedules of recordings.py let the two threads meet at each of these moments. The source is performed every time.
#include "recorded.h"

static CFRunLoopRef loop;
static CFRunLoopSourceRef early, touch;
static int touches;

static void earlyPerformed(void *info) {
    touches = 0; // the pass that performs this source does not sleep
}

static void touched(void *info) {
    touches++;
    CFRunLoopStop(loop);
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
    early = makeSource0(earlyPerformed);
    CFRunLoopAddSource(loop, early, kCFRunLoopDefaultMode);
    touch = makeSource0(touched);
    CFRunLoopAddSource(loop, touch, kCFRunLoopDefaultMode);
    warmUp(kCFRunLoopDefaultMode);
    startThread("sender", sender);
    CFRunLoopSourceSignal(early);
    theRecordingBegins();
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 1.0e10, false);
    theRecordingEnds();
    return 0;
}
